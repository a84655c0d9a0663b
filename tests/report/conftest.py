"""Trees to draw, made by hand so that nothing here depends on a search, and a browser: Debian's
Chromium, headless, driven by Playwright."""

from __future__ import annotations

import random
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from dtfinder.data.dataset import Feature
from dtfinder.nodes import Node, leaf
from dtfinder.tree import Tree

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

    from dtfinder import Front, Result

SNAPSHOTS = Path(__file__).parent / "snapshots"
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-sync"]


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """One browser for all tests."""
    sync_api = pytest.importorskip("playwright.sync_api", reason="Playwright is not installed")
    if CHROMIUM is None:
        pytest.skip("Chromium is not installed (Debian: apt-get install chromium)")
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture
def show(browser: Browser, tmp_path: Path) -> Iterator[Callable[..., Page]]:
    """A function that opens the page of a result; whatever goes wrong on it fails the test."""
    opened, troubles = [], []

    def open_page(result: Result | Front, width: int = 1280, **settings: Any) -> Page:
        path = tmp_path / "report.html"
        result.report(path, "a table")
        context = browser.new_context(viewport={"width": width, "height": 900}, **settings)
        page = context.new_page()
        page.on("console", lambda message: troubles.append(message.text))
        page.on("pageerror", lambda error: troubles.append(str(error)))
        page.on("request", lambda request: _only(request.url, path, troubles))
        page.goto(path.as_uri())
        opened.append(context)
        return page

    yield open_page
    for context in opened:
        context.close()
    assert troubles == []


def _only(url: str, path: Path, troubles: list[str]) -> None:
    if url != path.as_uri():
        troubles.append(f"asked for {url}")


@pytest.fixture
def weather_tree() -> Tree:
    """Seven nodes over three columns of different kinds."""
    nodes = (
        Node(0, 1, 6, -1),
        Node(1, 2, 3, -1),
        leaf(0),
        Node(2, 4, 5, -1),
        leaf(1),
        leaf(0),
        leaf(1),
    )
    features = (
        Feature("outlook", "=", "overcast"),
        Feature("humidity", "<=", 77.5),
        Feature("windy", "=", True),
    )
    counts = ((5, 9), (5, 5), (4, 0), (1, 5), (0, 5), (1, 0), (0, 4))
    return Tree(nodes, features, ("no", "yes"), counts)


@pytest.fixture
def nasty_tree() -> Tree:
    """Names and classes with everything that has a meaning in some output format."""
    features = (Feature('say "hi" \\n <b>&$x$', "in", ("a\nb", None, 2.0)),)
    nodes = (Node(0, 1, 2, -1), leaf(0), leaf(1))
    return Tree(nodes, features, ('"', "ü\\"), ((2, 3), (2, 1), (0, 2)))


@pytest.fixture
def grown_tree() -> Callable[..., Tree]:
    """A function that makes a random tree of so many inner nodes and classes."""

    def grow(inner: int, classes: int = 3) -> Tree:
        pick = random.Random(inner)
        names = ("age", "mean concave points", "colour", "income per household")
        features: list[Feature] = []
        nodes: list[Node] = []
        counts: list[tuple[int, ...]] = []
        leaves = iter(pick.choices(range(classes), k=inner + 1))

        def build(left: int) -> int:
            number = len(nodes)
            nodes.append(leaf(next(leaves) if left == 0 else -1))
            label = nodes[number].label
            counts.append(tuple(pick.randint(1, 40) if c == label else 0 for c in range(classes)))
            if left:
                features.append(Feature(pick.choice(names), "<=", round(pick.uniform(0, 999), 2)))
                feature, split = len(features) - 1, pick.randint(0, left - 1)
                zero, one = build(split), build(left - 1 - split)
                nodes[number] = Node(feature, zero, one, -1)
                both = zip(counts[zero], counts[one], strict=True)
                counts[number] = tuple(a + b for a, b in both)
            return number

        build(inner)
        labels = ("benign", "malignant", "unknown", *(f"c{i}" for i in range(3, classes)))
        return Tree(tuple(nodes), tuple(features), labels[:classes], tuple(counts))

    return grow


@pytest.fixture
def chain_tree() -> Callable[[int], Tree]:
    """A function that makes a tree as deep as asked: deeper than Python's stack, too."""

    def chain(depth: int) -> Tree:
        nodes = [Node(level, 2 * level + 1, 2 * level + 2, -1) for level in range(depth)]
        flat = [leaf(0)] * (2 * depth + 1)
        for level, node in enumerate(nodes):
            flat[2 * level] = node
        flat[-1] = leaf(1)
        features = tuple(Feature(f"x{level}", "<=", 0.5) for level in range(depth))
        counts = [(1, 0)] * len(flat)
        counts[::2] = [(depth - level, 1) for level in range(depth + 1)]
        return Tree(tuple(flat), features, (0, 1), tuple(counts))

    return chain


@pytest.fixture
def snapshot() -> Callable[[str, str], None]:
    """Compare a text with the file that pins it. To accept new output, delete the file: the test
    then writes it and fails once, so that a fresh file is always looked at."""

    def compare(text: str, name: str) -> None:
        path = SNAPSHOTS / name
        if not path.exists():
            path.write_text(text, encoding="utf-8")
            pytest.fail(f"{name} did not exist; it is written now: read it, then run again")
        assert text == path.read_text(encoding="utf-8")

    return compare
