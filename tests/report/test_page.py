"""The page in a real browser: Debian's Chromium, headless, driven by Playwright."""

from __future__ import annotations

import hashlib
import re
import xml.etree.ElementTree as ET
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas
import pytest

from dtfinder import find_tree
from dtfinder.data import Table
from dtfinder.result import Result
from dtfinder.tree import Tree
from pages import mixed_result, result_of

if TYPE_CHECKING:
    from playwright.sync_api import FloatRect, Locator, Page

Show = Callable[..., "Page"]
MANY, FEW = 30, 3  # inner nodes: trees of 61 and of 7 nodes


def _nodes(page: Page) -> list[int]:
    found = page.eval_on_selector_all(
        "#tree-view .node", "nodes => nodes.map(node => Number(node.dataset.node))"
    )
    return [int(number) for number in found]


def _route(page: Page) -> list[int]:
    found = page.eval_on_selector_all(
        "#tree-view .node.on-route", "nodes => nodes.map(node => Number(node.dataset.node))"
    )
    return [int(number) for number in found]


def _box(place: Locator) -> FloatRect:
    """Where it is on the page."""
    box = place.bounding_box()
    assert box is not None
    return box


def _table(result: Result) -> Table:
    assert result.dataset is not None
    return result.dataset.table


# What is cut off or lies over something else, in the coordinates of the picture.
FAULTS = """() => {
  const faults = [], slack = 0.75;
  const picture = document.querySelector("#tree-view svg"), whole = picture.viewBox.baseVal;
  const place = (element) => {
    const box = element.getBBox(), at = element.getCTM(), top = picture.getCTM();
    const scale = at.a / top.a;
    const left = (at.e - top.e) / top.a + box.x * scale;
    const up = (at.f - top.f) / top.d + box.y * scale;
    return { left, top: up, right: left + box.width * scale, bottom: up + box.height * scale };
  };
  const inside = (a, b) => a.left >= b.left - slack && a.right <= b.right + slack
    && a.top >= b.top - slack && a.bottom <= b.bottom + slack;
  const over = (a, b) => a.left < b.right - slack && b.left < a.right - slack
    && a.top < b.bottom - slack && b.top < a.bottom - slack;
  const page = { left: 0, top: 0, right: whole.width, bottom: whole.height };
  const things = [];
  for (const node of picture.querySelectorAll(".node")) {
    const box = place(node.querySelector("rect.box"));
    things.push([`box ${node.dataset.node}`, box]);
    const texts = [...node.querySelectorAll("text")].map(place);
    texts.forEach((text, at) => {
      if (!inside(text, box)) faults.push(`text ${at} of ${node.dataset.node} leaves its box`);
      if (at && text.top < texts[at - 1].bottom - 4) faults.push(`lines of ${node.dataset.node}`);
    });
    const mix = [...node.querySelectorAll("rect:not(.box):not(.under)")].map(place);
    for (const bar of mix) {
      const hidden = texts.some((text) => text.bottom - 4 > bar.top);
      if (hidden) faults.push(`bar of ${node.dataset.node}`);
    }
  }
  for (const word of picture.querySelectorAll(".branch text")) things.push(["word", place(word)]);
  things.forEach(([name, box], at) => {
    if (!inside(box, page)) faults.push(`${name} leaves the picture`);
    for (const [other, its] of things.slice(at + 1)) {
      if (over(box, its)) faults.push(`${name} over ${other}`);
    }
  });
  return faults;
}"""


@pytest.mark.parametrize("inner", [0, FEW, MANY])
def test_every_node_is_drawn_and_no_label_is_cut_off_or_overlaps(
    show: Show, grown_tree: Callable[..., Tree], inner: Any
) -> None:
    page = show(result_of(grown_tree(inner)))
    assert sorted(_nodes(page)) == list(range(2 * inner + 1))
    assert page.evaluate(FAULTS) == []


