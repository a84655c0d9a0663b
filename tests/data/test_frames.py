"""Tables in memory: the same values must come out of every kind of frame and array."""

from __future__ import annotations

import sys
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from dtfinder.data import Table, make_dataset, read_table
from dtfinder.errors import DataError, MissingPackageError

DATA: dict[str, list[Any]] = {
    "number": [1, 2, 3, 4],
    "gap": [1.5, None, 2.5, 3.5],
    "hole": [1, None, 2, 3],
    "word": ["1", "2", None, "red"],
    "truth": [True, False, None, True],
    "play": ["no", "yes", "yes", "no"],
}


def content(table: Table) -> dict[str, list[object]]:
    """The columns as lists, with None for a missing number."""
    out = {}
    for name in table.names:
        values = table.column(name)
        if values.dtype.kind == "f":
            out[name] = [None if np.isnan(value) else value for value in values.tolist()]
        else:
            assert values.dtype == object
            out[name] = values.tolist()
    return out


def frames() -> dict[str, Any]:
    return {
        "pandas": pd.DataFrame(DATA),
        "pandas nullable": pd.DataFrame(DATA).convert_dtypes(),
        "pandas objects": pd.DataFrame(DATA, dtype=object),
        "polars": pl.DataFrame(DATA),
        "polars lazy": pl.LazyFrame(DATA),
        "pyarrow": pa.table(DATA),
    }


@pytest.mark.parametrize("kind", frames())
def test_all_frames_give_the_same_table(kind: str) -> None:
    table = read_table(frames()[kind])
    assert content(table) == {name: DATA[name] for name in list(DATA)[:-1]}
    assert table.target is not None
    assert (table.target.tolist(), table.target_name) == (DATA["play"], "play")


