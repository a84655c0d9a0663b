"""The table of targets, and the two that need no file of their own: JSON and DOT."""

from __future__ import annotations

import json
import shutil
import subprocess
from typing import TYPE_CHECKING

import pytest

from dtfinder.data.dataset import show_value
from dtfinder.errors import OptionError
from dtfinder.report.export import TARGETS, export_tree
from dtfinder.report.text import printable
from dtfinder.tree import Tree

if TYPE_CHECKING:
    from report.export.conftest import Case

GRAPHVIZ = shutil.which("dot")


def test_names_all_targets() -> None:
    assert list(TARGETS) == [
        *("rules", "python", "javascript", "c", "sql", "json", "dot", "sklearn", "pmml", "onnx")
    ]


def test_json_reads_back_as_the_same_tree(case: Case) -> None:
    again = Tree.from_json(json.loads(export_tree(case.tree, "json")))
    assert again == case.tree


@pytest.mark.skipif(GRAPHVIZ is None, reason="Graphviz (the program dot) is not installed")
def test_dot_leads_every_row_to_its_class(case: Case) -> None:
    text = str(export_tree(case.tree, "dot")).encode()
    ran = subprocess.run([str(GRAPHVIZ), "-Tjson0"], input=text, capture_output=True, check=True)
    graph = json.loads(ran.stdout, strict=False)
    # Graphviz keeps its own escapes in labels: \\n ends the test, a doubled backslash is one.
    words = [node["label"].rpartition("\\n")[0].replace("\\\\", "\\") for node in graph["objects"]]
    edges = {(edge["tail"], edge["label"]): edge["head"] for edge in graph.get("edges", ())}
    tests = {printable(f.name): number for number, f in enumerate(case.tree.features)}
    bits = case.tree.feature_bits(case.table)
    for row, label in enumerate(case.tree.predict(case.table)):
        at = 0
        while (at, "yes") in edges:
            at = edges[at, "yes" if bits[row, tests[words[at]]] else "no"]
        assert words[at] == printable(f"class = {show_value(label)}")


def test_unknown_target_is_named(case: Case) -> None:
    with pytest.raises(OptionError, match="no export target 'cobol'; known: rules, python"):
        export_tree(case.tree, "cobol")
