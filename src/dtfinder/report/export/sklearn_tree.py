"""Our trees as scikit-learn's, and scikit-learn's as ours.

Scikit-learn has no public way to make a tree other than growing one. The way that pickle takes is
open to all, though: the class of the inner tree can be called with the sizes, and `__setstate__`
takes the table of nodes. What that table looks like is read off a tree that scikit-learn grew, so
that columns of it that we do not know keep a sound value.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dtfinder.data.dataset import Feature, Table
from dtfinder.errors import DataError
from dtfinder.nodes import Node, depth_of, in_preorder, leaf
from dtfinder.tree import Tree

if TYPE_CHECKING:
    from sklearn.tree import DecisionTreeClassifier


class Flat(NamedTuple):
    """A node that goes `left` if `column <= threshold`; a leaf has column -1 and gives `label`."""

    column: int
    threshold: float
    left: int
    right: int
    label: int
    counts: tuple[float, ...]  # rows of each class


def to_sklearn(
    tree: Tree, columns: Sequence[str] | None, table: Table | None
) -> DecisionTreeClassifier:
    """See `Tree.to_sklearn`."""
    if columns is None:
        columns = tree.columns
    place = {name: number for number, name in enumerate(columns)}
    flat = []
    for node, counts in zip(tree.nodes, tree.weights or tree.counts, strict=True):
        if node.feature < 0:
            flat.append(Flat(-1, 0.0, -1, -1, node.label, counts))
            continue
        feature = tree.features[node.feature]
        if feature.column not in place:
            raise DataError(
                f"the tree asks about column {feature.column!r}, which is not in `columns`"
            )
        threshold, below = as_threshold(feature, table)
        if table is not None:
            warn_of_rounding(feature.column, table.column(feature.column), threshold)
        left, right = (node.one, node.zero) if below else (node.zero, node.one)
        flat.append(Flat(place[feature.column], threshold, left, right, -1, counts))
    return put_together(flat, np.array(tree.classes), columns)


def from_sklearn(model: DecisionTreeClassifier, columns: Sequence[str] | None) -> Tree:
    """See `Tree.from_sklearn`."""
    if model.n_outputs_ != 1:
        raise DataError(f"the model has {model.n_outputs_} outputs; only one is supported")
    if columns is None:
        unnamed = [f"x{number}" for number in range(model.n_features_in_)]
        columns = list(getattr(model, "feature_names_in_", unnamed))
    features: dict[Feature, int] = {}
    nodes, flat = [], take_apart(model)
    for node in flat:
        if node.column < 0:
            nodes.append(leaf(node.label))
            continue
        feature = Feature(columns[node.column], "<=", node.threshold)
        index = features.setdefault(feature, len(features))
        nodes.append(Node(index, node.right, node.left, -1))
    ordered, order, used = in_preorder(nodes)
    counts = tuple(tuple(round(count) for count in flat[number].counts) for number in order)
    asked = tuple(list(features)[index] for index in used)
    return Tree(ordered, asked, tuple(model.classes_.tolist()), counts)


def put_together(
    nodes: Sequence[Flat], classes: NDArray[Any], names: Sequence[str]
) -> DecisionTreeClassifier:
    """A fitted DecisionTreeClassifier whose nodes are `nodes`, by the same numbers. Parents come
    before their children."""
    from sklearn.tree import DecisionTreeClassifier

    # A stump with as many columns and classes; all that is ours replaces what it learnt.
    rows = max(2, len(classes))
    model = DecisionTreeClassifier(max_depth=1).fit(
        np.zeros((rows, len(names))), np.arange(rows) % len(classes)
    )
    empty = model.tree_.__getstate__()
    counts = np.array([node.counts for node in nodes], dtype=np.float64)
    table = np.zeros(len(nodes), dtype=empty["nodes"].dtype)
    table["left_child"] = [node.left for node in nodes]
    table["right_child"] = [node.right for node in nodes]
    table["feature"] = [node.column if node.column >= 0 else -2 for node in nodes]
    table["threshold"] = [node.threshold if node.column >= 0 else -2.0 for node in nodes]
    weight = counts.sum(axis=1)
    shares = counts / np.maximum(weight, 1)[:, None]
    table["impurity"] = np.where(weight > 0, 1 - (shares**2).sum(axis=1), 0)
    table["n_node_samples"] = table["weighted_n_node_samples"] = weight
    for number, node in enumerate(nodes):
        # Scikit-learn answers with the largest share; a leaf that says otherwise gets its way.
        if (node.column < 0 and shares[number].argmax() != node.label) or not weight[number]:
            shares[number] = np.arange(len(classes)) == max(node.label, 0)
    inner = type(model.tree_)(len(names), np.array([len(classes)]), 1)
    inner.__setstate__(
        empty
        | {
            "max_depth": depth_of([Node(n.column, n.left, n.right, -1) for n in nodes]),
            "node_count": len(nodes),
            "nodes": table,
            "values": shares[:, None, :],
        }
    )
    model.tree_, model.classes_ = inner, classes
    model.feature_names_in_ = np.array(names, dtype=object)
    model.set_params(max_depth=None)
    return model


def take_apart(model: DecisionTreeClassifier) -> list[Flat]:
    """The nodes of a fitted tree with one output, by scikit-learn's numbers."""
    tree = model.tree_
    shares = tree.value[:, 0, :]
    return [
        Flat(
            max(int(tree.feature[number]), -1),
            threshold_for_doubles(float(tree.threshold[number])),
            int(tree.children_left[number]),
            int(tree.children_right[number]),
            int(shares[number].argmax()),
            tuple((shares[number] * tree.weighted_n_node_samples[number]).tolist()),
        )
        for number in range(tree.node_count)
    ]


