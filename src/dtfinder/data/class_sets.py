"""Sets of allowed classes: rows for which several answers are right.

In a controller or a protocol several actions may be safe in a state. Then the class of a row is a
set: `left|right` in a file, with the separator named by an option, or a list, a tuple or a set in
Python. A leaf is right for a row if the row allows the leaf's class. A table holds a set as a tuple
of its classes in ascending order. The classes of all rows together have one type, as they would
have if each row had one of them.

Where every row allows one class only, the table is one of plain classes, as if there were no sets.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dtfinder.data.columns import Column, TypedColumn, missing_in, objects, text_column
from dtfinder.data.dataset import Bits, Label, sets_of, show_value
from dtfinder.errors import DataError

COLLECTIONS = (list, tuple, set, frozenset)


def class_labels(column: Column, name: str, separator: str | None) -> NDArray[Any]:
    """The classes of the rows: labels, or tuples of labels if any row allows several."""
    if isinstance(column, TypedColumn) and is_listed(column.array):
        gone = column.missing
        if gone.any():
            raise DataError(f"row {int(gone.argmax()) + 1} has no class in {name!r}; give it one")
        return listed_sets(column.array, name)
    return column.labels(name) if separator is None else separated_sets(column, separator, name)


def free_separator(target: NDArray[Any], given: str | None) -> str:
    """What can stand between classes in a file: what was given, or a sign that no class has."""
    if not has_sets(target):
        return ""
    if given is not None:
        return given
    words = "".join(show_value(label) for row in target.tolist() for label in row)
    signs = (sign for size in (1, 2, 3) for sign in (mark * size for mark in "|;/&+,:"))
    return next((sign for sign in signs if sign not in words), "")


def is_listed(values: Any) -> bool:
    """Whether these are classes of rows, some of which are lists, tuples or sets."""
    if isinstance(values, (str, bytes)) or not hasattr(values, "__iter__"):
        return False
    if isinstance(values, np.ndarray) and values.dtype.kind != "O":
        return False
    return any(isinstance(each, (*COLLECTIONS, np.ndarray)) for each in values)


def listed_sets(values: Iterable[Any], name: str) -> NDArray[Any]:
    """The classes of rows, each given alone or as a list, a tuple or a set."""
    rows = [
        list(each) if isinstance(each, (*COLLECTIONS, np.ndarray)) else [each] for each in values
    ]
    empty = next((number for number, row in enumerate(rows, 1) if not row), None)
    if empty is not None:
        raise DataError(f"row {empty} allows no class; give it one or more in {name!r}")
    array = objects(each for row in rows for each in row)
    missing = missing_in(array)
    if missing.any():
        row = int(np.repeat(np.arange(len(rows)), [len(row) for row in rows])[missing.argmax()]) + 1
        raise DataError(f"row {row} has a class without a value in {name!r}; give it a name")
    return _joined(TypedColumn(array, missing).labels(name), [len(row) for row in rows])


def separated_sets(column: Column, separator: str, name: str) -> NDArray[Any]:
    """The classes of the rows of a column of text, where `separator` stands between those of a
    row."""
    words = column.written(name)
    if not any(isinstance(word, str) and separator in word for word in words.tolist()):
        return column.labels(name)
    rows = [str(word).split(separator) for word in words.tolist()]
    for number, (word, row) in enumerate(zip(words.tolist(), rows, strict=True), 1):
        if not all(map(str.strip, row)):
            raise DataError(
                f"row {number} has {word!r} in the class column {name!r}, with no class on one "
                f"side of {separator!r}; write each class once between separators"
            )
    pieces = [word for row in rows for word in row]
    labels = text_column(pieces, np.arange(len(pieces))).labels(name)
    return _joined(labels, [len(row) for row in rows])


def _joined(labels: NDArray[Any], sizes: list[int]) -> NDArray[Any]:
    """The labels of each row, joined: plain labels if every row has just one, tuples if not."""
    listed, start, rows = labels.tolist(), 0, []
    for size in sizes:
        rows.append(tuple(sorted(set(listed[start : start + size]))))
        start += size
    if all(len(row) == 1 for row in rows):
        return np.asarray(labels[np.cumsum([0, *sizes[:-1]])])
    return objects(rows)


def has_sets(target: NDArray[Any] | None) -> bool:
    """Whether the rows have sets of classes."""
    return target is not None and target.dtype.kind == "O" and isinstance(target[0], tuple)


def set_indices(target: NDArray[Any]) -> tuple[tuple[Label, ...], Bits]:
    """All classes in order, and for each row those that it allows: rows × classes."""
    classes = tuple(sorted({label for row in target.tolist() for label in row}))
    return classes, sets_of(target, classes)


def first_several(target: NDArray[Any]) -> tuple[int, tuple[Label, ...]]:
    """The first row, counted from 1, that allows several classes, and these."""
    return next((n, row) for n, row in enumerate(target.tolist(), 1) if len(row) > 1)


def shown(labels: tuple[Label, ...]) -> str:
    """The classes of a row in a message."""
    return " and ".join(repr(show_value(label)) for label in labels)
