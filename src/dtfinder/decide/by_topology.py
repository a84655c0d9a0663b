"""One decision problem, split by topology templates into many easier ones, on a pool of workers.

The formula is the same for all templates; each adds the cube of its template. A worker makes the
formula once. With few templates each has a solver of its own, to which its cube is added as unit
clauses: the solver simplifies the formula by them, and nothing that it learns has to hold for other
templates. With more templates than `incremental_above`, a handful at a time are solved under
assumptions, one after the other. Most of them take less than it takes to load the formula, and
neighbours fail for the same reasons: on nine questions of the benchmark, handfuls of 16 cut loading
from 2.4 s to 0.2 s and solving from 7.8 s to 3.8 s.

A small formula is loaded into a new solver each time; a large one is loaded once, and each template
or handful is solved in a fork of the process. The two say the same, since a fork is a copy.

The answer does not depend on the number of workers, nor on which of them is faster. Answers are
taken in the order of the templates: a template with a model stops all that come after it at once,
and those before it are finished, as one worker would have had to do first. The same holds for the
limit on work: each template reports its work at the start of every slice of solving, so that the
run ends at the very slice where one worker would have ended, with everything before it proven.
(What a solver has learnt from the templates before it may change the shape of the tree, but which
these are does not depend on the workers. Only a run that goes on after an interruption has other
handfuls.)
"""

from __future__ import annotations

import atexit
import time
from collections.abc import Callable, Collection
from contextlib import closing
from dataclasses import dataclass, field, replace
from typing import Any

from dtfinder.decide.sat import PATHS, Answer, Costs, Question, count_formula
from dtfinder.decide.solver import ONE_SHOT, Meter, OutOfWork, Solver
from dtfinder.encode.cnf import Encoding
from dtfinder.encode.topologies import (
    Template,
    best_cut,
    by_difference,
    is_long_enough,
    sized_templates,
    templates,
)
from dtfinder.nodes import Node, Nodes
from dtfinder.run import worker
from dtfinder.run.fork import in_a_fork
from dtfinder.run.pool import Blob, Piece, Pool, Stored
from dtfinder.run.stop import Stop, Stopped

BATCH = 16  # the most templates in a piece, under assumptions
PIECES = 8  # into which they are divided at least, for workers to share
INCREMENTAL_ABOVE = 15  # templates of a question
FORK_ABOVE = 100_000  # literals of a formula: about what is loaded in the time of a fork


@dataclass(frozen=True)
class Splitting:
    """How deep to split, in which order, and how to solve the parts."""

    cut: int | None = None  # by default as deep as fits into `max_templates`
    max_templates: int = 500
    incremental_above: int = INCREMENTAL_ABOVE
    fork_above: int = FORK_ABOVE
    decay: float = 0.75
    ordered: bool = False
    close_to: Nodes | None = None  # with `ordered`: templates like this tree come first


def cut_off(question: Question, splitting: Splitting, depth: int) -> int:
    """How deep the templates of trees up to `depth` are fixed."""
    if splitting.cut is not None:
        return min(splitting.cut, depth)
    n, sized = 2 * question.paths - 1, question.encoding == PATHS
    return min(best_cut(n, splitting.max_templates, sized=sized), depth)


def split(question: Question, splitting: Splitting, depth: int) -> list[Template]:
    """The templates of all trees up to `depth` that the question asks about, without those that
    its bounds rule out."""
    n, sized = 2 * question.paths - 1, question.encoding == PATHS
    cut = cut_off(question, splitting, depth)
    every = (sized_templates if sized else templates)(n, cut, depth)
    found = [each for each in every if is_long_enough(each, question.bounds)]
    if splitting.ordered and splitting.close_to is not None:
        return by_difference(found, splitting.close_to, n, splitting.decay)
    return found


@dataclass(frozen=True)
class Solved:
    """What became of one template. `marks` is the work done at the start of each slice of solving,
    `work` all of it; `literals` the size of the formula, which is work as well, done once."""

    nodes: list[Node] | None
    finished: bool
    work: int
    marks: tuple[int, ...]
    literals: int
    proof: tuple[bytes, ...] = ()  # that it has no model, in pieces, if it was to be proven
    digest: str = ""  # of the formula, for the proofs
    stats: dict[str, float] = field(default_factory=dict)

    @property
    def refuted(self) -> bool:
        """Whether it has no model."""
        return self.finished and self.nodes is None


