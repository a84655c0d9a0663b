"""What works beside a counting engine and tells it what it finds.

The counting engine goes from few nodes to many. The exact engine comes from the other end: it knows
how large a tree without avoidable errors must be. Every smaller tree makes at least one more error,
and its own trees end the front. From there, hitting sets of cores (`hitting.py`) go on to fewer
nodes.

What the exact engine proves is about one class for each example. Where rows of equal features have
two classes in equal numbers, another choice of class may allow a smaller tree with as few errors,
so its bounds do not count there; its trees do.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Generic, Protocol, TypeVar

from dtfinder import _core
from dtfinder._core import UNLIMITED
from dtfinder.data.dataset import Ints
from dtfinder.nodes import Node
from dtfinder.problem import Score
from dtfinder.proof import Proof
from dtfinder.search.cores import native_exact_engine
from dtfinder.search.engine import Found
from dtfinder.search.hitting import HittingSets

if TYPE_CHECKING:
    from dtfinder.search.counting import CountingJob

EXAMPLES_OF_STEP = 1024  # a step of the exact engine takes as long as one more for each of these
FIRST_STEPS = 4  # as long as these take its first ones, with which a run within a depth ends
# Within a depth most tables leave errors, and then it has nothing to tell: it waits for a tree
# without avoidable errors, or for LATE steps; and for as many as making it takes, counted for each
# example and feature. Once there is such a tree, it gets an even share until it has spent
# EVEN_STEPS itself, as it often finds the smallest in no time.
LATE, EARLY = 2_000_000, 200_000
STEPS_OF_MAKING, EVEN_STEPS = 1, 16


class Works(Protocol):
    """An engine."""

    @property
    def steps(self) -> int: ...
    @property
    def bytes(self) -> int: ...


Made = TypeVar("Made", bound=Works)


class OtherEnd(ABC, Generic[Made]):
    """A search that takes turns with a counting engine. Its engine is made when it is needed, since
    many questions are settled before."""

    _made: Made | None = None

    @property
    def steps(self) -> int:
        """The work done so far."""
        return 0 if self._made is None else self._made.steps

    @property
    def bytes(self) -> int:
        """The memory that it takes."""
        return 0 if self._made is None else self._made.bytes

    @property
    @abstractmethod
    def done(self) -> bool:
        """Whether it has nothing more to tell."""

    @abstractmethod
    def is_due(self, counting: _core.FrontEngine) -> bool:
        """Whether it may have something to tell by now."""

    def is_even(self, counting: _core.FrontEngine) -> bool:
        """Whether it is to work as long as the counting engine does."""
        return False

    def is_near(self, counting: _core.FrontEngine) -> bool:
        """Whether its first turns are near, so that turns are to be short."""
        return False

    @abstractmethod
    def run(self, steps: int, counting: _core.FrontEngine) -> None:
        """Work about as long as the counting engine does for `steps`, and hand on what is new."""

    @property
    def proven(self) -> bool:
        """Whether it has the answer, with its proof."""
        return False

    def found(self) -> Found:
        """That answer."""
        raise NotImplementedError

    def proof(self, row_of_example: Ints) -> Proof:
        """What it rests on, if the job was to certify it."""
        raise NotImplementedError

    @property
    def hitting(self) -> HittingSets | None:
        """What works with hitting sets, if it has begun."""
        return None


class FromNoErrors(OtherEnd[_core.Engine]):
    """The exact engine until it is done, then hitting sets, if a front is asked for."""

    def __init__(self, job: CountingJob, goal: dict[str, int]) -> None:
        self._job, self._goal = job, goal
        self._lower, self._tree = 0, 0
        self._hitting: HittingSets | None = None

    @property
    def native(self) -> _core.Engine:
        """The exact engine. Making it takes a while on large tables."""
        if self._made is None:
            job, memory = self._job, self._job.memory // 4
            self._made = native_exact_engine(
                job.bits, job.classes, self._goal, job.allowed, memory=memory
            )
        return self._made

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
        """Whether it has the smallest tree without avoidable errors, and that is asked for."""
        goal = self._job.goal
        smallest = self._job.bounds_count and goal["kind"] == "errors" and not goal["depth_first"]
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
        if not self._waits:
            return True
        steps = counting.steps
        ended = self._ended(counting)
        return steps >= STEPS_OF_MAKING * self._job.bits.size and (ended or steps >= LATE)

    def is_even(self, counting: _core.FrontEngine) -> bool:
        """Whether it is to work as long as the counting engine does."""
        spent = self.steps * self._step
        return self._waits and self._ended(counting) and spent < EVEN_STEPS * self._job.bits.size

    def is_near(self, counting: _core.FrontEngine) -> bool:
        """Whether its first turns are near, so that turns are to be short."""
        early = counting.steps < EARLY
        return self._waits and not self.done and (early or self.is_even(counting))

    @property
    def _waits(self) -> bool:
        """Whether most tables leave errors within what is asked."""
        return self._job.goal["kind"] == "errors" and "max_depth" in self._job.goal

    def _ended(self, counting: _core.FrontEngine) -> bool:
        """Whether there is a tree without avoidable errors."""
        return counting.started and counting.errors <= self._job.unavoidable

    @property
    def _step(self) -> int:
        """What a step of it takes, in steps of the counting engine; its first ones take longer."""
        return (FIRST_STEPS if self._waits else 1) + len(self._job.classes) // EXAMPLES_OF_STEP

    def run(self, steps: int, counting: _core.FrontEngine) -> None:
        """Work about as long as the counting engine does for `steps`, and hand on what is new."""
        steps = 1 + steps // self._step
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
