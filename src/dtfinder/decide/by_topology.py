"""One decision problem, split by topology templates into many easier ones.

The formula is the same for all templates; each adds the cube of its template. With few templates
every one gets a new solver, to which its cube is added as unit clauses: the solver simplifies the
formula by them, and nothing that it learns has to hold for other templates. With many, one solver
takes the cubes as assumptions, one after the other.

A new solver costs as much to load as the first one did, many times what it takes to refute an easy
template. Inside a solver process nothing is loaded again: the process forks, the child adds the
cube to its copy of the loaded solver, and hands the outcome back through a pipe.
"""

from __future__ import annotations

import time
from dataclasses import dataclass

from dtfinder.decide.sat import PATHS, Answer, Costs, Question, count_formula
from dtfinder.decide.solver import Meter, OutOfWork, Solver
from dtfinder.encode.cnf import Formula
from dtfinder.encode.topologies import (
    Template,
    best_cut,
    by_difference,
    sized_templates,
    templates,
)
from dtfinder.run import worker
from dtfinder.run.fork import in_a_fork
from dtfinder.tree import Nodes


@dataclass(frozen=True)
class Splitting:
    """How deep to split, in which order, and how to solve the parts."""

    cut: int | None = None  # by default as deep as fits into `max_templates`
    max_templates: int = 500
    incremental_above: int = 500
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
    """The templates of all trees up to `depth` that the question asks about."""
    n, sized = 2 * question.paths - 1, question.encoding == PATHS
    cut = cut_off(question, splitting, depth)
    found = (sized_templates if sized else templates)(n, cut, depth)
    if splitting.ordered and splitting.close_to is not None:
        return by_difference(found, splitting.close_to, n, splitting.decay)
    return found


def decide_by_topology(
    question: Question, splitting: Splitting, budget: int | None = None
) -> Answer:
    """The answer to a question about exactly P paths, one template after the other."""
    if question.at_most:
        raise ValueError("templates have a fixed number of paths: ask for exactly so many")
    meter, costs = Meter(budget), Costs()
    nodes, finished, proofs = None, True, None
    try:
        meter.check(question.least_literals)
        with costs.of("encode_seconds"):
            encoding = question.encode()
            parts = split(question, splitting, encoding.depth)
            cubes = [encoding.cube(template) for template in parts]
            proofs = question.proofs(encoding, cut_off(question, splitting, encoding.depth))
        count_formula(costs, encoding, meter)
        costs.totals["templates"] += len(cubes)
        with costs.of("load_seconds"):
            solver = Solver(question.solver, encoding.formula, meter, prove=question.prove)
        with solver:
            if solver.log:
                solver.log.share()
            # A proof under assumptions ends in their negation, not in the empty clause.
            fresh = question.prove or solver.one_shot
            one_solver = len(cubes) > splitting.incremental_above and not fresh
            for template, cube in zip(parts, cubes, strict=True):
                proof: list[bytes] = []
                if one_solver:
                    with costs.of("solve_seconds"):
                        model = solver.model() if solver.solve(cube) else None
                elif worker.inside():
                    model, proof = _in_a_fork(solver, cube, meter, costs)
                else:
                    model, proof = _in_a_new_solver(question, encoding.formula, cube, meter, costs)
                if model is not None:
                    nodes = encoding.decode(model)
                    break
                if proofs:
                    proofs.add(template, proof)
            costs.totals["conflicts"] += solver.conflicts
    except OutOfWork:
        finished = False
    proven = proofs.refutation() if proofs and finished and nodes is None else None
    return Answer(nodes, finished, meter.spent, dict(costs.totals), proven)


def _in_a_new_solver(
    question: Question, formula: Formula, cube: list[int], meter: Meter, costs: Costs
) -> tuple[list[int] | None, list[bytes]]:
    """A model under the cube, or None and the proof, from a solver of its own."""
    with costs.of("load_seconds"):
        solver = Solver(question.solver, formula, meter, prove=question.prove)
    with solver, costs.of("solve_seconds"):
        solver.add_units(cube)
        if solver.solve():
            return solver.model(), []
        return None, solver.proof()


def _in_a_fork(
    solver: Solver, cube: list[int], meter: Meter, costs: Costs
) -> tuple[list[int] | None, list[bytes]]:
    """The same from a copy of the loaded solver, in a copy of this process."""
    under = in_a_fork(_under_cube, solver, cube, meter)
    model, finished, meter.spent, conflicts, seconds = under
    costs.totals["conflicts"] += conflicts
    costs.totals["solve_seconds"] += seconds
    if not finished:
        raise OutOfWork
    return model, solver.proof(cube) if model is None else []


def _under_cube(
    solver: Solver, cube: list[int], meter: Meter
) -> tuple[list[int] | None, bool, int, int, float]:
    """What the child of a fork reports: model, whether it finished, work, conflicts, seconds."""
    begin = time.process_time()
    model, finished = None, True
    solver.add_units(cube)
    try:
        if solver.solve():
            model = solver.model()
    except OutOfWork:
        finished = False
    if solver.log:
        solver.log.flush()
    return model, finished, meter.spent, solver.conflicts, time.process_time() - begin
