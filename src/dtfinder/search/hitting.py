"""Bounds on errors from cores: the errors of a tree hit every core that is too large for it.

A core is a set of examples that needs more than n inner nodes. A tree with n inner nodes gets at
least one example of each such core wrong, so its errors weigh at least as much as the lightest set
of examples that hits all of them: a hitting set. And where a hitting set leaves a table that n
inner nodes classify, the bound is reached. So cores are collected until one of two things happens:
the lightest hitting set weighs as much as the errors of the best tree known, or what it leaves has
a tree. Cores for n serve every smaller size.

This is strong where few errors are left, at the right end of a front, and weak beyond a handful;
there, counting is strong. The hitting sets are solved by HiGHS, the questions about subsets are
answered by the exact engine, which keeps what it learns from one to the next.

An example weighs what a wrong class for it costs beyond the unavoidable errors: the rows of its
class less those of the second most frequent one. With a tie it weighs nothing, and the bound holds.
"""

from __future__ import annotations

import numpy as np

from dtfinder._core import NO_LIMIT, FrontEngine, Goal, Switches, make_engine, make_questions
from dtfinder.data.dataset import Bits, Ints

MEMORY = 200_000_000  # bytes for what the engine learns about subsets
FEWEST = 4  # inner nodes: smaller trees are counted in no time
MOST = 8  # examples in a hitting set: beyond, counting is the better way
TREE_STEPS = 20_000_000  # to build the tree that a hitting set leaves


class HittingSets:
    """Raises the bounds of a counting engine from the right end of its front."""

    def __init__(
        self, bits: Bits, labels: Ints, weights: Ints, max_depth: int | None, size: int
    ) -> None:
        """`weights` are those of each class for each example. No tree of `size` inner nodes or
        fewer is without avoidable errors."""
        self._bits, self._labels = bits, np.ascontiguousarray(labels, dtype=np.int64)
        ordered = np.sort(weights, axis=1)
        self._unavoidable = int((weights.sum(axis=1) - ordered[:, -1]).sum())
        self._weights = ordered[:, -1] - (ordered[:, -2] if ordered.shape[1] > 1 else 0)
        self._limit = NO_LIMIT if max_depth is None else min(max_depth, NO_LIMIT)
        self._questions = make_questions(bits, self._labels, self._limit, MEMORY)
        self._cores: list[tuple[int, Ints]] = []  # inner nodes that are too few, and examples
        self._size = size
        self._rest: Ints | None = None  # the examples that are asked about
        self.done = False

    def run(self, steps: int, counting: FrontEngine) -> None:
        """Work for about so many steps."""
        if self._rest is None:
            self._choose(counting)
        if self._rest is None:
            return
        answer = self._questions.run(steps)
        if answer is None:
            return
        if answer:
            self._cores.append((self._size, np.array(self._questions.core(), dtype=np.int64)))
        else:
            self._offer_tree(counting)
            self._size -= 1
        self._rest = None

    def _choose(self, counting: FrontEngine) -> None:
        """Find the lightest hitting set for the largest size that is open, and ask about the rest.
        Ends where counting is the better way."""
        points = {inner: (lower, upper) for inner, lower, upper in counting.points()}
        while self._size >= FEWEST:
            lower, upper = points.get(self._size, (0, 0))
            if lower < upper:
                hit = self._hitting_set()
                if len(hit) > MOST:
                    break
                errors = self._unavoidable + int(self._weights[hit].sum())
                counting.raise_lower(self._size, errors)
                if errors < upper:
                    self._rest = np.setdiff1d(np.arange(len(self._labels)), hit)
                    asked = self._rest.tolist()
                    self._questions.ask(asked, self._size + 1, self._limit, False)
                    return
            self._size -= 1
        self.done = True

    def _hitting_set(self) -> Ints:
        """The lightest set of examples that hits all cores too large for the size."""
        cores = [core for size, core in self._cores if size >= self._size]
        if not cores:
            return np.array([], dtype=np.int64)
        from scipy.optimize import Bounds, LinearConstraint, milp
        from scipy.sparse import csr_matrix

        inside = np.unique(np.concatenate(cores))
        places = np.searchsorted(inside, np.concatenate(cores))
        starts = np.cumsum([0, *map(len, cores)])
        hits = csr_matrix((np.ones(len(places)), places, starts), shape=(len(cores), len(inside)))
        found = milp(
            self._weights[inside].astype(float),
            constraints=LinearConstraint(hits, lb=1),
            integrality=np.ones(len(inside)),
            bounds=Bounds(0, 1),
        )
        if found.x is None:  # it gave up: no hitting set is known to be the lightest
            return np.arange(len(self._labels))
        return np.asarray(inside[found.x > 0.5], dtype=np.int64)

    def _offer_tree(self, counting: FrontEngine) -> None:
        """The rest has a tree of this size: find it, and let the counting engine weigh it."""
        assert self._rest is not None
        goal = Goal()
        goal.max_inner, goal.max_depth = self._size, min(goal.max_depth, self._limit)
        classes, labels = np.unique(self._labels[self._rest], return_inverse=True)
        bits = np.ascontiguousarray(self._bits[self._rest])
        engine = make_engine(bits, labels.astype(np.int64), goal, Switches())
        while not engine.tree() and not engine.done and engine.steps < TREE_STEPS:
            engine.run(TREE_STEPS // 100)
        if tree := engine.tree():
            named = [[f, z, o, int(classes[c]) if f < 0 else c] for f, z, o, c in tree]
            counting.offer(named)
