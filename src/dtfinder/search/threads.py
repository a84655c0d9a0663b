"""A job in this process: here, or on several threads.

Here, slice after slice: the simplest way, and the same on every machine.

On threads, each thread runs an engine of its own on the same table, without the GIL. The engines
share what they prove and stay out of each other's way by themselves; `src/core` explains how. What
is proven is the same for any number of threads: the size, or depth and size, of the optimum. Among
several smallest trees another may be found, and how much work it takes varies from run to run,
since it depends on which thread is faster. So a work limit with more than one thread ends a run at
about that much work in all, not at a fixed point.

With a checkpoint, the facts that took most work are written to it every few seconds, and a run that
goes on starts with them: what it had proven about parts of the search is not searched again.
"""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

from dtfinder.data.dataset import Ints
from dtfinder.errors import CheckpointError
from dtfinder.proof import Proof
from dtfinder.run.checkpoint import Checkpoint
from dtfinder.run.stop import Work
from dtfinder.search.engine import SLICE, STEPS_OF_WORK, Engine, Job, Report, Role

POLL_SECONDS = 0.02
NOTE_SECONDS = 10.0  # between two notes of facts in a checkpoint
NOTED = 1000  # facts in a note


def slices(engine: Engine[Any], steps: Callable[[], int] = lambda: SLICE) -> Iterator[Report]:
    """Run an engine to its end: a report before the first slice and after each one."""
    seen, counted = -1, 0
    while True:
        state, stats = None, {}
        # Before it has started it knows nothing: the first state brings the first tree.
        if engine.version != seen and (engine.started or engine.done):
            seen, state = engine.version, engine.state()
        if engine.done:
            stats = {"steps": float(engine.steps), "bytes": float(engine.bytes)}
        report = Report(engine.steps - counted, state, stats)
        counted = engine.steps
        yield report
        if engine.done:
            return
        engine.run(steps())


class Here:
    """One engine, run while its reports are read."""

    several = False

    def __init__(self, job: Job, rows: Ints, work: Work) -> None:
        self._engine, self._rows, self._work = job.engine(), rows, work

    def reports(self) -> Iterator[Report]:
        """Slice after slice, but not beyond the work that is left."""
        return slices(self._engine, self._steps)

    def _steps(self) -> int:
        left = self._work.left
        return SLICE if left is None else max(1, min(SLICE, left * STEPS_OF_WORK))

    def proof(self) -> Proof:
        """What the engine's bounds rest on."""
        return self._engine.proof(self._rows)

    def close(self) -> None:
        """Nothing is left running."""


class Threads:
    """Engines that share facts, each on a thread of its own."""

    def __init__(self, job: Job, rows: Ints, workers: int, checkpoint: Checkpoint | None) -> None:
        self._job, self._rows, self._checkpoint = job, rows, checkpoint
        self.several = workers > 1
        self._engines = [job.engine(Role(number, workers)) for number in range(workers)]
        for engine in self._engines[1:]:
            engine.join(self._engines[0])
        if checkpoint is not None:
            _read_facts(checkpoint, self._engines[0])
        self._noted = time.monotonic()
        self._reports: queue.SimpleQueue[Report | BaseException] = queue.SimpleQueue()
        self._ended = threading.Event()
        self._threads = [
            threading.Thread(target=self._run, args=(engine,), daemon=True)
            for engine in self._engines
        ]
        for thread in self._threads:
            thread.start()

    def reports(self) -> Iterator[Report]:
        """What the threads report, and an empty report now and then."""
        while True:
            if time.monotonic() - self._noted > NOTE_SECONDS:
                self._note()
            try:
                report = self._reports.get(timeout=POLL_SECONDS)
            except queue.Empty:
                report = Report()
            if isinstance(report, BaseException):
                raise report
            yield report

    def _run(self, engine: Engine[Any]) -> None:
        """What a thread does."""
        try:
            for report in slices(engine):
                self._reports.put(report)
                if self._ended.is_set():
                    return
        except BaseException as error:
            self._reports.put(error)

    def proof(self) -> Proof:
        """What the bounds rest on, once all threads have ended: from the engine with the best
        bound, not from the one with the tree."""
        self._end()
        states = [engine.state() for engine in self._engines]
        ranks = [(state.final, state.found[-1].bounds.inner) for state in states]
        return self._engines[ranks.index(max(ranks))].proof(self._rows)

    def close(self) -> None:
        """End the threads and write the last facts to the checkpoint."""
        self._end()
        if not any(engine.done for engine in self._engines):
            self._note()

    def _end(self) -> None:
        self._ended.set()
        for thread in self._threads:
            thread.join()

    def _note(self) -> None:
        self._noted = time.monotonic()
        if self._checkpoint is not None:
            self._checkpoint.note_facts(self._engines[0].write_facts(NOTED))


def _read_facts(checkpoint: Checkpoint, engine: Engine[Any]) -> None:
    engine.share()
    for facts in checkpoint.facts:
        try:
            engine.read_facts(facts)
        except ValueError as error:
            raise CheckpointError(f"the checkpoint has wrong facts: {error}") from error
