"""Run independent pieces of work on any `concurrent.futures.Executor`.

A search that can be split hands its pieces to `Pool.run` and takes the answers as they come. The
pool keeps a few pieces in flight for every worker and no more, so that the order of priority means
something and ten thousand pieces cost no more memory than ten. Whoever consumes the answers may
stop at any moment, by a stop rule or by closing the iterator: then the shared signal is set, which
every running piece watches, and nothing is left behind.

Workers die: of too little memory, or because somebody took their machine away. A piece is a
question with one right answer, whoever answers it, so it is simply asked again. A piece that takes
one worker after the other with it ends the run with a message; all bounds proven until then stand.

What pieces have in common, e.g. the examples, is a `Blob`: bytes with a digest, which each worker
gets once and keeps.
"""

from __future__ import annotations

import hashlib
import heapq
import importlib
import logging
import math
import os
import pickle
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import (
    FIRST_COMPLETED,
    BrokenExecutor,
    CancelledError,
    Executor,
    Future,
    wait,
)
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any, Protocol

from dtfinder.run.scratch import Scratch
from dtfinder.run.stop import Stop, Stopped

_log = logging.getLogger(__name__)

POLL_SECONDS = 0.05
FAREWELL_SECONDS = 5.0  # how long to wait for running pieces to see the signal
TRIES = 3


class Signal(Protocol):
    """The shared stop signal: a rank, and pieces of a higher rank are to end. Set by the pool,
    watched by whatever runs the pieces."""

    def limit(self, rank: float) -> None:
        """Ask all pieces of a rank above `rank` to end."""

    def passed(self, rank: float) -> bool:
        """Whether a piece of this rank is to end."""


class LocalSignal:
    """A signal for the threads of this process."""

    def __init__(self) -> None:
        self._rank = math.inf

    def limit(self, rank: float) -> None:
        """Ask all pieces of a rank above `rank` to end."""
        self._rank = min(rank, self._rank)

    def passed(self, rank: float) -> bool:
        """Whether a piece of this rank is to end."""
        return rank > self._rank


class WorkerDied(Exception):
    """Raised by `perform` when the worker of a piece ended without an answer."""


class PoolLost(Exception):
    """Raised by `perform` or `watch` when no worker is left, nor will be."""


@dataclass(frozen=True)
class Blob:
    """A value as bytes, known by its digest."""

    digest: str
    content: bytes = field(repr=False)

    @classmethod
    def of(cls, value: Any) -> Blob:
        """The pickled value."""
        content = pickle.dumps(value, protocol=5)
        return cls(hashlib.sha256(content).hexdigest(), content)


@dataclass(frozen=True)
class Stored:
    """A blob in a file of this machine, cheap to name to another process."""

    digest: str
    path: str

    def value(self) -> Any:
        """The value; a process reads the file once, as long as it is asked for no other."""
        return _value_of(self)


@lru_cache(maxsize=1)
def _value_of(stored: Stored) -> Any:
    return pickle.loads(Path(stored.path).read_bytes())


class BlobFiles:
    """Blobs of this machine in files, gone when it is closed."""

    def __init__(self) -> None:
        self._folder = Scratch()
        self._lock = threading.Lock()

    def store(self, blob: Blob) -> Stored:
        """Where the blob is; written at the first call."""
        path = self._folder.path / blob.digest
        with self._lock:
            if not path.exists():
                part = path.with_suffix(f".{os.getpid()}")
                part.write_bytes(blob.content)
                part.replace(path)
        return Stored(blob.digest, str(path))

    def close(self) -> None:
        """Remove the files."""
        self._folder.close()


@dataclass(frozen=True)
class Piece:
    """`function(shared, *arguments)`; a smaller rank goes first. Function, arguments and answer
    must pickle, and running it twice must do no harm."""

    rank: float
    function: Callable[..., Any]
    arguments: tuple[Any, ...] = ()


class Pool(ABC):
    """An executor with what it takes to run pieces on it."""

    ahead = 1  # pieces in flight for every worker beyond the one it works on

    def __init__(self, executor: Executor, perform: Callable[..., Any]) -> None:
        """`perform(function, shared, arguments, signal, rank)` runs inside the executor. It raises
        WorkerDied if it is worth another try, PoolLost if nothing is, and Stopped once the signal
        has passed its rank."""
        self.executor, self.perform = executor, perform

    @abstractmethod
    def workers(self) -> int:
        """How many pieces can run at once; workers may come and go."""

    @abstractmethod
    def share(self, blob: Blob) -> Any:
        """What `perform` gets as `shared` for a blob."""

    def new_signal(self) -> Signal:
        """A signal that reaches every worker."""
        return LocalSignal()

    def failure(self, error: BaseException) -> BaseException:
        """What an error of the executor means: that a worker died (WorkerDied), or all did
        (PoolLost)."""
        return error

    def watch(self) -> None:  # noqa: B027 (this machine stays)
        """Asked often; raises PoolLost if no worker is left, nor will be."""

    @abstractmethod
    def close(self) -> None:
        """End what the pool has started."""

    def run(self, pieces: Iterable[Piece], shared: Any, stop: Stop) -> Run:
        """Start on the pieces; iterate over the run for the answers, and close it."""
        return Run(self, pieces, shared, stop)


