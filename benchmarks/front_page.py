"""The page of `benchmarks/front.py`: tables and a figure, from whatever has been measured."""

from __future__ import annotations

import json
import statistics
from pathlib import Path
from typing import Any

from benchmarks import machine, tables
from benchmarks.front import PENALTIES, Row
from benchmarks.front_check import Known, check

_TEXT = """\
# Trees that may err, against pystreed and GOSDT

{count} of the 22 tables on which DL8.5, MurTree and STreeD are measured; what is not there has not
been run yet. One CPU of a machine that had other work, CPU times, without imports and a first run
on a tiny table; of three runs below a second, the least. What a tool does before it searches
(checks, its own form of the table) is left out at both depths; for pystreed that is a run at depth
1. An unsolved run counts as its limit in geometric means.

dtfinder answers more than it is compared with: of the trees with the fewest errors it finds one
with the fewest nodes, with proof. `make bench-front` does it again, and goes on where it stopped.
{machine}

{known} proven values were compared with those of a list of reference values, and {tools} with those
that another tool had proven: all are the same.
"""
_FRONT_TEXT = """\
The largest number of inner nodes up to which *all* sizes are proven by dtfinder, the errors there,
and the largest that pystreed solves *by itself*, with its limit, its CPU time for that size alone
and dtfinder's for all sizes up to it.

![When each size was proven](front.png)
"""
LONG = 5.0  # seconds that pystreed takes for a size: from here on the ratio counts
_LARGE_TEXT = """\
## Large tables

Depth 3, one CPU: a million rows of random bits with a rule and a tenth of the labels wrong, and two
tables of PMLB with at most 32 thresholds per column. `python -m benchmarks.front_large` does it
again.
"""


def write(rows: list[Row], known: Known, out: Path) -> None:
    """The page and its figure; a value that differs from a known one ends it at once."""
    out.mkdir(parents=True, exist_ok=True)
    large = out / "front_large.jsonl"
    lines = large.read_text().splitlines() if large.exists() else []
    text = page(rows, known) + _large([json.loads(line) for line in lines])
    (out / "front.md").write_text(text, encoding="utf-8")
    _figure(rows, out / "front.png")


def page(rows: list[Row], known: Known) -> str:
    """Everything as Markdown."""
    names = sorted({row["table"] for row in rows})
    as_known, agreeing = check(rows, known)
    about = {"machine": _machine(), "known": as_known, "tools": agreeing}
    parts = [_TEXT.format(count=len(names), **about)]
    for depth in (4, 5):
        own = [row for row in rows if row.get("depth") == depth]
        parts += [f"## Depth {depth}\n", _limits(own), _versus(rows, names, depth)]
    own = [row for row in rows if row["kind"] in ("front", "nodes")]
    parts += ["## The front\n", _FRONT_TEXT, _limits(own), _fronts(rows, names)]
    own = [row for row in rows if row["kind"] == "penalty"]
    if own:
        parts += ["## A penalty for each leaf\n", _limits(own), _penalties(own)]
    return "\n".join(parts)


def _limits(rows: list[Row]) -> str:
    """What each tool was given."""
    known: dict[str, set[float]] = {}
    for row in rows:
        known.setdefault(row["tool"], set()).add(row["limit"])
    given = (
        f"{tool} {' or '.join(f'{limit:g}' for limit in sorted(limits))} s"
        for tool, limits in sorted(known.items())
    )
    return f"CPU limits: {', '.join(given)}.\n"


def _machine() -> str:
    about = machine.describe()
    return "Machine: " + ", ".join(f"{name} {value}" for name, value in about.items()) + "."


def _pick(rows: list[Row], **wanted: Any) -> Row | None:
    found = [row for row in rows if all(row.get(name) == value for name, value in wanted.items())]
    return found[-1] if found else None


