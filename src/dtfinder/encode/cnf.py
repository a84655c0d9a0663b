"""Formulas in conjunctive normal form, built block by block with numpy.

A formula of this package has up to millions of clauses in a few regular families, e.g. 'for every
path, step and feature: a ∧ g → ¬m'. Making it clause by clause in Python would take longer than
solving it. So variables are arrays of numbers of any shape, and a family is written once, as
literals that broadcast against each other:

    formula.add(-a, -g[:, :, None], -m[:, None, :])      # one clause per path, step and feature

A family is kept as a 2-D array with one clause per row, and becomes Python lists only while it is
loaded into a solver, piece by piece.

Cardinality constraints come from PySAT. Constraints of the same length differ only in the numbers
of their variables, so PySAT makes one of each length, the template, and numpy renumbers it for the
others.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from hashlib import sha256
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dtfinder.nodes import Node

Literals = NDArray[np.int32]

_ROWS_AT_ONCE = 20_000


class Formula:
    """`n_clauses` clauses with `n_literals` literals in all, over variables 1..`top`; `cardinality`
    is the PySAT name of an encoding."""

    def __init__(self, cardinality: str = "kmtotalizer") -> None:
        self.top = self.n_clauses = self.n_literals = 0
        self._cardinality = cardinality
        self._blocks: list[Literals] = []
        self._lists: list[list[int]] = []

    def variables(self, *shape: int) -> Literals:
        """New variables in an array of the given shape; negate it for their negations."""
        count = int(np.prod(shape))
        new = np.arange(self.top + 1, self.top + 1 + count, dtype=np.int32).reshape(shape)
        self.top += count
        return new

    def add(self, *literals: Any) -> None:
        """One clause for each element of the arrays, broadcast against each other."""
        columns = np.broadcast_arrays(*literals)
        self._append(np.stack([column.ravel() for column in columns], axis=1))

    def add_rows(self, *parts: Any) -> None:
        """One clause for each row: the last axes are concatenated, all others are broadcast. A part
        with as many axes as the rows is a row of literals, not a single literal."""
        arrays = [np.asarray(part) for part in parts]
        shape = np.broadcast_shapes(*(array.shape[:-1] for array in arrays))
        wide = [np.broadcast_to(array, (*shape, array.shape[-1])) for array in arrays]
        rows = np.concatenate(wide, axis=-1)
        self._append(rows.reshape(-1, rows.shape[-1]))

    def at_most_one(self, rows: Any) -> None:
        """At most one literal of every row (the last axis) is true."""
        rows = np.asarray(rows)
        rows = rows.reshape(-1, rows.shape[-1])
        if rows.shape[1] < 2 or not len(rows):
            return
        inner, template = _at_most_one(self._cardinality, rows.shape[1])
        # Column v − 1 holds the literal that stands for the template's variable v.
        literals = np.concatenate([rows, self.variables(len(rows), inner)], axis=1)
        for block in template:
            picked = literals[:, np.abs(block) - 1] * np.sign(block)
            self._append(picked.reshape(-1, block.shape[1]))

    def exactly_one(self, rows: Any) -> None:
        """Exactly one literal of every row (the last axis) is true."""
        self.add_rows(rows)
        self.at_most_one(rows)

    def put_units_last(self) -> None:
        """Order the clauses so that those of one literal come after all others."""
        self._blocks.sort(key=lambda block: block.shape[1] == 1)

    def digest(self) -> str:
        """The SHA-256 of all clauses in order: literals as 32-bit numbers, 0 after each clause."""
        made = sha256()
        for block in self._blocks:
            rows = np.zeros((len(block), block.shape[1] + 1), dtype="<i4")
            rows[:, :-1] = block
            made.update(rows.tobytes())
        return made.hexdigest()

    def __iter__(self) -> Iterator[list[int]]:
        """The clauses as lists, made piece by piece to save memory."""
        if self._lists:
            return iter(self._lists)
        starts = [(b, at) for b in self._blocks for at in range(0, len(b), _ROWS_AT_ONCE)]
        return chain.from_iterable(b[at : at + _ROWS_AT_ONCE].tolist() for b, at in starts)

    def keep_lists(self) -> None:
        """Make the lists for good: the formula is complete, small, and is loaded many times."""
        self._lists = self._lists or list(self)

    def _append(self, block: NDArray[Any]) -> None:
        if len(block):
            self._blocks.append(np.ascontiguousarray(block, dtype=np.int32))
            self.n_clauses += len(block)
            self.n_literals += block.size


@lru_cache(maxsize=256)
def _at_most_one(cardinality: str, length: int) -> tuple[int, tuple[Literals, ...]]:
    """'At most one of 1..length': the number of extra variables, and the clauses by length."""
    from pysat.card import CardEnc, EncType

    clauses = CardEnc.atmost(
        lits=list(range(1, length + 1)),
        bound=1,
        top_id=length,
        encoding=getattr(EncType, cardinality),
    ).clauses
    top = max(abs(literal) for clause in clauses for literal in clause)
    by_length: dict[int, list[list[int]]] = {}
    for clause in clauses:
        by_length.setdefault(len(clause), []).append(clause)
    blocks = tuple(np.array(by_length[size], dtype=np.int32) for size in sorted(by_length))
    return max(0, top - length), blocks


@dataclass(frozen=True)
class Encoding:
    """A formula with its decoder: `decode` turns a model into the nodes of a tree. `cube` turns a
    topology template of `encode.topologies` into literals, and `topology` are the variables that
    fix the shape of the tree. Where trees may err, `wrong` has a variable for each example, true
    where the tree may give it another class."""

    formula: Formula
    decode: Callable[[list[int]], list[Node]]
    cube: Callable[[Any], list[int]]
    topology: Literals
    wrong: Literals = field(default_factory=lambda: np.array([], dtype=np.int32))


def truth(model: list[int], top: int) -> NDArray[np.bool_]:
    """The value of every variable 0..top in a model; variables that it leaves out are false."""
    value = np.zeros(top + 1, dtype=bool)
    positive = np.array([literal for literal in model if 0 < literal <= top], dtype=np.int64)
    value[positive] = True
    return value
