"""The native engine against the best SAT method and pystreed, on one core, in one run.

Every tool gets every instance of `optima.csv` in a process of its own with the same limit of CPU
time, one after the other. The table shows CPU seconds, proven size or bounds, and memory; below it
stand the ratios of CPU time as geometric means, with an unsolved run counted as its limit. Whole
tables come last, for the engine alone. Exit code 1 if two proofs disagree.

    python -m benchmarks.engine --seconds 60 --out docs/results/engine.md
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from math import exp, log
from pathlib import Path
from statistics import median

import numpy as np

from benchmarks.adapters import METHODS
from benchmarks.instances import ROOT, Optimum, instance, read_optima, shared_folder
from benchmarks.isolate import Limits, Run, Tell, cpu_seconds
from dtfinder.data import Dataset, Table, make_dataset, read_table
from dtfinder.options import Options
from dtfinder.solve import solve

TOOLS = ("cores", "sat", "pystreed")
WHOLE = ("monk1", "monk2", "monk3", "mux6", "tic-tac-toe", "vote", "car", "chess", "spect")
WHOLE += ("hepatitis",)
LEAST_SECONDS = 0.0005  # what the clock can tell, so that ratios of tiny times mean something


@dataclass(frozen=True)
class Line:
    """One tool on one instance."""

    name: str
    tool: str
    seconds: float
    megabytes: int
    nodes: int | None
    lower: int
    proven: bool

    @property
    def shown(self) -> str:
        """Time and size, or the bounds where nothing is proven."""
        if self.proven:
            return f"{self.seconds:.3f} s, {self.nodes}"
        return f"– ({self.lower}..{self.nodes or '?'})"


def main() -> int:
    """Run everything, write the table, compare the proofs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=60.0, help="CPU limit of a run")
    parser.add_argument("--tools", default=",".join(TOOLS))
    parser.add_argument("--only", default="", help="instances whose name contains this")
    parser.add_argument("--whole", action=argparse.BooleanOptionalAction, default=True)
    parser.add_argument("--out", type=Path, default=ROOT / "docs" / "results" / "engine.md")
    asked = parser.parse_args()
    if not (shared_folder() / "optima.csv").exists():
        print(f"there is no {shared_folder() / 'optima.csv'}: set DTFINDER_SHARED")
        return 2
    limits, tools = Limits(asked.seconds, 3_000_000_000), asked.tools.split(",")
    if "pystreed" in tools and not METHODS["pystreed"].installed:
        print("pystreed is not installed (pip install pystreed): left out")
        tools.remove("pystreed")
    optima = [one for one in read_optima() if asked.only in _name(one)]
    lines, whole = [], []
    for one in optima:
        load = partial(instance, one.dataset, one.percent, one.seed)
        lines += [_measure(_name(one), tool, load, limits) for tool in tools]
    if asked.whole:
        wanted = [name for name in WHOLE if asked.only in name]
        whole = [_measure(name, "cores", partial(whole_table, name), limits) for name in wanted]
    text = report(optima, lines, whole, asked.seconds)
    asked.out.parent.mkdir(parents=True, exist_ok=True)
    asked.out.write_text(text)
    wrong = disagreements(optima, lines)
    print("\n".join([text, *wrong]))
    return 1 if wrong else 0


def _name(one: Optimum) -> str:
    return f"{one.dataset} {one.percent}%"


def whole_table(name: str) -> Dataset:
    """All rows; `car` as its largest class, unacc, against the rest."""
    table = read_table(shared_folder() / "pmlb" / name / f"{name}.tsv.gz", target="target")
    if name == "car":
        assert table.target is not None
        values, counts = np.unique(table.target, return_counts=True)
        unacc = table.target == values[counts.argmax()]
        table = Table(table.names, table.columns, unacc.astype(object), table.target_name)
    return make_dataset(table, binarise="unary", missing="value", contradictions="drop")


def _measure(name: str, tool: str, load: Callable[[], Dataset], limits: Limits) -> Line:
    run = Run(partial(_job, tool, load, limits), limits)
    while (outcome := run.poll()) is None:
        time.sleep(run.pause())
    told = {key: value for line in outcome.lines for key, value in line.items()}
    proven = bool(told.get("proven"))
    seconds = told["cpu"] if proven else limits.seconds
    memory = outcome.memory // 1_000_000
    line = Line(name, tool, seconds, memory, told.get("nodes"), told.get("lower", 1), proven)
    print(f"{name:<55}{tool:<10}{line.shown}", file=sys.stderr, flush=True)
    return line


