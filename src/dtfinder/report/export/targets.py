"""The table of export targets: what each is called, what it writes, and how."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass

from dtfinder.errors import OptionError
from dtfinder.report.dot import to_dot
from dtfinder.report.export.c import to_c
from dtfinder.report.export.javascript import to_javascript
from dtfinder.report.export.onnx import to_onnx
from dtfinder.report.export.pmml import to_pmml
from dtfinder.report.export.python import to_python
from dtfinder.report.export.rules import to_rules
from dtfinder.report.export.sklearn import to_sklearn
from dtfinder.report.export.sql import to_sql
from dtfinder.tree import Tree


@dataclass(frozen=True)
class Target:
    """A form in which a tree can be taken away."""

    name: str
    help: str
    write: Callable[[Tree], str | bytes]


def _to_json(tree: Tree) -> str:
    return json.dumps(tree.to_json(), indent=1, ensure_ascii=False) + "\n"


TARGETS = {
    target.name: target
    for target in (
        Target("rules", "One rule per leaf, in words.", to_rules),
        Target("python", "A function `classify(row)` that needs nothing else.", to_python),
        Target("javascript", "A function `classify(row)` for browsers and Node.", to_javascript),
        Target("c", "A C99 function `classify(&row)` over a struct of columns.", to_c),
        Target("sql", "A CASE expression in standard SQL.", to_sql),
        Target("json", "The tree as dtfinder reads it back.", _to_json),
        Target("dot", "A picture for Graphviz.", to_dot),
        Target("sklearn", "A pickled scikit-learn pipeline.", to_sklearn),
        Target("pmml", "A PMML 4.4 document.", to_pmml),
        Target("onnx", "An ONNX model of plain operators.", to_onnx),
    )
}


def export_tree(tree: Tree, to: str) -> str | bytes:
    """The tree in the form called `to`: text, or the bytes of a file."""
    if to not in TARGETS:
        raise OptionError(f"there is no export target {to!r}; known: {', '.join(TARGETS)}")
    return TARGETS[to].write(tree)
