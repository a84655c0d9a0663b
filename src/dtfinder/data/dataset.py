"""The tables that flow through dtfinder: what the user gave, and the 0/1 examples made of it.

A `Table` holds the user's own columns. A `Dataset` holds what the searches work on: distinct
examples over distinct, useful 0/1 features, each with its meaning, and the way back to the table.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dtfinder.data.moments import DURATION, moment, moments, sort_key
from dtfinder.errors import DataError

Bits = NDArray[np.bool_]
Ints = NDArray[np.int64]
Label = str | int | float | bool
Value = str | int | float | bool | None
NUMBER, TRUTH, TEXT, DATE = "number", "truth", "text", "date"  # and DURATION


@dataclass(frozen=True)
class Weights:
    """What it costs to get each row wrong, in whole units; see weights.py."""

    units: Ints  # for each row of the table
    unit: Fraction
    rounded: float = 0.0  # the largest change by rounding, as a share of all weight


@dataclass(frozen=True)
class Table:
    """Named columns of equal length. Rows that allow several classes have a tuple of these in
    `target`; see class_sets.py. A numeric column is float64 with NaN for a missing value, any
    other column is an object array of str or bool with None for a missing value. Text may have an
    order: dates and the like by themselves (`moments.py`), other words by
    `orders`, the least first.
    """

    names: tuple[str, ...]
    columns: tuple[NDArray[Any], ...]
    target: NDArray[Any] | None = None
    target_name: str = "target"
    orders: dict[str, tuple[str, ...]] = field(default_factory=dict)
    decimal: str = "."  # the mark of numbers in the text that the table was read from
    guessed: bool = False  # whether the target is the last column because none was named
    weights: NDArray[np.float64] | None = None  # of the rows, 0 or more
    separator: str = ""  # what stands between several classes of a row, as text

    @property
    def rows(self) -> int:
        """The number of rows."""
        if self.columns:
            return len(self.columns[0])
        return 0 if self.target is None else len(self.target)

    def column(self, name: str) -> NDArray[Any]:
        """The values of the column called `name`."""
        return self.columns[self.names.index(name)]

    def kind(self, name: str) -> str:
        """What the column called `name` holds; see `kind_of`."""
        return TEXT if name in self.orders else kind_of(self.column(name))

    def at(self, rows: Ints) -> Table:
        """The table of these rows only."""
        columns = tuple(column[rows] for column in self.columns)
        target = None if self.target is None else self.target[rows]
        weights = None if self.weights is None else self.weights[rows]
        return replace(self, columns=columns, target=target, weights=weights)


def show_value(value: Value) -> str:
    """The text of a value as people write it: 2 for 2.0, `missing` for a missing one."""
    if value is None:
        return "missing"
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    return str(value)


def kind_of(values: NDArray[Any] | Iterable[Value]) -> str:
    """What a column holds, by its values that are not missing: NUMBER, TRUTH, DATE (or time, month,
    quarter, week), DURATION or TEXT. A column without any value counts as text."""
    if isinstance(values, np.ndarray):
        if values.dtype.kind in "iuf":
            return NUMBER
        values = values.tolist()
    present = {value for value in values if value is not None}
    if not present:
        return TEXT
    if all(isinstance(value, bool) for value in present):
        return TRUTH
    if all(isinstance(value, (int, float)) for value in present):
        return NUMBER
    if not all(isinstance(value, str) for value in present) or moments(map(str, present)) is None:
        return TEXT
    known = moment(str(next(iter(present))))
    return DURATION if known and known[0] == DURATION else DATE


@dataclass(frozen=True)
class Feature:
    """A 0/1 column with its meaning: `column = value`, `column <= value`, `column in values`.

    The bound of `<=` is a number, or a date or duration as text. Words that have an order of their
    own come as a tuple: all words up to and including the bound.
    """

    column: str
    test: str  # one of "=", "<=", "in"
    value: Value | tuple[Value, ...]

    @property
    def name(self) -> str:
        """The meaning as text, e.g. `age <= 41.5`."""
        if isinstance(self.value, tuple) and self.test == "in":
            inside = ", ".join(show_value(value) for value in self.value)
            return f"{self.column} in {{{inside}}}"
        return f"{self.column} {self.test} {show_value(self.values[-1])}"

    @property
    def values(self) -> tuple[Value, ...]:
        """The values that the test compares with, one or several."""
        return self.value if isinstance(self.value, tuple) else (self.value,)

    @property
    def bound(self) -> float | str | None:
        """What to compare a value with; None if the test is whether it is one of `values`."""
        if self.test != "<=" or isinstance(self.value, tuple):
            return None
        assert self.value is not None
        return self.value if isinstance(self.value, str) else float(self.value)

    @property
    def is_sound(self) -> bool:
        """Whether it can be answered; a feature read from a file may be nonsense."""
        values, several = self.values, isinstance(self.value, tuple)
        if not values or not all(map(is_value, values)):
            return False
        if self.test != "<=":
            return self.test == ("in" if several else "=")
        if several:
            return all(isinstance(value, str) for value in values)
        (bound,) = values
        if isinstance(bound, str):
            return moment(bound) is not None
        return isinstance(bound, (int, float)) and not isinstance(bound, bool)

    def holds(self, values: NDArray[Any]) -> Bits:
        """Where the test is true of the column's `values`; a missing value equals only itself.

        The column may come from another table than the feature does, and have another type there:
        a word then equals a number that is written the same way.
        """
        numeric = values.dtype.kind == "f"
        if isinstance(self.bound, str):
            return _up_to(self.bound, self.column, values)
        if self.bound is not None:
            if not numeric:
                values = _as_numbers(self.column, values)
            return np.asarray(values <= self.bound, dtype=bool)
        present = [value for value in self.values if value is not None]
        if numeric and all(_basic(value) == NUMBER for value in present):
            # No word can equal a number here, so plain comparisons say the same, and at once.
            numbers = np.array(present, float)
            found = values == numbers[0] if len(numbers) == 1 else np.isin(values, numbers)
            return found | np.isnan(values) if None in self.values else found
        wanted = _Wanted(self.values)
        if numeric:
            distinct, codes = np.unique(values, return_inverse=True, equal_nan=True)
            listed = [None if math.isnan(value) else value for value in distinct.tolist()]
            return np.array([value in wanted for value in listed], dtype=bool)[codes]
        known = {value: value in wanted for value in set(values.tolist())}
        return np.fromiter(map(known.__getitem__, values.tolist()), bool, len(values))


def is_value(value: Any) -> bool:
    """Whether a table can hold this: a word that can be written, a number that a float can hold, a
    truth value, or None."""
    if isinstance(value, str):
        return not any("\ud800" <= letter <= "\udfff" for letter in value)
    if isinstance(value, int):
        return abs(value) <= sys.float_info.max
    return value is None or (isinstance(value, float) and not math.isnan(value))


def sets_of(rows: NDArray[Any], classes: Sequence[Label]) -> Bits:
    """The classes that each row allows, out of tuples of labels: rows × classes."""
    index = {label: number for number, label in enumerate(classes)}
    allowed = np.zeros((len(rows), len(classes)), dtype=bool)
    for number, labels in enumerate(rows.tolist()):
        allowed[number, [index[label] for label in labels]] = True
    return allowed


def labels_of(allowed: Bits) -> tuple[Ints, Bits]:
    """A label for each row of `allowed`, the same for equal rows, and the row of each label."""
    sets, labels = np.unique(allowed, axis=0, return_inverse=True)
    return labels.reshape(-1).astype(np.int64), np.ascontiguousarray(sets)


class _Wanted:
    """A set of values that also knows how values of another kind are written."""

    def __init__(self, values: tuple[Value, ...]) -> None:
        self._exact = set(values)  # True is 1, as everywhere in Python
        self._written = {(_basic(v), _written(v)) for v in values if v is not None}

    def __contains__(self, value: Value) -> bool:
        if value in self._exact or value is None:
            return value in self._exact
        kind, text = _basic(value), _written(value)
        return any((other, text) in self._written for other in {NUMBER, TRUTH, TEXT} - {kind})


def _basic(value: Value) -> str:
    if isinstance(value, bool):
        return TRUTH
    return TEXT if isinstance(value, str) else NUMBER


def _written(value: Value) -> str:
    text = show_value(value)
    return text.lower() if text.lower() in ("true", "false") else text


def _up_to(bound: str, name: str, values: NDArray[Any]) -> Bits:
    """Where a column of dates or durations is at most `bound`."""
    known = moment(bound)
    assert known is not None
    held: dict[Value, bool] = {None: False}
    listed = [None if value != value else value for value in values.tolist()]
    for value in set(listed) - {None}:
        found = moment(value) if isinstance(value, str) else None
        if found is None or found[0] != known[0]:
            raise DataError(
                f"column {name!r} has the value {show_value(value)!r} where a {known[0]} such as "
                f"{bound} is asked for; write it like this"
            )
        held[value] = sort_key(found[1]) <= sort_key(bound)
    return np.fromiter(map(held.__getitem__, listed), bool, len(listed))


def _as_numbers(name: str, values: NDArray[Any]) -> NDArray[np.float64]:
    """Numbers of a column of objects, NaN where it has none."""
    try:
        return np.array([math.nan if v is None else float(v) for v in values.tolist()])
    except ValueError as error:
        word = str(error).partition(":")[2].strip()
        raise DataError(
            f"column {name!r} has the value {word} where a number is asked for; give a number"
        ) from None


@dataclass(frozen=True)
class Dataset:
    """Distinct examples with their classes, over distinct features that are not constant.

    No two examples have the same bits. No feature equals another one or its complement. An example
    may allow several classes: if its rows allow several, or if contradictory rows tie.
    """

    bits: Bits  # examples × features
    labels: Ints  # the class index of every example; if it allows several, one that many allow
    features: tuple[Feature, ...]
    classes: tuple[Label, ...]
    table: Table
    example_of_row: Ints  # the example that a row became, -1 where it was dropped
    unavoidable_errors: int = 0  # rows whose class lost the vote among rows of equal features
    binarise: str = "auto"  # how the columns became features, and rows that contradict each other
    contradictions: str = "majority"  # one class: as in `Options`
    missing: str = "error"
    max_thresholds: int | None = None
    weights: Weights | None = None
    # How each column was binarised, and its only thresholds if it had to have fewer.
    questions: dict[str, tuple[str, tuple[Value | tuple[Value, ...], ...] | None]] = field(
        default_factory=dict
    )
    allowed: Bits | None = None  # examples × classes, if any example allows several

    @property
    def n_rows(self) -> int:
        """The number of rows of the table that the examples stand for."""
        return int((self.example_of_row >= 0).sum())

    @property
    def n_examples(self) -> int:
        """The number of distinct examples."""
        return len(self.labels)

    @property
    def n_features(self) -> int:
        """The number of distinct features."""
        return len(self.features)

    @property
    def n_classes(self) -> int:
        """The number of classes."""
        return len(self.classes)

    @cached_property
    def set_labels(self) -> tuple[Ints, Bits | None]:
        """A label for each example, its class if each allows one. Otherwise examples that allow the
        same classes have the same label, and these are in its row of the second matrix, labels ×
        classes."""
        if self.allowed is None:
            return self.labels, None
        return labels_of(self.allowed)

    @cached_property
    def sets(self) -> Bits:
        """Which classes each example allows: examples × classes."""
        if self.allowed is not None:
            return self.allowed
        return np.asarray(self.labels[:, None] == np.arange(self.n_classes))

    @property
    def least_leaves(self) -> int:
        """The least number of leaves of a tree: one for each class that an example needs, and two
        if no class is right for all examples."""
        if self.allowed is None:
            return len(np.unique(self.labels))
        single = self.allowed[self.allowed.sum(axis=1) == 1]
        return max(int(single.any(axis=0).sum()), 1 if self.allowed.all(axis=0).any() else 2)

    @cached_property
    def row_sets(self) -> Bits | None:
        """The classes that each row of the table allows, as the user gave them, if any allows
        several: rows × classes."""
        rows = self.table.target
        assert rows is not None
        return sets_of(rows, self.classes) if isinstance(rows[0], tuple) else None

    @cached_property
    def row_labels(self) -> Ints:
        """The class index of every row of the table, as the user gave it; the first one if the row
        allows several."""
        if self.row_sets is not None:
            return np.asarray(self.row_sets.argmax(axis=1), dtype=np.int64)
        index = {label: number for number, label in enumerate(self.classes)}
        assert self.table.target is not None
        return np.array([index[label] for label in self.table.target.tolist()], dtype=np.int64)

    def counted_labels(self, predicted: Ints) -> Ints:
        """The class index that each row counts for: the predicted one if it allows several and that
        is one of them, its own or first one otherwise."""
        if self.row_sets is None:
            return self.row_labels
        return np.where(self.wrong(predicted), self.row_labels, predicted)

    def wrong(self, predicted: Ints) -> Bits:
        """Which rows of the table do not allow the class, by its index, that is predicted."""
        if self.row_sets is None:
            return np.asarray(predicted != self.row_labels)
        return ~self.row_sets[np.arange(len(predicted)), predicted]

    @cached_property
    def class_weights(self) -> Ints:
        """How many rows that allow each class every example stands for, or what they weigh, in
        units: examples × classes."""
        kept = self.example_of_row >= 0
        weights = np.zeros((self.n_examples, self.n_classes), dtype=np.int64)
        if self.row_sets is not None:
            units = self.row_sets[kept] * self.row_units[kept, None]
            np.add.at(weights, self.example_of_row[kept], units)
            return weights
        places = (self.example_of_row[kept], self.row_labels[kept])
        np.add.at(weights, places, self.row_units[kept])
        return weights

    @property
    def row_units(self) -> Ints:
        """What each row weighs: 1 unless there are weights."""
        ones = np.ones(len(self.example_of_row), dtype=np.int64)
        return ones if self.weights is None else self.weights.units

    @property
    def total_weight(self) -> int:
        """What the rows weigh that the examples stand for: their number without weights."""
        return int(self.row_units[self.example_of_row >= 0].sum())

    @cached_property
    def first_rows(self) -> Ints:
        """For each example the first row of the table that it stands for."""
        rows = np.zeros(self.n_examples, dtype=np.int64)
        kept = np.flatnonzero(self.example_of_row >= 0)[::-1]
        rows[self.example_of_row[kept]] = kept
        return rows


def margins(weights: Ints) -> Ints:
    """The least that a wrong class costs for each example, beyond the unavoidable errors: the
    weight of its heaviest classes, which it allows, less that of the next; 0 if no class is wrong.
    `weights` are examples × classes."""
    most = weights.max(axis=1)
    others = np.where(weights == most[:, None], -1, weights).max(axis=1)
    return np.asarray(np.where(others < 0, 0, most - others))
