"""The rules are read back by a small parser of their own and followed."""

from __future__ import annotations

import json
import math
import re
from typing import TYPE_CHECKING, Any

from dtfinder.data.dataset import Feature
from dtfinder.report.export.rules import to_rules
from dtfinder.tree import Node, Tree, leaf

if TYPE_CHECKING:
    from report.export.conftest import Case

_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|<=|[=(){},]|[^\s=(){},"]+')
_RESERVED = {"IF", "THEN", "AND", "NOT", "ALWAYS", "in", "<=", *"=(){},"}


class _Rule:
    """A condition over rows, and the class it gives."""

    def __init__(self, line: str) -> None:
        self._tokens = _TOKEN.findall(line)
        self._tests = []
        if self._next() == "IF":
            while True:
                negated = self._tokens[0] == "NOT"
                if negated:
                    self._next()
                self._tests.append((self._word(), self._next(), self._values(), negated))
                if self._next() == "THEN":
                    break
        else:
            self._next()
        self.label = self._word()

    def _next(self) -> str:
        return str(self._tokens.pop(0))

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
        """Whether the row meets every test."""
        for name, test, wanted, negated in self._tests:
            value = row[name]
            at_most = test == "<=" and value is not None and value <= wanted[0]
            if (at_most or (test != "<=" and value in wanted)) == negated:
                return False
        return True


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
        'IF NOT Head shape = 2 AND colour in {dark red, "red, mostly"} THEN yes (1 row)\n'
        'IF NOT Head shape = 2 AND NOT colour in {dark red, "red, mostly"} THEN no (3 of 4 rows)\n'
    )


def test_infinity_is_a_number() -> None:
    features = (Feature("x", "<=", math.inf), Feature("y", "=", "inf"))
    nodes = (Node(0, 1, 4, -1), Node(1, 2, 3, -1), leaf(0), leaf(1), leaf(1))
    text = to_rules(Tree(nodes, features, (0, 1), ((1, 1),) * 5))
    assert "x <= inf" in text
    assert 'y = "inf"' in text
