"""The formula builder: families, cardinalities by template, loading."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from dtfinder.encode.cnf import Formula, truth
from encode.models import CARDINALITIES


def test_a_family_is_broadcast() -> None:
    formula = Formula()
    a, b = formula.variables(2, 2), formula.variables(2)
    formula.add(-a, b[:, None])
    assert list(formula) == [[-1, 5], [-2, 5], [-3, 6], [-4, 6]]
    assert (formula.top, formula.n_clauses, formula.n_literals) == (6, 4, 8)


def test_rows_are_joined() -> None:
    formula = Formula()
    a, b = formula.variables(2, 3), formula.variables(2)
    formula.add_rows(b[:, None], -a)
    assert list(formula) == [[7, -1, -2, -3], [8, -4, -5, -6]]


def test_kept_lists_are_the_same_clauses() -> None:
    formula = Formula()
    formula.exactly_one(formula.variables(3, 5))
    before = list(formula)
    formula.keep_lists()
    assert list(formula) == list(formula) == before
    assert formula.n_clauses == len(before)
    assert formula.n_literals == sum(map(len, before))


def test_empty_families_leave_no_trace() -> None:
    formula = Formula()
    formula.add(formula.variables(0))
    formula.at_most_one(formula.variables(3, 1))
    assert list(formula) == []


@pytest.mark.parametrize("name", CARDINALITIES)
@pytest.mark.parametrize("length", [1, 2, 3, 7])
def test_cardinalities_hold_in_every_row_and_rows_are_independent(name: str, length: int) -> None:
    from pysat.solvers import Solver

    formula = Formula(name)
    most, exact = formula.variables(1, length), formula.variables(2, length)
    formula.at_most_one(most)
    formula.exactly_one(-exact)
    with Solver(name="glucose4", bootstrap_with=list(formula)) as solver:
        for flags in product([False, True], repeat=length):
            signs = np.where(flags, 1, -1)
            assert solver.solve((most[0] * signs).tolist()) == (sum(flags) <= 1)
            for row in exact:
                assert solver.solve((row * signs).tolist()) == (length - sum(flags) == 1)


def test_truth_takes_what_a_model_leaves_out_as_false() -> None:
    assert truth([1, -2, 9], 4).tolist() == [False, True, False, False, False]
