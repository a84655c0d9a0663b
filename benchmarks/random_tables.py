"""Random tables against brute force, through the public functions: `find_tree` and `find_front`.

Brute force knows all subcubes of the space of features, those without rows included: the least
errors in a cube, within a number of inner nodes and a depth, are those of one leaf or of the two
halves along any feature. That is a few additions and minima over arrays of all cubes. It shares
nothing with dtfinder.

The tables have 62 to 130 rows or 5 to 30, 3 to 9 columns, 2 to 4 classes, rows that contradict each
other, and some have weights or sets of classes. Each is asked for its front, with and without a
limit on depth, and for trees: within depth, within nodes, within both, with few errors, of least
cost, and exact.

    python -m benchmarks.random_tables --tables 2000 --seed 1
"""

from __future__ import annotations

import argparse
from fractions import Fraction
from typing import Any, TypedDict

import numpy as np
from numpy.typing import NDArray

from dtfinder import find_front, find_tree
from dtfinder.errors import InfeasibleError

MOST_INNER = 9  # that brute force looks at, where nodes are limited
MOST_NODES = 2 * MOST_INNER + 1
NO_LIMIT = 99  # on depth
Numbers = NDArray[np.int64]


class Limits(TypedDict):
    """Within which the fewest nodes are asked for."""

    max_errors: int
    max_depth: int
    max_nodes: int


class Table:
    """Random 0/1 columns; a class per row, or a list of those it allows; a weight per row."""

    def __init__(self, random: np.random.Generator) -> None:
        columns = int(random.integers(3, 10))
        sizes = [5, 12, 30, *range(62, 67), *range(126, 131)]
        rows = int(random.choice(sizes if columns > 5 else sizes[:3]))
        self.classes = int(random.integers(2, 5))
        self.X = (random.random((rows, columns)) < random.uniform(0.2, 0.8)).astype(int)
        rule = self.X[:, 0] + 2 * self.X[:, 1] * self.X[:, 2]
        noise = random.integers(0, self.classes, rows)
        labels = np.where(random.random(rows) < random.uniform(0, 0.5), noise, rule % self.classes)
        labels[:2] = 0, 1  # a table needs two classes
        self.allows = np.arange(self.classes) == labels[:, None]
        self.weights: Numbers | None = None
        kind = int(random.integers(0, 3))
        if kind == 1:
            self.weights = random.integers(0, 5, rows)
            self.weights[:2] = 1
        elif kind == 2:
            self.allows[2:] |= random.random(self.allows[2:].shape) < 0.15
        self.has_sets = bool((self.allows.sum(axis=1) > 1).any())
        self.y: list[Any] = labels.tolist()
        if self.has_sets:
            self.y = [np.flatnonzero(row).tolist() for row in self.allows]

    @property
    def given(self) -> dict[str, Any]:
        """What the functions take."""
        return {"X": self.X, "y": self.y, "weights": self.weights}

    @property
    def total(self) -> int:
        """The weight of all rows."""
        return len(self.X) if self.weights is None else int(self.weights.sum())

    @property
    def unavoidable(self) -> int:
        """The errors of a leaf for each distinct row."""
        weights = np.ones(len(self.X), int) if self.weights is None else self.weights
        same = np.unique(self.X, axis=0, return_inverse=True)[1].ravel()
        wrong = np.zeros((same.max() + 1, self.classes), np.int64)
        np.add.at(wrong, same, np.where(self.allows, 0, weights[:, None]))
        return int(wrong.min(axis=1).sum())


class Cubes:
    """Least errors and costs of all subcubes; an axis for each column: 0, 1, or both."""

    def __init__(self, table: Table) -> None:
        self.columns = table.X.shape[1]
        weights = np.ones(len(table.X), int) if table.weights is None else table.weights
        wrong = np.zeros((table.classes, *[3] * self.columns), np.int64)
        for row, allowed, weight in zip(table.X, table.allows, weights, strict=True):
            wrong[:, *row] += np.where(allowed, 0, weight)
        for axis in range(1, self.columns + 1):
            along = wrong.swapaxes(0, axis)
            along[2] = along[0] + along[1]
        self.leaf: Numbers = wrong.min(axis=0)

    def improve(self, out: Numbers, zero: Numbers, one: Numbers) -> None:
        """Take the two halves of each cube, along every column."""
        for f in range(self.columns):
            cut = out.swapaxes(0, f)[2]
            np.minimum(cut, zero.swapaxes(0, f)[0] + one.swapaxes(0, f)[1], out=cut)

    def errors(self, most: int, depth: int) -> list[int]:
        """Of the whole table, for 0, 1, … `most` inner nodes within the depth."""
        below = [self.leaf] * (most + 1)
        for _ in range(min(depth, self.columns)):
            here = [self.leaf]
            for inner in range(1, most + 1):
                out = here[-1].copy()
                for a in range(inner):
                    self.improve(out, below[a], below[inner - 1 - a])
                here.append(out)
            below = here
        return [int(each.flat[-1]) for each in below]

    def cost(self, unit: int, leaf: int, depth: int) -> int:
        """The least `unit` x errors + `leaf` x leaves."""
        below = unit * self.leaf + leaf
        for _ in range(min(depth, self.columns)):
            out = (unit * self.leaf + leaf).copy()
            self.improve(out, below, below)
            below = out
        return int(below.flat[-1])

    def exact(self, errors: int) -> tuple[int, int]:
        """The fewest inner nodes of a tree with this number of errors, and the least depth."""
        size = 1
        while (found := self.errors(size, NO_LIMIT))[-1] > errors:
            size *= 2
        depth = 0
        while self.cost(1, 0, depth) > errors:
            depth += 1
        return found.index(errors), depth


