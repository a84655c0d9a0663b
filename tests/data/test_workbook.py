"""Excel workbooks."""

from __future__ import annotations

import datetime as dt
from pathlib import Path

import pandas as pd
import pytest

from dtfinder import find_tree
from dtfinder.cli.app import run
from dtfinder.data import read_table
from dtfinder.errors import DataError

openpyxl = pytest.importorskip("openpyxl")


def save(path: Path, rows: list[list[object]]) -> Path:
    book = openpyxl.Workbook()
    for row in rows:
        book.active.append(row)
    book.create_sheet("another").append(["not", "this"])
    book.save(path)
    return path


ROWS: list[list[object]] = [
    [None, None, None, None, None],
    ["when", " size ", "colour", "open", "class"],
    *(
        [dt.datetime(2024, 1, day), day / 2, "red " * (day % 2), day > 5, day > 8]
        for day in range(1, 13)
    ),
]


def test_the_first_sheet_is_the_table(tmp_path: Path) -> None:
    table = read_table(save(tmp_path / "t.xlsx", ROWS))
    assert table.names == ("when", "size", "colour", "open")
    assert table.column("when").tolist()[:2] == ["2024-01-01", "2024-01-02"]
    assert table.column("size").tolist()[:3] == [0.5, 1.0, 1.5]
    assert table.column("colour").tolist()[:2] == ["red", None]
    assert [table.kind(name) for name in table.names] == ["date", "number", "text", "truth"]
    assert table.target is not None
    assert table.target.tolist() == [day > 8 for day in range(1, 13)]


def test_a_frame_that_pandas_wrote(tmp_path: Path) -> None:
    frame = pd.DataFrame({"a": [1, 2, 3, 4], "b": ["x", "y", "x", "z"], "target": [0, 1, 0, 1]})
    frame.to_excel(tmp_path / "t.xlsx", index=False)
    assert find_tree(tmp_path / "t.xlsx").tree == find_tree(frame).tree


def test_a_workbook_has_a_certificate(tmp_path: Path) -> None:
    path, made = str(save(tmp_path / "t.xlsx", ROWS)), str(tmp_path / "c")
    assert run(["fit", path, "--missing", "value", "--certificate", made, "-q"]) == 0
    assert run(["check", made, "--data", path]) == 0


@pytest.mark.parametrize(
    ("rows", "words"),
    [([], "the first sheet of .* is empty"), ([["a"], [1]], "only the column 'a'")],
)
def test_empty_sheets(tmp_path: Path, rows: list[list[object]], words: str) -> None:
    with pytest.raises(DataError, match=words):
        read_table(save(tmp_path / "t.xlsx", rows))


def test_what_is_no_workbook(tmp_path: Path) -> None:
    (tmp_path / "t.xlsx").write_text("a,b\n1,2\n")
    with pytest.raises(DataError, match=r"cannot read .* as a workbook"):
        read_table(tmp_path / "t.xlsx")
