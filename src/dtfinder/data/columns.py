"""One column as it came in, and what becomes of it: values to test, or labels to predict.

A column of a file is text, so its type is read off its words: numbers if every word is one, truth
values if every word is `true` or `false`, text otherwise. A column of an array or a data frame
has a type already and keeps it: text stays text there, even where it looks like a number. Dates,
times and durations are text, too, in one way of writing that keeps their order; see `moments.py`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from numbers import Real
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from dtfinder.data.dataset import Bits, Ints, show_value
from dtfinder.data.moments import duration_text, moment_text, moments, utc
from dtfinder.errors import DataError, Option

# Words of a text file that stand for a missing value.
MISSING_WORDS = frozenset({"", "?", "NA", "NaN", "nan", "null", "None"})
_TRUTH = {"true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False}
# Whole numbers up to here are exact as floats.
_EXACT = 2**53
# More columns than this are a mistake, or a table that no exact method can use.
MAX_COLUMNS = 100_000


class Column(Protocol):
    """What every kind of input column can be turned into."""

    @property
    def order(self) -> tuple[str, ...]:
        """The words of an ordered category, the least first; empty for any other column."""

    def __len__(self) -> int:
        """The number of rows."""

    def values(self, name: str, keep_text: bool = False, decimal: str = ".") -> NDArray[Any]:
        """The column as a `Table` holds it, with words that are numbers left as words if
        `keep_text`; `name` is for messages, and `decimal` the mark of numbers that are text."""

    def labels(self, name: str) -> NDArray[Any]:
        """The column as classes, an array whose `tolist()` has the labels as Python scalars."""

    def written(self, name: str) -> NDArray[Any]:
        """The column as it is to be written to a file: words as they were, otherwise values."""

    def missing_count(self) -> int:
        """The number of rows without a value."""


@dataclass(frozen=True)
class TextColumn:
    """The distinct words of a column, and which of them each row has."""

    words: Sequence[str]
    codes: Ints
    order: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.codes)

    def missing_count(self) -> int:
        """The number of rows whose word stands for a missing value."""
        return int(np.isin(self.codes, self._gone()).sum())

    def _gone(self) -> list[int]:
        return [code for code, word in enumerate(self.words) if word in MISSING_WORDS]

    def values(self, name: str, keep_text: bool = False, decimal: str = ".") -> NDArray[Any]:
        """Numbers, truth values or text, whatever all words are; text if `keep_text`."""
        present = [word for word in self.words if word not in MISSING_WORDS]
        plain = [_with_point(word) for word in present] if decimal == "," else present
        numbers = None if keep_text else _numbers(plain)
        if numbers is not None:
            _check_exact(plain, numbers, name)
            found = dict(zip(present, numbers, strict=True))
            spread = [found.get(word, math.nan) for word in self.words]
            return np.array(spread, dtype=np.float64)[self.codes]
        truths = None if keep_text else _truths(present)
        if truths is not None:
            return self._objects(dict(zip(present, truths, strict=True)))
        return self._objects(moments(present) or dict(zip(present, present, strict=True)))

    def written(self, name: str) -> NDArray[Any]:
        """The words themselves: `01` stays `01`."""
        return objects(self.words)[self.codes]

    def _objects(self, meaning: dict[str, Any]) -> NDArray[Any]:
        """What each row's word means, None where it means nothing."""
        return objects([meaning.get(word) for word in self.words])[self.codes]

    def labels(self, name: str) -> NDArray[Any]:
        """Whole numbers, other whole-valued numbers, truth values, or text."""
        _no_missing_labels(np.isin(self.codes, self._gone()), name, " (or `?`, NA, null, None)")
        present = list(self.words)
        truths = _truths(present)
        if truths is not None:
            return np.array(truths, dtype=bool)[self.codes]
        if all(_is_plain_int(word) for word in present):
            return np.asarray(np.array([int(word) for word in present])[self.codes])
        numbers = _numbers(present)
        # `01` and `1` are two labels, so only numbers that stay apart are taken as numbers.
        if numbers is not None and len(set(numbers)) == len(numbers):
            return _whole_labels(np.array(numbers)[self.codes], name)
        return self._objects(dict(zip(present, present, strict=True)))


