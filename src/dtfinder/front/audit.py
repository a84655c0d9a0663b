"""Rows to look at again: the front read backwards.

A tree of n nodes with k errors fits all rows but k without an error. So leaving out these k rows
brings the smallest exact tree down to n nodes, and if the front proves that every tree of at most n
nodes makes at least k errors, then no k − 1 rows can be left out to the same effect: an exact tree
of the others would make at most k − 1 errors on all rows. And if no smaller tree makes k errors, no
other k rows gain more.

A row with a wrong label costs nodes that nothing else needs, so it is an error of every tree but
the largest. What a row is said to cost is the best share of a gain that it has a part in: the nodes
saved by leaving out the errors of one tree, divided by how many more they are than those of the
largest tree. The errors of an exact tree contradict rows that are equal in everything else, and are
named as well: either they or the others are wrong.

Beside each row stand those of other classes that are closest to it: that differ from it in the
fewest features.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace

import numpy as np

from dtfinder.advice import Audit, Close, Step, Suspect
from dtfinder.data import Dataset, Ints
from dtfinder.errors import DataError
from dtfinder.result import Front
from dtfinder.tree import Tree

CLOSEST = 3
MOST_COMPARED = 200  # rows, the most costly ones, for which the closest are looked for


def audit_front(front: Front) -> Audit:
    """What the front says about the rows it was made of."""
    dataset = front[0].dataset
    if dataset is None:
        raise DataError("this front was loaded without its rows, which an audit needs")
    if dataset.weights is not None:
        raise DataError("an audit counts rows, so it takes no weights; leave them out")
    last = front[-1]
    wrong_at = {2 * n + 1: _wrong_rows(dataset, result.tree) for n, result in enumerate(front)}
    steps: dict[int, Step] = {}  # by the number of rows, the smallest tree of each
    for inner, result in enumerate(front[:-1]):
        rows = wrong_at[2 * inner + 1]
        if len(rows) and result.nodes < last.nodes and len(rows) not in steps:
            proven = result.status == "optimal"
            steps[len(rows)] = Step(tuple(rows.tolist()), result.nodes, proven)
    audit = Audit(
        nodes=last.nodes,
        exact=last.exact,
        proven=last.status == "optimal",
        wrong=tuple(wrong_at[2 * len(front) - 1].tolist()),
        steps=tuple(steps[count] for count in sorted(steps)),
    )
    return replace(audit, suspects=_suspects(dataset, audit, wrong_at))


def _wrong_rows(dataset: Dataset, tree: Tree) -> Ints:
    wrong = tree.predict_index(dataset.table) != dataset.row_labels
    return np.flatnonzero(wrong & (dataset.example_of_row >= 0))


def _suspects(dataset: Dataset, audit: Audit, wrong_at: dict[int, Ints]) -> tuple[Suspect, ...]:
    """The rows that cost nodes, the most costly first."""
    costs: dict[int, float] = defaultdict(float)
    for step in audit.steps:
        for row in step.rows:
            costs[row] = max(costs[row], audit.gain(step))
    sizes: dict[int, list[int]] = defaultdict(list)
    for size, rows in wrong_at.items():
        for row in rows.tolist():
            sizes[row].append(size)
    order = sorted(costs, key=lambda row: (-costs[row], -len(sizes[row]), row))
    return tuple(
        Suspect(
            row,
            dataset.classes[dataset.row_labels[row]],
            costs[row],
            tuple(sizes[row]),
            _closest(dataset, row) if place < MOST_COMPARED else (),
        )
        for place, row in enumerate(order)
    )


def _closest(dataset: Dataset, row: int) -> tuple[Close, ...]:
    """The rows of other classes that differ from this one in the fewest features."""
    kept = np.flatnonzero(dataset.example_of_row >= 0)
    others = kept[dataset.row_labels[kept] != dataset.row_labels[row]]
    bits = dataset.bits[dataset.example_of_row[others]]
    distances = (bits != dataset.bits[dataset.example_of_row[row]]).sum(axis=1)
    nearest = others[np.argsort(distances, kind="stable")[:CLOSEST]]
    return tuple(
        Close(other, dataset.classes[dataset.row_labels[other]], _differing(dataset, row, other))
        for other in nearest.tolist()
    )


def _differing(dataset: Dataset, row: int, other: int) -> tuple[str, ...]:
    one, two = (dataset.bits[dataset.example_of_row[each]] for each in (row, other))
    columns = (dataset.features[place].column for place in np.flatnonzero(one != two).tolist())
    return tuple(dict.fromkeys(columns))
