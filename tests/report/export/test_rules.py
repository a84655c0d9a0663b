"""The rules are read back by a small parser of their own and followed."""

from __future__ import annotations

import json
import math
import re
from typing import TYPE_CHECKING, Any

from dtfinder import find_tree
from dtfinder.data.dataset import Feature
from dtfinder.nodes import Node, leaf
from dtfinder.report.export.rules import to_rules
from dtfinder.report.page_data import page_data
from dtfinder.report.why import why_text
from dtfinder.tree import Tree

if TYPE_CHECKING:
    from report.export.conftest import Case

_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|<=|!=|[=<>(){},]|[^\s=<>!(){},"]+')
_RESERVED = {"IF", "THEN", "AND", "ALWAYS", "in", "not", "or", "<=", "!=", *"=<>(){},"}


class _Rule:
    """A condition over rows, and the class it gives."""

    def __init__(self, line: str) -> None:
        self._tokens = _TOKEN.findall(line)
        self._tests: list[tuple[Any, str, list[Any]]] = []  # column, sign, values
        if self._next() == "IF":
            while True:
                self._condition()
                if self._next() == "THEN":
                    break
        else:
            self._next()
        self.label = self._word()

    def _next(self) -> str:
        return str(self._tokens.pop(0))

    def _condition(self) -> None:
        name, sign = self._word(), self._next()
        if sign == "<":  # low < name <= high
            name, low = self._word(), name
            self._tests.append((name, ">", [low]))
            sign = self._next()
        elif sign == "not":
            sign = f"not {self._next()}"
        values = self._values()
        if self._tokens[0] == "or":
            assert (sign, self._next(), self._next()) == (">", "or", "missing")
            sign = "> or missing"
        self._tests.append((name, sign, values))

    def _word(self) -> Any:
        """A quoted text, a number, or plain words in a row."""
        first = self._next()
        if first.startswith('"'):
            return json.loads(first)
        words = {"missing": None, "True": True, "False": False}
        if first in words:
            return words[first]
        try:
            return float(first)
        except ValueError:
            pass
        while self._tokens[0] not in _RESERVED and not self._tokens[0].startswith('"'):
            first += " " + self._next()
        return first

    def _values(self) -> list[Any]:
        if self._tokens[0] != "{":
            return [self._word()]
        values = []
        while self._next() in "{,":
            values.append(self._word())
        return values

    def meets(self, row: dict[str, Any]) -> bool:
        """Whether the row meets every condition."""
        return all(self._meets(row[name], sign, values) for name, sign, values in self._tests)

    @staticmethod
    def _meets(value: Any, sign: str, values: list[Any]) -> bool:
        if sign in ("=", "in"):
            return value in values
        if sign in ("!=", "not in"):
            return value not in values
        if value is None:
            return sign == "> or missing"
        return bool(value <= values[0]) if sign == "<=" else bool(value > values[0])


def test_agrees_with_predict(case: Case) -> None:
    rules = [_Rule(line) for line in to_rules(case.tree).splitlines()]
    for row, expected in zip(case.rows(), case.tree.predict(case.table), strict=True):
        found = [rule.label for rule in rules if rule.meets(row)]
        assert found == [expected]


def test_has_one_line_a_leaf(case: Case) -> None:
    assert to_rules(case.tree).count("\n") == case.tree.leaves


def test_reads_well() -> None:
    features = (
        Feature("Head shape", "=", 2.0),
        Feature("colour", "in", ("dark red", "red, mostly")),
    )
    nodes = (Node(0, 1, 4, -1), Node(1, 2, 3, -1), leaf(0), leaf(1), leaf(1))
    counts = ((3, 6), (3, 2), (3, 1), (0, 1), (0, 4))
    assert to_rules(Tree(nodes, features, ("no", "yes"), counts)) == (
        "IF Head shape = 2 THEN yes (4 rows)\n"
        'IF Head shape != 2 AND colour in {dark red, "red, mostly"} THEN yes (1 row)\n'
        'IF Head shape != 2 AND colour not in {dark red, "red, mostly"} THEN no (3 of 4 rows)\n'
    )


def test_says_all_that_a_path_asks_about_a_column_at_once() -> None:
    heights = [Feature("height", "<=", bound) for bound in (190.5, 160.5, 180.5)]
    features = (*heights, Feature("outlook", "=", "overcast"), Feature("outlook", "=", "rainy"))
    nodes = (
        *(Node(0, 1, 2, -1), leaf(0), Node(1, 3, 10, -1), Node(2, 4, 5, -1), leaf(1)),
        *(Node(3, 6, 9, -1), Node(4, 7, 8, -1), leaf(0), leaf(1), leaf(0), leaf(0)),
    )
    assert to_rules(Tree(nodes, features, ("no", "yes"), ((1, 1),) * 11)).splitlines() == [
        "IF height <= 160.5 THEN no (1 of 2 rows)",
        "IF 160.5 < height <= 180.5 AND outlook = overcast THEN no (1 of 2 rows)",
        "IF 160.5 < height <= 180.5 AND outlook = rainy THEN yes (1 of 2 rows)",
        "IF 160.5 < height <= 180.5 AND outlook not in {overcast, rainy} THEN no (1 of 2 rows)",
        "IF 180.5 < height <= 190.5 THEN yes (1 of 2 rows)",
        "IF height > 190.5 THEN no (1 of 2 rows)",
    ]


def test_one_sign_throughout() -> None:
    result = find_tree("iris")
    assert "≤" not in to_rules(result.tree)
    rules = page_data(result)["trees"][0]["rules"]
    assert "≤" in rules
    assert "<=" not in rules
    assert "≤" not in why_text(result, result.reason)


def test_a_rule_says_that_a_value_may_be_missing() -> None:
    features = (Feature("x", "<=", 2.5), Feature("x", "=", None))
    nodes = (Node(0, 1, 4, -1), Node(1, 2, 3, -1), leaf(0), leaf(1), leaf(1))
    assert to_rules(Tree(nodes, features, (0, 1), ((1, 0),) * 5)).splitlines() == [
        "IF x <= 2.5 THEN 1 (0 of 1 row)",
        "IF x = missing THEN 1 (0 of 1 row)",
        "IF x > 2.5 THEN 0 (1 row)",
    ]
    either = (Node(1, 1, 2, -1), leaf(0), Node(0, 3, 4, -1), leaf(0), leaf(1))
    features = (Feature("x", "<=", 2.5), Feature("y", "=", None))
    text = to_rules(Tree(either, features, (0, 1), ((1, 0),) * 5))
    assert "IF y = missing AND x > 2.5 or missing THEN 0" in text


def test_infinity_is_a_number() -> None:
    features = (Feature("x", "<=", math.inf), Feature("y", "=", "inf"))
    nodes = (Node(0, 1, 4, -1), Node(1, 2, 3, -1), leaf(0), leaf(1), leaf(1))
    text = to_rules(Tree(nodes, features, (0, 1), ((1, 1),) * 5))
    assert "x <= inf" in text
    assert 'y = "inf"' in text