@dataclass(frozen=True)
class TypedColumn:
    """An array with a type of its own, and where it has no value. Values of `categories`
    are words, whatever their type is; they may have an `order`."""

    array: NDArray[Any]
    missing: Bits
    categories: bool = False
    order: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.array)

    def missing_count(self) -> int:
        """The number of rows without a value."""
        return int(self.missing.sum())

    def values(self, name: str, keep_text: bool = False, decimal: str = ".") -> NDArray[Any]:
        """float64 with NaN for numbers, otherwise str or bool objects with None. What is text and
        what is not is given here, so `keep_text` and `decimal` change nothing."""
        array, kind = self._plain(name)
        if self.categories:
            array, kind = objects(map(word_of, array.tolist())), "text"
        if kind == "number":
            return _as_floats(array, self.missing, name)
        out = objects(array.tolist())
        if kind == "text" and not self.order:
            written = moments(set(array[~self.missing].tolist())) or {}
            out = objects(written.get(word, word) for word in out.tolist())
        out[self.missing] = None
        return out

    def labels(self, name: str) -> NDArray[Any]:
        """The labels in their own type; numbers must be whole."""
        _no_missing_labels(self.missing, name)
        array, kind = self._plain(name)
        whole = array.dtype.kind in "biu" or all(type(value) is int for value in array.tolist())
        if kind != "number" or whole:
            return array
        return _whole_labels(array.astype(np.float64), name)

    def written(self, name: str) -> NDArray[Any]:
        """The values: their type says how they are written."""
        return self.values(name)

    def _plain(self, name: str) -> tuple[NDArray[Any], str]:
        """The array and what it holds, "number", "truth" or "text", with objects that are none of
        these turned into text. What stands where a value is missing has no meaning."""
        kind = self.array.dtype.kind
        if kind in "fiu":
            return self.array, "number"
        if kind == "b":
            return self.array, "truth"
        if kind == "M":
            return _texts_of(_by_microseconds(self.array), str), "text"
        if kind == "m":
            return _texts_of(
                self.array.astype("timedelta64[ns]"), lambda each: duration_text(int(each))
            ), "text"
        if kind != "O":
            raise DataError(f"column {name!r} has type {self.array.dtype}; give numbers or text")
        listed = utc([v.item() if isinstance(v, np.generic) else v for v in self.array.tolist()])
        kinds = {type(v) for v, gone in zip(listed, self.missing, strict=True) if not gone}
        if kinds == {bool}:
            return objects(listed), "truth"
        if kinds and bool not in kinds and all(issubclass(k, (Real, Decimal)) for k in kinds):
            return objects(listed), "number"
        return objects(map(word_of, listed)), "text"


def word_of(value: Any) -> str:
    """The text of a value that is one of several kinds, or a category."""
    return show_value(value) if isinstance(value, (float, str)) else moment_text(value)


def _texts_of(array: NDArray[Any], text: Callable[[Any], str]) -> NDArray[Any]:
    """The texts of dates or durations, each distinct one made once."""
    distinct, codes = np.unique(array, return_inverse=True)
    return objects(moment_text(text(value)) if not np.isnat(value) else "" for value in distinct)[
        codes
    ]


def _by_microseconds(moments: NDArray[Any]) -> NDArray[Any]:
    """Moments of time as written by `isoformat`, unless they are finer."""
    fine = np.datetime_data(moments.dtype)[0] in ("ns", "ps", "fs", "as")
    return moments if fine else moments.astype("datetime64[us]")


def objects(values: Iterable[Any]) -> NDArray[Any]:
    """An array of the values as they are."""
    listed = list(values)
    array = np.empty(len(listed), dtype=object)
    array[:] = listed
    return array


def text_column(words: Iterable[str], codes: Ints) -> TextColumn:
    """The column whose row i has the word number `codes[i]`, apart from blanks around it."""
    numbering: dict[str, int] = {}
    place = [numbering.setdefault(word.strip(), len(numbering)) for word in words]
    return TextColumn(tuple(numbering), np.array(place, dtype=np.int64)[codes])


def check_width(width: int, source: str) -> None:
    """Refuse a table with too many columns before time is spent on them."""
    if width > MAX_COLUMNS:
        raise DataError(
            f"{source} has {width} columns, but at most {MAX_COLUMNS} are supported; keep the "
            "columns that matter"
        )


def typed_column(array: NDArray[Any], missing: Bits | None = None) -> Column:
    """The column of one-dimensional `array`. Arrays of numpy's own text type are read as text from
    a file is, because numpy turns a mixture of numbers and words into such an array."""
    if array.dtype.kind in "US":
        if array.dtype.kind == "S":
            array = np.char.decode(array, "utf-8", "replace")
        words, codes = np.unique(array, return_inverse=True)
        return text_column(words.tolist(), codes)
    if missing is None:
        missing = missing_in(array)
    return TypedColumn(array, missing)


