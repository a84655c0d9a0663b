"""A picture of a front: the share of wrong rows for every size.

Filled points are proven. Where a size is still open, its point is hollow, and a band reaches down
to the errors that are proven to be needed. Beside it stand the greedy trees of scikit-learn, pruned
to every size that its cost-complexity path has, and the errors of cross-validation with their
standard error, if they are known, with a line at the size that was chosen.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from dtfinder.data.dataset import Dataset
from dtfinder.report.plot import matplotlib_package, png_of, written
from dtfinder.report.pruned import pruned_greedy
from dtfinder.result import Front

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_OURS, _GREEDY, _HELD_OUT, _INK = "#0072b2", "#d55e00", "#009e73", "#1a1a1a"


def draw_front(front: Front, path: str | Path | None = None) -> Figure:
    """The picture as a matplotlib figure of its own, also written to `path` if there is one."""
    matplotlib_package()
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7.2, 4.5), layout="constrained")
    vars(figure)["_repr_png_"] = partial(png_of, figure)  # notebooks show it without pyplot
    axes = figure.add_subplot()
    _draw_errors(axes, front)
    if front[0].dataset is not None:
        _draw_greedy(axes, front[0].dataset, 2 * len(front) - 1)
    _draw_choice(axes, front)
    _cut_off(axes, front)
    axes.set(xlabel="nodes", ylabel="wrong rows, %")
    if front[0].weight_unit is not None:
        axes.set(ylabel="weight of wrong rows, %")
    sizes = np.arange(len(front)) * 2 + 1
    axes.set_xticks(sizes[:: 1 + len(sizes) // 16])  # all sizes are odd
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(axis="y", color="#e5e5e5", linewidth=0.8)
    axes.set_axisbelow(True)
    figure.legend(loc="outside lower center", ncols=2, frameon=False)
    return written(figure, path)


def _draw_errors(axes: Axes, front: Front) -> None:
    total = max(1, front[0].tree.total)
    nodes = np.arange(len(front)) * 2 + 1
    errors = np.array([100 * each.errors / total for each in front])
    lowers = np.array([100 * each.errors_lower_bound / total for each in front])
    proven = np.array([each.status == "optimal" for each in front])
    axes.plot(nodes, errors, color=_OURS, linewidth=1.2, zorder=2)
    axes.plot(nodes[proven], errors[proven], "o", color=_OURS, label="fewest errors, proven")
    if not proven.all():
        (hollow,) = axes.plot(nodes[~proven], errors[~proven], "o", color=_OURS)
        hollow.set(markerfacecolor="white", label="best found")
        axes.fill_between(
            nodes, lowers, errors, where=lowers < errors, color=_OURS, alpha=0.15, linewidth=0,
            label="open: between bound and best found",
        )  # fmt: skip


def _draw_greedy(axes: Axes, dataset: Dataset, most: int) -> None:
    points = pruned_greedy(dataset, most)
    sizes, errors = [size for size, _ in points], [100 * share for _, share in points]
    label = "scikit-learn's tree, pruned"
    axes.plot(sizes, errors, "s--", color=_GREEDY, markersize=4, label=label)


def _cut_off(axes: Axes, front: Front) -> None:
    """A single leaf often makes many times the errors of all other trees; then it is cut off, and
    its errors are written beside it, so that the others can be told apart."""
    first = 100 * front[0].errors / max(1, front[0].tree.total)
    drawn = [np.column_stack((line.get_xdata(), line.get_ydata())) for line in axes.lines]
    rest = max((y for points in drawn for x, y in points if x >= 3), default=first)
    axes.set(ylim=(0, None))
    if first > 2.2 * max(rest, 1.0):
        top = 1.3 * max(rest, 1.0)
        axes.set(ylim=(0, top))
        axes.annotate(f"↑ {first:.1f}%", (2.3, 0.95 * top), ha="right", fontsize="small")


def _draw_choice(axes: Axes, front: Front) -> None:
    choice = front.choice
    if choice is None:
        return
    sizes = choice.sizes[: len(front)]
    axes.errorbar(
        [each.nodes + 0.25 for each in sizes],
        [100 - 100 * each.accuracy for each in sizes],
        [100 * each.standard_error for each in sizes],
        fmt="D", color=_HELD_OUT, markersize=4, capsize=2, linewidth=1,
        label=f"held-out rows, {choice.folds} folds ± standard error",
    )  # fmt: skip
    axes.axvline(choice.nodes, color=_INK, linestyle=":", linewidth=1.2, label="chosen size")
