"""Trees that may err beside other tools: what is asked, runs that go on, and the page."""

from __future__ import annotations

import gzip
import json
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from benchmarks import front, front_check, front_large, front_page

ROWS = [(int((a and b) or c), a, b, c) for a, b, c in product((0, 1), repeat=3)] * 2


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    text = "".join(" ".join(map(str, row)) + "\n" for row in ROWS)
    (tmp_path / "tiny.txt.gz").write_bytes(gzip.compress(text.encode()))
    return tmp_path


def only_ours(monkeypatch: pytest.MonkeyPatch, part: str) -> None:
    asks = front.asks
    monkeypatch.setattr(front, "PARTS", (part,))
    monkeypatch.setattr(
        front, "asks", lambda *asked: (each for each in asks(*asked) if each[0] == "dtfinder")
    )


@pytest.mark.parametrize(
    ("ask", "errors", "size"),
    [
        ({"kind": "depth", "depth": 4}, 0, 3),
        ({"kind": "depth", "depth": 1}, 2, 1),
        ({"kind": "penalty", "penalty": 0.1}, 2, 1),
        ({"kind": "penalty", "penalty": 0.001}, 0, 3),
    ],
)
def test_what_is_asked_of_ours(folder: Path, ask: front.Row, errors: int, size: int) -> None:
    X, y = front.load(folder / "tiny.txt.gz")
    assert (X.shape, y.shape) == ((16, 3), (16,))
    found = front.ours(X, y, ask, 60.0)
    assert (found["solved"], found["errors"], found["size"]) == (True, errors, size)
    assert found["seconds"] > 0


def test_a_front_tells_when_each_size_was_proven(folder: Path) -> None:
    found = front.ours(*front.load(folder / "tiny.txt.gz"), {"kind": "front"}, 60.0)
    assert found["solved"]
    assert found["errors"] == found["lower"] == [6, 2, 2, 0]
    assert len(found["reached"]) == 4
    assert found["reached"] == sorted(found["reached"])


