"""Which column is the class, and what is left."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from dtfinder.data import Table, read_table
from dtfinder.errors import DataError

ROW = {"Class": [0, 1], "a": [1, 2], "b": [3, 4]}


@pytest.mark.parametrize(
    ("columns", "target", "taken"),
    [
        (["a", "b", "c"], None, "c"),
        (["a", "Class", "c"], None, "Class"),
        (["TARGET", "class", "c"], None, "TARGET"),
        (["class", "target", "c"], None, "target"),
        (["class", "target", "c"], "c", "c"),
        (["a", "b", "c"], "a", "a"),
    ],
)
def test_the_class_column(columns: list[str], target: str | None, taken: str) -> None:
    frame = pd.DataFrame([[0, 1, 2], [3, 4, 5]], columns=columns)
    table = read_table(frame, target=target)
    assert table.target_name == taken
    assert table.names == tuple(name for name in columns if name != taken)
    assert table.target is not None
    assert table.target.tolist() == frame[taken].tolist()


def test_y_leaves_all_columns() -> None:
    table = read_table(pd.DataFrame(ROW), ["u", "v"])
    assert table.names == ("Class", "a", "b")
    assert table.target_name == "target"
    with pytest.raises(DataError, match="no column ''"):
        read_table(pd.DataFrame(ROW), target="")
    with pytest.raises(DataError, match="both y and target='a' say what the class is"):
        read_table(pd.DataFrame(ROW), ["u", "v"], target="a")


def test_a_table_to_classify_needs_no_class() -> None:
    frame = pd.DataFrame(ROW)
    assert read_table(frame, need_target=False).names == ("Class", "a", "b")
    assert read_table(frame, need_target=False, target="z").target is None
    with_class = read_table(frame, need_target=False, target="b")
    assert with_class.names == ("Class", "a")
    assert with_class.target is not None
    assert with_class.target.tolist() == [3, 4]


def test_a_table_to_classify_may_leave_its_classes_open(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("a,y\n1,\n2,yes\n")
    table = read_table(path, need_target=False, target="y")
    assert (table.names, table.target) == (("a",), None)


def test_a_table_to_classify_may_have_one_column(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("a\n1\n2\n")
    assert read_table(path, need_target=False).rows == 2
    only_classes = read_table(path, need_target=False, target="a")
    assert (only_classes.names, only_classes.rows) == ((), 2)


def test_the_class_of_an_embedded_table() -> None:
    assert read_table("weather").target_name == "play"
    assert read_table("weather", target="windy").names[-1] == "play"
    assert read_table("weather", need_target=False).target_name == "play"


def test_a_table_is_taken_as_it_is() -> None:
    table = read_table("weather")
    assert read_table(table) is table
    assert isinstance(table, Table)
    assert read_table(table, target="play") is table
    with pytest.raises(DataError, match="a Table has its classes and columns already"):
        read_table(table, target="windy")


def test_columns_to_ignore_are_left_out() -> None:
    frame = pd.DataFrame({"id": [1, 2], "a": [3, 4], "b": [5, 6]})
    assert read_table(frame, ignore=["id"]).names == ("a",)
    # The class is the last of those that are left.
    assert read_table(frame, ignore=["b"]).target_name == "a"
    for wrong, words in (
        (["idd"], "no column 'idd' to ignore; did you mean 'id'"),
        ("id", r"give a list of names: ignore=\['id'\]"),
        (["id", "a", "b"], "all columns are ignored"),
    ):
        with pytest.raises(DataError, match=words):
            read_table(frame, ignore=wrong)
    with pytest.raises(DataError, match="'play' is the class, which cannot be ignored"):
        read_table("weather", ignore=["play"])


def test_an_empty_last_column_is_no_class(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("a,b,\n1,x,\n2,y,\n")  # a separator too many in every line
    with pytest.raises(DataError, match="'column 3' is empty; name another one with target"):
        read_table(path)
    assert read_table(path, ignore=["column 3"]).target_name == "b"


def test_a_pipe_is_named_as_a_file() -> None:
    with pytest.raises(DataError, match="use /dev/stdin to read from a pipe"):
        read_table("-")
