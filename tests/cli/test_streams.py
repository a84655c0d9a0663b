"""The command line where its files and streams are not what it takes them for."""

import os
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

Shell = Callable[[str], subprocess.CompletedProcess[str]]


COMMAND = shlex.join([sys.executable, "-m", "dtfinder"])
TABLE = "a,b,class\n1,x,yes\n2,y,no\n3,x,no\n4,y,yes\n"
needs_full = pytest.mark.skipif(
    not Path("/dev/full").exists(), reason="no device that is always full"
)


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    """Runs a line of shell in a folder with a table; `$D` stands for the command."""
    (tmp_path / "base.csv").write_text(TABLE)

    def run(line: str) -> subprocess.CompletedProcess[str]:
        told = ["bash", "-c", line.replace("$D", COMMAND)]
        return subprocess.run(told, cwd=tmp_path, capture_output=True, text=True)

    return run


def refused(done: subprocess.CompletedProcess[str], words: str) -> None:
    assert done.returncode == 2
    assert words in done.stderr
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize("option", ["--json", "--tree", "--plot", "--certificate"])
def test_a_second_name_of_the_table_is_the_table(shell: Shell, tmp_path: Path, option: str) -> None:
    os.link(tmp_path / "base.csv", tmp_path / "other.svg")
    refused(shell(f"$D fit base.csv -q {option} other.svg"), "'other.svg', which is the table")
    assert (tmp_path / "base.csv").read_text() == TABLE


def test_nothing_is_written_over_the_checkpoint(shell: Shell, tmp_path: Path) -> None:
    line = "$D fit base.csv -q --checkpoint work --json "
    refused(shell(line + "./work"), "'./work', which is the checkpoint")
    assert not (tmp_path / "work").exists()
    assert shell(line + "result.json").returncode == 0
    refused(shell(line + "work"), "'work', which is the checkpoint")
    assert shell(line + "result.json").returncode == 0


@pytest.mark.parametrize("place", [pytest.param("/dev/full", marks=needs_full), "pipe"])
def test_a_checkpoint_is_a_file(shell: Shell, tmp_path: Path, place: str) -> None:
    os.mkfifo(tmp_path / "pipe")
    refused(shell(f"$D fit base.csv --checkpoint {place}"), "a pipe or a device, not a file")


@needs_full
@pytest.mark.parametrize("compiled", ["", "--compiled"])
def test_a_proof_is_not_rejected_because_nobody_reads_the_answer(
    shell: Shell, compiled: str
) -> None:
    check = f"$D check {compiled} proof --data base.csv"
    done = shell(f"$D fit base.csv -q --certificate proof && {check} | head -c 0; echo $PIPESTATUS")
    assert done.stdout in ("141\n", "0\n")  # 0 if it was quicker
    refused(shell(f"{check} > /dev/full"), "cannot write to stdout: No space left")
    assert shell(f"{check} >&-").returncode == 0
    assert "VERIFIED" in shell(check).stdout


def test_streams_may_be_closed(shell: Shell, tmp_path: Path) -> None:
    assert shell("$D fit base.csv --tree t.json >&-").returncode == 0
    assert (tmp_path / "t.json").exists()
    assert "optimal: 5 nodes" in shell("$D fit base.csv 2>&-").stdout
    assert shell("$D fit nothing 2>&-").returncode == 2


@needs_full
def test_help_that_cannot_be_written(shell: Shell) -> None:
    refused(shell("$D fit --help > /dev/full"), "cannot write to stdout: No space left")


def test_formulas_that_cannot_be_written(shell: Shell) -> None:
    assert shell("$D fit base.csv -q --method sat --certificate proof").returncode == 0
    export = "$D certificate export proof --data base.csv --lrat"
    refused(shell(f"{export} base.csv"), "--lrat cannot write 'base.csv': File exists")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("weather -", "not '-'"),
        ("weather w.parquet", ".csv and .tsv files, not 'w.parquet'"),
        ("base.csv base.csv", "no data set 'base.csv'; known: weather"),
    ],
)
def test_data_sets_are_written_as_csv_or_tsv(
    shell: Shell, tmp_path: Path, words: str, message: str
) -> None:
    refused(shell(f"$D datasets --write {words}"), message)
    assert [path.name for path in tmp_path.iterdir()] == ["base.csv"]


def test_a_table_in_utf_16(shell: Shell, tmp_path: Path) -> None:
    (tmp_path / "wide.csv").write_text(TABLE, encoding="utf-16")
    refused(shell("$D fit wide.csv"), "'wide.csv' is text in UTF-16; save it as UTF-8")


@pytest.mark.parametrize("seconds", ["nan", "inf", "-1"])
def test_seconds_are_a_number(shell: Shell, seconds: str) -> None:
    refused(shell(f"$D why base.csv --seconds {seconds}"), f"0 or more, not {seconds}")


def test_a_cluster_out_of_reach_is_no_matter_of_stdout(shell: Shell) -> None:
    done = shell("$D fit base.csv -q --cluster nowhere")
    assert done.returncode != 0
    assert done.stderr.startswith("error: cannot reach a Dask scheduler at 'nowhere'")


@pytest.mark.skipif(sys.platform != "linux", reason="limits on address space differ elsewhere")
@pytest.mark.parametrize(("kilobytes", "method"), [(110_000, "cores"), (200_000, "sat")])
def test_a_tight_limit_on_memory_hangs_nothing(shell: Shell, kilobytes: int, method: str) -> None:
    """OpenBLAS would wait for room for ever, deaf to signals."""
    fit = f"timeout -k 1 60 $D fit base.csv --method {method}"
    done = shell(f"ulimit -v {kilobytes}; {fit}")
    assert (done.returncode, done.stderr) == (1, "error: there is not enough memory\n")


def test_a_limit_on_memory_with_room_changes_nothing(shell: Shell) -> None:
    assert "optimal: 5 nodes" in shell("ulimit -v 4000000; $D fit base.csv").stdout
