"""Counting by columns: the same optimum as by bits, for all questions that cubes decide."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas
import pytest

from dtfinder import find_tree
from dtfinder.data import Dataset, make_dataset, read_table
from dtfinder.methods import COUNTING, METHODS
from dtfinder.options import Options
from dtfinder.problem import Problem
from dtfinder.run.stop import Stopped, Work
from dtfinder.search.counting import search_counting
from dtfinder.search.cubes import Limited, cheaper_by_cubes, columns_of, search_cubes
from dtfinder.solve import problem_of
from dtfinder.tree import Tree

SCHEMES = ("auto", "unary", "binary", "both")


def make(seed: int) -> Dataset:
    """Numbers and words, some of them missing, two to four classes, weights in every second."""
    random = np.random.default_rng(seed)
    rows = int(random.integers(5, 60))
    frame = pandas.DataFrame(
        {
            "a": random.integers(0, 9, rows).astype(float),
            "b": random.choice(np.array(["red", "green", "blue", None], object), rows),
            "c": np.where(random.random(rows) < 0.2, np.nan, random.random(rows).round(1)),
            "d": random.integers(0, 2, rows),
        }
    ).iloc[:, : int(random.integers(1, 5))]
    y = random.choice([*"wxyz"][: int(random.integers(2, 5))], rows)
    y[:2] = ["w", "x"]
    weights = random.integers(1, 5, rows) if seed % 2 else None
    table = read_table(frame, y, weights=weights)
    return make_dataset(table, binarise=SCHEMES[seed % 4], missing="value", warn=False)


QUESTIONS: tuple[dict[str, Any], ...] = (
    {"max_depth": 0},
    {"max_depth": 2},
    {"max_depth": 3},
    {"max_nodes": 7},
    {"max_depth": 2, "max_nodes": 5},
    {"max_depth": 3, "max_nodes": 11},
    {"max_depth": 3, "minimise": "depth"},
    {"max_depth": 3, "max_errors": "20%"},
    {"max_depth": 3, "leaf_penalty": 0.05},
)


@pytest.mark.parametrize("asked", QUESTIONS, ids=str)
def test_the_same_optimum_as_by_bits(asked: dict[str, Any]) -> None:
    for seed in range(24):
        dataset, method = make(seed), METHODS[COUNTING]
        problem = problem_of(dataset, Options.of(**asked), method)
        if asked.get("minimise"):
            problem = Problem(dataset, "depth", max_depth=3)
        (ours,) = search_cubes(problem, lambda: None)
        *_, theirs = search_counting(problem, lambda: None, Work(), columns=False)
        assert ours.infeasible == theirs.infeasible
        if ours.infeasible:
            continue
        trees = [Tree.of(dataset, each.nodes or []) for each in (ours, theirs)]
        scores = [(tree.errors_on(dataset), tree.size, tree.depth) for tree in trees]
        assert ours.errors == scores[0][0]
        if problem.leaf_penalty is not None:
            assert ours.bounds.cost == theirs.bounds.cost
            continue
        if problem.max_errors is not None:
            assert scores[0][0] <= problem.max_errors
        else:
            assert ours.bounds.errors == theirs.bounds.errors == scores[1][0]
        assert ours.bounds.inner == theirs.bounds.inner == scores[1][1] // 2
        # Bits say less of the depth where the size comes first.
        assert theirs.bounds.depth <= ours.bounds.depth == scores[0][2] <= scores[1][2]
        if problem.minimise == "depth":
            assert ours.bounds == theirs.bounds


def test_thresholds_share_a_column_and_so_do_values() -> None:
    dataset = make(4)  # auto: thresholds of a, c and d, values of b, missing values apart
    columns, codes = columns_of(dataset)
    assert sum(len(each.features) for each in columns) == dataset.n_features
    assert len(columns) < dataset.n_features
    for each, levels in zip(columns, codes, strict=True):
        for place, feature in enumerate(each.features):
            held = levels <= place if each.ordered else levels == place
            np.testing.assert_array_equal(held, dataset.bits[:, feature])


@pytest.mark.parametrize(
    ("asked", "depth", "inner", "decided"),
    [
        ({"max_depth": 2}, 2, 3, True),
        ({"max_depth": 3}, 3, 7, True),
        ({"max_depth": 4}, 3, 7, False),
        ({}, 3, 7, False),
        ({"max_nodes": 7}, 3, 3, True),
        ({"max_nodes": 9, "max_depth": 5}, 3, 4, False),
        ({"max_nodes": 3}, 1, 1, True),
    ],
)
def test_what_cubes_decide(asked: dict[str, Any], depth: int, inner: int, decided: bool) -> None:
    assert Limited.of(Problem(make(0), **asked)) == Limited(depth, inner, decided)


def test_a_stopped_search_still_has_a_tree() -> None:
    events = search_cubes(Problem(make(0), max_depth=3), lambda: "time limit")
    assert len(next(events).nodes or ()) == 1
    with pytest.raises(Stopped, match="time limit"):
        next(events)


def test_long_tables_are_counted_by_columns() -> None:
    random = np.random.default_rng(0)
    X = random.random((60_000, 4))
    y = (X[:, 0] > 0.3) ^ (X[:, 1] > 0.6) ^ (random.random(len(X)) < 0.1)
    dataset = make_dataset(read_table(X, y), max_thresholds=40)
    assert cheaper_by_cubes(dataset)
    assert not cheaper_by_cubes(make(0))
    result = find_tree(X, y, max_depth=2, max_thresholds=40)
    *_, by_bits = search_counting(
        Problem(dataset, max_depth=2), lambda: None, Work(), columns=False
    )
    assert (result.status, result.method) == ("optimal", "counting")
    assert result.bounds == by_bits.bounds
