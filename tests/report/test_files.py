"""Files are looked at before the search and written after it."""

import json
import os
from dataclasses import replace
from pathlib import Path

import pytest

from dtfinder import find_tree
from dtfinder.errors import DataError, Option, OptionError
from dtfinder.problem import Score
from dtfinder.report.files import (
    Output,
    check_outputs,
    check_writable,
    read_tree,
    result_json,
    tree_json,
)
from dtfinder.report.text import plot_title
from dtfinder.result import Result
from dtfinder.tree import Tree


@pytest.fixture
def result(weather_tree: Tree) -> Result:
    return Result(
        "feasible", weather_tree, Score(inner=1, depth=1), 0, 0, "m", "size", 0.5, "time limit"
    )


def test_looking_changes_nothing(tmp_path: Path) -> None:
    there = tmp_path / "there.json"
    there.write_text("precious")
    check_writable(Option("json"), there)
    check_writable(Option("json"), tmp_path / "new.json")
    assert there.read_text() == "precious"
    assert list(tmp_path.iterdir()) == [there]


def test_a_pipe_is_not_opened_just_to_look(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    check_writable(Option("json"), tmp_path / "pipe")  # would wait for a reader for ever


def test_a_link_into_nowhere_is_not_removed(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "target.json")
    check_writable(Option("json"), tmp_path / "link")
    assert (tmp_path / "link").is_symlink()
    assert not (tmp_path / "target.json").exists()


def test_a_name_that_is_none(tmp_path: Path) -> None:
    with pytest.raises(OptionError, match="json cannot write"):
        check_writable(Option("json"), Path("a\0b"))
    with pytest.raises(OptionError, match="too long"):
        check_writable(Option("json"), tmp_path / ("x" * 300))


def test_a_link_to_the_table_is_the_table(tmp_path: Path) -> None:
    (tmp_path / "table.csv").write_text("a,b\n")
    (tmp_path / "link").symlink_to(tmp_path / "table.csv")
    outputs = [Output(Option("dot"), str(tmp_path / "link"), str)]
    with pytest.raises(OptionError, match="which is the table"):
        check_outputs(outputs, table=str(tmp_path / "table.csv"))


def test_trees_are_read_back_from_trees_and_results(tmp_path: Path, result: Result) -> None:
    for text in (tree_json(result), result_json(result)):
        (tmp_path / "tree.json").write_text(text)
        assert read_tree(tmp_path / "tree.json") == result.tree


@pytest.mark.parametrize("junk", [b"", b"\xff\xfe", b"[" * 100_000, b"{}", b"null", b'{"tree": 1}'])
def test_junk_is_no_tree(tmp_path: Path, junk: bytes) -> None:
    (tmp_path / "tree.json").write_bytes(junk)
    with pytest.raises(DataError, match="not a tree that dtfinder wrote"):
        read_tree(tmp_path / "tree.json")


def test_json_is_json_for_everyone(result: Result) -> None:
    """No NaN, no Infinity, nothing but ASCII."""
    assert result_json(result).isascii()
    assert json.loads(result_json(result))["stopped_by"] == "time limit"


def test_titles(result: Result) -> None:
    assert plot_title(result) == "class – 7 nodes, depth 3, at least 3 nodes needed"
    erring = find_tree("weather", max_nodes=5)
    assert plot_title(erring) == "play – 5 nodes, depth 2, 2 errors, proven optimal"
    early = replace(erring, status="feasible", bounds=Score(errors=1))
    assert plot_title(early) == "play – 5 nodes, depth 2, 2 errors, not proven optimal"
