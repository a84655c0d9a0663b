"""Splitting by topology changes no answer, whichever way the parts are solved."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace

import pytest
from pysat.solvers import Solver

from dtfinder.bound.path_length import path_bounds
from dtfinder.data.examples import Examples
from dtfinder.decide.by_topology import FORK_ABOVE, Splitting, decide_by_topology, split
from dtfinder.decide.sat import NODES, PATHS, Answer, Question, decide
from dtfinder.run import worker
from dtfinder.run.local_pool import InlinePool
from dtfinder.search.greedy import greedy_tree
from oracle import Oracle
from small import dataset_of, random_table

BITS, LABELS = random_table(1, rows=11, features=4)
DATASET = dataset_of(BITS, LABELS)
EXAMPLES = Examples.of(DATASET)
SIZE = Oracle(BITS, LABELS).size()
assert SIZE is not None
LEAVES = (SIZE + 1) // 2


def never() -> None:
    return None


def parts_of(question: Question, splitting: Splitting, budget: int | None = None) -> Answer:
    """The answer of a pool of one."""
    with closing(InlinePool()) as pool:
        return decide_by_topology(question, splitting, never, pool, budget=budget)


def tree_size(answer: Answer) -> int | None:
    assert answer.finished
    return None if answer.nodes is None else len(answer.nodes)


@pytest.mark.parametrize("encoding", [PATHS, NODES])
@pytest.mark.parametrize("cut", [None, 0, 1, 2])
@pytest.mark.parametrize("incremental_above", [0, 500])
def test_the_parts_together_answer_the_question(
    encoding: str, cut: int | None, incremental_above: int
) -> None:
    splitting = Splitting(cut=cut, incremental_above=incremental_above)
    yes = Question(EXAMPLES, LEAVES, encoding=encoding)
    no = replace(yes, paths=LEAVES - 1)
    assert tree_size(parts_of(yes, splitting)) == SIZE
    assert tree_size(parts_of(no, splitting)) is None


@pytest.mark.parametrize("encoding", [PATHS, NODES])
@pytest.mark.parametrize("incremental_above", [1, 500])
def test_forks_of_the_solver_process_say_the_same_as_new_solvers(
    encoding: str, incremental_above: int
) -> None:
    splitting = Splitting(
        incremental_above=incremental_above,
        ordered=True,
        close_to=greedy_tree(DATASET),
        fork_above=0,
    )
    for paths in (LEAVES - 1, LEAVES):
        question = Question(EXAMPLES, paths, encoding=encoding)
        with worker.in_this_process():
            here = parts_of(question, splitting)
        for there in (
            parts_of(question, splitting),
            parts_of(question, replace(splitting, fork_above=10**9)),
        ):
            assert there.nodes == here.nodes
            assert there.work == here.work
            assert there.stats["templates"] == here.stats["templates"] > 1


@pytest.mark.parametrize("encoding", [PATHS, NODES])
@pytest.mark.parametrize("fork_above", [0, FORK_ABOVE])
def test_work_runs_out_inside_a_template(encoding: str, fork_above: int) -> None:
    question = Question(EXAMPLES, LEAVES - 1, encoding=encoding)
    loading = question.encode().formula.n_literals
    answer = parts_of(question, Splitting(fork_above=fork_above), loading + 100)
    assert not answer.finished
    assert answer.work >= loading + 100


@pytest.mark.parametrize("encoding", [PATHS, NODES])
def test_a_depth_limit_goes_with_it(encoding: str) -> None:
    depth, _ = Oracle(BITS, LABELS).depth_then_size()
    for limit in (depth - 1, depth):
        for paths in range(2, 2**limit + 1):
            question = Question(EXAMPLES, paths, limit, encoding=encoding)
            whole, parts = decide(question), parts_of(question, Splitting())
            assert tree_size(whole) == tree_size(parts)


def test_the_order_is_by_likeness_to_the_given_tree() -> None:
    question = Question(EXAMPLES, LEAVES)
    greedy = greedy_tree(DATASET)
    plain = split(question, Splitting(), LEAVES)
    ordered = split(question, Splitting(ordered=True, close_to=greedy), LEAVES)
    assert plain != ordered
    assert set(plain) == set(ordered)


@pytest.mark.parametrize("encoding", [PATHS, NODES])
def test_templates_that_the_path_bounds_rule_out_have_no_tree(encoding: str) -> None:
    """Their formulas have no model, not even without the bounds among the clauses."""
    ruled_out = 0
    for seed in range(12):
        examples = Examples.of(dataset_of(*random_table(seed, rows=10, features=5)))
        bounds = path_bounds(examples)
        question = Question(examples, max(4, bounds.leaves), encoding=encoding)
        made = question.encode()
        every = split(question, Splitting(), 9)
        kept = split(replace(question, bounds=bounds), Splitting(), 9)
        assert [each for each in every if each in kept] == kept
        with Solver(name="glucose4", bootstrap_with=list(made.formula)) as solver:
            for template in set(every) - set(kept):
                assert not solver.solve(made.cube(template))
                ruled_out += 1
    assert ruled_out > 30


def test_at_most_has_no_templates() -> None:
    with pytest.raises(ValueError, match="exactly"):
        parts_of(Question(EXAMPLES, LEAVES, at_most=True), Splitting())