def test_a_run_has_a_process_of_its_own_and_is_not_run_again(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    only_ours(monkeypatch, "depth")
    out = folder / "rows" / "front.jsonl"
    rows = front.measure(folder, 20.0, 1.0, out)
    assert [(row["depth"], row["errors"], row["solved"]) for row in rows] == [
        (4, 0, True),
        (5, 0, True),
    ]
    assert min(row["megabytes"] for row in rows) > 1
    monkeypatch.setattr(front, "_in_a_process", lambda *_: pytest.fail("it ran again"))
    assert front.measure(folder, 20.0, 1.0, out) == rows
    assert [json.loads(line) for line in out.read_text().splitlines()] == rows
    assert front.measure(folder, 20.0, 1.0, folder / "none.jsonl", ["other"]) == []


def test_a_tool_that_fails_is_not_solved(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    only_ours(monkeypatch, "depth")
    (folder / "tiny.txt.gz").write_bytes(gzip.compress(b"no table\n"))
    first, _ = front.measure(folder, 2.0, 1.0, folder / "front.jsonl")
    assert (first["solved"], first["seconds"]) == (False, 2.0)
    assert "no" in first["note"]


def test_one_size_at_a_time_until_one_is_not_solved(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def run(tool: str, ask: front.Row, *_: object) -> front.Row:
        return {"solved": ask.get("inner", 0) < 6, "seconds": 1.0}

    monkeypatch.setattr(front, "PARTS", ("front",))
    monkeypatch.setattr(front, "_in_a_process", run)
    rows = front.measure(folder, 60.0, 10.0, folder / "front.jsonl")
    assert [row.get("inner") for row in rows] == [None, 3, 4, 5, 6]
    assert [row["limit"] for row in rows] == [60.0, *[10.0] * 4]


def depth_row(tool: str, table: str, seconds: float, solved: bool = True) -> dict[str, Any]:
    ask = {"table": table, "kind": "depth", "depth": 4, "tool": tool, "limit": 60.0}
    own = {"reading": 1.0, "fewest_errors": seconds - 0.5} if tool == "dtfinder" else {}
    return {**ask, "seconds": seconds, "solved": solved, "errors": 3, **own}


def reading(table: str, seconds: float) -> dict[str, Any]:
    return {"table": table, "kind": "reading", "tool": "pystreed", "limit": 60.0} | {
        "seconds": seconds,
        "solved": True,
    }


def test_the_page_counts_what_is_unsolved_as_its_limit(tmp_path: Path) -> None:
    rows = [
        depth_row("dtfinder", "one", 2.0),
        depth_row("pystreed", "one", 8.0),
        depth_row("dtfinder", "two", 15.0),
        depth_row("pystreed", "two", 99.0, solved=False),
        depth_row("dtfinder", "three", 1.0),
        reading("one", 3.0),
        reading("two", 4.0),
    ]
    words = front_page.page(rows, {})
    assert "| one | 3 | 0.500 | 1.000 | 5.000 | 5.0 |" in words
    assert "| two | 3 | 13.500 | 14.000 | – | 4.0 |" in words
    assert "| three |" not in words
    assert "geometric mean of 2: **4.5**" in words
    assert "with reading on both sides 4.0" in words
    assert "CPU limits: dtfinder 60 s, pystreed 60 s." in words
    assert "3 of the 22 tables" in words
    assert "penalty for each leaf" not in words
    (tmp_path / "front_large.jsonl").write_text(
        json.dumps(
            {"table": "adult", "rows": 9, "features": 8, "errors": 7, "nodes": 5, "encoding": 0.1}
            | {"search": 0.2, "megabytes": 50, "status": "optimal"}
        )
    )
    front_page.write(rows, {}, tmp_path)
    written = (tmp_path / "front.md").read_text(encoding="utf-8")
    assert "| adult | 9 | 8 | 7 | 5 | 0.1 | 0.2 | 50 | optimal |" in written
    assert (tmp_path / "front.png").read_bytes().startswith(b"\x89PNG")


def test_the_page_of_fronts_and_penalties(tmp_path: Path) -> None:
    own = {"table": "one", "kind": "front", "tool": "dtfinder", "limit": 60.0, "solved": False}
    own |= {"seconds": 61.0, "reached": [0.1, 0.2, 0.3, 0.4, 0.9], "errors": [9, 7, 5, 4, 3, 2]}
    own |= {"lower": [9, 7, 5, 4, 3, 1]}
    peers = [
        {"table": "one", "kind": "nodes", "tool": "pystreed", "limit": 60.0, "inner": inner}
        | {"solved": inner < 5, "seconds": 10.0 * inner, "errors": 7 - inner}
        for inner in (3, 4, 5)
    ]
    penalty = {"table": "one", "kind": "penalty", "penalty": 0.01, "limit": 60.0, "seconds": 1.0}
    asked = [penalty | {"tool": "dtfinder", "solved": True, "cost": 0.5}]
    asked += [penalty | {"tool": "gosdt", "solved": False}]
    words = front_page.page([own, *peers, *asked], {("one", None, 4): 3})
    assert "| one | 4 | 3 |  | 61.0 | 4 | 60 | 40.00 | 0.90 |" in words
    assert "The whole front is proven on 0 tables. Of 1 on which pystreed met its limit" in words
    assert "one on 0, by three inner nodes or more on 0. Of 2 sizes" in words
    assert "all sizes up to it on 1; the geometric mean of the ratios is 58." in words
    assert "\n2 proven values were compared with those of a list" in words
    assert "and 2 with those\n" in words
    assert "| 0.01 | 1 of 1 | 0 of 0 | 0 of 1 |" in words
    unfinished = front_page.page([own, *peers[:2]], {})  # larger sizes are still to be tried
    assert "| one | 4 | 3 |  | 61.0 |  |  |  |  |" in unfinished


def test_a_value_that_differs_ends_the_page() -> None:
    rows = [depth_row("dtfinder", "one", 2.0), depth_row("pystreed", "one", 8.0)]
    assert front_check.check(rows, {}) == (0, 1)
    assert front_check.check(rows, {("one", 4, None): 3}) == (2, 1)
    with pytest.raises(ValueError, match=r"dtfinder: 3..3 errors for \('one', 4, None\), not 2"):
        front_check.check(rows, {("one", 4, None): 2})
    with pytest.raises(ValueError, match=r"dtfinder: 3 errors .* pystreed: 2"):
        front_check.check([rows[0], rows[1] | {"errors": 2}], {})
    open_front = {"table": "one", "kind": "front", "tool": "dtfinder", "lower": [5], "errors": [7]}
    assert front_check.check([open_front], {("one", None, 0): 6}) == (0, 0)
    with pytest.raises(ValueError, match=r"5\.\.7 errors .* not 8"):
        front_check.check([open_front], {("one", None, 0): 8})
    penalty = {"table": "one", "kind": "penalty", "penalty": 0.1, "solved": True, "cost": 0.3}
    both = [penalty | {"tool": "dtfinder"}, penalty | {"tool": "gosdt", "cost": 0.3 + 1e-8}]
    assert front_check.check(both, {}) == (0, 1)
    with pytest.raises(ValueError, match=r"cost 0\.3 for .* gosdt: 0.2"):
        front_check.check([both[0], both[1] | {"cost": 0.2}], {})


def test_the_reference_has_no_limit_where_a_cell_is_empty(tmp_path: Path) -> None:
    file = tmp_path / "fronts.csv"
    file.write_text("table,max_depth,max_inner,errors\none,4,,3\none,,7,2\n")
    assert front_check.reference(file) == {("one", 4, None): 3, ("one", None, 7): 2}


def test_large_tables_are_made_and_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = front_large.made_up(rows=3000, features=8)
    assert (X.shape, set(np.unique(X)), set(np.unique(y))) == ((3000, 8), {0, 1}, {0, 1})
    rule = np.where(X[:, 0] == 1, X[:, 1] & X[:, 2], X[:, 3] | X[:, 4])
    assert 0.05 < (rule != y).mean() < 0.15
    monkeypatch.setattr(front_large, "made_up", lambda: (X, y))
    found = front_large.measure("made up", Path())
    assert (found["rows"], found["features"], found["status"]) == (3000, 8, "optimal")
    assert found["errors"] == (rule != y).sum()
    assert found["nodes"] == 11
    assert min(found["search"], found["encoding"]) >= 0