def missing_in(array: NDArray[Any]) -> Bits:
    """Where the array of one column has no value."""
    if array.ndim != 1:
        raise DataError("a column holds lists or records; give one number or string per cell")
    if array.dtype.kind in "fc":
        return np.asarray(np.isnan(array), dtype=bool)
    if array.dtype.kind in "mM":
        return np.asarray(np.isnat(array), dtype=bool)
    if array.dtype.kind != "O":
        return np.zeros(len(array), dtype=bool)
    return np.array([_is_missing(value) for value in array.tolist()], dtype=bool)


def _is_missing(value: Any) -> bool:
    if value is None or isinstance(value, np.ndarray):  # the latter is a list of classes
        return value is None
    try:
        return bool(value != value)
    except (TypeError, ValueError):  # such as pandas.NA, which has no truth value
        return True


def _is_plain_int(word: str) -> bool:
    """Whether the word is a whole number as Python writes it, and not absurdly long."""
    digits = word.removeprefix("-")
    plain = digits.isascii() and digits.isdecimal() and len(digits) <= 300
    return plain and (digits[0] != "0" or word == "0")


def _numbers(words: list[str]) -> list[float] | None:
    """The words as numbers, or None unless all of them are (and there is one at least)."""
    if not words:
        return None
    try:
        numbers = list(map(float, words))
    except ValueError:
        return None
    # Python also reads 1_000, which is not how a table writes a number.
    return None if any("_" in word for word in words) else numbers


_GROUPED = re.compile(r"(?a)([-+]?\d{1,3})((?:\.\d{3})+)(,\d*)?")


def _with_point(word: str) -> str:
    """A number with a decimal comma, and perhaps points between groups of three digits, as Python
    reads it; a word that has a point elsewhere is none."""
    if found := _GROUPED.fullmatch(word):
        word = found[1] + found[2].replace(".", "") + (found[3] or "")
    return "" if "." in word else word.replace(",", ".")


def _truths(words: list[str]) -> list[bool] | None:
    return [_TRUTH[word] for word in words] if words and _TRUTH.keys() >= set(words) else None


def _check_exact(words: list[str], numbers: list[float], name: str) -> None:
    """Refuse whole numbers so large that different ones become the same float."""
    large = [word for word, number in zip(words, numbers, strict=True) if abs(number) >= _EXACT]
    _refuse_merged({int(word) for word in large if _is_plain_int(word)}, name)


def _refuse_merged(whole: set[int], name: str) -> None:
    by_float: dict[float, int] = {}
    for number in sorted(whole):
        other = by_float.setdefault(float(number), number)
        if other != number:
            raise DataError(
                f"column {name!r} has {other} and {number}, which are equal as "
                "floating-point numbers; subtract a constant, or leave the column out"
            )


def _as_floats(array: NDArray[Any], missing: Bits, name: str) -> NDArray[np.float64]:
    if array.dtype.kind == "O":
        present = array[~missing].tolist()
        large = [value for value in present if isinstance(value, int) and abs(value) >= _EXACT]
        try:
            _refuse_merged(set(large), name)
            floats = np.full(len(array), np.nan)
            floats[~missing] = [float(value) for value in present]
        except OverflowError:
            raise DataError(
                f"column {name!r} has a number beyond 1e308; rescale it, or leave the column out"
            ) from None
        return floats
    if array.dtype.kind in "iu" and array.dtype.itemsize == 8 and len(array):
        # Not abs: the least 64-bit number has no positive counterpart.
        beyond = (array >= _EXACT) | ((array < 0) & (array < -_EXACT))
        _refuse_merged(set(array[beyond].tolist()), name)
    floats = array.astype(np.float64)
    if missing.any():
        floats[missing] = np.nan
    return floats


def _no_missing_labels(missing: Bits, name: str, written: str = "") -> None:
    count = int(missing.sum())
    if count:
        row = int(np.argmax(missing)) + 1
        if count == len(missing):
            raise DataError(
                f"the class column {name!r} is empty; name another one with ",
                Option("target"),
                ", or leave it out with ",
                Option("ignore"),
            )
        raise DataError(
            f"the class column {name!r} has no value{written} in {count} of {len(missing)} rows, "
            f"first in row {row}; remove those rows, or give their class a name"
        )


def _whole_labels(numbers: NDArray[np.float64], name: str) -> NDArray[np.float64]:
    wrong = ~np.isfinite(numbers) | (numbers != np.floor(numbers))
    if wrong.any():
        raise DataError(
            f"the class column {name!r} has the value {numbers[int(np.argmax(wrong))]!s}, which is "
            "a measurement, not a class; name another column with ",
            Option("target"),
            ", or make it text",
        )
    return numbers
