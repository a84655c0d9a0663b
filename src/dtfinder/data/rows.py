"""Rows as dicts, as JSON or a single question has them: `{"age": 41, "smoker": "no"}`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeGuard

from dtfinder.data.columns import objects, typed_column
from dtfinder.data.dataset import Table
from dtfinder.errors import DataError

Rows = Sequence[Mapping[str, Any]]


def is_rows(source: Any) -> TypeGuard[Rows]:
    """Whether `source` is a list of dicts."""
    return (
        isinstance(source, (list, tuple))
        and bool(source)
        and all(isinstance(row, Mapping) for row in source)
    )


def read_rows(rows: Rows) -> Table:
    """The rows as a table without classes. All have the same keys; None is a missing value."""
    names = tuple(dict.fromkeys(name for row in rows for name in row))
    for number, row in enumerate(rows, 1):
        absent = next((name for name in names if name not in row), None)
        if absent is not None:
            raise DataError(
                f"row {number} has no {absent!r}, which other rows have; give all rows the same "
                "keys, with None for a missing value"
            )
    columns = (typed_column(objects(row[name] for row in rows)) for name in names)
    return Table(names, tuple(each.values(n) for n, each in zip(names, columns, strict=True)))
