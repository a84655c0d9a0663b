"""A regression guard for the engine: are its optima the same, and does it need no more work?

Seconds differ from machine to machine and from run to run; the engine's counters (steps of search,
and whatever else its results count) do not. A run of each small instance, under a work limit, is
compared with a stored baseline. A proven optimum that changed, a proof that is lost, a counter or a
gap between the bounds (of nodes, or of depth and then nodes, whichever is minimised) that grew by
more than a factor are worse, and are listed. What got better is listed as well: then the same
change should store a new baseline with `--update`.

The embedded data sets are always there. The instances of the list of optima are compared as well
where their data is.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path

from benchmarks.instances import instance, read_optima, sample, shared_folder
from dtfinder.data import Dataset, embedded_names, make_dataset, read_table
from dtfinder.options import Options
from dtfinder.run.signals import exit_code
from dtfinder.solve import solve

BASELINE = Path(__file__).with_name("baseline.json")
WORK = 500_000  # about a tenth of a second per instance
FACTOR = 1.25
SLACK = 2_000  # counts this small may differ by anything
LARGEST = 60_000  # cells of a table from the list of optima


@dataclass(frozen=True)
class Record:
    """What a run gave. `counts` are repeatable numbers of things done."""

    status: str
    nodes: int
    depth: int
    lower_nodes: int
    lower_depth: int
    counts: dict[str, int]


Load = Callable[[], Dataset]
Records = dict[str, Record]


def instances() -> Iterator[tuple[str, Load]]:
    """Names and loaders of everything that can be compared here."""
    for name in embedded_names():
        for percent in (50, 100):
            yield f"{name} {percent}%", partial(_part, name, percent)
    if (shared_folder() / "optima.csv").exists() and (shared_folder() / "pmlb").is_dir():
        for known in read_optima():
            if known.nodes is not None and known.examples * known.features <= LARGEST:
                place = (known.dataset, known.percent, known.seed)
                yield f"pmlb {known.dataset} {known.percent}%", partial(instance, *place)


def _part(name: str, percent: int) -> Dataset:
    table = sample(read_table(name), percent, 0)
    return make_dataset(table, binarise="unary", contradictions="drop", one_class="allow")


def measure(load: Load, method: str, minimise: str) -> Record:
    """One run under the work limit; if it ends with a proof, its lemmas are counted."""
    options = Options(method=method, minimise=minimise, work_limit=WORK, certify=True)
    result = solve(load(), options)
    if exit_code(result.stopped_by):  # a signal is for all runs, and half of one is no measurement
        raise KeyboardInterrupt(result.stopped_by)
    counts = {
        name: round(value)
        for name, value in sorted(result.stats.items())
        if not name.endswith("seconds")
    }
    if result.certificate is not None:
        counts["lemmas"] = gzip.decompress(result.certificate.data).count(b"\n") - 1
    return Record(
        result.status,
        result.nodes,
        result.depth,
        result.lower_bound,
        result.depth_lower_bound,
        counts,
    )


def measure_all(method: str) -> Records:
    """All instances, for both aims."""
    return {
        f"{name}, {minimise}": measure(load, method, minimise)
        for name, load in instances()
        for minimise in ("size", "depth")
    }


@dataclass(frozen=True)
class Verdict:
    """What changed, in words."""

    wrong: list[str]
    worse: list[str]
    better: list[str]
    compared: int


def compare(before: Records, now: Records) -> Verdict:
    """Everything that differs beyond the slack, instance by instance."""
    verdict = Verdict([], [], [], len(before.keys() & now.keys()))
    for name in sorted(before.keys() & now.keys()):
        old, new = before[name], now[name]
        if problem := _contradiction(old, new, name.endswith("size")):
            verdict.wrong.append(f"{name}: {problem}")
        elif old.status != new.status:
            words = f"{name}: was {_words(old)}, is {_words(new)}"
            (verdict.worse if old.status == "optimal" else verdict.better).append(words)
        elif old.status == "optimal":
            _compare_counts(name, old, new, verdict)
        else:
            _compare_gaps(name, old, new, name.endswith("size"), verdict)
    return verdict


def _contradiction(old: Record, new: Record, size: bool) -> str:
    """What cannot be true of both."""
    if old.status == new.status == "optimal":
        mine, theirs = (new.depth, new.nodes), (old.depth, old.nodes)
        if (new.nodes != old.nodes) if size else (mine != theirs):
            return f"the optimum was {_words(old)}, is {_words(new)}"
    for one, other in ((old, new), (new, old)):
        if size and one.lower_nodes > other.nodes:
            return f"at least {one.lower_nodes} nodes is proven, yet there is {_words(other)}"
        if one.lower_depth > other.depth:
            return f"depth {one.lower_depth} or more is proven, yet there is {_words(other)}"
    return ""


def _compare_counts(name: str, old: Record, new: Record, verdict: Verdict) -> None:
    for count in sorted(old.counts.keys() & new.counts.keys()):
        was, now = old.counts[count], new.counts[count]
        if max(was, now) <= SLACK:
            continue
        line = f"{name}: {count} {was} → {now} ({now / max(was, 1):.2f}×)"
        if now > FACTOR * max(was, SLACK):
            verdict.worse.append(line)
        elif was > FACTOR * max(now, SLACK):
            verdict.better.append(line)


def _compare_gaps(name: str, old: Record, new: Record, size: bool, verdict: Verdict) -> None:
    """Runs that both met the work limit: how far apart are the bounds? Depths count only where they
    are what is minimised, and then before nodes: a shallower tree may well have more of these."""
    gaps = [("nodes", (old.lower_nodes, old.nodes), (new.lower_nodes, new.nodes), 2)]
    if not size:  # a level is much, and no gap must open that was closed
        gaps.insert(0, ("depth", (old.lower_depth, old.depth), (new.lower_depth, new.depth), 0))
    for what, before, after, slack in gaps:
        was, now = before[1] - before[0], after[1] - after[0]
        worse, better = now > FACTOR * was + slack, was > FACTOR * now + slack
        if worse or better:
            line = "{}: {} {}..{} → {}..{} at the work limit".format(name, what, *before, *after)
            (verdict.worse if worse else verdict.better).append(line)
            return


def _words(record: Record) -> str:
    return f"{record.status} with {record.nodes} nodes, depth {record.depth}"


def read(path: Path) -> Records:
    """The baseline."""
    return {name: Record(**facts) for name, facts in json.loads(path.read_text()).items()}


def write(path: Path, records: Records) -> None:
    """Store a baseline, one line per instance, so that its diffs are easy to read."""
    lines = [f"{json.dumps(name)}: {json.dumps(asdict(r))}" for name, r in sorted(records.items())]
    path.write_text("{\n" + ",\n".join(lines) + "\n}\n")
