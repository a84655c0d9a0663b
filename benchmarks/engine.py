"""The native engine against the best SAT method, the best of the paper's and pystreed, on one core.

A campaign over the instances of the list of optima, and over whole tables for the engine alone,
with 60 s of CPU time a run. It goes on where its results file stops, and then writes one page:
what each tool proved, the ratios of CPU time with an unsolved run counted as its limit, every
instance, every whole table.

    python -m benchmarks engine --results build/engine.jsonl --out docs/results
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from benchmarks import campaign, suites, tables
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
    """Every method on every instance of the list, and the engine on whole tables, one at a time."""
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
    text = page(results.rows, results.heads[-1], optima) + "\n" + tables.source(results, out)
    file.write_text(text, encoding="utf-8")
    return file


def page(rows: Sequence[Row], head: Head, optima: Sequence[Optimum]) -> str:
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
            tables.INSTANCE_TEXT,
            tables.per_instance(listed, methods),
            "## The machine\n",
            tables.machine(head),
        ]
    )


_TEXT = """\
`cores` is the native engine, `sat` the quickest set-up of a SAT solver, `{paper}` the method of
Janota and Morgado (SAT 2020) for the smallest tree that solved most of the [campaign](index.md),
and `pystreed` the strongest peer that installs. {count} instances, each run in a process of its
own, one after the other, with {limit} s of CPU time. Time is CPU time of the method alone:
importing, loading the data and a first run on a tiny table come before the clock starts, for every
tool. The geometric mean counts an unsolved run as {limit} s. Peak memory is that of the whole
process, with Python and all libraries.
"""

_WHOLE_TEXT = """\
All rows, not samples, with the same limit; `car-unacc` is `car` with its class `unacc` against the
rest. `large-concept` is 100,000 random rows of 200 features, three of which make the class: nearly
all of its time is set-up. Where the smallest tree is not proven, its bounds are given.
"""


def whole_tables(rows: Sequence[Row]) -> str:
    """A Markdown table: what the engine says of each whole table."""
    lines = [
        [
            row.dataset,
            str(row.examples),
            str(row.features),
            tables.smallest([row]),
            tables.outcome(row),
            f"{row.memory / 1e6:.0f} MB",
        ]
        for row in sorted(rows, key=lambda row: row.dataset)
    ]
    head = ["table", "examples", "features", "smallest", "CPU time", "peak memory"]
    return tables.markdown(head, lines)
