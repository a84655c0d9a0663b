"""The tree by itself: made from nodes, checked, stored and applied."""

import json
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas
import pytest

from dtfinder import find_tree
from dtfinder.data import Dataset, Feature, Table, make_dataset, read_table
from dtfinder.errors import DataError, WrongTreeError
from dtfinder.nodes import Node, leaf
from dtfinder.tree import Tree
from test_nodes import deep_nodes


@pytest.fixture
def dataset() -> Dataset:
    """Exclusive or of two bits; the last row contradicts the first three."""
    X = np.array([[0, 0], [0, 0], [0, 0], [0, 1], [1, 0], [1, 1], [0, 0]])
    y = np.array(["even", "even", "even", "odd", "odd", "even", "odd"])
    return make_dataset(read_table(X, y), binarise="unary")


# Numbered against preorder on purpose: Tree.of has to put them right.
XOR = (
    Node(0, 5, 1, -1),
    Node(1, 2, 3, -1),
    leaf(1),
    leaf(0),
    leaf(1),
    Node(1, 6, 4, -1),
    leaf(0),
)


@pytest.fixture
def tree(dataset: Dataset) -> Tree:
    return Tree.of(dataset, XOR)


def test_size_depth_and_leaves(tree: Tree) -> None:
    assert (tree.size, tree.depth, tree.leaves) == (7, 2, 4)


def test_nodes_are_in_preorder_zero_side_first(tree: Tree) -> None:
    assert [(n.zero, n.one) for n in tree.nodes if n.feature >= 0] == [(1, 4), (2, 3), (5, 6)]


def test_probabilities_are_shares_of_the_leaf(tree: Tree) -> None:
    bits = np.array([[0, 0], [0, 1], [1, 1]])
    assert tree.predict_proba(bits).tolist() == [[0.75, 0.25], [0, 1], [1, 0]]
    logs = tree.predict_log_proba(bits)
    assert logs[1].tolist() == [-np.inf, 0]
    assert np.exp(logs) == pytest.approx(tree.predict_proba(bits))
    again = Tree.from_json(json.loads(json.dumps(tree.to_json())))
    assert again.predict_proba(bits).tolist() == tree.predict_proba(bits).tolist()


def test_a_leaf_that_no_row_reached_is_sure(tree: Tree) -> None:
    nobody = replace(tree, counts=tuple((0, 0) for _ in tree.nodes))
    assert nobody.predict_proba(np.array([[0, 0], [0, 1]])).tolist() == [[1, 0], [0, 1]]


def test_counts_add_up_from_leaf_to_root(tree: Tree) -> None:
    assert tree.counts[0] == (4, 3)
    for number, node in enumerate(tree.nodes):
        if node.feature >= 0:
            below = zip(tree.counts[node.zero], tree.counts[node.one], strict=True)
            assert tree.counts[number] == tuple(map(sum, below))


def test_check_counts_the_unavoidable_errors(tree: Tree, dataset: Dataset) -> None:
    assert dataset.unavoidable_errors == 1
    assert tree.check(dataset) == 1


def test_check_refuses_a_wrong_tree(tree: Tree, dataset: Dataset) -> None:
    nodes = list(tree.nodes)
    wrong = next(i for i, n in enumerate(nodes) if n.feature < 0)
    nodes[wrong] = leaf(1 - nodes[wrong].label)
    with pytest.raises(WrongTreeError, match=r"7 nodes makes . errors .* where 1 are unavoidable"):
        replace(tree, nodes=tuple(nodes)).check(dataset)


def test_predict_speaks_the_users_words(tree: Tree) -> None:
    table = read_table(np.array([[0, 0], [1, 0]]), need_target=False)
    assert tree.predict(table) == ["even", "odd"]
    assert tree.predict_index(table).tolist() == [0, 1]


def test_a_missing_column_is_named(tree: Tree) -> None:
    table = Table(("x0",), (np.zeros(1),))
    with pytest.raises(DataError, match=r"the table has no column 'x1', .* it needs x0, x1"):
        tree.predict(table)
    with pytest.raises(DataError, match=r"the table has no column 'x1', .* is it 'X1' there\?"):
        tree.predict(Table(("x0", "X1"), (np.zeros(1), np.zeros(1))))


def test_prints_one_node_a_line_and_shows_itself_in_short(tree: Tree) -> None:
    lines = str(tree).splitlines()
    assert len(lines) == tree.size
    assert lines[0] == tree.features[tree.nodes[0].feature].name
    assert repr(tree) == f"<Tree: {tree.size} nodes, depth {tree.depth}, about x0, x1>"
    assert repr(Tree((leaf(0),), (), ("a",), ((1,),))) == "<Tree: 1 node, depth 0>"


def test_json_goes_there_and_back(tree: Tree, dataset: Dataset) -> None:
    again = Tree.from_json(json.loads(json.dumps(tree.to_json())))
    assert again == tree
    assert again.check(dataset) == 1


