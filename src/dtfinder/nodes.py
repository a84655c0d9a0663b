"""Trees as searches know them: flat lists of nodes over feature and class indices, root first."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from dtfinder.data.dataset import Bits, Ints


class Node(NamedTuple):
    """An inner node tests `feature` and goes on at `zero` or `one`; a leaf has feature -1."""

    feature: int
    zero: int
    one: int
    label: int


def leaf(label: int) -> Node:
    """A leaf of the class with index `label`."""
    return Node(-1, -1, -1, label)


Nodes = Sequence[Node]


def levels_of(nodes: Nodes) -> list[int]:
    """The number of edges from the root, node 0, to each node."""
    level, todo = [0] * len(nodes), [0]
    while todo:
        number = todo.pop()
        node = nodes[number]
        if node.feature >= 0:
            level[node.zero] = level[node.one] = level[number] + 1
            todo += [node.zero, node.one]
    return level


def depth_of(nodes: Nodes) -> int:
    """The number of edges on the longest path from the root."""
    return max(levels_of(nodes))


def sizes_of(nodes: Nodes) -> list[int]:
    """The number of nodes of every subtree; children come after their parents."""
    sizes = [1] * len(nodes)
    for number in range(len(nodes) - 1, -1, -1):
        if nodes[number].feature >= 0:
            sizes[number] += sizes[nodes[number].zero] + sizes[nodes[number].one]
    return sizes


def leaves_reached(nodes: Nodes, bits: Bits) -> Ints:
    """The number of the leaf that each example ends in."""
    feature, zero, one, _ = np.array(nodes, dtype=np.int64).T
    reached = np.zeros(len(bits), dtype=np.int64)
    rows = np.arange(len(bits))
    while True:  # level by level, with the examples that are not in a leaf yet
        rows = rows[feature[reached[rows]] >= 0]
        if len(rows) == 0:
            return reached
        at = reached[rows]
        reached[rows] = np.where(bits[rows, feature[at]], one[at], zero[at])


def in_preorder(nodes: Nodes) -> tuple[tuple[Node, ...], list[int], list[int]]:
    """The nodes below the root, renumbered in preorder with the zero side first; the numbers that
    they had; and the features that they ask, which are renumbered, too."""
    used: dict[int, int] = {}
    order, todo = list[int](), [0]
    while todo:
        number = todo.pop()
        order.append(number)
        if nodes[number].feature >= 0:
            used.setdefault(nodes[number].feature, len(used))
            todo += [nodes[number].one, nodes[number].zero]
    place = {number: index for index, number in enumerate(order)}
    flat = tuple(
        Node(used[n.feature], place[n.zero], place[n.one], n.label) if n.feature >= 0 else n
        for n in (nodes[number] for number in order)
    )
    return flat, order, list(used)


def with_labels(nodes: Nodes, sums: Ints) -> tuple[Node, ...]:
    """The nodes, each leaf with the heaviest class, the first of equals; `sums` are nodes ×
    classes."""
    labels = sums.argmax(axis=1).tolist()
    return tuple(
        node if node.feature >= 0 else node._replace(label=label)
        for node, label in zip(nodes, labels, strict=True)
    )


def summed_up(nodes: Nodes, sums: Ints) -> tuple[tuple[int, ...], ...]:
    """For each node the sum over its leaves, given in `sums`: nodes × classes."""
    sums = sums.copy()
    for number in range(len(nodes) - 1, -1, -1):
        if nodes[number].feature >= 0:
            sums[number] = sums[nodes[number].zero] + sums[nodes[number].one]
    return tuple(map(tuple, sums.tolist()))
