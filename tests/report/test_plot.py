import pickle
import sys
from collections.abc import Callable
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

from dtfinder.errors import MissingPackageError, OptionError
from dtfinder.report.plot import draw
from dtfinder.tree import Tree

pytest.importorskip("matplotlib")


@pytest.mark.parametrize("suffix", ["png", "svg", "pdf"])
def test_pictures_are_written_and_repeat(weather_tree: Tree, tmp_path: Path, suffix: str) -> None:
    first, second = tmp_path / f"a.{suffix}", tmp_path / f"b.{suffix}"
    for path in (first, second):
        draw(replace(weather_tree, target="play"), "7 nodes", path)
    magic = {"png": b"\x89PNG", "svg": b"<?xml", "pdf": b"%PDF"}[suffix]
    assert first.read_bytes().startswith(magic)
    assert first.read_bytes() == second.read_bytes()


def test_svg_keeps_the_words(weather_tree: Tree, tmp_path: Path) -> None:
    draw(replace(weather_tree, target="play"), "7 nodes", tmp_path / "tree.svg")
    drawing = (tmp_path / "tree.svg").read_text(encoding="utf-8")
    for words in ("outlook", "overcast", "77.5", "4 rows", "7 nodes"):
        assert words in drawing


@pytest.mark.parametrize(("inner", "classes"), [(3, 2), (30, 3), (30, 9)])
def test_nothing_overlaps_and_nothing_is_cut_off(
    grown_tree: Callable[..., Tree], inner: int, classes: int
) -> None:
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.patches import FancyBboxPatch

    figure = draw(replace(grown_tree(inner, classes), target="diagnosis"), "a title")
    canvas: Any = FigureCanvasAgg(figure)
    canvas.draw()
    axes = figure.axes[0]
    frames = [p.get_window_extent() for p in axes.patches if isinstance(p, FancyBboxPatch)]
    assert len(frames) == 2 * inner + 1
    assert not any(a.overlaps(b) for a, b in combinations(frames, 2))
    for text in axes.texts:
        extent = text.get_window_extent()
        assert figure.bbox.x0 <= extent.x0
        assert extent.x1 <= figure.bbox.x1
        inside = [f for f in frames if f.x0 <= extent.x0 and extent.x1 <= f.x1]
        inside = [f for f in inside if f.y0 <= extent.y0 and extent.y1 <= f.y1]
        apart = not any(f.overlaps(extent) for f in frames)
        assert inside or apart, f"{text.get_text()!r} crosses the edge of a box"


def test_names_with_dollars_and_quotes_are_drawn(nasty_tree: Tree, tmp_path: Path) -> None:
    draw(nasty_tree, path=tmp_path / "tree.svg")
    assert "$x$" in (tmp_path / "tree.svg").read_text(encoding="utf-8")


def test_an_unknown_format_is_named(weather_tree: Tree) -> None:
    with pytest.raises(OptionError, match=r"\.png, \.svg or \.pdf, not 'tree.gif'"):
        draw(weather_tree, path=Path("tree.gif"))


def test_without_matplotlib_the_error_says_what_to_install(
    weather_tree: Tree, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(MissingPackageError, match=r"pip install 'dtfinder\[plot\]'"):
        draw(weather_tree, path=Path("tree.png"))


def test_a_result_draws_itself(weather_tree: Tree, tmp_path: Path) -> None:
    from pages import result_of

    figure = result_of(weather_tree).plot(tmp_path / "tree.svg")
    assert "class – 7 nodes, depth 3, proven optimal" in [
        text.get_text() for text in figure.axes[0].texts
    ]
    assert "proven optimal" in (tmp_path / "tree.svg").read_text()
    words = [text.get_text() for text in replace(weather_tree, target="play").plot().axes[0].texts]
    assert "play = yes" in " ".join(words).replace("\N{NO-BREAK SPACE}", " ")


def test_a_notebook_shows_the_figure_without_pyplot(weather_tree: Tree) -> None:
    figure = draw(weather_tree, "play")
    assert vars(figure)["_repr_png_"]().startswith(b"\x89PNG")
    assert pickle.loads(pickle.dumps(figure))._repr_png_().startswith(b"\x89PNG")
