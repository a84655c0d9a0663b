"""The lightest set of examples that hits every core, as cores are added one by one.

Each core is a clause, 'one of these', each example a soft clause, 'not this one', with its weight:
a MaxSAT problem that RC2 solves core by core (Ignatiev, Morgado, Marques-Silva, RC2, JSAT 2019). It
keeps what it learned when clauses are added, so that hundreds of hitting sets take no longer than a
few. On cores of real tables an integer program took a hundred times as long.

Where weights have few values, RC2 finds about one core of its own for each that is added. Where all
weights differ, as random numbers or those of boosting do, each of its cores splits them anew: three
dozen examples kept it busy for minutes, deaf to signals, in gigabytes of memory. So it may find
`MOST_CORES` for a hitting set. Beyond them there is no answer, and the caller must do without.
"""

from __future__ import annotations

from collections.abc import Iterable

from dtfinder.data.dataset import Ints

MOST_CORES = 200  # about half a second
MOST_STEPS = 10_000_000  # propagations in one question to the SAT solver, a second or two


class HittingSet:
    """`weights` are those of the examples, all positive. `found_cores` is how many cores RC2 found
    for the latest answer."""

    def __init__(self, weights: Ints) -> None:
        from pysat.examples.hitman import Hitman

        self._weights = weights.tolist()
        self._solver = Hitman(solver="g4", htype="sorted")
        self._found: list[int] | None = []
        self.found_cores = 0
        search = self._solver.oracle
        self._process_core = search.process_core
        search.process_core = self._next_core

    def _next_core(self) -> None:
        """RC2 found a core."""
        self.found_cores += 1
        if self.found_cores > MOST_CORES:
            raise _TooManyCores
        self._process_core()

    def add(self, core: Iterable[int]) -> None:
        """From now on, hit this core, which has an example."""
        self._solver.hit(core, weights=self._weights)
        self._found = None

    def lightest(self) -> list[int] | None:
        """The examples of a lightest hitting set, ascending; None if they take too long to find,
        and then do not ask again."""
        if self._found is None:  # without a new core it would look for another set
            self.found_cores = 0
            self._solver.oracle.oracle.prop_budget(MOST_STEPS)
            try:
                found = self._solver.get()
            except _TooManyCores:
                return None
            self._found = None if found is None else sorted(found)
        return self._found


class _TooManyCores(Exception):
    pass
