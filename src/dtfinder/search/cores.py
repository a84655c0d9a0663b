"""The native engine as a search: cores with proven bounds, in C++.

`src/core` holds the engine and the essays on why it is right. It runs here in slices with the GIL
released: after each slice the stop rules are asked and changed bounds are handed on. Its work is
counted in steps that are the same everywhere, so a run under a work limit ends at the same point on
every machine, however it is sliced.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import replace

import numpy as np

from dtfinder._core import Engine, Goal, Switches, make_engine
from dtfinder.data.dataset import Dataset, Ints
from dtfinder.problem import DEPTH, SIZE, Bounds, Event, Problem
from dtfinder.proof import Lemmas, Piece, SpineProof
from dtfinder.run.stop import Stop, Stopped, Work
from dtfinder.search.greedy import first_bounds
from dtfinder.tree import Node, depth_of

STEPS_OF_WORK = 4  # a step is about 50 ns, a unit of work about 200
SLICE = 200_000  # steps between two looks at the stop rules: some 10 ms
MEMORY = 700_000_000  # bytes for facts, unless a memory limit says less


def memory_for_facts(memory_limit: float | None, certify: bool) -> int:
    """Half of what the run may use: the table, Python and the trees need the rest. A proof is kept
    beside the facts, and is worth more of the memory."""
    half = int((memory_limit or 10) * 5e8)
    if certify:
        return half if memory_limit is not None else min(3 * MEMORY, half)
    return min(MEMORY, half)


def search(
    problem: Problem,
    stop: Stop,
    work: Work,
    *,
    certify: bool = False,
    memory_limit: float | None = None,
    switches: Switches | None = None,
) -> Generator[Event, None, None]:
    """Events until the optimum is proven, or it is proven that there is no tree."""
    switches = switches or Switches()
    switches.proof = certify
    switches.memory = memory_for_facts(memory_limit, certify)
    dataset = problem.dataset
    bits = np.ascontiguousarray(dataset.bits)
    labels = np.ascontiguousarray(dataset.labels, dtype=np.int64)
    engine = make_engine(bits, labels, goal_of(problem), switches)
    first = first_bounds(dataset)
    seen = -1
    best: list[list[int]] = []
    tree: list[Node] = []
    told = tree
    while True:
        # Before it has started it knows nothing: the first event brings the greedy tree.
        if engine.version != seen and (engine.started or engine.done):
            seen = engine.version
            if (now := engine.tree()) != best:
                best, tree = now, [Node(*node) for node in now]
            event = event_of(engine, first, tree if tree is not told else None)
            if certify and engine.done:
                event = replace(event, proof=proof_of(engine, dataset))
            if not certify or engine.done or not closes(event.bounds, tree, problem):
                told = tree
                yield event
        if engine.done:
            return
        # The first greedy tree is there before any limit: a run never ends with nothing in hand.
        if engine.started and (reason := stop()):
            raise Stopped(reason)
        _run_slice(engine, work)


def _run_slice(engine: Engine, work: Work) -> None:
    """Run until something changes, but not beyond the work that is left."""
    steps = SLICE if work.left is None else max(1, min(SLICE, work.left * STEPS_OF_WORK))
    before = engine.steps
    engine.run(steps)
    # Both counts are rounded down from the start of the run, so that slices add up exactly.
    work.spend(engine.steps // STEPS_OF_WORK - before // STEPS_OF_WORK)


def goal_of(problem: Problem) -> Goal:
    """What the engine is to look for."""
    goal = Goal()
    goal.depth_first = problem.minimise == DEPTH
    if problem.max_depth is not None and problem.max_depth < goal.max_depth:
        goal.max_depth = problem.max_depth
    if problem.max_nodes is not None:
        goal.max_inner = min(goal.max_inner, (problem.max_nodes - 1) // 2)
    return goal


def event_of(engine: Engine, first: Bounds, nodes: list[Node] | None) -> Event:
    """What the engine knows now."""
    bounds = first.raised(nodes=2 * engine.lower + 1, depth=engine.depth_lower)
    stats = {"steps": float(engine.steps), "bytes": float(engine.bytes)} if engine.done else {}
    return Event(bounds, nodes, infeasible=engine.infeasible, stats=stats)


def proof_of(engine: Engine, dataset: Dataset) -> Piece:
    """What the engine's bound rests on."""
    rows = rows_of_examples(dataset)
    if by_program := engine.spine_text(rows):
        return SpineProof(by_program)
    return Lemmas(engine.lemma_text(rows))


def closes(bounds: Bounds, tree: list[Node], problem: Problem) -> bool:
    """Whether the bounds meet the tree. A least depth bounds the size, and the other way round, so
    this may be before the engine has both as lemmas; a certificate waits for these."""
    return bounds.nodes == len(tree) and (
        problem.minimise == SIZE or bounds.depth == depth_of(tree)
    )


def rows_of_examples(dataset: Dataset) -> Ints:
    """For each example the first row of the table that it stands for."""
    rows = np.zeros(dataset.n_examples, dtype=np.int64)
    kept = np.flatnonzero(dataset.example_of_row >= 0)[::-1]
    rows[dataset.example_of_row[kept]] = kept
    return rows
