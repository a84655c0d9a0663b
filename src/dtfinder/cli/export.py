"""`dtfinder export`: write a tree in another form."""

from __future__ import annotations

from typing import Annotated

from dtfinder.cli.arguments import OUT, Out, TreeFile, option
from dtfinder.cli.output import check_place, put


def export(
    tree: TreeFile,
    to: Annotated[
        str,
        option(
            "TARGET",
            "rules, python, javascript, c, sql, json, dot, sklearn (a pickled pipeline), pmml or "
            "onnx.",
        ),
    ],
    out: Out = "-",
) -> int:
    """Write a tree in another form: rules to read, code to run, a model to load."""
    from pathlib import Path

    from dtfinder.report.export import export_tree
    from dtfinder.report.files import read_tree

    check_place(OUT, out, tree=tree)
    made = export_tree(read_tree(Path(tree)), to)
    put(OUT, out, made)
    return 0
