"""Run methods on instances, one isolated process each, and write down every row as it ends.

A campaign picks up where its results file stops. It ends at once, with a report, when a tree turns
up that another method's proof forbids: from then on no figure of it could be trusted.
"""

from __future__ import annotations

import logging
import math
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

from benchmarks import judge, machine
from benchmarks.adapters import METHODS, Answer, Method
from benchmarks.instances import Optimum
from benchmarks.isolate import Limits, Outcome, Run, Tell, cpu_seconds
from benchmarks.results import Head, Nested, Results, Row
from benchmarks.suites import Spec, load
from dtfinder.data import Dataset, make_dataset, read_table
from dtfinder.data.dataset import show_value
from dtfinder.errors import WrongTreeError
from dtfinder.problem import Progress as State
from dtfinder.tree import Tree

log = logging.getLogger(__name__)


class DisagreementError(RuntimeError):
    """Two methods cannot both be right."""


@dataclass(frozen=True)
class Plan:
    """What to run, on what, within which limits, and where to write it down."""

    specs: Sequence[Spec]
    methods: Sequence[Method]
    limits: Limits
    jobs: int
    data: Path
    out: Path
    optima: Sequence[Optimum] = ()
    suite: str = "optima"


def run(plan: Plan) -> Results:
    """Do what of the plan is not yet done, with progress on stderr."""
    plan.out.parent.mkdir(parents=True, exist_ok=True)
    results = Results.open(plan.out)
    _stop_if_wrong(results, plan)
    limits = plan.limits
    results.begin(Head(limits.seconds, limits.memory, machine.describe(), plan.suite))
    _import_everything(plan)
    done = results.done()
    todo = [(s, m) for m in plan.methods for s in plan.specs if (*s, m.name) not in done]
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    left = TextColumn("{task.fields[left]}")
    # No refreshing thread: runs are forked, and a fork wants a single thread.
    with Progress(*columns, left, console=Console(stderr=True), auto_refresh=False) as bar:
        total = len(plan.specs) * len(plan.methods)
        task = bar.add_task("campaign", total=total, completed=total - len(todo), left="")
        clock = _TimeLeft(plan, todo)
        for spec, method, outcome in _outcomes(plan, todo):
            row = to_row(spec, method, outcome, plan.limits)
            results.add(row)
            _stop_if_wrong(results, plan, row)
            left_text = clock.after(spec, method, outcome)
            bar.update(task, advance=1, description=f"{method.name} {spec[0]}", left=left_text)
            bar.refresh()
            log.info("%s · %s", _line(row), left_text)
    return results


def _import_everything(plan: Plan) -> None:
    """Import once, here, what every run would have to import. Our own methods import more as they
    run; peers are not run here, where a crash or a thread of theirs would stay."""
    for method in plan.methods:
        import_module(method.package)
        if method.kind != "peer":
            method.run(_exclusive_or(), plan.limits, lambda _state: None)


def _outcomes(
    plan: Plan, todo: list[tuple[Spec, Method]]
) -> Iterator[tuple[Spec, Method, Outcome]]:
    """Start up to `jobs` runs at a time and yield each as it ends; kills what is left on a way
    out."""
    waiting = list(reversed(todo))
    running: list[tuple[Spec, Method, Run]] = []
    try:
        while waiting or running:
            while waiting and len(running) < plan.jobs:
                spec, method = waiting.pop()
                job = _Job(spec, method, plan)
                running.append((spec, method, Run(job, plan.limits)))
            time.sleep(min(run.pause() for _, _, run in running))
            for item in list(running):
                if outcome := item[2].poll():
                    running.remove(item)
                    yield item[0], item[1], outcome
    finally:
        for _, _, left in running:
            left.kill("interrupted")


@dataclass(frozen=True)
class _Job:
    """What the isolated process does: load, solve, check, tell."""

    spec: Spec
    method: Method
    plan: Plan

    def __call__(self, tell: Tell) -> None:
        dataset = load(self.spec, self.plan.data)
        tell({"examples": dataset.n_examples, "features": dataset.n_features})
        # A first tiny run imports whatever the method imports late: that is not its CPU time.
        self.method.run(_exclusive_or(), self.plan.limits, lambda _state: None)
        begin = cpu_seconds()
        tell({"ready": begin})

        def progress(state: State) -> None:
            tell({"nodes": state.nodes, "depth": state.depth, **_bounds_of(state)})

        answer = self.method.run(dataset, self.plan.limits, progress)
        cpu = cpu_seconds() - begin
        if answer.tree is not None:
            try:
                answer.tree.check(dataset)
            except WrongTreeError:
                answer = Answer(None, False, "wrong tree")
        tell({"cpu": cpu, **_told(answer)})


def _exclusive_or() -> Dataset:
    bits = np.array([[0, 0], [0, 1], [1, 0], [1, 1]], dtype=float)
    return make_dataset(read_table(bits, bits[:, 0] != bits[:, 1]), binarise="unary")


