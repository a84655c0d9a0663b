"""One Markdown page with all that a results file contains, and its pictures."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from pathlib import Path

from matplotlib import pyplot as plt
from matplotlib.figure import Figure

from benchmarks import figures, judge, paper, tables, tree_picture
from benchmarks.adapters import DEPTH_SIZE, METHODS, NOTHING, SIZE
from benchmarks.results import Head, Nested, Results, Row

FIGURE_4 = ("postoperative-patient-data", 50, 0)


def write(results: Results, out: Path) -> Path:
    """Write `index.md` and its pictures into `out`; the path of the page."""
    if not results.path.exists() and not results.rows:
        raise ValueError(f"there is no file {str(results.path)!r}; make one with `run --out`")
    if not results.rows or not results.heads:
        raise ValueError(f"{results.path.name} has no rows of a campaign")
    out.mkdir(parents=True, exist_ok=True)
    page = out / "index.md"
    sections = [*_sections(results.rows, results.heads[-1], out), tables.source(results, out)]
    page.write_text("\n".join(sections), encoding="utf-8")
    return page


def _sections(rows: Sequence[Row], head: Head, out: Path) -> list[str]:
    """The page, section by section."""
    limit = head.time_limit
    rival = best_of_the_paper(rows)
    return [
        _opening(rows, head),
        "## Table 1\n",
        _TABLE_1_TEXT.format(limit=f"{limit:g}", memory=f"{head.memory_limit / 1e9:g}"),
        tables.table_1(*tables.summary(rows)),
        _THEIRS_TEXT,
        tables.table_1(paper.BLOCKS, paper.TABLE),
        "## The engine against all other methods\n",
        _OVERVIEW_TEXT.format(limit=f"{limit:g}"),
        tables.overview(rows, limit),
        tables.COMPARE_TEXT.format(limit=f"{limit:g}"),
        tables.comparisons(rows, limit),
        _picture(figures.cactus(rows, limit), "cactus", "Instances solved against CPU time", out),
        _picture(figures.scatter(rows, limit), "scatter", "The engine against each peer", out),
        "## Sizes of the optimal trees (the paper's Figure 2)\n",
        _SIZES_TEXT,
        _picture(figures.sizes(rows), "sizes", "Optimal sizes by method", out),
        "The greedy tree against the smallest one, where that is proven:\n",
        _picture(figures.greedy_against_optimal(rows), "greedy", "Greedy against optimal", out),
        "## Two trees for one table (the paper's Figure 4)\n",
        _two_trees(rows, out),
        "## How the time grows\n",
        _GROWTH_TEXT,
        _picture(
            figures.growth(rows, [m for m in ("cores", "pystreed", rival) if m], limit),
            "growth",
            "CPU time against size",
            out,
        ),
        "## Every instance\n",
        tables.INSTANCE_TEXT,
        tables.per_instance(rows, [m for m in _columns(rival) if any(r.method == m for r in rows)]),
        "## What went wrong\n",
        _failures(rows),
        "## The machine\n",
        tables.machine(head),
    ]


_TABLE_1_TEXT = """\
In the paper's form, over the instances that a method solved within {limit} s of CPU time and
{memory} GB: average nodes, depth and CPU seconds, and how many it solved. nf./ns. are the average
numbers of features and examples, #I is the number of instances. `vbs` takes the fastest of the
paper's methods for each instance, `vbs of all` the fastest of all. Methods whose name starts with
`d-`, and `cores-depth`, minimise the depth and then the size; `pystreed-depth` and `pydl8.5`
minimise the depth alone; all others minimise the size. `pydl8.5` misses trees (on parity5 20% it
finds none of depth 3, but there is one), so its claims do not count as solved. `sklearn` is greedy
and proves nothing: its averages are over all instances. Averages over different sets of instances
cannot be compared: a method that solves more also solves larger ones.
"""

_THEIRS_TEXT = """\
For comparison, the paper's own figures, with its samples (more of them, and other rows), its
machine (Xeon, 2.60 GHz) and its limits (1000 s, 3 GB). The order of the methods can be compared
with ours, the numbers cannot.
"""

_OVERVIEW_TEXT = """\
`cores` and `cores-depth` are the exact engine. In the geometric mean an unsolved run counts as
{limit} s. Peak memory is that of the whole process, including Python and all libraries.
`cores-depth` goes on to the fewest nodes of the least depth, `pystreed-depth` does not: [The least
depth](depth.md) compares them on the same question.
"""

_SIZES_TEXT = """\
How many optimal trees of each size a method proved. Methods that minimise the depth alone are left
out, because the size of their trees is arbitrary.
"""

_GROWTH_TEXT = """\
The engine, its strongest peer and the method of the paper that solved most. A dot is a solved
instance, a cross one that was not solved within the limit; the line joins the medians of groups.
"""


def _opening(rows: Sequence[Row], head: Head) -> str:
    instances = {row.instance for row in rows}
    proven = {row.instance for row in rows if row.solved and row.aim == SIZE}
    found = judge.contradictions(rows)
    verdict = (
        "No two answers contradict each other."
        if not found
        else "**These answers contradict each other:**\n\n" + "\n".join(f"- {x}" for x in found)
    )
    methods = tables.order({row.method for row in rows})
    lines = [
        "# Results of the campaign\n",
        f"{len(methods)} methods on {len(instances)} instances, {len(rows)} runs, each in its own "
        f"process with {head.time_limit:g} s of CPU time and "
        f"{head.memory_limit / 1e9:g} GB. The smallest tree is proven for {len(proven)} of the "
        "instances. Our own code checked every tree of every tool against all examples and counted "
        f"its nodes. {verdict}\n",
        "Times are CPU times of the method alone, without loading the data, on a machine that also "
        "had other work. All tools get the same 0/1 table, in which duplicate rows and equal or "
        "complementary columns are merged.\n",
    ]
    if missing := unfinished(rows):
        lines.append(
            "**Not finished.** These methods were run on only the smallest instances, and their "
            f"figures are for those: {', '.join(missing)}.\n"
        )
    if (share := encoding_share(rows)) is not None:
        lines.append(
            f"Making and loading clauses took {share:.0%} of the CPU time of the SAT methods on "
            "the instances that they solved.\n"
        )
    lines.append(
        f"Made with `python -m benchmarks run --suite {head.suite} "
        f"--percent {_listed(row.percent for row in rows)} "
        f"--seeds {_listed(row.seed for row in rows)} --time-limit {head.time_limit:g} "
        f"--memory-limit {head.memory_limit / 1e9:g}GB` and `python -m benchmarks report`.\n"
    )
    return "\n".join(lines)


def _listed(numbers: Iterable[int]) -> str:
    return " ".join(map(str, sorted(set(numbers))))


def unfinished(rows: Sequence[Row]) -> list[str]:
    """The methods that were not run on every instance, with how many they were run on."""
    whole = len({row.instance for row in rows})
    counts = {name: sum(row.method == name for row in rows) for name in METHODS}
    return [f"`{n}` ({count} of {whole})" for n, count in counts.items() if 0 < count < whole]


def encoding_share(rows: Sequence[Row]) -> float | None:
    """Which part of the CPU time of the solved SAT runs went into making and loading clauses."""
    spent = {"encode": 0.0, "load": 0.0, "solve": 0.0}
    for row in rows:
        for part in spent:
            spent[part] += row.stats.get(f"{part}_seconds", 0.0) if row.solved else 0.0
    whole = math.fsum(spent.values())
    return (spent["encode"] + spent["load"]) / whole if whole else None


def best_of_the_paper(rows: Sequence[Row]) -> str | None:
    """The paper's size-minimising method that solved most, and among those was quickest."""
    names = [n for n, m in METHODS.items() if m.kind == "paper" and m.aim == SIZE]
    there = [name for name in names if any(row.method == name for row in rows)]

    def merit(name: str) -> tuple[int, float]:
        solved = [row.cpu for row in rows if row.method == name and row.solved]
        return len(solved), -math.fsum(solved)

    return max(there, key=merit, default=None)


