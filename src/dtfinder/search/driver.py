"""One driver for all native engines: follow the work on a job until the question is settled.

The job may run here, on threads or in rounds on a cluster: `runner_of` picks the way. Every
engine's bounds are proven and every tree is right, so the best of each is what the run knows,
whichever engines they came from.
"""

from __future__ import annotations

import time
from collections.abc import Generator
from contextlib import closing
from dataclasses import replace

from dtfinder.nodes import Node, leaf
from dtfinder.problem import SIZE, Event, Problem, Score
from dtfinder.proof import Proof
from dtfinder.run.stop import Stop, Stopped, Work
from dtfinder.run.team import Team
from dtfinder.search.engine import STEPS_OF_WORK, Found, Job, Runner
from dtfinder.search.rounds import Rounds
from dtfinder.search.threads import Here, Threads

FIRST_TREE_SECONDS = 1.0


def drive(
    job: Job, problem: Problem, stop: Stop, work: Work, team: Team
) -> Generator[Event, None, None]:
    """Events until the optimum is proven, or it is proven that there is no tree."""
    runner = runner_of(job, problem, stop, work, team)
    known: dict[int | None, Best] = {}  # by size in a front, else all in one
    spent, started = 0, False
    first_tree = time.monotonic() + FIRST_TREE_SECONDS
    with closing(runner):
        for report in runner.reports():
            work.spend((spent + report.steps) // STEPS_OF_WORK - spent // STEPS_OF_WORK)
            spent += report.steps
            if (state := report.state) is not None:
                started = True
                for found in state.found:
                    if found.at not in known:
                        known[found.at] = Best(problem, found.at)
                    known[found.at].take(found)
                last = known[state.found[-1].at]
                settled = state.final or (runner.several and last.proven)
                yield from (b.event() for b in known.values() if b.changed and b is not last)
                if settled:
                    proof = runner.proof() if job.certify else None
                    yield last.event(state.infeasible, report.stats, proof)
                    return
                # A gap that closes before the lemmas do: the event waits for its proof.
                if last.changed and not (job.certify and last.closed):
                    yield last.event()
            # However tight its limits are, a run has a moment for its first tree. A work limit has
            # to end it at the same point everywhere: it waits for the tree as long as it takes.
            reason = stop()
            if reason and (started or (reason != work() and time.monotonic() > first_tree)):
                if not started and (first := one_leaf(problem)) is not None:
                    yield replace(first, at=0 if job.goal.get("kind") == "front" else None)
                raise Stopped(reason)


def one_leaf(problem: Problem) -> Event | None:
    """The tree that needs no search, if it is within the limits: better than none."""
    weights = problem.dataset.class_weights.sum(axis=0)
    nodes = [leaf(int(weights.argmax()))]
    errors = problem.dataset.total_weight - int(weights.max())
    if not problem.allows(Score.of(nodes, errors)):
        return None
    return Event(problem.first_bounds(), nodes, errors=errors)


def runner_of(job: Job, problem: Problem, stop: Stop, work: Work, team: Team) -> Runner:
    """The way to run the job that the team allows."""
    rows = problem.dataset.first_rows
    if team.pool is not None:
        return Rounds(job, problem, team.pool, team.checkpoint, stop, work)
    if team.workers > 1 or team.checkpoint is not None:
        return Threads(job, rows, team.workers, team.checkpoint)
    return Here(job, rows, work)


class Best:
    """The best of what engines have found: of all trees, or of those of one size in a front."""

    def __init__(self, problem: Problem, at: int | None) -> None:
        self.at, self.changed = at, False
        self._problem = problem.at(at)
        self.bounds = self._problem.first_bounds()
        self._bounds = Score()  # what engines have proven, without what follows from it
        self._tree: tuple[Node, ...] = ()
        self._score: Score | None = None

    def take(self, found: Found) -> None:
        """Add what one engine knows."""
        before = (self.bounds, self._tree)
        self.bounds = self.bounds.joined(found.bounds)
        self._bounds = self._bounds.each_best(found.bounds)
        if found.tree and found.tree != self._tree:
            score = Score.of(found.tree, found.errors)
            if self._problem.better(score, self._score):
                self._tree, self._score = found.tree, score
        self.changed |= (self.bounds, self._tree) != before

    def event(
        self,
        infeasible: bool = False,
        stats: dict[str, float] | None = None,
        proof: Proof | None = None,
    ) -> Event:
        """What is known now."""
        self.changed = False
        tree = list(self._tree) or None
        errors = 0 if self._score is None else self._score.errors
        return Event(self.bounds, tree, infeasible, stats or {}, proof, errors, self.at)

    @property
    def closed(self) -> bool:
        """Whether the bounds meet the tree. A least depth bounds the size, and the other way round,
        so this may be before an engine has both as lemmas."""
        return self._score is not None and self._problem.met(self._score, self.bounds)

    @property
    def proven(self) -> bool:
        """Whether the engines have all lemmas for it: those of a least size are complete when any
        engine's bound meets the tree of any other, those of a least depth when one is done."""
        if self._score is None or self._problem.minimise != SIZE:
            return False
        return self._problem.met(self._score, self._bounds)
