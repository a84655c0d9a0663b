"""What a solver traces while it refutes, on its way to the certificate."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from itertools import product

import pytest
from pysat.solvers import Solver

from dtfinder.certify import check_sat
from dtfinder.decide.proof_log import SOLVER, ProofLog

SIGNS = list(product((1, -1), repeat=4))
# All clauses over four variables: no assignment satisfies all of them.
FORMULA = [[v * s for v, s in zip(range(1, 5), signs, strict=True)] for signs in SIGNS]


@pytest.fixture
def refuted() -> Iterator[ProofLog]:
    """The log of a solver that has just refuted the formula."""
    with Solver(name=SOLVER) as solver:
        log = ProofLog(solver)
        for clause in FORMULA:
            solver.add_clause(clause)
        assert solver.solve_limited() is False
        yield log


def test_the_proof_of_a_refutation_can_be_checked(refuted: ProofLog) -> None:
    lines = b"".join(refuted.take(len(FORMULA))).decode().splitlines()
    check_sat.check_lrat(FORMULA, lines)


@pytest.mark.skipif(sys.platform != "linux", reason="the stream is left as it is elsewhere")
def test_nothing_is_written_line_by_line(refuted: ProofLog) -> None:
    """Line ends are all over a binary proof, and each cost a system call."""
    assert os.fstat(refuted._file).st_size == 0
    refuted.flush()
    assert b"\n" in refuted._read()
