"""From columns to 0/1 features, each with its meaning.

* unary: one feature per value, `colour = red`; a column of two values needs only the larger one.
* binary: the values are numbered in order, and each bit of the number is a feature, so k values
  need ⌈log2 k⌉ features, `colour in {green, red}`.
* threshold: one feature between two neighbouring values, for columns that have an order: numbers,
  `age <= 41.5` at the midpoint, dates and the like, `when <= 2024-02-11`, and ordered words.
* both: threshold for columns that have an order, and unary as well if they have few values.
* auto: threshold for columns that have an order, unary for the rest.

All of them tell any two levels of a column apart, so rows are equal after binarisation exactly if
they were before. That is why rows can be merged first and bits made of the distinct rows alone. A
level is one value, or, if the number of thresholds is limited, all values between two of them.

A missing value, where it is allowed, comes last among the values: it has its own feature under
unary and threshold, `age = missing`, and its own number under binary. No threshold holds for it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import count
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dtfinder.data.dataset import DATE, NUMBER, TEXT, Bits, Feature, Ints, Table, Value, kind_of
from dtfinder.data.moments import DURATION, sort_key
from dtfinder.errors import DataError, Option, OptionError

SCHEMES = ("auto", "unary", "binary", "threshold", "both")
FEW_VALUES = 16  # a column with more is only asked for thresholds by `both`
# Features are made in blocks of about this many bits, so that the peak stays near what is kept.
_BLOCK_BITS = 1 << 24
_MOST_NAMED = 6  # columns in one message


@dataclass(frozen=True)
class Levels:
    """The distinct values of a column in order, a missing one last, and which one each row has.

    `words` are all words of an ordered category, the least first. `cuts` are the only thresholds
    that the column may have; then a level is named by its largest value.
    """

    column: str
    values: tuple[Value, ...]
    codes: Ints
    kind: str
    words: tuple[str, ...] = ()
    cuts: tuple[Value | tuple[Value, ...], ...] | None = None

    @property
    def has_missing(self) -> bool:
        """Whether the last value stands for missing ones."""
        return bool(self.values) and self.values[-1] is None

    @property
    def ordered(self) -> bool:
        """Whether thresholds make sense."""
        return self.kind in (NUMBER, DATE, DURATION) or bool(self.words)


def levels_of(table: Table, missing: str) -> list[Levels]:
    """The levels of every column. `missing` is "error" or "value"."""
    found = []
    for name, column in zip(table.names, table.columns, strict=True):
        if column.dtype.kind == "f":
            _refuse_infinities(name, column)
            found.append(_number_levels(name, column))
        else:
            found.append(_object_levels(name, column, table.orders.get(name, ())))
    if missing == "error":
        refuse_missing({each.column: _missing_in(each) for each in found}, table.rows)
    return found


def _missing_in(levels: Levels) -> int:
    return int((levels.codes == len(levels.values) - 1).sum()) if levels.has_missing else 0


def refuse_missing(missing: Mapping[str, int], rows: int) -> None:
    """Raise if a column has missing values, `missing` in number, and name all that do."""
    counts = {name: count for name, count in missing.items() if count}
    if not counts:
        return
    named = [f"{name!r} ({count})" for name, count in [*counts.items()][:_MOST_NAMED]]
    more = f" and {len(counts) - _MOST_NAMED} more" if len(counts) > _MOST_NAMED else ""
    start = f"{len(counts)} columns have no value in some of {rows} rows: {', '.join(named)}{more}"
    if len(counts) == 1:
        ((name, count),) = counts.items()
        start = f"column {name!r} has no value in {count} of {rows} rows"
    raise DataError(
        f"{start}; fill them in, treat missing as a value of its own with ",
        Option("missing", "value"),
        ", or leave those rows out with ",
        Option("missing", "drop"),
    )


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
    return Levels(name, listed, codes, NUMBER)


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


def _object_levels(name: str, column: NDArray[Any], words: tuple[str, ...]) -> Levels:
    numbering: defaultdict[Any, int] = defaultdict(count().__next__)
    codes = np.fromiter(map(numbering.__getitem__, column.tolist()), np.int64, len(column))
    known = list(numbering)
    kind = TEXT if words else kind_of(known)
    rank = {word: place for place, word in enumerate(words)}

    def key(value: Any) -> tuple[bool, Any]:
        if value is None:
            return True, ""
        if rank:
            return False, rank[value]
        return False, sort_key(value) if kind == DURATION else value

    order = sorted(range(len(known)), key=lambda code: key(known[code]))
    place = np.empty(len(known), dtype=np.int64)
    place[order] = np.arange(len(known))
    return Levels(name, tuple(known[code] for code in order), place[codes], kind, words)


def schemes_of(levels: list[Levels], binarise: str) -> list[str]:
    """How each column is binarised; an error if it cannot be done as asked."""
    if binarise not in SCHEMES:
        raise OptionError(f"binarise must be one of {', '.join(SCHEMES)}, not {binarise!r}")
    schemes = []
    for each in levels:
        scheme = binarise
        if binarise == "both" and each.ordered and len(each.values) <= FEW_VALUES:
            scheme = "both"
        elif binarise in ("auto", "both"):
            scheme = "threshold" if each.ordered else "unary"
        elif binarise == "threshold" and not each.ordered and each.values != (None,):
            example = next(value for value in each.values if value is not None)
            raise DataError(
                f"column {each.column!r} has the value {example!r}, which has no order to put a "
                "threshold in; use ",
                Option("binarise", "auto"),
            )
        schemes.append(scheme)
    return schemes


def capped(levels: Levels, row_labels: Ints, most: int, units: Ints | None = None) -> Levels:
    """The levels with at most `most` thresholds, for a column that has more.

    A threshold between two values of rows that are all of one class rarely matters. Of the others
    those are taken that cut the rows beside them into parts of about the same size. `units` says
    how many rows each one stands for; one that stands for none only gets its level.
    """
    known = len(levels.values) - levels.has_missing
    if known - 1 <= most:
        return levels
    n_classes = int(row_labels.max()) + 1
    seen = np.zeros((len(levels.values), n_classes), dtype=bool)
    there = slice(None) if units is None else units > 0
    seen[levels.codes[there], row_labels[there]] = True
    matters = (seen[: known - 1] | seen[1:known]).sum(axis=1) > 1
    rows_at = np.bincount(levels.codes, units, minlength=len(levels.values))
    beside = np.where(matters, rows_at[: known - 1] + rows_at[1:known], 0).cumsum()
    wanted = beside[-1] * (np.arange(most) + 0.5) / most
    kept = np.unique(np.searchsorted(beside, wanted))  # the levels below the thresholds
    cuts = tuple(threshold_of(levels, code) for code in kept.tolist())
    level_of = np.append(np.searchsorted(kept, np.arange(known)), len(kept) + 1)
    values = [levels.values[code] for code in (*kept.tolist(), known - 1)]
    values += [None] if levels.has_missing else []
    return replace(levels, values=tuple(values), codes=level_of[levels.codes], cuts=cuts)


def feature_count(levels: Levels, scheme: str) -> int:
    """The number of features that the column becomes."""
    known = len(levels.values)
    if known < 2:
        return 0
    if scheme == "binary":
        return (known - 1).bit_length()
    thresholds = known - 1 if scheme in ("threshold", "both") else 0
    if scheme == "threshold":
        return thresholds
    return thresholds + (1 if known == 2 else known)


def features_of(levels: Levels, scheme: str, rows: Ints) -> Iterator[tuple[list[Feature], Bits]]:
    """The features of a column in blocks, with their bits on `rows`, one feature per line."""
    if len(levels.values) < 2:
        return
    if scheme == "both":
        yield from features_of(levels, "threshold", rows)
        yield from features_of(levels, "unary", rows)
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
    features = [
        Feature(levels.column, "=", None)
        if levels.values[code + 1] is None
        else Feature(levels.column, "<=", threshold_of(levels, code))
        for code in wanted.tolist()
    ]
    bits = codes <= wanted[:, None]
    if levels.has_missing:
        gone = len(levels.values) - 1
        # The last boundary is the one before the missing value; `= missing` is its other side.
        bits[wanted == gone - 1] = codes == gone
    return features, bits


def threshold_of(levels: Levels, code: int) -> Value | tuple[Value, ...]:
    """The threshold between a level and the next one."""
    if levels.cuts is not None:
        return levels.cuts[code]
    low, high = levels.values[code], levels.values[code + 1]
    if levels.words:
        return levels.words[: levels.words.index(str(low)) + 1]
    if isinstance(low, float) and isinstance(high, float):
        return midpoint(low, high)
    return low


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
