"""A pass on a Dask cluster: parts are counted where they lie, and only counts travel.

    parts ──► read_parts on some worker ──► sums ──► merged four by four ──► one sum comes back

Several files make one task, so that each worker has some eight tasks and few sums travel. A task
only reads, and a merge adds its inputs to something new, so whatever Dask runs again after a worker
has died gives the same sum: no row is lost, and none is counted twice. Sums do not depend on their
order, so the tree is the same as on one machine, byte for byte.

The files of a table must be where the workers can read them, under the same names.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any, Generic, TypeVar

from dtfinder.errors import ClusterError
from dtfinder.run.cluster import ClusterPool, same
from dtfinder.run.pool import PoolLost, WorkerDied
from dtfinder.run.stop import Stop, Stopped
from dtfinder.stream.passes import Pace, Pass
from dtfinder.stream.source import Source

Sum = TypeVar("Sum")
TASKS = 8  # for each thread of the cluster
MERGED = 4  # sums at once
POLL_SECONDS = 0.2
RETRIES = 3


class OnCluster(Generic[Sum]):
    """One pass, on the workers of a cluster."""

    def __init__(self, source: Source, work: Pass[Sum], pool: ClusterPool) -> None:
        self._source, self._work, self._pool = source, work, pool

    def run(self, name: str, total: int | None, tell: Callable[[Pace], None], stop: Stop) -> Sum:
        """Read everything; raises Stopped once a stop rule says so."""
        client, begin = self._pool.client, time.monotonic()
        parts = self._source.parts
        lie_there = any(hasattr(part, "dask") for part in parts)  # partitions stay where they are
        chunks = _chunks(parts, len(parts) if lie_there else TASKS * max(1, self._pool.workers()))
        source = client.submit(same, self._source.without_parts(), pure=False, retries=RETRIES)
        work = client.submit(same, self._work, pure=False, retries=RETRIES)
        leaves = [self._leaf(client, source, work, chunk) for chunk in chunks]
        level = leaves
        while len(level) > 1:
            # Merging comes before more reading, so that few sums wait.
            level = [
                client.submit(merged, work, some, pure=False, retries=RETRIES, priority=1)
                for some in (level[i : i + MERGED] for i in range(0, len(level), MERGED))
            ]
        (last,) = level
        try:
            while not last.done():
                done = sum(leaf.done() for leaf in leaves)
                tell(Pace(name, done, len(leaves), time.monotonic() - begin, "tasks"))
                if reason := stop():
                    raise Stopped(reason)
                self._pool.watch()
                time.sleep(POLL_SECONDS)
            packed = last.result()
        except PoolLost as error:
            raise ClusterError(f"{error}; start the run again once it is there") from None
        except Exception as error:
            if isinstance(self._pool.failure(error), WorkerDied):
                raise ClusterError(f"workers died while they counted: {error}") from error
            raise
        finally:
            for future in (source, work, last, *leaves):
                future.release()
        return self._work.unpack(packed)

    def _leaf(self, client: Any, source: Any, work: Any, parts: Sequence[Any]) -> Any:
        """The task for some parts. A part of a Dask frame is a graph, which Dask runs first."""
        if not any(hasattr(part, "dask") for part in parts):
            return client.submit(read_parts, source, work, parts, pure=False, retries=RETRIES)
        return client.submit(
            read_parts, source, work, client.compute(list(parts)), pure=False, retries=RETRIES
        )


def _chunks(parts: Sequence[Any], most: int) -> list[list[Any]]:
    size = max(1, -(-len(parts) // most))
    return [list(parts[i : i + size]) for i in range(0, len(parts), size)] or [[]]


# What follows runs on the workers.


def read_parts(source: Any, work: Pass[Any], parts: Sequence[Any]) -> Any:
    """What the pass makes of some parts, packed to travel."""
    known = work.start()
    for part in parts:
        for batch in source.batches(part):
            work.add(known, batch)
    return work.pack(known)


def merged(work: Pass[Any], sums: Sequence[Any]) -> Any:
    """Several sums as one; they stay as they are, since Dask may need them again."""
    known = work.start()
    for each in sums:
        work.merge(known, work.unpack(each))
    return work.pack(known)
