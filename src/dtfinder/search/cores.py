"""The exact engine as a search: cores with proven bounds, in C++ (`src/core/exact`).

Least depth under a limit on nodes is searched depth by depth, and each depth by itself is much
harder to rule out than all of them together: facts without a depth are stronger. So the engine is
first asked for any tree within the limits. Mostly a greedy tree is, and nothing is lost; where none
is, the answer comes in seconds instead of hours.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, replace

import numpy as np

from dtfinder import _core
from dtfinder._core import Goal, Switches, make_engine
from dtfinder.data.dataset import Bits, Ints
from dtfinder.nodes import Node
from dtfinder.problem import DEPTH, SIZE, Event, Problem, Score
from dtfinder.proof import Lemmas, Proof, SpineProof
from dtfinder.run.stop import Stop, Work
from dtfinder.run.team import ALONE, Team
from dtfinder.search.driver import drive
from dtfinder.search.engine import (
    ONLY,
    Engine,
    Found,
    Job,
    Role,
    State,
    memory_for_facts,
    set_attributes,
)

IMPROVERS = 8  # on a cluster, one in this many engines also looks for better trees


def search_cores(
    problem: Problem,
    stop: Stop,
    work: Work,
    team: Team = ALONE,
    *,
    certify: bool = False,
    memory_limit: float | None = None,
) -> Iterator[Event]:
    """Events until the optimum is proven, or it is proven that there is no tree."""
    problem = problem.as_exact()
    # A checkpoint has the facts of one search, and rounds keep theirs with the workers.
    one_search = team.pool is not None or team.checkpoint is not None
    if problem.minimise == DEPTH and problem.max_inner is not None and not one_search:
        sizes = replace(problem, minimise=SIZE)
        any_tree = exact_job(sizes, certify, memory_limit)
        with closing(drive(any_tree, sizes, stop, work, team)) as events:
            for event in events:
                if event.infeasible:
                    yield event
                    return
                if event.nodes is not None:
                    break
                if not certify:  # a bound without its proof is of no use to a certificate
                    yield event
    yield from drive(exact_job(problem, certify, memory_limit), problem, stop, work, team)


def exact_job(
    problem: Problem,
    certify: bool = False,
    memory_limit: float | None = None,
    switches: dict[str, int] | None = None,
) -> ExactJob:
    """What the exact engine needs to know of a problem."""
    dataset = problem.dataset
    labels, allowed = dataset.set_labels
    return ExactJob(
        bits=np.ascontiguousarray(dataset.bits),
        labels=np.ascontiguousarray(labels, dtype=np.int64),
        goal=exact_goal(problem),
        switches=switches or {},
        certify=certify,
        memory=memory_for_facts(memory_limit, certify),
        errors=dataset.unavoidable_errors,
        rows=dataset.first_rows,
        allowed=allowed,
    )


def exact_goal(problem: Problem) -> dict[str, int]:
    """What the exact engine is to look for."""
    goal: dict[str, int] = {"depth_first": problem.minimise == DEPTH}
    if problem.max_depth is not None and problem.max_depth < Goal().max_depth:
        goal["max_depth"] = problem.max_depth
    if problem.max_inner is not None:
        goal["max_inner"] = min(Goal().max_inner, problem.max_inner)
    return goal


def native_exact_engine(
    bits: Bits,
    labels: Ints,
    asked: dict[str, int],
    allowed: Bits | None = None,
    **switches: int,
) -> _core.Engine:
    """The engine in C++ itself."""
    goal, chosen = set_attributes(Goal(), asked), set_attributes(Switches(), switches)
    return make_engine(bits, np.ascontiguousarray(labels, dtype=np.int64), goal, chosen, allowed)


@dataclass(frozen=True, kw_only=True)
class ExactJob(Job):
    """A job for exact engines. All their trees make the same `errors`. `rows` are those of the
    table that the examples stand for, for proofs that engines write themselves. With `allowed`,
    labels stand for its rows, sets of classes."""

    errors: int = 0
    rows: Ints
    allowed: Bits | None = None

    def engine(self, role: Role = ONLY) -> ExactEngine:
        """All raise the lower bound, by cores and by linear programs; the first of several also
        looks for better trees."""
        chosen: dict[str, int] = {
            "proof": self.certify,
            "memory": self.memory // role.workers,
            "improve": role.number % IMPROVERS == 0 if role.remote else role.number == 0,
            # On a cluster a refutation comes with its proof only as a whole, from one engine.
            "spine": role.number == 0 or not (role.remote and self.certify),
        }
        switches = chosen | self.switches
        native = native_exact_engine(self.bits, self.labels, self.goal, self.allowed, **switches)
        return ExactEngine(native, self.errors, self.rows)


class ExactEngine(Engine[_core.Engine]):
    """An exact engine behind the driver's seam."""

    def __init__(self, native: _core.Engine, errors: int, rows: Ints) -> None:
        super().__init__(native)
        self._errors, self._rows = errors, rows
        self._written = (0, False)

    def state(self) -> State:
        """What is known now."""
        native = self._native
        bounds = Score(self._errors, native.lower, native.depth_lower)
        found = Found(bounds, tuple(Node(*node) for node in native.tree()), self._errors)
        return State((found,), native.done, native.infeasible)

    def write_lemmas(self) -> str:
        """The lemmas since the last call."""
        return self._native.write_lemmas()

    def write_refutation(self) -> str:
        """The proof of the bound by linear programs, if these have raised it since."""
        known = (self._native.lower, self._native.infeasible)
        if known == self._written:
            return ""
        self._written = known
        return self._native.spine_text(self._rows).decode()

    def proof(self, row_of_example: Ints) -> Proof:
        """What the bound rests on."""
        if by_program := self._native.spine_text(row_of_example):
            return SpineProof(by_program)
        return Lemmas(self._native.lemma_text(row_of_example))
