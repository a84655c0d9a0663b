"""A picture of a tree, drawn by matplotlib, an optional package that is imported only here.

Inner nodes are white boxes with their test and a bar that shows the mix of classes; leaves are
filled with the colour of their class. The figure is as large as its tree needs, never scaled.
"""

from __future__ import annotations

import textwrap
from functools import partial
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dtfinder.errors import OptionError, optional_package
from dtfinder.nodes import levels_of
from dtfinder.report.cut import MOST_BOXES, cut
from dtfinder.report.layout import centres
from dtfinder.report.text import amount, hidden_text, leaf_text, printable, rows_text
from dtfinder.tree import Tree

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

FORMATS = (".png", ".svg", ".pdf")

# Okabe and Ito's colours, told apart by the colour-blind too; black and yellow left out.
_COLOURS = ("#56b4e9", "#e69f00", "#009e73", "#cc79a7", "#d55e00", "#0072b2")
_INK, _LINE, _FAINT = "#1a1a1a", "#8c8c8c", "#666666"

# All lengths are in points, 1/72 inch.
_TEXT, _SMALL = 10.0, 8.0
_PAD, _LINE_HEIGHT, _BAR = 8.0, 13.0, 4.0
_GAP, _MARGIN, _TITLE = 12.0, 18.0, 26.0
_LEVEL_LEAST, _LEVEL_MOST = 44.0, 100.0
_WRAP = 20

# Matplotlib refuses images of 2**16 pixels a side; larger trees get fewer dots to the inch.
_MOST_PIXELS = 60_000


def check_plot_path(path: Path) -> None:
    """Raise unless a picture can be made for a file of this name."""
    if path.suffix.lower() not in FORMATS:
        raise OptionError(
            f"a picture must end in {', '.join(FORMATS[:-1])} or {FORMATS[-1]}, not {str(path)!r}"
        )
    matplotlib_package()


def written(figure: Figure, path: str | Path | None) -> Figure:
    """The figure, also written to `path` if there is one, in the format that its suffix names."""
    if path is not None:
        check_plot_path(Path(path))
        # The same tree gives the same file: no date, no random names inside. Text stays text.
        dated = {".svg": {"Date": None}, ".pdf": {"CreationDate": None}}
        metadata = dated.get(Path(path).suffix.lower())
        dpi = min(150.0, _MOST_PIXELS / max(figure.get_size_inches()))
        with matplotlib_package().rc_context({"svg.hashsalt": "dtfinder", "svg.fonttype": "none"}):
            figure.savefig(path, dpi=dpi, facecolor="white", metadata=metadata)
    return figure


def draw(tree: Tree, title: str = "", path: str | Path | None = None) -> Figure:
    """The picture as a matplotlib figure of its own, apart from pyplot and its windows, and as the
    file `path`. Of a very large tree only the top is drawn, and the title says so."""
    matplotlib_package()
    from matplotlib.figure import Figure

    top = cut(tree, MOST_BOXES)
    tree = top.tree
    if top.hidden:
        title = f"{title}. {hidden_text(top)}" if title else hidden_text(top)
    boxes = [_Box(tree, number, top.below.get(number, 0)) for number in range(tree.size)]
    xs = centres(tree, [box.width for box in boxes], _GAP)
    across = max(x + box.width / 2 for x, box in zip(xs, boxes, strict=True))
    ys = _tops(tree, boxes, across)
    width = max(across, _text_width(title, _TEXT, "bold")) + 2 * _MARGIN
    shift = (width - across) / 2
    height = max(y + box.height for y, box in zip(ys, boxes, strict=True)) + _MARGIN
    figure = Figure(figsize=(width / 72, height / 72))
    vars(figure)["_repr_png_"] = partial(png_of, figure)  # notebooks show it without pyplot
    axes = figure.add_axes((0, 0, 1, 1))
    axes.set(xlim=(0, width), ylim=(height, 0))
    axes.axis("off")
    if title:
        _write(axes, width / 2, _MARGIN, title, _TEXT, _INK, weight="bold")
    places = [(x + shift, y) for x, y in zip(xs, ys, strict=True)]
    for number, node in enumerate(tree.nodes):
        if node.feature >= 0:
            _draw_edge(axes, boxes, places, number, node.one, "yes")
            _draw_edge(axes, boxes, places, number, node.zero, "no")
    for box, (x, y) in zip(boxes, places, strict=True):
        box.draw(axes, x, y)
    return written(figure, path)


def png_of(figure: Figure) -> bytes:
    """The picture as the bytes of a PNG file."""
    stream = BytesIO()
    dpi = min(100.0, _MOST_PIXELS / max(figure.get_size_inches()))
    figure.savefig(stream, format="png", dpi=dpi, facecolor="white")
    return stream.getvalue()


