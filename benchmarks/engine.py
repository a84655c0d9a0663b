"""The exact engine against the best SAT method, the best of the paper's and pystreed, on one CPU.

A campaign over the instances of the list of optima, and over whole tables for the first method,
with 60 s of CPU time per run. It continues where its results file ends, and then writes one page:
what each tool proved, the ratios of CPU time with an unsolved run counted as its limit, every
instance, every whole table.

    python -m benchmarks engine --results build/engine.jsonl --out docs/results
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from benchmarks import campaign, depth, suites, tables
from benchmarks.instances import LARGE, Optimum
from benchmarks.isolate import Limits
from benchmarks.results import Head, Instance, Results, Row

# Of the paper's methods for the smallest tree, the one that solved most in docs/results.
BEST_OF_THE_PAPER = "dtfinder-DT1"
METHODS = ("cores", "sat", BEST_OF_THE_PAPER, "pystreed")
WHOLE = ["monk1", "monk2", "monk3", "mux6", "tic-tac-toe", "vote"]
WHOLE += ["car-unacc", "chess", "spect", "hepatitis", LARGE]


def measure(
    optima: Sequence[Optimum], methods: Sequence[str], limits: Limits, out: Path
) -> Results:
    """Every method on every instance of the list, the first on whole tables, one at a time."""
    data = suites.default_data()
    listed = suites.specs("optima", (20, 50), (0,), names=(), data=data, optima=optima)
    whole: list[Instance] = [(name, 100, 0) for name in WHOLE]
    for specs, chosen in ((listed, methods), (whole, methods[:1])):
        plan = campaign.Plan(specs, campaign.pick(chosen), limits, 1, data, out, optima)
        results = campaign.run(plan)
    return results


def write(results: Results, optima: Sequence[Optimum], out: Path) -> Path:
    """Write the page `engine.md` into `out`."""
    out.mkdir(parents=True, exist_ok=True)
    file = out / "engine.md"
    measured = depth.read(out / "depth.jsonl")
    text = page(results.rows, results.heads[-1], optima, depth.known(measured))
    text += "\n" + tables.source(results, out)
    file.write_text(text, encoding="utf-8")
    return file


def page(rows: Sequence[Row], head: Head, optima: Sequence[Optimum], depths: tables.Depths) -> str:
    """Everything as Markdown."""
    limit = head.time_limit
    listed = [row for row in rows if row.percent < 100]
    whole = [row for row in rows if row.percent == 100]
    known = {(one.dataset, one.percent, one.seed) for one in optima if one.nodes is not None}
    methods = tables.order({row.method for row in listed})
    return "\n".join(
        [
            "# The engine against SAT and pystreed\n",
            _TEXT.format(
                limit=f"{limit:g}",
                count=len({row.instance for row in listed}),
                paper=BEST_OF_THE_PAPER,
            ),
            tables.overview(listed, limit, known),
            tables.COMPARE_TEXT.format(limit=f"{limit:g}"),
            tables.comparisons(listed, limit),
            "## Whole tables\n",
            _WHOLE_TEXT,
            whole_tables(whole),
            "## Every instance\n",
            tables.INSTANCE_TEXT + _DEPTH_TEXT,
            tables.per_instance(listed, methods, depths),
            "## The machine\n",
            tables.machine(head),
        ]
    )


_TEXT = """\
`cores` is the exact engine, `sat` the fastest set-up of a SAT solver, and `pystreed` the strongest
peer that installs. `{paper}` is the method of Janota and Morgado (SAT 2020) for the smallest tree
that solved most instances of the [campaign](index.md). There are {count} instances. Each run has
its own process and {limit} s of CPU time, one run after the other. Times are CPU times of the
method alone: for every tool, the clock starts after importing, loading the data and a first run on
a tiny table. In the geometric mean an unsolved run counts as {limit} s. Peak memory is that of the
whole process, including Python and all libraries.
"""

_DEPTH_TEXT = """\
The methods here look for the smallest tree; the least depth is what they and the runs of
[The least depth](depth.md) prove together.
"""

_WHOLE_TEXT = """\
All rows instead of samples, with the same limit. `car-unacc` is `car` with its class `unacc`
against the rest. `large-concept` has 100,000 random rows of 200 features, three of which determine
the class: nearly all of its time is set-up. For each method, the table has the CPU time or, if the
smallest tree was not proven, the bounds at the end (`?` for no tree), and the peak memory. Empty
cells were not run.
"""


def whole_tables(rows: Sequence[Row]) -> str:
    """A Markdown table: what each method says of each whole table."""
    methods = [name for name in METHODS if any(row.method == name for row in rows)]
    lines = []
    for dataset in sorted({row.dataset for row in rows}):
        here = {row.method: row for row in rows if row.dataset == dataset}
        first = next(iter(here.values()))
        cells = [_time_or_bounds(here[name]) if name in here else "" for name in methods]
        known = tables.smallest(list(here.values()))
        lines.append([dataset, str(first.examples), str(first.features), known, *cells])
    return tables.markdown(["table", "examples", "features", "smallest", *methods], lines)


def _time_or_bounds(row: Row) -> str:
    said = tables.outcome(row) if row.solved else tables.smallest([row])
    parts = (said, f"{row.memory / 1e6:.0f} MB")
    return ", ".join(part.replace(" ", "\N{NO-BREAK SPACE}") for part in parts)
