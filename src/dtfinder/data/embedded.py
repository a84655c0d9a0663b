"""The embedded data sets: concepts made by formula, a table of 14 rows, and scikit-learn's three.

Each concept lists all rows of its space, so the smallest tree of a concept is the smallest way to
write it down as a tree. Attributes are words, also where the words are 0 and 1, so that a tree
reads `A0 = 1` and `head shape = round`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np

from dtfinder.data.columns import Column, objects, typed_column

Rows = Iterable[tuple[Any, ...]]


@dataclass(frozen=True)
class Concept:
    """An embedded data set: `rows` makes its rows, the class last."""

    about: str
    names: tuple[str, ...]
    rows: Callable[[], Rows]
    target: str = "target"


def embedded_names() -> tuple[str, ...]:
    """The names of all embedded data sets."""
    return (*_CONCEPTS, *_FROM_SKLEARN)


def describe(name: str) -> str:
    """One line about the embedded data set `name`."""
    return _CONCEPTS[name].about if name in _CONCEPTS else _FROM_SKLEARN[name][1]


def read_embedded(name: str) -> tuple[tuple[str, ...], list[Column], str]:
    """The names and columns of an embedded data set, the class among them, and its name."""
    if name in _FROM_SKLEARN:
        return _load_from_sklearn(_FROM_SKLEARN[name][0])
    concept = _CONCEPTS[name]
    cells = list(zip(*concept.rows(), strict=True))
    columns = [typed_column(objects(column)) for column in cells]
    return (*concept.names, concept.target), columns, concept.target


def _load_from_sklearn(loader: str) -> tuple[tuple[str, ...], list[Column], str]:
    import sklearn.datasets

    bunch = getattr(sklearn.datasets, loader)()
    columns = [typed_column(np.ascontiguousarray(column)) for column in bunch.data.T]
    classes = [str(name) for name in bunch.target_names]
    columns.append(typed_column(objects(classes[index] for index in bunch.target)))
    return (*map(str, bunch.feature_names), "class"), columns, "class"


def _truth_table(bits: int, formula: Callable[..., bool]) -> Callable[[], Rows]:
    """All rows of `bits` bits, first bit slowest, with the truth of `formula` as the class."""

    def rows() -> Rows:
        for row in product((0, 1), repeat=bits):
            yield (*map(str, row), int(formula(*row)))

    return rows


def _bit_names(count: int, first: int = 0) -> tuple[str, ...]:
    return tuple(f"x{number}" for number in range(first, first + count))


def _corral() -> Rows:
    """The sixth bit is the class in three of four rows: tempting at the root, and useless there."""
    for a0, a1, b0, b1, irrelevant in product((0, 1), repeat=5):
        label = (a0 and a1) or (b0 and b1)
        for correlated in (label, label, label, 1 - label):
            yield (*map(str, (a0, a1, b0, b1, irrelevant, correlated)), label)


_MONK_VALUES = {
    "head shape": ("round", "square", "octagon"),
    "body shape": ("round", "square", "octagon"),
    "is smiling": ("yes", "no"),
    "holding": ("sword", "balloon", "flag"),
    "jacket": ("red", "yellow", "green", "blue"),
    "has tie": ("yes", "no"),
}


def _monk(formula: Callable[..., bool]) -> Callable[[], Rows]:
    def rows() -> Rows:
        for row in product(*_MONK_VALUES.values()):
            yield (*row, int(formula(*row)))

    return rows


def _monk1(head: str, body: str, smiling: str, holding: str, jacket: str, tie: str) -> bool:
    return head == body or jacket == "red"


def _monk2(*row: str) -> bool:
    first = [values[0] for values in _MONK_VALUES.values()]
    return sum(value == wanted for value, wanted in zip(row, first, strict=True)) == 2


def _monk3(head: str, body: str, smiling: str, holding: str, jacket: str, tie: str) -> bool:
    return (jacket == "green" and holding == "sword") or (jacket != "blue" and body != "octagon")


def _weather() -> Rows:
    table = """
        sunny    hot  high   false no
        sunny    hot  high   true  no
        overcast hot  high   false yes
        rainy    mild high   false yes
        rainy    cool normal false yes
        rainy    cool normal true  no
        overcast cool normal true  yes
        sunny    mild high   false no
        sunny    cool normal false yes
        rainy    mild normal false yes
        sunny    mild normal true  yes
        overcast mild high   true  yes
        overcast hot  normal false yes
        rainy    mild high   true  no
    """
    for line in table.split("\n"):
        if line.strip():
            yield tuple(line.split())


def _three_in_a_row(*bits: int) -> bool:
    return any(all(bits[start : start + 3]) for start in range(len(bits) - 2))


def _any_triple(*bits: int) -> bool:
    return any(all(bits[start : start + 3]) for start in range(0, len(bits), 3))


_CONCEPTS = {
    "weather": Concept(
        "Quinlan's 14 days: play outside or not",
        ("outlook", "temperature", "humidity", "windy"),
        _weather,
        "play",
    ),
    "mux6": Concept(
        "multiplexer: two address bits choose one of four data bits",
        ("A0", "A1", "D0", "D1", "D2", "D3"),
        _truth_table(6, lambda a0, a1, *data: data[2 * a0 + a1]),
    ),
    "monk1": Concept(
        "MONK's first problem: head shape = body shape, or the jacket is red",
        tuple(_MONK_VALUES),
        _monk(_monk1),
    ),
    "monk2": Concept(
        "MONK's second problem: exactly two attributes have their first value",
        tuple(_MONK_VALUES),
        _monk(_monk2),
    ),
    "monk3": Concept(
        "MONK's third problem, without noise: green jacket and sword, or not blue and no octagon",
        tuple(_MONK_VALUES),
        _monk(_monk3),
    ),
    "xd6": Concept(
        "one of three triples of nine bits is all ones",
        _bit_names(9, 1),
        _truth_table(9, _any_triple),
    ),
    "threeOf9": Concept(
        "three of nine bits in a row are ones",
        _bit_names(9, 1),
        _truth_table(9, _three_in_a_row),
    ),
    "parity5": Concept(
        "the parity of five bits",
        _bit_names(5, 1),
        _truth_table(5, lambda *bits: sum(bits) % 2 == 1),
    ),
    "corral": Concept(
        "(A0 and A1) or (B0 and B1), with an irrelevant bit and one that is right in 3 of 4 rows",
        ("A0", "A1", "B0", "B1", "irrelevant", "correlated"),
        _corral,
    ),
    "mofn-3-7-10": Concept(
        "three or more of seven bits are ones; three more bits do not matter",
        _bit_names(10),
        _truth_table(10, lambda *bits: sum(bits[2:9]) >= 3),
    ),
}

# Name: the function of sklearn.datasets, and one line about it.
_FROM_SKLEARN = {
    "iris": ("load_iris", "150 irises of three kinds, four measurements (scikit-learn)"),
    "wine": ("load_wine", "178 wines of three growers, 13 measurements (scikit-learn)"),
    "breast-cancer": (
        "load_breast_cancer",
        "569 tumours, malignant or benign, 30 measurements (scikit-learn)",
    ),
}
