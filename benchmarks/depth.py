"""The least depth alone: the exact engine against pystreed's loop over depths.

`--minimise depth` asks for the least depth and then for the fewest nodes; pystreed is asked for the
depth alone. So two times are taken of the engine: once the least depth is proven and a tree has it,
and at the end. One isolated run after the other, of short ones the least of three; what the results
file has is not measured again. Times are those of the thread, as Linux counts those of a process
with a limit on them by the tick.

    python -m benchmarks depth
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
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

PEER = "pystreed"
METHODS = ("cores", PEER)
WHOLE = "cores, whole answer"
SHORT = 0.3  # seconds: of three runs that take less, the quickest counts


@dataclass(frozen=True)
class Depth:
    """What a method says of the least depth of an instance. `cpu` is None if it is not proven;
    `whole` is the time until the fewest nodes are proven, too."""

    dataset: str
    percent: int
    method: str
    examples: int
    features: int
    cpu: float | None
    whole: float | None
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


def known(rows: Sequence[Depth]) -> tables.Depths:
    """What the rows prove and find, by instance."""
    found: dict[tuple[str, int], tuple[int, int | None]] = {}
    for row in rows:
        lower, upper = found.get((row.dataset, row.percent), (0, None))
        uppers = [each for each in (upper, row.upper) if each is not None]
        best = (max(lower, row.lower), min(uppers, default=None))
        found[row.dataset, row.percent] = best
    return found


def _one(spec: Spec, method: str, limits: Limits, data: Path) -> Depth:
    """One isolated run."""

    def job(tell: Tell) -> None:
        dataset = load(spec, data)
        tell({"examples": dataset.n_examples, "features": dataset.n_features})
        ask = _ask_cores if method == "cores" else _ask_pystreed
        ask(
            campaign._exclusive_or(), limits, lambda _line: None
        )  # what is imported late is not the run's CPU time
        tell({"ready": cpu_seconds()})
        tell(_best(lambda: ask(dataset, limits, tell)))

    return _row(spec, method, outcome_of(job, limits), limits)


def _best(run: Callable[[], dict[str, float | int | None]]) -> dict[str, float | int | None]:
    """The answer of a run, with the least times of three runs if they are short."""
    best = run()
    for _ in range(2):
        spent = best["whole"] or best["cpu"]
        if spent is None or spent > SHORT:
            break
        again = run()
        for name in ("cpu", "whole"):
            one, other = best[name], again[name]
            best[name] = min(one, other) if one and other else one
    return best


def _row(spec: Spec, method: str, outcome: Outcome, limits: Limits) -> Depth:
    told: dict[str, object] = {"examples": 0, "features": 0, "cpu": None, "whole": None}
    told |= {"lower": 0, "upper": None}
    for line in outcome.lines:
        told |= line
    told.pop("ready", None)
    for name in ("cpu", "whole"):
        if isinstance(told[name], float) and told[name] > limits.seconds:  # type: ignore[operator]
            told[name] = None
    facts = {"dataset": spec[0], "percent": spec[1], "method": method, "memory": outcome.memory}
    return Depth(**facts | told | {"ended": outcome.ended})  # type: ignore[arg-type]


def _ask_cores(dataset: Dataset, limits: Limits, tell: Tell) -> dict[str, float | int | None]:
    begin = time.thread_time()
    proven: list[float] = []

    def progress(state: Progress) -> None:
        if not proven and state.depth is not None and state.bounds.depth >= state.depth:
            proven.append(time.thread_time() - begin)
            # At once, in case that the run does not end by itself.
            tell({"cpu": proven[0], "lower": state.bounds.depth, "upper": state.depth})

    def stop() -> str | None:
        return "time limit" if time.thread_time() - begin >= limits.seconds else None

    options = Options(method="cores", minimise="depth", memory_limit=limits.memory / 1e9)
    with in_this_process():
        result = solve(dataset, options, callback=progress, stop=stop)
    whole = time.thread_time() - begin if result.status == "optimal" else None
    result.tree.check(dataset)
    lower, upper = result.depth_lower_bound, result.depth
    cpu = proven[0] if proven else None
    return {"cpu": cpu, "whole": whole, "lower": lower, "upper": upper}


def _ask_pystreed(dataset: Dataset, limits: Limits, _tell: Tell) -> dict[str, float | int | None]:
    begin = time.thread_time()
    answer = TOOLS["pystreed-depth"].run(dataset, limits, lambda _state: None)
    cpu = time.thread_time() - begin if answer.optimal else None
    upper = None
    if answer.tree is not None:
        answer.tree.check(dataset)
        upper = answer.tree.depth
    return {"cpu": cpu, "whole": None, "lower": answer.lower_depth, "upper": upper}


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
    lines = []
    times: dict[str, list[float | None]] = {name: [] for name in (*METHODS, WHOLE)}
    for (dataset, percent), here in sorted(by.items(), key=lambda item: (item[0][1], item[0])):
        lower = max(row.lower for row in here.values())
        upper = min((row.upper for row in here.values() if row.upper is not None), default=None)
        if upper is not None and lower > upper:
            raise ValueError(f"{dataset} {percent}%: depth {lower} is proven, {upper} is found")
        known = str(lower) if lower == upper else f"{lower}..{'?' if upper is None else upper}"
        first = here[METHODS[0]]
        for name in METHODS:
            times[name].append(here[name].cpu if name in here else None)
        times[WHOLE].append(first.whole)
        size = [str(first.examples), str(first.features), known]
        spent = [tables.duration(each[-1]) for each in times.values()]
        lines.append([dataset, str(percent), *size, *spent])
    overview = []
    for name, mine in times.items():
        solved = sum(cpu is not None for cpu in mine)
        mean = tables.duration(geometric_mean([cpu or limit for cpu in mine]))
        overview.append([name, f"{solved} of {len(mine)}", mean, *_speed_ups(times, name, limit)])
    head = ["data set", "%", "examples", "features", "least depth", *times]
    return "\n".join(
        [
            "# The least depth\n",
            _TEXT.format(limit=f"{limit:g}", whole=WHOLE, short=f"{SHORT:g}"),
            tables.markdown(
                ["method", "proven", "geometric mean", "faster where either", "where both"],
                overview,
            ),
            "## Every instance\n",
            "`4..6` means that depth 4 is proven to be needed, and a tree of depth 6 found.\n",
            tables.markdown(head, lines),
            "## The machine\n",
            "\n".join(f"- {name}: {value}" for name, value in described.items()) + "\n",
            "Every run is in [depth.jsonl](depth.jsonl).\n",
        ]
    )


def _speed_ups(times: dict[str, list[float | None]], name: str, limit: float) -> list[str]:
    """How much faster than the peer: where either proved it, and where both did."""
    if name == PEER:
        return ["", ""]
    either, both = [], []
    for mine, other in zip(times[name], times[PEER], strict=True):
        if mine is None and other is None:
            continue
        ours, theirs = (max(tables.LEAST_SECONDS, cpu or limit) for cpu in (mine, other))
        either.append(theirs / ours)
        if mine is not None and other is not None:
            both.append(theirs / ours)
    return [tables.factor(either), tables.factor(both)]


_TEXT = """\
How soon is the least depth of a tree proven that classifies all examples? `cores` is the exact
engine with `--minimise depth`, until the least depth is proven and a tree has it; `{whole}` is
the same run to its end, with the fewest nodes of that depth proven, too. `pystreed` is asked for a
tree without error of depth 0, 1, 2 and so on, and its answer may have more nodes. Each run has its
own process and {limit} s of CPU time, one run after the other, on a machine that also had other
work. Times are CPU times without loading the data; of runs of less than {short} s, the least of
three.

Faster is the geometric mean of the ratios of CPU time against `pystreed`, with the number of ratios
in brackets: where either proved its answer, an unsolved run counted as {limit} s, which is less
than it would need; and where both did.
"""
