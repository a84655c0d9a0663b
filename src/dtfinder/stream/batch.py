"""A batch of rows, column by column: numbers as they are, anything else as words and codes.

Only the distinct words of a batch are ever Python objects, so a batch of a million rows costs
little more than its bytes. pyarrow makes the batches and is imported by the modules that read
files.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dtfinder.data.columns import MISSING_WORDS, objects
from dtfinder.data.frames import read_frame

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Words:
    """The distinct cells of a column in a batch, None for a missing one, and which each row has."""

    values: tuple[Any, ...]
    codes: NDArray[np.int64]

    def at(self, rows: NDArray[Any]) -> Words:
        """Of these rows only."""
        return Words(self.values, self.codes[rows])

    def missing(self) -> NDArray[np.bool_]:
        """Where there is no value."""
        return np.array([value is None for value in self.values], dtype=bool)[self.codes]


Cells = Floats | Words


@dataclass(frozen=True)
class Batch:
    """Some rows of a table: its columns by name, and the classes."""

    columns: dict[str, Cells]
    classes: Words

    @property
    def rows(self) -> int:
        """How many rows."""
        return len(self.classes.codes)

    def kept(self, drop_missing: bool) -> Batch:
        """The rows that count: with `drop_missing`, those that have a value in every column."""
        rows = np.ones(self.rows, dtype=bool)
        for cells in self.columns.values() if drop_missing else ():
            rows &= ~cells.missing() if isinstance(cells, Words) else ~np.isnan(cells)
        if rows.all():
            return self
        columns: dict[str, Cells] = {
            name: cells.at(rows) if isinstance(cells, Words) else cells[rows]
            for name, cells in self.columns.items()
        }
        return Batch(columns, self.classes.at(rows))


def is_number(kind: Any) -> bool:
    """Whether a pyarrow type holds numbers."""
    import pyarrow.types as types

    return bool(types.is_integer(kind) or types.is_floating(kind) or types.is_decimal(kind))


def batch_of(table: Any, target: str, *, text: bool) -> Batch:
    """A pyarrow record batch as a `Batch`; `text` says that its words were read from a text file,
    where blanks around a word do not count and some words stand for a missing value."""
    columns: dict[str, Cells] = {
        name: _numbers(table.column(name))
        if is_number(table.schema.field(name).type)
        else _words(table.column(name), text)
        for name in table.schema.names
        if name != target
    }
    return Batch(columns, _words(table.column(target), text))


def _numbers(column: Any) -> Floats:
    import pyarrow

    array = column.cast(pyarrow.float64(), safe=False).to_numpy(zero_copy_only=False)
    return np.asarray(array, dtype=np.float64)


def _words(column: Any, text: bool) -> Words:
    import pyarrow

    if not hasattr(column, "indices"):
        column = column.dictionary_encode()
    known, indices = column.dictionary, column.indices
    types, kind = pyarrow.types, known.type
    plain = (types.is_string, types.is_large_string, types.is_boolean, is_number)
    if any(fits(kind) for fits in plain):
        values = known.to_pylist()
    else:  # dates and the like become text in one way of writing
        (made,) = read_frame(pyarrow.table({"values": known}))[1]
        values = made.values("values").tolist()
    if text:
        stripped = [None if value is None else value.strip() for value in values]
        values = [None if value in MISSING_WORDS else value for value in stripped]
    # A missing cell has no index; its code is that of the None behind all values.
    codes = indices.fill_null(len(values)).to_numpy(zero_copy_only=False).astype(np.int64)
    return Words((*values, None), codes)


def spread(values: Any, words: Words) -> NDArray[Any]:
    """For every row what its word became: `values` has one for each word."""
    array = values if isinstance(values, np.ndarray) else objects(values)
    return np.asarray(array[words.codes])
