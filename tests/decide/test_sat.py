"""One decision problem: answers, work, determinism."""

from __future__ import annotations

import numpy as np
import pytest

from dtfinder.data.examples import Examples
from dtfinder.decide.sat import NODES, PATHS, Question, decide
from dtfinder.nodes import leaves_reached
from oracle import Oracle
from small import dataset_of, random_table

SOLVERS = ["cadical195", "cadical153", "glucose3", "glucose4", "minisat22", "lingeling"]


def examples_of(seed: int, **shape: int) -> tuple[Examples, int]:
    bits, labels = random_table(seed, **shape)
    size = Oracle(bits, labels).size()
    assert size is not None
    return Examples.of(dataset_of(bits, labels)), (size + 1) // 2


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("encoding", [PATHS, NODES])
def test_every_solver_answers_both_ways(solver: str, encoding: str) -> None:
    examples, leaves = examples_of(3, rows=12)
    question = Question(examples, leaves, encoding=encoding, solver=solver)
    yes = decide(question)
    assert yes.finished
    assert yes.nodes is not None
    assert len(yes.nodes) == 2 * leaves - 1
    labels = np.array([node.label for node in yes.nodes])
    assert np.array_equal(labels[leaves_reached(yes.nodes, examples.bits)], examples.labels)
    no = decide(Question(examples, leaves - 1, encoding=encoding, solver=solver))
    assert no.finished
    assert no.nodes is None


def test_costs_are_told() -> None:
    examples, leaves = examples_of(3, rows=12)
    answer = decide(Question(examples, leaves))
    assert answer.work > answer.stats["clauses"] > 0
    assert {"encode_seconds", "load_seconds", "solve_seconds", "conflicts"} <= set(answer.stats)


def test_a_budget_ends_it_at_the_same_point_every_time() -> None:
    random = np.random.RandomState(0)
    bits, labels = random.rand(40, 12) < 0.5, random.randint(2, size=40)
    examples = Examples.of(dataset_of(bits, labels))
    budget = 300_000
    answers = [decide(Question(examples, 8), budget) for _ in range(2)]
    assert not answers[0].finished
    assert answers[0].nodes is None
    assert budget <= answers[0].work < 2 * budget
    assert answers[0].work == answers[1].work


def test_what_cannot_be_loaded_within_the_budget_is_not_even_encoded() -> None:
    examples, leaves = examples_of(3, rows=12)
    question = Question(examples, leaves)
    assert question.least_literals < question.encode().formula.n_literals
    answer = decide(question, question.least_literals)
    assert (answer.finished, answer.work, answer.stats) == (False, 0, {})