def _columns(rival: str | None) -> list[str]:
    wanted = ["cores", "pystreed", rival, "cores-depth", "pydl8.5", "d-dtfinder"]
    return [name for name in wanted if name]


def _picture(figure: Figure | None, name: str, words: str, out: Path) -> str:
    """Save the figure; the Markdown that shows it."""
    if figure is None:
        return f"({words}: the rows for it are not in the results file.)\n"
    # Without its version, so that the same results give the same bytes.
    figure.savefig(out / f"{name}.png", metadata={"Software": None})
    plt.close(figure)
    return f"![{words}]({name}.png)\n"


def _two_trees(rows: Sequence[Row], out: Path) -> str:
    name, percent, _ = FIGURE_4
    mine = [row for row in rows if row.instance == FIGURE_4 and row.tree is not None]
    best = next((row for row in mine if row.aim == DEPTH_SIZE and row.solved), None)
    greedy = next((row for row in mine if row.aim == NOTHING), None)
    if best is None or greedy is None:
        return f"(No proven depth-first optimum of `{name}` at {percent}% in the results file.)\n"
    above: tuple[str, Nested] = (f"{best.method}, proven optimal", best.tree or "")
    below: tuple[str, Nested] = (f"{greedy.method}, greedy", greedy.tree or "")
    text = (
        f"`{name}` at {percent}%: above, the tree of least depth and then fewest nodes; below, "
        "scikit-learn's greedy tree. Both classify all examples. For their own sample, the "
        "authors report {} nodes and depth {} against {} nodes and depth {}, and that every "
        "method except `d-dtfinder` reached the limit of 1000 s.\n\n"
    )
    picture = tree_picture.pair(above, below)
    text = text.format(*paper.FIGURE_4_OPTIMAL, *paper.FIGURE_4_GREEDY)
    return text + _picture(picture, "trees", "Optimal and greedy tree", out)


def _failures(rows: Sequence[Row]) -> str:
    """Runs that ended neither with an answer nor at a time or work limit."""
    normal = ("done", "time limit", "memory limit", "work limit")
    where: dict[tuple[str, str], list[str]] = {}
    for row in sorted(rows, key=lambda row: row.ended == "memory limit"):
        if row.ended not in normal or row.ended == "memory limit":
            what = "out of memory" if row.ended == "memory limit" else row.ended
            place = f"{row.dataset} {row.percent}%"
            where.setdefault((row.method, what), []).append(place)
    lines = [
        f"- `{method}` on {', '.join(places)}: {what}" for (method, what), places in where.items()
    ]
    return "\n".join(lines) + "\n" if lines else "Nothing: every run ended within its limits.\n"
