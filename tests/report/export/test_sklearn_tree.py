"""Our trees as scikit-learn's, and scikit-learn's as ours."""

from typing import Any

import numpy as np
import pandas
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.tree import DecisionTreeClassifier

from dtfinder.data import Feature, Table, read_table
from dtfinder.errors import DataError
from dtfinder.nodes import Node, leaf
from dtfinder.report.export.sklearn_tree import threshold_for_doubles
from dtfinder.tree import Tree


def _grown(seed: int, classes: int = 3) -> tuple[Any, Any]:
    pick = np.random.RandomState(seed)
    X, y = pick.normal(size=(80, 4)), pick.randint(0, classes, 80)
    return DecisionTreeClassifier(random_state=seed).fit(X, y), X


@pytest.mark.parametrize("seed", range(5))
def test_from_sklearn_is_the_same_tree(seed: int) -> None:
    model, X = _grown(seed)
    tree = Tree.from_sklearn(model)
    assert (tree.size, tree.depth) == (model.tree_.node_count, model.get_depth())
    fresh = np.random.RandomState(99).normal(size=(500, 4))
    for rows in (X, fresh):
        assert tree.predict(read_table(rows, need_target=False)) == model.predict(rows).tolist()
    assert sum(tree.counts[0]) == 80


@pytest.mark.parametrize("seed", range(5))
def test_to_sklearn_and_back(seed: int) -> None:
    model, _ = _grown(seed)
    tree = Tree.from_sklearn(model, ["a", "b", "c", "d"])
    twin = tree.to_sklearn(["a", "b", "c", "d"])
    fresh = np.random.RandomState(99).normal(size=(500, 4))
    named = pandas.DataFrame(fresh, columns=["a", "b", "c", "d"])
    assert (twin.predict(named) == model.predict(fresh)).all()
    assert twin.feature_importances_ == pytest.approx(model.feature_importances_)
    assert Tree.from_sklearn(twin) == tree


def test_to_sklearn_of_one_leaf() -> None:
    twin = Tree((leaf(0),), (), ("a",), ((3,),)).to_sklearn(["x"])
    del twin.feature_names_in_
    assert twin.predict([[1.0]]).tolist() == ["a"]


def test_to_sklearn_takes_bools_and_two_valued_numbers() -> None:
    table = Table(
        ("flag", "n"),
        (np.array([True, True, False, False], dtype=object), np.array([3.0, 8, 3, 8])),
    )
    nodes = (Node(0, 1, 2, -1), leaf(0), Node(1, 3, 4, -1), leaf(1), leaf(0))
    features = (Feature("flag", "=", True), Feature("n", "=", 8.0))
    counts = ((3, 1), (2, 0), (1, 1), (0, 1), (1, 0))
    tree = Tree(nodes, features, (0, 1), counts)
    twin = tree.to_sklearn(["flag", "n"], table=table)
    del twin.feature_names_in_
    rows = np.array([[1, 3], [1, 8], [0, 3], [0, 8]])
    assert twin.predict(rows).tolist() == tree.predict(table) == [1, 0, 0, 0]


def test_to_sklearn_refuses_what_it_cannot_say() -> None:
    tree = Tree(
        (Node(0, 1, 2, -1), leaf(0), leaf(1)),
        (Feature("colour", "=", "red"),),
        (0, 1),
        ((1, 1), (1, 0), (0, 1)),
    )
    with pytest.raises(DataError, match="'colour = red' is not a threshold on a number"):
        tree.to_sklearn()
    with pytest.raises(DataError, match="asks about column 'colour'"):
        tree.to_sklearn(["size"])


def test_a_leaf_against_its_counts_keeps_its_class() -> None:
    tree = Tree(
        (Node(0, 1, 2, -1), leaf(1), leaf(0)),
        (Feature("x", "<=", 0.5),),
        ("a", "b"),
        ((3, 0), (3, 0), (0, 0)),
    )
    twin = tree.to_sklearn()
    del twin.feature_names_in_
    assert twin.predict([[1.0], [0.0]]).tolist() == ["b", "a"]


@given(
    threshold=st.floats(-1e6, 1e6),
    steps=st.integers(-3, 3),
)
def test_doubles_fall_on_the_side_where_scikit_learn_puts_them(
    threshold: float, steps: int
) -> None:
    exact = threshold_for_doubles(threshold)
    x = exact
    for _ in range(abs(steps)):
        x = float(np.nextafter(x, np.inf if steps > 0 else -np.inf))
    assert (x <= exact) == (float(np.float32(x)) <= threshold)


def test_from_sklearn_with_two_targets_is_refused() -> None:
    model = DecisionTreeClassifier().fit([[0], [1]], [[0, 1], [1, 0]])
    with pytest.raises(DataError, match="2 outputs"):
        Tree.from_sklearn(model)
