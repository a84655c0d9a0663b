"""The classes that a tree gives to the rows of a table, as text."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from typing import Any

from dtfinder.data.binarise import levels_of
from dtfinder.data.columns import Column
from dtfinder.data.dataset import Table, show_value
from dtfinder.data.read import read_columns
from dtfinder.errors import Option, OptionError
from dtfinder.tree import Tree

PREDICTED = "predicted"


class Rows:
    """A table that `tree` classifies: `columns` as they were given, by name, and `leaves`, the
    number of the leaf that each row ends in. A missing value is an error, unless the tree was made
    of a table that had some, or `missing` is "value". `decimal` is the mark of numbers in text."""

    def __init__(
        self, tree: Tree, source: Any, missing: str | None = None, decimal: str = "."
    ) -> None:
        if missing is None:
            missing = "value" if tree.asks_for_missing else "error"
        if missing not in ("error", "value"):
            raise OptionError(Option("missing"), f" must be one of error, value, not {missing!r}")
        if decimal not in (".", ","):
            raise OptionError(Option("decimal"), f" must be one of '.', ',', not {decimal!r}")
        names, columns, self.known_target = read_columns(source)
        self.columns: dict[str, Column] = dict(zip(names, columns, strict=True))
        text = _text_columns(tree)
        values = (
            column.values(name, keep_text=name in text, decimal=decimal)
            for name, column in self.columns.items()
        )
        everything = Table(names, tuple(values))
        if missing == "error":
            tree.refuse_missing(everything)
        asked = tree.columns_of(everything)
        levels_of(Table(tuple(asked), tuple(map(everything.column, asked))), "value")  # all finite
        self.leaves = tree.apply(everything)


def classify_file(
    tree: Tree,
    source: Any,
    missing: str | None = None,
    *,
    probabilities: bool = False,
    append: bool = False,
    decimal: str = ".",
) -> str:
    """The class of each row of the table `source`, one per line, quoted as in CSV where necessary.

    With `append`, CSV with the row's own columns and the class beside them; with `probabilities`,
    CSV with the share of each class in the row's leaf, in place of the class or after it.
    """
    rows = Rows(tree, source, missing, decimal)
    labels = [show_value(tree.classes[node.label]) for node in tree.nodes]
    columns: list[tuple[str, Iterable[str]]] = []
    if append:
        columns = [(name, _written(column, name)) for name, column in rows.columns.items()]
    if append or not probabilities:
        columns.append((_free_name(rows.columns), (labels[leaf] for leaf in rows.leaves.tolist())))
    if probabilities:
        shares = tree.class_shares()[rows.leaves].T.tolist()
        names = [f"P({show_value(label)})" for label in tree.classes]
        columns += [(name, map(repr, column)) for name, column in zip(names, shares, strict=True)]
    return _csv(columns, header=append or probabilities)


def _csv(columns: Sequence[tuple[str, Iterable[str]]], header: bool) -> str:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    if header:
        writer.writerow(name for name, _ in columns)
    writer.writerows(zip(*(column for _, column in columns), strict=True))
    return out.getvalue()


def _written(column: Column, name: str) -> Iterable[str]:
    """The column's values as they are written to a file; a missing one is empty."""
    for value in column.written(name).tolist():
        yield "" if value is None or value != value else show_value(value)


def _free_name(taken: Iterable[str]) -> str:
    """`predicted`, or `predicted_2` if there is such a column, and so on."""
    names, number = set(taken), 1
    while (name := PREDICTED if number == 1 else f"{PREDICTED}_{number}") in names:
        number += 1
    return name


def _text_columns(tree: Tree) -> set[str]:
    """The columns that the tree compares with words: their numbers are read as words too."""
    return {
        feature.column
        for feature in tree.features
        if any(isinstance(value, str) for value in feature.values)
    }
