"""What a notebook shows: well-formed HTML with every node, the status and the bounds."""

from collections.abc import Callable
from html.parser import HTMLParser
from typing import Any

import pytest

from dtfinder import find_front
from dtfinder.problem import Score
from dtfinder.tree import Tree
from pages import NASTY, mixed_result, result_of


class _Reader(HTMLParser):
    """Collects the boxes' texts; fails on tags that are not closed in order."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: set[str] = set()
        self.boxes: list[str] = []
        self.words = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.open.append(tag)
        self.tags.add(tag)
        if "dtf-box" in (dict(attrs).get("class") or ""):
            self.boxes.append("")

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: Any) -> None:
        if "style" in self.open:
            return
        self.words += data
        if "span" in self.open:
            self.boxes[-1] += data


def _read(html: str) -> _Reader:
    reader = _Reader()
    reader.feed(html)
    reader.close()
    assert reader.open == []
    return reader


def test_shows_every_node_of_a_tree(weather_tree: Tree) -> None:
    boxes = [
        box.replace("\N{NO-BREAK SPACE}", " ") for box in _read(weather_tree._repr_html_()).boxes
    ]
    assert boxes == [
        "outlook = overcast14 rows",
        "class = yes4 rows",
        "humidity ≤ 77.510 rows",
        "windy = True6 rows",
        "class = no1 row",
        "class = yes5 rows",
        "class = no4 rows",
    ]


def test_shows_status_and_bounds(weather_tree: Tree) -> None:
    words = _read(result_of(weather_tree)._repr_html_()).words
    assert "✓ optimal: 7 nodes, depth 3, no smaller tree exists (proven)" in words
    open_end = result_of(
        weather_tree, status="feasible", bounds=Score(inner=2, depth=2), stopped_by="x"
    )
    assert "○ feasible: 7 nodes (at least 5 needed, gap 2)" in _read(open_end._repr_html_()).words


def test_names_are_never_markup() -> None:
    reader = _read(mixed_result()._repr_html_())
    assert "script" not in reader.tags
    assert NASTY in reader.words


@pytest.mark.parametrize("classes", [2, 9])
def test_large_and_deep_trees_are_shown(
    grown_tree: Callable[..., Tree], chain_tree: Callable[[int], Tree], classes: int
) -> None:
    assert len(_read(grown_tree(15, classes)._repr_html_()).boxes) == 31
    assert _read(grown_tree(30, classes)._repr_html_()).words.count("\n") == 61
    assert _read(chain_tree(1500)._repr_html_()).words.count("\n") == 3001


def test_a_front_has_a_line_for_every_size_and_the_chosen_tree() -> None:
    front = find_front("weather", max_nodes="cv", cv_folds=7)
    assert front.choice is not None
    page = front._repr_html_()
    assert page.count("<tr") == len(front) + 1
    assert page.count("font-weight:600") == 1
    assert f"{100 * front.choice.chosen.accuracy:.1f}%" in page
    assert page.count('class="dtf-box') == front[front.choice.nodes // 2].nodes
    plain = find_front("weather", max_nodes=5)._repr_html_()
    assert "held out" not in plain
    assert "dtf-box" not in plain.partition("</style>")[2]
