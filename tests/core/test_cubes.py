"""The counting cubes through their bindings, against brute force and the counting engine."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
from numpy.typing import NDArray

from dtfinder import _core
from errors_oracle import ErrorsOracle


@dataclass(frozen=True)
class Case:
    """A random table of levels, with what the cubes need to know of its columns."""

    columns: list[tuple[int, bool, int, int]]
    codes: NDArray[np.uint8]  # columns × rows
    labels: NDArray[np.uint16]
    weights: NDArray[np.int64] | None
    classes: int

    @property
    def bits(self) -> NDArray[np.bool_]:
        """The answers to all questions: rows × questions."""
        lines = [
            codes <= first + k if ordered else codes == first + k
            for codes, (_, ordered, first, count) in zip(self.codes, self.columns, strict=True)
            for k in range(count)
        ]
        return np.array(lines, dtype=bool).reshape(len(lines), len(self.labels)).T

    @property
    def class_weights(self) -> NDArray[np.int64]:
        """What each row weighs, in the column of its class."""
        table = np.zeros((len(self.labels), self.classes), dtype=np.int64)
        units = 1 if self.weights is None else self.weights
        table[np.arange(len(self.labels)), self.labels] = units
        return table


def make_case(seed: int) -> Case:
    """One to five columns, some ordered, some of them with a level that has no question."""
    random = np.random.default_rng(seed)
    columns = []
    for _ in range(random.integers(1, 6)):
        levels, ordered = int(random.integers(1, 6)), bool(random.integers(2))
        most = levels - 1 if ordered else levels
        first = int(random.integers(0, 2)) if most else 0
        columns.append((levels, ordered, first, int(random.integers(0, most - first + 1))))
    rows, classes = int(random.integers(1, 25)), int(random.integers(1, 5))
    codes = np.array([random.integers(0, each[0], rows) for each in columns], dtype=np.uint8)
    labels = random.integers(0, classes, rows).astype(np.uint16)
    weights = random.integers(0, 6, rows) if random.integers(2) else None
    return Case(columns, codes, labels, weights, classes)


def searched(case: Case, depth: int = 3, group: int = 10**6, parts: int = 1) -> _core.CubeSearch:
    """The search over the cubes of a table, counted in parts, in groups of so many counts."""
    layout = _core.CubeLayout(case.columns, case.classes, depth)
    search = _core.CubeSearch(layout)
    begin = 0
    while begin < layout.triples:
        end = layout.fitting(begin, group)
        whole = _core.CubeCounts(layout, begin, end)
        for rows in np.array_split(np.arange(len(case.labels)), parts):
            part = _core.CubeCounts(layout, begin, end)
            codes = np.ascontiguousarray(case.codes[:, rows])
            weights = None if case.weights is None else case.weights[rows]
            part.add(layout, codes, case.labels[rows], weights)
            whole.merge(part)
        search.take(whole)
        begin = end
    return search


def errors_of(nodes: list[list[int]], case: Case) -> int:
    """What a tree gets wrong if every leaf takes its heaviest class."""
    bits, weights, lost = case.bits, case.class_weights, 0
    todo = [(0, np.arange(len(case.labels)))]
    while todo:
        number, rows = todo.pop()
        feature, zero, one, _ = nodes[number]
        if feature < 0:
            sums = weights[rows].sum(axis=0)
            lost += int(sums.sum() - sums.max())
            continue
        todo += [(zero, rows[~bits[rows, feature]]), (one, rows[bits[rows, feature]])]
    return lost


def depth_of(nodes: list[list[int]], number: int = 0) -> int:
    feature, zero, one, _ = nodes[number]
    return 0 if feature < 0 else 1 + max(depth_of(nodes, zero), depth_of(nodes, one))


@pytest.mark.parametrize("seed", range(100))
def test_every_size_and_depth_is_what_brute_force_finds(seed: int) -> None:
    case = make_case(seed)
    oracle = ErrorsOracle(case.bits, case.class_weights)
    for most in range(4):
        search = searched(case, most)
        for depth in range(most + 1):
            for inner in range(8):
                fewest = oracle.errors(inner, depth)
                assert search.errors(depth, inner) == fewest
                tree = search.tree(depth, inner)
                assert errors_of(tree, case) == fewest
                assert depth_of(tree) <= depth
                smallest = next(n for n in range(8) if oracle.errors(n, depth) == fewest)
                assert len(tree) == 2 * smallest + 1


@pytest.mark.parametrize("seed", range(6))
def test_long_chains_of_thresholds_agree_with_counting_bits(seed: int) -> None:
    random = np.random.default_rng(seed)
    columns = [(30, True, 0, 29), (40, True, 0, 39), (12, bool(seed % 2), 0, 11)]
    codes = np.array([random.integers(0, each[0], 250) for each in columns], dtype=np.uint8)
    rule = (codes[0] > 11) ^ (codes[1] > 25) ^ (codes[2] == 4) ^ (random.random(250) < 0.2)
    labels = (rule + random.integers(0, 1 + seed % 3, 250)).astype(np.uint16)
    case = Case(columns, codes, labels, random.integers(1, 4, 250), 4)
    search, weights = searched(case), case.class_weights
    for depth, most in ((2, 3), (3, 7), (3, 4)):
        goal = _core.FrontGoal()
        goal.kind, goal.max_depth, goal.max_inner = "errors", depth, most
        bits = np.ascontiguousarray(case.bits)
        engine = _core.make_front_engine(bits, weights, goal, _core.FrontSwitches())
        while not engine.done:
            engine.run(10**6)
        assert search.errors(depth, most) == engine.errors
        assert errors_of(search.tree(depth, most), case) == engine.errors
        assert len(search.tree(depth, most)) == len(engine.best_tree())


@pytest.mark.parametrize("seed", range(100, 120))
def test_parts_add_up_and_groups_of_cubes_give_the_same_trees(seed: int) -> None:
    case = make_case(seed)
    plain = searched(case)
    for group, parts in ((1, 1), (200, 3), (10**6, 4)):
        other = searched(case, group=group, parts=parts)
        for depth in range(4):
            for inner in range(8):
                assert other.errors(depth, inner) == plain.errors(depth, inner)
                assert other.tree(depth, inner) == plain.tree(depth, inner)


def test_wide_levels_are_the_same_as_narrow_ones() -> None:
    case = make_case(7)
    layout = _core.CubeLayout(case.columns, case.classes, 3)
    counts = [_core.CubeCounts(layout, 0, layout.triples) for _ in range(2)]
    counts[0].add(layout, case.codes, case.labels, case.weights)
    counts[1].add(layout, case.codes.astype(np.uint16), case.labels, case.weights)
    assert counts[0].array().sum() > 0
    np.testing.assert_array_equal(counts[0].array(), counts[1].array())


@pytest.mark.parametrize(
    ("code", "label", "message"),
    [(3, 0, "a level that its column does not have"), (2, 2, "a class that the cubes do not have")],
)
def test_rows_that_have_no_place_are_refused(code: int, label: int, message: str) -> None:
    layout = _core.CubeLayout([(3, True, 0, 2)], 2, 3)
    counts = _core.CubeCounts(layout, 0, 1)
    codes, labels = np.array([[0, code]], np.uint8), np.array([0, label], np.uint16)
    with pytest.raises(ValueError, match=message):
        counts.add(layout, codes, labels, None)
    assert not counts.array().any()


def test_questions_beyond_the_levels_are_refused() -> None:
    with pytest.raises(ValueError, match="about its levels"):
        _core.CubeLayout([(3, True, 0, 3)], 2, 3)


def test_cubes_come_in_order_and_none_is_missing() -> None:
    layout = _core.CubeLayout([(2, True, 0, 1)] * 4, 2, 3)
    search = _core.CubeSearch(layout)
    with pytest.raises(ValueError, match="in order"):
        search.take(_core.CubeCounts(layout, 1, 2))
    search.take(_core.CubeCounts(layout, 0, 1))
    with pytest.raises(ValueError, match="missing"):
        search.errors(3, 7)
