"""All methods against brute force, on hundreds of small tables and under every switch.

Every table goes through all nine methods with their own switches. Besides, each table is asked
about with one of all 32 combinations of switches, in both encodings, for exactly P and for at most
P leaves, just at and just below the optimum.
"""

from __future__ import annotations

from functools import cache
from itertools import product

import numpy as np
import pytest

from dtfinder.bound.path_length import path_bounds
from dtfinder.data import Dataset, make_dataset
from dtfinder.data.examples import Examples
from dtfinder.decide.sat import NODES, PATHS, Question, decide
from dtfinder.encode.options import EncodingOptions
from dtfinder.methods import METHODS
from oracle import Oracle
from small import dataset_of, noisy, random_sets, solve_here, table_of

SIZE_METHODS = [
    name
    for name, method in METHODS.items()
    if method.exact and not name.startswith("d-") and name != "sklearn"
]
DEPTH_METHODS = [name for name in METHODS if name.startswith("d-")]
COMBINATIONS = [EncodingOptions(*flags) for flags in product([False, True], repeat=5)]
TABLES, GROUPS, MOST_NODES = 320, 20, 11


@cache
def small_tables() -> list[tuple[np.ndarray, np.ndarray, Oracle]]:
    """Tables with optimal trees of at most five inner nodes, and half of them with two or more."""
    found: list[tuple[np.ndarray, np.ndarray, Oracle]] = []
    seed = 0
    while len(found) < TABLES:
        seed += 1
        random = np.random.RandomState(seed)
        rows, features, classes = random.randint(3, 14), random.randint(2, 7), 2 + seed % 2
        bits = np.unique(random.rand(rows, features) < random.uniform(0.3, 0.7), axis=0)
        bits = bits[random.permutation(len(bits))]
        labels = random.randint(classes, size=len(bits))
        if len(set(labels)) < 2:
            continue
        oracle = Oracle(bits, labels)
        if oracle.size() <= MOST_NODES:
            found.append((bits, labels, oracle))
    return found


def as_dataset(number: int, bits: np.ndarray, labels: np.ndarray) -> Dataset:
    """Every other table as it is, every other one through preprocessing, with rows repeated."""
    if number % 2:
        return dataset_of(bits, labels)
    again = np.random.RandomState(number).randint(len(bits), size=len(bits) + 4)
    rows = np.concatenate([np.arange(len(bits)), again])
    return make_dataset(table_of(bits[rows], labels[rows]))


@pytest.mark.parametrize("group", range(10))
def test_all_methods_find_the_optimum_for_sets_of_classes(group: int) -> None:
    several = 0
    for seed in range(group, 80, 10):
        rows, features, classes = 4 + seed % 9, 3 + seed % 4, 2 + seed % 3
        bits, sets = random_sets(seed, rows=rows, features=features, classes=classes)
        oracle = Oracle(bits, sets)
        turned = np.random.RandomState(seed).permutation(classes)
        for dataset in (
            dataset_of(bits, sets),
            dataset_of(bits, sets[:, turned]),
            make_dataset(table_of(np.repeat(bits, 2, axis=0), np.repeat(sets, 2, axis=0))),
        ):
            several += dataset.allowed is not None
            for name in ("cores", "sat", "dtfinder", "dtfinder-DT1-T", "dtfinder-T-O", "mindt"):
                result = solve_here(dataset, method=name)
                assert result.status == "optimal"
                assert (seed, name, result.nodes) == (seed, name, oracle.size())
            for name in ("cores", *DEPTH_METHODS):
                result = solve_here(dataset, method=name, minimise="depth")
                found = (result.depth, result.nodes)
                assert (seed, name, found) == (seed, name, oracle.depth_then_size())
    assert several > 10


@pytest.mark.parametrize("group", range(20))
def test_contradictory_rows_that_tie_leave_the_choice_to_the_tree(group: int) -> None:
    ties = 0
    for seed in range(group, 200, 20):
        dataset = noisy(seed, rows=6 + seed % 9, features=3, classes=2 + seed % 3)
        counts = dataset.class_weights
        oracle = Oracle(dataset.bits, counts == counts.max(axis=1, keepdims=True))
        result = solve_here(dataset)
        assert (result.nodes, result.errors) == (oracle.size(), dataset.unavoidable_errors)
        front = solve_here(dataset, method="counting", max_nodes=2 * dataset.n_examples + 1)
        assert (front.nodes, front.errors) == (result.nodes, result.errors)
        ties += dataset.allowed is not None
    assert ties > 0


@pytest.mark.parametrize("group", range(GROUPS))
def test_all_methods_find_the_optimum(group: int) -> None:
    for number in range(group, TABLES, GROUPS):
        bits, labels, oracle = small_tables()[number]
        dataset = as_dataset(number, bits, labels)
        for name in SIZE_METHODS:
            result = solve_here(dataset, method=name)
            assert result.status == "optimal"
            assert (number, name, result.nodes) == (number, name, oracle.size())
        for name in DEPTH_METHODS:
            result = solve_here(dataset, method=name)
            assert result.status == "optimal"
            found = (result.depth, result.nodes)
            assert (number, name, found) == (number, name, oracle.depth_then_size())


@pytest.mark.parametrize("group", range(GROUPS))
def test_every_switch_keeps_the_optimum(group: int) -> None:
    for number in range(group, TABLES, GROUPS):
        bits, labels, oracle = small_tables()[number]
        examples = Examples.of(dataset_of(bits, labels))
        bounds = path_bounds(examples)
        leaves = (oracle.size() + 1) // 2
        least_depth, nodes_there = oracle.depth_then_size()
        switches = COMBINATIONS[(number // GROUPS + 2 * group) % len(COMBINATIONS)]
        shallow = (nodes_there + 1) // 2
        for encoding, at_most in product((PATHS, NODES), (False, True)):
            for paths, depth, possible in (
                (leaves, None, True),
                (leaves - 1, None, False),
                (shallow, least_depth, True),
                (shallow - 1, least_depth, False),
            ):
                if paths >= 2:
                    question = Question(examples, paths, depth, at_most, encoding, switches, bounds)
                    assert (decide(question).nodes is not None) == possible, (number, question)


def test_the_tables_are_of_all_kinds() -> None:
    sizes = [oracle.size() for _, _, oracle in small_tables()]
    assert {3, 5, 7, 9, 11} == set(sizes)
    assert min(sizes.count(size) for size in (3, 5, 7, 9, 11)) >= 20
    assert {2, 3} == {len(set(labels)) for _, labels, _ in small_tables()}
    pairs = [(oracle.size(), oracle.depth_then_size()[1]) for _, _, oracle in small_tables()]
    assert any(least < shallow for least, shallow in pairs)
