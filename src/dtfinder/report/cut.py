"""The top of a tree that is too large to show.

A tree of 59,081 nodes is 59,083 lines of text, a page of 30 MB and a picture that takes minutes.
What people look at is the top, so it is cut at the depth down to which there are few enough nodes,
and whatever shows it says how many nodes are left out, and where.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from dtfinder.nodes import Node, leaf, levels_of, sizes_of
from dtfinder.tree import Tree

MOST_LINES = 4_000  # of text, and nodes in a page
MOST_BOXES = 1_000  # in a picture


@dataclass(frozen=True)
class Cut:
    """The top of a tree. A leaf in `below` stands for that many nodes that are not shown."""

    tree: Tree
    below: dict[int, int]

    @property
    def hidden(self) -> int:
        """The number of nodes that are not shown."""
        return sum(self.below.values())


def cut(tree: Tree, most: int) -> Cut:
    """The tree down to the greatest depth at which it has at most `most` nodes."""
    if tree.size <= most:
        return Cut(tree, {})
    level, sizes = levels_of(tree.nodes), sizes_of(tree.nodes)
    deepest = sorted(level)[most] - 1  # the node after the last that may be shown is deeper
    shown = [number for number in range(tree.size) if level[number] <= deepest]
    place = {number: index for index, number in enumerate(shown)}
    nodes, left_out = [], {}
    for number in shown:
        node, counts = tree.nodes[number], tree.counts[number]
        if node.feature >= 0 and level[number] == deepest:
            left_out[place[number]] = sizes[number] - 1
            nodes.append(leaf(counts.index(max(counts))))
        elif node.feature >= 0:
            nodes.append(Node(node.feature, place[node.zero], place[node.one], -1))
        else:
            nodes.append(node)
    counts_shown = tuple(tree.counts[number] for number in shown)
    return Cut(replace(tree, nodes=tuple(nodes), counts=counts_shown), left_out)
