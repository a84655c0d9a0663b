"""The checker with its loop over lemmas compiled, for proofs of hundreds of thousands of them.

check.py does everything else: the table, its features, the tree, the claim and all other proofs.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from math import inf
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dtfinder._check import INFINITE, check_errors, check_lemmas
from dtfinder.certify import check

FEW_EXAMPLES = 4096


def check_compiled(certificate: str | Path, table: str | Path) -> str:
    """As `check.check`, with the lemmas of a certificate checked by compiled code."""
    return check.check(str(certificate), str(table), _Lemmas, _ErrorLemmas)


class _Lemmas:
    """What the lemmas prove, as `check.Lemmas` says it."""

    def __init__(self, data: check.Examples) -> None:
        labels = np.array(data.labels, dtype=np.int64)
        self._leaves = data.least_leaves()
        self._allowed: NDArray[np.bool_] | None = None
        if data.several:
            self._allowed = np.zeros((len(data.allowed), len(data.classes)), dtype=bool)
            for label, allowed in enumerate(data.allowed):
                self._allowed[label, list(allowed)] = True
        self._table = _bits(data), labels, _example_of_row(data)
        self._lines, self._best = 0, dict[float, float]()

    def read(self, lines: Iterable[str]) -> None:
        """Check lemma after lemma."""
        text, self._lines = _text(lines)
        found = check_lemmas(*_cited(*self._table, text), text, self._allowed)
        self._best = {_number(limit): _number(bound) for limit, bound in found.items()}

    def leaves(self, limit: float) -> float:
        """Every tree of depth at most `limit` has at least this many leaves."""
        least: float = self._leaves - 1
        for holds_to, bound in self._best.items():
            if holds_to >= limit:
                least = max(least, bound)
            elif bound == inf:
                least = max(least, holds_to + 1)
        return check.lift(least, limit) + 1

    def summary(self) -> str:
        """What was checked, in a few words."""
        return check.counted_words(self._lines, "lemma")


class _ErrorLemmas:
    """What lemmas about errors prove, as `check_errors.Lemmas` says it."""

    def __init__(self, data: check.Examples, weights: Any, prices: tuple[int, int] | None) -> None:
        net = np.array(weights.net, dtype=np.int64).reshape(len(data.labels), -1)
        self._weights, self._prices = weights, prices or (1, 1)
        self._table = _bits(data), net, _example_of_row(data), *(prices or (0, 0))
        self._lines = 0
        self._best: dict[tuple[float, float, bool], int] = {}

    def read(self, lines: Iterable[str]) -> None:
        """Check line after line."""
        text, self._lines = _text(lines)
        for (inner, depth, priced), bound in check_errors(*self._table, text).items():
            self._best[_number(inner), _number(depth), priced] = bound

    def least_errors(self, inner: float, depth: float) -> int:
        """The best bound on the net errors of all examples."""
        inner, depth = self._room(inner, depth)
        least: int = self._weights.floor(self._weights.all)
        if inner == 0:
            least = max(least, self._weights.leaf(self._weights.all))
        for (n, d, priced), bound in self._best.items():
            if priced and d >= depth:
                error, price = self._prices
                least = max(least, -((price * int(inner) - bound) // error))
            elif not priced and n >= inner and d >= depth:
                least = max(least, bound)
        return least

    def least_cost(self, depth: float) -> int:
        """The best bound on the price of net errors and inner nodes."""
        _, depth = self._room(inf, depth)
        return max(
            [0, *(bound for (_, d, priced), bound in self._best.items() if priced and d >= depth)]
        )

    def _room(self, inner: float, depth: float) -> tuple[float, float]:
        """No tree needs more leaves than examples, or than its depth allows for."""
        inner = min(inner, max(self._weights.all.bit_count() - 1, 0), 2.0 ** min(depth, 99) - 1)
        return inner, min(depth, inner)

    def summary(self) -> str:
        """What was checked, in a few words."""
        return check.counted_words(self._lines, "line")


def _cited(
    bits: NDArray[np.bool_], labels: NDArray[np.int64], of_row: NDArray[np.int64], text: bytes
) -> tuple[NDArray[np.bool_], NDArray[np.int64], NDArray[np.int64]]:
    """Of a large table the examples that lemmas may cite: every number after a blank is taken for a
    row. The checker keeps a set for each, and most proofs are about few."""
    if len(labels) <= FEW_EXAMPLES:
        return bits, labels, of_row
    rows = np.array([row for row in map(int, re.findall(rb" (\d+)", text)) if row < len(of_row)])
    cited = np.unique(of_row[rows]) if len(rows) else rows.astype(np.int64)
    cited = cited[cited >= 0]
    place = np.full(len(labels) + 1, -1, dtype=np.int64)  # the last for dropped rows
    place[cited] = np.arange(len(cited))
    return np.ascontiguousarray(bits[cited]), labels[cited], place[of_row]


def _bits(data: check.Examples) -> NDArray[np.bool_]:
    """The features of every example."""
    n = len(data.labels)
    width = (n + 7) // 8
    packed = b"".join(mask.to_bytes(width, "little") for mask in data.masks)
    rows = np.frombuffer(packed, dtype=np.uint8).reshape(len(data.masks), width)
    bits = np.unpackbits(rows, axis=1, bitorder="little", count=n).T
    return np.ascontiguousarray(bits.astype(bool))


def _example_of_row(data: check.Examples) -> NDArray[np.int64]:
    """The example of every row of the table, -1 where it was dropped."""
    found = np.full(data.rows, -1, dtype=np.int64)
    found[list(data.example_of_row)] = list(data.example_of_row.values())
    return found


def _text(lines: Iterable[str]) -> tuple[bytes, int]:
    """The lines as one text, and how many there are."""
    text = bytearray()
    count = 0
    for line in lines:
        text += line.encode() + b"\n"
        count += 1
        if not line:  # this is not a lemma, so the rest does not matter
            break
    return bytes(text), count


def _number(value: int) -> float:
    return inf if value >= INFINITE else value
