"""Counting by columns: trees of depth three, or up to three inner nodes, from cubes of counts.

All that such a tree's errors depend on are the counts of three columns at a time: see
`src/core/cubes`. Counting takes one addition for each row and each triple of columns; what follows
does not depend on the number of rows at all. The counting engine, in contrast, counts the rows of
every triple of *features* as bits. So cubes pay where rows are many and columns are few.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from dtfinder._core import CubeCounts, CubeLayout, CubeSearch
from dtfinder.data.dataset import Dataset, Ints
from dtfinder.nodes import Node, Nodes, leaves_reached, with_labels
from dtfinder.problem import Event, Problem, Score
from dtfinder.run.stop import Stop, Stopped
from dtfinder.search.driver import one_leaf

MOST_DEPTH, MOST_INNER = 3, 7
MEMORY = 500_000_000  # bytes for cubes, unless a memory limit says less
_PAIR_BYTES = 96  # of the four quadrants of a pair of questions
# Nanoseconds, measured on one CPU: to count a row in a cube; to find the best third question of a
# pair in a column; and to count 64 rows of a triple of features as bits.
_COUNT, _SEARCH, _BITS = 2.5, 900.0, 0.25

Codes = NDArray[np.uint8] | NDArray[np.uint16]


@dataclass(frozen=True)
class CubeColumn:
    """A column by its levels. An ordered one is asked for thresholds, `level <= first + i`, any
    other for single levels, `level = first + i`."""

    levels: int
    ordered: bool
    features: tuple[int, ...]  # the number of the feature that each question is
    first: int = 0

    @property
    def shape(self) -> tuple[int, bool, int, int]:
        """As the native code wants it."""
        return self.levels, self.ordered, self.first, len(self.features)


@dataclass(frozen=True)
class Limited:
    """The limits of a problem as cubes have them, and whether they decide it."""

    depth: int
    inner: int
    decided: bool

    @classmethod
    def of(cls, problem: Problem) -> Limited:
        """What cubes can say of a problem. A tree of up to three inner nodes is never deeper."""
        depth = MOST_DEPTH if problem.max_depth is None else min(problem.max_depth, MOST_DEPTH)
        most = (1 << depth) - 1
        inner = most if problem.max_inner is None else min(problem.max_inner, most)
        shallow = problem.max_depth is not None and problem.max_depth <= MOST_DEPTH
        small = problem.max_inner is not None and problem.max_inner <= MOST_DEPTH
        return cls(min(depth, inner), inner, shallow or small)


def best_of(search: CubeSearch, problem: Problem, within: Limited) -> tuple[Score, Nodes] | None:
    """The best tree that cubes know within the limits, without classes at its leaves; None if no
    tree has few enough errors."""
    best: tuple[Score, tuple[int, int]] | None = None
    for depth in range(within.depth + 1):
        for inner in range(within.inner + 1):
            nodes = search.tree(depth, inner)
            score = Score.of([Node(*node) for node in nodes], search.errors(depth, inner))
            if problem.better(score, best[0] if best else None):
                best = score, (depth, inner)
    if best is None:
        return None
    return best[0], [Node(*node) for node in search.tree(*best[1])]


def search_cubes(
    problem: Problem, stop: Stop, *, memory_limit: float | None = None
) -> Iterator[Event]:
    """One event with the best tree and the proof that it is, for a problem that cubes decide."""
    within = Limited.of(problem)
    assert within.decided
    columns, codes = columns_of(problem.dataset)
    rows, labels, weights = weighted_rows(problem.dataset)
    layout = CubeLayout([each.shape for each in columns], problem.dataset.n_classes, within.depth)
    coded = codes[:, rows].copy()

    memory = MEMORY if memory_limit is None else min(MEMORY, int(memory_limit * 5e8))
    search = CubeSearch(layout)
    for begin, end in groups(layout, memory):
        if reason := stop():
            if (first := one_leaf(problem)) is not None:
                yield first
            raise Stopped(reason)
        counts = CubeCounts(layout, begin, end)
        counts.add(layout, coded, labels, weights)
        search.take(counts)
    found = best_of(search, problem, within)
    if found is None:
        yield Event(Score(), infeasible=True)
        return
    score, nodes = found
    features = [feature for each in columns for feature in each.features]
    yield Event(
        bounds_of(problem, score), _labelled(problem.dataset, nodes, features), errors=score.errors
    )


def bounds_of(problem: Problem, score: Score) -> Score:
    """What is proven once a tree with this score is known to be the best. The last measure to be
    compared is the least among trees that are equal in the others."""
    if problem.leaf_penalty is not None:
        return Score(cost=problem.cost(score))
    return replace(score, errors=0 if problem.max_errors is not None else score.errors)


def least_memory(columns: Sequence[CubeColumn], classes: int, depth: int) -> int:
    """The bytes that counting needs however it is cut: the largest cube, and all pairs."""
    longest = sorted((each.levels + (not each.ordered) for each in columns), reverse=True)
    questions = sum(len(each.features) for each in columns)
    pairs = questions * (questions - 1) // 2 * _PAIR_BYTES if depth > 1 else 0
    return 8 * classes * math.prod(longest[: max(2, depth)]) + pairs


def groups(layout: CubeLayout, memory: int) -> Iterator[tuple[int, int]]:
    """Which cubes to count together so that they fit into this much memory, at least one."""
    begin = 0
    while begin < layout.triples:
        end = layout.fitting(begin, max(1, memory // 8))
        yield begin, end
        begin = end


def cheaper_by_cubes(dataset: Dataset) -> bool:
    """Whether cubes are likely to take less than half the time of counting bits at depth three."""
    columns, ordered = _grouped(dataset)
    n, m, rows = len(columns), dataset.n_features, dataset.n_examples
    shapes = [
        CubeColumn(len(features) + 1, nested, tuple(features))
        for features, nested in zip(columns, ordered, strict=True)
    ]
    if least_memory(shapes, dataset.n_classes, MOST_DEPTH) > MEMORY:
        return False
    cubes = rows * n**3 / 6 * _COUNT + m * m / 2 * n * _SEARCH
    bits = m**3 / 6 * rows / 64 * _BITS
    return 2 * cubes < bits


def _grouped(dataset: Dataset) -> tuple[list[list[int]], list[bool]]:
    """The features that one column of a cube can hold, and whether they are thresholds: nested
    ones, or values of one column that exclude each other. Any other feature stands alone."""
    groups: dict[tuple[str, str, int], list[int]] = {}
    for number, feature in enumerate(dataset.features):
        alone = number if feature.test == "in" else -1
        groups.setdefault((feature.column, feature.test, alone), []).append(number)
    return list(groups.values()), [test == "<=" for _, test, _ in groups]


def columns_of(dataset: Dataset) -> tuple[list[CubeColumn], Codes]:
    """The columns of a dataset, and the level of every example in each of them."""
    columns, codes = [], []
    for features, ordered in zip(*_grouped(dataset), strict=True):
        bits = dataset.bits[:, features]
        if ordered:
            # The larger a threshold, the more examples it holds for. Level i is beyond i of them.
            order = np.argsort(bits.sum(axis=0), kind="stable")
            features = [features[place] for place in order]
            codes.append((~bits).sum(axis=1))
        else:
            codes.append(np.where(bits.any(axis=1), bits.argmax(axis=1), len(features)))
        columns.append(CubeColumn(len(features) + 1, ordered, tuple(features)))
    most = max((each.levels for each in columns), default=1)
    if most > 1 << 16:
        raise MemoryError
    table = np.array(codes, dtype=np.int64).reshape(len(columns), dataset.n_examples)
    return columns, table.astype(np.uint8) if most <= 1 << 8 else table.astype(np.uint16)


def weighted_rows(dataset: Dataset) -> tuple[Ints, NDArray[np.uint16], Ints]:
    """The examples by class: for each class that one has rows of, its number, the class, and what
    these rows weigh."""
    examples, classes = np.nonzero(dataset.class_weights)
    return examples, classes.astype(np.uint16), dataset.class_weights[examples, classes]


def _labelled(dataset: Dataset, nodes: Nodes, features: list[int]) -> list[Node]:
    """The tree over the dataset's features, each leaf with its heaviest class."""
    moved = [n if n.feature < 0 else n._replace(feature=features[n.feature]) for n in nodes]
    sums = np.zeros((len(moved), dataset.n_classes), dtype=np.int64)
    np.add.at(sums, leaves_reached(moved, dataset.bits), dataset.class_weights)
    return list(with_labels(moved, sums))
