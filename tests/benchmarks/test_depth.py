import json
from pathlib import Path

import pytest
from benchmarks.depth import METHODS, Depth, read, text_of, write


def depth(
    dataset: str,
    method: str,
    cpu: float | None,
    lower: int,
    upper: int | None,
    whole: float | None = None,
) -> Depth:
    ended = "time limit" if cpu is None else "done"
    return Depth(dataset, 20, method, 100, 30, cpu, whole, lower, upper, ended, 10**8)


ROWS = [
    depth("monk1", "cores", 0.001, 4, 4, whole=0.002),
    depth("monk1", "pystreed", 0.016, 4, 4),
    depth("vote", "cores", 0.25, 5, 5),
    depth("vote", "pystreed", None, 0, None),
    depth("hard", "cores", None, 7, 9),
    depth("hard", "pystreed", None, 0, None),
]


def test_the_page_compares_where_something_is_proven(tmp_path: Path) -> None:
    head = {"limit": 1.0, "memory": 10**9, "machine": {"CPU": "any"}}
    lines = [head, *(row.__dict__ for row in ROWS)]
    file = tmp_path / "depth.jsonl"
    file.write_text("".join(json.dumps(line) + "\n" for line in lines))
    assert read(file) == ROWS
    text = write(file, tmp_path).read_text()
    assert "| cores | 2 of 3 | 63 ms | 8× (2) | 16× (1) |" in text
    assert "| cores, whole answer | 1 of 3 | 126 ms | 8× (1) | 8× (1) |" in text
    assert "| pystreed | 1 of 3 |" in text
    assert "| hard | 20 | 100 | 30 | 7..9 | – | – | – |" in text
    assert "| monk1 | 20 | 100 | 30 | 4 | 1 ms | 16 ms | 2 ms |" in text
    assert "| vote | 20 | 100 | 30 | 5 | 250 ms | – | – |" in text
    assert "- CPU: any" in text


def test_proofs_that_differ_make_no_page() -> None:
    wrong = depth("monk1", METHODS[1], 0.1, 3, 3)
    with pytest.raises(ValueError, match="depth 4 is proven, 3 is found"):
        text_of([ROWS[0], wrong], 1.0, {})


def test_a_file_that_is_not_there_has_no_rows(tmp_path: Path) -> None:
    assert read(tmp_path / "none.jsonl") == []
