"""Excel workbooks: the first sheet of an .xlsx file. openpyxl is imported only here."""

from __future__ import annotations

from itertools import zip_longest
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

from dtfinder.data.columns import Column, check_width, objects, typed_column
from dtfinder.errors import DataError, optional_package


def read_workbook(path: Path) -> tuple[tuple[str, ...], list[Column]]:
    """The names, from the first row that is not empty, and the columns below them."""
    openpyxl = optional_package("openpyxl", f"reading {str(path)!r} needs openpyxl", "tables")
    try:
        book = openpyxl.load_workbook(path, read_only=True, data_only=True)
    except (OSError, BadZipFile, KeyError, ValueError) as error:
        raise DataError(
            f"cannot read {str(path)!r} as a workbook: {error}; save it again, or as CSV"
        ) from None
    try:
        sheet = book.worksheets[0] if book.worksheets else None
        rows = [row for row in (sheet.values if sheet else ()) if any(v is not None for v in row)]
    finally:
        book.close()
    if not rows:
        raise DataError(f"the first sheet of {str(path)!r} is empty; put the table there")
    columns = [list(column) for column in zip_longest(*rows)]
    columns = [column for column in columns if any(value is not None for value in column)]
    check_width(len(columns), repr(str(path)))
    names = tuple(
        str(column[0]).strip() if column[0] is not None else f"column {number}"
        for number, column in enumerate(columns, start=1)
    )
    return names, [typed_column(objects(map(_plain, column[1:]))) for column in columns]


def _plain(value: Any) -> Any:
    """Text without blanks around it; text of blanks alone is not a value."""
    return value.strip() or None if isinstance(value, str) else value