@pytest.mark.parametrize(
    "change",
    [
        lambda data: data.pop("nodes"),
        lambda data: data.update(nodes=[]),
        lambda data: data["nodes"][0].update(zero=0),
        lambda data: data["nodes"][0].update(one=99),
        lambda data: data["nodes"][1].update(zero=4),
        lambda data: data["nodes"][0].update(feature=9),
        lambda data: data["nodes"][2].update({"class": 7}),
        lambda data: data["nodes"][2].update({"class": -1}),
        lambda data: data["nodes"][2].pop("class"),
        lambda data: data["nodes"][2].update({"class": 0.0}),
        lambda data: data["nodes"][2].update(counts=[1]),
        lambda data: data["nodes"][2].update(counts=["1", "0"]),
        lambda data: data["nodes"][2].pop("counts"),
        lambda data: data["features"][0].pop("test"),
        lambda data: data["features"][0].update(test="!="),
        lambda data: data["features"][0].update(test="<=", value="red"),
        lambda data: data["features"][0].update(column=3),
        lambda data: data.update(classes=3),
        lambda data: data.update(classes=[]),
        lambda data: data.update(classes=[["no"], ["yes"]]),
        lambda data: data.update(classes=[math.nan, 1]),
        lambda data: data.update(classes=[10**400, 1]),
        lambda data: data.update(classes=["\ud800", "b"]),
        lambda data: data.update(classes=[{}, "b"]),
        lambda data: data.update(classes=[None, "b"]),
        lambda data: data.update(classes=["a", "a"]),
        lambda data: data.update(target=None),
        lambda data: data.update(target="\udfff"),
        lambda data: data.update(features={}),
        lambda data: data.update(nodes={"a": 1}),
        lambda data: data["features"].__setitem__(0, []),
        lambda data: data["features"][0].update(column="\udc80"),
        lambda data: data["features"][0].update(test="<=", value=math.nan),
        lambda data: data["features"][0].update(test="<=", value=10**400),
        lambda data: data["features"][0].update(test="<=", value=True),
        lambda data: data["features"][0].update(test="<=", value=None),
        lambda data: data["features"][0].update(test="<=", value=[]),
        lambda data: data["features"][0].update(test="<=", value=[1, 2]),
        lambda data: data["features"][0].update(test="in", value=[]),
        lambda data: data["features"][0].update(test="in", value=[[1]]),
        lambda data: data["features"][0].update(test="in", value="ab"),
        lambda data: data["features"][0].update(test="=", value={"a": 1}),
        lambda data: data["features"][0].update(test="=", value=["a"]),
        lambda data: data["features"][0].update(test="=", value="\ud800"),
        lambda data: data["features"][0].update(test="=", value=math.nan),
        lambda data: data["features"][0].update(test="=", value=-(10**400)),
        lambda data: data["nodes"][2].update(counts=[-1, 2]),
        lambda data: data["nodes"][2].update(counts=[10**400, 2]),
        lambda data: data["nodes"][0].update(zero=True),
        lambda data: data["nodes"].__setitem__(0, "class"),
    ],
)
def test_other_json_is_refused(tree: Tree, change: Any) -> None:
    data = tree.to_json()
    change(data)
    with pytest.raises(DataError, match="not a tree that dtfinder wrote") as caught:
        Tree.from_json(data)
    assert len(str(caught.value)) < 300
    str(caught.value).encode()  # a line that can be written


@pytest.mark.parametrize("data", [None, [], {}, 3, "tree"])
def test_json_that_is_no_object(data: dict[str, Any] | int | list[Any] | str | None) -> None:
    with pytest.raises(DataError, match="not a tree that dtfinder wrote"):
        Tree.from_json(data)


def test_deep_trees_need_no_deep_stack() -> None:
    nodes = deep_nodes(5000)
    tree = Tree(tuple(nodes), (Feature("x", "<=", 0.5),), (0, 1), ((1, 0),) * len(nodes))
    assert Tree.from_json(tree.to_json()) == tree


def test_importances_are_shares(tree: Tree) -> None:
    shares = tree.importances()
    assert set(shares) == {"x0", "x1"}
    assert sum(shares.values()) == pytest.approx(1)


def test_importances_of_a_leaf() -> None:
    assert Tree((leaf(0),), (), ("a",), ((3,),)).importances() == {}


def test_a_tree_classifies_whatever_it_could_be_made_of(tmp_path: Path) -> None:
    frame = pandas.DataFrame({"a": [0, 1, 1], "b": ["x", "y", "x"]})
    tree = find_tree(frame, [0, 1, 0]).tree
    assert tree.predict(frame) == [0, 1, 0]
    frame.iloc[::-1].to_csv(tmp_path / "rows.csv", index=False)
    assert tree.predict(tmp_path / "rows.csv") == [0, 1, 0]
    assert find_tree([[0], [1]], [0, 1]).tree.predict([[1], [0]]) == [1, 0]
