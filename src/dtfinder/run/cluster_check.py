"""Is there a Dask scheduler at an address, and is dtfinder where a run on it needs it?

Dask itself waits for ever for something that accepts connections and says nothing, takes the words
of a web server for the length of a message, and closes a worker that is sent what it cannot import.
Here these become messages that say what is wrong and what to do.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterable
from concurrent.futures import Future
from typing import Any

from dtfinder.errors import ClusterError
from dtfinder.version import __version__

CONNECT_SECONDS = 10.0
SCHEDULER = "the scheduler"
CURE = "give the address that `dask scheduler` prints, such as tcp://10.0.0.5:8786"


def shake_hands(dask: Any, address: str) -> None:
    """Raise a ClusterError unless a Dask scheduler answers at the address."""
    answer: Future[Any] = Future()

    def ask() -> None:
        try:
            answer.set_result(asyncio.run(asyncio.wait_for(_type(dask, address), CONNECT_SECONDS)))
        except Exception as error:
            answer.set_exception(error)

    # In a thread of its own: this one may be a notebook's, which has a loop already.
    threading.Thread(target=ask, daemon=True).start()
    try:
        found = answer.result()
    except (dask.comm.CommClosedError, TimeoutError, MemoryError, AssertionError) as error:
        raise ClusterError(
            f"{address!r} does not answer as a Dask scheduler does: {CURE}"
        ) from error
    except Exception as error:
        raise ClusterError(
            f"cannot reach a Dask scheduler at {address!r}: {error}; {CURE}"
        ) from error
    if found != "Scheduler":
        raise ClusterError(f"{address!r} is a Dask {found}, not a scheduler: {CURE}")


async def _type(dask: Any, address: str) -> Any:
    """Which kind of Dask server it is."""
    secure = dask.Security().get_connection_args("client")
    comm = await dask.comm.connect(address, timeout=CONNECT_SECONDS / 2, **secure)
    try:
        await comm.write({"op": "identity", "reply": True})
        return (await comm.read())["type"]
    finally:
        comm.abort()


def check_scheduler(client: Any) -> None:
    """Raise a ClusterError unless the scheduler, which unpacks every piece of work that it hands
    on, has this version of dtfinder."""
    try:
        found = client.run_on_scheduler(version, callback_timeout=CONNECT_SECONDS)
    except TimeoutError:  # it is busy, and whoever waits for its answers will say so
        return
    except Exception as error:
        found = error
    if reason := unfit({SCHEDULER: found}):
        raise ClusterError(reason)


def versions(client: Any, workers: Iterable[str], seconds: float) -> dict[str, Any]:
    """For each worker its version of dtfinder, or the error that came instead."""
    found: dict[str, Any] = client.run(
        version, workers=list(workers), on_error="return", callback_timeout=seconds
    )
    return found


def is_fit(found: Any) -> bool:
    """Whether a worker with this answer can do the work; one that gave none has the benefit of the
    doubt. Dask passes some errors on as text only."""
    if isinstance(found, Exception):
        return "No module named" not in str(found)
    return found in (None, __version__)


def unfit(found: dict[str, Any]) -> str | None:
    """The message about workers without dtfinder, or with another version; None if all is well."""
    wrong = [(place, each) for place, each in found.items() if not is_fit(each)]
    if not wrong:
        return None
    place, each = wrong[0]
    name = place if place == SCHEDULER else f"the worker at {place}"
    more = f" (and {len(wrong) - 1} more)" if len(wrong) > 1 else ""
    what = f"dtfinder {each}" if isinstance(each, str) else "no dtfinder"
    return (
        f"{name}{more} has {what}, and {__version__} is needed: "
        f"pip install 'dtfinder[cluster]=={__version__}' there"
    )


def version() -> str:
    """Runs on the scheduler and the workers."""
    return __version__
