"""The page of a front in a real browser: a size is chosen, and everything is about its tree."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas
import pytest

from dtfinder import Front, find_front
from dtfinder.report.page_front import front_data
from pages import NASTY

if TYPE_CHECKING:
    from playwright.sync_api import Page

Show = Callable[..., "Page"]


@pytest.fixture(scope="module")
def front() -> Front:
    """The front of a rule with three flipped labels, of all sizes up to 15 nodes, with a choice."""
    random = np.random.default_rng(5)
    X = random.integers(0, 2, (120, 7))
    y = np.where(X[:, 0] == 1, X[:, 1] | X[:, 3], X[:, 2])
    y[[7, 40, 90]] ^= 1
    return find_front(X, y, max_nodes="cv", cv_max_nodes=15, cv_folds=3)


def _shown(page: Page) -> tuple[int, str, str]:
    """The size of the tree that is drawn, and what the control and the headline say."""
    nodes = page.locator("#tree-view .node").count()
    return nodes, page.locator("#size-words").inner_text(), page.locator("#view h2").inner_text()


def _is_about(page: Page, front: Front, place: int) -> None:
    """Everything on the page is about the result at this place of the front."""
    result = front[place]
    nodes, words, headline = _shown(page)
    assert nodes == result.nodes
    assert f"{2 * place + 1} node" in words
    assert f"{result.errors} error" in words
    assert f"{result.nodes} node" in headline
    assert f"{result.errors} error" in headline
    assert page.locator("#rules-view pre").inner_text().count("IF ") in (0, result.tree.leaves)
    assert f"at least {result.errors} error" in page.locator("#proof-view").inner_text()
    assert page.locator("#front-view [role=slider]").get_attribute("aria-valuenow") == str(
        2 * place + 1
    )


def test_it_opens_with_the_chosen_size(show: Show, front: Front) -> None:
    assert front.choice is not None
    page = show(front)
    _is_about(page, front, front.choice.nodes // 2)
    head = page.locator("#headline").inner_text()
    assert head == f"Cross-validation chose {front.choice.nodes} nodes"
    assert page.locator("#front-view svg line.chosen").count() == 1
    assert page.locator("#front-view svg path.held:not(.line)").count() == len(front) + 1
    chosen = f"{100 * front.choice.chosen.accuracy:.1f}%"
    assert chosen in page.locator("#view-facts").inner_text()


def test_slider_buttons_and_keys_choose_a_size(show: Show, front: Front) -> None:
    page = show(front)
    slider, figure = page.locator("#size"), page.locator("#front-view [role=slider]")
    for place in (0, 3, len(front) - 1):
        slider.fill(str(place))
        _is_about(page, front, place)
    page.get_by_role("button", name="Smaller tree").click()
    _is_about(page, front, len(front) - 2)
    figure.focus()
    figure.press("Home")
    _is_about(page, front, 0)
    figure.press("ArrowLeft")
    _is_about(page, front, 0)
    figure.press("ArrowRight")
    _is_about(page, front, 1)
    figure.press("End")
    _is_about(page, front, len(front) - 1)


def test_a_click_on_a_point_chooses_its_size(show: Show, front: Front) -> None:
    page = show(front)
    dots = page.locator("#front-view figure circle.ours")
    assert dots.count() == len(front)
    for place in (1, 4):
        dots.nth(place).click()
        _is_about(page, front, place)
    dots.nth(2).hover()
    assert f"{front[2].errors} error" in page.locator("#tip").inner_text()


def test_the_row_stays_when_the_size_changes(show: Show, front: Front) -> None:
    page = show(front)
    page.locator("#row-number").fill("41")
    page.locator("#size").fill("5")
    assert page.locator("#row-number").input_value() == "41"
    dataset = front[5].dataset
    assert dataset is not None
    leaf = front[5].tree.apply(dataset.table)[40]
    assert page.locator("#predicted").get_attribute("data-leaf") == str(leaf)


def test_the_audit_shows_routes(show: Show, front: Front) -> None:
    page, audit = show(front), front.audit()
    words = page.locator("#audit-view").inner_text()
    assert "leave out" in words
    first = audit.suspects[0]
    page.get_by_role("button", name=f"Show the route of row {first.row + 1}", exact=True).click()
    assert page.locator("#row-number").input_value() == str(first.row + 1)
    assert page.locator("#audit-view table").count() == 2


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390])
def test_it_fits_the_window_and_its_words_are_legible(
    show: Show, front: Front, width: int, scheme: str
) -> None:
    page = show(front, width=width, color_scheme=scheme)
    page.locator("#size").fill(str(len(front) - 1))
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    for text in page.locator("#front-view figure text").all():
        box = text.bounding_box()
        assert box is not None
        assert box["height"] >= 11
        assert box["x"] + box["width"] <= width
    shades = page.evaluate(
        """() => ["svg circle.ours", "#headline", "#view-facts dd"].map((part) => {
          const style = getComputedStyle(document.querySelector(part));
          return style[part.startsWith("svg") ? "fill" : "color"].match(/[0-9]+/g).map(Number);
        })"""
    )
    for shade in shades:
        assert (sum(shade) / 3 > 128) == (scheme == "dark"), shade


def test_open_sizes_have_a_band_and_their_bounds(show: Show, front: Front) -> None:
    half = replace(front[3], status="feasible", bounds=replace(front[3].bounds, errors=1))
    page = show(replace(front, results=(*front[:3], half, *front[4:]), choice=None))
    assert page.locator("#front-view figure path.band").count() == 1
    assert page.locator("#front-view figure circle.open").count() == 1
    assert "best found" in page.locator("#front-view").inner_text()
    _is_about(page, front, 2)  # the last size that is proven
    page.locator("#size").fill("3")
    assert "at least 1 error" in page.locator("#size-words").inner_text()
    assert "1 may be possible" in page.locator("#view h2").inner_text()


def test_a_single_leaf_does_not_squash_the_others(show: Show, front: Front) -> None:
    few = [replace(each, errors=min(each.errors, 9)) for each in front[1:]]
    cut = replace(front, results=(front[0], *few), choice=None)
    page = show(cut)
    share = f"↑ {100 * front[0].errors / front[0].rows:.1f}%"
    assert share in page.locator("#front-view figure text").all_text_contents()
    places = page.locator("#front-view figure circle.ours").evaluate_all(
        "dots => dots.map(dot => Number(dot.getAttribute('cy')))"
    )
    assert max(places) - min(places[1:]) > 60  # of 264; about 45 if nothing were cut off
    assert [text.get_text() for text in cut.plot().axes[0].texts] == [share]


def test_a_page_of_one_result_has_no_sizes(show: Show, front: Front) -> None:
    page = show(front[2])
    for part in ("#front", "#sizes", "#view", "#audit"):
        assert not page.locator(part).is_visible()


def test_weights_and_odd_names(show: Show) -> None:
    random = np.random.default_rng(2)
    rows = {NASTY: random.choice(["a", "<b>", "c"], 40), "n": random.integers(0, 9, 40)}
    labels = np.where(random.random(40) < 0.7, rows["n"] > 4, rows[NASTY] == "a")
    front = find_front(pandas.DataFrame(rows), labels, weights=random.integers(1, 5, 40) / 2)
    page = show(front)
    assert not page.locator("#audit").is_visible()  # an audit counts rows
    assert "error weight" in page.locator("#size-words").inner_text()
    page.locator("#size").fill("2")
    assert page.locator("#tree-view .node").count() == front[2].nodes


def test_long_fronts_are_cut_with_a_word(front: Front) -> None:
    long: Any = replace(front, results=front.results + front.results[-1:] * 200, choice=None)
    data = front_data(long, "a table")
    assert len(data["views"]) == 150
    assert data["front"]["note"] == f"The front goes on to {2 * len(long) - 1} nodes."
    assert len(data["trees"]) == len({result.tree for result in front})
