"""The greedy tree of scikit-learn: there at once, correct, and rarely the smallest.

It is the first tree of every search, the upper bound of the binary search, and what topologies are
compared with. scikit-learn splits until every leaf has one class, so it makes no errors.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from dtfinder.data.dataset import Bits, Dataset, Ints
from dtfinder.nodes import Node, leaf
from dtfinder.problem import Event, Problem, Score
from dtfinder.run import worker
from dtfinder.run.stop import Stop, Work
from dtfinder.run.team import ALONE, Team

LARGE = 2_000_000  # bits of a table that takes long enough to be stopped


def greedy_tree(dataset: Dataset, stop: Stop | None = None) -> list[Node]:
    """The greedy tree; a single leaf where there is only one class. Raises Stopped if `stop` gives
    a reason before the tree of a large table is there."""
    if stop is not None and dataset.bits.size > LARGE:
        return worker.call(_grow, dataset.bits, dataset.labels, stop=stop)
    return _grow(dataset.bits, dataset.labels)


def _grow(bits: Bits, labels: Ints) -> list[Node]:
    if len(np.unique(labels)) < 2:
        return [leaf(int(label)) for label in labels[:1]] or [leaf(0)]
    from sklearn.tree import DecisionTreeClassifier

    model = DecisionTreeClassifier(random_state=0)
    model.fit(bits.astype(np.float32), labels)
    inside = model.tree_
    labels = model.classes_[inside.value[:, 0, :].argmax(axis=1)]
    return [
        Node(int(feature), int(zero), int(one), -1) if zero >= 0 else leaf(int(label))
        for feature, zero, one, label in zip(
            inside.feature, inside.children_left, inside.children_right, labels, strict=True
        )
    ]


def greedy(problem: Problem, stop: Stop, work: Work, _team: Team = ALONE) -> Iterator[Event]:
    """The search that ends with the greedy tree."""
    nodes = greedy_tree(problem.dataset, stop)
    work.spend(problem.dataset.bits.size)
    score = Score.of(nodes, problem.dataset.unavoidable_errors)
    yield Event(problem.first_bounds(), nodes if problem.allows(score) else None)