def threshold_for_doubles(threshold: float) -> float:
    """The t for which `x <= t` says what scikit-learn says of x: it rounds x to single precision
    and then compares that with `threshold`."""
    low = np.float32(threshold)
    if float(low) > threshold:  # numpy would round the double to compare it with a single
        low = np.nextafter(low, np.float32(-np.inf))
    high = np.nextafter(low, np.float32(np.inf))
    middle = (float(low) + float(high)) / 2
    return middle if np.float32(middle) == low else float(np.nextafter(middle, -np.inf))


def as_threshold(feature: Feature, table: Table | None) -> tuple[float, bool]:
    """A threshold that splits numbers as the feature does, and whether it holds below it."""
    if isinstance(feature.bound, float):
        return feature.bound, True
    if isinstance(feature.value, bool):
        return 0.5, not feature.value
    column = table.column(feature.column) if table else np.empty(0, dtype=object)
    if column.dtype.kind == "f":
        values = np.unique(column[~np.isnan(column)])
        holds = feature.holds(values)
        changes = np.flatnonzero(holds[1:] != holds[:-1])
        if len(changes) == 1 and not np.isnan(column).any():
            at = int(changes[0])
            return float(values[at] / 2 + values[at + 1] / 2), bool(holds[0])
    cure = "encode such columns as numbers before the tree is made"
    if table is None:
        cure = "if it is one on the rows the tree was made of, ask before it is pickled or copied"
    raise DataError(
        f"the test {feature.name!r} is not a threshold on a number, and scikit-learn's trees have "
        f"no other tests; {cure}"
    )


def warn_of_rounding(name: str, column: NDArray[Any], threshold: float) -> None:
    """Warn if scikit-learn, which rounds to single precision, sees other sides of a threshold."""
    if column.dtype.kind != "f":
        return
    with np.errstate(over="ignore"):
        rounded = column.astype(np.float32).astype(np.float64)
    moved = int(((rounded <= threshold) != (column <= threshold)).sum())
    if moved:
        warnings.warn(
            f"scikit-learn rounds column {name!r} to single precision, and {moved} of "
            f"{len(column)} rows end up on the other side of {threshold:g}; subtract the least "
            "value from the column, or use export('sklearn'), which compares exactly",
            stacklevel=5,
        )
