"""Flat lists of nodes: levels, sizes, ways and numbers."""

from __future__ import annotations

import numpy as np

from dtfinder.nodes import (
    Node,
    depth_of,
    in_preorder,
    leaf,
    leaves_reached,
    levels_of,
    sizes_of,
    summed_up,
    with_labels,
)

# Feature 7 at the root; its one side asks for feature 3. Node 4 belongs to no tree.
NODES = [Node(7, 2, 1, -1), Node(3, 3, 5, -1), leaf(0), leaf(1), leaf(2), leaf(0)]


def deep_nodes(depth: int) -> list[Node]:
    """A tree that asks one question after the other."""
    nodes = [leaf(0)] * (2 * depth + 1)
    for level in range(depth):
        nodes[2 * level] = Node(0, 2 * level + 1, 2 * level + 2, -1)
    return nodes


def test_deep_trees_need_no_deep_stack() -> None:
    nodes, depth = deep_nodes(5000), 5000
    assert depth_of(nodes) == depth
    assert leaves_reached(nodes, np.array([[True], [False]])).tolist() == [2 * depth, 1]
    assert sizes_of(nodes)[0] == len(nodes)
    assert in_preorder(nodes)[0] == tuple(nodes)


def test_levels_and_sizes() -> None:
    assert levels_of(NODES) == [0, 1, 1, 2, 0, 2]
    assert sizes_of(NODES) == [5, 3, 1, 1, 1, 1]


def test_preorder_begins_with_the_zero_side_and_leaves_out_what_hangs_nowhere() -> None:
    nodes, order, features = in_preorder(NODES)
    assert order == [0, 2, 1, 3, 5]
    assert features == [7, 3]
    assert nodes == (Node(0, 1, 2, -1), leaf(0), Node(1, 3, 4, -1), leaf(1), leaf(0))


def test_sums_go_up_and_leaves_take_the_heaviest_class() -> None:
    nodes, _, _ = in_preorder(NODES)
    sums = np.array([[0, 0], [2, 1], [0, 0], [1, 1], [0, 4]])
    assert summed_up(nodes, sums) == ((3, 6), (2, 1), (1, 5), (1, 1), (0, 4))
    assert [node.label for node in with_labels(nodes, sums)] == [-1, 0, -1, 0, 1]
    assert sums[0].tolist() == [0, 0]
