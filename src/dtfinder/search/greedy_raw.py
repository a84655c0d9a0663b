"""The tree that scikit-learn's users get: grown over the columns, not over our questions.

Columns with an order are given as numbers and words one-hot, as most people do. Scikit-learn breaks
ties at random, so trees of one table differ in size from seed to seed; the one of median size is
fair to compare with. Numbers are given as ranks, which changes no split, and turns every split into
one of our questions. A missing value has the highest rank, and a column that says that it is
missing, so that it answers no to every threshold as it does in our trees.
"""

from __future__ import annotations

import numpy as np

from dtfinder.data.binarise import Levels, levels_of, threshold_of
from dtfinder.data.dataset import Dataset, Feature
from dtfinder.nodes import Node, leaf
from dtfinder.tree import Tree

SEEDS = 11
_LARGE = 3_000_000  # cells: one seed must do
_TOO_LARGE = 200_000_000

Question = tuple[Levels, int | None]  # a column of ranks, or whether a column has this value


def greedy_raw_tree(dataset: Dataset) -> tuple[Tree, int] | None:
    """The tree of median size and the number of seeds; None if the table is too large for it."""
    levels = [each for each in levels_of(dataset.table, "value") if len(each.values) > 1]
    questions: list[Question] = []
    for each in levels:
        if each.ordered:
            questions.append((each, None))
        if not each.ordered or each.has_missing:
            first = len(each.values) - 1 if each.ordered else 0
            questions += [(each, code) for code in range(first, len(each.values))]
    rows = np.flatnonzero(dataset.example_of_row >= 0)
    cells = len(rows) * len(questions)
    if not cells or cells > _TOO_LARGE:
        return None
    from sklearn.tree import DecisionTreeClassifier

    seeds = SEEDS if cells <= _LARGE else 1
    matrix = np.empty((len(rows), len(questions)), dtype=np.float32)
    for place, (each, code) in enumerate(questions):
        codes = each.codes[rows]
        matrix[:, place] = codes if code is None else codes == code
    labels = dataset.row_labels[rows]
    if dataset.row_sets is not None:  # one of those that a row allows
        labels = dataset.labels[dataset.example_of_row[rows]]
    models = [DecisionTreeClassifier(random_state=n).fit(matrix, labels) for n in range(seeds)]
    models.sort(key=lambda model: int(model.tree_.node_count))
    model = models[len(models) // 2]
    inside = model.tree_
    features: dict[Feature, int] = {}
    nodes = []
    for number in range(inside.node_count):
        if inside.children_left[number] < 0:
            nodes.append(leaf(int(model.classes_[inside.value[number, 0].argmax()])))
            continue
        below, above = int(inside.children_left[number]), int(inside.children_right[number])
        each, code = questions[int(inside.feature[number])]
        test, holds_below = _question(each, code, float(inside.threshold[number]))
        one, zero = (below, above) if holds_below else (above, below)
        nodes.append(Node(features.setdefault(test, len(features)), zero, one, -1))
    return Tree.of(dataset, nodes, tuple(features)), seeds


def _question(levels: Levels, code: int | None, bound: float) -> tuple[Feature, bool]:
    """The question of a split, and whether it holds for what is below `bound`."""
    if code is not None:
        return Feature(levels.column, "=", levels.values[code]), False
    rank = int(np.floor(bound))
    if levels.values[rank + 1] is None:
        return Feature(levels.column, "=", None), False
    return Feature(levels.column, "<=", threshold_of(levels, rank)), True
