"""Weights of rows and classes as whole numbers, which is what the engines count in.

A weight is the cost of getting its row wrong. What is proven of a tree is about sums of weights, so
these must be exact: each weight becomes a whole number of *units*, and the unit a fraction.

1. A weight that was written in decimals is that decimal: 0.1 is 1/10, not the binary number next to
   it. Weights of classes are fractions from the start: `balanced` gives W ÷ (classes × W of the
   class), where W is the number of rows, or the sum of their own weights. The unit is then the
   greatest number that divides all weights.
2. If all weights are whole multiples of the smallest one, as numbers of the machine, that one is
   the unit: this covers 1/3 and 2/3.
3. Otherwise, or if the sum would be more than `MOST` units, weights are rounded to a unit of their
   sum ÷ `PARTS`, but none to 0. The largest change is kept, so that people can be told.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dtfinder.data.dataset import Ints, Label, Weights, show_value
from dtfinder.errors import DataError, Option, OptionError

MOST = 2**45  # units in all that engines can count with prices on top
PARTS = 2**32
LEAST, GREATEST = Fraction(sys.float_info.min), Fraction(sys.float_info.max)
BALANCED = "balanced"
ClassWeight = str | Mapping[Any, float] | Sequence[tuple[Any, float]] | None
_NAME = Option("class_weight")


def checked_weights(values: Any, rows: int) -> NDArray[np.float64]:
    """One weight for each row as a number, or an error that says which is wrong."""
    try:
        given = np.asarray(values)
        if given.dtype.kind in "cmM":  # complex numbers, durations and dates
            raise TypeError
        weights = given.astype(np.float64, copy=False)
    except (TypeError, ValueError):
        raise DataError(f"weights must be numbers, not {values!r:.60}") from None
    if weights.shape != (rows,):
        raise DataError(
            f"there are {rows} rows but weights of shape {weights.shape}; give one each"
        )
    wrong = ~(np.isfinite(weights) & (weights >= 0))
    if wrong.any():
        row = int(wrong.argmax())
        raise DataError(
            f"the weight of row {row + 1} is {weights[row]:g}; weights must be finite, 0 or more"
        )
    if not weights.any():
        raise DataError(
            "all weights are zero, so there is no row to learn from; give some a weight"
        )
    return weights


def make_weights(
    row_weights: NDArray[np.float64] | None,
    labels: Ints,
    classes: tuple[Label, ...],
    class_weight: ClassWeight,
) -> Weights | None:
    """The weight of each row in units, times that of its class; None where nothing is weighted."""
    if row_weights is None and class_weight is None:
        return None
    own = np.ones(len(labels)) if row_weights is None else row_weights
    values, codes = np.unique(own, return_inverse=True)
    exact = [Fraction(repr(float(value))) for value in values]
    pairs, places = np.unique(codes * len(classes) + labels, return_inverse=True)
    times = np.bincount(places).tolist()
    kinds = [(exact[p // len(classes)], p % len(classes)) for p in pairs.tolist()]
    sums = [Fraction(0)] * len(classes)
    for (weight, label), count in zip(kinds, times, strict=True):
        sums[label] += weight * count
    of_class = _class_fractions(class_weight, sums, classes)
    units, unit, rounded = _whole([weight * of_class[label] for weight, label in kinds], times)
    return Weights(np.array(units, dtype=np.int64)[places], unit, rounded)


def _whole(values: list[Fraction], times: list[int]) -> tuple[list[int], Fraction, float]:
    """The values in units, the unit, and the largest change as a share of the sum."""
    total = sum((value * count for value, count in zip(values, times, strict=True)), Fraction(0))
    if not total:
        raise DataError("all rows have the weight zero; give some of them a weight")
    if not LEAST < total < GREATEST:
        size = "large" if total > 1 else "small"
        raise DataError(f"the weights add up to too {size} a number; scale them to about 1")
    for unit in (_common(values), _smallest(values)):
        if unit is not None and total <= unit * MOST:
            return [round(value / unit) for value in values], unit, 0.0
    unit = total / PARTS
    units = [max(1, round(value / unit)) if value else 0 for value in values]
    change = max(abs(n * unit - value) for n, value in zip(units, values, strict=True))
    return units, unit, float(change / total)


def _common(values: list[Fraction]) -> Fraction:
    """The greatest number that divides all values."""
    scale = math.lcm(*(value.denominator for value in values))
    return Fraction(math.gcd(*(int(value * scale) for value in values)), scale)


def _smallest(values: list[Fraction]) -> Fraction | None:
    """The smallest value but 0, if the others are whole multiples of it for the machine."""
    least = min(value for value in values if value)
    if least < LEAST:
        return None
    ratios = [float(value) / float(least) for value in values]
    return least if all(ratio.is_integer() for ratio in ratios) else None


def _class_fractions(
    given: ClassWeight, sums: list[Fraction], classes: tuple[Label, ...]
) -> list[Fraction]:
    """The weight of each class, given the sums of the weights of its rows."""
    if given is None:
        return [Fraction(1)] * len(classes)
    if given == BALANCED:
        total, present = sum(sums), sum(each > 0 for each in sums)
        return [Fraction(total) / (present * each) if each else Fraction(1) for each in sums]
    named = read_class_weight(given)
    known: dict[Any, Fraction] = {}
    for name, weight in named:
        places = [n for n, each in enumerate(classes) if each == name]
        places = places or [n for n, each in enumerate(classes) if show_value(each) == str(name)]
        if not places:
            shown = ", ".join(map(show_value, classes))
            raise OptionError(_NAME, f" names {name!r}, which is not a class; there are {shown}")
        if places[0] in known:
            raise OptionError(_NAME, f" names {name!r} twice; give every class one weight")
        known[places[0]] = weight
    absent = next((each for n, each in enumerate(classes) if n not in known), None)
    if absent is not None:
        raise OptionError(_NAME, f" has no weight for the class {absent!r}; give every class one")
    return [known[place] for place in range(len(classes))]


def read_class_weight(given: ClassWeight) -> list[tuple[Any, Fraction]]:
    """The pairs of class and weight of a mapping, or of a text such as `no=1,yes=2.5`."""
    pairs: list[tuple[Any, Any]]
    shown = given if isinstance(given, str) else dict(given or ())
    if isinstance(given, str):
        pieces = [piece.rpartition("=") for piece in given.split(",")]
        pairs = [(name.strip(), weight.strip()) for name, _, weight in pieces]
    elif isinstance(given, Mapping):
        pairs = list(given.items())
    else:
        pairs = list(given or ())
    read = []
    for name, weight in pairs:
        value = _fraction(str(weight))
        if isinstance(weight, bool) or value is None or value < 0 or name == "":
            raise OptionError(
                _NAME,
                " must be balanced or weights of 0 or more, such as no=1,yes=5 or "
                f"{{'no': 1, 'yes': 5}}, not {shown!r}",
            )
        read.append((name, value))
    return read


def _fraction(text: str) -> Fraction | None:
    """The number that a text stands for, if a float can hold it: the fraction of 1e999999 is so
    long that it takes minutes to write down."""
    try:
        number = 1.0 if "/" in text else float(text)
        if not math.isfinite(number):
            return None
        return Fraction(text) if number else Fraction(0)
    except (ValueError, ZeroDivisionError):
        return None
