"""Features of every scheme: how many, what they mean, and that they mean what their bits say."""

from __future__ import annotations

import math
import sys
from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from dtfinder import find_tree
from dtfinder.data import Dataset, make_dataset, read_table
from dtfinder.data.binarise import FEW_VALUES, midpoint
from dtfinder.errors import DataError, OptionError
from small import made_features

COLOURS = ["red", "green", "blue", "red"]


def one_column(values: Sequence[object], **options: Any) -> Dataset:
    """A data set of one column, in which every value has a class of its own."""
    classes = {value: f"class {number}" for number, value in enumerate(dict.fromkeys(values))}
    column = np.array(values, dtype=object)[:, None]
    return make_dataset(read_table(column, [classes[value] for value in values]), **options)


def names(dataset: Dataset) -> list[str]:
    return [feature.name for feature in dataset.features]


def test_unary() -> None:
    assert names(one_column(COLOURS, binarise="unary")) == [
        "x0 = blue",
        "x0 = green",
        "x0 = red",
    ]
    assert names(one_column([3, 1, 2], binarise="unary")) == ["x0 = 1", "x0 = 2", "x0 = 3"]
    assert names(one_column(["a", "b", "a"], binarise="unary")) == ["x0 = b"]
    assert names(one_column([7, -7], binarise="unary")) == ["x0 = 7"]
    assert names(one_column([True, False], binarise="unary")) == ["x0 = True"]


def test_binary() -> None:
    assert names(one_column(COLOURS, binarise="binary")) == ["x0 = green", "x0 = red"]
    assert names(one_column(list("abcde"), binarise="binary")) == [
        "x0 in {b, d}",
        "x0 in {c, d}",
        "x0 = e",
    ]
    assert names(one_column([7, -7], binarise="binary")) == ["x0 = 7"]


@pytest.mark.parametrize("count", [2, 3, 4, 5, 8, 9, 16, 17, 100])
def test_binary_needs_the_logarithm_of_the_values(count: int) -> None:
    dataset = one_column(list(range(count)), binarise="binary")
    assert dataset.n_features == math.ceil(math.log2(count))


def test_threshold() -> None:
    assert names(one_column([41, 42, 10], binarise="threshold")) == ["x0 <= 25.5", "x0 <= 41.5"]
    assert names(one_column([0.1, 0.2], binarise="threshold")) == ["x0 <= 0.15"]
    assert names(one_column([0, 1], binarise="threshold")) == ["x0 <= 0.5"]


def test_threshold_needs_numbers() -> None:
    with pytest.raises(DataError, match="'x0' has the value 'blue', which has no order") as caught:
        one_column(COLOURS, binarise="threshold")
    assert "use binarise='auto'" in str(caught.value)


def test_auto_takes_what_fits() -> None:
    table = read_table([[41, "red"], [42, "blue"]], [0, 1])
    dataset = make_dataset(table)
    assert names(dataset) == ["x0 <= 41.5"]
    names_of_all = [(f.name, turned) for f, turned in made_features(dataset)[0]]
    assert names_of_all == [("x0 <= 41.5", False), ("x1 = red", False)]


def test_constant_columns_are_dropped() -> None:
    table = read_table([[1, "a", 7], [1, "a", 8]], [0, 1])
    for scheme in ("auto", "unary", "binary"):
        assert {f.column for f in make_dataset(table, binarise=scheme).features} == {"x2"}


def test_missing_is_an_error_by_default() -> None:
    table = read_table([[1.0, "a"], [2.0, None], [np.nan, None]], [0, 1, 0])
    with pytest.raises(DataError) as caught:
        make_dataset(table)
    cure = (
        "; fill them in, treat missing as a value of its own with missing='value', or leave those "
        "rows out with missing='drop'"
    )
    start = "2 columns have no value in some of 3 rows: 'x0' (1), 'x1' (2)"
    assert str(caught.value) == start + cure
    with pytest.raises(DataError) as caught:
        make_dataset(read_table([[1.0, "a"], [np.nan, "b"]], [0, 1]))
    assert str(caught.value) == "column 'x0' has no value in 1 of 2 rows" + cure
    wide = read_table(np.array([[np.nan] * 9, [1.0] * 9]), [0, 1])
    with pytest.raises(DataError, match=r"9 columns have .*'x5' \(1\) and 3 more; fill"):
        make_dataset(wide)


