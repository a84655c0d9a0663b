"""Everything that a user may call a table, made into a `Table`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from dataclasses import replace
from difflib import get_close_matches
from os import PathLike
from pathlib import Path
from typing import Any

from dtfinder.data.class_sets import class_labels, free_separator
from dtfinder.data.columns import Column, TextColumn
from dtfinder.data.dataset import Table
from dtfinder.data.embedded import embedded_names, read_embedded
from dtfinder.data.frames import is_frame, read_array, read_frame, read_labels, read_parquet
from dtfinder.data.table_warnings import warn_of_order
from dtfinder.data.text import read_text
from dtfinder.data.weights import checked_weights
from dtfinder.data.workbook import read_workbook
from dtfinder.errors import DataError

_TARGET_NAMES = ("target", "class")
_READERS = {
    ".parquet": read_parquet,
    ".pq": read_parquet,
    ".xlsx": read_workbook,
    ".xlsm": read_workbook,
}
# Names are shown in trees and messages; one that is longer than this is a broken line of names.
_LONGEST_NAME = 1000


def read_table(
    source: Any,
    y: Any = None,
    *,
    target: str | None = None,
    ignore: Collection[str] = (),
    need_target: bool = True,
    text: Collection[str] = (),
    decimal: str = ".",
    classes_separator: str | None = None,
    weights: Any = None,
) -> Table:
    """The table that `source` names or holds: a path (CSV, TSV, Parquet, an Excel workbook, 0/1
    text with the class first), the name of an embedded data set, a pandas, polars or pyarrow frame,
    or an array.

    The classes are `y`, or the column called `target`; without either, the column called `target`
    or `class` in any case, otherwise the last. With `need_target=False`, for a table to classify,
    only a named target is taken out, and only if it is there. Columns named in `ignore` are left
    out. Columns named in `text` are not read as numbers even if all their words are: a tree that
    tests them as text asks for that. `decimal` is the mark of numbers in text files.
    `classes_separator` is what stands between several classes of a row in text.
    `weights` has a number for each row, or is the name of the column that has them.
    """
    if isinstance(source, Table):
        if weights is not None and not isinstance(weights, str) and y is None and not ignore:
            return replace(source, weights=checked_weights(weights, source.rows))
        if y is not None or target not in (None, source.target_name) or ignore or weights:
            raise DataError(
                "a Table has its classes and columns already; give neither y nor a target nor "
                "columns to ignore with it"
            )
        return source
    names, columns, known_target = read_columns(source, ignore)
    rows = len(columns[0])
    if isinstance(weights, str):
        name, place = weights, _place_of(weights, names, "hold the weights")
        weights = columns[place].values(name, decimal=decimal)
        names, columns = _without(names, columns, place)
        if name == target:
            raise DataError(f"column {name!r} cannot be both the class and the weights")
        if weights.dtype.kind != "f":
            raise DataError(f"column {name!r} cannot hold the weights: they must be numbers")
        if not columns:
            raise DataError("the table has only weights; it needs a class and other columns")
    labels: Column | None = None
    label_name, guessed = "target", False
    if y is not None:
        labels, label_name = _labels_apart(y, target, names, len(columns[0]))
        warn_of_order(source, y)
    else:
        named = known_target if target is None else target
        if need_target or named in names:
            place = target_place(names, named)
            labels, label_name = columns[place], names[place]
            guessed = target is known_target is None and label_name.lower() not in _TARGET_NAMES
            names, columns = _without(names, columns, place)
    if need_target and not columns:
        raise DataError(
            f"the table has only the column {label_name!r}; it needs a class and at least one more "
            "column: check the separators, or add columns"
        )
    if labels is not None and not need_target and labels.missing_count():
        labels = None  # a table to classify may leave its classes open
    values = tuple(
        column.values(name, keep_text=name in text, decimal=decimal)
        for name, column in zip(names, columns, strict=True)
    )
    orders = {name: each.order for name, each in zip(names, columns, strict=True) if each.order}
    target_values, separator = None, ""
    if labels is not None:
        target_values = class_labels(labels, label_name, classes_separator)
        separator = free_separator(target_values, classes_separator)
    mark = decimal if any(isinstance(each, TextColumn) for each in columns) else "."
    weights = None if weights is None else checked_weights(weights, rows)
    return Table(
        names, values, target_values, label_name, orders, mark, guessed, weights, separator
    )


def read_columns(
    source: Any, ignore: Collection[str] = ()
) -> tuple[tuple[str, ...], list[Column], str | None]:
    """The names and columns of `source` except those to `ignore`, and the name of the class column
    if the kind of the source says which it is."""
    names, columns, known_target = _named_columns(source)
    _check_shape(names, columns)
    kept = kept_places(names, ignore)
    if known_target in ignore:
        raise DataError(f"column {known_target!r} is the class, which cannot be ignored")
    return tuple(names[place] for place in kept), [columns[place] for place in kept], known_target


def kept_places(names: tuple[str, ...], ignore: Collection[str]) -> list[int]:
    """The places of the columns that are not ignored."""
    if isinstance(ignore, str):
        raise DataError(f"ignore is {ignore!r}; give a list of names: ignore=[{ignore!r}]")
    for name in ignore:
        if name not in names:
            raise DataError(f"the table has no column {name!r} to ignore; {_hint(name, names)}")
    kept = [place for place, name in enumerate(names) if name not in ignore]
    if not kept:
        raise DataError("all columns are ignored; keep the class and at least one more")
    return kept


def _check_shape(names: tuple[str, ...], columns: list[Column]) -> None:
    if not columns:
        raise DataError("the table has no columns; it needs a class and at least one more")
    longest = max(names, key=len)
    if len(longest) > _LONGEST_NAME:
        raise DataError(
            f"a column has a name of {len(longest)} characters, {longest[:40]!r}...; check the "
            "separators and quotes of the first line"
        )
    double, times = Counter(names).most_common(1)[0]
    if times > 1:
        raise DataError(f"{times} columns are called {double!r}; give every column its own name")
    if not len(columns[0]):
        raise DataError("the table has names but no rows; add some")


def _labels_apart(
    y: Any, target: str | None, names: tuple[str, ...], rows: int
) -> tuple[Column, str]:
    """The classes that were given apart from the table."""
    if isinstance(y, str):
        raise DataError(f"y is {y!r}; name the class column of the table with target={y!r}")
    labels, name = read_labels(y)
    if len(labels) != rows:
        raise DataError(f"X has {rows} rows but y has {len(labels)}; give one class for each row")
    if target is not None and target in names:
        raise DataError(f"both y and target={target!r} say what the class is; give one of them")
    return labels, target or name


def _named_columns(source: Any) -> tuple[tuple[str, ...], list[Column], str | None]:
    if isinstance(source, (str, PathLike)):
        path = Path(source)
        if _is_file(path):
            reader = _READERS.get(path.suffix.lower())
            return (*reader(path), None) if reader else read_text(path)
        if isinstance(source, str) and source in embedded_names():
            return read_embedded(source)
        raise _no_such(str(source), path)
    if is_frame(source):
        return (*read_frame(source), None)
    return (*read_array(source), None)


def is_text_file(source: str) -> bool:
    """Whether this names a file, and one of text as far as its name tells."""
    return _is_file(Path(source)) and Path(source).suffix.lower() not in _READERS


def _is_file(path: Path) -> bool:
    try:
        return path.exists() and not path.is_dir()
    except (OSError, ValueError):  # too long for a name, or not a name at all
        return False


def _no_such(source: str, path: Path) -> DataError:
    try:
        if source and path.is_dir():
            return DataError(f"{source!r} is a directory; give a file")
        path.stat()
    except PermissionError:
        return DataError(f"no permission to read {source!r}; check the file's permissions")
    except (OSError, ValueError):
        pass
    if source == "-":
        return DataError("there is no file '-'; use /dev/stdin to read from a pipe")
    shown = source if len(source) <= 80 else source[:77] + "..."
    known = embedded_names()
    close = get_close_matches(source.lower(), [name.lower() for name in known], 3, 0.5)
    close = [name for name in known if name.lower() in close]
    hint = f"did you mean {', '.join(close)}?" if close else "`dtfinder datasets` lists them"
    return DataError(f"there is no file {shown!r} and no embedded data set of that name; {hint}")


def target_place(names: tuple[str, ...], target: str | None) -> int:
    """Where the class column is: the one called `target`, by default `target` or `class`, otherwise
    the last."""
    if target is not None:
        return _place_of(target, names, "be the target")
    for wanted in _TARGET_NAMES:
        for place, name in enumerate(names):
            if name.lower() == wanted:
                return place
    return len(names) - 1


def _place_of(name: str, names: tuple[str, ...], use: str) -> int:
    if name in names:
        return names.index(name)
    raise DataError(f"the table has no column {name!r} to {use}; {_hint(name, names)}")


def _hint(wanted: str, names: tuple[str, ...]) -> str:
    """What a wrong name of a column may have meant."""
    close = get_close_matches(wanted, names, 3, 0.5)
    if close:
        return f"did you mean {' or '.join(map(repr, close))}?"
    return f"it has {', '.join(names[:8])}{', ...' if len(names) > 8 else ''}"


def _without(
    names: tuple[str, ...], columns: list[Column], place: int
) -> tuple[tuple[str, ...], list[Column]]:
    return names[:place] + names[place + 1 :], columns[:place] + columns[place + 1 :]