def _versus(rows: list[Row], names: list[str], depth: int) -> str:
    lines = []
    ratios: dict[str, list[float]] = {"search": [], "errors": [], "all": []}
    for name in names:
        asked = {"table": name, "kind": "depth", "depth": depth}
        own, peer = (_pick(rows, **asked, tool=tool) for tool in ("dtfinder", "pystreed"))
        before = _pick(rows, table=name, kind="reading")
        if own is None or peer is None or before is None:
            continue
        whole = {"own": _spent(own), "peer": _spent(peer)}
        search = {"own": whole["own"] - own["reading"], "peer": whole["peer"] - before["seconds"]}
        errors = own["fewest_errors"] - own["reading"]
        ratios["search"].append(search["peer"] / search["own"])
        ratios["errors"].append(search["peer"] / errors)
        ratios["all"].append(whole["peer"] / whole["own"])
        lines.append(
            [
                name,
                str(own["errors"]),
                f"{errors:.3f}" if own["solved"] or own["fewest_errors"] < own["limit"] else "–",
                f"{search['own']:.3f}" if own["solved"] else "–",
                f"{search['peer']:.3f}" if peer["solved"] else "–",
                f"{ratios['search'][-1]:.1f}",
            ]
        )
    head = ["table", "errors", "fewest errors, s", "and fewest nodes, s", "pystreed, s", "ratio"]
    table = tables.markdown(head, lines)
    if not lines:
        return table
    search_mean, errors_mean, all_mean = (statistics.geometric_mean(r) for r in ratios.values())
    return (
        f"{table}\npystreed / dtfinder, geometric mean of {len(lines)}: **{search_mean:.1f}**; "
        f"until the fewest errors are proven {errors_mean:.1f}; "
        f"with reading on both sides {all_mean:.1f}.\n"
    )


def _spent(row: Row) -> float:
    """Seconds; a run that is not solved counts as its limit."""
    return float(row["seconds"] if row["solved"] else row["limit"])


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
        limit = next((row["limit"] for row in nodes if not row["solved"]), None)
        lines.append(
            [
                name,
                str(last),
                str(front["errors"][last]),
                "yes" if front["solved"] else "",
                f"{front['seconds']:.1f}",
                str(peer["inner"]) if peer else "",
                f"{limit:g}" if peer else "",
                f"{peer['seconds']:.2f}" if peer else "",
                f"{reached[peer['inner']]:.2f}" if peer and peer["inner"] <= last else "",
            ]
        )
    head = ["table", "inner nodes", "errors", "whole front", "CPU s", "pystreed, inner nodes"]
    table = tables.markdown([*head, "of s", "its CPU s", "dtfinder, all up to it"], lines)
    return f"{table}\n{_further(rows)}" if lines else table


def _further(rows: list[Row]) -> str:
    """How all sizes by dtfinder compare with one size by pystreed."""
    leads, ratios, whole = [], [], 0
    for front in (row for row in rows if row["kind"] == "front" and "reached" in row):
        reached = front["reached"]
        whole += front["solved"]
        nodes = [row for row in rows if row["kind"] == "nodes" and row["table"] == front["table"]]
        alone = {row["inner"]: row["seconds"] for row in nodes if row["solved"]}
        if len(alone) < len(nodes):  # else pystreed has not met its limit
            leads.append(len(reached) - 1 - max(alone, default=2))
        ratios += [
            seconds / reached[inner]
            for inner, seconds in alone.items()
            if seconds >= LONG and inner < len(reached)
        ]
    if not leads or not ratios:
        return ""
    return (
        f"The whole front is proven on {whole} tables. Of {len(leads)} on which pystreed met "
        "its limit, dtfinder has all sizes further than pystreed has one on "
        f"{sum(lead > 0 for lead in leads)}, by three inner nodes or more on "
        f"{sum(lead >= 3 for lead in leads)}. Of {len(ratios)} sizes for which pystreed takes "
        f"{LONG:g} s or more, dtfinder takes a fiftieth of that or less for all sizes up to it on "
        f"{sum(ratio >= 50 for ratio in ratios)}; the geometric mean of the ratios is "
        f"{statistics.geometric_mean(ratios):.0f}.\n"
    )


def _penalties(rows: list[Row]) -> str:
    tools = ("dtfinder", "pystreed", "gosdt")
    lines = []
    for penalty in PENALTIES:
        asked = [row for row in rows if row["penalty"] == penalty]
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
    if axes.lines:  # else no front has been measured yet
        axes.legend(fontsize=7, ncols=2)
    figure.tight_layout()
    figure.savefig(path, dpi=110)
    plt.close(figure)
