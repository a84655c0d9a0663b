"""Templates: which there are, how many, and in which order."""

from __future__ import annotations

import pytest

from dtfinder.bound.path_length import PathBounds
from dtfinder.encode.topologies import (
    best_cut,
    by_difference,
    difference,
    is_long_enough,
    sized_templates,
    templates,
)
from dtfinder.nodes import Node, leaf

CATALAN = [1, 1, 2, 5, 14, 42, 132, 429]


def test_algorithm_one_has_the_papers_special_cases() -> None:
    assert templates(1, 3) == [1]
    assert templates(9, 0) == [0]
    assert templates(3, 1) == [(1, 1)]
    assert set(templates(5, 1)) == {(0, 1), (1, 0)}
    for n in (7, 9, 11):
        assert set(templates(n, 1)) == {(1, 0), (0, 1), (0, 0)}


def test_algorithm_two_keeps_the_sizes_of_its_subtrees() -> None:
    assert sized_templates(9, 0) == [9]
    assert sized_templates(5, 1) == [(1, 3), (3, 1)]
    assert sized_templates(7, 1) == [(1, 5), (3, 3), (5, 1)]
    assert (1, (1, 3)) in sized_templates(7, 2)


@pytest.mark.parametrize("n", [3, 5, 7, 9, 11, 13])
def test_deep_templates_are_the_complete_trees_and_none_comes_twice(n: int) -> None:
    inner = (n - 1) // 2
    for enumerate_ in (templates, sized_templates):
        assert len(enumerate_(n, inner)) == CATALAN[inner]
        for cut in range(inner + 1):
            found = enumerate_(n, cut)
            assert len(set(found)) == len(found)


@pytest.mark.parametrize("sized", [False, True])
@pytest.mark.parametrize("most", [1, 10, 100, 500])
def test_the_cut_is_the_largest_with_at_most_so_many_templates(sized: bool, most: int) -> None:
    enumerate_ = sized_templates if sized else templates
    for n in range(3, 21, 2):
        cut = best_cut(n, most, sized=sized)
        assert len(enumerate_(n, cut)) <= most
        assert cut == (n - 1) // 2 or len(enumerate_(n, cut + 1)) > most


def test_large_trees_are_counted_without_being_enumerated() -> None:
    assert best_cut(201, 500, sized=False) == 2
    assert best_cut(201, 500, sized=True) == 1


def test_path_bounds_say_where_a_leaf_may_be() -> None:
    bounds = PathBounds(left=1, right=2, general=3)
    assert is_long_enough((1, ((1, (1, 1)), 3)), PathBounds())
    assert not is_long_enough((1, ((1, (1, 1)), 1)), PathBounds(general=4))
    assert not is_long_enough((3, 1), bounds)
    assert not is_long_enough((1, (1, 1)), bounds)
    assert is_long_enough((1, (3, 1)), bounds)
    assert is_long_enough((0, 0), bounds)
    assert is_long_enough(9, bounds)


def test_a_depth_limit_leaves_out_templates_without_room() -> None:
    assert sized_templates(7, 1, depth=2) == [(3, 3)]
    assert templates(7, 2, depth=2) == [((1, 1), (1, 1))]
    assert templates(9, 1, depth=2) == []


# f0 at the root, with a leaf on the left and one more inner node on the right.
TREE = [Node(0, 1, 2, -1), leaf(0), Node(1, 3, 4, -1), leaf(0), leaf(1)]


def test_the_difference_of_equal_shapes_is_zero() -> None:
    assert difference((1, (1, 1)), TREE, 5, 0.75) == 0
    assert difference((1, 3), TREE, 5, 0.75) == 0
    assert difference((1, 0), TREE, 5, 0.75) == 0


def test_the_difference_counts_what_the_other_has_less_on_deeper_levels() -> None:
    # On either side one tree ends where the other has two leaves, two levels down.
    assert difference(((1, 1), 1), TREE, 5, 0.75) == pytest.approx(4 * 0.75**2)
    # An unknown subtree of 3 stands in for a leaf, and a leaf for a subtree of 3.
    assert difference((3, 1), TREE, 5, 0.75) == pytest.approx(2 * 0.75 + 2 * 0.75**2)


def test_open_subtrees_share_what_the_template_leaves_open() -> None:
    # 9 nodes, 1 known: each of the two has 4, one too many for the 3 and three for the leaf.
    assert difference((0, 0), TREE, 9, 0.5) == pytest.approx(0.5 * 3 + 0.5 * 1)


def test_the_most_alike_template_comes_first() -> None:
    found = by_difference(sized_templates(7, 3), TREE, 7, 0.75)
    assert sorted(map(str, found)) == sorted(map(str, sized_templates(7, 3)))
    differences = [difference(template, TREE, 7, 0.75) for template in found]
    assert differences == sorted(differences)
    assert found[0] == (1, (1, (1, 1))) or found[0] == (1, ((1, 1), 1))