def test_long_and_odd_names_fit_too(show: Show) -> None:
    page = show(mixed_result())
    assert page.evaluate(FAULTS) == []
    page.locator("#tree-view .node").first.press("Enter")
    assert page.evaluate(FAULTS) == []


@pytest.mark.parametrize(("inner", "width"), [(MANY, 390), (60, 390), (60, 1280)])
def test_a_wide_tree_opens_with_its_root_in_view(
    show: Show, grown_tree: Callable[..., Tree], inner: int, width: int
) -> None:
    page = show(result_of(grown_tree(inner)), width=width)
    for _ in range(2):
        canvas, root = (
            _box(page.locator(f"#tree-view {part}").first)
            for part in (".canvas", '[data-node="0"]')
        )
        assert root["x"] >= canvas["x"]
        assert root["x"] + root["width"] <= canvas["x"] + canvas["width"]
        line = _box(page.locator('#tree-view [data-node="0"] text').first)
        assert line["height"] >= (8 if width < 700 else 4)  # on a phone it can be read
        page.get_by_role("button", name="Unfold everything").click()
    assert page.locator("#tree-view .canvas").evaluate("box => box.scrollLeft") > 0


@pytest.mark.parametrize("width", [1280, 400])
@pytest.mark.parametrize("inner", [FEW, MANY])
def test_nothing_is_wider_than_the_window(
    show: Show, grown_tree: Callable[..., Tree], width: int, inner: Any
) -> None:
    page = show(result_of(grown_tree(inner)), width=width)
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_a_large_tree_is_wider_than_the_text_and_its_heading_is_not(
    show: Show, grown_tree: Callable[..., Tree]
) -> None:
    page = show(result_of(grown_tree(MANY)), width=1600)
    heads = [_box(page.locator(f"#{name}")) for name in ("tree-title", "route-title")]
    assert heads[0]["x"] == heads[1]["x"]
    assert _box(page.locator("#tree-view .canvas"))["x"] < heads[0]["x"]


def test_a_table_on_a_phone_is_scrolled_and_its_words_stay_whole(show: Show) -> None:
    page = show(mixed_result(), width=390)
    first = page.locator("#data-view table").nth(1).locator("tr").first
    assert _box(first)["height"] < 40  # one line


def test_the_chart_names_its_lines_without_overlap(
    show: Show, grown_tree: Callable[..., Tree]
) -> None:
    page = show(result_of(grown_tree(FEW)))
    names = page.locator("#bounds-view text.name")
    assert names.all_text_contents() == ["best tree: 7", "proven at least: 7"]
    upper, lower = (_box(names.nth(at)) for at in range(2))
    assert upper["y"] + upper["height"] <= lower["y"] + 4
    edge = _box(page.locator("#bounds-view svg"))
    assert max(each["x"] + each["width"] for each in (upper, lower)) <= edge["x"] + edge["width"]


def test_a_click_folds_and_unfolds(show: Show, grown_tree: Callable[..., Tree]) -> None:
    tree = grown_tree(MANY)
    page = show(result_of(tree))
    inner = next(n for n, node in enumerate(tree.nodes) if n and node.feature >= 0)
    before, node = len(_nodes(page)), page.locator(f'#tree-view [data-node="{inner}"]')
    node.click()
    hidden = before - len(_nodes(page))
    assert hidden > 0
    assert f"+ {hidden} nodes folded" in (node.text_content() or "")
    assert node.get_attribute("aria-expanded") == "false"
    assert page.evaluate(FAULTS) == []
    node.click()
    assert len(_nodes(page)) == before
    page.get_by_role("button", name="Fold all below").click()
    assert len(_nodes(page)) < before
    page.get_by_role("button", name="Unfold everything").click()
    assert len(_nodes(page)) == before


