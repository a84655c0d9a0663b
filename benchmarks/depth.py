"""The least depth alone: the exact engine against pystreed's loop over depths.

`--minimise depth` asks for the least depth and then for the fewest nodes; pystreed is asked for the
depth alone. So the engine's clock stops here once the least depth is proven and a tree has it. One
isolated run after the other; what the results file has is not measured again.

    python -m benchmarks depth
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import geometric_mean

from benchmarks import campaign, machine, suites, tables
from benchmarks.adapters import METHODS as TOOLS
from benchmarks.instances import Optimum
from benchmarks.isolate import Limits, Outcome, Tell, cpu_seconds, outcome_of
from benchmarks.suites import Spec, load
from dtfinder.data import Dataset
from dtfinder.options import Options
from dtfinder.problem import Progress
from dtfinder.run.worker import in_this_process
from dtfinder.solve import solve

METHODS = ("cores", "pystreed")


@dataclass(frozen=True)
class Depth:
    """What a method says of the least depth of an instance. `cpu` is None if it is not proven."""

    dataset: str
    percent: int
    method: str
    examples: int
    features: int
    cpu: float | None
    lower: int
    upper: int | None
    ended: str
    memory: int


def measure(optima: Sequence[Optimum], limits: Limits, file: Path) -> list[Depth]:
    """Both methods on all instances of the list, as far as the results file does not have them."""
    file.parent.mkdir(parents=True, exist_ok=True)
    data = suites.default_data()
    rows = read(file)
    if not rows:
        head = {"limit": limits.seconds, "memory": limits.memory, "machine": machine.describe()}
        file.write_text(json.dumps(head) + "\n", encoding="utf-8")
    done = {(row.dataset, row.percent, row.method) for row in rows}
    for method in METHODS:
        for spec in suites.specs("optima", (20, 50), (0,), names=(), data=data, optima=optima):
            if (spec[0], spec[1], method) in done:
                continue
            row = _one(spec, method, limits, data)
            with file.open("a", encoding="utf-8") as out:
                out.write(json.dumps(asdict(row)) + "\n")
            rows.append(row)
    return rows


def read(file: Path) -> list[Depth]:
    """The rows of a results file, which starts with a line about the machine."""
    if not file.exists():
        return []
    lines = file.read_text(encoding="utf-8").splitlines()
    return [Depth(**json.loads(line)) for line in lines[1:]]


def _one(spec: Spec, method: str, limits: Limits, data: Path) -> Depth:
    """One isolated run."""

    def job(tell: Tell) -> None:
        dataset = load(spec, data)
        tell({"examples": dataset.n_examples, "features": dataset.n_features})
        ask = _ask_cores if method == "cores" else _ask_pystreed
        ask(campaign._exclusive_or(), limits)  # what is imported late is not the run's CPU time
        tell({"ready": cpu_seconds()})
        tell(ask(dataset, limits))

    return _row(spec, method, outcome_of(job, limits), limits)


def _row(spec: Spec, method: str, outcome: Outcome, limits: Limits) -> Depth:
    told: dict[str, object] = {"examples": 0, "features": 0, "cpu": None, "lower": 0, "upper": None}
    for line in outcome.lines:
        told |= line
    told.pop("ready", None)
    if isinstance(told["cpu"], float) and told["cpu"] > limits.seconds:
        told["cpu"] = None
    facts = {"dataset": spec[0], "percent": spec[1], "method": method, "memory": outcome.memory}
    return Depth(**facts | told | {"ended": outcome.ended})  # type: ignore[arg-type]


def _ask_cores(dataset: Dataset, limits: Limits) -> dict[str, object]:
    begin = cpu_seconds()
    proven: list[float] = []

    def progress(state: Progress) -> None:
        if not proven and state.depth is not None and state.bounds.depth >= state.depth:
            proven.append(cpu_seconds() - begin)

    def stop() -> str | None:
        if proven:
            return "proven"
        return "time limit" if cpu_seconds() - begin >= limits.seconds else None

    options = Options(method="cores", minimise="depth", memory_limit=limits.memory / 1e9)
    with in_this_process():
        result = solve(dataset, options, callback=progress, stop=stop)
    result.tree.check(dataset)
    lower, upper = result.depth_lower_bound, result.depth
    return {"cpu": proven[0] if proven else None, "lower": lower, "upper": upper}


def _ask_pystreed(dataset: Dataset, limits: Limits) -> dict[str, object]:
    begin = cpu_seconds()
    answer = TOOLS["pystreed-depth"].run(dataset, limits, lambda _state: None)
    cpu = cpu_seconds() - begin if answer.optimal else None
    if answer.tree is None:
        return {"cpu": cpu, "lower": answer.lower_depth, "upper": None}
    answer.tree.check(dataset)
    return {"cpu": cpu, "lower": answer.lower_depth, "upper": answer.tree.depth}


def write(file: Path, out: Path) -> Path:
    """Write the page `depth.md` into `out`."""
    out.mkdir(parents=True, exist_ok=True)
    head = json.loads(file.read_text(encoding="utf-8").splitlines()[0])
    page = out / "depth.md"
    page.write_text(text_of(read(file), head["limit"], head["machine"]), encoding="utf-8")
    return page


def text_of(rows: Sequence[Depth], limit: float, described: dict[str, str]) -> str:
    """The page as Markdown; two proofs that differ end it at once."""
    by: dict[tuple[str, int], dict[str, Depth]] = {}
    for row in rows:
        by.setdefault((row.dataset, row.percent), {})[row.method] = row
    lines, either, both = [], [], []
    for (dataset, percent), here in sorted(by.items(), key=lambda item: (item[0][1], item[0])):
        lower = max(row.lower for row in here.values())
        upper = min((row.upper for row in here.values() if row.upper is not None), default=None)
        if upper is not None and lower > upper:
            raise ValueError(f"{dataset} {percent}%: depth {lower} is proven, {upper} is found")
        known = str(lower) if lower == upper else f"{lower}..{'?' if upper is None else upper}"
        first = here[METHODS[0]]
        times = [here[name].cpu if name in here else None for name in METHODS]
        size = [str(first.examples), str(first.features), known]
        lines.append([dataset, str(percent), *size, *map(tables.duration, times)])
        if len(here) == len(METHODS) and any(time is not None for time in times):
            ours, theirs = (max(tables.LEAST_SECONDS, time or limit) for time in times)
            either.append(theirs / ours)
            if None not in times:
                both.append(theirs / ours)
    overview = []
    for name in METHODS:
        mine = [row for row in rows if row.method == name]
        solved = [row.cpu for row in mine if row.cpu is not None]
        mean = tables.duration(geometric_mean([row.cpu or limit for row in mine]))
        overview.append([name, f"{len(solved)} of {len(mine)}", mean])
    return "\n".join(
        [
            "# The least depth\n",
            _TEXT.format(
                limit=f"{limit:g}", either=tables.factor(either), both=tables.factor(both)
            ),
            tables.markdown(["method", "proven", "geometric mean"], overview),
            "## Every instance\n",
            "`4..6` means that depth 4 is proven to be needed, and a tree of depth 6 found.\n",
            tables.markdown(
                ["data set", "%", "examples", "features", "least depth", *METHODS], lines
            ),
            "## The machine\n",
            "\n".join(f"- {name}: {value}" for name, value in described.items()) + "\n",
            "Every run is in [depth.jsonl](depth.jsonl).\n",
        ]
    )


_TEXT = """\
How soon is the least depth of a tree proven that classifies all examples? `cores` is the native
engine with `--minimise depth`, and its clock stops once the least depth is proven and a tree has
it (it would then go on to the fewest nodes of that depth). `pystreed` is asked for a tree without
error of depth 0, 1, 2 and so on. Each run has its own process and {limit} s of CPU time, one run
after the other, on a machine that also had other work; times are CPU times without loading the
data.

Speed-up of `cores` over `pystreed`, as the geometric mean of the ratios of CPU time, with the
number of ratios in brackets: {either} where either proved it, an unsolved run counted as {limit} s,
which is less than it would need; {both} where both did.
"""
