"""The MaxSAT bounds against brute force over all sets of steps."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from dtfinder.bound.path_length import NOTHING_PROVEN, PathBounds, path_bounds
from dtfinder.data.examples import Examples
from oracle import Oracle
from small import random_table


def examples_of(bits: np.ndarray, labels: np.ndarray) -> Examples:
    classes, marks = np.unique(labels, return_inverse=True)
    return Examples(bits, marks, np.arange(bits.shape[1]), classes)


def shortest(bits: np.ndarray, labels: np.ndarray, kind: str) -> int:
    """The least number of steps that keeps one class at most. A step is 0, 1 or None for none."""
    best = int(bits.shape[1]) + 1
    for steps in product((None, 0, 1), repeat=bits.shape[1]):
        taken = [value for value in steps if value is not None]
        if (kind == "left" and 1 in taken) or (kind == "right" and 0 in taken):
            continue
        if kind == "general" and not {0, 1} <= set(taken):
            continue
        kept = np.ones(len(bits), dtype=bool)
        for feature, value in enumerate(steps):
            if value is not None:
                kept &= bits[:, feature] == value
        if len(set(labels[kept])) <= 1:
            best = min(best, len(taken))
    return best


@pytest.mark.parametrize("seed", range(20))
def test_the_bounds_are_the_shortest_paths(seed: int) -> None:
    bits, labels = random_table(seed, rows=12, features=5, classes=2 + seed % 2)
    found = path_bounds(examples_of(bits, labels))
    for kind in ("left", "right", "general"):
        assert getattr(found, kind) == shortest(bits, labels, kind), kind
    assert found.work > 0


@pytest.mark.parametrize("seed", range(20, 40))
def test_no_tree_is_below_the_bounds(seed: int) -> None:
    bits, labels = random_table(seed, rows=14, features=5, classes=2 + seed % 2)
    found = path_bounds(examples_of(bits, labels))
    oracle = Oracle(bits, labels)
    size = oracle.size()
    assert size is not None
    assert 2 * found.leaves - 1 <= size
    assert found.depth <= oracle.depth_then_size()[0]


def test_one_feature_has_no_path_that_turns_both_ways() -> None:
    bits = np.array([[False], [True]])
    assert path_bounds(examples_of(bits, np.array([0, 1]))).general == 2


def test_stopping_early_leaves_a_weaker_bound_that_holds_and_repeats() -> None:
    random = np.random.RandomState(5)
    examples = examples_of(random.rand(60, 40) < 0.5, random.randint(2, size=60))
    early, late = path_bounds(examples, conflicts=3), path_bounds(examples)
    assert early == path_bounds(examples, conflicts=3)
    assert early.leaves <= late.leaves
    assert early.general <= late.general
    assert early.work < late.work


def test_very_large_tables_are_left_alone() -> None:
    bits = np.zeros((2001, 1000), dtype=bool)
    assert path_bounds(examples_of(bits, np.arange(2001) % 2)) == NOTHING_PROVEN


def test_bounds_on_leaves_and_depth() -> None:
    assert PathBounds(3, 2, 2).leaves == 5
    assert PathBounds(3, 2, 4).depth == 3
