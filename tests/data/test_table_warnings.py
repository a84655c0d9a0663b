"""Which columns are doubted, with which cure, and which are not."""

from __future__ import annotations

import logging
from typing import Any

import numpy as np
import pandas as pd
import pytest

from dtfinder import OptimalTreeClassifier
from dtfinder.data import make_dataset, read_table

ROWS = 12
CLASSES = [0, 1] * 6
OTHER = [1, 1, 2, 2, 3, 3] * 2


def said(caplog: pytest.LogCaptureFixture, *columns: list[Any], missing: str = "error") -> str:
    frame = pd.DataFrame({f"c{number}": column for number, column in enumerate(columns)})
    caplog.clear()
    with caplog.at_level(logging.WARNING, "dtfinder"):
        make_dataset(read_table(frame, CLASSES), missing=missing)
    return caplog.text


@pytest.mark.parametrize(
    ("column", "words"),
    [
        ([f"{n},5" for n in range(ROWS)], "because of '0,5'; write numbers as 1234.5"),
        (["1,200.50", "12", "7"] * 4, "because of '1,200.50'; write numbers as 1234.5"),
        (["3", "4", "5.5", "6", "7", "k.A."] * 2, "because of 'k.A.' among its numbers"),
        ([f"{n + 1:02d}.06.2024" for n in range(ROWS)], "has dates that count as words; write"),
        ([f"2024/6/{n + 1}" for n in range(ROWS)], "has dates that count as words; write"),
        ([f"{n}%" for n in range(ROWS)], "because of '0%'; leave out the % sign"),
        ([f"${n},200" for n in range(ROWS)], "because of '\\$0,200'; leave out the currency sign"),
        ([f"{n}.50 €" for n in range(ROWS)], "because of '0.50 €'; leave out the currency"),
        ([f"{n}:30" for n in range(ROWS)], "because of '0:30'; write times as 09:30"),
        ([f"{n},99" for n in range(ROWS)], "because of '0,99'; .* use decimal=','"),
        (
            [f"P{n:03d}" for n in range(ROWS)],
            "a different word in each of 12 rows; .* with ignore",
        ),
        (list(range(1, ROWS + 1)), "numbers the rows; .* with ignore"),
    ],
)
def test_names_the_column_and_the_cure(
    caplog: pytest.LogCaptureFixture, column: list[Any], words: str
) -> None:
    text = said(caplog, OTHER, column)
    assert text.count("column ") == 1
    assert "column 'c1' " in text
    assert pd.Series([text]).str.contains(words).all()


@pytest.mark.parametrize(
    "column",
    [
        ["red", "green", "blue", "grey"] * 3,
        ["1", "2", "many"] * 4,  # a scale with a word, not a measurement with a slip
        [True, False] * 6,
        [3, 1, 4, 2, 5, 9, 6, 8, 7, 12, 10, 11],  # all different, but in no order
        [n + 0.5 for n in range(0, 2 * ROWS, 2)],
        ["2024-06-01", "2024-06-02"] * 6,  # as good as yes and no
        [f"2024-06-{n + 1:02d}" for n in range(ROWS)],
        list(pd.date_range("2024-01-01", periods=ROWS)),
        [f"{n + 1:02d}:30" for n in range(ROWS)],
    ],
)
def test_says_nothing_of_plain_columns(caplog: pytest.LogCaptureFixture, column: list[Any]) -> None:
    assert said(caplog, OTHER, column) == ""


def test_missing_values_hide_nothing(caplog: pytest.LogCaptureFixture) -> None:
    column = [None, *(f"{n},5" for n in range(1, ROWS))]
    assert "because of '1,5'" in said(caplog, OTHER, column, missing="value")
    numbers = [np.nan, *range(1, ROWS)]
    assert said(caplog, OTHER, numbers, missing="value") == ""


def test_a_single_column_is_not_doubted(caplog: pytest.LogCaptureFixture) -> None:
    assert said(caplog, [f"P{n}" for n in range(ROWS)]) == ""


def test_many_are_said_in_short(caplog: pytest.LogCaptureFixture) -> None:
    names = [f"P{n}" for n in range(ROWS)]
    commas = [f"{n},5" for n in range(ROWS)]
    text = said(caplog, names, commas, names, *[names] * 9)
    assert len(text.splitlines()) == 2
    named = "columns 'c0', 'c2', 'c3', 'c4', 'c5', 'c6', 'c7', 'c8' and 3 more"
    assert f"{named} have a different word in each of 12 rows; if it only names" in text
    assert "column 'c1' counts as text because of '0,5'" in text


def test_the_same_rows_in_another_order_are_warned_of(caplog: pytest.LogCaptureFixture) -> None:
    frame = pd.DataFrame({"a": OTHER, "b": OTHER[::-1]})
    y = pd.Series(CLASSES)
    with caplog.at_level(logging.WARNING, "dtfinder"):
        read_table(frame, y)
        read_table(
            frame, y.set_axis(range(100, 100 + ROWS))
        )  # rows of another table, for all we know
        read_table(frame, y.to_numpy())
        assert caplog.text == ""
        read_table(frame, y[::-1])
        assert caplog.text.count("same index in another order") == 1
        OptimalTreeClassifier().fit(frame, y[::-1])
        assert caplog.text.count("give y.loc[X.index]") == 2
