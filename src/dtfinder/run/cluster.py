"""A Dask cluster as a pool: the same pieces, on the workers of a running cluster.

    client ──submit──► scheduler ──piece──► Dask worker: a thread that waits, and its solver process
       ▲                   │                    │
       └──── answers ──────┴──── the signal ────┘

The thread of a Dask worker hands the piece to a solver process of its own (`run.worker`) and
waits in short slices: Python stays free for Dask's heartbeats, and every half second the thread
reads the stop signal, a Dask variable. When the signal has passed the piece, or Dask closes the
worker, the solver process is killed; it also dies with a worker that is killed. Run workers with
one thread each: a worker runs as many solver processes as it has threads.

What moves over the network. Once for each question (a number of leaves and a depth) and worker: the
examples, as bits. For each piece: a template out, some bytes; back, 'no tree' or a tree. Formulas
are made where they are solved. The examples are the result of a task of their own, so that Dask
makes them again when all workers that had them are gone.

When a worker is lost, Dask gives its pieces to others; a piece that loses more than a few workers
comes back as KilledWorker. When the scheduler is lost, the client says so, and the run ends with
what is proven. An answer counts only when it has arrived, so nothing is ever taken for refuted that
is not.
"""

from __future__ import annotations

import logging
import math
import time
import uuid
from collections.abc import Callable, Iterable
from concurrent.futures import CancelledError
from contextlib import suppress
from functools import cache
from typing import Any

from dtfinder.errors import ClusterError, Option, OptionError, optional_package
from dtfinder.run.cluster_check import (
    CONNECT_SECONDS,
    check_scheduler,
    is_fit,
    shake_hands,
    unfit,
    versions,
)
from dtfinder.run.local_pool import in_a_process
from dtfinder.run.pool import Blob, BlobFiles, Pool, PoolLost, Signal, WorkerDied

_log = logging.getLogger(__name__)

SIGNAL_SECONDS = 0.5  # how often a running piece reads the signal
GONE_SECONDS = 10.0  # how long the scheduler may be out of reach
SILENT_SECONDS = 30.0  # how long it may be there and not answer
IDLE_SECONDS = 60.0  # how long there may be no worker, once there was one
ANSWER_SECONDS = 2.0
# The first is for the scheduler's side; the second ends the wait for one that hangs.
PATIENCE = {"timeout": f"{ANSWER_SECONDS:g}s", "callback_timeout": ANSWER_SECONDS + 1}
LOST = "the cluster is gone"


class ClusterPool(Pool):
    """The workers of a Dask client."""

    def __init__(self, client: Any, *, owned: bool) -> None:
        """`owned` says that the client is closed with the pool."""
        check_scheduler(client)
        self._watch = _Watch(client)
        self._watch.threads()
        if self._watch.unfit is not None:
            raise ClusterError(self._watch.unfit)
        super().__init__(client.get_executor(pure=False, retries=0), perform)
        self.client, self._owned = client, owned

    @classmethod
    def of(cls, cluster: object) -> ClusterPool:
        """The workers behind an address, or of a client, which stays open."""
        dask = _dask()
        if isinstance(cluster, dask.Client):
            return cls(cluster, owned=False)
        if not isinstance(cluster, str):
            raise OptionError(
                Option("cluster"),
                f" must be the address of a Dask scheduler or a Client, not {cluster!r}",
            )
        shake_hands(dask, cluster)
        try:
            client = dask.Client(cluster, timeout=CONNECT_SECONDS, set_as_default=False)
        except (OSError, ValueError, TimeoutError) as error:
            raise ClusterError(f"cannot reach a Dask scheduler at {cluster!r}: {error}") from error
        try:
            return cls(client, owned=True)
        except BaseException:
            client.close(timeout=GONE_SECONDS)
            raise

    def workers(self) -> int:
        """How many pieces can run at once; workers come and go."""
        return self._watch.threads()

    def share(self, blob: Blob) -> Any:
        """A task, not scattered data: Dask runs it again if its result is lost."""
        return self.client.submit(same, blob, key=f"dtfinder-{blob.digest}", retries=5)

    def new_signal(self) -> ClusterSignal:
        """A signal that reaches every worker."""
        return ClusterSignal(self.client)

    def failure(self, error: BaseException) -> BaseException:
        """What Dask's errors mean."""
        lost = (_dask().KilledWorker, _dask().comm.CommClosedError, CancelledError)
        if isinstance(error, lost):
            return WorkerDied(str(error) or "its worker was lost")
        return WorkerDied("its answer was lost") if _is_dasks_own(error) else error

    def watch(self) -> None:
        """Raises PoolLost once the scheduler, or every worker, has been away for too long."""
        self._watch()

    def close(self) -> None:
        """Close the client, if it is ours."""
        if self._owned:
            with suppress(Exception):  # a scheduler that is gone needs no farewell
                self.client.close(timeout=GONE_SECONDS)


def _dask() -> Any:
    return optional_package("distributed", "a cluster needs Dask", "cluster")


def _is_dasks_own(error: BaseException) -> bool:
    """Whether Dask failed where it hands on what became of a piece: it does so when the scheduler
    goes away at that moment. What a piece raises has frames of the worker below that."""
    frame = error.__traceback__
    while frame is not None and frame.tb_next is not None:
        frame = frame.tb_next
    return frame is not None and frame.tb_frame.f_globals["__name__"] == "distributed.cfexecutor"


