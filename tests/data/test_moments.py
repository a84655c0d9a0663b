"""Dates, times, durations, periods and ordered categories keep their order."""

from __future__ import annotations

import datetime as dt
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dtfinder import Tree, find_tree
from dtfinder.data import read_table
from dtfinder.data.moments import duration_text, moment, moments, nanoseconds, sort_key
from dtfinder.errors import DataError

ROWS, AT = 60, 41
DAYS = pd.date_range("2024-01-02", periods=ROWS, freq="D")
LATE = ["late" if row >= AT else "early" for row in range(ROWS)]
LENGTHS = pd.to_timedelta(np.arange(ROWS) * 3.5, unit="h")
CLOCK = [dt.time(row // 4, row % 4 * 15) for row in range(ROWS)]
GRADES = [f"grade {word}" for word in ("poor", "fair", "good", "very good", "best", "unseen")]
GRADE_OF_ROW = [GRADES[row * 5 // ROWS] for row in range(ROWS)]


def _columns() -> dict[str, tuple[Any, str]]:
    """Columns of every kind, each with the question that tells the late rows."""
    day, hour = "when <= 2024-02-11", "when <= 2024-01-03T16:00:00"
    hours = pd.date_range("2024-01-02", periods=ROWS, freq="h")
    berlin = pd.date_range("2024-03-30 21:00", periods=ROWS, freq="h", tz="Europe/Berlin")
    return {
        "pandas": (pd.DataFrame({"when": DAYS}), day),
        "pandas, as text": (pd.DataFrame({"when": DAYS.astype(str)}), day),
        "pandas, hours": (pd.DataFrame({"when": hours}), hour),
        "pandas, as dates": (pd.DataFrame({"when": DAYS.date}), day),
        "pandas, time zone": (
            pd.DataFrame({"when": hours.tz_localize("UTC")}),
            "when <= 2024-01-03T16:00:00+00:00",
        ),
        "pandas, summer time begins": (
            pd.DataFrame({"when": berlin}),
            "when <= 2024-04-01T12:00:00+00:00",
        ),
        "polars": (pl.DataFrame({"when": list(DAYS.date)}), day),
        "polars, hours": (pl.DataFrame({"when": hours.to_pydatetime().tolist()}), hour),
        "arrow": (pl.DataFrame({"when": list(DAYS.date)}).to_arrow(), day),
        "numpy": (np.array(DAYS.values, dtype="M8[D]")[:, None], day.replace("when", "x0")),
        "pandas, durations": (pd.DataFrame({"when": LENGTHS}), "when <= 5 days 20:00:00"),
        "polars, durations": (
            pl.DataFrame({"when": LENGTHS.to_pytimedelta().tolist()}),
            "when <= 5 days 20:00:00",
        ),
        "numpy, durations": (
            np.array(LENGTHS.values)[:, None].astype("m8[m]"),
            "x0 <= 5 days 20:00:00",
        ),
        "times": (pd.DataFrame({"when": CLOCK}), "when <= 10:00:00"),
        "polars, times": (pl.DataFrame({"when": CLOCK}), "when <= 10:00:00"),
        "months": (
            pd.DataFrame({"when": DAYS[0].to_period("M") + np.arange(ROWS)}),
            "when <= 2027-05",
        ),
        "quarters": (
            pd.DataFrame({"when": DAYS[0].to_period("Q") + np.arange(ROWS)}),
            "when <= 2034Q1",
        ),
        "weeks": (
            pd.DataFrame({"when": DAYS[0].to_period("W") + np.arange(ROWS)}),
            "when <= 2024-10-07/2024-10-13",
        ),
        "years": (
            pd.DataFrame({"when": DAYS[0].to_period("Y") + np.arange(ROWS)}),
            "when <= 2064.5",
        ),
    }


@pytest.mark.parametrize("name", _columns())
def test_one_question_splits_a_column_that_has_an_order(name: str) -> None:
    source, question = _columns()[name]
    result = find_tree(source, LATE)
    assert [feature.name for feature in result.tree.features] == [question]
    assert (result.nodes, result.errors) == (3, 0)
    again = Tree.from_json(result.tree.to_json())
    assert again.predict(source) == LATE
    assert again == result.tree


def test_a_time_zone_is_the_same_from_everywhere() -> None:
    hours = pd.date_range("2024-01-02", periods=ROWS, freq="h", tz="UTC")
    frame = pl.DataFrame({"when": hours.to_pydatetime().tolist()})
    tree = find_tree(pd.DataFrame({"when": hours}), LATE).tree
    assert tree.predict(frame) == tree.predict(frame.to_arrow()) == LATE
    assert find_tree(frame, LATE).tree == tree


@pytest.mark.parametrize("separator", [" ", "T"])
def test_dates_of_a_file(tmp_path: Path, separator: str) -> None:
    hours = pd.date_range("2024-01-02", periods=ROWS, freq="h")
    words = [f"{each:%Y-%m-%d}{separator}{each:%H:%M}" for each in hours]
    path = tmp_path / "t.csv"
    path.write_text(
        "when,class\n" + "".join(f"{w},{k}\n" for w, k in zip(words, LATE, strict=True))
    )
    tree = find_tree(path).tree
    assert str(tree.features[0].name) == "when <= 2024-01-03T16:00:00"
    assert tree.predict(path) == LATE
    assert tree.predict(pd.DataFrame({"when": hours})) == LATE
    assert tree.predict(pl.DataFrame({"when": hours.to_pydatetime().tolist()})) == LATE


@pytest.mark.parametrize("package", ["pandas", "polars"])
def test_ordered_categories(package: str) -> None:
    frame: Any = pd.DataFrame({"x": pd.Categorical(GRADE_OF_ROW, GRADES, ordered=True)})
    if package == "polars":
        frame = pl.DataFrame({"x": GRADE_OF_ROW}, schema={"x": pl.Enum(GRADES)})
    labels = [GRADES.index(word) > 2 for word in GRADE_OF_ROW]
    result = find_tree(frame, labels)
    assert [feature.name for feature in result.tree.features] == ["x <= grade good"]
    assert result.nodes == 3
    again = Tree.from_json(result.tree.to_json())
    assert again.predict(frame) == labels
    assert again.predict(pd.DataFrame({"x": ["grade unseen", "grade poor"]})) == [True, False]
    plain = find_tree(pd.DataFrame({"x": pd.Categorical(GRADE_OF_ROW)}), labels)
    assert plain.nodes == 5
    unary = find_tree(frame, labels, binarise="unary")
    assert unary.nodes == 5


def test_missing_dates() -> None:
    days = pd.Series(DAYS)
    days[[3, 50]] = pd.NaT
    labels = ["none" if gone else label for gone, label in zip(days.isna(), LATE, strict=True)]
    result = find_tree(pd.DataFrame({"when": days}), labels, missing="value")
    assert {feature.name for feature in result.tree.features} == {
        "when <= 2024-02-11",
        "when = missing",
    }
    assert result.tree.predict(pd.DataFrame({"when": days})) == labels


def test_a_column_of_several_forms_is_text() -> None:
    for words in (["2024-01-01", "13:00"], ["2024-01-01", "2024-01"], ["2024-01-01", "2024-02-31"]):
        table = read_table(pd.DataFrame({"x": words}), [0, 1])
        assert table.kind("x") == "text"
        assert table.column("x").tolist() == words


def test_what_is_not_a_date_is_said() -> None:
    tree = find_tree(pd.DataFrame({"when": DAYS}), LATE).tree
    with pytest.raises(
        DataError, match="'when' has the value 'soon' where a date such as 2024-02-11"
    ):
        tree.predict(pd.DataFrame({"when": ["2024-01-01", "soon"]}))
    with pytest.raises(DataError, match="'when' has the value '7' where a date"):
        tree.predict(pd.DataFrame({"when": [7.0]}))


@given(st.lists(st.datetimes(), min_size=2))
def test_the_order_of_text_is_the_order_in_time(dates: list[dt.datetime]) -> None:
    texts = [moments([each.isoformat()])[each.isoformat()] for each in dates]  # type: ignore[index]
    assert [t for _, t in sorted(zip(dates, texts, strict=True))] == sorted(texts, key=sort_key)
    assert moments(each.isoformat(" ") for each in dates) is not None


@given(st.lists(st.timedeltas(), min_size=2))
def test_the_order_of_durations_is_by_length(lengths: list[dt.timedelta]) -> None:
    texts = [duration_text(each // dt.timedelta(microseconds=1) * 1000) for each in lengths]
    assert all(moment(text) == ("duration", text) for text in texts)
    assert [t for _, t in sorted(zip(lengths, texts, strict=True))] == sorted(texts, key=sort_key)
    assert [nanoseconds(t) // 1000 for t in texts] == [
        each // dt.timedelta(microseconds=1) for each in lengths
    ]


def test_durations_are_written_as_pandas_writes_them() -> None:
    for each in pd.to_timedelta(["-1h", "0s", "36h", "1us", "-3 days 1ms"]):
        text = duration_text(each.value)
        assert pd.Timedelta(text) == each
        assert str(each).startswith(text.partition(".")[0])
