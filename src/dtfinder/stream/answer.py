"""What a run over a table in batches says: the table as a problem knows it, its tree, its words."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from dtfinder.data.dataset import Dataset, Table
from dtfinder.stream.questions import Questions
from dtfinder.stream.survey import Survey
from dtfinder.tree import Node, Nodes, Tree

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class LongTable(Dataset):
    """A table that is never in memory: its questions and its classes, and how many rows it has."""

    rows: int = 0

    @property
    def n_rows(self) -> int:
        """The number of rows."""
        return self.rows

    @property
    def total_weight(self) -> int:
        """Every row weighs one."""
        return self.rows


def long_table(asked: Questions) -> LongTable:
    """The table as a `Problem` knows it."""
    return LongTable(
        bits=np.zeros((0, len(asked.features)), dtype=bool),
        labels=np.zeros(0, dtype=np.int64),
        features=asked.features,
        classes=asked.classes,
        table=Table((), (), None, asked.target),
        example_of_row=np.zeros(0, dtype=np.int64),
        max_thresholds=asked.max_thresholds,
        rows=asked.rows,
    )


def questions_text(asked: Questions) -> str:
    """Which questions the proof is about."""
    thresholds = sum(feature.test == "<=" for feature in asked.features)
    parts = []
    if thresholds:
        of = "all rows" if asked.sampled == asked.rows else f"a sample of {asked.sampled:,} rows"
        parts.append(
            f"x <= t at {thresholds} thresholds, at most {asked.max_thresholds} per column, from "
            f"the quantiles of {of}"
        )
    values = len(asked.features) - thresholds
    if values:
        parts.append(f"x = v for {values} values")
    return " and ".join(parts) or "nothing"


def say_what_is_left_out(asked: Questions) -> None:
    """Warn of values that have no question of their own."""
    for each in asked.columns:
        if each.rest:
            _log.warning(
                "column %r: the %d most frequent values are asked for; %d rarer ones are one group",
                each.name,
                asked.max_thresholds,
                each.rest,
            )


def bare_tree(asked: Questions, nodes: Nodes) -> Tree:
    """The tree over the questions that it asks, numbered in preorder, without counts and classes.
    Where a feature is the opposite of what cubes asked, yes and no change places."""
    flipped = asked.flipped()
    used: dict[int, int] = {}
    flat: list[Node] = []

    def copy(number: int) -> int:
        place, node = len(flat), nodes[number]
        flat.append(Node(-1, -1, -1, 0))
        if node.feature >= 0:
            feature = used.setdefault(node.feature, len(used))
            zero, one = (node.zero, node.one)
            if node.feature in flipped:
                zero, one = one, zero
            flat[place] = Node(feature, copy(zero), copy(one), -1)
        return place

    copy(0)
    features = asked.features
    return Tree(tuple(flat), tuple(features[f] for f in used), asked.classes, (), asked.target)


def labelled(tree: Tree, sums: Any) -> Tree:
    """The tree with the heaviest class in each leaf, the first of equals, and all counts."""
    counts: list[Sequence[int]] = sums.tolist()
    nodes = list(tree.nodes)
    for number in range(tree.size - 1, -1, -1):
        node = nodes[number]
        if node.feature < 0:
            nodes[number] = node._replace(label=int(np.argmax(counts[number])))
        else:
            pairs = zip(counts[node.zero], counts[node.one], strict=True)
            counts[number] = [a + b for a, b in pairs]
    return replace(tree, nodes=tuple(nodes), counts=tuple(map(tuple, counts)))


def one_leaf(asked: Questions, survey: Survey) -> Tree:
    """The tree that is known after the first pass: all rows are of the largest class."""
    counts = [0] * len(asked.classes)
    for cell, number in survey.classes.items():
        counts[asked.class_codes[cell]] += number
    leaf = Node(-1, -1, -1, int(np.argmax(counts)))
    return Tree((leaf,), (), asked.classes, (tuple(counts),), asked.target)


def errors_of(tree: Tree) -> int:
    """The rows that the leaves get wrong, by the tree's own counts."""
    leaves = [number for number, node in enumerate(tree.nodes) if node.feature < 0]
    return sum(sum(tree.counts[n]) - tree.counts[n][tree.nodes[n].label] for n in leaves)