class _Box:
    """What one node shows, and how large that is."""

    def __init__(self, tree: Tree, number: int, below: int = 0) -> None:
        self._counts, self._label = tree.counts[number], tree.nodes[number].label
        feature = tree.nodes[number].feature
        self._leaf = feature < 0 and not below
        words = leaf_text(tree, number)
        if not self._leaf:
            words = f"… {below + 1} nodes" if below else printable(tree.features[feature].name)
        self._lines = _wrapped(words)
        self._rows = amount(sum(self._counts), "row") if below else rows_text(tree, number)
        widest = max(_text_width(line, _TEXT) for line in self._lines)
        self.width = max(widest, _text_width(self._rows, _SMALL)) + 2 * _PAD
        self.height = _LINE_HEIGHT * (len(self._lines) + 1) + _PAD

    def draw(self, axes: Axes, x: float, top: float) -> None:
        from matplotlib.patches import FancyBboxPatch

        frame = FancyBboxPatch(
            (x - self.width / 2, top),
            self.width,
            self.height,
            boxstyle="round,pad=0,rounding_size=4",
            facecolor=_tint(self._colour(self._label)) if self._leaf else "white",
            edgecolor=self._colour(self._label) if self._leaf else _LINE,
            linewidth=1.2 if self._leaf else 1.0,
        )
        axes.add_patch(frame)
        y = top + _PAD / 2 + _LINE_HEIGHT / 2
        for line in self._lines:
            _write(axes, x, y, line, _TEXT, _INK)
            y += _LINE_HEIGHT
        _write(axes, x, y, self._rows, _SMALL, _FAINT)
        if not self._leaf:
            self._draw_mix(axes, x - self.width / 2, top + self.height - _BAR, frame)

    def _draw_mix(self, axes: Axes, left: float, top: float, frame: Any) -> None:
        """The bar at the bottom of an inner node: the share of each class."""
        from matplotlib.patches import Rectangle

        whole = sum(self._counts)
        for label, count in enumerate(self._counts):
            part = self.width * count / whole if whole else 0.0
            bar = axes.add_patch(
                Rectangle((left, top), part, _BAR, facecolor=self._colour(label), linewidth=0)
            )
            bar.set_clip_path(frame)
            left += part

    def _colour(self, label: int) -> str:
        if len(self._counts) <= len(_COLOURS):
            return _COLOURS[label]
        from matplotlib import colormaps
        from matplotlib.colors import to_hex

        return str(to_hex(colormaps["rainbow"](label / (len(self._counts) - 1))))


def _wrapped(words: str) -> list[str]:
    """The text in lines of a box; a relation stays on the line of what stands right of it."""
    for sign in (" <= ", " = ", " in "):
        words = words.replace(sign, f" {sign.strip()}\N{NO-BREAK SPACE}")
    return textwrap.wrap(words, _WRAP, max_lines=4, placeholder=" …") or [words]


def _tops(tree: Tree, boxes: list[_Box], across: float) -> list[float]:
    """The upper edge of each node: all of one level are in line, and the wider the tree, the
    farther apart the levels, so that no branch runs almost flat."""
    level_of = levels_of(tree.nodes)
    apart = min(max(_LEVEL_LEAST, 0.35 * across / (max(level_of) + 1)), _LEVEL_MOST)
    tallest = [0.0] * (max(level_of) + 1)
    for level, box in zip(level_of, boxes, strict=True):
        tallest[level] = max(tallest[level], box.height)
    top = [_MARGIN + _TITLE]
    for height in tallest[:-1]:
        top.append(top[-1] + height + apart)
    return [top[level] for level in level_of]


def _draw_edge(
    axes: Axes,
    boxes: list[_Box],
    places: list[tuple[float, float]],
    parent: int,
    child: int,
    word: str,
) -> None:
    (x, top), (to_x, to_y) = places[parent], places[child]
    y = top + boxes[parent].height
    axes.plot([x, to_x], [y, to_y], color=_LINE, linewidth=1.0, zorder=0)
    _write(axes, (x + to_x) / 2, (y + to_y) / 2, word, _SMALL, _FAINT, backdrop=True)


def _write(
    axes: Axes,
    x: float,
    y: float,
    words: str,
    size: float,
    colour: str,
    *,
    weight: str = "normal",
    backdrop: bool = False,
) -> None:
    text = axes.text(
        x, y, words, fontsize=size, color=colour, weight=weight, ha="center", va="center_baseline"
    )
    text.set_parse_math(False)  # a $ in a name is a $
    if backdrop:
        text.set_bbox({"facecolor": "white", "edgecolor": "none", "pad": 1.5})


def _text_width(words: str, size: float, weight: str = "normal") -> float:
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import text_to_path

    font = FontProperties(size=size, weight=weight)
    return float(text_to_path.get_text_width_height_descent(words, font, ismath=False)[0])


def _tint(colour: str) -> tuple[float, ...]:
    """A colour light enough to read black text on."""
    from matplotlib.colors import to_rgb

    return tuple(1 - 0.35 * (1 - part) for part in to_rgb(colour))


def matplotlib_package() -> Any:
    """Matplotlib itself."""
    return optional_package("matplotlib", "pictures need matplotlib", "plot")
