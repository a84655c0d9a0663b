"""Trees that may err: counting from few nodes, and the exact engine from no errors.

The counting engine (`src/core/front`) proves for one size after the other how few errors a tree can
make. The exact engine knows how large a tree without avoidable errors must be: every smaller tree
makes at least one more error, and its own trees end the front. From there, hitting sets of cores
(`hitting.py`) go on to fewer nodes. The two ends take turns, and tell each other what they find.

What the exact engine proves is about one class for each example. Where rows of equal features have
two classes in equal numbers, another choice of class may allow a smaller tree with as few errors,
so its bounds do not count there; its trees do.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np

from dtfinder import _core
from dtfinder._core import UNLIMITED, FrontGoal, FrontSwitches, make_front_engine
from dtfinder.data.dataset import Bits, Ints
from dtfinder.nodes import Node
from dtfinder.problem import DEPTH, SIZE, Event, Problem, Score
from dtfinder.proof import ErrorLemmas, Proof
from dtfinder.run.stop import Stop, Work
from dtfinder.run.team import ALONE, Team
from dtfinder.search.cores import exact_goal, native_exact_engine
from dtfinder.search.cubes import Limited, cheaper_by_cubes, search_cubes
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
from dtfinder.search.hitting import HittingSets

# The other end gets one step in three or four, until it is done. Its steps take more time where
# there are many examples: as long as one more for each 1024.
SHARE_OF_FRONT, SHARE_OF_TREE = 3, 4
EXAMPLES_OF_STEP = 1024
# Within a depth most tables leave errors, and then it has nothing to tell: it waits for a tree
# without avoidable errors, or for so many steps; and for as many as making it takes, for each
# example and feature.
LATE = 2_000_000
STEPS_OF_MAKING = 8


def search_counting(
    problem: Problem,
    stop: Stop,
    work: Work,
    team: Team = ALONE,
    *,
    certify: bool = False,
    memory_limit: float | None = None,
    front: bool = False,
    columns: bool | None = None,
) -> Iterator[Event]:
    """Events until the question is settled; with `front`, events about trees of every size.
    `columns` says whether to count by columns, which must decide the problem; None, where that is
    cheaper.
    """
    if columns is None:
        plain = not front and not certify and team is ALONE  # cubes keep no proof
        decided = plain and Limited.of(problem).decided
        columns = decided and cheaper_by_cubes(problem.dataset)
    if columns:
        yield from search_cubes(problem, stop, memory_limit=memory_limit)
        return
    job = counting_job(problem, certify=certify, memory_limit=memory_limit, front=front)
    if certify:  # facts of other engines come without their proof
        team = replace(team, workers=1, pool=None)
    yield from drive(job, problem, stop, work, team)


def counting_job(
    problem: Problem,
    *,
    certify: bool = False,
    memory_limit: float | None = None,
    front: bool = False,
    switches: dict[str, Any] | None = None,
) -> CountingJob:
    """What the counting engine needs to know of a problem."""
    dataset = problem.dataset
    goal: dict[str, Any] = {"kind": "front" if front else "errors"}
    goal["depth_first"] = problem.minimise == DEPTH
    if problem.max_depth is not None:
        goal["max_depth"] = min(problem.max_depth, UNLIMITED)
    if problem.max_inner is not None:
        goal["max_inner"] = min(problem.max_inner, UNLIMITED)
    if problem.leaf_penalty is not None:
        penalty = problem.leaf_penalty
        goal |= {
            "kind": "cost",
            "error_price": penalty.denominator,
            "leaf_price": penalty.numerator * dataset.total_weight,
        }
    elif problem.max_errors is not None:
        goal |= {"kind": "size", "max_errors": problem.max_errors}
    # Up to depth three, one node is counted, and that is all.
    alone = goal["kind"] == "cost" or goal.get("max_depth", UNLIMITED) <= 3
    labels, allowed = dataset.set_labels
    return CountingJob(
        bits=np.ascontiguousarray(dataset.bits),
        labels=np.ascontiguousarray(dataset.class_weights),
        goal=goal,
        switches=switches or {},
        certify=certify,
        memory=memory_for_facts(memory_limit, certify),
        # The least depth first would bound the size of the shallowest trees only.
        exact=None if alone else exact_goal(replace(problem, minimise=SIZE)),
        classes=labels,
        allowed=allowed,
        bounds_count=not certify,
        unavoidable=dataset.unavoidable_errors,
        rows=dataset.total_weight,
    )


@dataclass(frozen=True, kw_only=True)
class CountingJob(Job):
    """A job for counting engines, with what the exact engine beside them needs to know."""

    exact: dict[str, int] | None  # its goal; None where there is to be none
    classes: Ints  # a label for each example: its class, or its row of the next
    allowed: Bits | None  # labels × classes, if any example allows several
    bounds_count: bool  # whether its bounds are about trees that may err, too
    unavoidable: int
    rows: int  # or what they weigh

    def engine(self, role: Role = ONLY) -> CountingEngine:
        """The first of several looks for better trees, and has an exact engine beside it."""
        first = role.number == 0
        chosen = {"memory": self.memory // role.workers, "improve": first, "proof": self.certify}
        goal = set_attributes(FrontGoal(), self.goal)
        switches = set_attributes(FrontSwitches(), chosen | self.switches)
        native = make_front_engine(self.bits, self.labels, goal, switches)
        beside = _OtherEnd(self, self.exact) if first and self.exact is not None else None
        return CountingEngine(native, goal, beside, self.rows)


class _OtherEnd:
    """What works from no errors, and tells a counting engine what it finds: the exact engine until
    it is done, then hitting sets, if a front is asked for."""

    def __init__(self, job: CountingJob, goal: dict[str, int]) -> None:
        self._job, self._goal = job, goal
        self._made: _core.Engine | None = None
        self._lower, self._tree = 0, 0
        self._hitting: HittingSets | None = None

    @property
    def native(self) -> _core.Engine:
        """The exact engine. Making it takes a while on large tables, and many questions are settled
        before it is needed."""
        if self._made is None:
            job, memory = self._job, self._job.memory // 4
            self._made = native_exact_engine(
                job.bits, job.classes, self._goal, job.allowed, memory=memory
            )
        return self._made

    @property
    def steps(self) -> int:
        """The work done so far."""
        return 0 if self._made is None else self._made.steps

    @property
    def bytes(self) -> int:
        """The memory that it takes."""
        return 0 if self._made is None else self._made.bytes

    @property
    def done(self) -> bool:
        """Whether it has nothing more to tell."""
        if self._made is None or not self._made.done:
            return False
        if self._job.goal["kind"] != "front" or self._largest is None:
            return True
        return self._hitting is not None and self._hitting.done

    @property
    def proven(self) -> bool:
        """Whether it has the smallest tree without avoidable errors, with its proof."""
        smallest = self._job.bounds_count and not self._job.goal["depth_first"]
        made = self._made
        return smallest and made is not None and made.done and not made.infeasible

    def found(self) -> Found:
        """That tree."""
        tree = tuple(Node(*node) for node in self.native.tree())
        return Found(Score(self._job.unavoidable, self.native.lower), tree, self._job.unavoidable)

    @property
    def _largest(self) -> int | None:
        """The largest size at which every tree errs, once the exact engine is done."""
        if self.native.infeasible:
            return self._job.goal.get("max_inner")
        return self.native.lower - 1

    def is_due(self, counting: _core.FrontEngine) -> bool:
        """Whether it may have something to tell by now."""
        goal, steps = self._job.goal, counting.steps
        if goal["kind"] != "errors" or "max_depth" not in goal:
            return True
        ended = counting.started and counting.errors <= self._job.unavoidable
        return steps >= STEPS_OF_MAKING * self._job.bits.size and (ended or steps >= LATE)

    def run(self, steps: int, counting: _core.FrontEngine) -> None:
        """Work about as long as the counting engine does for `steps`, and hand on what is new."""
        steps = 1 + steps // (1 + len(self._job.classes) // EXAMPLES_OF_STEP)
        if not self.native.done:
            self.native.run(steps)
            self._tell(counting)
            return
        if self._hitting is None and self._largest is not None:
            job, depth = self._job, self._job.goal.get("max_depth")
            self._hitting = HittingSets(
                job.bits,
                job.classes,
                job.labels,
                depth,
                self._largest,
                allowed=job.allowed,
                certify=job.certify,
            )
        if self._hitting is not None:
            self._hitting.run(steps, counting)

    @property
    def hitting(self) -> HittingSets | None:
        """What works with hitting sets, if it has begun."""
        return self._hitting

    def _tell(self, counting: _core.FrontEngine) -> None:
        native = self.native
        tree = native.tree()
        if tree and (self._tree == 0 or len(tree) < self._tree):
            self._tree = len(tree)
            counting.offer(tree)
        if self._job.bounds_count and native.infeasible:
            counting.raise_lower(UNLIMITED, self._job.unavoidable + 1)
        elif self._job.bounds_count and native.lower > self._lower:
            self._lower = native.lower
            counting.raise_lower(native.lower - 1, self._job.unavoidable + 1)


class CountingEngine(Engine[_core.FrontEngine]):
    """The counting engine behind the driver's seam, with an exact engine beside it, or without."""

    def __init__(
        self, native: _core.FrontEngine, goal: FrontGoal, other: _OtherEnd | None, rows: int
    ) -> None:
        super().__init__(native)
        self._goal, self._other, self._rows = goal, other, rows
        self._found: dict[int, Found] = {}
        self._share = SHARE_OF_FRONT if goal.kind == "front" else SHARE_OF_TREE
        self._owed = 0  # steps that the other end has not had its share of yet

    @property
    def steps(self) -> int:
        """The work done so far, by both ends."""
        return super().steps + (self._other.steps if self._other else 0)

    @property
    def bytes(self) -> int:
        """The memory that both ends take."""
        return super().bytes + (self._other.bytes if self._other else 0)

    @property
    def version(self) -> int:
        """Changes with the state."""
        return super().version + self._settled

    @property
    def done(self) -> bool:
        """Whether one of the ends is."""
        return super().done or self._settled

    @property
    def _settled(self) -> bool:
        """Whether the exact engine has the answer: its tree has the fewest errors of all, and no
        smaller one has as few."""
        return self._goal.kind == "errors" and self._other is not None and self._other.proven

    def run(self, steps: int) -> None:
        """Let both engines work."""
        before = self._native.steps
        self._native.run(steps)
        if self._other is None or self._other.done or self._native.done:
            return
        if not self._other.is_due(self._native):
            return
        self._owed += self._native.steps - before
        if self._owed >= steps // 2:
            self._other.run(self._owed // (self._share - 1), self._native)
            self._owed = 0

    def state(self) -> State:
        """What is known now."""
        native = self._native
        if self._goal.kind == "front":
            return State(self._front(), native.done)
        if self._settled:
            assert self._other is not None
            return State((self._other.found(),), True)
        prices = self._goal.error_price * self._rows
        cost = Fraction(native.cost_lower, prices) if self._goal.kind == "cost" else Fraction(0)
        bounds = Score(native.errors_lower, native.inner_lower, native.depth_lower, cost)
        tree = tuple(Node(*node) for node in native.best_tree())
        found = Found(bounds, tree, native.errors)
        return State((found,), native.done, native.infeasible)

    def _front(self) -> tuple[Found, ...]:
        """What is known for each size; trees are asked for only where something changed."""
        for point in self._native.points():
            inner, lower, upper = point
            known = self._found.get(inner)
            if known is not None and (known.bounds.errors, known.errors) == (lower, upper):
                continue
            tree = known.tree if known is not None and known.errors == upper else ()
            tree = tree or tuple(Node(*node) for node in self._native.tree(inner))
            self._found[inner] = Found(Score(lower), tree, upper, inner)
        return tuple(self._found.values())

    def proof(self, row_of_example: Ints) -> Proof:
        """What the bounds rest on."""
        error, inner = self._native.prices
        hitting = self._other.hitting if self._other else None
        text = self._native.proof(hitting.shown if hitting else [])
        if text is not None and hitting is not None:
            text += hitting.proof(row_of_example)
        return ErrorLemmas(text, (error, inner) if inner else None)
