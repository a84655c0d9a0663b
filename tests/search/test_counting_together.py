"""The counting engine on threads, on a pool with a worker killed, and from a checkpoint: the same
values as one engine alone."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dtfinder import find_front, find_tree
from dtfinder.data import Dataset, make_dataset
from dtfinder.problem import Problem
from dtfinder.run.local_pool import LocalPool
from dtfinder.run.pool import Pool
from dtfinder.run.stop import Work
from dtfinder.run.team import ALONE, Team
from dtfinder.search import rounds
from dtfinder.search.counting import search_counting
from processes import kill_a_solver
from small import table_of

LIMITS: list[dict[str, Any]] = [{"max_nodes": 21}, {"max_depth": 5}, {"max_errors": 23}]


def bits_of(seed: int) -> tuple[np.ndarray, np.ndarray]:
    """A rule with a fifth of the labels wrong."""
    random = np.random.RandomState(seed)
    bits = random.rand(200, 24) < 0.5
    rule = (bits[:, 0] & bits[:, 1]) ^ (bits[:, 2] | bits[:, 3])
    return bits, (rule ^ (random.rand(200) < 0.2)).astype(np.int64)


def table(seed: int = 0) -> Dataset:
    return make_dataset(table_of(*bits_of(seed)))


def never() -> None:
    """No reason to stop."""


def values(problem: Problem, team: Team, front: bool) -> dict[int | None, tuple[int, ...]]:
    """What is proven about each size: its errors; or about the one tree: errors and inner nodes."""
    known: dict[int | None, tuple[int, ...]] = {}
    for event in search_counting(problem, never, Work(), team, front=front):
        if front:
            known[event.at] = (event.bounds.errors, event.errors)
        else:
            assert event.nodes is not None
            # With `max_errors` trees of equal size may differ in their errors.
            errors = 0 if problem.max_errors is not None else event.errors
            known[None] = (errors, len(event.nodes) // 2, event.bounds.inner)
    return known


@pytest.fixture(scope="module")
def pool() -> Iterator[Pool]:
    made = LocalPool(2)
    yield made
    made.close()


@pytest.mark.parametrize("limits", LIMITS, ids=str)
def test_two_threads_find_the_same(limits: dict[str, Any]) -> None:
    for seed in range(2):
        problem = Problem(table(seed), **limits)
        assert values(problem, Team(workers=2), False) == values(problem, ALONE, False)


def test_two_threads_find_the_same_front() -> None:
    problem = Problem(table(), max_nodes=21)
    assert values(problem, Team(workers=2), True) == values(problem, ALONE, True)


@pytest.mark.parametrize("front", [False, True])
def test_a_pool_finds_the_same_with_a_worker_killed(
    pool: Pool, front: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rounds, "FIRST_SECONDS", 0.02)
    monkeypatch.setattr(rounds, "LONGEST_SECONDS", 0.02)
    problem = Problem(table(1), max_nodes=27)
    expected = values(problem, ALONE, front)

    timer = threading.Timer(0.1, kill_a_solver)
    timer.start()
    assert values(problem, Team(pool=pool), front) == expected
    timer.join()


@pytest.mark.parametrize("ask", [find_tree, find_front], ids=["fit", "front"])
@pytest.mark.parametrize("workers", [1, 2])
def test_a_checkpoint_gives_the_same(ask: Any, workers: int, tmp_path: Path) -> None:
    """A run ends by its work limit, another one goes on."""
    X, y = bits_of(3)
    given = {"max_nodes": 23, "checkpoint": tmp_path / "run", "workers": workers}
    first = ask(X, y, work_limit=40_000, **given)
    assert first.stopped_by == "work limit"
    second, alone = ask(X, y, **given), ask(X, y, max_nodes=23)
    if ask is find_front:
        assert [each.errors for each in second] == [each.errors for each in alone]
        assert second.proven == len(second)
    else:
        assert (second.errors, second.nodes) == (alone.errors, alone.nodes)
        assert second.status == "optimal"
