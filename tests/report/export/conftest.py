"""Trees and rows that are hard on whoever writes or quotes them, for the tests of all targets."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from dtfinder.data.dataset import Feature, Table
from dtfinder.nodes import Node, leaf
from dtfinder.tree import Tree

NASTY = [
    "plain",
    "two words",
    "it's",
    'say "hi"',
    "back\\slash",
    "ends in \\",
    "new\nline",
    "tab\tand\rreturn",
    "SELECT",
    "order; DROP TABLE data; --",
    "größe ≤ 10 €",
    "日本語 🌳",
    "*/ /* // ??/",
    "{curly} %s $x",
    "</script><!--",
    "THEN",
    "a AND b",
    "missing",
    "null",
    "0123",
    "",
    " lead",
    "é",
    "\\n",
    "\\u0041",
]
NUMBERS = [
    0.35,
    0.1 + 0.2,
    41.5,
    -1e-300,
    1e22,
    123456789.123456789,
    5e-324,
    1 / 3,
    -7.0,
    2**60 + 0.0,
]


@dataclass(frozen=True)
class Case:
    """A tree, and rows to classify."""

    tree: Tree
    table: Table

    def rows(self) -> list[dict[str, Any]]:
        """The rows as plain Python values, None for a missing one."""
        columns = [column.tolist() for column in self.table.columns]
        plain = [
            [None if isinstance(v, float) and math.isnan(v) else v for v in column]
            for column in columns
        ]
        return [dict(zip(self.table.names, row, strict=True)) for row in zip(*plain, strict=True)]


def _random_nodes(
    rng: np.random.Generator, n_features: int, classes: int, leaves: int
) -> list[Node]:
    """A random shape; a feature may come twice on a path."""
    if leaves == 1:
        return [leaf(int(rng.integers(classes)))]
    on_zero = int(rng.integers(1, leaves))
    zero = _random_nodes(rng, n_features, classes, on_zero)
    one = _random_nodes(rng, n_features, classes, leaves - on_zero)

    def moved(nodes: list[Node], by: int) -> list[Node]:
        return [
            n._replace(zero=n.zero + by, one=n.one + by) if n.feature >= 0 else n for n in nodes
        ]

    root = Node(int(rng.integers(n_features)), 1, 1 + len(zero), -1)
    return [root, *moved(zero, 1), *moved(one, 1 + len(zero))]


def _tree(
    rng: np.random.Generator, features: list[Feature], classes: tuple[Any, ...], leaves: int
) -> Tree:
    nodes = tuple(_random_nodes(rng, len(features), len(classes), leaves))
    counts = tuple(tuple(rng.integers(0, 9, len(classes)).tolist()) for _ in nodes)
    return Tree(nodes, tuple(features), classes, counts)


def _object(values: list[Any]) -> np.ndarray:
    out = np.empty(len(values), dtype=object)
    out[:] = values
    return out


def _mixed(seed: int, classes: tuple[Any, ...], leaves: int, last: str = "last") -> Case:
    """Columns of every kind, named nastily; rows on, just below and just above each threshold."""
    rng = np.random.default_rng(seed)
    nasty = [name for name in NASTY if name]
    names = [nasty[i] for i in rng.permutation(len(nasty))[:8]] + [last]
    features, columns = [], []
    for place, name in enumerate(names):
        if place % 3 == 0:
            bounds = [float(x) for x in rng.choice(NUMBERS, 3)] + rng.random(2).tolist()
            features += [Feature(name, "<=", x) for x in bounds]
            features += [Feature(name, "=", bounds[0]), Feature(name, "in", (bounds[1], None))]
            near = [
                y for x in bounds for y in (x, math.nextafter(x, 1e308), math.nextafter(x, -1e308))
            ]
            columns.append(rng.choice([*near, math.nan], 60))
        elif place % 3 == 1:
            words = [NASTY[i] for i in rng.permutation(len(NASTY))[:6]]
            features += [Feature(name, "=", word) for word in words[:3]]
            features += [Feature(name, "in", tuple(words[2:5])), Feature(name, "=", None)]
            columns.append(_object([[*words, None][i] for i in rng.integers(7, size=60)]))
        else:
            features += [Feature(name, "=", True), Feature(name, "in", (False, None))]
            columns.append(_object([[True, False, None][i] for i in rng.integers(3, size=60)]))
    return Case(_tree(rng, features, classes, leaves), Table(tuple(names), tuple(columns)))


def _decision_list(length: int) -> Case:
    """A path as long as no language nests its blocks."""
    features = tuple(Feature("x", "<=", float(i)) for i in range(length))
    nodes = []
    for i in range(length):
        nodes += [Node(i, 2 * i + 2, 2 * i + 1, -1), leaf(i % 2)]
    nodes.append(leaf(length % 2))
    counts = tuple((1, 1) for _ in nodes)
    tree = Tree(tuple(nodes), features, ("even", "odd"), counts)
    return Case(tree, Table(("x",), (np.arange(-1, length + 1, 0.5),)))


def _dates() -> Case:
    """Dates, times and words in an order, which are compared as text."""
    rng = np.random.default_rng(9)
    days = [f"2024-0{month}-1{day}" for month in range(1, 8) for day in range(5)]
    clock = [f"{hour:02d}:{minute:02d}:00" for hour in range(5, 19) for minute in (0, 30)]
    sizes = [f"size {letter}" for letter in "abcdef"]
    features = [Feature("when", "<=", day) for day in days[3::7]]
    features += [Feature("at", "<=", each) for each in clock[4::6]]
    features += [Feature("size", "<=", tuple(sizes[:n])) for n in (1, 3, 4)]
    features += [
        Feature("when", "=", days[4]),
        Feature("when", "=", None),
        Feature("at", "=", None),
    ]
    choices = (_object([*values, None]) for values in (days, clock, sizes))
    columns = [_object(rng.choice(values, 80).tolist()) for values in choices]
    tree = _tree(rng, features, ("early", "late"), 40)
    return Case(tree, Table(("when", "at", "size"), tuple(columns)))


def _one_leaf() -> Case:
    tree = Tree((leaf(0),), (), ("only",), ((3,),))
    return Case(tree, Table(("x",), (np.array([1.0, 2.0]),)))


def _only_missing() -> Case:
    tree = Tree(
        (Node(0, 1, 2, -1), leaf(0), leaf(1)), (Feature("x", "=", None),), (0, 1), ((1, 1),) * 3
    )
    return Case(tree, Table(("x",), (np.array([1.0, math.nan, 0.0]),)))


CASES = {
    "one leaf": _one_leaf(),
    "only missing": _only_missing(),
    "decision list": _decision_list(150),
    "text classes": _mixed(1, tuple(NASTY[:20]), 40),
    "whole classes": _mixed(2, (-3, 0, 7), 20),
    "truth classes": _mixed(3, (False, True), 31),
    "float classes": _mixed(4, (0.0, 1.0, 2.0), 12),
    "large": _mixed(5, ("a'b", 'c"d', "e\nf"), 120),
    "more names": _mixed(6, (0, 1), 60),
    "other names": _mixed(7, (0, 1), 60),
    "dates": _dates(),
    "empty name": _mixed(8, (0, 1), 60, last=""),
}


@pytest.fixture(params=list(CASES))
def case(request: pytest.FixtureRequest) -> Case:
    """One tree with its rows, each in turn."""
    return CASES[request.param]


@pytest.fixture
def mixed_case() -> Case:
    """A tree over columns of all kinds, for a test that needs one alone."""
    return CASES["text classes"]
