"""What a worker of a cluster does for a native engine: one slice of its search after the other.

This runs in the solver process of a worker. The process keeps its engine between the slices of a
run. A slice starts with the facts that others found since this engine last read any, and ends with
a reply: its state, and the facts that it found on the way.
"""

from __future__ import annotations

import pickle
import time
import uuid
from dataclasses import dataclass

from dtfinder.run.pool import Blob, Stored
from dtfinder.search.engine import SLICE, Job, Role, State

SENT = 1000  # facts in a reply


@dataclass(frozen=True)
class Facts:
    """Facts by number, in ascending order, with who found them; one line of text each."""

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
    upper: int  # inner nodes at which a bound is worth reporting at once: it meets the best tree
    heard: dict[str, int]  # by sender: replies that have arrived


@dataclass(frozen=True)
class Reply:
    """What came of a slice. `number` counts the replies of this sender from 1."""

    sender: str
    number: int
    state: State
    steps: int
    facts: str
    lemmas: str
    refutation: str = ""  # the whole proof of the bound, if linear programs have raised it


class _Slices:
    """An engine at work, slice by slice."""

    def __init__(self, digest: str, job: Job, owner: int) -> None:
        self.digest, self.sender, self.replies = digest, uuid.uuid4().hex, 0
        self._certify, self._next = job.certify, 0
        self._engine = job.engine(Role(owner, remote=True))

    def work(self, facts: Facts, order: Order) -> Reply:
        """One slice."""
        engine = self._engine
        engine.share(order.owner, order.owners)
        self._read(facts)
        begin, end = engine.steps, time.monotonic() + order.seconds
        while not engine.done:
            proven = engine.state().found[-1].bounds.inner
            late = time.monotonic() >= end or engine.steps - begin >= order.steps
            if engine.started and (late or proven >= order.upper):
                break
            engine.run(min(SLICE, max(1, order.steps)))
        self.replies += 1
        facts_found = engine.write_facts(SENT)
        lemmas = engine.write_lemmas() if self._certify else ""
        refutation = engine.write_refutation() if self._certify else ""
        spent = engine.steps - begin
        state = engine.state()
        return Reply(self.sender, self.replies, state, spent, facts_found, lemmas, refutation)

    def _read(self, facts: Facts) -> None:
        lines = [
            line
            for number, sender, line in zip(facts.numbers, facts.senders, facts.lines, strict=True)
            if number >= self._next and sender != self.sender
        ]
        if facts.numbers:
            self._next = facts.numbers[-1] + 1
        self._engine.read_facts("".join(lines))


_mine: _Slices | None = None


def run_slice(job: Stored, facts: Stored | Blob, order: Order) -> Reply:
    """One slice on the engine of this process, which is made if it is not there. It is made anew if
    its last reply got lost: others may lack what its next one rests on."""
    global _mine
    if (
        _mine is None
        or _mine.digest != job.digest
        or order.heard.get(_mine.sender, 0) != _mine.replies
    ):
        _mine = None  # two would take twice the memory
        _mine = _Slices(job.digest, job.value(), order.owner)
    read = facts.value() if isinstance(facts, Stored) else pickle.loads(facts.content)
    return _mine.work(read, order)


def forget(_job: Stored) -> None:
    """The run is over: give the engine's memory back."""
    global _mine
    _mine = None