def _bounds_of(state: State) -> dict[str, int]:
    return {"lower_nodes": state.bounds.nodes, "lower_depth": state.bounds.depth}


def _told(answer: Answer) -> dict[str, Any]:
    tree = answer.tree
    return {
        "status": "none" if tree is None else "optimal" if answer.optimal else "feasible",
        "ended": answer.ended,
        "nodes": tree and tree.size,
        "depth": tree and tree.depth,
        "lower_nodes": answer.lower_nodes,
        "lower_depth": answer.lower_depth,
        "stats": {key: round(value, 6) for key, value in answer.stats.items()},
        "tree": tree and nested(tree),
    }


def nested(tree: Tree, number: int = 0) -> Nested:
    """The tree from node `number` on, as short as JSON allows."""
    node = tree.nodes[number]
    if node.feature < 0:
        return show_value(tree.classes[node.label])
    name = tree.features[node.feature].name
    return [name, nested(tree, node.zero), nested(tree, node.one)]


def to_row(spec: Spec, method: Method, outcome: Outcome, limits: Limits) -> Row:
    """What a run told, and what the system says of it. The last word on time is the limit's: a
    proof that came later than the limit does not count as one within it."""
    told: dict[str, Any] = {"status": "none", "examples": 0, "features": 0}
    for line in outcome.lines:
        told |= line
    if told.get("nodes") is not None and told["status"] == "none" and "tree" not in told:
        told["status"] = "feasible"  # killed after it had found a tree
    if told["status"] == "optimal" and told["cpu"] > limits.seconds:
        told |= {"status": "feasible", "ended": "time limit"}
    ended = told.get("error") or (outcome.ended if outcome.ended != "done" else told["ended"])
    return Row(
        *spec,
        method=method.name,
        aim=method.aim,
        examples=told["examples"],
        features=told["features"],
        status=told["status"],
        ended=ended,
        nodes=told.get("nodes"),
        depth=told.get("depth"),
        lower_nodes=told.get("lower_nodes", 1),
        lower_depth=told.get("lower_depth", 0),
        cpu=round(told.get("cpu", outcome.cpu), 6),
        wall=round(outcome.wall, 3),
        memory=outcome.memory,
        stats=told.get("stats", {}),
        tree=told.get("tree"),
    )


def _stop_if_wrong(results: Results, plan: Plan, row: Row | None = None) -> None:
    """Raise a report if anything (about the instance of `row`) contradicts anything else."""
    rows = [r for r in results.rows if row is None or r.instance == row.instance]
    there = {r.instance for r in rows}
    known = [o for o in plan.optima if (o.dataset, o.percent, o.seed) in there]
    if found := judge.contradictions(rows, known):
        raise DisagreementError(
            "two answers contradict each other, so the campaign ends here:\n  " + "\n  ".join(found)
        )


def _line(row: Row) -> str:
    size = "no tree" if row.nodes is None else f"{row.nodes} nodes, depth {row.depth}"
    return (
        f"{row.method:18} {row.dataset} {row.percent}%: {row.status}, {size}, {row.ended}, "
        f"{row.cpu:.3f} s, {row.memory / 1e6:.0f} MB"
    )


class _TimeLeft:
    """An estimate of the time left. Runs of one method resemble each other, and a method's later
    instances are larger: expect of each run still to come the mean of its method's latest five,
    or of all runs so far for a method that has none."""

    def __init__(self, plan: Plan, todo: list[tuple[Spec, Method]]) -> None:
        self._jobs = plan.jobs
        self._left = {method.name: 0 for _, method in todo}
        for _, method in todo:
            self._left[method.name] += 1
        self._walls: dict[str, list[float]] = {name: [] for name in self._left}

    def after(self, _spec: Spec, method: Method, outcome: Outcome) -> str:
        """The estimate as text, once a run has ended."""
        self._left[method.name] -= 1
        self._walls[method.name].append(outcome.wall)
        every = [wall for walls in self._walls.values() for wall in walls]
        seconds = 0.0
        for name, count in self._left.items():
            latest = self._walls[name][-5:] or every
            seconds += count * sum(latest) / len(latest)
        minutes = math.ceil(seconds / self._jobs / 60)
        return f"about {minutes} min left" if sum(self._left.values()) else "done"


def pick(names: Sequence[str]) -> list[Method]:
    """The methods by these names; all that are installed if there are none."""
    if not names:
        return [method for method in METHODS.values() if method.installed]
    for name in names:
        if name not in METHODS:
            raise ValueError(f"there is no method {name!r}; known: {', '.join(METHODS)}")
        if not METHODS[name].installed:
            raise ValueError(
                f"{name} is not installed; install the peers with: pip install '.[peers]'"
            )
    return [METHODS[name] for name in names]
