"""The runner as its users meet it: by its command, since a run is forked from a fresh process."""

import gzip
import itertools
import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from benchmarks.instances import ROOT
from benchmarks.results import Results

from processes import alive, children


def store(folder: Path, name: str, lines: list[tuple[int, ...]]) -> None:
    """A table as the local cache of pmlb has it."""
    (folder / name).mkdir(parents=True)
    width = len(lines[0]) - 1
    head = "\t".join([*(f"x{i}" for i in range(width)), "target"])
    text = "\n".join([head, *("\t".join(map(str, line)) for line in lines)]) + "\n"
    with gzip.open(folder / name / f"{name}.tsv.gz", "wt") as stream:
        stream.write(text)


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two tiny tables and one that no method solves in a second."""
    folder = tmp_path_factory.mktemp("pmlb")
    bits = list(itertools.product((0, 1), repeat=3))
    store(folder, "and", [(*x, x[0] & x[1]) for x in bits])
    store(folder, "parity", [(*x, sum(x) % 2) for x in bits])
    chance = random.Random(1)
    rows = {tuple(chance.randrange(2) for _ in range(24)) for _ in range(160)}
    store(folder, "noise", [(*x, chance.randrange(2)) for x in sorted(rows)])
    return folder


def started(
    data: Path,
    out: Path,
    *more: Any,
    methods: tuple[str, ...] = ("sklearn", "dtfinder"),
    names: tuple[str, ...] = ("and", "parity"),
) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "benchmarks", "run", "--suite", "pmlb"]
    command += ["--data", str(data), "--percent", "100", "--datasets", *names]
    command += ["--methods", *methods, "--out", str(out), "--time-limit", "2", *more]
    # No list of optima: what these tables are called must not matter.
    shared = {"DTFINDER_SHARED": str(data.parent / "nowhere")}
    return subprocess.Popen(
        command,
        cwd=ROOT,
        env={**os.environ, **shared},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def run(*arguments: Any, **names: Any) -> subprocess.CompletedProcess[str]:
    with started(*arguments, **names) as process:
        out, err = process.communicate()
    return subprocess.CompletedProcess(process.args, process.returncode, out, err)


@pytest.fixture(scope="module")
def finished(data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The file of a small campaign that went well."""
    out = tmp_path_factory.mktemp("out") / "results.jsonl"
    done = run(data, out, "--jobs", "2")
    assert done.returncode == 0, done.stderr
    return out


def test_every_method_runs_on_every_instance(finished: Path) -> None:
    rows = {(row.dataset, row.method): row for row in Results.open(finished).rows}
    assert len(rows) == 4
    smallest = rows["and", "dtfinder"]
    assert (smallest.status, smallest.nodes, smallest.depth) == ("optimal", 5, 2)
    assert smallest.tree == ["x0 = 1", "0", ["x1 = 1", "0", "1"]] or smallest.tree == [
        "x1 = 1",
        "0",
        ["x0 = 1", "0", "1"],
    ]
    assert rows["parity", "dtfinder"].nodes == 15
    assert rows["parity", "sklearn"].status == "feasible"
    for row in rows.values():
        assert (row.examples, row.features, row.ended) == (8, 3, "done")
        assert 0 < row.cpu < 2
        assert row.wall >= 0.001
        assert 10**7 < row.memory < 10**9


def test_the_head_names_the_machine_but_no_host_and_no_path(finished: Path) -> None:
    head = Results.open(finished).heads[0]
    assert (head.time_limit, head.memory_limit, head.suite) == (2.0, 3 * 10**9, "pmlb")
    assert {"CPU", "cores", "memory", "Python", "dtfinder"} <= head.machine.keys()
    text = json.dumps(head.machine)
    assert os.uname().nodename not in text.split()
    assert "/" not in text


def test_finished_rows_are_never_run_again(data: Path, finished: Path) -> None:
    before = finished.read_bytes()
    done = run(data, finished)
    assert done.returncode == 0, done.stderr
    assert finished.read_bytes() == before


def test_a_torn_line_is_repaired_and_its_run_alone_done_again(
    data: Path, finished: Path, tmp_path: Path
) -> None:
    torn = tmp_path / "torn.jsonl"
    whole = finished.read_bytes()
    torn.write_bytes(whole[:-20])
    done = run(data, torn)
    assert done.returncode == 0, done.stderr
    kept = whole[: whole.rstrip().rfind(b"\n") + 1]
    assert torn.read_bytes().startswith(kept)
    assert Results.open(torn).done() == Results.open(finished).done()
    assert len(torn.read_bytes().splitlines()) == len(whole.splitlines())


def test_two_proofs_that_disagree_stop_the_campaign(
    data: Path, finished: Path, tmp_path: Path
) -> None:
    wrong = tmp_path / "wrong.jsonl"
    text = finished.read_text().replace('"method":"dtfinder"', '"method":"mindt"')
    right, smaller = '"depth":3,"lower_nodes":15', '"depth":3,"lower_nodes":13'
    changed = text.replace(f'"nodes":15,{right}', f'"nodes":13,{smaller}')
    assert changed != text
    wrong.write_text(changed)
    done = run(data, wrong, methods=("dtfinder",), names=("parity",))
    assert done.returncode == 1
    assert "parity 100% seed 0: dtfinder claims at least 15 nodes" in done.stderr
    assert "mindt has a tree of 13 nodes" in done.stderr


@pytest.mark.parametrize("method", ["dtfinder", "d-dtfinder"])
def test_a_run_ends_at_its_time_limit_with_what_it_has(
    data: Path, tmp_path: Path, method: str
) -> None:
    out = tmp_path / "slow.jsonl"
    limit = ("--time-limit", "0.5")
    done = run(data, out, *limit, methods=(method,), names=("noise",))
    assert done.returncode == 0, done.stderr
    (row,) = Results.open(out).rows
    assert (row.status, row.ended) == ("feasible", "time limit")
    assert 0.4 < row.cpu < 2
    assert row.nodes is not None
    assert row.lower_nodes < row.nodes


def test_a_signal_to_all_processes_ends_a_campaign_without_a_false_row(
    data: Path, tmp_path: Path
) -> None:
    out = tmp_path / "ended.jsonl"
    limit = ("--time-limit", "60")
    with started(data, out, *limit, methods=("dtfinder",), names=("noise",)) as process:
        while not (running := children(process.pid)) and process.poll() is None:
            time.sleep(0.05)
        time.sleep(0.5)
        for pid in (*running, process.pid):
            os.kill(pid, signal.SIGTERM)
        _, err = process.communicate(timeout=30)
    assert process.returncode == 143
    assert err.endswith("terminated; run the same command again to continue\n")
    assert Results.open(out).rows == []
    assert not any(map(alive, running))


def test_a_run_over_its_memory_limit_is_killed(data: Path, tmp_path: Path) -> None:
    out = tmp_path / "small.jsonl"
    done = run(data, out, "--memory-limit", "20MB", methods=("dtfinder",), names=("noise",))
    assert done.returncode == 0, done.stderr
    (row,) = Results.open(out).rows
    assert row.ended == "memory limit"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--methods", "magic"), "there is no method 'magic'; known: cores"),
        (("--percent", "20", "--suite", "optima"), "there is no list of optima"),
        (("--time-limit", "0"), "must be greater than 0"),
    ],
)
def test_bad_usage_is_told_in_words(
    data: Path, tmp_path: Path, arguments: tuple[str, ...], message: str
) -> None:
    done = run(data, tmp_path / "none.jsonl", *arguments)
    assert done.returncode == 2
    assert message in done.stderr
    assert "Traceback" not in done.stderr
