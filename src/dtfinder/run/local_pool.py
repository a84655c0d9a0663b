"""The CPUs of this machine as a pool: threads, each with a solver process that it may kill.

`worker.call` starts one solver process for each thread and ends it at once when told to. So the
executor of the standard library, with its threads, is all that is needed: the threads only wait.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from dtfinder.run import worker
from dtfinder.run.pool import Blob, BlobFiles, Pool, Signal, Stored, WorkerDied
from dtfinder.run.stop import Stopped


class LocalPool(Pool):
    """Solver processes of this machine; close the pool to end them."""

    def __init__(self, workers: int) -> None:
        super().__init__(ThreadPoolExecutor(workers, thread_name_prefix="dtfinder"))
        self._workers, self._files = workers, BlobFiles()

    def workers(self) -> int:
        """How many pieces can run at once."""
        return self._workers

    def share(self, blob: Blob) -> Stored:
        """The blob as a file."""
        return self._files.store(blob)

    @property
    def perform(self) -> Callable[..., Any]:
        """`in_a_process`."""
        return in_a_process

    def watch(self) -> None:
        """This machine stays."""

    def close(self) -> None:
        """End the processes and remove the files."""
        self.executor.shutdown(wait=True, cancel_futures=True)
        self._files.close()


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
        return worker.call(function, shared, *arguments, stop=stop)
    except (Stopped, worker.WorkerError) as error:
        if stop():
            raise
        raise WorkerDied(str(error)) from error
