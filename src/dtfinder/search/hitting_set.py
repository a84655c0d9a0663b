"""The lightest set of examples that hits every core, as cores are added one by one.

Each core is a clause, 'one of these', each example a soft clause, 'not this one', with its weight:
a MaxSAT problem that RC2 solves core by core (Ignatiev, Morgado, Marques-Silva, RC2, JSAT 2019). It
keeps what it learned when clauses are added, so that hundreds of hitting sets take no longer than a
few. On cores of real tables an integer program took a hundred times as long.
"""

from __future__ import annotations

from collections.abc import Iterable

from dtfinder.data.dataset import Ints


class HittingSet:
    """`weights` are those of the examples, all positive."""

    def __init__(self, weights: Ints) -> None:
        from pysat.examples.rc2 import RC2
        from pysat.formula import WCNF

        self._weights = weights
        self._solver = RC2(WCNF(), solver="g4")
        self._variables: dict[int, int] = {}  # by example; variables are numbered from 1
        self._found: list[int] | None = []

    def add(self, core: Iterable[int]) -> None:
        """From now on, hit this core, which has an example."""
        self._found = None
        clause, new = [], []
        for example in core:
            if example not in self._variables:
                self._variables[example] = len(self._variables) + 1
                new.append(example)
            clause.append(self._variables[example])
        self._solver.add_clause(clause)
        for example in new:
            self._solver.add_clause([-self._variables[example]], int(self._weights[example]))

    def lightest(self) -> list[int]:
        """The examples of a lightest hitting set, ascending."""
        if self._found is None:  # without a new clause RC2 would look for another model
            model = set(self._solver.compute())
            self._found = sorted(e for e, name in self._variables.items() if name in model)
        return self._found