def test_the_keyboard_goes_everywhere(show: Show, weather_tree: Tree) -> None:
    page = show(result_of(weather_tree))
    page.locator("#tree-view .node").first.focus()
    focused = "Number(document.activeElement.dataset.node)"
    seen = [page.evaluate(focused)]
    for _ in range(weather_tree.size - 1):
        page.keyboard.press("ArrowDown")
        seen.append(page.evaluate(focused))
    assert sorted(seen) == list(range(weather_tree.size))
    page.keyboard.press("Home")
    page.keyboard.press("ArrowRight")
    assert page.evaluate(focused) == weather_tree.nodes[0].one
    page.keyboard.press("ArrowLeft")
    assert page.evaluate(focused) == 0
    page.keyboard.press("Enter")
    assert _nodes(page) == [0]
    page.keyboard.press("ArrowRight")
    assert len(_nodes(page)) == weather_tree.size
    assert page.evaluate(focused) == 0
    page.keyboard.press("ArrowDown")
    assert page.locator("#tip").is_visible()
    page.keyboard.press("Escape")
    assert not page.locator("#tip").is_visible()


def test_zooming_changes_the_size(show: Show, grown_tree: Callable[..., Tree]) -> None:
    page = show(result_of(grown_tree(MANY)))

    def wide() -> float:
        return _box(page.locator("#tree-view svg"))["width"]

    first = wide()
    page.get_by_role("button", name="Zoom in").first.click()
    assert wide() > first * 1.2
    page.get_by_role("button", name="Fit the whole tree").click()
    assert wide() <= _box(page.locator("#tree-view .canvas"))["width"]


def test_hovering_shows_counts_and_rows(show: Show) -> None:
    result = mixed_result()
    page = show(result)
    reached = result.tree.apply(_table(result))
    leaf = int(reached[0])
    page.locator(f'#tree-view [data-node="{leaf}"]').hover()
    words = page.locator("#tip").inner_text()
    rows = [row + 1 for row in range(len(reached)) if reached[row] == leaf]
    assert f"Rows {', '.join(map(str, rows[:14]))}" in words
    assert str(sum(result.tree.counts[leaf])) in words


def _path(tree: Tree, leaf: int) -> list[int]:
    """The nodes from the root to a leaf."""
    parent = {c: n for n, node in enumerate(tree.nodes) if node.feature >= 0 for c in node[1:3]}
    path = [leaf]
    while path[-1]:
        path.append(parent[path[-1]])
    return sorted(path)


def test_every_row_of_the_table_takes_the_route_of_predict(show: Show) -> None:
    result = mixed_result()
    page = show(result)
    for row, leaf in enumerate(result.tree.apply(_table(result)).tolist()):
        page.locator("#row-number").fill(str(row + 1))
        assert sorted(_route(page)) == _path(result.tree, leaf)
        assert page.locator("#predicted").get_attribute("data-leaf") == str(leaf)
        assert "as in the table" in page.locator("#answer").inner_text()


def test_typed_values_take_the_route_of_predict(show: Show) -> None:
    result = mixed_result()
    page, table = show(result), _table(result)
    fields = page.locator("[data-column]")
    names = [fields.nth(at).get_attribute("data-column") or "" for at in range(fields.count())]
    assert set(names) == {feature.column for feature in result.tree.features}
    for row in range(0, table.rows, 4):
        for at, name in enumerate(names):
            value, gone = table.column(name)[row], page.locator(f"#value-{at}-missing")
            missing = value is None or value != value
            if gone.count():
                gone.set_checked(missing)
            if missing:
                continue
            if isinstance(value, bool):
                fields.nth(at).select_option("true" if value else "false")
            else:
                fields.nth(at).fill(str(value))
        leaf = int(result.tree.apply(table)[row])
        assert sorted(_route(page)) == _path(result.tree, leaf)
        label = result.tree.classes[result.tree.nodes[leaf].label]
        assert page.locator("#predicted").inner_text() == label


def test_a_word_where_a_number_belongs_is_said(show: Show, weather_tree: Tree) -> None:
    page = show(result_of(weather_tree))
    page.locator('[data-column="humidity"]').fill("a lot")
    assert "not a number" in page.locator("#answer").inner_text()
    assert _route(page) == []