@pytest.mark.parametrize("suffix", [".parquet", ".pq"])
def test_parquet(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"t{suffix}"
    encoded = pa.table(DATA).set_column(3, "word", pa.array(DATA["word"]).dictionary_encode())
    pq.write_table(encoded, path)
    assert content(read_table(path)) == {name: DATA[name] for name in list(DATA)[:-1]}
    assert read_table(str(path), target="number").target_name == "number"


def test_broken_parquet(tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    path.write_bytes(b"PAR1 and then nothing")
    with pytest.raises(DataError, match=r"as Parquet: .*; write it again") as caught:
        read_table(path)
    assert "\n" not in str(caught.value)


def test_parquet_without_pyarrow(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "t.parquet"
    path.write_bytes(b"PAR1")
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(MissingPackageError, match=r"needs pyarrow: pip install 'dtfinder\[tab"):
        read_table(path)


def test_categories_are_words() -> None:
    words = pd.Categorical([3, 1, None, 3])
    frame = pd.DataFrame({"c": words, "y": pd.Categorical(["a", "b", "a", "b"])})
    assert content(read_table(frame)) == {"c": ["3", "1", None, "3"]}
    labels = read_table(frame).target
    assert labels is not None
    assert labels.tolist() == ["a", "b", "a", "b"]
    series = pl.Series("c", ["x", "y", None, "x"], dtype=pl.Categorical)
    assert content(read_table(pl.DataFrame([series]), [0, 1, 0, 1])) == {"c": ["x", "y", None, "x"]}


def test_dates_become_words() -> None:
    days = pd.to_datetime(["2020-01-02", None, "2021-03-04"])
    table = read_table(pd.DataFrame({"day": days, "y": [0, 1, 1]}))
    first, gone, _ = table.column("day").tolist()
    assert first.startswith("2020-01-02")
    assert gone is None


def test_columns_with_numbers_for_names() -> None:
    frame = pd.DataFrame([[1, 0], [2, 1]])
    table = read_table(frame)
    assert (table.names, table.target_name) == (("x0",), "x1")
    assert read_table(frame, target="x0").names == ("x1",)


def test_numpy_columns_are_numbered() -> None:
    table = read_table(np.array([[1.0, 5.0], [2.0, 6.0]]), np.array([0, 1]))
    assert content(table) == {"x0": [1.0, 2.0], "x1": [5.0, 6.0]}
    last = read_table(np.array([[1.0, 5.0], [2.0, 6.0]]))
    assert (last.names, last.target_name) == (("x0",), "x1")


def test_structured_arrays_keep_their_names() -> None:
    array = np.array([(1, "a"), (2, "b")], dtype=[("n", "i4"), ("y", "U1")])
    table = read_table(array)
    assert content(table) == {"n": [1.0, 2.0]}
    assert table.target_name == "y"


def test_arrays_of_text_are_read_like_a_file() -> None:
    table = read_table(np.array([["1", "red"], ["?", "blue"]]), [0, 1])
    assert content(table) == {"x0": [1.0, None], "x1": ["red", "blue"]}


def test_mixed_lists_keep_their_types() -> None:
    table = read_table([[1, "7", True], [2, "8", False]], [0, 1])
    assert content(table) == {"x0": [1.0, 2.0], "x1": ["7", "8"], "x2": [True, False]}


def test_objects_of_all_kinds() -> None:
    column = np.array([[Decimal("1.5")], [np.float32(2)], [None], [3]], dtype=object)
    assert content(read_table(column, [0, 1, 0, 1])) == {"x0": [1.5, 2.0, None, 3.0]}
    column = np.array([[np.bool_(True)], [False], [pd.NA]], dtype=object)
    assert content(read_table(column, [0, 1, 0])) == {"x0": [True, False, None]}
    column = np.array([[(1, 2)], [3], [True]], dtype=object)
    assert content(read_table(column, [0, 1, 0])) == {"x0": ["(1, 2)", "3", "True"]}


@pytest.mark.parametrize(
    ("y", "labels"),
    [
        (["a", "b"], ["a", "b"]),
        (np.array(["1", "0"]), ["1", "0"]),
        (np.array(["NA", "?"]), ["NA", "?"]),
        (np.array([b"x", b"y"]), ["x", "y"]),
        (np.array([-1, 1]), [-1, 1]),
        (np.array([True, False]), [True, False]),
        (np.array([1.0, 0.0]), [1.0, 0.0]),
        (np.array([[1], [0]]), [1, 0]),
        (np.array([np.int64(1), 0], dtype=object), [1, 0]),
        ([1, "a"], ["1", "a"]),
        (pd.Series([1, 0], name="p"), [1, 0]),
        (pd.Categorical([7, 3]), [7, 3]),
        (pd.Series([7, 3], dtype="category"), [7, 3]),
        (pd.Series([True, False], dtype="category"), [True, False]),
        (pd.Series(["u", "v"], dtype="string"), ["u", "v"]),
        (pd.DataFrame({"p": ["u", "v"]}), ["u", "v"]),
        (pl.Series("p", ["u", "v"]), ["u", "v"]),
        (pl.DataFrame({"p": [3, 4]}), [3, 4]),
        (np.array([2**63, 1], dtype=np.uint64), [2**63, 1]),
    ],
)
def test_labels_keep_their_type(y: Any, labels: list[Any]) -> None:
    table = read_table(np.array([[0.0], [1.0]]), y)
    assert table.target is not None
    found = table.target.tolist()
    assert found == labels
    assert list(map(type, found)) == list(map(type, labels))
    named = hasattr(y, "columns") or getattr(y, "name", None) == "p"
    assert table.target_name == ("p" if named else "target")
    assert sorted(make_dataset(table).classes, key=str) == sorted(labels, key=str)


@pytest.mark.parametrize(
    ("X", "y", "words"),
    [
        (np.zeros((3, 2)), [0, 1], "X has 3 rows but y has 2; give one class for each row"),
        (np.zeros(3), [0, 1, 0], r"shape \(3,\), but a table has two dimensions"),
        (np.zeros((2, 2, 2)), [0, 1], "two dimensions"),
        (np.zeros((0, 2)), [], "names but no rows"),
        (np.zeros((2, 0)), [0, 1], "has no columns"),
        (pd.DataFrame(), None, "has no columns"),
        (np.zeros((2, 1)), None, "only the column 'x0'"),
        (np.zeros((2, 1), dtype=complex), [0, 1], "'x0' has type complex128; give numbers"),
        ([[1, 2], [3]], [0, 1], "X is not a table: .* make all rows equally long"),
        (7, None, "X is 7; give a path, the name of a data set, a frame or an array"),
        (np.zeros((2, 1)), "y", "y is 'y'; name the class column .* target='y'"),
        (np.zeros((2, 1)), np.zeros((2, 2)), r"y has the shape \(2, 2\), but it must be one class"),
        (np.zeros((2, 1)), pd.DataFrame({"a": [1, 2], "b": [1, 2]}), "y has 2 columns"),
        (np.zeros((2, 1)), [0.5, 1], "'target' has the value 0.5, which is a measurement"),
        (np.zeros((2, 1)), [0, None], "'target' has no value in 1 of 2 rows, first in row 2"),
        (np.zeros((2, 1)), [np.nan, 1.0], "'target' has no value in 1 of 2 rows, first in row 1"),
        (np.zeros((1, 200_000)), [0], "X has 200000 columns, but at most 100000"),
        (
            np.array([[2**53], [2**53 + 1]]),
            [0, 1],
            "9007199254740992 and 9007199254740993, which are equal",
        ),
        (np.array([[-(2**63)], [1 - 2**63]]), [0, 1], "equal as floating-point"),
        (np.array([[10**400], [1]], dtype=object), [0, 1], "a number beyond 1e308; rescale"),
    ],
)
def test_bad_arrays(X: Any, y: Any, words: str) -> None:
    with pytest.raises(DataError, match=words) as caught:
        read_table(X, y)
    assert "\n" not in str(caught.value)


def test_sparse_arrays_are_refused() -> None:
    sparse = pytest.importorskip("scipy.sparse")
    with pytest.raises(DataError, match=r"X is sparse; give it as a dense array with .toarray\(\)"):
        read_table(sparse.eye(3).tocsr(), [0, 1, 0])


def test_exact_whole_numbers_of_any_type() -> None:
    for kind in (np.int8, np.uint8, np.int64, np.uint64, np.float32, np.float16):
        table = read_table(np.array([[1], [2]], dtype=kind), [0, 1])
        assert content(table) == {"x0": [1.0, 2.0]}
    table = read_table(np.array([[2**62], [1]]), [0, 1])
    assert content(table) == {"x0": [2.0**62, 1.0]}


@pytest.mark.filterwarnings("ignore:the matrix subclass:PendingDeprecationWarning")
def test_a_matrix_is_an_array() -> None:
    table = read_table(np.matrix([[1], [2]]), need_target=False)
    assert content(table) == {"x0": [1.0, 2.0]}


@pytest.mark.parametrize(
    ("source", "words"),
    [
        (np.ma.array([[1], [2]], mask=[[False], [True]]), "X is masked"),
        (np.array([[(1, "a")], [(2, "b")]], dtype=[("n", int), ("s", "U1")]), "give numbers or te"),
        (pl.DataFrame({"a": [{"x": 1}, {"x": 2}]}), "lists or records"),
    ],
)
def test_arrays_of_other_things_are_refused(source: Any, words: str) -> None:
    with pytest.raises(DataError, match=words):
        read_table(source, need_target=False)
