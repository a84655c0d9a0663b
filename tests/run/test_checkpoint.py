"""Checkpoints: a run goes on where another ended, and nothing but its own words is trusted."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dtfinder.data import make_dataset, read_table
from dtfinder.errors import CheckpointError, InfeasibleError, OptionError
from dtfinder.methods import pick_method
from dtfinder.nodes import Node, leaf
from dtfinder.options import Options
from dtfinder.problem import Problem, Score
from dtfinder.run.checkpoint import Checkpoint, _packed
from dtfinder.solve import find_tree, solve
from small import dataset_of, random_table

WEATHER = Problem(make_dataset(read_table("weather"))).as_exact()


def written(path: Path) -> Checkpoint:
    """A checkpoint with one entry of each kind."""
    checkpoint = Checkpoint(path, WEATHER, "method")
    checkpoint.note_bounds(Score(inner=3, depth=2))
    checkpoint.note("refuted", paths=4, depth=None)
    checkpoint.note("template", paths=5, depth=None, template=((1, 1), (1, 3)))
    checkpoint.note("paths", left=2, right=2, general=2)
    checkpoint.note_facts("1 - a fact")
    return checkpoint


def test_what_is_written_is_read_again(tmp_path: Path) -> None:
    written(tmp_path / "c").close()
    again = Checkpoint(tmp_path / "c", WEATHER, "method")
    assert again.bounds == Score(inner=3, depth=2)
    assert again.refuted(4, None)
    assert not again.refuted(5, None)
    assert not again.refuted(4, 3)
    assert again.templates(5, None) == [[[1, 1], [1, 3]]]
    assert again.templates(5, 3) == []
    assert again.paths is not None
    assert again.paths["left"] == 2
    assert again.facts == ["1 - a fact"]
    again.note("refuted", paths=5, depth=3)
    again.close()
    third = Checkpoint(tmp_path / "c", WEATHER, "method")
    assert third.refuted(5, 3)
    third.close()


def test_it_is_about_the_classes_that_examples_allow(tmp_path: Path) -> None:
    bits = np.array([[0, 0], [0, 1], [1, 0]], dtype=bool)
    sets = np.array([[1, 1, 0], [0, 1, 1], [1, 0, 1]], dtype=bool)
    others = sets.copy()
    others[0] = [1, 0, 0]
    one, other = dataset_of(bits, sets), dataset_of(bits, others)
    other = replace(other, labels=one.labels)  # what differs is what they allow
    Checkpoint(tmp_path / "c", Problem(one).as_exact(), "method").close()
    with pytest.raises(CheckpointError):
        Checkpoint(tmp_path / "c", Problem(other).as_exact(), "method")


def test_half_a_line_at_the_end_is_dropped_wherever_it_was_torn(tmp_path: Path) -> None:
    path = tmp_path / "c"
    written(path).close()
    content = path.read_bytes()
    last = content.rstrip(b"\n").rfind(b"\n") + 1
    for end in range(last, len(content)):
        path.write_bytes(content[:end])
        checkpoint = Checkpoint(path, WEATHER, "method")
        assert checkpoint.facts == []
        assert checkpoint.templates(5, None)
        checkpoint.close()
        assert path.read_bytes() == content[:last]


def test_a_file_torn_in_its_first_line_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "c"
    written(path).close()
    path.write_bytes(path.read_bytes()[:40])
    with pytest.raises(CheckpointError, match="not a checkpoint"):
        Checkpoint(path, WEATHER, "method")


def test_every_changed_byte_before_the_last_line_is_seen(tmp_path: Path) -> None:
    path = tmp_path / "c"
    written(path).close()
    content = path.read_bytes()
    last = content.rstrip(b"\n").rfind(b"\n") + 1
    for place in range(0, last - 1, 3):
        changed = bytearray(content)
        changed[place] ^= 1
        path.write_bytes(bytes(changed))
        with pytest.raises(CheckpointError):
            Checkpoint(path, WEATHER, "method").close()


@pytest.mark.parametrize("change", ["lost", "swapped", "twice"])
def test_lines_out_of_place_are_seen(tmp_path: Path, change: str) -> None:
    path = tmp_path / "c"
    written(path).close()
    lines = path.read_bytes().splitlines(keepends=True)
    if change == "lost":
        del lines[2]
    elif change == "swapped":
        lines[2], lines[3] = lines[3], lines[2]
    else:
        lines.insert(2, lines[2])
    path.write_bytes(b"".join(lines))
    with pytest.raises(CheckpointError, match="damaged"):
        Checkpoint(path, WEATHER, "method")


def test_another_file_is_refused_and_left_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    path.write_text("a,b,class\n0,1,yes\n")
    with pytest.raises(CheckpointError, match="not a checkpoint"):
        Checkpoint(path, WEATHER, "method")
    assert path.read_text() == "a,b,class\n0,1,yes\n"


def test_other_data_methods_and_limits_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "c"
    written(path).close()
    for problem, method in (
        (WEATHER, "another"),
        (Problem(make_dataset(read_table("mux6"))), "method"),
        (Problem(WEATHER.dataset, "depth"), "method"),
        (Problem(WEATHER.dataset, max_depth=3), "method"),
        (Problem(WEATHER.dataset, max_nodes=9), "method"),
    ):
        with pytest.raises(CheckpointError, match="other data or other options"):
            Checkpoint(path, problem, method)


def test_another_version_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dtfinder.run.checkpoint.__version__", "0.0.0")
    written(tmp_path / "c").close()
    monkeypatch.undo()
    with pytest.raises(CheckpointError, match=r"by dtfinder 0\.0\.0"):
        Checkpoint(tmp_path / "c", WEATHER, "method")


def test_a_wrong_tree_is_refused(tmp_path: Path) -> None:
    checkpoint = Checkpoint(tmp_path / "c", WEATHER, "method")
    checkpoint.note_tree([Node(0, 1, 2, -1), leaf(0), leaf(1)])
    checkpoint.close()
    with pytest.raises(CheckpointError, match="wrong tree"):
        Checkpoint(tmp_path / "c", WEATHER, "method")


def test_one_run_at_a_time(tmp_path: Path) -> None:
    checkpoint = written(tmp_path / "c")
    with pytest.raises(CheckpointError, match="in use"):
        Checkpoint(tmp_path / "c", WEATHER, "method")
    checkpoint.close()


def test_a_place_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    with pytest.raises(CheckpointError, match="cannot use the checkpoint"):
        Checkpoint(tmp_path / "no" / "c", WEATHER, "method")


@pytest.mark.parametrize("method", ["dtfinder-T-O", "d-dtfinder-T-O", "dtfinder", "mindt"])
def test_a_finished_run_is_not_done_again(tmp_path: Path, method: str) -> None:
    path = str(tmp_path / "c")
    first = find_tree("weather", method=method, checkpoint=path)
    content = Path(path).read_bytes()
    second = find_tree("weather", method=method, checkpoint=path)
    assert (second.status, second.nodes, second.depth) == (first.status, first.nodes, first.depth)
    assert second.status == "optimal"
    assert first.stats["work"] > 0
    assert second.stats["work"] == 0
    assert Path(path).read_bytes() == content


def test_a_run_goes_on_from_every_line_of_its_checkpoint(tmp_path: Path) -> None:
    """However early the first run was killed, the second proves the same with less work."""
    path = tmp_path / "c"
    whole = find_tree("weather", method="dtfinder-T", checkpoint=str(path))
    lines = path.read_bytes().splitlines(keepends=True)
    assert len(lines) > 6
    before = None
    for count in sorted({1, len(lines) // 3, 2 * len(lines) // 3, len(lines)}):
        path.write_bytes(b"".join(lines[:count]))
        result = find_tree("weather", method="dtfinder-T", checkpoint=str(path))
        assert (result.status, result.nodes) == (whole.status, whole.nodes)
        assert before is None or result.stats["work"] <= before
        before = result.stats["work"]
    assert before == 0


def test_the_checkpoint_of_a_work_limit_is_gone_on_from(tmp_path: Path) -> None:
    path = str(tmp_path / "c")
    dataset = make_dataset(read_table("monk1"))
    first = solve(
        dataset,
        Options.of(method="dtfinder-T-O", work_limit=400_000, checkpoint=path),
    )
    second = solve(
        dataset,
        Options.of(method="dtfinder-T-O", work_limit=400_000, checkpoint=path),
    )
    assert first.status == "feasible"
    assert second.lower_bound >= first.lower_bound
    assert second.nodes <= first.nodes
    kinds = [json.loads(line)["entry"]["kind"] for line in Path(path).read_text().splitlines()]
    assert kinds.count("paths") == 1
    assert "template" in kinds


def test_a_killed_run_is_gone_on_from(tmp_path: Path) -> None:
    path = tmp_path / "c"
    code = (
        "from dtfinder import find_tree\n"
        f"find_tree('mux6', method='dtfinder-DT1-T', workers=2, checkpoint={str(path)!r})"
    )
    with subprocess.Popen([sys.executable, "-c", code]) as process:
        end = time.monotonic() + 300
        while (not path.exists() or path.read_bytes().count(b'"kind":"template"') < 3) and (
            time.monotonic() < end and process.poll() is None
        ):
            time.sleep(0.05)
        process.send_signal(signal.SIGKILL)
    noted = path.read_bytes().count(b'"kind":"template"')
    assert noted >= 3
    result = find_tree("mux6", method="dtfinder-DT1-T", checkpoint=str(path))
    assert (result.status, result.nodes) == ("optimal", 15)


@pytest.mark.parametrize("workers", [1, 2])
def test_facts_of_the_native_engine_are_gone_on_from(tmp_path: Path, workers: int) -> None:
    path = tmp_path / "c"
    dataset = dataset_of(*random_table(5, rows=120, features=20))
    whole = solve(dataset, Options.of(workers=workers))
    limit = int(whole.stats["work"]) * 2 // 3
    first = solve(dataset, Options.of(workers=workers, work_limit=limit, checkpoint=str(path)))
    assert (first.status, first.stopped_by) == ("feasible", "work limit")
    kinds = [json.loads(line)["entry"]["kind"] for line in path.read_text().splitlines()]
    assert "facts" in kinds
    second = solve(dataset, Options.of(workers=workers, checkpoint=str(path)))
    assert (second.status, second.nodes) == ("optimal", whole.nodes)
    assert second.stats["work"] < 0.8 * whole.stats["work"]


def test_facts_that_are_none_are_refused(tmp_path: Path) -> None:
    path = str(tmp_path / "c")
    checkpoint = Checkpoint(path, WEATHER, repr(("cores", None)))
    checkpoint.note_facts("1 - size - 5 - 0 ffff | 5 - size ffff\n")
    checkpoint.close()
    with pytest.raises(CheckpointError, match="wrong facts"):
        find_tree("weather", checkpoint=path)


def test_lemmas_of_the_native_engine_are_gone_on_from(tmp_path: Path) -> None:
    """The certificate of the second run rests on what the first one proved, and so does that of a
    third, which has nothing left to do. (That both are checked is seen to after every test.)"""
    path = tmp_path / "c"
    dataset = dataset_of(*random_table(5, rows=120, features=20))
    options = {"certify": True, "checkpoint": str(path)}
    whole = solve(dataset, Options.of())
    first = solve(dataset, Options.of(work_limit=int(whole.stats["work"]) * 2 // 3, **options))
    assert (first.status, first.certificate) == ("feasible", None)
    second = solve(dataset, Options.of(**options))
    assert (second.status, second.nodes) == ("optimal", whole.nodes)
    assert second.stats["work"] < 0.8 * whole.stats["work"]
    third = solve(dataset, Options.of(**options))
    assert (third.status, third.nodes, third.stats["work"]) == ("optimal", whole.nodes, 0)
    assert second.certificate is not None
    assert third.certificate == second.certificate
    with pytest.raises(CheckpointError, match="other options"):
        solve(dataset, Options.of(checkpoint=str(path)))


@pytest.mark.parametrize("minimise", ["size", "depth"])
def test_impossible_limits_are_proven_again_without_work(minimise: str, tmp_path: Path) -> None:
    """The certificate comes out of the checkpoint; it is checked after every test."""
    options: dict[str, Any] = {"minimise": minimise, "certify": True}
    options["checkpoint"] = str(tmp_path / "c")
    made = []
    for _ in range(2):
        with pytest.raises(InfeasibleError) as error:
            find_tree("weather", method="cores", max_nodes=7, **options)
        made.append(error.value.certificate)
    assert made[0] is not None
    assert made[0] == made[1]


def test_a_reply_that_is_none_is_refused(tmp_path: Path) -> None:
    path = str(tmp_path / "c")
    checkpoint = Checkpoint(path, WEATHER, repr(("cores", None)) + " with proofs")
    checkpoint.note_reply({"sender": "somebody"})
    checkpoint.close()
    with pytest.raises(CheckpointError, match="wrong reply"):
        find_tree("weather", certify=True, checkpoint=path)


def test_proofs_by_sat_solvers_are_not_kept(tmp_path: Path) -> None:
    with pytest.raises(OptionError, match="certify"):
        find_tree("weather", method="dtfinder-T", certify=True, checkpoint=str(tmp_path / "c"))


LOOP = [[0, 0, 0, -1]]
TWICE = [[0, 1, 1, -1], [-1, -1, -1, 0]]


@pytest.mark.parametrize(
    "entry",
    [
        {"kind": "bounds", "inner": 10**9, "depth": 2, "errors": 0},
        {"kind": "bounds", "inner": -1, "depth": 2, "errors": 0},
        {"kind": "bounds", "inner": True, "depth": 2, "errors": 0},
        {"kind": "bounds", "inner": "3", "depth": 2, "errors": 0},
        {"kind": "bounds", "inner": 3},
        {"kind": "tree", "nodes": LOOP},
        {"kind": "tree", "nodes": TWICE},
        {"kind": "tree", "nodes": []},
        {"kind": "tree", "nodes": [[99, 1, 2, -1], [-1, -1, -1, 0], [-1, -1, -1, 0]]},
        {"kind": "tree", "nodes": [[-1, -1, -1, 9]]},
        {"kind": "tree", "nodes": [[-1, -1, -1, 0.5]]},
        {"kind": "tree", "nodes": 3},
        {"kind": "paths", "left": 1, "right": None, "general": 1},
        {"kind": "refuted", "paths": 10**30, "depth": None},
        {"kind": "refuted", "paths": 3, "depth": []},
        {"kind": "template", "paths": 3, "depth": None, "template": [1, [2]]},
        {"kind": "template", "paths": 3, "depth": None, "template": {"a": 1}},
        {"kind": "facts", "content": "eJw="},
        {"kind": "facts", "content": 3},
        {"kind": "reply", "content": _packed("[" * 10**6)},
        {"kind": "facts", "content": _packed("0" * (1 << 28) + "0")},
        {"kind": "something"},
        {},
    ],
    ids=lambda entry: str(entry)[:60],
)
def test_forged_entries_are_refused_in_a_line(tmp_path: Path, entry: dict[str, object]) -> None:
    """With the right checksum: that tells damage, not malice."""
    checkpoint = Checkpoint(tmp_path / "c", WEATHER, "method")
    checkpoint._append(checkpoint._file, entry)
    checkpoint.note("refuted", paths=3, depth=None)  # so that it is not the last line
    checkpoint.close()
    with pytest.raises(CheckpointError, match="line 2 has wrong content"):
        Checkpoint(tmp_path / "c", WEATHER, "method")


def test_bounds_above_the_tree_are_refused(tmp_path: Path) -> None:
    path = str(tmp_path / "c")
    find_tree("weather", method="dtfinder", checkpoint=path)
    problem = WEATHER
    method = pick_method(Options.of(method="dtfinder")).identity
    checkpoint = Checkpoint(path, problem, method)
    checkpoint.note_bounds(Score(inner=9, depth=4))
    checkpoint.close()
    with pytest.raises(CheckpointError, match="bounds are above its tree"):
        find_tree("weather", method="dtfinder", checkpoint=path)


@pytest.mark.parametrize("line", [b"[" * 10**6, b'{"entry":' * 10**5, b"\xff\xfe", b"null"])
def test_junk_is_no_traceback(tmp_path: Path, line: bytes) -> None:
    (tmp_path / "junk").write_bytes(line + b"\n")
    with pytest.raises(CheckpointError, match="not a checkpoint of dtfinder"):
        Checkpoint(tmp_path / "junk", WEATHER, "method")
    written(tmp_path / "c").close()
    lines = (tmp_path / "c").read_bytes().splitlines()
    (tmp_path / "c").write_bytes(b"\n".join([*lines[:2], line, *lines[2:], b""]))
    with pytest.raises(CheckpointError, match="line 3 is damaged"):
        Checkpoint(tmp_path / "c", WEATHER, "method")


@pytest.mark.parametrize(
    "fact",
    [
        "1 - size - 5 - 0 fff3 | 2147483647 - size fff3",
        "1 - size - 99999 - 0 fff3 | 5 - size fff3",
        "1 - size - 5 - 0 fff3 | 5 -3 size fff3",
        "1 - size - 5 - -7 fff3 | 5 - size fff3",
        "1 - size - 5 - 0 fff3 | 99999999999 - size fff3",
    ],
)
def test_forged_facts_are_refused(tmp_path: Path, fact: str) -> None:
    """A bound out of range would keep the engine busy until the memory is full."""
    path = str(tmp_path / "c")
    checkpoint = Checkpoint(path, WEATHER, pick_method(Options()).identity)
    checkpoint.note_facts(f"{fact}\n")
    checkpoint.close()
    with pytest.raises(CheckpointError, match="wrong facts: not a fact about this table"):
        find_tree("weather", checkpoint=path)


@pytest.mark.uncertified("the bounds are those of the checkpoint")
@pytest.mark.parametrize("method", ["cores", "dtfinder-T"])
def test_a_run_says_what_it_took_from_the_checkpoint(tmp_path: Path, method: str) -> None:
    path = str(tmp_path / "c")
    first = find_tree("weather", method=method, checkpoint=path)
    assert not first.from_checkpoint
    assert "exists (proven)" in first.summary()
    second = find_tree("weather", method=method, checkpoint=path)
    assert second.from_checkpoint
    assert second.to_json()["from_checkpoint"] is True
    assert "no smaller tree exists (bounds taken from the checkpoint)" in second.summary()
    assert "proven" not in second.summary()


def test_a_full_disk_ends_the_checkpoint_and_not_the_run(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    checkpoint = written(tmp_path / "c")
    with open("/dev/full", "wb", buffering=0) as full, pytest.MonkeyPatch.context() as patch:
        patch.setattr(checkpoint, "_file", full)
        checkpoint.note("refuted", paths=6, depth=None)
        checkpoint.note("refuted", paths=7, depth=None)
    assert caplog.text.count("can no longer be written") == 1
    checkpoint.close()
    again = Checkpoint(tmp_path / "c", WEATHER, "method")
    assert again.refuted(4, None)
    assert not again.refuted(6, None)
    again.close()
