"""The pictures of a campaign: sizes, cactus, scatter, growth. Each takes rows and gives a figure.

One colour a method everywhere: the engine is black, the peers are warm, the paper's methods cool.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

import matplotlib

matplotlib.use("Agg")
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator, NullLocator

from benchmarks.adapters import DEPTH, DEPTH_SIZE, METHODS, NOTHING, SIZE
from benchmarks.results import Instance, Row
from benchmarks.tables import LEAST_SECONDS, order

COLOURS = {
    "cores": "#000000",
    "cores-depth": "#5a5a5a",
    "pystreed": "#d62728",
    "pystreed-depth": "#ff7f0e",
    "pycontree": "#e377c2",
    "gosdt": "#bc8f00",
    "pydl8.5": "#8c564b",
    "mindt": "#7cc4d6",
    "dtfinder-DT1": "#8fb8de",
    "dtfinder-DT1-T": "#5d9bd3",
    "dtfinder-DT1-T-O": "#2f7ab8",
    "dtfinder": "#12508c",
    "dtfinder-T": "#7fcf72",
    "dtfinder-T-O": "#3a9d45",
    "d-dtfinder": "#6a3d9a",
    "d-dtfinder-T-O": "#c5a3e0",
    "sat": "#17808f",
    "d-sat": "#55b8c6",
}
# Sizes in groups, as single ones would be mostly empty beyond twenty nodes.
GROUPS = ((1, 5), (7, 9), (11, 13), (15, 19), (21, 29), (31, 49), (51, 999))
STYLE: Any = {
    "font.size": 10,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "axes.grid": True,
    "grid.color": "#e4e4e4",
    "legend.frameon": False,
    "figure.dpi": 110,
}
ENGINES = ("cores", "cores-depth")
Measure = Callable[[Row], Any]
BESIDE: Any = {"loc": "center left", "bbox_to_anchor": (1.0, 0.5), "labelspacing": 0.4}


def _proving(rows: Sequence[Row], aims: Sequence[str] = (SIZE, DEPTH_SIZE, DEPTH)) -> list[str]:
    """The methods with a proof as their aim, in the order of the table."""
    return order({row.method for row in rows if row.aim in aims})


def _colour(method: str) -> str:
    return COLOURS.get(method, "#888888")


def sizes(rows: Sequence[Row]) -> Figure:
    """How many optimal trees of each size a method proved (the paper's Figure 2)."""
    methods = _proving(rows, (SIZE, DEPTH_SIZE))
    with plt.rc_context(STYLE):
        figure, axes = plt.subplots(figsize=(9, 3.8), layout="constrained")
        width = 0.85 / max(1, len(methods))
        for number, method in enumerate(methods):
            found = [row.nodes or 0 for row in rows if row.method == method and row.solved]
            counts = [sum(low <= nodes <= high for nodes in found) for low, high in GROUPS]
            places = [x + (number - (len(methods) - 1) / 2) * width for x in range(len(GROUPS))]
            axes.bar(places, counts, width, color=_colour(method), label=method)
        names = [f"{low}–{high}" if high < 999 else f"{low} or more" for low, high in GROUPS]
        axes.set_xticks(range(len(GROUPS)), names)
        axes.grid(axis="x", visible=False)
        axes.yaxis.set_major_locator(MaxNLocator(integer=True))
        axes.set_xlabel("nodes of the optimal tree")
        axes.set_ylabel("instances solved")
        if methods:
            axes.legend(fontsize=9, **BESIDE)
    return figure


def cactus(rows: Sequence[Row], limit: float) -> Figure:
    """How many instances a method solves if each may take so much CPU time."""
    with plt.rc_context(STYLE):
        figure, panels = plt.subplots(2, 1, figsize=(8.5, 8), layout="constrained", sharex=True)
        # The engine and its rivals, by what they minimise.
        for axes, aims, title in (
            (panels[0], (SIZE,), "smallest tree"),
            (panels[1], (DEPTH_SIZE, DEPTH), "least depth (then smallest, or depth alone)"),
        ):
            for method in _proving(rows, aims):
                times = sorted(row.cpu for row in rows if row.method == method and row.solved)
                engine = method in ENGINES
                axes.plot(
                    range(1, len(times) + 1),
                    [max(LEAST_SECONDS, time) for time in times],
                    color=_colour(method),
                    linewidth=2.4 if engine else 1.3,
                    marker="o" if engine else ".",
                    markersize=3.5,
                    zorder=3 if engine else 2,
                    label=f"{method} ({len(times)})",
                )
            axes.set_title(title)
            axes.set_ylabel("CPU time for one instance")
            _log_seconds(axes.yaxis, axes, limit)
            if axes.lines:
                axes.legend(fontsize=9, **BESIDE)
            axes.axhline(limit, color="#999999", linestyle="--", linewidth=0.8)
        panels[-1].set_xlabel("instances solved")
    return figure


def scatter(rows: Sequence[Row], limit: float) -> Figure | None:
    """The engine against each peer, one dot per instance; unsolved runs lie on the limit."""
    methods = {row.method for row in rows if row.solved}
    pairs = [
        (engine, name)
        for engine in ENGINES
        for name, method in METHODS.items()
        if method.kind == "peer"
        and (method.aim == SIZE) == (engine == "cores")
        and {engine, name} <= methods
    ]
    if not pairs:
        return None
    columns = min(3, len(pairs))
    lines = math.ceil(len(pairs) / columns)
    with plt.rc_context(STYLE):
        size = (3.1 * columns, 2.95 * lines)
        figure, panels = plt.subplots(
            lines, columns, figsize=size, layout="constrained", squeeze=False
        )
        for axes in panels.flat[len(pairs) :]:
            axes.set_visible(False)
        for axes, (engine, peer) in zip(panels.flat, pairs, strict=False):
            _scatter_one(axes, rows, engine, peer, limit)
    return figure


def _scatter_one(axes: Axes, rows: Sequence[Row], engine: str, peer: str, limit: float) -> None:
    unsolved = limit * 1.6
    times: dict[str, dict[Any, float]] = {}
    for method in (engine, peer):
        times[method] = {
            row.instance: max(LEAST_SECONDS, row.cpu) if row.solved else unsolved
            for row in rows
            if row.method == method
        }
    both = sorted(times[engine].keys() & times[peer].keys())
    both = [i for i in both if min(times[engine][i], times[peer][i]) < unsolved]
    axes.scatter(
        [times[peer][i] for i in both],
        [times[engine][i] for i in both],
        s=18,
        color=_colour(peer),
        edgecolor="white",
        linewidth=0.4,
        zorder=3,
    )
    ends = [LEAST_SECONDS / 2, unsolved * 1.5]
    axes.plot(ends, ends, color="#777777", linewidth=0.8)
    for line in (axes.axhline, axes.axvline):
        line(limit, color="#999999", linestyle="--", linewidth=0.8)
    _log_seconds(axes.xaxis, axes, unsolved)
    _log_seconds(axes.yaxis, axes, unsolved)
    axes.tick_params(labelsize=8)
    axes.set_aspect("equal")
    axes.set_xlabel(f"{peer}, CPU time")
    axes.set_ylabel(f"{engine}, CPU time")


def growth(rows: Sequence[Row], methods: Sequence[str], limit: float) -> Figure:
    """CPU time against the size of the optimum, the examples and the features."""
    optimum = optima_of(rows)
    panel: list[tuple[str, Measure]] = [
        ("nodes of the smallest tree", lambda row: optimum.get(row.instance)),
        ("examples", lambda row: row.examples),
        ("features", lambda row: row.features),
    ]
    with plt.rc_context(STYLE):
        figure, panels = plt.subplots(1, 3, figsize=(9, 3.8), layout="constrained", sharey=True)
        for axes, (label, of) in zip(panels, panel, strict=True):
            against(axes, rows, of, methods, limit)
            axes.set_xlabel(label)
        panels[0].set_ylabel("CPU time (× not solved)")
        handles, names = panels[0].get_legend_handles_labels()
        figure.legend(handles, names, loc="outside upper center", ncols=len(names))
    return figure


def optima_of(rows: Sequence[Row]) -> dict[Instance, int | None]:
    """The size of the smallest tree where any method proved it."""
    return {row.instance: row.nodes for row in rows if row.solved and row.aim == SIZE}


def against(
    axes: Axes,
    rows: Sequence[Row],
    of: Measure,
    methods: Sequence[str],
    limit: float,
    *,
    every: bool = False,
) -> None:
    """CPU time of `methods` against what `of` says of a row: dots for solved runs, crosses over the
    limit for the others, a line through the medians of groups, or through `every` dot."""
    for number, method in enumerate(methods):
        mine = [row for row in rows if row.method == method and of(row)]
        solved = [(of(row), max(LEAST_SECONDS, row.cpu)) for row in mine if row.solved]
        unsolved = [of(row) for row in mine if not row.solved]
        look: Any = {"color": _colour(method), "zorder": 2 + (method in ENGINES)}
        axes.scatter(*_columns(solved), s=12, alpha=1 if every else 0.5, linewidth=0, **look)
        height = [limit * 1.4 ** (1 + number)] * len(unsolved)
        axes.scatter(unsolved, height, marker="x", s=14, linewidth=0.9, **look)
        line = sorted(solved) if every else _medians(solved)
        axes.plot(*_columns(line), linewidth=1.4 if every else 2, label=method, **look)
    if not any(row.method in methods and of(row) for row in rows):
        axes.set_xlim(1, 10)  # there is nothing that a logarithmic axis could span
    axes.set_xscale("log")
    axes.xaxis.set_major_locator(LogLocator(subs=(1, 3)))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.axhline(limit, color="#999999", linestyle="--", linewidth=0.8)
    _log_seconds(axes.yaxis, axes, limit * 1.4 ** len(methods))


def _columns(points: Sequence[tuple[float, float]]) -> tuple[list[float], list[float]]:
    return [x for x, _ in points], [y for _, y in points]


def _medians(points: Sequence[tuple[float, float]], groups: int = 5) -> list[tuple[float, float]]:
    """The median x and y of up to `groups` groups of equal count, by x."""
    if len(points) < 3:
        return []
    ordered = sorted(points)
    count = min(groups, len(ordered) // 3)
    cuts = [round(i * len(ordered) / count) for i in range(count + 1)]
    middle = []
    for low, high in pairwise(cuts):
        part = ordered[low:high]
        ys = sorted(y for _, y in part)
        middle.append((part[len(part) // 2][0], ys[len(ys) // 2]))
    return middle


def _log_seconds(axis: Any, axes: Axes, top: float) -> None:
    """A logarithmic axis of seconds from the least that counts to a little over `top`."""
    span = (LEAST_SECONDS / 1.6, top * 1.5)
    if axis is axes.yaxis:
        axes.set_yscale("log")
        axes.set_ylim(*span)
    else:
        axes.set_xscale("log")
        axes.set_xlim(*span)
    decades = [10.0**power for power in range(-4, 5) if span[0] <= 10.0**power <= span[1]]
    axis.set_ticks(decades, [_short(value) for value in decades])
    axis.set_minor_locator(NullLocator())


def _short(seconds: float) -> str:
    return f"{seconds * 1000:.3g} ms" if seconds < 0.999 else f"{seconds:.3g} s"


def greedy_against_optimal(rows: Sequence[Row]) -> Figure | None:
    """The size of the greedy tree against the proven optimum."""
    optimum = optima_of(rows)
    pairs = [
        (optimum[row.instance], row.nodes)
        for row in rows
        if row.aim == NOTHING and row.nodes and row.instance in optimum
    ]
    if not pairs:
        return None
    with plt.rc_context(STYLE):
        figure, axes = plt.subplots(figsize=(4.6, 4.2), layout="constrained")
        xs, ys = [x or 0 for x, _ in pairs], [y for _, y in pairs]
        axes.scatter(xs, ys, s=20, color="#1f77b4", edgecolor="white", linewidth=0.4, zorder=3)
        ends = [1, max(ys) * 1.05]
        axes.plot(ends, ends, color="#777777", linewidth=0.8)
        axes.set_xlabel("nodes of the smallest tree")
        axes.set_ylabel("nodes of the greedy tree")
    return figure
