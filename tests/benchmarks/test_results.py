import json
from pathlib import Path
from typing import Any

import pytest
from benchmarks.results import Head, Results, Row, WrongFileError

HEAD = Head(10.0, int(3e9), {"CPU": "any"})


def row(dataset: str = "mux6", method: str = "dtfinder", **changes: Any) -> Row:
    facts: dict[str, Any] = {"percent": 20, "seed": 0, "aim": "size", "examples": 24, "features": 6}
    facts |= {"status": "optimal", "ended": "done", "nodes": 15, "depth": 3, "lower_nodes": 15}
    facts |= {"lower_depth": 3, "cpu": 0.5, "wall": 0.6, "memory": 1000}
    return Row(dataset=dataset, method=method, **(facts | changes))


def test_rows_come_back_as_they_went(tmp_path: Path) -> None:
    results = Results.open(tmp_path / "r.jsonl")
    results.begin(HEAD)
    results.add(row(tree=["A = 1", "no", "yes"], stats={"work": 3.0}))
    again = Results.open(tmp_path / "r.jsonl")
    assert again.heads == [HEAD]
    assert again.rows == results.rows
    assert again.done() == {("mux6", 20, 0, "dtfinder")}


def test_a_torn_last_line_is_cut_off_and_no_other(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    results = Results.open(path)
    results.begin(HEAD)
    results.add(row())
    whole = path.read_bytes()
    results.add(row("monk1"))
    torn = path.read_bytes()[:-7]
    path.write_bytes(torn)
    assert [r.dataset for r in Results.read(path).rows] == ["mux6"]
    assert path.read_bytes() == torn  # who only reads changes nothing
    again = Results.open(path)
    assert [r.dataset for r in again.rows] == ["mux6"]
    assert path.read_bytes() == whole
    again.add(row("monk2"))
    assert [r.dataset for r in Results.open(path).rows] == ["mux6", "monk2"]


def test_a_head_is_written_once_for_the_same_machine(tmp_path: Path) -> None:
    results = Results.open(tmp_path / "r.jsonl")
    results.begin(HEAD)
    results.begin(HEAD)
    other = Head(10.0, int(3e9), {"CPU": "another"})
    results.begin(other)
    assert Results.open(tmp_path / "r.jsonl").heads == [HEAD, other]


def test_other_limits_need_another_file(tmp_path: Path) -> None:
    results = Results.open(tmp_path / "r.jsonl")
    results.begin(HEAD)
    with pytest.raises(WrongFileError, match="--time-limit 10 and 3 GB"):
        results.begin(Head(20.0, int(3e9), {}))


def stored(path: Path, head: Head, *rows: Any) -> Path:
    results = Results.open(path)
    results.begin(head)
    for each in rows:
        results.add(each)
    return path


def test_files_are_merged_and_the_last_row_of_a_run_counts(tmp_path: Path) -> None:
    one = stored(tmp_path / "1.jsonl", HEAD, row(cpu=1.0), row(method="cores"))
    two = stored(tmp_path / "2.jsonl", HEAD, row("monk1"), row(cpu=2.0))
    merged = Results.merged([one, two], one, without=["cores"])
    assert [(r.dataset, r.method, r.cpu) for r in merged.rows] == [
        ("mux6", "dtfinder", 2.0),
        ("monk1", "dtfinder", 0.5),
    ]
    again = Results.open(one)
    assert (again.heads, again.rows) == ([HEAD], merged.rows)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["1.jsonl", "2.jsonl"]


@pytest.mark.parametrize(
    ("head", "message"),
    [
        (Head(20.0, int(3e9), {"CPU": "any"}), "--time-limit 10"),
        (Head(10.0, int(3e9), {"CPU": "other"}), "different machines"),
    ],
)
def test_what_does_not_compare_is_not_merged(tmp_path: Path, head: Head, message: str) -> None:
    one = stored(tmp_path / "1.jsonl", HEAD, row())
    two = stored(tmp_path / "2.jsonl", head, row("monk1"))
    before = one.read_bytes()
    with pytest.raises(WrongFileError, match=message):
        Results.merged([one, two], one)
    with pytest.raises(WrongFileError, match="no file"):
        Results.merged([one, tmp_path / "3.jsonl"], one)
    assert one.read_bytes() == before


@pytest.mark.parametrize("line", ["nonsense", "[]", json.dumps({"kind": "row", "dataset": "x"})])
def test_a_foreign_file_is_refused(tmp_path: Path, line: Any) -> None:
    path = tmp_path / "r.jsonl"
    path.write_text(line + "\n")
    with pytest.raises(WrongFileError, match="line 1 is not a row of a campaign"):
        Results.open(path)


def test_runs_that_never_got_their_data_are_done_again_and_the_last_row_counts(
    tmp_path: Path,
) -> None:
    path = tmp_path / "r.jsonl"
    results = Results.open(path)
    results.begin(HEAD)
    results.add(row(ended="crash: ConnectionError", status="none", examples=0, nodes=None))
    results.add(row("monk1", ended="crash: SIGSEGV", status="none", nodes=None))
    assert Results.open(path).done() == {("monk1", 20, 0, "dtfinder")}
    results.add(row())
    again = Results.open(path)
    assert len(again.rows) == 2
    assert again.done() == {("mux6", 20, 0, "dtfinder"), ("monk1", 20, 0, "dtfinder")}


@pytest.mark.parametrize("text", ["my notes", "my notes\nand more", '{"kind":"head"}\nmy notes'])
def test_a_file_of_something_else_is_left_alone(tmp_path: Path, text: str) -> None:
    path = tmp_path / "notes.txt"
    path.write_text(text)
    with pytest.raises(WrongFileError, match=r"not a (row|results file) of a campaign"):
        Results.open(path)
    assert path.read_text() == text
