"""What tests of the encodings share: examples made by hand, and a model of a formula."""

from __future__ import annotations

import numpy as np
from pysat.solvers import Solver

from dtfinder.data.examples import Examples
from dtfinder.encode.cnf import Encoding

CARDINALITIES = [
    "pairwise",
    "seqcounter",
    "sortnetwrk",
    "cardnetwrk",
    "bitwise",
    "ladder",
    "totalizer",
    "mtotalizer",
    "kmtotalizer",
]


def examples_of(bits: object, labels: object) -> Examples:
    """Examples with these bits, each of one class."""
    found = np.array(bits, dtype=bool)
    marks = np.array(labels)
    return Examples(found, marks, np.arange(found.shape[1]), np.arange(marks.max() + 1))


def model_of(encoding: Encoding) -> list[int] | None:
    """A model of the formula, if it has one."""
    with Solver(name="glucose4", bootstrap_with=list(encoding.formula)) as solver:
        return solver.get_model() if solver.solve() else None
