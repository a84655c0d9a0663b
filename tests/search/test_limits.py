"""Searches under limits: on the tree, on time, on work, on memory, and Ctrl-C."""

from __future__ import annotations

import os
import signal
import threading
import time
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from dtfinder.data import Dataset
from dtfinder.errors import InfeasibleError, NoTreeYetError
from dtfinder.methods import METHODS, pick_method
from dtfinder.options import Options
from dtfinder.problem import Event, Problem
from dtfinder.run.stop import Work
from dtfinder.solve import solve
from oracle import Oracle
from small import dataset_of, random_table, solve_here

ALL = [name for name, method in METHODS.items() if method.exact and name != "sklearn"]
SOME = ["mindt", "dtfinder-DT1", "dtfinder", "dtfinder-T-O", "d-dtfinder"]


def hard(rows: int = 120, features: int = 40) -> Dataset:
    """Noise: nothing proves much about it in a minute."""
    random = np.random.RandomState(1)
    return dataset_of(random.rand(rows, features) < 0.5, random.randint(2, size=rows))


def events(dataset: Dataset, method: str, **limits: Any) -> list[Event]:
    from dtfinder.run import worker

    chosen = pick_method(Options.of(method=method))
    problem = Problem(dataset, chosen.minimise, **limits)
    with worker.in_this_process():
        return list(chosen.search(problem, lambda: None, Work()))


@pytest.mark.parametrize("method", ALL)
@pytest.mark.parametrize("seed", [1, 2, 10])
def test_a_depth_limit_gives_the_smallest_tree_within_it(method: str, seed: int) -> None:
    bits, labels = random_table(seed, rows=11, features=4)
    dataset, oracle = dataset_of(bits, labels), Oracle(bits, labels)
    least, nodes = oracle.depth_then_size()
    for limit in (least, least + 1):
        result = solve_here(dataset, method=method, max_depth=limit)
        assert result.status == "optimal"
        assert result.depth <= limit
        assert result.nodes == (nodes if method.startswith("d-") else oracle.size(limit))
    with pytest.raises(InfeasibleError, match=f"max_depth={least - 1}"):
        solve_here(dataset, method=method, max_depth=least - 1)


@pytest.mark.parametrize("method", ALL)
@pytest.mark.parametrize("seed", [1, 2, 10])
def test_a_limit_on_nodes_is_kept_or_proven_too_tight(method: str, seed: int) -> None:
    bits, labels = random_table(seed, rows=11, features=4)
    dataset, size = dataset_of(bits, labels), Oracle(bits, labels).size()
    for limit in (size, size + 1):
        result = solve_here(dataset, method=method, max_nodes=limit)
        assert result.status == "optimal"
        assert result.nodes == size
    for limit in (size - 1, 3, 1):
        with pytest.raises(InfeasibleError, match=f"max_nodes={limit}"):
            solve_here(dataset, method=method, max_nodes=limit)


@pytest.mark.parametrize("method", ALL)
def test_both_limits_together(method: str) -> None:
    # Three cut-offs in a row, or two levels with a feature that splits evenly: 7 nodes.
    bits, labels = random_table(5, rows=11, features=4)
    dataset, oracle = dataset_of(bits, labels), Oracle(bits, labels)
    least, nodes = oracle.depth_then_size()
    result = solve_here(dataset, method=method, max_depth=least, max_nodes=nodes)
    assert (result.status, result.nodes) == ("optimal", nodes)
    with pytest.raises(InfeasibleError):
        solve_here(dataset, method=method, max_depth=least, max_nodes=nodes - 2)


@pytest.mark.parametrize("method", ALL)
def test_what_is_said_of_an_impossible_limit_is_true_of_every_tree(method: str) -> None:
    for seed in (1, 2, 5, 10):
        bits, labels = random_table(seed, rows=11, features=4)
        dataset, oracle = dataset_of(bits, labels), Oracle(bits, labels)
        least, _ = oracle.depth_then_size()
        for limits in ({"max_depth": least - 1}, {"max_nodes": oracle.size() - 2}):
            last = events(dataset, method, **limits)[-1]
            assert last.infeasible
            assert last.bounds.nodes <= oracle.size()
            assert last.bounds.depth <= least


