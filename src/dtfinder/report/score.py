"""How good a tree is on a table whose classes are known: accuracy, confusion matrix, and precision
and recall of each class."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from dtfinder.data.class_sets import class_labels, has_sets
from dtfinder.data.columns import Column
from dtfinder.data.dataset import Ints, Label, show_value
from dtfinder.data.read import target_place
from dtfinder.errors import DataError, Option
from dtfinder.report.labels import Rows
from dtfinder.report.text import aligned, amount, printable
from dtfinder.tree import Tree

MOST_CLASSES = 20  # for which the matrix is printed


@dataclass(frozen=True)
class Scores:
    """`confusion[i][j]` rows have class i and are predicted to have class j. The classes are those
    of the tree, followed by those that only the table has. A row that allows several classes counts
    for the predicted one if it allows that, and for its first one if not."""

    target: str
    classes: tuple[Label, ...]
    confusion: Ints

    @property
    def rows(self) -> int:
        """The number of rows."""
        return int(self.confusion.sum())

    @property
    def correct(self) -> int:
        """The number of rows that the tree gets right."""
        return int(np.trace(self.confusion))

    @property
    def accuracy(self) -> float:
        """The share of rows that the tree gets right."""
        return self.correct / self.rows

    @property
    def recall(self) -> list[float | None]:
        """For each class, the share of its rows that the tree gets right; None without rows."""
        return _shares(self.confusion.sum(axis=1), np.diag(self.confusion))

    @property
    def precision(self) -> list[float | None]:
        """For each class, the share of its predictions that are right; None without any."""
        return _shares(self.confusion.sum(axis=0), np.diag(self.confusion))

    @property
    def balanced_accuracy(self) -> float:
        """The mean recall of the classes that the table has."""
        return float(np.mean([share for share in self.recall if share is not None]))

    def to_json(self) -> dict[str, Any]:
        """A plain object with all of it."""
        counts = zip(
            self.classes,
            self.confusion.sum(axis=1).tolist(),
            self.confusion.sum(axis=0).tolist(),
            self.precision,
            self.recall,
            strict=True,
        )
        names = ("class", "rows", "predicted", "precision", "recall")
        return {
            "target": self.target,
            "rows": self.rows,
            "correct": self.correct,
            "accuracy": self.accuracy,
            "balanced_accuracy": self.balanced_accuracy,
            "classes": list(self.classes),
            "confusion": self.confusion.tolist(),
            "per_class": [dict(zip(names, each, strict=True)) for each in counts],
        }


def score_file(
    tree: Tree,
    source: Any,
    target: str | None = None,
    missing: str | None = None,
    decimal: str = ".",
    classes_separator: str | None = None,
) -> Scores:
    """Compare the classes that `tree` gives to the rows of `source` with those in its column
    `target`, by default the one that the tree was made for, or else the one that `fit` would take.
    `classes_separator` stands between several classes of a row."""
    rows = Rows(tree, source, missing, decimal)
    own = tree.target if tree.target in rows.columns else rows.known_target
    place = target_place(tuple(rows.columns), own if target is None else target)
    name = list(rows.columns)[place]
    if name in tree.columns:
        raise DataError(
            f"column {name!r} is one that the tree asks about, so it cannot be the class; name the "
            "class column with ",
            Option("target"),
        )
    predicted = np.array([node.label for node in tree.nodes], dtype=np.int64)[rows.leaves]
    labels = class_labels(rows.columns[name], name, classes_separator)
    if has_sets(labels):
        classes, actual = _of_sets(tree, labels.tolist(), predicted, name)
    else:
        classes, actual = _actual(tree, rows.columns[name], name)
    confusion = np.zeros((len(classes), len(classes)), dtype=np.int64)
    np.add.at(confusion, (actual, predicted), 1)
    return Scores(name, classes, confusion)


def _actual(tree: Tree, column: Column, name: str) -> tuple[tuple[Label, ...], Ints]:
    """All classes, and the index of each row's own. A table may have fewer classes than the one
    that the tree was made from, and so its column may have another type: 1 and true are then words
    in one and values in the other. So classes are the same if they are written the same."""
    index = {show_value(label): number for number, label in enumerate(tree.classes)}
    labels, words = column.labels(name).tolist(), column.written(name).tolist()
    known = [
        next((text for text in (show_value(label), show_value(word)) if text in index), None)
        for label, word in zip(labels, words, strict=True)
    ]
    if not any(known):
        raise _no_class_of(tree, labels, name)
    classes, numbers = list(tree.classes), []
    for text, label in zip(known, labels, strict=True):
        text = show_value(label) if text is None else text
        if text not in index:
            index[text] = len(classes)
            classes.append(label)
        numbers.append(index[text])
    return tuple(classes), np.array(numbers, dtype=np.int64)


def _of_sets(
    tree: Tree, rows: list[tuple[Label, ...]], predicted: Ints, name: str
) -> tuple[tuple[Label, ...], Ints]:
    """The same for rows that allow several classes: the one that is predicted, if it is allowed."""
    index = {show_value(label): number for number, label in enumerate(tree.classes)}
    texts = list(index)
    classes, numbers, known = list(tree.classes), [], False
    for row, given in zip(rows, predicted.tolist(), strict=True):
        allowed = [show_value(label) for label in row]
        known = known or any(text in index for text in allowed)
        text = texts[given] if texts[given] in allowed else allowed[0]
        if text not in index:
            index[text] = len(classes)
            classes.append(row[0])
        numbers.append(index[text])
    if not known:
        raise _no_class_of(tree, [label for row in rows for label in row], name)
    return tuple(classes), np.array(numbers, dtype=np.int64)


def _no_class_of(tree: Tree, labels: list[Label], name: str) -> DataError:
    some = ", ".join(map(repr, sorted({show_value(label) for label in labels})[:3]))
    has = ", ".join(repr(show_value(label)) for label in tree.classes[:3])
    return DataError(
        f"no row of column {name!r} has a class of the tree: it has {some}, the tree has {has}; "
        "name the class column with ",
        Option("target"),
    )


def score_text(scores: Scores) -> str:
    """The scores as text: two numbers, then one line per class."""
    rows = amount(scores.rows, "row")
    lines = [
        f"accuracy           {scores.accuracy:.4f}  ({scores.correct} of {rows})",
        f"balanced accuracy  {scores.balanced_accuracy:.4f}  (mean recall)",
        "",
    ]
    names = [printable(show_value(label)) for label in scores.classes]
    few = len(names) <= MOST_CLASSES
    head = [printable(scores.target), *(f"as {name}" for name in names if few)]
    table = [[*head, "precision", "recall"]]
    for number, name in enumerate(names):
        counts = scores.confusion[number].tolist() if few else []
        shares = (scores.precision[number], scores.recall[number])
        table.append([name, *map(str, counts), *("–" if s is None else f"{s:.4f}" for s in shares)])
    places = [str.ljust, *[str.rjust] * (len(table[0]) - 1)]
    return "\n".join([*lines, *aligned(table, places)]) + "\n"


def _shares(whole: Ints, part: Ints) -> list[float | None]:
    pairs = zip(part.tolist(), whole.tolist(), strict=True)
    return [p / w if w else None for p, w in pairs]
