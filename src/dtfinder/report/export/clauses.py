"""What every target needs to know of a tree: its columns and their kinds, and its tests as a
program of guard clauses.

A program of guard clauses nests the smaller side of every test and goes on with the larger one, so
code for a tree of n leaves is never more than log2(n) blocks deep: a long decision list stays flat,
and no compiler's limit on nesting is met.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import count

from dtfinder.data.dataset import DATE, NUMBER, TEXT, Feature, Value, kind_of
from dtfinder.data.moments import DURATION, moment, nanoseconds
from dtfinder.nodes import sizes_of
from dtfinder.tree import Tree


@dataclass(frozen=True)
class Input:
    """A column that the tree asks about, and its kind: NUMBER, TRUTH or TEXT, which dates are here.
    A column that is only asked whether it is missing has no known kind and counts as a number."""

    column: str
    kind: str


@dataclass(frozen=True)
class Clause:
    """One line of the program: `if feature is sense`, or, without a feature, `return node`."""

    level: int
    node: int
    feature: Feature | None = None
    sense: bool = True


def inputs_of(tree: Tree) -> list[Input]:
    """The columns that the tree asks about, in the order of their first mention."""
    present: dict[str, list[Value]] = {name: [] for name in tree.columns}
    for feature in tree.features:
        present[feature.column] += (value for value in feature.values if value is not None)
    kinds = {name: kind_of(values) if values else NUMBER for name, values in present.items()}
    return [Input(name, TEXT if kind == DATE else kind) for name, kind in kinds.items()]


def in_seconds(tree: Tree) -> Tree:
    """The tree with durations as numbers of seconds, for targets that have no durations."""

    def plain(value: Value) -> Value:
        known = moment(value) if isinstance(value, str) else None
        return nanoseconds(known[1]) / 1e9 if known and known[0] == DURATION else value

    def number(feature: Feature) -> Feature:
        values = tuple(map(plain, feature.values))
        return replace(feature, value=values if isinstance(feature.value, tuple) else values[0])

    return replace(tree, features=tuple(map(number, tree.features)))


def same_kind(value: Value, kind: str) -> bool:
    """Whether a value in a column of this kind can equal `value`, which must not be missing."""
    return isinstance(value, str) == (kind == TEXT)


def clauses(tree: Tree) -> Iterator[Clause]:
    """The tree as guard clauses, the smaller side of each test inside its `if`."""
    sizes = sizes_of(tree.nodes)

    def below(number: int, level: int) -> Iterator[Clause]:
        while (node := tree.nodes[number]).feature >= 0:
            sense = sizes[node.one] <= sizes[node.zero]
            inside, number_after = (node.one, node.zero) if sense else (node.zero, node.one)
            yield Clause(level, number, tree.features[node.feature], sense)
            yield from below(inside, level + 1)
            number = number_after
        yield Clause(level, number)

    return below(0, 0)


def fresh(wanted: str, taken: set[str]) -> str:
    """A name like `wanted` that is not in `taken`, which it joins."""
    for number in count(1):
        name = wanted if number == 1 else f"{wanted}_{number}"
        if name not in taken:
            taken.add(name)
            return name
    raise AssertionError("count never ends")
