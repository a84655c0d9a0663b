"""Trees that may err: counting from few nodes, and the exact engine from no errors.

The counting engine (`src/core/front`) proves for one size after the other how few errors a tree can
make. From the other end (`other_end.py`) comes the exact engine. The two take turns, and tell each
other what they find.

The least cost, of errors and leaves, is searched in two ways that take turns, too: all sizes at
once, by prices, and size by size, as far as a size may cost less than the best tree. Prices prune
better where the penalty is large. Where it is small against the errors, what is left to find out
are the last sizes of a front, and these are settled from the other end.
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
from dtfinder.search.cores import exact_goal
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
from dtfinder.search.other_end import FromNoErrors, OtherEnd

# The other end gets every n-th step, until it is done. Of a front the first sizes are soon counted,
# so there it gets fewer at first.
SHARE_OF_FRONT, SHARE_OF_TREE, SHARE_OF_COST = 3, 4, 2
FIRST_SHARE_OF_FRONT, FIRST_STEPS = 8, 15_000_000
SHORT_TURNS = 10  # of these in a turn, where the other end may settle it soon
QUICK = 200_000  # steps, within which many costs are settled by prices alone


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
    alone = goal.get("max_depth", UNLIMITED) <= 3
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
        """The first of several looks for better trees, and has the other end beside it."""
        first = role.number == 0
        chosen = {"memory": self.memory // role.workers, "improve": first, "proof": self.certify}
        goal = set_attributes(FrontGoal(), self.goal)
        switches = set_attributes(FrontSwitches(), chosen | self.switches)
        native = make_front_engine(self.bits, self.labels, goal, switches)
        beside: OtherEnd[Any] | None = None
        if first and self.exact is not None:
            costs = self.goal["kind"] == "cost"
            beside = SizeBySize(self) if costs else FromNoErrors(self, self.exact)
        return CountingEngine(native, goal, beside, self.rows)


class CountingEngine(Engine[_core.FrontEngine]):
    """The counting engine behind the driver's seam, with the other end beside it, or without."""

    def __init__(
        self, native: _core.FrontEngine, goal: FrontGoal, other: OtherEnd[Any] | None, rows: int
    ) -> None:
        super().__init__(native)
        self._goal, self._other, self._rows = goal, other, rows
        self._found: dict[int, Found] = {}
        self._owed = 0  # steps that the other end has not had its share of yet

    @property
    def native(self) -> _core.FrontEngine:
        """The engine in C++."""
        return self._native

    @property
    def other(self) -> OtherEnd[Any] | None:
        """What takes turns with it, if anything does."""
        return self._other

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
        """Whether the other end has the answer."""
        return self._other is not None and self._other.proven

    def run(self, steps: int) -> None:
        """Let both engines work."""
        before = self._native.steps
        if self._other is not None and self._other.is_near(self._native):
            steps = 1 + steps // SHORT_TURNS
        self._native.run(steps)
        if self._other is None or self._other.done or self._native.done:
            return
        if not self._other.is_due(self._native):
            return
        self._owed += self._native.steps - before
        if self._owed >= steps // 2:
            self._other.run(self._owed // (self._share() - 1), self._native)
            self._owed = 0

    def _share(self) -> int:
        """Every how many steps are the other end's."""
        assert self._other is not None
        if self._goal.kind == "front":
            return SHARE_OF_FRONT if self._native.steps > FIRST_STEPS else FIRST_SHARE_OF_FRONT
        if self._other.is_even(self._native):
            return 2
        return SHARE_OF_COST if self._goal.kind == "cost" else SHARE_OF_TREE

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
        if self._settled:
            assert self._other is not None
            return self._other.proof(row_of_example)
        error, inner = self._native.prices
        hitting = self._other.hitting if self._other else None
        text = self._native.proof(hitting.shown if hitting else [])
        if text is not None and hitting is not None:
            text += hitting.proof(row_of_example)
        return ErrorLemmas(text, (error, inner) if inner else None)


class SizeBySize(OtherEnd[CountingEngine]):
    """For the least cost: a front, as far as its sizes may cost less than the best tree."""

    def __init__(self, job: CountingJob) -> None:
        self._job = job
        self._version = self._heard = -1  # of both engines, when they were last looked at

    @property
    def _front(self) -> CountingEngine:
        if self._made is None:
            goal = self._job.goal | {"kind": "front", "cheapest": True}
            self._made = replace(self._job, goal=goal, memory=self._job.memory // 4).engine()
        return self._made

    @property
    def done(self) -> bool:
        """Whether it has nothing more to tell."""
        return self._made is not None and self._made.done and self._version == self._made.version

    def is_due(self, counting: _core.FrontEngine) -> bool:
        """Whether prices alone do not settle the question at once."""
        return counting.steps >= QUICK

    def run(self, steps: int, counting: _core.FrontEngine) -> None:
        """Tell both engines of the other's tree, and the first of the bounds on errors, unless it
        is to prove what it claims."""
        front = self._front.native
        if self._heard != counting.version:  # each tree is evaluated on all rows
            self._heard = counting.version
            front.offer(counting.best_tree())
        self._front.run(steps)
        if self._version == self._front.version:
            return
        self._version = self._front.version
        if not self._job.certify:
            for inner, lower, _ in front.points():
                counting.raise_lower(inner, lower)
        counting.offer(front.tree(self._best().inner))

    @property
    def proven(self) -> bool:
        """Whether no size may cost less than the best tree, where that is to be certified."""
        return self._job.certify and self._made is not None and self._made.done

    def _best(self) -> Score:
        """What the cheapest tree has, its cost in the engine's prices and without the last leaf."""
        error, leaf = self._job.goal["error_price"], self._job.goal["leaf_price"]
        scores = (
            Score(errors, inner, cost=Fraction(error * errors + leaf * inner))
            for inner, _, errors in self._front.native.points()
        )
        return min(scores, key=lambda score: (score.cost, score.inner))

    def found(self) -> Found:
        """That tree."""
        best, goal = self._best(), self._job.goal
        cost = (best.cost + goal["leaf_price"]) / (goal["error_price"] * self._job.rows)
        tree = tuple(Node(*node) for node in self._front.native.tree(best.inner))
        return Found(replace(best, cost=cost), tree, best.errors)

    def proof(self, row_of_example: Ints) -> Proof:
        """The bounds on errors of all sizes, and the bound on the cost that follows from them."""
        shown = self._front.proof(row_of_example)
        if not isinstance(shown, ErrorLemmas) or shown.text is None:
            return shown
        lemmas = [line for line in shown.text.splitlines() if line[:1] in b"cspe"]
        cited = (f" -{len(lemmas) - at}" for at, line in enumerate(lemmas) if line[2:4] == b"0 ")
        goal, weights = self._job.goal, self._job.labels
        depth = f"/{goal['max_depth']}" if "max_depth" in goal else ""
        # Certificates are about errors without what all classes of an example have in common.
        common = int(weights.min(axis=1).sum()) * (weights.shape[1] - 1)
        net = self._best().cost - goal["error_price"] * common
        last = f"k 0 ${depth} {net}{''.join(cited)}\n"
        return ErrorLemmas(shown.text + last.encode(), (goal["error_price"], goal["leaf_price"]))
