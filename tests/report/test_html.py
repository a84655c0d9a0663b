"""The page as a file: complete, harmless, and right in what it says, before any browser sees it."""

import json
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from dtfinder import Result, find_tree
from dtfinder.problem import Score
from dtfinder.report.page_data import page_data
from dtfinder.tree import Tree
from pages import NASTY, mixed_result, page_of, result_of


def _data(page: str) -> dict[str, Any]:
    (text,) = re.findall(r'id="page-data">(.*?)</script>', page, re.DOTALL)
    found: dict[str, Any] = json.loads(text)
    return found


def test_asks_no_network_for_anything(weather_tree: Tree) -> None:
    page = page_of(result_of(weather_tree))
    places = re.findall(r"(?:https?:)?//[\w.]+", page)
    assert set(places) <= {"http://www.w3.org"}  # the name of SVG, not a place
    assert not re.search(r"<(link|img|iframe|script[^>]*\ssrc)", page)
    assert "default-src 'none'" in page


def test_fills_every_place_of_the_template(weather_tree: Tree) -> None:
    assert "{{" not in page_of(result_of(weather_tree))


def test_names_are_never_markup() -> None:
    page = page_of(mixed_result(), name=NASTY)
    assert page.count("<script") == 2
    assert page.count("</script") == 2
    assert "alert" in _data(page)["kicker"]


def test_is_the_same_twice(tmp_path: Path, weather_tree: Tree) -> None:
    for name in ("one.html", "two.html"):
        result_of(weather_tree).report(tmp_path / name)
    assert (tmp_path / "one.html").read_bytes() == (tmp_path / "two.html").read_bytes()


def test_has_the_tree_as_text_for_those_without_scripts(weather_tree: Tree) -> None:
    page = page_of(result_of(weather_tree))
    inside = page.partition("<noscript>")[2].partition("</noscript>")[0]
    assert "├─ yes: class = yes" in inside


def test_every_row_is_there_and_keeps_its_values() -> None:
    result = mixed_result()
    table = page_data(result)["table"]
    assert result.dataset is not None
    assert table["shown"] == table["total"] == result.dataset.table.rows
    for column in table["columns"]:
        own = result.dataset.table.column(column["name"]).tolist()
        own = [None if value != value else value for value in own]
        assert [column["values"][code] for code in column["codes"]] == own


def test_infinite_numbers_are_json(weather_tree: Tree) -> None:
    feature = replace(weather_tree.features[1], value=float("-inf"))
    tree = replace(
        weather_tree, features=(weather_tree.features[0], feature, weather_tree.features[2])
    )
    found = _data(page_of(result_of(tree)))["trees"][0]["features"][1]["values"]
    assert found == [{"number": "-Infinity"}]


@pytest.mark.parametrize(
    ("changes", "headline", "lead"),
    [
        ({}, "The smallest tree has 7 nodes", "no smaller tree does this"),
        ({"max_depth": 3}, "The smallest tree has 7 nodes", "no smaller tree of depth at most 3"),
        ({"minimise": "depth"}, "The shallowest tree has depth 3 and 7 nodes", "none as deep"),
        (
            {"status": "feasible", "bounds": Score(inner=2, depth=2), "stopped_by": "time limit"},
            "A tree of 7 nodes; at least 5 are needed",
            "(stopped: time limit of the search)",
        ),
        ({"errors": 2, "unavoidable_errors": 2}, "The smallest tree has 7 nodes", "All but 2 of"),
    ],
)
def test_says_first_what_matters_most(
    weather_tree: Tree, changes: dict[str, Any], headline: str, lead: str
) -> None:
    data = page_data(result_of(weather_tree, **changes))
    assert data["head"]["headline"] == headline
    assert lead in data["head"]["lead"]


@pytest.mark.parametrize(
    ("options", "headline", "lead", "proof"),
    [
        (
            {"max_nodes": 5},
            "A tree of 5 nodes with 2 errors, the fewest possible",
            "no tree of at most 5 nodes makes fewer errors",
            "every tree of at most 5 nodes makes at least 2 errors",
        ),
        (
            {"max_errors": 2},
            "The smallest tree with at most 2 errors has 5 nodes",
            "no tree with at most 2 errors is smaller",
            "every tree with at most 2 errors has at least 5 nodes",
        ),
        (
            {"leaf_penalty": 0.02},
            "The tree of least cost has 9 nodes and 0 errors",
            "no tree costs less than 0.1",
            "every tree costs at least 0.1; this one costs 0.1",
        ),
        (
            {"max_nodes": 5, "class_weight": {"no": 1, "yes": 2.5}},
            "A tree of 5 nodes with error weight 2 of 27.5, the least possible",
            "no tree of at most 5 nodes has less error weight",
            "every tree of at most 5 nodes has at least error weight 2 of 27.5",
        ),
    ],
)
def test_a_tree_that_may_err_is_said_to_be_what_was_asked_for(
    options: Any, headline: str, lead: str, proof: str
) -> None:
    data = page_data(find_tree("weather", **options))
    assert data["head"]["headline"] == headline
    assert lead in data["head"]["lead"]
    assert proof in data["views"][0]["proof"]["words"]
    assert data["views"][0]["proof"]["title"] == "Why no better tree"
    assert "contradict" not in data["head"]["lead"]


def _compared(result: Result, greedy: Any) -> str:
    words: str = page_data(result, greedy=greedy)["views"][0]["compared"]
    return words


def test_compares_with_the_greedy_tree(weather_tree: Tree, grown_tree: Callable[..., Tree]) -> None:
    larger, same = grown_tree(6, 2), weather_tree
    result = result_of(weather_tree)
    assert "needs 6 nodes more" in _compared(result, (larger, 11))
    assert "what is new is the proof" in _compared(result, (same, 11))


def test_a_tree_that_may_err_is_not_said_to_classify_the_same_rows() -> None:
    result = find_tree("weather", max_nodes=5)
    words = _compared(result, result.greedy)
    assert result.errors > 0
    assert "same rows" not in words
    assert words.endswith(", and 0 errors.")


def test_bounds_on_weighted_errors_are_shown_as_they_weigh() -> None:
    X, y = [[n % 3, n % 2] for n in range(12)], [n % 5 == 0 for n in range(12)]
    result = find_tree(X, y, weights=[0.25 + 0.5 * (n % 4) for n in range(12)], max_nodes=3)
    bounds = page_data(result, "t")["views"][0]["bounds"]
    assert result.error_weight != result.errors
    assert bounds["charts"][0]["thing"] == "error weight"
    last = bounds["charts"][0]["points"][-1]
    assert last["lower"] == last["upper"] == result.error_weight
    assert bounds["heads"] == ["after", "error weight: proven at least", "error weight: best tree"]
    assert bounds["rows"][-1][1:] == [result.error_weight] * 2


def test_the_limit_of_a_proof_stands_beside_the_trees_that_it_is_about() -> None:
    result = find_tree("weather", max_depth=3, method="cores")
    words = page_data(result, "t")["views"][0]["proof"]["words"]
    assert words == (
        "The method cores minimised the size. It proved that every tree of depth at most 3 without "
        "avoidable errors has at least 9 nodes and depth 3."
    )
