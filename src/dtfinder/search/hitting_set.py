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
        from pysat.examples.hitman import Hitman

        self._weights = weights.tolist()
        self._solver = Hitman(solver="g4", htype="sorted")
        self._found: list[int] | None = []

    def add(self, core: Iterable[int]) -> None:
        """From now on, hit this core, which has an example."""
        self._solver.hit(core, weights=self._weights)
        self._found = None

    def lightest(self) -> list[int]:
        """The examples of a lightest hitting set, ascending."""
        if self._found is None:  # without a new core it would look for another set
            self._found = sorted(self._solver.get())
        return self._found
