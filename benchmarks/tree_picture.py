"""Two trees on one scale, like the paper's Figure 4: 0 to the left in blue, 1 to the right in red,
leaves with their class."""

from __future__ import annotations

import matplotlib

matplotlib.use("Agg")
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from benchmarks.results import Nested

ZERO, ONE = "#1f5fbf", "#c62828"
LEAF_STEP, LEVEL = 1.0, 1.0


def depth_of(tree: Nested) -> int:
    """Edges on the longest path."""
    return 0 if isinstance(tree, str) else 1 + max(depth_of(tree[1]), depth_of(tree[2]))


def size_of(tree: Nested) -> int:
    """Nodes, leaves included."""
    return 1 if isinstance(tree, str) else 1 + size_of(tree[1]) + size_of(tree[2])


def pair(above: tuple[str, Nested], below: tuple[str, Nested]) -> Figure:
    """Both trees with their titles on one scale, so that the sizes can be compared by eye; one
    above the other, as side by side they would be too wide for a page."""
    trees = [tree for _, tree in (above, below)]
    widest = max(6, *((size_of(tree) + 1) // 2 for tree in trees))
    depths = [depth_of(tree) for tree in trees]
    figure, panels = plt.subplots(
        2,
        1,
        figsize=(0.53 * widest + 0.4, 0.62 * (sum(depths) + 2) + 1.2),
        height_ratios=[depth + 1 for depth in depths],
        layout="constrained",
        dpi=110,
    )
    for axes, (title, tree), depth in zip(panels, (above, below), depths, strict=True):
        axes.set_title(f"{title}: {size_of(tree)} nodes, depth {depth}", fontsize=10)
        axes.set_axis_off()
        axes.set_xlim(-0.8, widest - 0.2)
        axes.set_ylim(-depth * LEVEL - 0.5, 0.5)
        _draw(axes, tree, 0, [(widest - (size_of(tree) + 1) // 2) / 2])
    return figure


def _draw(axes: Axes, tree: Nested, depth: int, next_leaf: list[float]) -> float:
    """Draw the tree below `depth`; the place of its root. `next_leaf` is where the next leaf goes:
    leaves stand side by side, an inner node over the middle of its children."""
    y = -depth * LEVEL
    if isinstance(tree, str):
        x = next_leaf[0]
        next_leaf[0] += LEAF_STEP
        box = {"boxstyle": "round,pad=0.3", "facecolor": "#f2f2f2", "edgecolor": "#666666"}
        axes.text(x, y, tree, ha="center", va="center", fontsize=9, bbox=box, zorder=3)
        return x
    name, zero, one = tree
    places = [_draw(axes, child, depth + 1, next_leaf) for child in (zero, one)]
    x = sum(places) / 2
    for place, colour, value in zip(places, (ZERO, ONE), "01", strict=True):
        axes.plot([x, place], [y, y - LEVEL], color=colour, linewidth=1.1, zorder=1)
        middle = (x + place) / 2, y - LEVEL / 2
        box = {"boxstyle": "circle,pad=0.08", "facecolor": "white", "edgecolor": "none"}
        axes.text(
            *middle, value, color=colour, fontsize=7, ha="center", va="center", bbox=box, zorder=2
        )
    box = {"boxstyle": "round,pad=0.25", "facecolor": "white", "edgecolor": "#333333"}
    label = name if len(name) <= 9 else name.replace(" = ", "\n= ")
    axes.text(x, y, label, ha="center", va="center", fontsize=8, bbox=box, zorder=3)
    return x