class Run:
    """Pieces under way: an iterator of (piece, answer) in the order in which they are done. Raises
    Stopped if `stop` says so, if the executor is lost, or if a piece ends worker after worker."""

    def __init__(self, pool: Pool, pieces: Iterable[Piece], shared: Any, stop: Stop) -> None:
        self._pool, self._shared, self._stop = pool, shared, stop
        self._waiting = [(piece.rank, number, piece) for number, piece in enumerate(pieces)]
        heapq.heapify(self._waiting)
        self._flying: dict[Future[Any], tuple[int, Piece]] = {}
        self._deaths: dict[int, int] = {}
        self._rank = math.inf
        self._signal = pool.new_signal()

    def __enter__(self) -> Run:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        # Whoever presses Ctrl-C once more does not want to wait.
        self.close(0 if kind is KeyboardInterrupt else FAREWELL_SECONDS)

    def drop_above(self, rank: float) -> None:
        """Answers to pieces of a higher rank are not wanted any more: end them at once."""
        if rank < self._rank:
            self._rank = rank
            self._signal.limit(rank)
            self._waiting = [each for each in self._waiting if each[0] <= rank]
            heapq.heapify(self._waiting)
            for future in [f for f, (_, piece) in self._flying.items() if piece.rank > rank]:
                self._flying.pop(future)
                future.cancel()

    def close(self, seconds: float = FAREWELL_SECONDS) -> None:
        """End what still runs, and wait until it has ended, but not for long."""
        running = list(self._flying)
        self.drop_above(-math.inf)
        wait([each for each in running if not each.cancelled()], seconds)

    def __iter__(self) -> Iterator[tuple[Piece, Any]]:
        try:
            while self._waiting or self._flying:
                if reason := self._stop():
                    raise Stopped(reason)
                self._pool.watch()
                self._fill()
                done, _ = wait(self._flying, POLL_SECONDS, FIRST_COMPLETED)
                for future in sorted(done, key=lambda each: self._flying[each][1].rank):
                    if future not in self._flying:  # dropped by whoever took the last answer
                        continue
                    number, piece = self._flying.pop(future)
                    if (error := _error(future)) is None:
                        yield piece, future.result()
                    else:
                        self._again(number, piece, error)
        except (PoolLost, BrokenExecutor) as error:
            raise Stopped(str(error) or "the workers are gone") from error

    def _fill(self) -> None:
        most = max(1, self._pool.workers()) * (1 + self._pool.ahead)
        while self._waiting and len(self._flying) < most:
            _, number, piece = heapq.heappop(self._waiting)
            work = (piece.function, self._shared, piece.arguments, self._signal, piece.rank)
            try:
                future = self._pool.executor.submit(self._pool.perform, *work)
            except RuntimeError as error:  # what executors raise once they are shut down
                raise PoolLost(f"the workers are gone ({error})") from error
            self._flying[future] = (number, piece)

    def _again(self, number: int, piece: Piece, error: BaseException) -> None:
        """Ask the piece that ended a worker once more, unless it did so too often or failed by
        itself."""
        died = self._pool.failure(error)
        if not isinstance(died, WorkerDied):
            raise died
        self._deaths[number] = self._deaths.get(number, 0) + 1
        if self._deaths[number] >= TRIES:
            raise Stopped(_too_often(died)) from error
        heapq.heappush(self._waiting, (piece.rank, number, piece))


def worker_count(asked: int) -> int:
    """The number of workers to start: no more than there are CPUs, and for 0 as many."""
    if asked == 1:
        return 1
    there = cpus()
    if asked > there:
        _log.warning(
            "%d workers are more than the CPUs that this run may use; using %d", asked, there
        )
    return min(asked or there, there)


def cpus() -> int:
    """How many CPUs this process may use, by its affinity and the limits of its container."""
    # It comes with scikit-learn, and takes long to import for a run that needs one CPU.
    return int(importlib.import_module("joblib").cpu_count())


def _error(future: Future[Any]) -> BaseException | None:
    return CancelledError() if future.cancelled() else future.exception()


def _too_often(error: BaseException) -> str:
    return f"a part of the search ended its worker {TRIES} times ({error or 'no reason given'})"
