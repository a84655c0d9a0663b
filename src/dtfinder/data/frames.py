"""Tables that are in memory already: pandas, polars and pyarrow frames, and numpy arrays.

None of the frame packages is imported here: a frame is known by what it can do, so that a user of
one of them does not pay for the others. pyarrow is imported to read a Parquet file, nowhere else.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dtfinder.data.class_sets import is_listed
from dtfinder.data.columns import (
    Column,
    TypedColumn,
    check_width,
    missing_in,
    objects,
    typed_column,
    word_of,
)
from dtfinder.errors import DataError, optional_package

Named = tuple[tuple[str, ...], list[Column]]


def is_frame(source: Any) -> bool:
    """Whether `source` is a data frame: it has named columns."""
    # A lazy frame is asked first: it warns when it is asked for its columns.
    return hasattr(source, "collect") or (hasattr(source, "columns") and hasattr(source, "shape"))


def read_frame(frame: Any) -> Named:
    """The names and columns of a pandas, polars or pyarrow frame."""
    if hasattr(frame, "collect"):  # polars, not computed yet
        frame = frame.collect()
    if hasattr(frame, "iloc"):
        check_width(frame.shape[1], "the frame")
        labels = list(frame.columns)
        series = [frame.iloc[:, place] for place in range(len(labels))]
        return column_names(labels), [_pandas_column(each) for each in series]
    if hasattr(frame, "get_columns"):
        return column_names(frame.columns), [_polars_column(each) for each in frame.get_columns()]
    if hasattr(frame, "column_names"):
        return column_names(frame.column_names), [_arrow_column(each) for each in frame.columns]
    raise DataError(f"a {type(frame).__name__} is not a table; give a pandas or polars frame")


def read_parquet(path: Path) -> Named:
    """The names and columns of a Parquet file."""
    reading = f"reading {str(path)!r} needs pyarrow"
    pyarrow = optional_package("pyarrow", reading, "tables")
    parquet = optional_package("pyarrow.parquet", reading, "tables")
    try:
        return read_frame(parquet.read_table(path))
    except (pyarrow.ArrowException, OSError) as error:
        reason = str(error).splitlines()[0]
        raise DataError(f"cannot read {str(path)!r} as Parquet: {reason}; write it again") from None


def read_array(source: Any) -> Named:
    """The columns of a two-dimensional array, or of what numpy makes one of; x0, x1, ... unless the
    array names its fields."""
    array = as_array(source, "X")
    if array.dtype.names and array.ndim == 1:
        return column_names(array.dtype.names), [typed_column(array[f]) for f in array.dtype.names]
    if array.ndim != 2:
        raise DataError(
            f"X has the shape {array.shape}, but a table has two dimensions, rows and columns; use "
            "X.reshape(-1, 1) for one column"
        )
    check_width(array.shape[1], "X")
    names = tuple(f"x{number}" for number in range(array.shape[1]))
    return names, [typed_column(np.ascontiguousarray(array[:, i])) for i in range(len(names))]


def read_labels(y: Any) -> tuple[Column, str]:
    """The class column given on its own, and its name."""
    if is_frame(y):
        names, columns = read_frame(y)
        if len(columns) != 1:
            raise DataError(f"y has {len(columns)} columns, but it must be one class for every row")
        return columns[0], names[0]
    name = getattr(y, "name", None)
    name = name if isinstance(name, str) and name else "target"
    if hasattr(y, "isna") and hasattr(y, "to_numpy"):
        return _pandas_column(y), name
    if hasattr(y, "is_null") and hasattr(y, "to_list"):
        return _polars_column(y), name
    array = objects(y) if is_listed(y) else as_array(y, "y")
    if array.ndim == 2 and array.shape[1] == 1:
        array = array[:, 0]
    if array.ndim != 1:
        raise DataError(f"y has the shape {array.shape}, but it must be one class for every row")
    if array.dtype.kind in "US":  # labels are words, whatever they look like
        array = np.char.decode(array) if array.dtype.kind == "S" else array
        array = array.astype(object)
    return typed_column(array), name


def as_array(source: Any, what: str) -> NDArray[Any]:
    """`source` as a numpy array that keeps a mixture of types as it is."""
    if hasattr(source, "tocsr") or hasattr(source, "todense"):
        raise DataError(f"{what} is sparse; give it as a dense array with .toarray()")
    if np.ma.isMaskedArray(source):
        raise DataError(
            f"{what} is masked; give it with NaN for missing values: .astype(float).filled(np.nan)"
        )
    if isinstance(source, np.ndarray):
        return np.asarray(source)
    try:
        array = np.asarray(source)
        if array.dtype.kind in "US":  # numpy makes words of the numbers in a mixed list
            array = np.asarray(source, dtype=object)
    except (ValueError, TypeError) as error:
        raise DataError(f"{what} is not a table: {error}; make all rows equally long") from None
    if array.ndim == 0:
        raise DataError(
            f"{what} is {source!r:.80}; give a path, the name of a data set, a frame or an array"
        )
    return array


def column_names(labels: Any) -> tuple[str, ...]:
    """The labels as text; a frame whose columns are only numbered gets x0, x1, ..."""
    if all(isinstance(label, (int, np.integer)) for label in labels):
        return tuple(f"x{label}" for label in labels)
    return tuple(str(label) for label in labels)


def _pandas_column(series: Any) -> Column:
    missing = np.asarray(series.isna(), dtype=bool)
    if hasattr(series, "cat"):
        values = objects([*series.cat.categories.tolist(), None])  # code -1 is a missing value
        order = tuple(map(word_of, values[:-1])) if series.cat.ordered else ()
        return TypedColumn(values[np.asarray(series.cat.codes)], missing, True, order)
    array = series.to_numpy()
    if str(series.dtype).startswith("period[Y"):  # a year is a number
        array = np.where(missing, np.nan, series.dt.year.to_numpy(dtype=float, na_value=np.nan))
    if array.dtype.kind == "O" and missing.any():
        array = array.copy()
        array[missing] = None  # pandas.NA has no truth value
    return typed_column(array, missing)


def _polars_column(series: Any) -> Column:
    missing = np.asarray(series.is_null().to_numpy(), dtype=bool)
    if hasattr(series.dtype, "categories") and type(series.dtype).__name__ == "Enum":
        values = objects(series.to_list())
        return TypedColumn(values, missing, True, tuple(series.dtype.categories.to_list()))
    # As objects where values are missing, because numpy would make floats of whole numbers, and
    # where there is a time zone, which numpy does not have.
    plain = not missing.any() and getattr(series.dtype, "time_zone", None) is None
    array = np.asarray(series.to_numpy()) if plain else objects(series.to_list())
    return typed_column(array, missing | missing_in(array))


def _arrow_column(column: Any) -> Column:
    if hasattr(column.type, "index_type"):  # a dictionary-encoded column
        column = column.cast(column.type.value_type)
    missing = np.asarray(column.is_null().to_numpy(), dtype=bool)
    plain = not missing.any() and getattr(column.type, "tz", None) is None
    array = np.asarray(column.to_numpy()) if plain else objects(column.to_pylist())
    return typed_column(array, missing | missing_in(array))
