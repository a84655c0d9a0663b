"""The classes that a tree gives to the rows of a table, as text."""

from __future__ import annotations

import csv
import io
from typing import Any

from dtfinder.data import read_table
from dtfinder.data.binarise import levels_of
from dtfinder.data.dataset import TEXT, Table, show_value
from dtfinder.errors import Option, OptionError
from dtfinder.report.export.clauses import inputs_of
from dtfinder.tree import Tree


def classify_file(tree: Tree, source: Any, missing: str | None = None) -> str:
    """The class of each row of the table `source`, one per line, quoted as CSV where necessary. A
    missing value is an error, unless the tree was made of a table that had some, or `missing` is
    "value"."""
    if missing is None:
        missing = "value" if tree.asks_for_missing else "error"
    if missing not in ("error", "value"):
        raise OptionError(Option("missing"), f" must be one of error, value, not {missing!r}")
    table = read_table(source, need_target=False, text=_text_columns(tree))
    if missing == "error":
        tree.refuse_missing(table)
    asked = tree.columns_of(table)
    levels_of(Table(tuple(asked), tuple(map(table.column, asked))), "value")  # all are finite
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerows([show_value(label)] for label in tree.predict(table))
    return out.getvalue()


def _text_columns(tree: Tree) -> set[str]:
    """The columns that the tree compares with words: their numbers are to be read as words too."""
    return {each.column for each in inputs_of(tree) if each.kind == TEXT}
