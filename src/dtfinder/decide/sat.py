"""One decision problem, answered by one call of a SAT solver.

'Is there a tree with P paths and depth D that classifies all examples?' becomes a
formula by one of the two encodings; a model becomes the tree, no model means there is none.
"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from functools import partial

from dtfinder.bound.path_length import NOTHING_PROVEN, PathBounds
from dtfinder.data.examples import Examples
from dtfinder.decide.proof_log import Proofs, switch_names
from dtfinder.decide.solver import Meter, OutOfWork, Solver
from dtfinder.encode.cnf import Encoding
from dtfinder.encode.nodes import encode_nodes
from dtfinder.encode.options import ALL_ON, EncodingOptions
from dtfinder.encode.paths import encode_paths
from dtfinder.nodes import Node
from dtfinder.proof import Refutation

PATHS, NODES = "paths", "nodes"


@dataclass(frozen=True)
class Question:
    """Is there a tree with exactly (or `at_most`) `paths` leaves, and at most `depth`?"""

    examples: Examples
    paths: int
    depth: int | None = None
    at_most: bool = False
    encoding: str = PATHS
    switches: EncodingOptions = ALL_ON
    bounds: PathBounds = NOTHING_PROVEN
    solver: str = "cadical195"
    cardinality: str = "kmtotalizer"
    prove: bool = False  # with the solver and cardinality of `proof_log`, and without `bounds`

    def encode(self) -> Encoding:
        """The question as a formula, with the way back."""
        encode: Callable[..., Encoding] = encode_nodes
        if self.encoding == PATHS:
            encode = partial(encode_paths, bounds=self.bounds)
        encoding = encode(
            self.examples,
            self.paths,
            self.depth,
            at_most=self.at_most,
            switches=self.switches,
            cardinality=self.cardinality,
        )
        if self.prove:
            encoding.formula.put_units_last()
        return encoding

    @property
    def least_literals(self) -> int:
        """The formula has more literals than this: those that classify the examples."""
        places = self.paths if self.encoding == PATHS else 2 * self.paths - 1
        return places * self.examples.bits.size

    def proofs_of(self, digest: str, cut: int | None = None) -> Proofs:
        """Where the proofs go that there is no such tree; `digest` is that of the formula."""
        asked = {
            "encoding": self.encoding,
            "paths": self.paths,
            "depth": self.depth,
            "at_most": self.at_most,
            "switches": switch_names(self.encoding, self.switches),
            "cut": cut,
        }
        return Proofs(asked, digest)


@dataclass(frozen=True)
class Answer:
    """`nodes` of a tree, or None: then there is none if `finished`, else the work ran out."""

    nodes: list[Node] | None
    finished: bool
    work: int
    stats: dict[str, float] = field(default_factory=dict)
    proof: Refutation | None = None  # why there is none, if the question was to prove it


class Costs:
    """CPU seconds of this thread by activity, and other counters of one answer. (Linux counts those
    of a process by the tick where there is a limit on them, and most activities take less.)"""

    def __init__(self) -> None:
        self.totals: defaultdict[str, float] = defaultdict(float)

    @contextmanager
    def of(self, activity: str) -> Iterator[None]:
        """Add the CPU time spent inside."""
        begin = time.thread_time()
        try:
            yield
        finally:
            self.totals[activity] += time.thread_time() - begin


def decide(question: Question, budget: int | None = None) -> Answer:
    """The answer to `question`, at the cost of at most (about) `budget` solver steps."""
    meter, costs = Meter(budget), Costs()
    nodes, finished, proof = None, True, None
    try:
        meter.check(question.least_literals)
        with costs.of("encode_seconds"):
            encoding = question.encode()
        count_formula(costs, encoding, meter)
        with costs.of("load_seconds"):
            solver = Solver(question.solver, encoding.formula, meter, prove=question.prove)
        with closing(solver), costs.of("solve_seconds"):
            try:
                if solver.solve():
                    nodes = encoding.decode(solver.model())
                elif question.prove:
                    proofs = question.proofs_of(encoding.formula.digest())
                    proofs.add(None, solver.proof())
                    proof = proofs.refutation()
            finally:
                costs.totals["conflicts"] += solver.conflicts
    except OutOfWork:
        finished = False
    return Answer(nodes, finished, meter.spent, dict(costs.totals), proof)


def count_formula(costs: Costs, encoding: Encoding, meter: Meter) -> None:
    """Note the size of a formula; loading it is work."""
    meter.spent += encoding.formula.n_literals
    costs.totals["formulas"] += 1
    costs.totals["clauses"] += encoding.formula.n_clauses
    costs.totals["variables"] += encoding.formula.top
