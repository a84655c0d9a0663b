"""Sets of allowed classes: how they are read, merged and refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from dtfinder import find_tree
from dtfinder.certify.check import check
from dtfinder.certify.write import write_table
from dtfinder.cli.app import run
from dtfinder.data import make_dataset, read_table
from dtfinder.data.columns import objects
from dtfinder.errors import DataError, OptionError
from dtfinder.front.find import find_front

STATES = "light,car,action\ngreen,no,go|slow\ngreen,yes,slow\nred,no,stop\nred,yes, stop | wait \n"


def states(folder: Path, text: str = STATES) -> str:
    path = folder / "states.csv"
    path.write_text(text)
    return str(path)


def test_cells_are_split_at_the_separator(tmp_path: Path) -> None:
    table = read_table(states(tmp_path), classes_separator="|")
    assert table.target is not None
    assert table.target.tolist() == [("go", "slow"), ("slow",), ("stop",), ("stop", "wait")]
    dataset = make_dataset(table)
    assert dataset.classes == ("go", "slow", "stop", "wait")
    assert dataset.sets.astype(int).tolist() == [
        [1, 1, 0, 0],
        [0, 1, 0, 0],
        [0, 0, 1, 0],
        [0, 0, 1, 1],
    ]
    assert dataset.labels.tolist() == [1, 1, 2, 2]  # what most examples allow
    assert dataset.least_leaves == 2


def test_without_a_separator_a_cell_is_one_class(tmp_path: Path) -> None:
    dataset = make_dataset(read_table(states(tmp_path)))
    assert dataset.classes == ("go|slow", "slow", "stop", "stop | wait")
    assert dataset.allowed is None
    plain = read_table(states(tmp_path, "x,c\n1,a\n2,b\n"), classes_separator="|")
    assert plain.target is not None
    assert plain.target.tolist() == ["a", "b"]
    assert plain.separator == ""


@pytest.mark.parametrize(
    ("cells", "expected"),
    [
        (["1|2", "2", "10"], [(1, 2), (2,), (10,)]),
        (["true|false", "true", "false"], [(False, True), (True,), (False,)]),
        (["2|a|2", "a", "2"], [("2", "a"), ("a",), ("2",)]),
    ],
)
def test_classes_have_the_type_that_they_would_have_alone(
    tmp_path: Path, cells: list[str], expected: list[Any]
) -> None:
    rows = "".join(f"{n},{cell}\n" for n, cell in enumerate(cells))
    table = read_table(states(tmp_path, "x,c\n" + rows), classes_separator="|")
    assert table.target is not None
    assert table.target.tolist() == expected


@pytest.mark.parametrize(
    "y",
    [
        [["a", "b"], ["b"], "c"],
        [("b", "a", "a"), ("b",), ("c",)],
        [{"a", "b"}, {"b"}, frozenset("c")],
        objects([["a", "b"], "b", np.array(["c"])]),
        pd.Series([["a", "b"], ["b"], ["c"]], name="kind"),
    ],
    ids=["lists", "tuples", "sets", "objects", "series"],
)
def test_rows_may_have_collections_in_python(y: Any) -> None:
    table = read_table([[0], [1], [2]], y)
    assert table.target is not None
    assert table.target.tolist() == [("a", "b"), ("b",), ("c",)]
    assert table.separator == "|"
    frame = pd.DataFrame({"x": [0, 1, 2]}).assign(target=list(y))
    again = read_table(frame)
    assert again.target is not None
    assert again.target.tolist() == table.target.tolist()


def test_lists_of_equal_length_are_sets_and_lists_of_one_are_classes() -> None:
    both = read_table([[0], [1]], [["a", "b"], ["b", "c"]]).target
    assert both is not None
    assert both.tolist() == [("a", "b"), ("b", "c")]
    single = read_table([[0], [1]], [["a"], ["b"]]).target
    assert single is not None
    assert single.tolist() == ["a", "b"]


def test_a_separator_is_found_that_no_class_has() -> None:
    assert read_table([[0], [1]], [["a|b", "c;d"], ["c;d"]]).separator == "/"


@pytest.mark.parametrize(
    ("cell", "message"),
    [
        ("a||b", "row 2 has 'a||b' in the class column 'c', with no class on one side of '|'"),
        ("|a", "row 2 has '|a' in the class column 'c'"),
        ("a|NA", "the class column 'c' has no value"),
    ],
)
def test_a_place_without_a_class_is_refused(tmp_path: Path, cell: str, message: str) -> None:
    path = states(tmp_path, f"x,c\n0,a\n1,{cell}\n")
    with pytest.raises(DataError) as caught:
        read_table(path, classes_separator="|")
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("y", "message"),
    [
        ([["a"], []], "row 2 allows no class"),
        ([["a", None], ["b"]], "row 1 has a class without a value"),
        ([["a", "b"], None], "row 2 has no class"),
    ],
)
def test_what_is_no_set_of_classes_is_refused(y: Any, message: str) -> None:
    with pytest.raises(DataError, match=message):
        read_table([[0], [1]], y)


def test_equal_rows_allow_what_most_of_them_allow() -> None:
    x = [[0], [0], [0], [1], [1], [2]]
    y = [["a", "b"], ["b", "c"], ["c"], ["a"], ["b"], ["a", "c"]]
    dataset = make_dataset(read_table(x, y))
    assert dataset.sets.astype(int).tolist() == [[0, 1, 1], [1, 1, 0], [1, 0, 1]]
    assert dataset.unavoidable_errors == 2
    dropped = make_dataset(read_table(x, y), contradictions="drop")
    assert dropped.example_of_row.tolist() == [-1, -1, -1, -1, -1, 0]
    with pytest.raises(DataError, match="rows 1 and 2 differ only in their class"):
        make_dataset(read_table(x, y), contradictions="error")
    fine = read_table([[0], [0], [1]], [["a", "b"], ["b", "c"], ["c"]])
    assert make_dataset(fine, contradictions="error").sets.astype(int).tolist() == [
        [0, 1, 0],
        [0, 0, 1],
    ]
    weighted = make_dataset(read_table(x, y, weights=[1, 1, 5, 1, 2, 1]))
    assert weighted.sets.astype(int).tolist() == [[0, 0, 1], [0, 1, 0], [1, 0, 1]]
    assert weighted.unavoidable_errors == 2


def test_three_sets_can_be_impure_though_no_two_of_them_are() -> None:
    x = [[0, 0], [0, 1], [1, 0]]
    y = [["a", "b"], ["b", "c"], ["a", "c"]]
    assert make_dataset(read_table(x, y)).least_leaves == 2
    assert find_tree(x, y).nodes == 3
    assert find_tree(x[:2], y[:2]).nodes == 1


def test_a_result_counts_what_is_allowed(tmp_path: Path) -> None:
    result = find_tree(states(tmp_path), classes_separator="|")
    assert result.errors == 0
    assert result.nodes == 3
    assert [sum(counts) for counts in result.tree.counts] == [4, 2, 2]
    assert set(result.tree.predict(pd.read_csv(states(tmp_path)))) == {"slow", "stop"}
    page = result.to_html("states")
    assert '"sets":[[0,1],[1],[2],[2,3]]' in page.replace(" ", "")
    assert "ends in a leaf of a class that it allows" in page


def test_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table, tree, cert = states(tmp_path), str(tmp_path / "t.json"), str(tmp_path / "c.cert")
    given = ["--classes-separator", "|"]
    assert run(["fit", table, *given, "--tree", tree, "--certificate", cert, "--quiet"]) == 0
    assert run(["check", cert, "--data", table]) == 0
    assert "the tree of 3 nodes and depth 1 classifies all 4 rows" in capsys.readouterr().out
    assert run(["score", tree, table, *given]) == 0
    said = capsys.readouterr().out
    assert said.startswith("accuracy           1.0000  (4 of 4 rows)\n")
    assert run(["predict", tree, table]) == 0
    assert capsys.readouterr().out.split() == ["slow", "slow", "stop", "stop"]
    assert run(["why", table, *given]) == 0
    assert "row 1 (go or slow) on its `yes` side" in capsys.readouterr().out


def test_a_score_counts_a_row_for_its_first_class_if_it_is_wrong(tmp_path: Path) -> None:
    from dtfinder.report.score import score_file

    tree = find_tree([[0], [1]], ["a", "b"]).tree
    path = tmp_path / "other.csv"
    path.write_text("x0,c\n0,a|b\n1,c|b\n1,c|a\n0,d\n")
    scores = score_file(tree, str(path), classes_separator="|")
    assert scores.classes == ("a", "b", "d")
    assert scores.confusion.tolist() == [[1, 1, 0], [0, 1, 0], [1, 0, 0]]
    assert scores.correct == 2


@pytest.mark.parametrize(
    "y", [[[1, 2], [2, 3], [3]], [[True], [True, False], [False]], ["a", "b", "a"]]
)
def test_certificates_are_checked_against_the_written_table(tmp_path: Path, y: Any) -> None:
    result = find_tree([[0], [1], [2]], y, certify=True)
    assert result.certificate is not None
    assert result.dataset is not None
    write_table(result.dataset.table, tmp_path / "t.csv")
    result.certificate.save(tmp_path / "c")
    assert check(str(tmp_path / "c"), str(tmp_path / "t.csv")).startswith("VERIFIED")


def test_what_needs_one_class_per_row_says_so(tmp_path: Path) -> None:
    table = states(tmp_path)
    refusal = "row 1 allows the classes 'go' and 'slow', and trees that may err are for one class"
    for asked in ({"max_depth": 2}, {"max_nodes": "cv"}, {"method": "maxsat"}, {"max_errors": 1}):
        with pytest.raises(OptionError) as caught:
            find_tree(table, classes_separator="|", **asked)
        assert refusal in str(caught.value)
        assert "method='cores'" in str(caught.value)
    with pytest.raises(OptionError, match="trees that may err are for one class"):
        find_front(table, classes_separator="|")
    with pytest.raises(OptionError, match=r"class_weight.* weighs one class per row, and row 1"):
        find_tree(table, classes_separator="|", class_weight="balanced")
    with pytest.raises(OptionError, match="must be a sign such as"):
        find_tree(table, classes_separator=" ")
    found = find_tree(table, classes_separator="|", method="cores", max_depth=1)
    assert (found.nodes, found.status) == (3, "optimal")
