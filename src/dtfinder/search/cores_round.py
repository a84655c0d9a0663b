"""What a worker of a cluster does for the native engine: one slice of its search after the other.

This runs in the solver process of a worker. The process keeps its engine between the slices of a
run. A slice starts with the facts that others found since this engine last read any, and ends with
a reply: bounds, tree, and what was found out on the way, as letters (`src/core/letters.hpp`).
"""

from __future__ import annotations

import pickle
import time
import uuid
from dataclasses import dataclass

from dtfinder._core import Engine, Goal, Switches, make_engine
from dtfinder.data.dataset import Bits, Ints
from dtfinder.run.pool import Blob, Stored
from dtfinder.search.cores import SLICE
from dtfinder.search.cores_tally import Found

LETTER = 1000  # facts in a reply
IMPROVERS = 8  # one engine in so many also looks for better trees


@dataclass(frozen=True)
class Job:
    """What is the same in all slices of a run."""

    run: str  # its name, so that no other run's engine is taken for this one's
    bits: Bits
    labels: Ints
    depth_first: bool
    max_depth: int
    max_inner: int
    certify: bool
    memory: int


@dataclass(frozen=True)
class Facts:
    """Facts by number, in ascending order, with who found them; a line of a letter each."""

    numbers: list[int]
    senders: list[str]
    lines: list[str]


@dataclass(frozen=True)
class Order:
    """What to do in one slice."""

    owner: int  # whose parts of the search to take first, of
    owners: int
    seconds: float
    steps: int
    upper: int  # inner nodes at which a bound is worth telling at once: it meets the best tree
    heard: dict[str, int]  # by sender: replies that have arrived


@dataclass(frozen=True)
class Reply:
    """What came of a slice. `number` counts the replies of this sender from 1."""

    sender: str
    number: int
    found: Found
    steps: int
    letter: str
    lemmas: str


class _Desk:
    """An engine at work."""

    def __init__(self, digest: str, job: Job, owner: int) -> None:
        self.digest, self.sender, self.replies = digest, uuid.uuid4().hex, 0
        self._certify, self._next = job.certify, 0
        goal, switches = Goal(), Switches()
        goal.depth_first = job.depth_first
        goal.max_depth, goal.max_inner = job.max_depth, job.max_inner
        switches.proof, switches.memory = job.certify, job.memory
        switches.improve = owner % IMPROVERS == 0
        switches.spine = owner == 0 and not job.certify  # letters carry lemmas only
        self._engine: Engine = make_engine(job.bits, job.labels, goal, switches)

    def work(self, facts: Facts, order: Order) -> Reply:
        """One slice."""
        engine = self._engine
        engine.correspond(order.owner, order.owners)
        self._read(facts)
        begin, end = engine.steps, time.monotonic() + order.seconds
        while not engine.done and (
            not engine.started
            or (
                time.monotonic() < end
                and engine.steps - begin < order.steps
                and engine.lower < order.upper
            )
        ):
            engine.run(min(SLICE, max(1, order.steps)))
        self.replies += 1
        letter = engine.write_letter(LETTER)
        lemmas = engine.write_lemmas() if self._certify else ""
        spent = engine.steps - begin
        return Reply(self.sender, self.replies, Found.by(engine), spent, letter, lemmas)

    def _read(self, facts: Facts) -> None:
        lines = [
            line
            for number, sender, line in zip(facts.numbers, facts.senders, facts.lines, strict=True)
            if number >= self._next and sender != self.sender
        ]
        if facts.numbers:
            self._next = facts.numbers[-1] + 1
        self._engine.read_letter("".join(lines))


_desk: _Desk | None = None


def run_round(job: Stored, facts: Stored | Blob, order: Order) -> Reply:
    """One slice on the engine of this process, which is made if it is not there. It is made anew if
    its last reply got lost: others may lack what its next one rests on."""
    global _desk
    if (
        _desk is None
        or _desk.digest != job.digest
        or order.heard.get(_desk.sender, 0) != _desk.replies
    ):
        _desk = None  # two would take twice the memory
        _desk = _Desk(job.digest, job.value(), order.owner)
    read = facts.value() if isinstance(facts, Stored) else pickle.loads(facts.content)
    return _desk.work(read, order)


def forget(_job: Stored) -> None:
    """The run is over: give the engine's memory back."""
    global _desk
    _desk = None