class Judge:
    """Asks about one table, and compares every answer with brute force."""

    def __init__(self, table: Table, random: np.random.Generator) -> None:
        self.table, self.random, self.cubes = table, random, Cubes(table)
        self.answers = 0

    def same(self, found: object, wanted: object, about: object) -> None:
        """One answer, which has to be right."""
        self.answers += 1
        if found != wanted:
            raise AssertionError(f"{about}: {found}; brute force: {wanted}\n{vars(self.table)}")

    def fronts(self, depth: int) -> None:
        """With and without a limit on depth."""
        for limit in (None, depth):
            wanted = self.cubes.errors(MOST_INNER, NO_LIMIT if limit is None else limit)
            front = find_front(**self.table.given, max_nodes=MOST_NODES, max_depth=limit)
            for inner, result in enumerate(front):
                bounds = (result.errors_lower_bound, result.errors)
                self.same(bounds, (wanted[inner],) * 2, ("front", limit, inner))
            self.same(front[-1].errors, wanted[-1], ("the end of the front", limit))

    def limits(self, depth: int) -> None:
        """The fewest errors, then the fewest nodes, within one limit or two."""
        inner = int(self.random.integers(0, MOST_INNER + 1))
        for max_depth, most in ((depth, None), (None, inner), (depth, inner)):
            size = 2**depth - 1 if most is None else most
            least = self.cubes.errors(size, NO_LIMIT if max_depth is None else max_depth)
            max_nodes = None if most is None else 2 * most + 1
            result = find_tree(**self.table.given, max_depth=max_depth, max_nodes=max_nodes)
            found = (result.status, result.errors, result.nodes // 2)
            wanted = ("optimal", least[-1], least.index(least[-1]))
            self.same(found, wanted, ("limits", max_depth, max_nodes))

    def few_errors(self, depth: int) -> None:
        """The fewest nodes within a limit on errors, or that no tree is within the limits."""
        allowed = int(self.random.integers(0, self.table.total // 3 + 1))
        least = self.cubes.errors(MOST_INNER, depth)
        wanted = next((n for n, errors in enumerate(least) if errors <= allowed), None)
        limits = Limits(max_errors=allowed, max_depth=depth, max_nodes=MOST_NODES)
        try:
            result = find_tree(**self.table.given, **limits)
        except InfeasibleError:
            self.same(None, wanted, limits)
        else:
            self.same((result.status, result.nodes // 2), ("optimal", wanted), limits)

    def cost(self, depth: int) -> None:
        """The least share of errors + penalty x leaves."""
        penalty = Fraction(int(self.random.integers(1, 40)), 500)
        leaf = int(500 * penalty * self.table.total)
        for limit in (None, depth):
            result = find_tree(**self.table.given, leaf_penalty=float(penalty), max_depth=limit)
            found = 500 * result.errors + leaf * (result.nodes // 2 + 1)
            wanted = self.cubes.cost(500, leaf, NO_LIMIT if limit is None else limit)
            self.same((result.status, found), ("optimal", wanted), ("cost", penalty, limit))

    def exact(self) -> None:
        """The smallest and the shallowest tree without avoidable errors."""
        errors = self.table.unavoidable
        inner, depth = self.cubes.exact(errors)
        result = find_tree(**self.table.given)
        found = (result.status, result.errors, result.nodes // 2)
        self.same(found, ("optimal", errors, inner), "exact")
        result = find_tree(**self.table.given, minimise="depth")
        self.same((result.status, result.depth), ("optimal", depth), "least depth")


def check(table: Table, random: np.random.Generator) -> int:
    """Ask about a table; the number of answers, all of them right."""
    judge = Judge(table, random)
    if not table.has_sets:
        depth = int(random.integers(1, 6))
        judge.fronts(depth)
        judge.limits(depth)
        judge.few_errors(depth)
        judge.cost(depth)
    if table.has_sets or table.X.shape[1] < 6:
        judge.exact()
    return judge.answers


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--tables", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    answers = 0
    for number in range(given.tables):
        random = np.random.default_rng((given.seed, number))
        answers += check(Table(random), random)
    print(f"{answers} answers on {given.tables} random tables: as brute force says")


if __name__ == "__main__":
    main()
