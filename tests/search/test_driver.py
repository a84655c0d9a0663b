"""Limits are obeyed from the start: by the set-up of an engine, and before its first tree."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest

from dtfinder._core import Goal, Switches, make_engine
from dtfinder.problem import Event, Problem
from dtfinder.run.stop import AfterSeconds, FirstOf, Stopped, Work
from dtfinder.run.team import ALONE, Team
from dtfinder.search import driver
from dtfinder.search.cores import ExactEngine, exact_job
from dtfinder.search.driver import drive
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


def events(work: Work, seconds: float, team: Team = ALONE) -> Iterator[Event]:
    problem = Problem(dataset_of(*random_table(1, rows=40, features=8))).as_exact()
    job = exact_job(problem)

    def make(job: object, role: object) -> Slow:
        return Slow(make_engine(*native), 0)

    native = (job.bits, job.labels, Goal(), Switches())
    stop = FirstOf(AfterSeconds(seconds), work)
    return drive(replace(job, make=make), problem, stop, work, team)


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


def test_setting_up_a_large_table_is_quick() -> None:
    """It took 4 s of CPU time."""
    random = np.random.default_rng(0)
    bits = random.random((200_000, 100)) < 0.5
    labels = random.integers(0, 2, len(bits))
    begin = time.process_time()
    make_engine(bits, labels, Goal(), Switches())
    assert time.process_time() - begin < 1.5