class _Watch:
    """Raises PoolLost once the scheduler, or every worker, has been away for too long. Until the
    first worker comes it waits, and says so."""

    def __init__(self, client: Any) -> None:
        self._client, self._away_since = client, None
        self._threads, self._asked = 0, 0.0
        self._began = self._heard = time.monotonic()
        self._worked: float | None = None  # when there was a worker, the last time that we heard
        self._waits = False
        self._versions: dict[str, Any] = {}  # of the workers that we know
        self.unfit: str | None = None  # what to say about those on which nothing can run
        self._warned = False

    _away_since: float | None

    def threads(self) -> int:
        """How many pieces the cluster can work on; workers come and go."""
        now = time.monotonic()
        if now - self._asked > SIGNAL_SECONDS:
            with suppress(Exception):
                # As Client.nthreads, which would wait for ever for a scheduler that hangs.
                ask = self._client.scheduler.ncores
                found = self._client.sync(ask, workers=None, callback_timeout=ANSWER_SECONDS)
                self._threads, self._heard = sum(found.values()), time.monotonic()
                self._look_at(found)
            self._asked = time.monotonic()
            if self._threads:
                self._worked = self._asked
        return self._threads

    def _look_at(self, workers: Iterable[str]) -> None:
        """See whether dtfinder is on the workers that are new. Dask closes those where it is not
        as soon as they are given work, so what was found is kept."""
        known = {each: self._versions[each] for each in workers if each in self._versions}
        if new := set(workers) - set(known):
            self._versions = known | dict.fromkeys(new)  # if one does not answer, ask none again
            known |= versions(self._client, new, CONNECT_SECONDS)
        self._versions, self.unfit = known, unfit(known) or self.unfit

    def __call__(self) -> None:
        self._look_for_workers()
        if self._client.status == "running" and self._client.scheduler is not None:
            self._away_since = None
            return
        if self._client.status in ("closed", "closing"):
            raise PoolLost(LOST)
        now = time.monotonic()
        self._away_since = self._away_since or now
        if now - self._away_since > GONE_SECONDS:
            raise PoolLost(LOST)

    def _look_for_workers(self) -> None:
        self.threads()
        now = time.monotonic()
        if now - self._heard > SILENT_SECONDS:
            raise PoolLost(LOST)
        if self._versions and not any(map(is_fit, self._versions.values())):
            raise PoolLost(str(self.unfit))
        if self.unfit and not self._warned:
            self._warned = True
            _log.warning("%s", self.unfit)
        if self._worked is not None and now - self._worked > IDLE_SECONDS:
            raise PoolLost(self.unfit or "all workers of the cluster are gone")
        if self._worked is None and now - self._began > GONE_SECONDS and not self._waits:
            self._waits = True
            _log.warning(
                "the cluster has no workers yet; waiting for the first (Dask closes a worker "
                "without dtfinder as soon as it connects)"
            )


class ClusterSignal:
    """The stop signal as a Dask variable: the highest rank that is still wanted."""

    def __init__(self, client: Any) -> None:
        self._name = f"dtfinder-{uuid.uuid4().hex}"
        self._client: Any = client
        self.limit(math.inf)

    def __getstate__(self) -> dict[str, Any]:
        return {"_name": self._name, "_client": None}

    def limit(self, rank: float) -> None:
        """Ask all pieces of a rank above `rank` to end."""
        with suppress(Exception):  # without a scheduler, workers end by themselves
            _dask().Variable(self._name, client=self._client).set(rank, **PATIENCE)

    def passed(self, rank: float) -> bool:
        """Whether a piece of this rank is to end."""
        client = self._client or _dask().get_client()
        try:
            return rank > float(_dask().Variable(self._name, client=client).get(**PATIENCE))
        except (TimeoutError, _dask().TimeoutError):  # a busy scheduler: ask again later
            return False


# What follows runs in the threads of Dask workers.


def perform(
    function: Callable[..., Any],
    shared: Blob,
    arguments: tuple[Any, ...],
    signal: Signal,
    rank: float,
) -> Any:
    """`function(shared, *arguments)` in the solver process of this thread."""
    return in_a_process(function, _blob_files().store(shared), arguments, _Slow(signal), rank)


class _Slow:
    """A signal that is read every half second, though it is asked every few milliseconds."""

    def __init__(self, signal: Signal) -> None:
        self._signal, self._read, self._passed = signal, time.monotonic(), False

    def limit(self, rank: float) -> None:
        """Ask all pieces of a rank above `rank` to end."""
        self._signal.limit(rank)

    def passed(self, rank: float) -> bool:
        """Whether a piece of this rank is to end."""
        now = time.monotonic()
        if not self._passed and now - self._read > SIGNAL_SECONDS:
            self._passed, self._read = self._signal.passed(rank), time.monotonic()
        return self._passed


@cache
def _blob_files() -> BlobFiles:
    """Where this worker keeps blobs."""
    return BlobFiles()


def same(value: Any) -> Any:
    """A task whose result is what it was given, so that Dask can make it again."""
    return value
