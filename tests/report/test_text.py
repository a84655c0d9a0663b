"""What people read: pinned word for word in the snapshot files."""

from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest

from dtfinder import find_front
from dtfinder.problem import Score
from dtfinder.report.text import describe, front_text, printable, summary, tree_text
from dtfinder.report.why import why_text
from dtfinder.result import Result
from dtfinder.tree import Tree


@pytest.fixture
def result(weather_tree: Tree) -> Result:
    return Result(
        status="optimal",
        tree=weather_tree,
        bounds=Score(inner=3, depth=3),
        errors=0,
        unavoidable_errors=0,
        method="dtfinder",
        minimise="size",
        seconds=0.1234,
    )


def test_why_says_what_is_not_known(result: Result) -> None:
    assert why_text(result, None).startswith("The table was read in batches")
    early = replace(
        result, status="feasible", stopped_by="time limit", bounds=Score(inner=2, depth=2)
    )
    assert why_text(early, None) == (
        "It is not proven that no smaller tree exists: the tree has 7 nodes, at least 5 are "
        "needed.\n"
    )
    erring = replace(early, may_err=True, max_nodes=7)
    assert why_text(erring, None).startswith("It is not proven that no better tree exists")


def test_the_columns_of_a_front_are_in_line() -> None:
    front = find_front("weather")
    open_ = [replace(each, status="feasible", bounds=Score(errors=12345)) for each in front]
    lines = front_text(replace(front, results=tuple(open_))).splitlines()
    assert lines[:3] == [
        "nodes  errors  proven          depth",
        "    1       5  at least 12345      0",
        "    3       4  at least 12345      1",
    ]


def test_a_tree_has_one_node_a_line(
    weather_tree: Tree, snapshot: Callable[[str, str], None]
) -> None:
    snapshot(tree_text(replace(weather_tree, target="play")), "weather.txt")


def test_ascii_for_terminals_without_boxes(
    weather_tree: Tree, snapshot: Callable[[str, str], None]
) -> None:
    text = tree_text(replace(weather_tree, target="play"), box=False)
    assert text.isascii()
    snapshot(text, "weather-ascii.txt")


def test_a_large_tree(
    grown_tree: Callable[..., Tree], snapshot: Callable[[str, str], None]
) -> None:
    text = tree_text(replace(grown_tree(30), target="diagnosis"))
    assert len(text.splitlines()) == 61
    snapshot(text, "large.txt")


def test_names_stay_on_their_line(nasty_tree: Tree, snapshot: Callable[[str, str], None]) -> None:
    text = tree_text(nasty_tree)
    assert len(text.splitlines()) == 3
    snapshot(text, "nasty.txt")


def test_a_tree_deeper_than_the_stack(chain_tree: Callable[[int], Tree]) -> None:
    lines = tree_text(chain_tree(3000)).splitlines()
    assert len(lines) == 6001
    assert lines[3000].endswith("yes: class = 1  (1 row)")
    assert lines[-1] == "└─ no: class = 0  (1 row)"


def test_one_leaf(chain_tree: Callable[[int], Tree]) -> None:
    tree = chain_tree(0)
    assert tree_text(replace(tree, target="play")) == "play = 1  (1 row)\n"


def test_describe_is_the_tree_and_the_summary(result: Result, weather_tree: Tree) -> None:
    assert describe(result) == f"{tree_text(weather_tree)}\n{summary(result)}\n"


def test_a_result_sums_itself_up(result: Result) -> None:
    assert result.summary() == summary(result)


def _variants(result: Result) -> Iterator[Result]:
    yield result
    yield replace(result, max_depth=3)
    yield replace(result, minimise="depth")
    yield replace(result, minimise="depth", max_nodes=9)
    yield replace(result, errors=1, unavoidable_errors=1)
    stopped = replace(
        result, status="feasible", bounds=Score(inner=1, depth=1), stopped_by="time limit"
    )
    yield stopped
    yield replace(stopped, stopped_by="interrupted", minimise="depth", errors=2)
    yield replace(stopped, stopped_by="method", method="sklearn")
    yield replace(stopped, stopped_by="work limit", max_depth=4)


def test_every_kind_of_summary(result: Result, snapshot: Callable[[str, str], None]) -> None:
    snapshot("".join(f"{summary(each)}\n" for each in _variants(result)), "summaries.txt")


def test_printable_escapes_only_control_characters() -> None:
    assert printable("grün\t\x1b[31m\udc80 ✓") == "grün\\t\\x1b[31m\\udc80 ✓"