def decide_by_topology(
    question: Question,
    splitting: Splitting,
    stop: Stop,
    pool: Pool,
    *,
    budget: int | None = None,
    refuted: Collection[Template] = (),
    note: Callable[[Template], None] = lambda template: None,
) -> Answer:
    """The answer to a question about exactly P paths. Templates in `refuted` are known to have no
    model, and `note` is told of every other one that is found to have none."""
    if question.at_most:
        raise ValueError("templates have a fixed number of paths: ask for exactly that many")
    parts = split(question, splitting, deepest(question))
    known = set(refuted)
    # A proof under assumptions ends in their negation, not in the empty clause.
    fresh = question.prove or question.solver.startswith(ONE_SHOT)
    together = len(parts) > splitting.incremental_above and not fresh
    open_parts = [each for each in parts if each not in known]
    size = max(1, min(BATCH, len(parts) // PIECES)) if together else 1
    batches = [tuple(open_parts[i : i + size]) for i in range(0, len(open_parts), size)]
    shared = pool.share(Blob.of(question))
    pieces = [
        Piece(rank, solve_templates, (batch, together, budget, splitting.fork_above))
        for rank, batch in enumerate(batches)
    ]
    if budget is not None and question.least_literals >= budget:
        return Answer(None, False, 0)
    in_order = _InOrder(batches, budget)
    with pool.run(pieces, shared, stop) as run:
        for piece, solved in run:
            for template, each in zip(piece.arguments[0], solved, strict=False):
                if each.refuted:
                    note(template)
            if solved[-1].nodes is not None or not solved[-1].finished:
                run.drop_above(piece.rank)
            if in_order.take(int(piece.rank), solved):
                break
    in_order.stats["templates"] = len(parts)
    return in_order.answer(question, cut_off(question, splitting, deepest(question)))


def deepest(question: Question) -> int:
    """The depth that no tree of the question's formula exceeds."""
    most = min(question.paths - 1, question.examples.n_features)
    return most if question.depth is None else min(most, question.depth)


class _InOrder:
    """Takes answers as they come and counts them in order, as one worker would have met them."""

    def __init__(self, batches: list[tuple[Template, ...]], budget: int | None) -> None:
        self._batches, self._budget = batches, budget
        self._proofs: list[tuple[Template, Solved]] = []
        self._early: dict[int, list[Solved]] = {}
        self._next, self._spent, self._begun = 0, 0, False
        self._nodes: list[Node] | None = None
        self._finished = True
        self.stats: dict[str, float] = {}

    def take(self, rank: int, solved: list[Solved]) -> bool:
        """Whether the question is settled, or the work at its end."""
        self._early[rank] = solved
        for each in solved:
            for name, amount in each.stats.items():
                self.stats[name] = self.stats.get(name, 0) + amount
        while self._next in self._early:
            batch = self._batches[self._next]
            for template, each in zip(batch, self._early.pop(self._next), strict=False):
                if self._count(each):
                    return True
                if each.digest:
                    self._proofs.append((template, each))
            self._next += 1
        return False

    def _count(self, each: Solved) -> bool:
        if not self._begun:
            self._begun, self._spent = True, each.literals
        for mark in each.marks:
            if self._budget is not None and self._spent + mark >= self._budget:
                self._spent += mark
                self._finished = False
                return True
        self._spent += each.work
        self._nodes = each.nodes
        return each.nodes is not None

    def answer(self, question: Question, cut: int) -> Answer:
        """The answer, once everything is taken or `take` said that it is settled."""
        proof = None
        if self._finished and self._nodes is None and self._proofs:
            proofs = question.proofs_of(self._proofs[0][1].digest, cut)
            for template, each in self._proofs:
                proofs.add(template, each.proof)
            proof = proofs.refutation()
        return Answer(self._nodes, self._finished, self._spent, self.stats, proof)


# What follows runs in the workers.


class _Marked(Meter):
    """A meter that remembers the work at the start of every slice."""

    def __init__(self) -> None:
        super().__init__(None)
        self.marks: list[int] = []

    def begin(self, budget: int | None) -> None:
        """Count from zero."""
        self.budget, self.spent, self.marks = budget, 0, []

    def check(self, ahead: int = 0) -> None:
        self.marks.append(self.spent + ahead)
        super().check(ahead)


@dataclass
class _Loaded:
    """The formula of one question, with its solvers."""

    digest: str
    question: Question
    encoding: Encoding
    meter: _Marked
    formula_digest: str  # if proofs are asked for
    shared: Solver | None = None  # to be forked; made when it is first needed

    def new_solver(self, costs: Costs) -> Solver:
        """A solver that has loaded the formula."""
        question, formula = self.question, self.encoding.formula
        with costs.of("load_seconds"):
            return Solver(question.solver, formula, self.meter, prove=question.prove)

    def shared_solver(self, costs: Costs) -> Solver:
        """The one that is forked for all templates."""
        if self.shared is None:
            self.shared = self.new_solver(costs)
            if self.shared.log:
                self.shared.log.share()
        return self.shared


_loaded: _Loaded | None = None


def solve_templates(
    shared: Stored,
    batch: tuple[Template, ...],
    together: bool,
    budget: int | None,
    fork_above: int = FORK_ABOVE,
) -> list[Solved]:
    """What becomes of the templates, in order, up to the first with a model or out of work. They
    have one solver `together`, or each its own."""
    costs = Costs()
    loaded = _load(shared, costs)
    formula = loaded.encoding.formula
    large = formula.n_literals > fork_above
    if not large:
        with costs.of("load_seconds"):
            formula.keep_lists()
    solve = _solve_in_a_fork if large and worker.may_fork() else _solve_anew
    cubes = [loaded.encoding.cube(template) for template in batch]
    if together:
        return _with_costs(solve(loaded, cubes, budget, costs, assume=True), costs)
    solved: list[Solved] = []
    for cube in cubes:
        solved += _with_costs(solve(loaded, [cube], budget, costs), costs)
        costs = Costs()
        if not solved[-1].refuted:
            break
    return solved


def _with_costs(solved: list[Solved], costs: Costs) -> list[Solved]:
    """What making and loading the formula cost counts with the first."""
    first = replace(solved[0], stats=costs.totals | solved[0].stats)
    return [first, *solved[1:]]


def _load(shared: Stored, costs: Costs) -> _Loaded:
    """The question's formula; made once, as long as no other question comes."""
    global _loaded
    if _loaded is not None and _loaded.digest == shared.digest:
        return _loaded
    _unload()  # two large formulas at once might not fit
    question: Question = shared.value()
    with costs.of("encode_seconds"):
        encoding = question.encode()
    meter = _Marked()
    count_formula(costs, encoding, meter)
    digest = encoding.formula.digest() if question.prove else ""
    _loaded = _Loaded(shared.digest, question, encoding, meter, digest)
    return _loaded


@atexit.register  # PySAT's solvers cannot be deleted once the interpreter is going down
def _unload() -> None:
    global _loaded
    if _loaded is not None and _loaded.shared is not None:
        _loaded.shared.close()
    _loaded = None


def _solve_all(
    loaded: _Loaded, solver: Solver, cubes: list[list[int]], budget: int | None, assume: bool
) -> list[Solved]:
    """Solve templates up to the first that is not refuted: under assumptions, or one for good."""
    assert assume or len(cubes) == 1
    solved: list[Solved] = []
    for cube in cubes:
        loaded.meter.begin(budget)
        solved.append(_solve(loaded, solver, cube, assume))
        if not solved[-1].refuted:
            break
    return solved


def _solve(loaded: _Loaded, solver: Solver, cube: list[int], assume: bool) -> Solved:
    """Solve one template."""
    meter = loaded.meter
    begin, before = time.thread_time(), solver.conflicts
    model, finished = None, True
    if not assume:
        solver.add_units(cube)
    try:
        if solver.solve(cube if assume else ()):
            model = solver.model()
    except OutOfWork:
        finished = False
    if solver.log:
        solver.log.flush()
    seconds = time.thread_time() - begin
    return Solved(
        None if model is None else loaded.encoding.decode(model),
        finished,
        meter.spent,
        tuple(meter.marks),
        loaded.encoding.formula.n_literals,
        digest=loaded.formula_digest,
        stats={"conflicts": float(solver.conflicts - before), "solve_seconds": seconds},
    )


def _solve_anew(
    loaded: _Loaded,
    cubes: list[list[int]],
    budget: int | None,
    costs: Costs,
    *,
    assume: bool = False,
) -> list[Solved]:
    """Solve templates in a new solver; one alone is proven to have no model, if that is asked."""
    with closing(loaded.new_solver(costs)) as solver:
        solved = _solve_all(loaded, solver, cubes, budget, assume)
        if solver.log and solved[0].refuted:
            return [replace(solved[0], proof=tuple(solver.proof()))]
        return solved


def _solve_in_a_fork(
    loaded: _Loaded,
    cubes: list[list[int]],
    budget: int | None,
    costs: Costs,
    *,
    assume: bool = False,
) -> list[Solved]:
    """The same in a fork of this process."""
    solver = loaded.shared_solver(costs)
    for _ in range(worker.TRIES):
        try:
            with costs.of("load_seconds"):
                solved = in_a_fork(_solve_all, loaded, solver, cubes, budget, assume)
        except worker.Killed:
            if solver.log:
                solver.log.drop()
            continue
        if solver.log and solved[0].refuted:
            return [replace(solved[0], proof=tuple(solver.proof(cubes[0])))]
        if solver.log:
            solver.log.drop()
        return solved
    raise Stopped(worker.KILLED)


def template_of(text: Any) -> Template:
    """A template that went through JSON: lists become pairs again."""
    return (template_of(text[0]), template_of(text[1])) if isinstance(text, list) else int(text)
