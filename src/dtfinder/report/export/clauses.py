"""What every target needs to know of a tree: its columns and their kinds, and its tests as a
program of guard clauses.

A program of guard clauses nests the smaller side of every test and goes on with the larger one, so
code for a tree of n leaves is never more than log2(n) blocks deep: a long decision list stays flat,
and no compiler's limit on nesting is met.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count

from dtfinder.data.dataset import Feature, Value
from dtfinder.tree import Tree

NUMBER, TEXT, TRUTH = "number", "text", "truth"


@dataclass(frozen=True)
class Column:
    """A column that the tree asks about. Truth is yes or no; any kind may be missing. Of a column
    that is only asked whether it is missing, the kind is not known and given as a number."""

    name: str
    kind: str


@dataclass(frozen=True)
class Clause:
    """One line of the program: `if feature is sense`, or, without a feature, `return node`."""

    level: int
    node: int
    feature: Feature | None = None
    sense: bool = True


def values_of(feature: Feature) -> tuple[Value, ...]:
    """The values that an `=` or `in` test compares with."""
    return feature.value if isinstance(feature.value, tuple) else (feature.value,)


def threshold_of(feature: Feature) -> float:
    """The bound of a `<=` test."""
    assert isinstance(feature.value, (int, float))
    return float(feature.value)


def columns_of(tree: Tree) -> list[Column]:
    """The columns that the tree asks about, in the order of their first mention."""
    values: dict[str, list[Value]] = {}
    for feature in tree.features:
        values.setdefault(feature.column, []).extend(values_of(feature))
    return [Column(name, _kind(given)) for name, given in values.items()]


def _kind(values: list[Value]) -> str:
    if any(isinstance(value, str) for value in values):
        return TEXT
    return TRUTH if any(isinstance(value, bool) for value in values) else NUMBER


def same_kind(value: Value, kind: str) -> bool:
    """Whether a value in a column of this kind can equal `value`, which is not missing."""
    return isinstance(value, str) == (kind == TEXT)


def clauses(tree: Tree) -> Iterator[Clause]:
    """The tree as guard clauses, the smaller side of each test inside its `if`."""
    sizes = [1] * tree.size
    for number in range(tree.size - 1, -1, -1):
        node = tree.nodes[number]
        if node.feature >= 0:
            sizes[number] += sizes[node.zero] + sizes[node.one]

    def below(number: int, level: int) -> Iterator[Clause]:
        while (node := tree.nodes[number]).feature >= 0:
            sense = sizes[node.one] <= sizes[node.zero]
            inside, number_after = (node.one, node.zero) if sense else (node.zero, node.one)
            yield Clause(level, number, tree.features[node.feature], sense)
            yield from below(inside, level + 1)
            number = number_after
        yield Clause(level, number)

    return below(0, 0)


def fresh(wanted: str, taken: set[str], separator: str = "_") -> str:
    """A name like `wanted` that is not in `taken`, which it joins."""
    for number in count(1):
        name = wanted if number == 1 else f"{wanted}{separator}{number}"
        if name not in taken:
            taken.add(name)
            return name
    raise AssertionError("count never ends")
