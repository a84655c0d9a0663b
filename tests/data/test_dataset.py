"""Features on tables of other types than their own, and the instant answer of three nodes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dtfinder._core import find_class_feature
from dtfinder.data import Feature, make_dataset, read_table
from dtfinder.data.columns import objects
from dtfinder.data.dataset import show_value
from dtfinder.errors import DataError

FLOATS = np.array([1.0, 2.0, np.nan, 1.5])
WORDS = objects(["1", "red", None, "1.0"])
TRUTHS = objects([True, False, None, True])
CASES: list[tuple[str, Any, Any, list[int]]] = [
    ("<=", 1.5, FLOATS, [1, 0, 0, 1]),
    ("<=", 1.5, objects(["1", "2", None]), [1, 0, 0]),
    ("<=", 0.5, TRUTHS, [0, 1, 0, 0]),
    ("=", 1.0, FLOATS, [1, 0, 0, 0]),
    ("=", 1, FLOATS, [1, 0, 0, 0]),
    ("=", "1", FLOATS, [1, 0, 0, 0]),
    ("=", "1.5", FLOATS, [0, 0, 0, 1]),
    ("=", "red", FLOATS, [0, 0, 0, 0]),
    ("=", None, FLOATS, [0, 0, 1, 0]),
    ("in", (1.0, None), FLOATS, [1, 0, 1, 0]),
    ("in", (1.5, 7, 1), FLOATS, [1, 0, 0, 1]),
    ("in", ("1", "red"), FLOATS, [1, 0, 0, 0]),
    ("=", "1", WORDS, [1, 0, 0, 0]),
    ("=", 1.0, WORDS, [1, 0, 0, 0]),
    ("=", None, WORDS, [0, 0, 1, 0]),
    ("in", ("red", None), WORDS, [0, 1, 1, 0]),
    ("=", True, WORDS, [0, 0, 0, 0]),
    ("=", True, TRUTHS, [1, 0, 0, 1]),
    ("=", False, TRUTHS, [0, 1, 0, 0]),
    ("=", "True", TRUTHS, [1, 0, 0, 1]),
    ("=", "false", TRUTHS, [0, 1, 0, 0]),
    ("=", True, objects(["TRUE", "yes"]), [1, 0]),
    ("=", 1.0, TRUTHS, [1, 0, 0, 1]),
    ("in", (0, "red"), TRUTHS, [0, 1, 0, 0]),
    ("=", True, FLOATS, [1, 0, 0, 0]),
    ("=", False, FLOATS, [0, 0, 0, 0]),
    ("=", False, np.array([0.0, 1.0, np.nan]), [1, 0, 0]),
    ("=", "True", objects(["True", "true"]), [1, 0]),
]


@pytest.mark.parametrize(("test", "value", "column", "held"), CASES)
def test_where_a_feature_holds(test: str, value: Any, column: Any, held: list[int]) -> None:
    found = Feature("c", test, value).holds(column)
    assert found.dtype == bool
    assert found.tolist() == list(map(bool, held))
    assert Feature("c", test, value).holds(column[:0]).tolist() == []


def test_a_number_is_asked_of_a_word() -> None:
    with pytest.raises(DataError, match="column 'c' has the value 'red' where a number is asked"):
        Feature("c", "<=", 1.5).holds(WORDS)


def test_large_sets_are_looked_up_quickly() -> None:
    values = np.arange(40_000.0)
    feature = Feature("c", "in", tuple(values[::2].tolist()))
    assert int(feature.holds(values).sum()) == 20_000
    words = objects(map(str, range(40_000)))
    assert int(Feature("c", "in", tuple(words[::2].tolist())).holds(words).sum()) == 20_000


@pytest.mark.parametrize(
    ("value", "shown"),
    [(2.0, "2"), (2.5, "2.5"), (-0.0, "0"), (1e20, "1e+20"), (None, "missing"), ("x", "x")],
)
def test_values_as_people_write_them(value: Any, shown: str) -> None:
    assert show_value(value) == shown


def brute_force(bits: np.ndarray, labels: np.ndarray) -> int:
    """The first column whose two sides hold one class each, with two classes in all."""
    for place, column in enumerate(bits.T):
        sides = [set(labels[column == side].tolist()) for side in (False, True)]
        if len(set(labels.tolist())) == 2 and max(map(len, sides)) == 1 and sides[0] != sides[1]:
            return place
    return -1


@given(st.data(), st.integers(1, 3), st.integers(0, 4), st.integers(1, 3))
def test_the_feature_that_is_the_class(
    data: st.DataObject, rows: int, columns: int, classes: int
) -> None:
    """Few rows, so that there often is one; more rows below."""
    cells = st.lists(st.booleans(), min_size=rows * columns, max_size=rows * columns)
    bits = np.array(data.draw(cells), dtype=bool).reshape(rows, columns)
    some = st.lists(st.integers(0, classes - 1), min_size=rows, max_size=rows)
    labels = np.array(data.draw(some), dtype=np.int64)
    assert find_class_feature(bits, labels) == brute_force(bits, labels)


@pytest.mark.parametrize("rows", [63, 64, 65, 200])
def test_the_feature_that_is_the_class_beyond_one_word(rows: int) -> None:
    random = np.random.default_rng(rows)
    bits = random.integers(0, 2, (rows, 6)).astype(bool)
    labels = bits[:, 4].astype(np.int64)
    assert find_class_feature(bits, labels) == 4
    assert find_class_feature(~bits, labels) == 4
    for row in (0, rows - 1):
        labels[row] ^= 1
        assert find_class_feature(bits, labels) == -1
        labels[row] ^= 1
    labels[rows // 2] = 2
    assert find_class_feature(bits, labels) == -1


def test_the_core_refuses_what_does_not_fit() -> None:
    with pytest.raises(ValueError, match="one label a row"):
        find_class_feature(np.zeros((3, 2), dtype=bool), np.zeros(2, dtype=np.int64))
    assert find_class_feature(np.zeros((0, 2), dtype=bool), np.zeros(0, dtype=np.int64)) == -1


def test_class_feature_of_a_data_set() -> None:
    dataset = make_dataset(read_table([[1, 5], [2, 5], [1, 6], [2, 6]], [-1, 1, -1, 1]))
    assert dataset.class_feature == 0
    assert dataset.features[dataset.class_feature].name == "x0 <= 1.5"
    assert make_dataset(read_table("mux6")).class_feature is None
