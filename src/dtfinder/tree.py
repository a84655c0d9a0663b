"""The decision tree, as it is found, checked, shown, stored and used.

Searches hand over *nodes* (`nodes.py`). `Tree.of` turns them into a `Tree`, which stands alone: it
knows the meaning of its features and the names of its classes, so it classifies tables of the
user's own columns.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from dtfinder.data.columns import missing_in
from dtfinder.data.dataset import Bits, Dataset, Feature, Ints, Label, Table, is_value
from dtfinder.data.rows import is_rows, read_rows
from dtfinder.errors import DataError, Option, WrongTreeError
from dtfinder.nodes import Node, Nodes, depth_of, in_preorder, leaf, leaves_reached, summed_up

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from sklearn.tree import DecisionTreeClassifier


@dataclass(frozen=True, repr=False)
class Tree:
    """A decision tree over named features. Nodes are numbered in preorder, zero side first.
    `print` shows it with one node per line."""

    nodes: tuple[Node, ...]
    features: tuple[Feature, ...]  # the features that the nodes speak of
    classes: tuple[Label, ...]
    counts: tuple[tuple[int, ...], ...]  # rows of each class that reach each node
    target: str = "class"  # the name of what it predicts
    weights: tuple[tuple[int, ...], ...] | None = None  # of these rows, in units, if they have any

    @classmethod
    def of(cls, dataset: Dataset, nodes: Nodes, features: Sequence[Feature] | None = None) -> Tree:
        """The tree over `dataset` that `nodes` describes, renumbered in preorder, with counts. Its
        nodes may ask other `features` of the table than the dataset's own."""
        flat, _, used = in_preorder(nodes)
        kept = dataset.example_of_row >= 0
        asked = tuple((features or dataset.features)[feature] for feature in used)
        tree = cls(flat, asked, dataset.classes, ())
        if features is None:
            leaf_of_example = tree.apply_bits(dataset.bits[:, used])
            leaf_of_row = leaf_of_example[dataset.example_of_row[kept]]
        else:
            leaf_of_row = tree.apply(dataset.table)[kept]
        given = np.zeros(len(kept), dtype=np.int64)
        given[kept] = np.array([node.label for node in flat])[leaf_of_row]
        places = (leaf_of_row, dataset.counted_labels(given)[kept])

        def reached(units: Ints | int) -> tuple[tuple[int, ...], ...]:
            sums = np.zeros((len(flat), len(dataset.classes)), dtype=np.int64)
            np.add.at(sums, places, units)
            return summed_up(flat, sums)

        weights = None if dataset.weights is None else reached(dataset.weights.units[kept])
        return cls(flat, asked, dataset.classes, reached(1), dataset.table.target_name, weights)

    @property
    def size(self) -> int:
        """The number of nodes, leaves included; it is odd."""
        return len(self.nodes)

    @property
    def leaves(self) -> int:
        """The number of leaves."""
        return (len(self.nodes) + 1) // 2

    @cached_property
    def depth(self) -> int:
        """The number of edges on the longest path from the root."""
        return depth_of(self.nodes)

    @property
    def total(self) -> int:
        """The number of rows that the tree was made from, or what they weigh, in units."""
        return sum((self.weights or self.counts)[0])

    @property
    def wrong_rows(self) -> int:
        """How many of these rows the tree gets wrong, whatever they weigh."""
        leaves = ((n.label, c) for n, c in zip(self.nodes, self.counts, strict=True))
        return sum(sum(counts) - counts[label] for label, counts in leaves if label >= 0)

    def apply_bits(self, bits: Bits) -> Ints:
        """The leaf that each row ends in; `bits` has one column for each of `features`."""
        return leaves_reached(self.nodes, bits)

    @property
    def columns(self) -> list[str]:
        """The names of the columns that the tree asks about."""
        return list(dict.fromkeys(feature.column for feature in self.features))

    def columns_of(self, table: Table) -> list[str]:
        """`columns`, or an error if the table lacks one of them."""
        asked = self.columns
        absent = next((name for name in asked if name not in table.names), None)
        if absent is not None:
            close = [name for name in table.names if name.casefold() == absent.casefold()]
            close += get_close_matches(absent, table.names, 1)
            hint = f"; is it {close[0]!r} there?" if close else f"; it needs {', '.join(asked)}"
            raise DataError(f"the table has no column {absent!r}, which the tree asks about{hint}")
        return asked

    @property
    def asks_for_missing(self) -> bool:
        """Whether a test is about missing values, so that the table it was made from had some."""
        return any(None in feature.values for feature in self.features)

    def refuse_missing(self, table: Table) -> None:
        """Raise unless each row of `table` has a value in every column that the tree asks about."""
        for name in self.columns_of(table):
            gone = missing_in(table.column(name))
            if gone.any():
                raise DataError(
                    f"column {name!r} has no value in {gone.sum()} of {table.rows} rows, first in "
                    f"row {int(gone.argmax()) + 1}; fill them in, or let them answer no to every "
                    "test but `= missing`, with ",
                    Option("missing", "value"),
                )

    def feature_bits(self, table: Any) -> Bits:
        """The truth of each of `features` on each row of `table`: a frame, an array, a file or
        whatever else `find_tree` takes; also a dict for one row, or a list of them."""
        if isinstance(table, Mapping):
            table = [table]
        if is_rows(table):
            table = read_rows(table)
        if not isinstance(table, Table):
            from dtfinder.data import read_table

            table = read_table(table, need_target=False)
        self.columns_of(table)
        bits = np.zeros((table.rows, len(self.features)), dtype=bool)
        for number, feature in enumerate(self.features):
            bits[:, number] = feature.holds(table.column(feature.column))
        return bits

    def apply(self, table: Any) -> Ints:
        """The number of the leaf that each row of `table` ends in."""
        return self.apply_bits(self.feature_bits(table))

    def predict_index(self, table: Any) -> Ints:
        """The class index of each row of `table`."""
        labels = np.array([node.label for node in self.nodes], dtype=np.int64)
        return labels[self.apply(table)]

    def predict(self, table: Any) -> list[Label]:
        """The class of each row of `table`: a frame, an array, a file, or rows as dicts.

        >>> from dtfinder import find_tree
        >>> tree = find_tree("weather").tree
        >>> tree.predict({"outlook": "sunny", "humidity": "high", "windy": "false"})
        ['no']
        """
        return [self.classes[index] for index in self.predict_index(table).tolist()]

    def class_shares(self) -> NDArray[np.float64]:
        """For each node, the share of each class among the rows of the training data that reach it,
        by weight if they have weights. A leaf that none reached is sure of its class."""
        counts = np.array(self.weights or self.counts, dtype=np.float64)
        labels = np.array([node.label for node in self.nodes])
        empty = (counts.sum(axis=1) == 0) & (labels >= 0)
        counts[empty, labels[empty]] = 1
        return np.asarray(counts / np.maximum(counts.sum(axis=1, keepdims=True), 1))

    def predict_proba(self, table: Any) -> NDArray[np.float64]:
        """The probability of each of `classes` for each row of `table`: its share among the rows of
        the training data in the same leaf."""
        return self.class_shares()[self.apply(table)]

    def predict_log_proba(self, table: Any) -> NDArray[np.float64]:
        """The logarithm of `predict_proba`, -inf for a probability of 0."""
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(table))

    def check(self, dataset: Dataset) -> int:
        """Classify every row of the user's own table, not the bits made of it. Returns the number
        of errors on the rows that were kept; raises if it is not the unavoidable number."""
        errors = self.errors_on(dataset)
        if errors != dataset.unavoidable_errors:
            raise WrongTreeError(
                f"a tree of {self.size} nodes makes {errors} errors on its own examples where "
                f"{dataset.unavoidable_errors} are unavoidable; please report this"
            )
        return errors

    def errors_on(self, dataset: Dataset) -> int:
        """The number of rows of the user's own table that the tree gets wrong, of those kept, or
        what they weigh."""
        wrong = dataset.wrong(self.predict_index(dataset.table))
        return int(dataset.row_units[wrong & (dataset.example_of_row >= 0)].sum())

    def to_json(self) -> dict[str, Any]:
        """A plain object that `from_json` reads back."""
        return {
            "target": self.target,
            "classes": list(self.classes),
            "features": [
                {"column": f.column, "test": f.test, "value": f.value, "name": f.name}
                for f in self.features
            ],
            "nodes": [
                {"feature": n.feature, "zero": n.zero, "one": n.one, "counts": list(c)}
                if n.feature >= 0
                else {"class": n.label, "counts": list(c)}
                for n, c in zip(self.nodes, self.counts, strict=True)
            ],
            **({} if self.weights is None else {"weights": [list(each) for each in self.weights]}),
        }

    @classmethod
    def from_json(cls, data: Any) -> Tree:
        """The tree that `to_json` wrote; any other object is a DataError that says why."""
        try:
            features = tuple(
                Feature(
                    f["column"],
                    f["test"],
                    tuple(f["value"]) if isinstance(f["value"], list) else f["value"],
                )
                for f in data["features"]
            )
            nodes = tuple(
                leaf(n["class"]) if "class" in n else Node(n["feature"], n["zero"], n["one"], -1)
                for n in data["nodes"]
            )
            counts = tuple(tuple(n["counts"]) for n in data["nodes"])
            target = data.get("target", "class")  # which older files lack
            weights = data.get("weights")
            weights = None if weights is None else tuple(tuple(each) for each in weights)
            tree = cls(nodes, features, tuple(data["classes"]), counts, target, weights)
            wrong = tree._fault()
        except KeyError as error:
            raise DataError(f"this is not a tree that dtfinder wrote: it has no {error}") from error
        except (TypeError, IndexError, AttributeError) as error:
            raise DataError(f"this is not a tree that dtfinder wrote: {error!r:.200}") from error
        if wrong:
            raise DataError(f"this is not a tree that dtfinder wrote: {wrong:.200}")
        return tree

    def _fault(self) -> str | None:
        """What is wrong with a tree that may come from elsewhere."""
        if not (is_value(self.target) and isinstance(self.target, str)):
            return f"{self.target!r} is not the name of its class"
        labels = {(type(label), label) for label in self.classes}
        if not all(is_value(label) and label is not None for label in self.classes):
            return f"its classes {self.classes} are not all words, numbers or truth values"
        if not labels or len(labels) < len(self.classes):
            return f"its classes {self.classes} are not distinct, or there are none"
        for feature in self.features:
            if not (is_value(feature.column) and isinstance(feature.column, str)):
                return f"{feature.column!r} is not the name of a column"
            if not feature.is_sound:
                return f"{feature} is not a test"
        for weights in self.weights or ():
            whole = all(type(number) is int and 0 <= number < 2**63 for number in weights)
            if not whole or len(weights) != len(self.classes):
                return f"the weights {weights} of a node do not fit its classes"
        if self.weights is not None and len(self.weights) != len(self.nodes):
            return "it has weights for some nodes only"
        for node, counts in zip(self.nodes, self.counts, strict=True):
            whole = all(type(number) is int and number < 2**63 for number in (*node, *counts))
            if not whole or len(counts) != len(self.classes) or min(counts) < 0:
                return f"the counts {counts} of a node do not fit its classes"
            inside = node.feature < len(self.features) and node.label < len(self.classes)
            is_leaf = node.feature < 0 <= node.label
            if not (inside and (is_leaf or node.feature >= 0)):
                return f"node {node} is not valid"
        # Nodes are in preorder, so every child comes after its parent and has no other one.
        children = [c for n in self.nodes if n.feature >= 0 for c in (n.zero, n.one)]
        forward = all(n.zero > i < n.one for i, n in enumerate(self.nodes) if n.feature >= 0)
        if not self.nodes or sorted(children) != list(range(1, len(self.nodes))) or not forward:
            return "its nodes do not form a tree"
        return None

    def plot(self, path: str | Path | None = None) -> Figure:
        """The tree as a matplotlib figure, also written to `path` (.png, .svg or .pdf)."""
        from dtfinder.report.plot import draw

        return draw(self, path=path)

    def export(self, to: str) -> str | bytes:
        """The tree as text or as the bytes of a file: `to` is rules, python, javascript, c, sql,
        json, dot, sklearn, pmml or onnx."""
        from dtfinder.report.export import export_tree

        return export_tree(self, to)

    def __repr__(self) -> str:
        columns = self.columns
        some = ", ".join(columns[:6]) + (", ..." if len(columns) > 6 else "")
        nodes = "1 node" if self.size == 1 else f"{self.size} nodes"
        return f"<Tree: {nodes}, depth {self.depth}{some and f', about {some}'}>"

    def __str__(self) -> str:
        from dtfinder.report.text import short_text

        return short_text(self).rstrip("\n")

    def _repr_html_(self) -> str:
        """What a notebook shows."""
        from dtfinder.report.notebook import tree_html

        return tree_html(self)

    def importances(self) -> dict[str, float]:
        """How much each column lowers the Gini impurity, as shares of 1 (all 0 for one leaf)."""
        total: dict[str, float] = {}
        counts: NDArray[np.float64] = np.array(self.weights or self.counts, dtype=np.float64)
        weight = counts.sum(axis=1)
        gini = weight - (counts**2).sum(axis=1) / np.maximum(weight, 1)
        for number, node in enumerate(self.nodes):
            if node.feature >= 0:
                column = self.features[node.feature].column
                gain = gini[number] - gini[node.zero] - gini[node.one]
                total[column] = total.get(column, 0.0) + float(gain)
        whole = sum(total.values())
        return {column: gain / whole if whole else 0.0 for column, gain in total.items()}

    def to_sklearn(
        self, columns: Sequence[str] | None = None, *, table: Table | None = None
    ) -> DecisionTreeClassifier:
        """A fitted scikit-learn tree with the same nodes by the same numbers.

        It takes the numeric `columns`, by default those that the tree asks about. All its tests are
        thresholds; other questions of the tree become thresholds that agree with them on the values
        of `table`.
        """
        from dtfinder.report.export.sklearn_tree import to_sklearn

        return to_sklearn(self, columns, table)

    @classmethod
    def from_sklearn(
        cls, model: DecisionTreeClassifier, columns: Sequence[str] | None = None
    ) -> Tree:
        """The tree that a fitted DecisionTreeClassifier holds; `columns` names what it was fitted
        on, by default the names it was given, or x0, x1, ..."""
        from dtfinder.report.export.sklearn_tree import from_sklearn

        return from_sklearn(model, columns)
