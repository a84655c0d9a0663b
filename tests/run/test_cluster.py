"""The cluster: the same proofs on Dask workers, whatever happens to them."""

from __future__ import annotations

import asyncio
import os
import signal
import threading
import time
from collections.abc import Iterator
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from certify.forge import read_case
from clusters import two_workers
from dtfinder import __version__
from dtfinder.data import make_dataset, read_table
from dtfinder.errors import ClusterError, InfeasibleError, OptionError
from dtfinder.front.find import find_front
from dtfinder.options import Options
from dtfinder.problem import Progress
from dtfinder.run import cluster as dask_pool
from dtfinder.run.pool import PoolLost, WorkerDied
from dtfinder.solve import find_tree, solve
from small import dataset_of, random_table

distributed = pytest.importorskip("distributed", reason="Dask is not installed")

# Workers that are killed complain, in threads and at exit; that is what these tests do to them.
pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    with two_workers() as made:
        yield made


@pytest.fixture
def client(cluster: Any) -> Iterator[Any]:
    with distributed.Client(cluster, set_as_default=False) as made:
        yield made


def told(result: Any) -> tuple[Any, ...]:
    return result.status, result.nodes, result.depth, result.lower_bound


def kill_a_worker(client: Any, after: float) -> threading.Timer:
    """Kill one Dask worker by its process id, a little later."""
    pid = next(iter(client.run(os.getpid).values()))
    timer = threading.Timer(after, os.kill, (pid, signal.SIGKILL))
    timer.start()
    return timer


def test_a_client_gives_the_answer_of_this_machine(client: Any) -> None:
    alone = find_tree("weather", method="dtfinder-T-O")
    assert told(find_tree("weather", method="dtfinder-T-O", cluster=client)) == told(alone)
    assert client.status == "running"


@pytest.mark.parametrize("minimise", ["size", "depth"])
def test_the_native_engine_gives_its_answer_and_its_proof(
    client: Any, minimise: str, tmp_path: Path
) -> None:
    table = read_table("monk2")
    dataset = make_dataset(table)
    alone = solve(dataset, Options.of(minimise=minimise))
    result = solve(dataset, Options.of(minimise=minimise, cluster=client, certify=True))
    assert (result.method, result.status, result.nodes) == ("cores", "optimal", alone.nodes)
    assert minimise == "size" or result.depth == alone.depth
    assert result.certificate is not None
    assert read_case(result.certificate, table).verdict(tmp_path) is None


@pytest.mark.parametrize("method", ["cores", "dtfinder-T"])
def test_impossible_limits_are_certified(client: Any, method: str) -> None:
    """The certificates are checked after every test."""
    with pytest.raises(InfeasibleError) as error:
        find_tree("weather", method=method, max_nodes=7, cluster=client, certify=True)
    assert error.value.certificate is not None


def test_certificates_of_topologies_are_verified(client: Any, tmp_path: Path) -> None:
    table = read_table("weather")
    options = Options.of(method="dtfinder-T-O", cluster=client, certify=True)
    result = solve(make_dataset(table), options)
    assert result.certificate is not None
    assert read_case(result.certificate, table).verdict(tmp_path) is None


def test_an_address_gives_it_too_and_work_limits_hold(cluster: Any) -> None:
    address = cluster.scheduler_address
    alone = find_tree("weather", method="d-dtfinder-T-O")
    assert told(find_tree("weather", method="d-dtfinder-T-O", cluster=address)) == told(alone)
    limited = find_tree("monk1", method="dtfinder-T-O", cluster=address, work_limit=300_000)
    assert (limited.status, limited.stopped_by) == ("feasible", "work limit")


def test_a_killed_worker_changes_nothing(client: Any) -> None:
    client.wait_for_workers(2)
    timer = kill_a_worker(client, 1.5)
    result = find_tree("mux6", method="dtfinder-T", cluster=client)
    timer.join()
    assert (result.status, result.nodes, result.lower_bound) == ("optimal", 15, 15)


def test_a_killed_worker_costs_the_native_engine_nothing_but_time(client: Any) -> None:
    client.wait_for_workers(2)
    dataset = dataset_of(*random_table(5, rows=150, features=20))
    timer = kill_a_worker(client, 1.0)
    result = solve(dataset, Options.of(cluster=client))
    timer.join()
    assert (result.status, result.nodes, result.lower_bound) == ("optimal", 71, 71)


@pytest.mark.parametrize("ask", [find_tree, find_front], ids=["fit", "front"])
def test_a_killed_worker_costs_trees_that_err_nothing_but_time(client: Any, ask: Any) -> None:
    client.wait_for_workers(2)
    random = np.random.RandomState(1)
    bits = random.rand(200, 24) < 0.5
    classes = (bits[:, 0] & bits[:, 1]) ^ (random.rand(200) < 0.2)
    timer = kill_a_worker(client, 1.0)
    found = ask(bits, classes, max_nodes=27, cluster=client)
    timer.join()
    alone = ask(bits, classes, max_nodes=27)
    each, expected = ([found], [alone]) if ask is find_tree else (found, alone)
    assert [(one.status, one.errors) for one in each] == [
        (one.status, one.errors) for one in expected
    ]
    assert all(one.status == "optimal" for one in each)


def test_the_stop_signal_ends_pieces_on_the_workers(client: Any) -> None:
    client.wait_for_workers(2)
    result = find_tree("monk2", method="dtfinder-T", cluster=client, time_limit=6)
    assert (result.status, result.stopped_by) == ("feasible", "time limit")
    # Free again at once: a task that needs a thread of a worker is done soon.
    begin = time.monotonic()
    assert client.submit(pow, 2, 10, pure=False).result(timeout=20) == 1024
    assert time.monotonic() - begin < 5


