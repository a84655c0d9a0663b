"""What several engines have found out about one problem, put together.

Every engine's bound is proven and every tree is correct, so the best of each is what the run knows,
whichever engines they came from.
"""

from __future__ import annotations

from dataclasses import dataclass

from dtfinder._core import Engine
from dtfinder.problem import SIZE, Event, Problem
from dtfinder.search.cores import closes
from dtfinder.search.greedy import first_bounds
from dtfinder.tree import Node, depth_of


@dataclass(frozen=True)
class Found:
    """What one engine knows: bounds (in inner nodes, and depth) and a tree, empty for none."""

    lower: int
    depth_lower: int
    tree: tuple[Node, ...]
    done: bool
    infeasible: bool

    @classmethod
    def by(cls, engine: Engine) -> Found:
        """What `engine` knows now."""
        tree = tuple(Node(*node) for node in engine.tree())
        return cls(engine.lower, engine.depth_lower, tree, engine.done, engine.infeasible)


class Tally:
    """The best of what engines found."""

    def __init__(self, problem: Problem, certify: bool) -> None:
        self._problem, self._certify = problem, certify
        self.bounds = first_bounds(problem.dataset)
        self.best: tuple[Node, ...] = ()
        self._lower = 0
        self.ended = False  # whether there is nothing left to find out

    def take(self, found: Found) -> Event | None:
        """The event that follows, if any. With `certify`, one that closes the gap before the lemmas
        do is held back. The lemmas of a least size are complete when any engine's bound meets the
        tree of any other, those of a least depth when an engine is done."""
        self.bounds = self.bounds.raised(2 * found.lower + 1, found.depth_lower)
        if found.tree and (not self.best or self._rank(found.tree) < self._rank(self.best)):
            self.best = found.tree
        self._lower = max(self._lower, found.lower)
        proven = self._problem.minimise == SIZE and 2 * self._lower + 1 == len(self.best)
        self.ended = found.done or proven
        closed = closes(self.bounds, list(self.best), self._problem)
        if self._certify and closed and not self.ended:
            return None
        return Event(self.bounds, list(self.best) or None, infeasible=found.infeasible)

    def _rank(self, tree: tuple[Node, ...]) -> tuple[int, int]:
        size, depth = len(tree), depth_of(tree)
        return (size, depth) if self._problem.minimise == SIZE else (depth, size)
