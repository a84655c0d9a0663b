"""The estimator on frames that hold the same values in another form when it predicts."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV

from dtfinder import OptimalTreeClassifier, find_tree
from dtfinder.errors import DataError, InfeasibleError

DAYS = pd.DataFrame({"day": pd.to_datetime(["2024-01-01", "2024-01-02", "2024-01-03"])})
TIMES = pd.DataFrame({"day": DAYS["day"] + pd.to_timedelta([0, 1, 1_500_000], unit="us")})
NUMBERED = pd.DataFrame({1: [1, 0, 1, 0, 1, 0], 2: [0, 0, 1, 1, 0, 1]})


@pytest.mark.parametrize("binarise", ["auto", "unary"])
@pytest.mark.parametrize("fitted_on", [bool, int, float, "boolean", "Int64"])
def test_true_is_one_and_false_is_zero(fitted_on: Any, binarise: str) -> None:
    X = pd.DataFrame({"a": [0, 0, 1, 1], "b": [0, 1, 0, 1]})
    model = OptimalTreeClassifier(binarise=binarise).fit(X.astype(fitted_on), X["a"] ^ X["b"])
    for kind in (bool, int, float, "boolean", "Int64"):
        assert model.predict(X.astype(kind)).tolist() == [0, 1, 1, 0]
    with pytest.warns(UserWarning, match="valid feature names"):
        assert model.predict(X.to_numpy(dtype=bool)).tolist() == [0, 1, 1, 0]


@pytest.mark.parametrize(
    ("fitted_on", "asked"),
    [
        (NUMBERED, NUMBERED.convert_dtypes()),
        (NUMBERED.convert_dtypes(), NUMBERED),
        (NUMBERED.convert_dtypes(), NUMBERED.to_numpy()),
        (NUMBERED.astype(bool), NUMBERED.rename(columns={1: 7, 2: 1})),
    ],
)
def test_numbered_columns_are_known_by_their_place(fitted_on: Any, asked: Any) -> None:
    y = NUMBERED[2].tolist()
    assert OptimalTreeClassifier().fit(fitted_on, y).predict(asked).tolist() == y


@pytest.mark.parametrize("frame", [DAYS, TIMES], ids=["days", "times"])
def test_a_moment_is_the_same_however_it_is_stored(frame: Any) -> None:
    model = OptimalTreeClassifier(missing="value").fit(frame, ["a", "b", "c"])
    polars = pl.DataFrame(frame)
    gap = pl.concat([polars, pl.DataFrame({"day": [None]}, schema=polars.schema)])
    for same in (frame.astype("datetime64[ns]"), frame.astype(object), polars, gap):
        assert model.predict(same)[:3].tolist() == ["a", "b", "c"]


def test_days_and_midnights_are_the_same() -> None:
    model = OptimalTreeClassifier().fit(DAYS, ["a", "b", "c"])
    dates = pd.DataFrame({"day": [moment.date() for moment in DAYS["day"]]})
    for same in (dates, pl.DataFrame(dates), DAYS.astype("datetime64[s]"), DAYS.astype(str)):
        assert model.predict(same).tolist() == ["a", "b", "c"]


def test_whole_numbers_that_a_gap_made_floats_stay_the_same_categories() -> None:
    with_gap = pd.DataFrame({"a": pd.Series([1, 2, 3, None, 1]).astype("category")})
    model = OptimalTreeClassifier(missing="value").fit(with_gap, [0, 0, 1, 0, 0])
    assert model.tree_.features[0].value == "3"
    assert model.predict(pd.DataFrame({"a": pd.Series([3, 1]).astype("category")})).tolist() == [
        1,
        0,
    ]
    assert model.predict(pd.DataFrame({"a": [3.0, 1.0]})).tolist() == [1, 0]
    mixed = pd.DataFrame({"a": [1, 2, "z"]}, dtype=object)
    model = OptimalTreeClassifier().fit(mixed, [0, 1, 0])
    assert model.predict(pd.DataFrame({"a": [1.0, 2.0, "z"]}, dtype=object)).tolist() == [0, 1, 0]


def test_nothing_is_fitted_after_a_fit_that_failed() -> None:
    model = OptimalTreeClassifier(method="cores").fit([[0], [1]], ["a", "b"])
    with pytest.raises(InfeasibleError):
        model.set_params(max_depth=0).fit([[0], [1]], ["cat", "dog"])
    with pytest.raises(NotFittedError):
        model.predict([[0], [1]])
    assert model.set_params(max_depth=1).fit([[0], [1]], [2, 3]).predict([[1]]).tolist() == [3]


@pytest.mark.parametrize("kind", [pd.DataFrame, np.array, list])
def test_whole_numbers_that_floats_merge_are_refused(kind: Any) -> None:
    with pytest.raises(DataError, match="1152921504606846976 and 1152921504606846977"):
        OptimalTreeClassifier().fit(kind([[2**60 + i] for i in range(4)]), [0, 1, 0, 1])
    model = OptimalTreeClassifier().fit(kind([[2**60], [2**61]]), [0, 1])
    assert model.predict(kind([[2**61], [2**60]])).tolist() == [1, 0]


def test_numbers_of_numpy_are_numbers() -> None:
    X = np.array([[0, 0], [0, 1], [1, 0], [1, 1]] * 3)
    y = X[:, 0] ^ X[:, 1]
    search = GridSearchCV(OptimalTreeClassifier(), {"max_depth": np.arange(2, 4)}, cv=2).fit(X, y)
    assert search.best_score_ == 1
    given: dict[str, Any] = {
        "n_jobs": np.int64(1),
        "certify": np.True_,
        "time_limit": np.float32(9),
    }
    model = OptimalTreeClassifier(**given)
    assert model.fit(X, y).result_.certificate is not None


def test_days_as_classes_come_back_as_days() -> None:
    days = DAYS["day"].iloc[::-1].reset_index(drop=True)
    model = OptimalTreeClassifier().fit([[0], [1], [2]], days)
    assert (model.predict([[0], [1], [2]]) == days.to_numpy()).all()
    assert '"2024-01-03"' in model.tree_.export("json")


def test_scikit_learn_rounds_and_we_say_so() -> None:
    seconds = np.array([[1_700_000_000.0], [1_700_000_010], [1_700_000_020], [1_700_000_030]])
    model = OptimalTreeClassifier().fit(seconds, [0, 0, 1, 1])
    with pytest.warns(UserWarning, match="rounds column 'x0' to single precision, and 2 of 4"):
        model.to_sklearn()


@pytest.mark.parametrize("form", [np.array, lambda rows, dtype=None: rows])
def test_arrays_and_lists_may_hold_words(form: Callable[..., Any]) -> None:
    rows = [["red", 1.5, True], ["blue", 2.5, False], ["red", 3.5, False], ["green", 0.5, True]]
    labels = ["a", "b", "a", "c"]
    model = OptimalTreeClassifier().fit(form(rows, dtype=object), labels)
    assert model.tree_ == find_tree(np.array(rows, dtype=object), labels, target="class").tree
    assert model.predict(form(rows, dtype=object)).tolist() == labels
    assert model.predict(np.array(rows, dtype=object)[:2]).tolist() == labels[:2]
    assert model.n_features_in_ == 3
    frame = pd.DataFrame(rows, columns=["x0", "x1", "x2"])
    with pytest.warns(UserWarning, match="X has feature names"):
        assert model.predict(frame).tolist() == labels


def test_arrays_of_text_and_of_dates() -> None:
    words = np.array([["a", "1"], ["b", "2"], ["a", "3"]])
    model = OptimalTreeClassifier().fit(words, [0, 1, 2])
    assert model.predict(words).tolist() == [0, 1, 2]
    days = np.arange("2024-01-01", "2024-01-31", dtype="M8[D]")[:, None]
    model = OptimalTreeClassifier().fit(days, np.arange(30) > 12)
    assert model.tree_.size == 3
    assert model.predict(days).tolist() == [n > 12 for n in range(30)]


def test_a_mixed_array_is_classified_by_a_tree_of_a_frame() -> None:
    frame = pd.DataFrame({"colour": ["red", "blue", "red", "green"], "size": [1.0, 2.0, 3.0, 4.0]})
    model = OptimalTreeClassifier().fit(frame, [0, 1, 0, 1])
    with pytest.warns(UserWarning, match="X does not have valid feature names"):
        assert model.predict(frame.to_numpy()).tolist() == [0, 1, 0, 1]
