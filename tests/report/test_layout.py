from collections.abc import Callable
from itertools import pairwise

import pytest

from dtfinder.nodes import levels_of
from dtfinder.report.layout import centres
from dtfinder.tree import Tree


@pytest.mark.parametrize("inner", [0, 1, 3, 30, 200])
def test_no_two_boxes_of_a_level_touch(grown_tree: Callable[..., Tree], inner: int) -> None:
    tree = grown_tree(inner)
    widths = [20.0 + 7 * (number % 5) for number in range(tree.size)]
    xs, level_of = centres(tree, widths, 5.0), levels_of(tree.nodes)
    for level in range(tree.depth + 1):
        boxes = sorted((xs[i], widths[i]) for i in range(tree.size) if level_of[i] == level)
        for (x, width), (other_x, other_width) in pairwise(boxes):
            assert other_x - x >= (width + other_width) / 2 + 5.0 - 1e-9


def test_parents_stand_over_the_middle_and_yes_is_left(
    grown_tree: Callable[..., Tree],
) -> None:
    tree = grown_tree(30)
    xs = centres(tree, [10.0] * tree.size, 4.0)
    for number, node in enumerate(tree.nodes):
        if node.feature >= 0:
            assert xs[node.one] < xs[number] < xs[node.zero]
            assert xs[node.one] + xs[node.zero] == pytest.approx(2 * xs[number])
    assert min(xs) == pytest.approx(5.0)


def test_subtrees_share_space(chain_tree: Callable[[int], Tree]) -> None:
    """A leaf beside a deep subtree takes one box of room, not a column of its own."""
    xs = centres(chain_tree(2), [10.0] * 5, 0.0)
    assert max(xs) - min(xs) == pytest.approx(15.0)


def test_levels_and_depth_agree(
    grown_tree: Callable[..., Tree], chain_tree: Callable[[int], Tree]
) -> None:
    for tree in (grown_tree(30), chain_tree(3000)):
        assert max(levels_of(tree.nodes)) == tree.depth
