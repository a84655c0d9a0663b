"""The tree that scikit-learn's users get, against scikit-learn itself on the raw table."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris, load_wine
from sklearn.tree import DecisionTreeClassifier

from dtfinder.data import make_dataset, read_table
from dtfinder.search.greedy_raw import SEEDS, greedy_raw_tree


def sizes(X: np.ndarray, y: np.ndarray) -> list[int]:
    seeds = range(SEEDS)
    return sorted(DecisionTreeClassifier(random_state=n).fit(X, y).tree_.node_count for n in seeds)


@pytest.mark.parametrize("load", [load_iris, load_wine])
def test_has_the_median_size_of_the_raw_table(load) -> None:  # type: ignore[no-untyped-def]
    X, y = load(return_X_y=True)
    found = greedy_raw_tree(make_dataset(read_table(X, y)))
    assert found is not None
    tree, seeds = found
    assert seeds == SEEDS
    assert sizes(X, y)[0] <= tree.size <= sizes(X, y)[-1]
    assert abs(tree.size - sizes(X, y)[SEEDS // 2]) <= 2
    assert tree.predict(X) == y.tolist()


def test_of_whole_numbers_it_is_scikit_learns_own_tree() -> None:
    random = np.random.default_rng(1)
    X = random.integers(0, 6, (300, 5))
    y = (X[:, 0] == X[:, 1]).astype(int) + (X[:, 2] > 3)
    dataset = make_dataset(read_table(X, y))
    found = greedy_raw_tree(dataset)
    assert found is not None
    assert found[0].size == sizes(X, y)[SEEDS // 2]
    assert found[0].check(dataset) == dataset.unavoidable_errors


def test_words_dates_and_missing_values() -> None:
    random = np.random.default_rng(2)
    rows = 120
    frame = pd.DataFrame(
        {
            "colour": random.choice(np.array(["red", "green", "blue", None], dtype=object), rows),
            "when": pd.Timestamp("2024-01-01") + pd.to_timedelta(random.integers(0, 40, rows), "D"),
            "x": np.where(random.random(rows) < 0.2, np.nan, random.integers(0, 9, rows)),
            "size": pd.Categorical(
                random.choice(["s", "m", "l"], rows), ["s", "m", "l"], ordered=True
            ),
        }
    )
    dataset = make_dataset(read_table(frame, random.integers(0, 2, rows)), missing="value")
    found = greedy_raw_tree(dataset)
    assert found is not None
    assert found[0].check(dataset) == dataset.unavoidable_errors
    assert sum(found[0].counts[0]) == rows
