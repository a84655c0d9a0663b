"""Where the boxes of a drawn tree go: tidy, compact, and never over one another.

The idea is Reingold and Tilford's (IEEE Trans. Software Eng. 1981): draw both subtrees of a node on
their own, push them together until two boxes on some level almost touch, and put the node over the
middle of its children. Each subtree is known by its outline, the leftmost and the rightmost edge on
each of its levels. Boxes have widths of their own, so the outline has them built in.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from dtfinder.tree import Tree


class _Outline(NamedTuple):
    """The edges of a subtree, level by level, seen from its root."""

    left: list[float]
    right: list[float]


def centres(tree: Tree, widths: Sequence[float], gap: float) -> list[float]:
    """The horizontal centre of each node, the `yes` side of a test to the left. No two boxes of one
    level come closer than `gap`, and the left edge of the drawing is 0."""
    offset = [0.0] * tree.size  # from the parent's centre
    outlines: dict[int, _Outline] = {}
    for number in range(tree.size - 1, -1, -1):
        node, half = tree.nodes[number], widths[number] / 2
        if node.feature < 0:
            outlines[number] = _Outline([-half], [half])
            continue
        left, right = outlines.pop(node.one), outlines.pop(node.zero)
        shared = zip(left.right, right.left, strict=False)
        apart = max(edge - other for edge, other in shared) + gap
        offset[node.one], offset[node.zero] = -apart / 2, apart / 2
        outlines[number] = _joined(half, left, right, apart / 2)
    centre = [0.0] * tree.size
    for number, node in enumerate(tree.nodes):
        if node.feature >= 0:
            for child in (node.zero, node.one):
                centre[child] = centre[number] + offset[child]
    edge = min(outlines[0].left)
    return [x - edge for x in centre]


def _joined(half: float, left: _Outline, right: _Outline, shift: float) -> _Outline:
    """The outline of a node over two subtrees that are `shift` away from it on either side."""
    lefts = [edge - shift for edge in left.left]
    lefts += [edge + shift for edge in right.left[len(left.left) :]]
    rights = [edge + shift for edge in right.right]
    rights += [edge - shift for edge in left.right[len(right.right) :]]
    return _Outline([-half, *lefts], [half, *rights])
