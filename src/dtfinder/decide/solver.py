"""A PySAT solver that loads formulas quickly, counts its work and stops by that count.

Work is what makes runs repeatable: the literals of the formula plus the steps of unit propagation.
Solving goes in slices of conflicts whose length depends on the work that is left, never on the
clock, so a run with a budget ends at the same point everywhere. Short slices are slow, since
CaDiCaL tidies up at every start, and a long one overshoots the budget: so they are long until the
budget comes to its end, by what a conflict has cost so far.

Only `solve_limited` is used: in PySAT, CaDiCaL's `solve` after `conf_budget` answers False on
satisfiable formulas. Solvers that cannot be limited (lingeling) solve in one go, and so does one
that cannot go on after an answer (kissat).
"""

from __future__ import annotations

import gc
from collections import deque
from collections.abc import Sequence
from functools import partial

from dtfinder.decide.proof_log import ProofLog
from dtfinder.encode.cnf import Formula

LONGEST, FIRST, SHORTEST = 20_000, 2_000, 100  # conflicts in a slice
STEPS_A_CONFLICT = 500  # until it is known
ONE_SHOT = ("kissat",)  # the beginnings of names


class OutOfWork(Exception):
    """The budget of a solver is used up."""


class Meter:
    """Counts work against a budget; None is no end."""

    def __init__(self, budget: int | None) -> None:
        self.budget, self.spent = budget, 0

    @property
    def left(self) -> int | None:
        """The work that is left, or None without a budget."""
        return None if self.budget is None else max(0, self.budget - self.spent)

    def check(self, ahead: int = 0) -> None:
        """Raise OutOfWork once the budget is used up, or would be by `ahead` more steps."""
        if self.budget is not None and self.spent + ahead >= self.budget:
            raise OutOfWork


class Solver:
    """One PySAT solver with one formula; close it."""

    def __init__(self, name: str, formula: Formula, meter: Meter, *, prove: bool = False) -> None:
        from pysat.solvers import Solver as PySolver

        self._meter = meter
        self.one_shot = name.startswith(ONE_SHOT)
        self._limited = not self.one_shot
        self._before = 0
        self.conflicts = 0
        self._solver = PySolver(name=name)
        self.log = ProofLog(self._solver) if prove else None
        self._clauses = formula.n_clauses
        self._load(formula)

    def _load(self, formula: Formula) -> None:
        """Add all clauses, past PySAT's outer layer (of CaDiCaL, past the inner one, too), and
        without looking for garbage in the lists that come and go: some 35% less time, and loading
        is what small formulas cost most."""
        inner = getattr(self._solver, "solver", self._solver)
        add = inner.add_clause
        if native := getattr(inner, "cadical", None):
            import pysolvers

            add = partial(getattr(pysolvers, f"{type(inner).__name__.lower()}_add_cl"), native)
        collects = gc.isenabled()
        gc.disable()
        try:
            deque(map(add, formula), maxlen=0)
        finally:
            if collects:
                gc.enable()

    def add_units(self, literals: Sequence[int]) -> None:
        """Make all the literals true for good."""
        for literal in literals:
            self._solver.add_clause([literal])
        self._clauses += len(literals)

    def solve(self, assumptions: Sequence[int] = ()) -> bool:
        """Whether there is a model in which all assumptions are true."""
        while True:
            self._meter.check()
            answer = self._some(list(assumptions))
            self._count()
            if answer is not None:
                return answer

    def model(self) -> list[int]:
        """The model that `solve` found."""
        found: list[int] = self._solver.get_model()
        return found

    def proof(self, units: Sequence[int] = ()) -> list[bytes]:
        """Why there is no model, as lines of LRAT in pieces, if proofs are traced. `units` are
        those that were added in a fork of this process only."""
        return [] if self.log is None else self.log.take(self._clauses + len(units))

    def _some(self, assumptions: list[int]) -> bool | None:
        answer: bool | None
        if self._limited:
            try:
                self._solver.conf_budget(self._slice())
                answer = self._solver.solve_limited(assumptions=assumptions)
                return answer
            except NotImplementedError:
                self._limited = False
        answer = self._solver.solve(assumptions=assumptions)
        return answer

    def _slice(self) -> int:
        """How many conflicts to ask for at once."""
        left = self._meter.left
        if left is None:
            return LONGEST
        longest = LONGEST if self.conflicts else FIRST
        steps = max(STEPS_A_CONFLICT, self._before // max(1, self.conflicts))
        return max(SHORTEST, min(longest, left // steps))

    def _count(self) -> None:
        try:
            stats = self._solver.accum_stats() or {}
        except NotImplementedError:
            stats = {}
        steps = int(stats.get("propagations", 0) + stats.get("decisions", 0))
        self.conflicts = int(stats.get("conflicts", 0))
        self._before, spent = steps, steps - self._before
        self._meter.spent += max(1, spent)

    def close(self) -> None:
        """Delete the solver."""
        self._solver.delete()
