"""The page of `benchmarks/front.py`: tables and a figure, from whatever has been measured."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

from benchmarks import machine, tables
from benchmarks.front import PENALTIES, Row

_TEXT = """\
# Trees that may err, against pystreed and GOSDT

{count} of the 22 tables on which DL8.5, MurTree and STreeD are measured; what is not there has not
been run yet. One CPU of a machine that also had other work, CPU times of the search alone.
Limits: {limits}.
An unsolved run counts as its limit in geometric means. dtfinder also proves that no smaller tree
makes as few errors, which the others do not do, and which takes most of its time where no error is
left. `make bench-front` does it again, and goes on where it stopped. {machine}
"""
_FRONT_TEXT = """\
The largest number of inner nodes up to which *all* sizes are proven by dtfinder, the errors there,
and the largest that pystreed solves *by itself*, with its CPU time for that size alone and
dtfinder's for all sizes up to it.

![When each size was proven](front.png)
"""
_LARGE_TEXT = """\
## Large tables

Depth 3, one CPU: a million rows of random bits with a rule and a tenth of the labels wrong, and two
tables of PMLB with at most 32 thresholds per column. `python -m benchmarks.front_large` does it
again.
"""


def write(rows: list[Row], out: Path) -> None:
    """The page and its figure."""
    out.mkdir(parents=True, exist_ok=True)
    large = out / "front_large.jsonl"
    lines = large.read_text().splitlines() if large.exists() else []
    text = page(rows) + _large([json.loads(line) for line in lines])
    (out / "front.md").write_text(text, encoding="utf-8")
    _figure(rows, out / "front.png")


def page(rows: list[Row]) -> str:
    """Everything as Markdown."""
    names = sorted({row["table"] for row in rows})
    asked = sorted({(row["tool"], row["limit"]) for row in rows})
    limits = ", ".join(f"{tool} {limit:g} s" for tool, limit in asked)
    parts = [_TEXT.format(limits=limits, count=len(names), machine=_machine())]
    for depth in (4, 5):
        parts += [f"## Depth {depth}\n", _versus(rows, names, depth)]
    parts += ["## The front\n", _FRONT_TEXT, _fronts(rows, names)]
    if any(row["kind"] == "penalty" for row in rows):
        parts += ["## A penalty for each leaf\n", _penalties(rows)]
    return "\n".join(parts)


def _machine() -> str:
    about = machine.describe()
    return "Machine: " + ", ".join(f"{name} {value}" for name, value in about.items()) + "."


def _pick(rows: list[Row], **wanted: Any) -> Row | None:
    found = [row for row in rows if all(row.get(name) == value for name, value in wanted.items())]
    return found[-1] if found else None


def _cell(row: Row | None) -> str:
    if row is None:
        return ""
    return f"{row['seconds']:.2f}" if row["solved"] else "–"


def _versus(rows: list[Row], names: list[str], depth: int) -> str:
    lines, ratios = [], []
    for name in names:
        asked = {"table": name, "kind": "depth", "depth": depth}
        pair = [_pick(rows, **asked, tool=tool) for tool in ("dtfinder", "pystreed")]
        both = [row for row in pair if row is not None]
        if not both:
            continue
        ratio = ""
        if len(both) == 2:
            own, peer = (row["seconds"] if row["solved"] else row["limit"] for row in both)
            ratios.append(peer / max(own, 1e-3))
            ratio = f"{ratios[-1]:.1f}"
        errors = next((str(row["errors"]) for row in both if row["solved"]), "")
        lines.append([name, errors, *map(_cell, pair), ratio])
    table = tables.markdown(["table", "errors", "dtfinder, s", "pystreed, s", "ratio"], lines)
    if not ratios:
        return table
    mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
    return f"{table}\npystreed / dtfinder, geometric mean of {len(ratios)}: **{mean:.1f}**\n"


def _fronts(rows: list[Row], names: list[str]) -> str:
    lines = []
    for name in names:
        front = _pick(rows, table=name, kind="front", tool="dtfinder")
        if front is None or "reached" not in front:
            continue
        nodes = [row for row in rows if row["table"] == name and row["kind"] == "nodes"]
        ended = any(not row["solved"] for row in nodes)  # else larger sizes are still to be tried
        solved = [row for row in nodes if row["solved"] and ended]
        peer = max(solved, key=lambda row: int(row["inner"]), default=None)
        reached = front["reached"]
        last = len(reached) - 1
        lines.append(
            [
                name,
                str(last),
                str(front["errors"][last]),
                "yes" if front["solved"] else "",
                f"{front['seconds']:.1f}",
                str(peer["inner"]) if peer else "",
                f"{peer['seconds']:.2f}" if peer else "",
                f"{reached[peer['inner']]:.2f}" if peer and peer["inner"] <= last else "",
            ]
        )
    head = ["table", "inner nodes", "errors", "whole front", "CPU s", "pystreed, inner nodes"]
    return tables.markdown([*head, "its CPU s", "dtfinder, all up to it"], lines)


def _penalties(rows: list[Row]) -> str:
    tools = ("dtfinder", "pystreed", "gosdt")
    lines = []
    for penalty in PENALTIES:
        asked = [row for row in rows if row["kind"] == "penalty" and row["penalty"] == penalty]
        counts = []
        for tool in tools:
            own = [row["solved"] for row in asked if row["tool"] == tool]
            counts.append(f"{sum(own)} of {len(own)}")
        lines.append([f"{penalty:g}", *counts])
    return tables.markdown(["penalty", *(f"{tool} proves" for tool in tools)], lines)


def _large(rows: list[Row]) -> str:
    names = ("rows", "features", "errors", "nodes", "encoding", "search", "megabytes", "status")
    lines = [[row["table"], *(f"{row[name]}" for name in names)] for row in rows]
    head = ["table", *names[:4], "encoding, s", "search, s", "peak, MB", "status"]
    return f"\n{_LARGE_TEXT}\n{tables.markdown(head, lines)}" if rows else ""


def _figure(rows: list[Row], path: Path) -> None:
    """CPU seconds until all sizes up to n are proven; pystreed: for n alone."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(figsize=(8, 5))
    for number, row in enumerate(row for row in rows if row.get("reached")):
        colour = f"C{number % 10}"
        sizes = range(3, len(row["reached"]))
        axes.plot(sizes, [row["reached"][n] for n in sizes], color=colour, label=row["table"])
        nodes = [
            each
            for each in rows
            if each["table"] == row["table"] and each["kind"] == "nodes" and each["solved"]
        ]
        seconds = [each["seconds"] for each in nodes]
        axes.plot([each["inner"] for each in nodes], seconds, ":", color=colour)
    axes.set(xlabel="inner nodes", ylabel="CPU seconds", yscale="log")
    axes.set_title("all sizes up to n by dtfinder (lines), n alone by pystreed (dots)")
    axes.legend(fontsize=7, ncols=2)
    figure.tight_layout()
    figure.savefig(path, dpi=110)
    plt.close(figure)
