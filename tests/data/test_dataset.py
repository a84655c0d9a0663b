"""Features on tables of other types than their own."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from dtfinder.data import Feature
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