def _job(tool: str, load: Callable[[], Dataset], limits: Limits, tell: Tell) -> None:
    """Load, warm up on a tiny table so that imports do not count, solve, tell."""
    dataset = load()
    _solve(tool, make_dataset(read_table("weather")), limits, lambda _line: None)
    begin = cpu_seconds()
    tell({"ready": begin})
    _solve(tool, dataset, limits, tell)
    tell({"cpu": cpu_seconds() - begin})


def _solve(tool: str, dataset: Dataset, limits: Limits, tell: Tell) -> None:
    if tool in METHODS and METHODS[tool].kind == "peer":
        answer = METHODS[tool].run(dataset, limits, lambda _state: None)
        size = answer.tree.size if answer.tree else None
        tell({"nodes": size, "lower": answer.lower_nodes, "proven": answer.optimal})
        return
    end = cpu_seconds() + limits.seconds
    result = solve(
        dataset,
        Options(method=tool, memory_limit=limits.memory / 1e9),
        callback=lambda state: tell({"nodes": state.nodes, "lower": state.bounds.nodes}),
        stop=lambda: "time limit" if cpu_seconds() >= end else None,
    )
    proven = result.status == "optimal"
    tell({"nodes": result.nodes, "lower": result.lower_bound, "proven": proven})


def ratio(lines: list[Line], tool: str, other: str) -> tuple[float, float]:
    """How many times the CPU time of `tool` the `other` one takes: over all instances, and over
    those that both solved (geometric means)."""
    times = {(line.name, line.tool): line for line in lines}
    pairs = [(times[name, tool], times[name, other]) for name in {line.name for line in lines}]
    both = [(a, b) for a, b in pairs if a.proven and b.proven]
    return _mean(pairs), _mean(both)


def _mean(pairs: list[tuple[Line, Line]]) -> float:
    logs = [log(max(b.seconds, LEAST_SECONDS) / max(a.seconds, LEAST_SECONDS)) for a, b in pairs]
    return exp(sum(logs) / len(logs)) if logs else float("nan")


def report(optima: list[Optimum], lines: list[Line], whole: list[Line], seconds: float) -> str:
    """The table and its sums, as Markdown."""
    tools = list(dict.fromkeys(line.tool for line in lines))
    times = {(line.name, line.tool): line for line in lines}
    known = {_name(one): one.nodes for one in optima}
    out = ["# The native engine against SAT and pystreed", ""]
    out += [f"One core, {seconds:g} s CPU a run; seconds and proven size, or (lower..upper).", ""]
    out += ["| instance | known | " + " | ".join(tools) + " |", "| --- " * (len(tools) + 2) + "|"]
    for name in known:
        cells = " | ".join(times[name, tool].shown for tool in tools)
        out.append(f"| {name} | {known[name] or ''} | {cells} |")
    out.append("")
    for tool in tools:
        mine = [line for line in lines if line.tool == tool]
        solved = [line.seconds for line in mine if line.proven]
        listed = sum(line.proven and known[line.name] is not None for line in mine)
        if solved:
            out.append(
                f"- {tool}: {len(solved)} of {len(mine)} proven ({listed} of the listed), median "
                f"{1000 * median(solved):.1f} ms, at most {max(x.megabytes for x in mine)} MB"
            )
    for other in tools[1:]:
        over_all, both = ratio(lines, tools[0], other)
        out.append(
            f"- {other} takes {over_all:.0f}× the CPU time of {tools[0]} (unsolved counted as the "
            f"limit), {both:.0f}× where both prove"
        )
    if whole:
        out += ["", "| whole table | cores | MB |", "| --- | --- | --- |"]
        out += [f"| {line.name} | {line.shown} | {line.megabytes} |" for line in whole]
    return "\n".join(out) + "\n"


def disagreements(optima: list[Optimum], lines: list[Line]) -> list[str]:
    """Proven sizes that differ from the file, or from each other."""
    sizes: dict[str, set[int]] = {_name(one): {one.nodes} for one in optima if one.nodes}
    for line in lines:
        if line.proven and line.nodes is not None:
            sizes.setdefault(line.name, set()).add(line.nodes)
    return [f"WRONG: {name}: {sorted(found)}" for name, found in sizes.items() if len(found) > 1]


if __name__ == "__main__":
    sys.exit(main())
