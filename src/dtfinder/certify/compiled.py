"""The checker with its loop over lemmas compiled, for proofs of hundreds of thousands of them.

All the rest (table, features, tree, claim) is done by check.py, and so are all other proofs.
"""

from __future__ import annotations

from math import inf
from pathlib import Path

import numpy as np

from dtfinder._check import INFINITE, check_lemmas
from dtfinder.certify import check


def check_compiled(certificate: str | Path, table: str | Path) -> str:
    """As `check.check`, for certificates by lemmas; others are left to it."""
    return check.check(str(certificate), str(table), _Lemmas)


class _Lemmas:
    """What the lemmas prove, as `check.Lemmas` says it."""

    def __init__(self, data: check.Examples) -> None:
        n = len(data.labels)
        width = (n + 7) // 8
        packed = b"".join(mask.to_bytes(width, "little") for mask in data.masks)
        rows = np.frombuffer(packed, dtype=np.uint8).reshape(len(data.masks), width)
        bits = np.unpackbits(rows, axis=1, bitorder="little", count=n).T.astype(bool)
        example_of_row = np.full(data.rows, -1, dtype=np.int64)
        example_of_row[list(data.example_of_row)] = list(data.example_of_row.values())
        labels = np.array(data.labels, dtype=np.int64)
        self._classes = len(set(data.labels))
        self._table = np.ascontiguousarray(bits), labels, example_of_row
        self._lines, self._best = 0, dict[float, float]()

    def read(self, lines: list[str]) -> None:
        """Check lemma after lemma."""
        found = check_lemmas(*self._table, "".join(f"{line}\n" for line in lines).encode())
        self._best = {_number(limit): _number(bound) for limit, bound in found.items()}
        self._lines = len(lines)

    def leaves(self, limit: float) -> float:
        """Every tree of depth at most `limit` has at least so many leaves."""
        least: float = self._classes - 1
        for holds_to, bound in self._best.items():
            if holds_to >= limit:
                least = max(least, bound)
            elif bound == inf:
                least = max(least, holds_to + 1)
        return check.lift(least, limit) + 1

    def summary(self) -> str:
        """What was checked, in a few words."""
        return f"{self._lines} lemma{'s' * (self._lines != 1)}"


def _number(value: int) -> float:
    return inf if value >= INFINITE else value