def test_the_greedy_tree_is_beside_it(show: Show) -> None:
    page = show(mixed_result())
    assert page.locator("#greedy-view figure svg").count() == 2
    page.get_by_text("Show the greedy tree in full").click()
    page.locator("#greedy-view .node").first.wait_for(state="attached")
    greedy = mixed_result().greedy
    assert greedy is not None
    assert page.locator("#greedy-view .node").count() == greedy[0].size


def test_it_prints_without_what_is_only_for_screens(
    show: Show, grown_tree: Callable[..., Tree]
) -> None:
    page = show(result_of(grown_tree(MANY)))
    page.emulate_media(media="print")
    assert not page.locator("#tree-view button").first.is_visible()
    picture = _box(page.locator("#tree-view svg"))
    assert picture["width"] <= 1280
    assert page.locator("#rules-view pre").is_visible()


def test_dark_is_dark(show: Show, weather_tree: Tree) -> None:
    page = show(result_of(weather_tree), color_scheme="dark")
    shade = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert max(map(int, shade.removeprefix("rgb(").removesuffix(")").split(","))) < 60


def test_it_says_why_and_names_the_certificate(show: Show) -> None:
    result = find_tree("weather", certify=True)
    page = show(result)
    assert page.locator("#proof-title").inner_text() == "Why no smaller tree"
    words = page.locator("#proof-view").inner_text()
    assert "of the 14 rows alone need 4 splits, 9 nodes" in words
    rows = int(re.findall(r"(\d+) of the 14 rows", words)[0])
    assert page.locator("#proof-view tbody tr").count() == rows
    assert result.certificate is not None
    digest = hashlib.sha256(result.certificate.data).hexdigest()
    assert page.locator("#digest").inner_text() == digest


def test_it_asks_for_the_value_that_it_needs(show: Show, weather_tree: Tree) -> None:
    page = show(result_of(weather_tree))
    page.locator('[data-column="humidity"]').fill("")
    assert "humidity has no value; type one." in page.locator("#answer").inner_text()
    assert page.locator("#predicted").count() == 0
    assert _route(page) == []
    for field in page.locator("input[data-column]").all():
        field.fill("70")
    assert page.locator("#predicted").count() == 1


def test_dates_and_durations_take_the_route_of_predict(show: Show) -> None:
    frame = pandas.DataFrame(
        {
            "when": pandas.date_range("2024-01-01", periods=60, freq="9h"),
            "wait": pandas.to_timedelta([row * 37 % 60 for row in range(60)], unit="D") / 7,
        }
    )
    labels = ["c" if row * 37 % 60 > 40 else "ab"[row < 25] for row in range(60)]
    result = find_tree(frame, labels)
    assert {feature.column for feature in result.tree.features} == {"when", "wait"}
    page = show(result)
    assert result.dataset is not None
    for row, leaf in enumerate(result.tree.apply(result.dataset.table).tolist()):
        page.locator("#row-number").fill(str(row + 1))
        assert page.locator("#predicted").get_attribute("data-leaf") == str(leaf)
    field = page.locator('[data-column="when"]')
    field.fill("2024-01-03 21:00")
    assert page.locator("#predicted").count() == 1
    field.fill("3.1.2024")
    assert "when is not written like 2024-0" in page.locator("#answer").inner_text()


@pytest.mark.parametrize("inner", [15, 30])
def test_trees_of_a_few_dozen_nodes_fit_the_window(
    show: Show, grown_tree: Callable[..., Tree], inner: int
) -> None:
    page = show(result_of(grown_tree(inner)))
    canvas = page.locator("#tree-view .canvas")
    assert len(_nodes(page)) == 2 * inner + 1
    assert canvas.evaluate("(box) => box.scrollWidth <= box.clientWidth")
    assert _box(canvas)["width"] > 1150


