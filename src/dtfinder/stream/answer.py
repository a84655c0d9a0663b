"""What a run over a table in batches says: the table as a problem knows it, its tree, its words."""

from __future__ import annotations

import logging
from dataclasses import dataclass, replace

import numpy as np

from dtfinder.data.dataset import Dataset, Ints, Table
from dtfinder.nodes import Nodes, in_preorder, leaf, summed_up, with_labels
from dtfinder.stream.questions import Questions
from dtfinder.stream.survey import Survey
from dtfinder.tree import Tree

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
                "column %r: trees may ask for the %d most frequent values; the %d rarer ones are "
                "one group",
                each.name,
                asked.max_thresholds,
                each.rest,
            )


def bare_tree(asked: Questions, nodes: Nodes) -> Tree:
    """The tree over the questions that it asks, numbered in preorder, without counts and classes.
    Where a feature is the opposite of what cubes asked, yes and no change places."""
    flipped = asked.flipped()
    turned = [n._replace(zero=n.one, one=n.zero) if n.feature in flipped else n for n in nodes]
    flat, _, used = in_preorder(turned)
    return Tree(flat, tuple(asked.features[f] for f in used), asked.classes, (), asked.target)


def labelled(tree: Tree, sums: Ints) -> Tree:
    """The tree with the heaviest class in each leaf, and all counts."""
    nodes = with_labels(tree.nodes, sums)
    return replace(tree, nodes=nodes, counts=summed_up(nodes, sums))


def one_leaf(asked: Questions, survey: Survey) -> Tree:
    """The tree that is known after the first pass: all rows are of the largest class."""
    counts = [0] * len(asked.classes)
    for cell, number in survey.classes.items():
        counts[asked.class_codes[cell]] += number
    return Tree((leaf(int(np.argmax(counts))),), (), asked.classes, (tuple(counts),), asked.target)