@pytest.mark.parametrize(
    ("scheme", "expected"),
    [
        ("threshold", ["x0 <= 1.5", "x0 <= 2.5", "x0 = missing"]),
        ("auto", ["x0 <= 1.5", "x0 <= 2.5", "x0 = missing"]),
        ("unary", ["x0 = 1", "x0 = 2", "x0 = 3", "x0 = missing"]),
        ("binary", ["x0 in {2, missing}", "x0 in {3, missing}"]),
    ],
)
def test_missing_as_a_value(scheme: str, expected: list[str]) -> None:
    dataset = one_column([2, None, 1, 3, None], binarise=scheme, missing="value")
    assert names(dataset) == expected
    gone = dataset.bits[dataset.example_of_row[1]]
    holds = [name.endswith(("missing", "missing}")) for name in expected]
    assert gone.tolist() == holds


def test_a_column_that_is_missing_or_not() -> None:
    assert names(one_column(["a", None], missing="value")) == ["x0 = missing"]
    assert names(one_column([5, None], missing="value")) == ["x0 = missing"]
    table = read_table([[None, 1], [None, 2]], [0, 1])
    assert names(make_dataset(table, missing="value", binarise="threshold")) == ["x1 <= 1.5"]


@pytest.mark.parametrize("value", [np.inf, -np.inf])
def test_infinities_are_refused(value: float) -> None:
    table = read_table(np.array([[1, 2], [3, 4], [5, value]]), [0, 1, 0])
    with pytest.raises(DataError, match=f"'x1' is {value} in row 3; put a finite number there"):
        make_dataset(table)


def test_an_unknown_scheme() -> None:
    with pytest.raises(OptionError, match=r"binarise must be one of auto, .*, not 'ternary'"):
        one_column([1, 2], binarise="ternary")


@given(st.floats(allow_nan=False, allow_infinity=False), st.data())
@example(0.0, None)
def test_midpoints_separate_neighbours(low: float, data: st.DataObject | None) -> None:
    near = math.nextafter(low, math.inf)
    highs = [near] if near < math.inf else []
    if data is not None and highs:
        highs.append(data.draw(st.floats(near, sys.float_info.max)))
    for high in highs:
        middle = midpoint(low, high)
        assert low <= middle < high


@pytest.mark.parametrize(
    ("low", "high"),
    [
        (-sys.float_info.max, sys.float_info.max),
        (1.7e308, sys.float_info.max),
        (0.0, 5e-324),
        (5e-324, 1e-323),
        (1.0, 1.0 + sys.float_info.epsilon),
        (1.0 - sys.float_info.epsilon / 2, 1.0),
        (2.0**53, 2.0**53 + 2),
    ],
)
def test_midpoints_at_the_ends_of_floating_point(low: float, high: float) -> None:
    assert low <= midpoint(low, high) < high
    dataset = make_dataset(read_table(np.array([[low], [high], [low]]), [0, 1, 0]))
    (feature,) = dataset.features
    assert feature.holds(dataset.table.columns[0]).tolist() == [True, False, True]


def test_midpoints_are_halfway() -> None:
    assert midpoint(1.0, 2.0) == 1.5
    assert midpoint(-3.0, 5.0) == 1.0
    assert midpoint(0.1, 0.2) == pytest.approx(0.15)
    assert midpoint(-1e308, 1e308) == 0.0


def test_narrow_floats() -> None:
    values = np.array([[0.1], [0.2], [np.nextafter(np.float32(0.1), np.float32(1))]], np.float32)
    dataset = make_dataset(read_table(values, [0, 1, 2]))
    assert dataset.n_features == 2
    for place, feature in enumerate(dataset.features):
        held = feature.holds(values[:, 0].astype(np.float64))
        assert held.tolist() == dataset.bits[dataset.example_of_row, place].tolist()


@pytest.mark.parametrize(
    "values",
    [
        [3.0, 1.0, 2.0, 1.0],
        [1e15 + 1, 1e15, 1e15 + 3],
        [0.5, 1.5, 2.5],
        [0.1, 1.1, 2.1 + 2**-40],
        [1.0, 2.0, 2.5],
        [-0.0, 0.0, 1.0],
        [0.0, 4095.0, 4096.0],
        [2.0**53, 2.0**53 + 2],
        [-1e308, 1e308],
    ],
)
def test_distinct_numbers_with_and_without_sorting(values: list[float]) -> None:
    """Whole numbers that are close are told apart without sorting; all others by sorting."""
    dataset = make_dataset(read_table(np.array(values)[:, None], list(range(len(values)))))
    found = [f.value for f in make_dataset(dataset.table, binarise="unary").features]
    distinct = sorted(set(values))
    assert found == (distinct if len(distinct) > 2 else distinct[1:])
    assert dataset.n_features == len(distinct) - 1


