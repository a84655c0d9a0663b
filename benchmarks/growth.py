"""How the time grows with the number of examples and with the size of the smallest tree.

Samples of several data sets, from a few rows to all of them, for the exact engine, the best SAT
method and pystreed. It is a campaign like any other, at a modest limit, and goes on where its
results file stops; but a method that failed on a data set twice in a row gets no larger sample.

    python -m benchmarks growth --results docs/results/growth.jsonl --out docs/results
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from matplotlib import pyplot as plt
from matplotlib.figure import Figure

from benchmarks import campaign, figures, suites, tables
from benchmarks.isolate import Limits
from benchmarks.results import Instance, Results, Row

METHODS = ("cores", "sat", "pystreed")
DATASETS = ("monk1", "monk3", "threeOf9", "vote", "breast-w", "tic-tac-toe", "car-unacc", "chess")
PERCENTS = (1, 2, 3, 5, 8, 12, 20, 35, 60, 100)
FEWEST_ROWS = 10


def measure(limits: Limits, out: Path) -> Results:
    """From small samples to large ones, each method as far as it gets."""
    data = suites.default_data()
    results = Results.open(out)
    for percent in PERCENTS:
        for method in METHODS:
            specs = [spec for spec in to_do(results.rows, method) if spec[1] == percent]
            if specs:
                chosen = campaign.pick([method])
                plan = campaign.Plan(specs, chosen, limits, 1, data, out, (), "growth")
                results = campaign.run(plan)
    return results


def to_do(rows: Sequence[Row], method: str) -> list[Instance]:
    """What the method is still to be run on, as far as can be said now."""
    done = {row.instance for row in rows if row.method == method}
    every = [(name, percent, 0) for percent in PERCENTS for name in DATASETS]
    return [
        spec for spec in every if spec not in done and not hopeless(rows, spec[0], method, spec[1])
    ]


def hopeless(rows: Sequence[Row], name: str, method: str, percent: int) -> bool:
    """Whether the method failed on the two largest samples of the data set below `percent`."""
    smaller = [r for r in rows if (r.dataset, r.method) == (name, method) and r.percent < percent]
    latest = sorted(smaller, key=lambda row: row.percent)[-2:]
    return len(latest) == 2 and not any(row.solved for row in latest)


def write(results: Results, out: Path) -> Path:
    """Write the page `growth.md` and its two pictures into `out`."""
    out.mkdir(parents=True, exist_ok=True)
    head = results.heads[-1]
    shown = [row for row in results.rows if row.examples >= FEWEST_ROWS]
    for name, figure in (
        ("growth-examples", by_examples(shown, head.time_limit)),
        ("growth-size", by_size(shown, head.time_limit)),
    ):
        figure.savefig(out / f"{name}.png", metadata={"Software": None})
        plt.close(figure)
    page = out / "growth.md"
    limit = f"{head.time_limit:g}"
    text = [
        _TEXT.format(limit=limit, state=state(results.rows)),
        farthest(shown),
        "## The machine\n",
        tables.machine(head),
    ]
    text.append(tables.source(results, out))
    page.write_text("\n".join(text), encoding="utf-8")
    return page


_TEXT = """\
# How the time grows

CPU time of the exact engine (`cores`), the fastest set-up of a SAT solver (`sat`) and the
strongest peer that installs (`pystreed`) for the smallest tree of part of a data set: the first
rows in a fixed random order, from about ten to all of them, with {limit} s per run. A dot is a
solved run, a cross one that was not solved. A method that failed twice in a row on a data set was
not given more rows of it. Made by `python -m benchmarks growth`.{state}

## With the number of examples

![CPU time against the number of examples](growth-examples.png)

More rows make the table larger, and the smallest tree as well. Once the rows determine a simple
concept, as in `monk1`, the tree stops growing, and more rows do not make the engine's proof harder.

## With the size of the smallest tree

The same runs, by the nodes of the smallest tree. The line joins the medians of groups.

![CPU time against the size of the smallest tree](growth-size.png)

## How far each one gets

The largest sample that each method solved: its examples, the nodes of its smallest tree, and the
CPU time.
"""


def state(rows: Sequence[Row]) -> str:
    """A warning as long as there are runs to do."""
    left = {method: len(to_do(rows, method)) for method in METHODS}
    if not any(left.values()):
        return ""
    counts = ", ".join(f"{count} of `{method}`" for method, count in left.items() if count)
    return f"\n\n**Not finished.** Runs on larger samples that remain, at most: {counts}."


def by_examples(rows: Sequence[Row], limit: float) -> Figure:
    """One panel per data set, one line per method."""
    with plt.rc_context(figures.STYLE):
        figure, panels = plt.subplots(
            2, 4, figsize=(8.6, 5), layout="constrained", sharex=True, sharey=True, squeeze=False
        )
        for axes, name in zip(panels.flat, DATASETS, strict=True):
            mine = [row for row in rows if row.dataset == name]
            figures.against(axes, mine, lambda row: row.examples, METHODS, limit, every=True)
            axes.set_title(name, fontsize=10)
        for axes in panels[-1]:
            axes.set_xlabel("examples")
        for axes in panels[:, 0]:
            axes.set_ylabel("CPU time (× not solved)")
        handles, names = panels[0, 0].get_legend_handles_labels()
        figure.legend(handles, names, loc="outside upper center", ncols=len(names))
    return figure


def by_size(rows: Sequence[Row], limit: float) -> Figure:
    """All data sets together, against the nodes of the smallest tree."""
    optimum = figures.optima_of(rows)
    with plt.rc_context(figures.STYLE):
        figure, axes = plt.subplots(figsize=(7, 4.4), layout="constrained")
        figures.against(axes, rows, lambda row: optimum.get(row.instance), METHODS, limit)
        axes.set_xlabel("nodes of the smallest tree")
        axes.set_ylabel("CPU time (× not solved)")
        axes.legend(loc="center left", bbox_to_anchor=(1.0, 0.5))
    return figure


def farthest(rows: Sequence[Row]) -> str:
    """A Markdown table: the largest solved sample of each data set and method."""
    lines = []
    for name in DATASETS:
        line = [name]
        for method in METHODS:
            solved = [r for r in rows if (r.dataset, r.method) == (name, method) and r.solved]
            best = max(solved, key=lambda row: row.percent, default=None)
            line.append("–" if best is None else _reach(best))
        lines.append(line)
    return tables.markdown(["data set", *METHODS], lines)


def _reach(row: Row) -> str:
    rows = "all " if row.percent == 100 else ""
    return f"{rows}{row.examples}: {row.nodes} nodes, {tables.outcome(row)}"
