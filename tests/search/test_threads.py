"""The exact engine on threads: the same optimum as alone, certified, and obedient."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from certify.forge import read_case
from dtfinder.data import make_dataset, read_table
from dtfinder.errors import InfeasibleError
from dtfinder.options import Options
from dtfinder.solve import find_tree, solve
from oracle import Oracle
from small import dataset_of, random_table


@pytest.mark.parametrize("minimise", ["size", "depth"])
@pytest.mark.parametrize("seed", range(12))
def test_threads_agree_with_brute_force(seed: int, minimise: str) -> None:
    bits, labels = random_table(seed, rows=9, features=5, classes=2 + seed % 2)
    judge = Oracle(bits, labels)
    result = solve(dataset_of(bits, labels), Options.of(minimise=minimise, workers=3))
    assert (result.status, result.method) == ("optimal", "cores")
    if minimise == "size":
        assert result.nodes == judge.size()
    else:
        assert (result.depth, result.nodes) == judge.depth_then_size()


@pytest.mark.parametrize("name", ["monk1", "monk2", "mux6", "corral", "xd6"])
def test_any_number_of_threads_proves_the_same(name: str) -> None:
    results = [find_tree(name, workers=workers) for workers in (1, 2, 3)]
    assert {(r.status, r.nodes, r.lower_bound) for r in results} == {
        ("optimal", results[0].nodes, results[0].nodes)
    }
    deep = [find_tree(name, workers=workers, minimise="depth") for workers in (1, 2, 3)]
    assert len({(r.status, r.nodes, r.depth) for r in deep}) == 1
    assert deep[0].status == "optimal"


@pytest.mark.parametrize("minimise", ["size", "depth"])
@pytest.mark.parametrize("name", ["weather", "monk1", "monk3"])
def test_certificates_of_threads_are_verified(name: str, minimise: str, tmp_path: Path) -> None:
    table = read_table(name)
    result = solve(make_dataset(table), Options.of(minimise=minimise, workers=2, certify=True))
    assert result.status == "optimal"
    assert result.certificate is not None
    case = read_case(result.certificate, table)
    assert len(case.body) > 0
    assert case.verdict(tmp_path) is None


def test_limits_hold_and_no_thread_is_left() -> None:
    before = threading.active_count()
    bits, labels = random_table(1, rows=400, features=40)
    dataset = dataset_of(bits, labels)
    begin = time.monotonic()
    timed = solve(dataset, Options.of(workers=2, time_limit=1))
    assert time.monotonic() - begin < 10
    worked = solve(dataset, Options.of(workers=2, work_limit=1_000_000))
    assert (timed.status, timed.stopped_by) == ("feasible", "time limit")
    assert (worked.status, worked.stopped_by) == ("feasible", "work limit")
    assert 1 < timed.lower_bound < timed.nodes
    assert threading.active_count() == before


SCRIPT = """
import threading
from dtfinder.options import Options
from dtfinder.solve import solve
from small import dataset_of, random_table

def tell(state):
    if state.bounds.nodes > 5:
        print("running", flush=True)

dataset = dataset_of(*random_table(1, rows=400, features=40))
result = solve(dataset, Options.of(workers=2), callback=tell)
print(result.status, result.stopped_by, threading.active_count(), flush=True)
"""


def test_ctrl_c_ends_all_threads_and_keeps_the_tree() -> None:
    with subprocess.Popen(
        [sys.executable, "-c", SCRIPT],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    ) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == "running\n"
        begin = time.monotonic()
        child.send_signal(signal.SIGINT)
        words = child.stdout.read().splitlines()[-1]
        assert child.wait(20) == 0
    assert words == "feasible interrupted 1"
    assert time.monotonic() - begin < 10


@pytest.mark.parametrize("minimise", ["size", "depth"])
@pytest.mark.parametrize("limits", [{"max_nodes": 13}, {"max_depth": 2}])
def test_what_is_impossible_is_proven_by_threads_too(minimise: str, limits: dict[str, Any]) -> None:
    """That the certificates hold is seen to after every test."""
    with pytest.raises(InfeasibleError):
        find_tree("mux6", method="cores", workers=2, minimise=minimise, **limits)
    with pytest.raises(InfeasibleError) as error:
        find_tree("mux6", method="cores", workers=2, minimise=minimise, certify=True, **limits)
    assert error.value.certificate is not None
