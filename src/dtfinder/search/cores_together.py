"""The native engine on several threads: one search, split as it goes.

Each thread runs an engine of its own on the same table, without the GIL. The engines share what
they prove and stay out of each other's way by themselves; `src/core/exchange.hpp` has the how and
why. The first engine also looks for better trees and solves linear programs, the others only raise
the lower bound by cores.

What is proven is the same for any number of threads: the size, or depth and size, of the optimum.
Among several smallest trees, another may be found, and how much work it takes varies from run to
run, since it depends on which thread is faster. So a work limit with more than one thread ends a
run at about that much work in all, not at a fixed point.

With a checkpoint, the facts that took most work are written to it every few seconds, and a run that
goes on starts with them: what it had proven about parts of the search is not searched again.
"""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Generator, Iterator
from dataclasses import dataclass, replace

import numpy as np

from dtfinder._core import Engine, Switches, make_engine
from dtfinder.errors import CheckpointError
from dtfinder.problem import SIZE, Event, Problem
from dtfinder.proof import Piece
from dtfinder.run.checkpoint import Journal
from dtfinder.run.stop import Stop, Stopped, Work
from dtfinder.run.team import Team
from dtfinder.search.cores import (
    SLICE,
    STEPS_OF_WORK,
    goal_of,
    memory_for_facts,
    proof_of,
)
from dtfinder.search.cores_tally import Found, Tally

POLL_SECONDS = 0.02
NOTE_SECONDS = 10.0  # between two notes of facts in a checkpoint
NOTED = 1000  # facts in a note


@dataclass(frozen=True)
class _News:
    """What a thread says after a slice: its steps, and what it found if anything has changed."""

    steps: int = 0
    found: Found | None = None
    failure: BaseException | None = None


def search_together(
    problem: Problem,
    stop: Stop,
    work: Work,
    team: Team,
    *,
    certify: bool = False,
    memory_limit: float | None = None,
) -> Generator[Event, None, None]:
    """Events until the optimum is proven, or it is proven that there is no tree."""
    engines = _make(team.workers, problem, certify, memory_limit)
    notes = _Notes(team.journal, engines[0]) if team.journal is not None else None
    news: queue.SimpleQueue[_News] = queue.SimpleQueue()
    ended = threading.Event()
    threads = [
        threading.Thread(target=_run, args=(engine, news, ended), daemon=True) for engine in engines
    ]
    for thread in threads:
        thread.start()
    tally = Tally(problem, certify)
    try:
        for event in _follow(news, tally, stop, work, notes):
            if tally.ended and certify:
                _end(ended, threads)  # the lemmas are read when nobody writes any more
                event = replace(event, proof=_proof(engines, problem))
            yield event
    finally:
        _end(ended, threads)
        if notes is not None and not tally.ended:
            notes.write()


def _make(
    workers: int, problem: Problem, certify: bool, memory_limit: float | None
) -> list[Engine]:
    dataset = problem.dataset
    bits = np.ascontiguousarray(dataset.bits)
    labels = np.ascontiguousarray(dataset.labels, dtype=np.int64)
    engines: list[Engine] = []
    for number in range(workers):
        switches = Switches()
        switches.proof = certify
        switches.improve = switches.spine = number == 0
        switches.memory = memory_for_facts(memory_limit, certify) // workers
        engine = make_engine(bits, labels, goal_of(problem), switches)
        if engines:
            engine.join(engines[0])
        engines.append(engine)
    return engines


class _Notes:
    """The facts of a checkpoint: read at the start, written now and then."""

    def __init__(self, journal: Journal, engine: Engine) -> None:
        self._journal, self._engine = journal, engine
        self._written = time.monotonic()
        engine.correspond()
        for letter in journal.letters:
            try:
                engine.read_letter(letter)
            except ValueError as error:
                raise CheckpointError(f"the checkpoint has wrong facts: {error}") from error

    def write_now_and_then(self) -> None:
        """Write new facts, if the last time was long enough ago."""
        if time.monotonic() - self._written > NOTE_SECONDS:
            self.write()

    def write(self) -> None:
        """Write new facts."""
        self._written = time.monotonic()
        self._journal.note_letter(self._engine.write_letter(NOTED))


def _run(engine: Engine, news: queue.SimpleQueue[_News], ended: threading.Event) -> None:
    """What a thread does: slice after slice, and a word about each."""
    seen, steps = -1, 0
    try:
        while not ended.is_set():
            found: Found | None = None
            # Before it has started it knows nothing.
            if engine.version != seen and (engine.started or engine.done):
                seen = engine.version
                found = Found.by(engine)
            news.put(_News(engine.steps - steps, found))
            steps = engine.steps
            if engine.done:
                return
            engine.run(SLICE)
    except BaseException as error:
        news.put(_News(failure=error))


def _follow(
    news: queue.SimpleQueue[_News], tally: Tally, stop: Stop, work: Work, notes: _Notes | None
) -> Iterator[Event]:
    """Events until the tally says that it is the end."""
    spent, started = 0, False
    while not tally.ended:
        # The first greedy tree is there before any limit: a run never ends with nothing in hand.
        if started and (reason := stop()):
            raise Stopped(reason)
        if notes is not None:
            notes.write_now_and_then()
        try:
            told = news.get(timeout=POLL_SECONDS)
        except queue.Empty:
            continue
        if told.failure is not None:
            raise told.failure
        work.spend((spent + told.steps) // STEPS_OF_WORK - spent // STEPS_OF_WORK)
        spent += told.steps
        if told.found is not None:
            started = True
            if event := tally.take(told.found):
                yield event


def _proof(engines: list[Engine], problem: Problem) -> Piece:
    if problem.minimise == SIZE:  # whoever has the bound, not whoever has the tree
        engine = max(engines, key=lambda each: (each.infeasible, each.lower))
    else:
        engine = next(each for each in engines if each.done)
    return proof_of(engine, problem.dataset)


def _end(ended: threading.Event, threads: list[threading.Thread]) -> None:
    ended.set()
    for thread in threads:
        thread.join()
