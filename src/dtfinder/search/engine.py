"""What every native engine offers, and what it needs to be made: the seam below the driver.

An engine searches in slices with the GIL released. Its state is sound after every slice: bounds are
proven, trees are right. Work is counted in steps, which are the same everywhere, so a run under a
work limit ends at the same point on every machine, however it is sliced.

Engines for the same job can work together: on threads they `join` and share facts as they go; on a
cluster they `share` facts as text, written by one and read by others.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

from dtfinder.data.dataset import Bits, Ints
from dtfinder.nodes import Node
from dtfinder.problem import Score
from dtfinder.proof import Proof

if TYPE_CHECKING:
    from dtfinder._core import _Search

STEPS_OF_WORK = 4  # a step is about 50 ns, a unit of work about 200
SLICE = 200_000  # steps between two looks at the stop rules: some 10 ms
MEMORY = 700_000_000  # bytes for facts, unless a memory limit says less


@dataclass(frozen=True)
class Found:
    """What an engine knows: proven bounds, and its best tree, if any, with its errors.

    In a front there is one of these for each size, `at` that number of inner nodes.
    """

    bounds: Score
    tree: tuple[Node, ...] = ()
    errors: int = 0
    at: int | None = None


@dataclass(frozen=True)
class State:
    """All that an engine knows now. `final` says that the search is over, `infeasible` that it
    ended with the proof that no tree is within the limits."""

    found: tuple[Found, ...]
    final: bool = False
    infeasible: bool = False


Made = TypeVar("Made", bound="_Search")


class Engine(ABC, Generic[Made]):
    """One search for one job: an engine in C++, and what the driver wants to know of it. Not
    thread-safe; engines that have joined run on a thread each."""

    def __init__(self, native: Made) -> None:
        self._native = native

    @abstractmethod
    def state(self) -> State:
        """What is known now."""

    @abstractmethod
    def proof(self, row_of_example: Ints) -> Proof:
        """What the bounds rest on, if the job was to certify them."""

    @property
    def version(self) -> int:
        """Changes with the state."""
        return self._native.version

    @property
    def started(self) -> bool:
        """Whether it has a first tree, or knows that it finds none."""
        return self._native.started

    @property
    def done(self) -> bool:
        """Whether the search is over."""
        return self._native.done

    @property
    def steps(self) -> int:
        """The work done so far."""
        return self._native.steps

    @property
    def bytes(self) -> int:
        """The memory that it takes."""
        return self._native.bytes

    def run(self, steps: int) -> None:
        """Work until the state changes, the search is over, or for about `steps` steps."""
        self._native.run(steps)

    def join(self, other: Engine[Made]) -> None:
        """Share facts with another engine for the same job; neither has run."""
        self._native.join(other._native)

    def share(self, owner: int = 0, owners: int = 1) -> None:
        """Share facts as text, from before the first run; first search the parts that fall to
        `owner`, one of `owners`."""
        self._native.share(owner, owners)

    def read_facts(self, text: str) -> None:
        """Use facts that another engine wrote. Raises ValueError for anything else."""
        self._native.read_facts(text)

    def write_facts(self, most: int) -> str:
        """Facts since the last call: at most `most`, the costliest."""
        return self._native.write_facts(most)

    def write_lemmas(self) -> str:
        """What facts and bounds rest on, as far as not written before; nothing, if facts come
        without lemmas."""
        return ""

    def write_refutation(self) -> str:
        """The proof of the bound as a whole where it rests on no lemmas, if it is new."""
        return ""


@dataclass(frozen=True)
class Role:
    """The part of one engine among several for the same job."""

    number: int = 0
    workers: int = 1
    remote: bool = False  # it is one of a cluster: its facts and lemmas travel as text


ONLY = Role()


@dataclass(frozen=True, kw_only=True)
class Job(ABC):
    """What it takes to make an engine, anywhere: it pickles, and has no part of the user's table.
    `labels` are the classes of the examples, or for each example a weight for each class."""

    bits: Bits
    labels: Ints
    goal: dict[str, Any]  # the attributes of the engine's own goal
    switches: dict[str, Any]  # and of its switches, where they are not to be as usual
    certify: bool = False
    memory: int = MEMORY  # bytes for facts

    @abstractmethod
    def engine(self, role: Role = ONLY) -> Engine[Any]:
        """An engine for its part of the job."""


@dataclass(frozen=True)
class Report:
    """What came of some work: its steps, and the state of an engine, if that has changed."""

    steps: int = 0
    state: State | None = None
    stats: dict[str, float] = field(default_factory=dict)


class Runner(Protocol):
    """One way to run a job: here, on threads, in rounds on a cluster."""

    several: bool  # whether the bounds of one engine may meet the tree of another

    def reports(self) -> Iterator[Report]:
        """Reports as the work goes on, some of them empty so that stop rules are asked."""

    def proof(self) -> Proof:
        """What the bounds rest on; ends the work."""

    def close(self) -> None:
        """End the work and keep what a checkpoint can keep."""


def memory_for_facts(memory_limit: float | None, certify: bool) -> int:
    """Half of what the run may use: the table, Python and the trees need the rest. A proof is kept
    beside the facts, and is worth more of the memory."""
    half = int((memory_limit or 10) * 5e8)
    if certify:
        return half if memory_limit is not None else min(3 * MEMORY, half)
    return min(MEMORY, half)


def set_attributes(made: Any, values: dict[str, Any]) -> Any:
    """A goal or switches of an engine in C++ with these values."""
    for name, value in values.items():
        setattr(made, name, value)
    return made