def test_both_kinds_of_question() -> None:
    assert names(one_column([1, 2, 3], binarise="both")) == [
        "x0 <= 1.5",
        "x0 <= 2.5",
        "x0 = 2",
    ]
    assert names(one_column(COLOURS, binarise="both")) == ["x0 = blue", "x0 = green", "x0 = red"]
    many = one_column(list(range(FEW_VALUES + 1)), binarise="both")
    assert all(feature.test == "<=" for feature in many.features)


def test_both_kinds_find_a_smaller_tree() -> None:
    rows = [[a, b] for a in range(5) for b in range(5)]
    labels = [a == b for a, b in rows]
    sizes = {b: find_tree(rows, labels, binarise=b).nodes for b in ("threshold", "unary", "both")}
    assert sizes["both"] <= min(sizes.values())
    both = find_tree(
        [[n] for n in range(9)], [n in (2, 5, 6, 7, 8) for n in range(9)], binarise="both"
    )
    assert both.nodes == 5
    assert "among trees that ask x <= t and x = v" in both.summary()
    assert find_tree([[n] for n in range(9)], [n in (2, 5, 6, 7, 8) for n in range(9)]).nodes == 7


def test_a_limit_on_thresholds() -> None:
    values = np.arange(100.0)[:, None]
    labels = (values[:, 0] >= 37).astype(int)
    dataset = make_dataset(read_table(values, labels), max_thresholds=3)
    assert names(dataset) == ["x0 <= 36.5"]  # the only one where the class changes
    assert (dataset.n_examples, dataset.unavoidable_errors) == (2, 0)
    striped = np.arange(100) // 5 % 2
    dataset = make_dataset(read_table(values, striped), max_thresholds=4)
    assert 2 <= dataset.n_features <= 4
    assert {float(feature.bound or 0) % 5 for feature in dataset.features} == {4.5}
    assert dataset.unavoidable_errors > 0  # rows that no threshold tells apart
    result = find_tree(values, striped, max_thresholds=4)
    assert result.errors == result.unavoidable_errors == dataset.unavoidable_errors
    assert "at most 4 thresholds per column" in result.summary()
    few = make_dataset(read_table(values[:5], labels[35:40]), max_thresholds=4)
    assert few.n_features == 4


@pytest.mark.parametrize("missing", ["value", "drop"])
def test_a_limit_on_thresholds_of_dates_words_and_missing_values(missing: str) -> None:
    days = pd.Series(pd.date_range("2024-01-01", periods=40))
    days[[7, 21]] = pd.NaT
    words = pd.Categorical([f"w{n // 4}" for n in range(40)], ordered=True)
    frame = pd.DataFrame({"when": days, "word": words})
    labels = [n // 3 % 2 for n in range(40)]
    result = find_tree(frame, labels, max_thresholds=3, missing=missing)
    assert result.dataset is not None
    counts = Counter(feature.column for feature in result.dataset.features)
    assert counts["word"] <= 3
    assert counts["when"] <= 3 + (missing == "value")
    assert result.status == "optimal"


def test_wide_tables_of_floats_are_answered() -> None:
    random = np.random.default_rng(0)
    values = random.normal(size=(60_000, 3))
    table = read_table(values, values[:, 0] > 0.5)
    with pytest.raises(DataError, match="use max_thresholds=50"):
        make_dataset(table)
    dataset = make_dataset(table, max_thresholds=50)
    assert dataset.n_features <= 150
    assert dataset.unavoidable_errors == 0


def test_rows_with_missing_values_may_be_dropped() -> None:
    rows = [[1.0, "a"], [2.0, None], [np.nan, "b"], [4.0, "b"], [1.0, "a"]]
    dataset = make_dataset(read_table(rows, [0, 1, 1, 1, 0]), missing="drop")
    assert dataset.example_of_row.tolist() == [0, -1, -1, 1, 0]
    assert names(dataset) == ["x0 <= 2.5"]
    result = find_tree(rows, [0, 1, 1, 1, 0], missing="drop")
    assert (result.nodes, sum(result.tree.counts[0])) == (3, 3)
    with pytest.raises(DataError, match="every row lacks a value in some column"):
        make_dataset(read_table([[1, None], [None, 1]], [0, 1]), missing="drop")
