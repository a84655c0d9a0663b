"""The tables that flow through dtfinder: what the user gave, and the 0/1 examples made of it.

A `Table` holds the user's own columns. A `Dataset` holds what the searches work on: distinct
examples over distinct, useful 0/1 features, each with its meaning, and the way back to the table.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

Bits = NDArray[np.bool_]
Ints = NDArray[np.int64]
Label = str | int | float | bool
Value = str | int | float | bool | None


@dataclass(frozen=True)
class Table:
    """Named columns of equal length. A numeric column is float64 with NaN for a missing value, any
    other column is an object array of str or bool with None for a missing value."""

    names: tuple[str, ...]
    columns: tuple[NDArray[Any], ...]
    target: NDArray[Any] | None = None
    target_name: str = "target"

    @property
    def rows(self) -> int:
        """The number of rows."""
        return len(self.columns[0]) if self.columns else 0

    def column(self, name: str) -> NDArray[Any]:
        """The values of the column called `name`."""
        return self.columns[self.names.index(name)]


def show_value(value: Value) -> str:
    """The text of a value as people write it: 2 for 2.0, `missing` for a missing one."""
    if value is None:
        return "missing"
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    return str(value)


@dataclass(frozen=True)
class Feature:
    """A 0/1 column with its meaning: `column = value`, `column <= value`, `column in values`."""

    column: str
    test: str  # one of "=", "<=", "in"
    value: Value | tuple[Value, ...]

    @property
    def name(self) -> str:
        """The meaning as text, e.g. `age <= 41.5`."""
        if isinstance(self.value, tuple):
            inside = ", ".join(show_value(value) for value in self.value)
            return f"{self.column} in {{{inside}}}"
        return f"{self.column} {self.test} {show_value(self.value)}"

    def holds(self, values: NDArray[Any]) -> Bits:
        """Where the test is true of the column's `values`; a missing value equals only itself."""
        if self.test == "<=":
            assert isinstance(self.value, (int, float))
            with np.errstate(invalid="ignore"):
                return np.asarray(values.astype(np.float64) <= self.value, dtype=bool)
        wanted = self.value if isinstance(self.value, tuple) else (self.value,)
        found = np.zeros(len(values), dtype=bool)
        for value in wanted:
            if value is None:
                numeric = values.dtype.kind == "f"
                found |= np.isnan(values) if numeric else np.equal(values, None)
            else:
                found |= np.asarray(values == value, dtype=bool)
        return found


@dataclass(frozen=True)
class Dataset:
    """Distinct examples with one class each, over distinct features that are not constant.

    No two examples have the same bits. No feature equals another one or its complement; those that
    did are in `merged`, under the one that was kept, with True where they are its complement.
    """

    bits: Bits  # examples × features
    labels: Ints  # class index of every example
    weights: Ints  # how many rows of the table each example stands for
    features: tuple[Feature, ...]
    classes: tuple[Label, ...]
    table: Table
    example_of_row: Ints  # the example that a row became, -1 where it was dropped
    unavoidable_errors: int = 0  # rows whose class lost the vote among rows of equal features
    merged: dict[int, tuple[tuple[Feature, bool], ...]] = field(default_factory=dict)

    @property
    def n_examples(self) -> int:
        """The number of distinct examples."""
        return self.bits.shape[0]

    @property
    def n_features(self) -> int:
        """The number of distinct features."""
        return self.bits.shape[1]

    @property
    def n_classes(self) -> int:
        """The number of classes."""
        return len(self.classes)

    @cached_property
    def row_labels(self) -> Ints:
        """The class index of every row of the table, as the user gave it."""
        index = {label: number for number, label in enumerate(self.classes)}
        assert self.table.target is not None
        return np.array([index[label] for label in self.table.target.tolist()], dtype=np.int64)