def test_larger_trees_are_folded_and_shown_as_a_whole_beside(
    show: Show, grown_tree: Callable[..., Tree]
) -> None:
    page = show(result_of(grown_tree(150)))
    assert 1 < len(_nodes(page)) <= 61
    assert page.locator("#tree-view .overview svg circle").count() == 301
    assert "The whole tree: 301 nodes" in page.locator("#tree-view .overview").inner_text()
    assert page.evaluate(FAULTS) == []
    page.get_by_label("Fold what is deeper than").select_option("1")
    assert len(_nodes(page)) == 3
    page.get_by_role("button", name="Unfold everything").click()
    assert len(_nodes(page)) == 301


def test_the_picture_can_be_taken_away(show: Show, weather_tree: Tree) -> None:
    page = show(result_of(replace(weather_tree, target="play")), accept_downloads=True)
    with page.expect_download() as got:
        page.get_by_role("button", name="Download the picture as SVG").click()
    assert got.value.suggested_filename == "a-table-play.svg"
    root = ET.fromstring(Path(got.value.path()).read_text())
    assert len(root.findall(".//{*}rect[@class='box']")) == weather_tree.size
    assert "--ink:" in root.findtext("{*}style", "")
    with page.expect_download() as got:
        page.get_by_role("button", name="Download the picture as PNG").click()
    assert got.value.suggested_filename == "a-table-play.png"
    assert Path(got.value.path()).read_bytes().startswith(b"\x89PNG")


def test_a_split_shows_how_the_column_is_distributed(show: Show) -> None:
    result = find_tree("iris")
    page = show(result)
    page.locator("#tree-view .node").first.hover()
    assert page.locator("#tip svg rect").count() > 5
    assert page.locator("#tip svg .bound").count() == 1
    page = show(find_tree("weather"))
    page.locator("#tree-view .node").first.hover()
    assert page.locator("#tip tbody tr").count() == 2 + 3


def test_hidden_rows_are_counted(show: Show) -> None:
    bits = [[row >> place & 1 for place in range(4)] for row in range(16)]
    result = find_tree(bits, [sum(row) % 2 for row in bits])
    assert result.reason is not None
    rows = len(result.reason.forcing[0].rows)
    page = show(result)
    assert rows > 12
    assert page.locator("#proof-view tbody tr").count() == 12
    page.get_by_role("button", name=f"Show all {rows} rows").click()
    assert page.locator("#proof-view tbody tr").count() == rows


def test_no_heading_breaks_inside_a_word(show: Show) -> None:
    names = [f"immigration{number}" for number in range(12)]
    bits = [[row >> place & 1 for place in range(12)] for row in range(0, 4096, 57)]
    frame = pandas.DataFrame(bits, columns=names)
    page = show(find_tree(frame, [sum(row) % 2 for row in bits], method="sklearn"), width=700)
    broken = """(head) => {
      const range = document.createRange();
      range.selectNodeContents(head);
      return range.getClientRects().length > head.textContent.trim().split(/[ -]/).length;
    }"""
    heads = page.locator("th")
    assert heads.count() > 5
    assert not any(heads.nth(at).evaluate(broken) for at in range(heads.count()))


def test_the_chart_is_legible_on_a_phone(show: Show, grown_tree: Callable[..., Tree]) -> None:
    page = show(result_of(grown_tree(FEW)), width=390)
    for text in page.locator("#bounds-view svg text").all():
        assert _box(text)["height"] >= 11
    names = page.locator("#bounds-view text.name")
    upper, lower = (_box(names.nth(at)) for at in range(2))
    assert upper["y"] + upper["height"] <= lower["y"] + 4
    assert max(each["x"] + each["width"] for each in (upper, lower)) <= 390


def test_every_question_that_rows_answer_has_a_share(show: Show) -> None:
    page = show(find_tree("mux6"))
    shares = (
        page.locator("#data-view table").last.locator("tbody tr td:last-child").all_inner_texts()
    )
    assert len(shares) == 6
    assert all(share.strip() not in ("", "0%") for share in shares)
