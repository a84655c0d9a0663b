"""The cores of this machine as a pool: threads, each with a solver process that it may kill.

`worker.call` starts one solver process for each thread and ends it at once when told to. So the
executor of the standard library, with its threads, is all that is needed: the threads only wait.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from dtfinder.run import worker
from dtfinder.run.pool import Pool, Shelf, Signal, Stored, WorkerDied
from dtfinder.run.stop import Stopped


def local_pool(workers: int) -> Pool:
    """So many solver processes; close the pool to end them."""
    shelf = Shelf()
    executor = ThreadPoolExecutor(workers, thread_name_prefix="dtfinder")

    def close() -> None:
        executor.shutdown(wait=True, cancel_futures=True)
        shelf.close()

    return Pool(executor, lambda: workers, in_a_process, shelf.store, close=close)


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
