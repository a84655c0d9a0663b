"""The CPUs of this machine as a pool: threads, each with a solver process that it may kill.

`worker.call` starts one solver process for each thread and ends it at once when told to. So the
executor of the standard library, with its threads, is all that is needed: the threads only wait.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from typing import Any

from dtfinder.run import worker
from dtfinder.run.pool import Blob, BlobFiles, Piece, Pool, Run, Signal, Stored, WorkerDied
from dtfinder.run.stop import Stop, Stopped


class _Here(Pool):
    """Workers of this machine, for which blobs are files."""

    def __init__(self, workers: int, executor: Executor, perform: Callable[..., Any]) -> None:
        super().__init__(executor, perform)
        self._workers, self._files = workers, BlobFiles()

    def workers(self) -> int:
        """How many pieces can run at once."""
        return self._workers

    def share(self, blob: Blob) -> Stored:
        """The blob as a file."""
        return self._files.store(blob)

    def close(self) -> None:
        """End the processes and remove the files."""
        self.executor.shutdown(wait=True, cancel_futures=True)
        self._files.close()


class LocalPool(_Here):
    """Solver processes, one for each worker."""

    def __init__(self, workers: int) -> None:
        executor = ThreadPoolExecutor(workers, thread_name_prefix="dtfinder")
        super().__init__(workers, executor, in_a_process)


class InlinePool(_Here):
    """A pool of one: each piece runs at once, in the solver process of the thread that asks."""

    ahead = 0

    def __init__(self) -> None:
        super().__init__(1, _Inline(), self._perform)
        self._stop: Stop = lambda: None

    def run(self, pieces: Iterable[Piece], shared: Any, stop: Stop) -> Run:
        """Start on the pieces. Nobody asks `stop` while a piece runs but the piece itself."""
        self._stop = stop
        return super().run(pieces, shared, stop)

    def _perform(
        self,
        function: Callable[..., Any],
        shared: Stored,
        arguments: tuple[Any, ...],
        _signal: Signal,
        _rank: float,
    ) -> Any:
        return worker.call(function, shared, *arguments, stop=self._stop)


class _Inline(Executor):
    """Runs what is submitted at once."""

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """A future that is done."""
        future: Future[Any] = Future()
        try:
            future.set_result(fn(*args, **kwargs))
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            future.set_exception(error)
        return future


def in_a_process(
    function: Callable[..., Any],
    shared: Stored,
    arguments: tuple[Any, ...],
    signal: Signal,
    rank: float,
) -> Any:
    """`function(shared, *arguments)` in the solver process of this thread."""

    def stop() -> str | None:
        return "signal" if signal.passed(rank) else None

    try:
        return worker.call(function, shared, *arguments, stop=stop, tries=1)
    except (Stopped, worker.WorkerError) as error:
        if stop():
            raise
        raise WorkerDied(str(error)) from error
