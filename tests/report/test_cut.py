"""Very large trees are cut, and say so, in text, pictures and pages."""

import time
from collections.abc import Callable

import pytest

from dtfinder.report.cut import MOST_LINES, cut
from dtfinder.report.page_data import page_data
from dtfinder.report.plot import draw
from dtfinder.report.text import tree_text
from dtfinder.tree import Tree
from pages import page_of, result_of


@pytest.mark.parametrize("most", [1, 2, 3, 7, 50, 400])
def test_the_top_has_few_enough_nodes_and_counts_the_rest(
    grown_tree: Callable[..., Tree], most: int
) -> None:
    tree = grown_tree(300)
    top = cut(tree, most)
    assert top.tree.size <= max(most, 1)
    assert top.tree.size + top.hidden == tree.size
    assert top.tree.counts[0] == tree.counts[0]
    assert Tree.from_json(top.tree.to_json()) == top.tree


def test_a_small_tree_is_whole(grown_tree: Callable[..., Tree]) -> None:
    tree = grown_tree(20)
    assert cut(tree, 41).tree is tree
    assert cut(tree, 41).hidden == 0


def test_text_pictures_and_pages_of_a_very_large_tree(grown_tree: Callable[..., Tree]) -> None:
    tree = grown_tree(20_000)
    begin = time.process_time()
    text = str(tree)
    assert len(text.splitlines()) <= MOST_LINES + 2
    assert f"of {tree.size:,} nodes. --tree, --json" in text.splitlines()[-1]
    assert "… " in text
    titles = [words.get_text() for words in draw(tree, "a title").axes[0].texts]
    assert any("a title. This is the top of the tree" in words for words in titles)
    page = page_of(result_of(tree))
    assert len(page) < 3_000_000
    assert f"of {tree.size:,} nodes" in page_data(result_of(tree))["trees"][0]["cut"]
    assert time.process_time() - begin < 30
    assert len(tree_text(tree).splitlines()) == tree.size
