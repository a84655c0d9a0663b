"""The checker with its loop over lemmas compiled, for proofs of hundreds of thousands of them.

check.py does everything else: the table, its features, the tree, the claim and all other proofs.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import inf
from pathlib import Path

import numpy as np

from dtfinder._check import INFINITE, check_lemmas
from dtfinder.certify import check


def check_compiled(certificate: str | Path, table: str | Path) -> str:
    """As `check.check`, with the lemmas of a certificate checked by compiled code."""
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

    def read(self, lines: Iterable[str]) -> None:
        """Check lemma after lemma."""
        text = bytearray()
        for line in lines:
            text += line.encode() + b"\n"
            self._lines += 1
            if not line:  # this is not a lemma, so the rest does not matter
                break
        found = check_lemmas(*self._table, bytes(text))
        self._best = {_number(limit): _number(bound) for limit, bound in found.items()}

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
        return check.counted_words(self._lines, "lemma")


def _number(value: int) -> float:
    return inf if value >= INFINITE else value
