"""Limits are obeyed from the start: by the set-up of an engine, and before its first tree."""

from __future__ import annotations

import time
from collections.abc import Iterator

import numpy as np
import pytest

from dtfinder._core import Goal, Switches, make_engine
from dtfinder.data import Table, make_dataset
from dtfinder.nodes import leaf
from dtfinder.problem import Event, Problem
from dtfinder.run.stop import AfterSeconds, FirstOf, Stopped, Work
from dtfinder.run.team import ALONE, Team
from dtfinder.search import driver
from dtfinder.search.cores import ExactEngine, ExactJob, exact_job
from dtfinder.search.counting import CountingEngine, counting_job
from dtfinder.search.driver import drive
from dtfinder.search.engine import ONLY, SLICE, Role
from small import dataset_of, random_table


class Slow(ExactEngine):
    """An engine that takes its time for the first tree."""

    slices = 10**9

    @property
    def started(self) -> bool:
        Slow.slices -= 1
        time.sleep(0.001)
        return Slow.slices < 0 and super().started

    @property
    def done(self) -> bool:
        return self.started and super().done

    @property
    def version(self) -> int:
        return super().version if Slow.slices < 0 else 0


class SlowJob(ExactJob):
    """A job for such engines."""

    def engine(self, role: Role = ONLY) -> Slow:
        return Slow(make_engine(self.bits, self.labels, Goal(), Switches()), 0, self.rows)


def events(work: Work, seconds: float, team: Team = ALONE) -> Iterator[Event]:
    problem = Problem(dataset_of(*random_table(1, rows=40, features=8))).as_exact()
    stop = FirstOf(AfterSeconds(seconds), work)
    return drive(SlowJob(**vars(exact_job(problem))), problem, stop, work, team)


@pytest.mark.parametrize("team", [ALONE, Team(workers=2)])
def test_a_time_limit_does_not_wait_for_the_first_tree(
    team: Team, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(driver, "FIRST_TREE_SECONDS", 0.1)
    monkeypatch.setattr(Slow, "slices", 10**9)
    with pytest.raises(Stopped, match="time limit"):
        list(events(Work(), 0.05, team))


def test_a_run_has_a_moment_for_its_first_tree(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(driver, "FIRST_TREE_SECONDS", 60.0)
    monkeypatch.setattr(Slow, "slices", 50)
    first = next(events(Work(), 0.001))
    assert first.nodes is not None


def test_a_work_limit_waits_for_the_first_tree(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(driver, "FIRST_TREE_SECONDS", 0.0)
    monkeypatch.setattr(Slow, "slices", 50)
    first = next(events(Work(1), 60))
    assert first.nodes is not None


class NeverStarted(CountingEngine):
    """An engine that never has a tree of its own."""

    started = False
    version = 0

    def run(self, steps: int) -> None:
        time.sleep(0.001)


@pytest.mark.parametrize("front", [False, True])
@pytest.mark.parametrize("team", [ALONE, Team(workers=2)])
def test_a_run_without_time_has_the_tree_of_one_leaf(
    team: Team, front: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(driver, "FIRST_TREE_SECONDS", 0.05)
    monkeypatch.setattr("dtfinder.search.counting.CountingEngine", NeverStarted)
    dataset = dataset_of(*random_table(1, rows=40, features=8))
    problem = Problem(dataset, max_nodes=15)
    run = drive(counting_job(problem, front=front), problem, AfterSeconds(0.01), Work(), team)
    event = next(run)
    weights = dataset.class_weights.sum(axis=0)
    assert event.nodes == [leaf(int(weights.argmax()))]
    assert event.errors == weights.sum() - weights.max()
    assert event.bounds.errors <= event.errors
    assert event.at == (0 if front else None)
    with pytest.raises(Stopped, match="time limit"):
        next(run)


def test_wide_tables_have_a_tree_soon_and_short_slices() -> None:
    """Numbers have thousands of thresholds, and counting takes their cube."""
    random = np.random.default_rng(0)
    columns = tuple(random.normal(size=300) for _ in range(20))
    target = np.where(columns[0] + columns[1] + random.normal(size=300) > 0, "a", "b")
    names = tuple(map(str, range(20)))
    problem = Problem(make_dataset(Table(names, columns, target.astype(object))), max_nodes=15)
    begin = time.process_time()
    engine = counting_job(problem).engine()
    while not engine.started:
        engine.run(SLICE)
    assert time.process_time() - begin < 1
    longest = 0.0
    greedy = engine.state().found[0].errors
    while time.process_time() - begin < 2:
        at = time.process_time()
        engine.run(SLICE)
        longest = max(longest, time.process_time() - at)
    assert longest < 0.2
    assert engine.state().found[0].errors < greedy


def test_setting_up_a_large_table_is_quick() -> None:
    """It took 4 s of CPU time."""
    random = np.random.default_rng(0)
    bits = random.random((200_000, 100)) < 0.5
    labels = random.integers(0, 2, len(bits))
    begin = time.process_time()
    make_engine(bits, labels, Goal(), Switches())
    assert time.process_time() - begin < 1.5
