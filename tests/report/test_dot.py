import shutil
import subprocess
from collections.abc import Callable
from dataclasses import replace

import pytest

from dtfinder.report.dot import to_dot
from dtfinder.tree import Tree


def test_the_graph_of_a_tree(weather_tree: Tree, snapshot: Callable[[str, str], None]) -> None:
    snapshot(to_dot(replace(weather_tree, target="play")), "weather.dot")


def test_names_are_escaped(nasty_tree: Tree, snapshot: Callable[[str, str], None]) -> None:
    snapshot(to_dot(nasty_tree), "nasty.dot")


@pytest.mark.skipif(shutil.which("dot") is None, reason="Graphviz is not installed")
def test_graphviz_reads_it(nasty_tree: Tree) -> None:
    drawn = subprocess.run(
        ["dot", "-Tsvg"], input=to_dot(nasty_tree), capture_output=True, text=True, check=True
    )
    assert "say &quot;hi&quot;" in drawn.stdout


def test_every_node_and_branch_is_there(grown_tree: Callable[..., Tree]) -> None:
    lines = to_dot(grown_tree(30)).splitlines()
    assert sum("->" in line for line in lines) == 60
    assert sum("[label=" in line and "->" not in line for line in lines) == 61