@pytest.mark.parametrize("method", ALL)
def test_bounds_only_rise_and_never_pass_the_optimum(method: str) -> None:
    for seed in range(30, 36):
        bits, labels = random_table(seed, rows=11, features=5, classes=3)
        dataset, oracle = dataset_of(bits, labels), Oracle(bits, labels)
        depth, nodes = oracle.depth_then_size()
        if not method.startswith("d-"):
            nodes = oracle.size()
        seen = [event.bounds for event in events(dataset, method)]
        assert all(a.nodes <= b.nodes and a.depth <= b.depth for a, b in pairwise(seen))
        assert seen[-1].nodes == nodes
        if method.startswith("d-"):
            assert seen[-1].depth == depth


@pytest.mark.parametrize("method", ALL)
def test_one_class_is_one_leaf_and_a_feature_that_is_the_class_three_nodes(method: str) -> None:
    bits = np.array([[0, 0], [0, 1], [1, 0]], dtype=bool)
    only, *rest = events(dataset_of(bits, np.zeros(3, dtype=int)), method)
    assert only.nodes is not None
    assert (len(only.nodes), only.bounds.nodes) == (1, 1)
    assert all(event.nodes is None for event in rest)
    first = events(dataset_of(bits, np.array([1, 0, 1])), method)[0]
    assert first.nodes is not None
    assert (len(first.nodes), first.bounds.nodes) == (3, 3)


def test_the_greedy_tree_comes_before_anything_slow() -> None:
    dataset = hard()
    for method in ALL:
        chosen = pick_method(Options.of(method=method))
        search = chosen.search(Problem(dataset, chosen.minimise), lambda: None, Work())
        assert next(search).nodes is not None


@pytest.mark.parametrize("method", SOME)
def test_a_time_limit_is_obeyed(method: str) -> None:
    begin = time.monotonic()
    result = solve(hard(), Options.of(method=method, time_limit=1.0))
    assert time.monotonic() - begin < 2.0
    assert (result.status, result.stopped_by) == ("feasible", "time limit")
    assert 3 <= result.lower_bound < result.nodes


@pytest.mark.parametrize("method", ["dtfinder", "dtfinder-DT1-T"])
def test_a_memory_limit_is_obeyed(method: str) -> None:
    result = solve(hard(400, 300), Options.of(method=method, memory_limit=0.3, time_limit=60))
    assert (result.status, result.stopped_by) == ("feasible", "memory limit")


@pytest.mark.parametrize("method", SOME)
def test_a_work_limit_ends_at_the_same_point(method: str) -> None:
    dataset = hard(60, 20)
    runs = [solve(dataset, Options.of(method=method, work_limit=3_000_000)) for _ in range(2)]
    assert [run.status for run in runs] == ["feasible"] * 2
    assert [run.stopped_by for run in runs] == ["work limit"] * 2
    assert runs[0].stats["work"] == runs[1].stats["work"] < 6_000_000
    assert runs[0].tree == runs[1].tree
    assert runs[0].bounds == runs[1].bounds


def test_ctrl_c_returns_the_best_tree_so_far() -> None:
    timer = threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    begin = time.monotonic()
    result = solve(hard(), Options.of(method="dtfinder", time_limit=30))
    timer.join()
    assert time.monotonic() - begin < 2.0
    assert result.stopped_by == "interrupted"


def test_no_tree_yet_is_said_when_the_greedy_one_is_too_deep() -> None:
    with pytest.raises(NoTreeYetError, match="time limit"):
        solve(hard(), Options.of(method="dtfinder", max_depth=5, time_limit=0.5))
