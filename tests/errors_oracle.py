"""Brute force for trees that may err: the fewest errors for every size and depth."""

from __future__ import annotations

from functools import cache

import numpy as np

NEVER = 10**9


class ErrorsOracle:
    """All values E(inner nodes, depth) of a small table, by trying every split."""

    def __init__(self, bits: np.ndarray, weights: np.ndarray) -> None:
        """`weights` are examples × classes."""
        self.rows, self.features = bits.shape
        self._ones = [
            sum(1 << row for row in range(self.rows) if bits[row, f]) for f in range(self.features)
        ]
        self._weights: list[list[int]] = weights.tolist()
        self._fewest = cache(self._search)

    def leaf(self, rows: int) -> int:
        """The errors of one leaf for these rows."""
        inside = [self._weights[row] for row in range(self.rows) if rows >> row & 1]
        totals = [sum(each) for each in zip(*inside, strict=True)] or [0]
        return int(sum(totals) - max(totals))

    def errors(self, inner: int, depth: int | None = None) -> int:
        """The fewest errors of a tree within the limits."""
        everything = (1 << self.rows) - 1
        return int(self._fewest(everything, inner, self.rows if depth is None else depth))

    def _search(self, rows: int, inner: int, depth: int) -> int:
        best = self.leaf(rows)
        if inner == 0 or depth == 0 or best == 0:
            return best
        for ones in self._ones:
            one, zero = rows & ones, rows & ~ones
            if not one or not zero:
                continue
            for left in range(inner):
                lost = self._fewest(one, left, depth - 1)
                if lost < best:
                    best = min(best, lost + self._fewest(zero, inner - 1 - left, depth - 1))
        return best

    def size(self, errors: int, depth: int | None = None) -> int | None:
        """The fewest inner nodes of a tree with at most so many errors."""
        sizes = range(self.rows)
        return next((n for n in sizes if self.errors(n, depth) <= errors), None)