def test_a_worker_that_joins_late_is_used(tmp_path: Path) -> None:
    with (
        distributed.LocalCluster(
            n_workers=0, threads_per_worker=1, processes=True, dashboard_address=None
        ) as empty,
        distributed.Client(empty, set_as_default=False) as client,
    ):
        timer = threading.Timer(1.0, empty.scale, (1,))
        timer.start()
        result = find_tree("weather", method="dtfinder-T-O", cluster=client)
        timer.join()
    assert (result.status, result.nodes) == ("optimal", 9)


def test_a_cluster_that_goes_away_leaves_the_best_tree_and_its_bounds() -> None:
    with distributed.LocalCluster(
        n_workers=1, threads_per_worker=1, processes=True, dashboard_address=None
    ) as doomed:
        end = threading.Thread(target=doomed.close)

        def end_once_a_size_is_refuted(state: Progress) -> None:
            if state.bounds.nodes > 3 and end.ident is None:
                end.start()

        try:
            result = find_tree(
                "monk2",
                method="dtfinder-T",
                cluster=doomed.scheduler_address,
                callback=end_once_a_size_is_refuted,
            )
        finally:
            end.join()  # nobody else may close the cluster at the same time
    assert (result.status, result.stopped_by) == ("feasible", "the cluster is gone")
    assert 3 < result.lower_bound < result.nodes


def test_answers_that_dask_loses_are_no_errors_of_pieces(client: Any) -> None:
    def outcome_of(answer: list[Any]) -> BaseException:
        async def result(raiseit: bool) -> list[Any]:
            return answer

        async def hand_on() -> None:
            lost = SimpleNamespace(_result=result, status="lost")
            await distributed.cfexecutor._cascade_future(lost, found)

        found: Future[Any] = Future()
        with ThreadPoolExecutor(1) as thread:  # this one may have an event loop: that of a browser
            thread.submit(asyncio.run, hand_on()).result()
        error = found.exception()
        assert isinstance(error, ValueError)
        return dask_pool.ClusterPool(client, owned=False).failure(error)

    assert isinstance(outcome_of([CancelledError()]), WorkerDied)  # Dask expects three things
    with pytest.raises(ValueError, match="five") as raised:
        int("five")
    error = raised.value
    assert outcome_of([type(error), error, error.__traceback__]) is error


def test_wrong_addresses_and_methods_are_named() -> None:
    with pytest.raises(OptionError, match="not 5"):
        find_tree("weather", method="dtfinder-T", cluster=5)
    with pytest.raises(OptionError, match="splits"):
        find_tree("weather", method="dtfinder", cluster="tcp://127.0.0.1:1")


def test_a_scheduler_that_is_not_there_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dtfinder.run.cluster_check.CONNECT_SECONDS", 1.0)
    with pytest.raises(ClusterError, match=r"127\.0\.0\.1:1"):
        find_tree("weather", method="dtfinder-T", cluster="tcp://127.0.0.1:1")


def test_a_scheduler_that_hangs_and_workers_that_are_gone_end_the_run(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    answers: list[dict[str, int]] = [{"a": 2}, {}]

    def sync(*_: Any, callback_timeout: float, **__: Any) -> dict[str, int]:
        assert callback_timeout < 10
        if not answers:
            raise TimeoutError
        return answers.pop(0)

    client = SimpleNamespace(
        status="running",
        scheduler=SimpleNamespace(ncores=None),
        sync=sync,
        run=lambda *_, workers, **__: dict.fromkeys(workers, __version__),
    )
    now = [100.0]
    monkeypatch.setattr("dtfinder.run.cluster.time.monotonic", lambda: now[0])
    watch = dask_pool._Watch(client)
    watch()
    assert watch.threads() == 2
    now[0] += 5
    watch()
    assert watch.threads() == 0
    now[0] += dask_pool.SILENT_SECONDS - 1  # no answer any more, but not for long
    watch()
    now[0] += 2
    with pytest.raises(PoolLost, match="the cluster is gone"):
        watch()
    answers += [{}] * 9
    now[0] += dask_pool.IDLE_SECONDS
    with pytest.raises(PoolLost, match="all workers"):
        watch()


def test_a_run_ends_when_no_worker_has_dtfinder_and_goes_on_when_some_have_it(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    now, there = [100.0], {"a": 1}
    missing = ModuleNotFoundError("No module named 'dtfinder'")
    client = SimpleNamespace(
        status="running",
        scheduler=SimpleNamespace(ncores=None),
        sync=lambda *_, **__: there,
        run=lambda *_, workers, **__: {
            each: __version__ if each == "a" else missing for each in workers
        },
    )
    monkeypatch.setattr("dtfinder.run.cluster.time.monotonic", lambda: now[0])
    watch = dask_pool._Watch(client)
    watch()
    there["b"] = 1
    for _ in range(2):
        now[0] += 1
        watch()
    assert [each.getMessage() for each in caplog.records] == [
        f"the worker at b has no dtfinder, and {__version__} is needed: "
        f"pip install 'dtfinder[cluster]=={__version__}' there"
    ]
    del there["a"]
    now[0] += 1
    with pytest.raises(PoolLost, match="the worker at b has no dtfinder"):
        watch()


def test_the_first_worker_is_waited_for_aloud(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    scheduler = SimpleNamespace(ncores=None)
    client = SimpleNamespace(status="running", scheduler=scheduler, sync=lambda *_, **__: {})
    now = [100.0]
    monkeypatch.setattr("dtfinder.run.cluster.time.monotonic", lambda: now[0])
    watch = dask_pool._Watch(client)
    watch()
    for _ in range(2):
        now[0] += 3600
        watch()
    assert len(caplog.records) == 1
    assert "no workers yet" in caplog.text
