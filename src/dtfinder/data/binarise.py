"""From columns to 0/1 features, each with its meaning.

* unary: one feature per value, `colour = red`; a column of two values needs only the larger one.
* binary: the values are numbered in order, and each bit of the number is a feature, so k values
  need ⌈log2 k⌉ features, `colour in {green, red}`.
* threshold: `age <= 41.5` at the midpoint between neighbouring values, for numbers only.
* auto: threshold for numbers, unary for the rest.

All of them tell any two values of a column apart, so rows are equal after binarisation exactly if
they were before. That is why rows can be merged first and bits made of the distinct rows alone.

A missing value, where it is allowed, comes last among the values: it has its own feature under
unary and threshold, `age = missing`, and its own number under binary. No threshold holds for it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dtfinder.data.dataset import Bits, Feature, Ints, Table, Value
from dtfinder.errors import DataError, OptionError

SCHEMES = ("auto", "unary", "binary", "threshold")
# Features are made in blocks of about this many bits, so that the peak stays near what is kept.
_BLOCK_BITS = 1 << 24


@dataclass(frozen=True)
class Levels:
    """The distinct values of a column in order, a missing one last, and which one each row has."""

    column: str
    values: tuple[Value, ...]
    codes: Ints
    numeric: bool

    @property
    def has_missing(self) -> bool:
        """Whether the last value stands for missing ones."""
        return bool(self.values) and self.values[-1] is None


def levels_of(table: Table, missing: str) -> list[Levels]:
    """The levels of every column. `missing` is "error" or "value"."""
    found = []
    for name, column in zip(table.names, table.columns, strict=True):
        numeric = column.dtype.kind == "f"
        if numeric:
            _refuse_infinities(name, column)
        levels = _number_levels(name, column) if numeric else _object_levels(name, column)
        if levels.has_missing and missing != "value":
            gone = int((levels.codes == len(levels.values) - 1).sum())
            raise DataError(
                f"column {name!r} has no value in {gone} of {len(column)} rows; fill them in, or "
                'treat missing as a value of its own: --missing value, or missing="value"'
            )
        found.append(levels)
    return found


def _refuse_infinities(name: str, column: NDArray[Any]) -> None:
    infinite = np.isinf(column)
    if infinite.any():
        row = int(np.argmax(infinite))
        raise DataError(
            f"column {name!r} is {column[row]!s} in row {row + 1}; put a finite number there"
        )


def _number_levels(name: str, column: NDArray[np.float64]) -> Levels:
    values, codes = _distinct_numbers(column)
    listed: tuple[Value, ...] = tuple(values.tolist())
    if len(values) and np.isnan(values[-1]):
        listed = (*listed[:-1], None)
    return Levels(name, listed, codes, True)


def _distinct_numbers(column: NDArray[np.float64]) -> tuple[NDArray[np.float64], Ints]:
    """As np.unique with its inverse, but without sorting if the numbers are whole and close."""
    low, high = float(column.min()), float(column.max())
    if high - low < 1 << 12:  # false if there is a NaN
        offsets = (column - low).astype(np.int64)
        if (offsets + low == column).all():
            present = np.bincount(offsets) > 0
            place = np.cumsum(present) - 1
            whole: NDArray[np.float64] = np.flatnonzero(present) + np.float64(low)
            return whole, place[offsets].astype(np.int64)
    values, codes = np.unique(column, return_inverse=True, equal_nan=True)
    return values, codes


def _object_levels(name: str, column: NDArray[Any]) -> Levels:
    numbering: defaultdict[Any, int] = defaultdict(count().__next__)
    codes = np.fromiter(map(numbering.__getitem__, column.tolist()), np.int64, len(column))
    known = list(numbering)
    order = sorted(range(len(known)), key=lambda code: _sort_key(known[code]))
    place = np.empty(len(known), dtype=np.int64)
    place[order] = np.arange(len(known))
    return Levels(name, tuple(known[code] for code in order), place[codes], False)


def _sort_key(value: Value) -> tuple[bool, Any]:
    return (True, "") if value is None else (False, value)


def schemes_of(levels: list[Levels], binarise: str) -> list[str]:
    """How each column is binarised; an error if it cannot be done as asked."""
    if binarise not in SCHEMES:
        raise OptionError(f"binarise must be one of {', '.join(SCHEMES)}, not {binarise!r}")
    schemes = []
    for each in levels:
        scheme = binarise
        if binarise == "auto":
            scheme = "threshold" if each.numeric else "unary"
        elif binarise == "threshold" and not each.numeric and each.values != (None,):
            example = next(value for value in each.values if value is not None)
            raise DataError(
                f"column {each.column!r} has the value {example!r}, which has no order to put a "
                'threshold in; use --binarise auto, or binarise="auto"'
            )
        schemes.append(scheme)
    return schemes


def feature_count(levels: Levels, scheme: str) -> int:
    """The number of features that the column becomes."""
    known = len(levels.values)
    if known < 2:
        return 0
    if scheme == "binary":
        return (known - 1).bit_length()
    if scheme == "threshold":
        return known - 1
    return 1 if known == 2 else known


def features_of(levels: Levels, scheme: str, rows: Ints) -> Iterator[tuple[list[Feature], Bits]]:
    """The features of a column in blocks, with their bits on `rows`, one feature per line."""
    if len(levels.values) < 2:
        return
    codes = levels.codes[rows]
    maker = {"binary": _binary, "threshold": _threshold, "unary": _unary}[scheme]
    total = feature_count(levels, scheme)
    step = max(1, _BLOCK_BITS // max(1, len(codes)))
    for start in range(0, total, step):
        yield maker(levels, codes, np.arange(start, min(start + step, total)))


def _unary(levels: Levels, codes: Ints, wanted: Ints) -> tuple[list[Feature], Bits]:
    if len(levels.values) == 2:
        wanted = np.array([1])
    features = [Feature(levels.column, "=", levels.values[code]) for code in wanted]
    return features, codes == wanted[:, None]


def _binary(levels: Levels, codes: Ints, wanted: Ints) -> tuple[list[Feature], Bits]:
    features = []
    for bit in wanted.tolist():
        ones = tuple(value for code, value in enumerate(levels.values) if code >> bit & 1)
        test = Feature(levels.column, "in", ones)
        features.append(test if len(ones) > 1 else Feature(levels.column, "=", ones[0]))
    return features, (codes >> wanted[:, None] & 1).astype(bool)


def _threshold(levels: Levels, codes: Ints, wanted: Ints) -> tuple[list[Feature], Bits]:
    features = []
    for code in wanted.tolist():
        low, high = levels.values[code], levels.values[code + 1]
        if high is None:
            features.append(Feature(levels.column, "=", None))
        else:
            assert isinstance(low, float)
            assert isinstance(high, float)
            features.append(Feature(levels.column, "<=", midpoint(low, high)))
    bits = codes <= wanted[:, None]
    if levels.has_missing:
        gone = len(levels.values) - 1
        # The last boundary is the one before the missing value; `= missing` is its other side.
        bits[wanted == gone - 1] = codes == gone
    return features, bits


def midpoint(low: float, high: float) -> float:
    """A number t with low <= t < high, halfway between them as far as floats allow, and written
    with twelve digits if that is still between them: 0.15 for 0.1 and 0.2."""
    middle = (low + high) / 2
    if not low <= middle < high:  # the sum overflows
        middle = low / 2 + high / 2
    if not low <= middle < high:  # they are neighbours, and halfway rounds up
        return low
    short = float(f"{middle:.12g}")
    return short if low < short < high else middle
