"""What the engine proves, and what is still open: the samples of Witty, and whole tables of DL8.5.

The samples are the 350 of 'Witty: An Efficient Solver for Computing Minimum-Size Decision Trees'
(AAAI 2025): 35 tables of numbers, of which 20 or 50 percent of the rows were drawn with five seeds.
Beside ours stand the times that its authors published, on another machine and with a limit of an
hour. One isolated run after the other; what the results file has is not measured again.

    python -m benchmarks frontier --parts dl85 witty
"""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import fmean, geometric_mean
from typing import Any

from benchmarks import campaign, machine, tables
from benchmarks.instances import shared_folder
from benchmarks.isolate import Limits, Tell, cpu_seconds, outcome_of
from dtfinder.data import Dataset, make_dataset, read_table
from dtfinder.options import Options
from dtfinder.problem import Progress
from dtfinder.run.worker import in_this_process
from dtfinder.solve import solve

ENDINGS = {"dl85": ".txt.gz", "witty": ".csv.gz"}  # of files, by part
EARLY = 10.0  # CPU seconds, when the gap of what stays open is looked at
WITTY_LIMIT = 3600.0  # seconds, of the published times


@dataclass(frozen=True)
class Open:
    """What is known of one instance in the end. `cpu` is None if the smallest size is not proven;
    bounds are in nodes."""

    part: str
    name: str
    examples: int
    features: int
    cpu: float | None
    lower: int
    upper: int | None
    early: tuple[int, int | None]  # both bounds after EARLY seconds
    ended: str
    memory: int


@dataclass(frozen=True)
class Published:
    """What Witty's authors report; no size if it was not proven."""

    seconds: float
    nodes: int | None


def measure(parts: Sequence[str], limits: Limits, file: Path) -> list[Open]:
    """All instances of these parts that the results file does not have yet."""
    rows = read(file)
    if not rows:
        file.parent.mkdir(parents=True, exist_ok=True)
        head = {"limit": limits.seconds, "memory": limits.memory, "machine": machine.describe()}
        file.write_text(json.dumps(head) + "\n", encoding="utf-8")
    done = {(row.part, row.name) for row in rows}
    for part in parts:
        for name in _names(part):
            if (part, name) in done:
                continue
            row = _one(part, name, limits)
            with file.open("a", encoding="utf-8") as out:
                out.write(json.dumps(asdict(row)) + "\n")
            rows.append(row)
    return rows


def read(file: Path) -> list[Open]:
    """The rows of a results file, which starts with a line about the machine."""
    if not file.exists():
        return []
    rows = map(json.loads, file.read_text(encoding="utf-8").splitlines()[1:])
    return [Open(**{**row, "early": tuple(row["early"])}) for row in rows]


def published() -> dict[str, Published]:
    """What Witty's authors report of its samples."""
    with (shared_folder() / "witty" / "reference.csv").open(newline="") as stream:
        return {
            line["instance"]: Published(
                float(line["witty_seconds"]),
                int(line["witty_nodes"]) if line["witty_nodes"] else None,
            )
            for line in csv.DictReader(stream)
        }


def _names(part: str) -> Iterator[str]:
    """The instances of a part, small files first."""
    files = (shared_folder() / part).glob("*" + ENDINGS[part])
    for file in sorted(files, key=lambda file: (file.stat().st_size, file.name)):
        yield file.name.removesuffix(ENDINGS[part])


def _load(part: str, name: str) -> Dataset:
    target = "x" if part == "witty" else None
    return make_dataset(read_table(shared_folder() / part / (name + ENDINGS[part]), target=target))


def _one(part: str, name: str, limits: Limits) -> Open:
    """One isolated run."""

    def job(tell: Tell) -> None:
        dataset = _load(part, name)
        tell({"examples": dataset.n_examples, "features": dataset.n_features})
        solve(campaign._exclusive_or(), Options(method="cores"))  # imports what is imported late
        begin = cpu_seconds()
        tell({"ready": begin})

        def progress(state: Progress) -> None:
            bounds = {"lower": state.bounds.nodes, "upper": state.nodes}
            early = cpu_seconds() - begin <= EARLY
            tell(bounds | ({"early": list(bounds.values())} if early else {}))

        def stop() -> str | None:
            return "time limit" if cpu_seconds() - begin >= limits.seconds else None

        options = Options(method="cores", memory_limit=limits.memory / 1e9)
        with in_this_process():
            result = solve(dataset, options, callback=progress, stop=stop)
        spent = cpu_seconds() - begin
        result.tree.check(dataset)
        proven = result.status == "optimal"
        tell({"lower": result.lower_bound, "upper": result.nodes, "cpu": spent if proven else None})

    outcome = outcome_of(job, limits)
    told: dict[str, Any] = {"examples": 0, "features": 0, "cpu": None, "lower": 0, "upper": None}
    told["early"] = (0, None)
    for line in outcome.lines:
        told |= line
    told.pop("ready", None)
    told["early"] = tuple(told["early"])
    error = told.pop("error", None)
    ended = outcome.ended if error is None else str(error)
    return Open(part=part, name=name, ended=ended, memory=outcome.memory, **told)


