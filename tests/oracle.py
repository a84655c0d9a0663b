"""An independent judge: optimal trees by exhaustive recursion over subsets of examples.

It shares nothing with dtfinder but the meaning of the question, and knows no trick: it is right
because there is nothing in it that could be wrong.
"""

from __future__ import annotations

from functools import lru_cache
from typing import overload

import numpy as np

NEVER = 10**9


class Oracle:
    """Optimal sizes for a table of bits with one label per row, or with a row of booleans that say
    which classes it allows."""

    def __init__(self, bits: np.ndarray, labels: np.ndarray) -> None:
        self._columns = [
            sum(1 << row for row in range(len(bits)) if bits[row, f]) for f in range(bits.shape[1])
        ]
        if labels.ndim == 1:
            labels = np.array([[label == k for k in set(labels)] for label in labels])
        self._classes = [
            sum(1 << row for row in range(len(labels)) if labels[row, k])
            for k in range(labels.shape[1])
        ]
        self._all = (1 << len(bits)) - 1
        self._size = lru_cache(maxsize=None)(self._least_size)

    @overload
    def size(self) -> int: ...
    @overload
    def size(self, max_depth: int | None) -> int | None: ...
    def size(self, max_depth: int | None = None) -> int | None:
        """The fewest nodes of a correct tree with at most this depth, or None."""
        depth = len(self._columns) if max_depth is None else max_depth
        found = self._size(self._all, depth)
        return None if found >= NEVER else found

    def depth_then_size(self) -> tuple[int, int]:
        """The least depth, and the fewest nodes at this depth."""
        for depth in range(len(self._columns) + 1):
            if (nodes := self.size(depth)) is not None:
                return depth, nodes
        raise AssertionError("examples contradict each other")

    def _least_size(self, inside: int, depth: int) -> int:
        if any(inside & ~members == 0 for members in self._classes):
            return 1
        if depth == 0:
            return NEVER
        best = NEVER
        for column in self._columns:
            zero, one = inside & ~column, inside & column
            if zero and one:
                best = min(best, 1 + self._size(zero, depth - 1) + self._size(one, depth - 1))
        return min(best, NEVER)
