"""Passes over a table: every part is read once, by one of several threads, and what they make of it
is merged.

A pass is three functions: `start` makes something empty, `add` puts a batch into it, and `merge`
adds one such thing to another. Nothing else is kept, so memory does not grow with the table.
Reading, unpacking and counting happen outside of Python's lock, so threads are enough.
"""

from __future__ import annotations

import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from dtfinder.run.stop import Stop, Stopped
from dtfinder.stream.batch import Batch
from dtfinder.stream.source import Source

Sum = TypeVar("Sum")
POLL_SECONDS = 0.1


class Pass(ABC, Generic[Sum]):
    """What is made of the batches."""

    @abstractmethod
    def start(self) -> Sum:
        """Something empty."""

    @abstractmethod
    def add(self, known: Sum, batch: Batch) -> None:
        """Put a batch into it."""

    @abstractmethod
    def merge(self, known: Sum, other: Sum) -> None:
        """Add what was made of other parts, which stays as it is."""

    def pack(self, known: Sum) -> Any:
        """The same as something that can travel."""
        return known

    def unpack(self, packed: Any) -> Sum:
        """What was packed."""
        known: Sum = packed
        return known


@dataclass(frozen=True)
class Pace:
    """How far a pass has come, in words."""

    name: str
    done: int
    total: int | None
    seconds: float
    unit: str = "rows"

    @property
    def text(self) -> str:
        """Such as `counting: 3,400,000 of 10,000,000 rows, 12 s left`."""
        if self.total is None:
            return f"{self.name}: {self.done:,} {self.unit}"
        left = ""
        if 0 < self.done <= self.total:
            left = f", {self.seconds * (self.total - self.done) / self.done:.0f} s left"
        return f"{self.name}: {self.done:,} of {self.total:,} {self.unit}{left}"


class Threads(Generic[Sum]):
    """One pass, on some threads of this process."""

    def __init__(self, source: Source, work: Pass[Sum], workers: int) -> None:
        self._source, self._work = source, work
        self._waiting = iter(source.parts)
        self._lock, self._end = threading.Lock(), threading.Event()
        self._done: list[Sum] = []
        self._failure: BaseException | None = None
        self._rows = 0
        self._threads = [
            threading.Thread(target=self._run, daemon=True)
            for _ in range(max(1, min(workers, len(source.parts))))
        ]

    def run(self, name: str, total: int | None, tell: Callable[[Pace], None], stop: Stop) -> Sum:
        """Read everything; raises Stopped once a stop rule says so."""
        begin, told = time.monotonic(), -1

        def report() -> None:
            nonlocal told
            if self._rows != told:
                told = self._rows
                tell(Pace(name, told, total, time.monotonic() - begin))

        for thread in self._threads:
            thread.start()
        try:
            for thread in self._threads:
                while thread.is_alive():
                    thread.join(POLL_SECONDS)
                    report()
                    if reason := stop():
                        raise Stopped(reason)
        finally:
            self._end.set()
            for thread in self._threads:
                thread.join()
        if self._failure is not None:
            raise self._failure
        report()  # what was read since the last look
        first, *others = self._done
        for other in others:
            self._work.merge(first, other)
        return first

    def _run(self) -> None:
        try:
            known = self._work.start()
            while (part := self._next()) is not None:
                for batch in self._source.batches(part):
                    if self._end.is_set():
                        return
                    self._work.add(known, batch)
                    with self._lock:
                        self._rows += batch.rows
            with self._lock:
                self._done.append(known)
        except BaseException as error:
            with self._lock:
                self._failure = self._failure or error
            self._end.set()

    def _next(self) -> Any:
        with self._lock:
            return None if self._end.is_set() else next(self._waiting, None)