def write(file: Path, out: Path) -> Path:
    """Write the page `frontier.md` into `out`."""
    out.mkdir(parents=True, exist_ok=True)
    head = json.loads(file.read_text(encoding="utf-8").splitlines()[0])
    page = out / "frontier.md"
    text = text_of(read(file), published(), head["limit"], head["machine"])
    page.write_text(text, encoding="utf-8")
    return page


def text_of(
    rows: Sequence[Open], witty: dict[str, Published], limit: float, described: dict[str, str]
) -> str:
    """The page as Markdown; a size that differs from a published one ends it at once."""
    pieces = ["# What is proven, and what is open\n", _TEXT.format(limit=f"{limit:g}")]
    whole = sorted((row for row in rows if row.part == "dl85"), key=lambda row: row.name)
    samples = sorted((row for row in rows if row.part == "witty"), key=lambda row: row.name)
    if whole:
        proven = sum(row.cpu is not None for row in whole)
        pieces += [f"## Whole tables\n\n{proven} of {len(whole)} are proven.{_gap(whole)}\n"]
        head = ["table", "examples", "features", "smallest", "CPU time"]
        pieces += [tables.markdown(head, [_line(row) for row in whole])]
    if samples:
        run = "" if len(samples) == len(witty) else _PART.format(len(samples), len(witty))
        pieces += ["## Samples of Witty's benchmark\n", run + _WITTY_TEXT + _gap(samples) + "\n"]
        pieces += [_overview(samples, witty, limit), "### Samples that are open\n"]
        head = [
            "sample",
            "examples",
            "features",
            "smallest",
            "CPU time",
            "Witty, s",
            "Witty's nodes",
        ]
        lines = []
        for row in samples:
            theirs = witty[row.name]
            if row.cpu is not None and theirs.nodes not in (None, row.upper):
                raise ValueError(f"{row.name}: {row.upper} nodes here, {theirs.nodes} published")
            if row.cpu is None:
                lines.append([*_line(row), f"{theirs.seconds:.0f}", str(theirs.nodes or "–")])
        pieces += [tables.markdown(head, lines)]
    pieces += ["## The machine\n"]
    pieces += ["\n".join(f"- {name}: {value}" for name, value in described.items()) + "\n"]
    pieces += ["Every run is in [frontier.jsonl](frontier.jsonl).\n"]
    return "\n".join(pieces)


def _line(row: Open) -> list[str]:
    known = str(row.upper) if row.cpu is not None else f"{row.lower}..{row.upper or '?'}"
    return [row.name, str(row.examples), str(row.features), known, tables.duration(row.cpu)]


def _gap(rows: Sequence[Open]) -> str:
    """The mean gap of what stays open, early and in the end."""
    left = [row for row in rows if row.cpu is None]
    if not left:
        return ""
    early = fmean(_share(*row.early) for row in left)
    end = fmean(_share(row.lower, row.upper) for row in left)
    return (
        f" Of the {len(left)} that are not proven, the gap (upper bound less lower bound, by the "
        f"upper bound) is {early:.0%} in the mean after {EARLY:g} s, and {end:.0%} in the end."
    )


def _share(lower: int, upper: int | None) -> float:
    return 1.0 if upper is None else (upper - lower) / upper


def _overview(samples: Sequence[Open], witty: dict[str, Published], limit: float) -> str:
    """How many are proven, by percentage: by us within a few limits, and by Witty within its."""
    head = ["rows", "samples", *(f"dtfinder, {s:g} s" for s in (1, 20, limit)), "Witty, 1 h"]
    head += ["Witty / dtfinder, geometric mean"]
    lines = []
    for percent, mark in ((20, "_0.2_"), (50, "_0.5_")):
        here = [row for row in samples if mark in row.name]
        ratios = [
            min(witty[row.name].seconds, WITTY_LIMIT) / max(tables.LEAST_SECONDS, row.cpu or limit)
            for row in here
            if row.cpu is not None or witty[row.name].nodes is not None
        ]
        within = [
            str(sum(row.cpu is not None and row.cpu <= s for row in here)) for s in (1, 20, limit)
        ]
        theirs = sum(witty[row.name].nodes is not None for row in here)
        mean = f"{geometric_mean(ratios):.0f}× ({len(ratios)})" if ratios else "–"
        lines.append([f"{percent}%", str(len(here)), *within, str(theirs), mean])
    return tables.markdown(head, lines)


_TEXT = """\
How far does `--method cores` get in {limit} s of CPU time on one core? Each run has its own
process, one after the other, on a machine that had other work; times are CPU times without reading
the table. `27..41` means that 27 nodes are proven to be needed, and a tree of 41 is found.
"""

_PART = """\
{} of the {} samples have been run so far, small files first; the rest are among the hardest.
"""
_WITTY_TEXT = """\
Witty's figures are those that its authors published: on another machine, with a limit of an hour.
Wherever both prove a size, it is the same. A ratio is taken where either proves it, and an unsolved
run counts as its limit."""
