"""What the report page shows of the table: the rows as trees ask about them, and the columns."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dtfinder.data.columns import missing_in
from dtfinder.data.dataset import DATE, NUMBER, TRUTH, Dataset, Value, kind_of, show_value
from dtfinder.data.moments import DURATION, sort_key
from dtfinder.report.export.clauses import inputs_of
from dtfinder.report.text import amount, printable, questions
from dtfinder.tree import Tree

_MOST_ROWS = 5_000  # in the file, for the routes of rows and the rows at a node
_MOST_COLUMNS = 200  # in the summary of the data


def plain_value(value: Value) -> Any:
    """The value as JSON: NaN is missing, and an infinite number, which JSON has not, is named."""
    if isinstance(value, float) and not math.isfinite(value):
        return None if math.isnan(value) else {"number": "Infinity" if value > 0 else "-Infinity"}
    return value


def rows_of(dataset: Dataset | None, trees: list[Tree]) -> dict[str, Any]:
    """The columns that the trees ask about, each as its distinct values and a code for each row."""
    if dataset is None:
        return {"total": 0, "shown": 0, "columns": _asked_only(trees), "labels": [], "kept": []}
    table, shown = dataset.table, min(dataset.table.rows, _MOST_ROWS)
    used = {feature.column for tree in trees for feature in tree.features}
    columns = []
    for name, values in zip(table.names, table.columns, strict=True):
        if name in used:
            gone = bool(missing_in(values).any()) or _asks_missing(name, trees)
            about = {"name": name, "kind": kind_of(values), "missing": gone}
            distinct, codes = _coded(values[:shown])
            columns.append(about | {"values": list(map(plain_value, distinct)), "codes": codes})
    return {
        "total": table.rows,
        "shown": shown,
        "columns": columns,
        "labels": _labels(dataset, trees[0])[:shown],
        **_sets(dataset, shown),
        "kept": (dataset.example_of_row[:shown] >= 0).tolist(),
    }


def _labels(dataset: Dataset, tree: Tree) -> list[int]:
    """The class that each row counts for."""
    if dataset.row_sets is None:
        return list(dataset.row_labels.tolist())
    return list(dataset.counted_labels(tree.predict_index(dataset.table)).tolist())


def _sets(dataset: Dataset, shown: int) -> dict[str, list[list[int]]]:
    """The classes that each row allows, if any row allows several."""
    if dataset.row_sets is None:
        return {}
    return {"sets": [np.flatnonzero(row).tolist() for row in dataset.row_sets[:shown]]}


def _asked_only(trees: list[Tree]) -> list[dict[str, Any]]:
    """Without the table: the columns as far as the trees tell."""
    found = {each.column: each.kind for tree in trees for each in inputs_of(tree)}
    unknown: dict[str, Any] = {"values": [], "codes": []}
    return [
        {"name": name, "kind": kind, "missing": _asks_missing(name, trees), **unknown}
        for name, kind in found.items()
    ]


def _asks_missing(column: str, trees: list[Tree]) -> bool:
    asked = [feature for tree in trees for feature in tree.features if feature.column == column]
    return any(None in feature.values for feature in asked)


def _coded(values: NDArray[Any]) -> tuple[list[Value], list[int]]:
    places: dict[Value, int] = {}
    plain = [None if value != value else value for value in values.tolist()]
    codes = [places.setdefault(value, len(places)) for value in plain]
    return list(places), codes


def _key(kind: str) -> Any:
    return sort_key if kind == DURATION else None


def summary_of(dataset: Dataset | None, trees: list[Tree]) -> dict[str, Any]:
    """The table in words, its classes, and its columns, those that the trees ask about first."""
    tree = trees[0]
    counts = tree.counts[0]
    classes = [
        (printable(show_value(label)), count)
        for label, count in zip(tree.classes, counts, strict=True)
    ]
    if dataset is None:
        return {"words": [], "classes": classes, "columns": []}
    table = dataset.table
    dropped = int((dataset.example_of_row < 0).sum())
    words = [
        f"{amount(table.rows, 'row')} and {amount(len(table.names), 'column')} became "
        f"{amount(dataset.n_examples, 'distinct example')} over "
        f"{amount(dataset.n_features, 'distinct yes/no feature')}.",
        f"Trees may ask {questions(dataset).replace('<=', '≤')}; what is proven holds among these.",
    ]
    if dropped:
        why = "have missing values or contradict others"
        if dataset.missing != "drop":
            why = "contradict others"
        elif dataset.contradictions != "drop":
            why = "have missing values"
        words.append(f"{amount(dropped, 'row')} that {why} were dropped.")
    if dataset.unavoidable_errors:
        some = amount(dataset.unavoidable_errors, "row")
        some = some if dataset.weights is None else "Some rows"
        why = "other rows with the same features have another class"
        words.append(f"{some} cannot be right in any tree: {why}.")
    if len(table.names) > _MOST_COLUMNS:
        words.append(
            f"Below are the columns of the tree and the first others, {_MOST_COLUMNS} in all."
        )
    asked = {column for tree in trees for column in tree.columns}
    order = sorted(table.names, key=lambda name: name not in asked)[:_MOST_COLUMNS]
    return {
        "words": words,
        "classes": classes,
        "columns": [_column(name, table.column(name)) for name in order],
    }


def shares_of(tree: Tree) -> dict[str, float]:
    """How many of the answers that rows give on their way are about each column, as shares of 1."""
    asked: dict[str, int] = dict.fromkeys(tree.columns, 0)
    for node, counts in zip(tree.nodes, tree.counts, strict=True):
        if node.feature >= 0:
            asked[tree.features[node.feature].column] += sum(counts)
    whole = sum(asked.values())
    return {column: rows / whole if whole else 0.0 for column, rows in asked.items()}


def _column(name: str, values: NDArray[Any]) -> dict[str, Any]:
    gone, kind = missing_in(values), kind_of(values)
    present = values[~gone].tolist()
    distinct = dict.fromkeys(present)
    if kind in (NUMBER, DATE, DURATION) and present:
        first, last = (pick(distinct, key=_key(kind)) for pick in (min, max))
        about = f"{show_value(first)} … {show_value(last)}"
    else:
        some = sorted(distinct, key=str)[:6]
        about = ", ".join(printable(show_value(value)) for value in some)
        about = about[:120] + (", …" if len(distinct) > len(some) else "")
    return {
        "key": name,
        "name": printable(name),
        "kind": "true or false" if kind == TRUTH else kind,
        "distinct": len(distinct),
        "missing": int(gone.sum()),
        "values": about,
    }
