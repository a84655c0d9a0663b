"""What can be wrong with a cluster is said in time, with the address and the cure."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any

import pytest

from dtfinder import __version__
from dtfinder.errors import ClusterError
from dtfinder.run.cluster_check import check_scheduler, shake_hands, unfit

distributed = pytest.importorskip("distributed", reason="Dask is not installed")


@contextmanager
def server(greeting: bytes) -> Iterator[str]:
    """The address of something that accepts connections, says so much and then nothing."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        heard: list[socket.socket] = []

        def serve() -> None:
            while True:
                try:
                    heard.append(listening.accept()[0])
                    heard[-1].sendall(greeting)
                except OSError:
                    return

        thread = threading.Thread(target=serve)
        thread.start()
        yield f"tcp://127.0.0.1:{listening.getsockname()[1]}"
        listening.shutdown(socket.SHUT_RDWR)
        thread.join()
        for each in heard:
            each.close()


@pytest.mark.parametrize("greeting", [b"", b"HTTP/1.0 400 Bad Request\r\n\r\n"])
def test_what_is_no_scheduler_is_named_in_time(
    greeting: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("dtfinder.run.cluster_check.CONNECT_SECONDS", 1.0)
    begin = time.monotonic()
    with server(greeting) as address, pytest.raises(ClusterError, match=address) as error:
        shake_hands(distributed, address)
    assert "does not answer as a Dask scheduler does: give the address that" in str(error.value)
    assert time.monotonic() - begin < 5


@pytest.mark.filterwarnings("ignore")
def test_a_scheduler_is_known_from_a_worker() -> None:
    with distributed.LocalCluster(
        n_workers=1, threads_per_worker=1, processes=False, protocol="tcp", dashboard_address=None
    ) as made:
        shake_hands(distributed, made.scheduler_address)
        address = made.workers[0].address
        with pytest.raises(ClusterError, match="is a Dask Worker, not a scheduler"):
            shake_hands(distributed, address)


def scheduler_with(found: Any) -> Any:
    def run(*_: Any, **__: Any) -> Any:
        if isinstance(found, Exception):
            raise found
        return found

    return SimpleNamespace(run_on_scheduler=run)


def test_the_scheduler_needs_dtfinder_too() -> None:
    check_scheduler(scheduler_with(__version__))
    check_scheduler(scheduler_with(TimeoutError()))
    with pytest.raises(ClusterError, match="the scheduler has no dtfinder, and"):
        check_scheduler(scheduler_with(ModuleNotFoundError("No module named 'dtfinder'")))
    with pytest.raises(ClusterError, match=f"has dtfinder 0.0.9, and {__version__} is"):
        check_scheduler(scheduler_with("0.0.9"))


def test_workers_that_nothing_can_run_on_are_counted() -> None:
    missing = Exception("ModuleNotFoundError(\"No module named 'dtfinder'\")")  # as Dask sends it
    assert unfit({}) is None
    assert unfit({"a": __version__, "b": None, "c": OSError()}) is None
    assert str(unfit({"a": __version__, "b": missing, "c": missing})).startswith(
        "the worker at b (and 1 more) has no dtfinder, "
    )
