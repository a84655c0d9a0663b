"""`dtfinder predict`: classify the rows of a table by the tree of an earlier run."""

from __future__ import annotations

from dtfinder.cli.arguments import Missing, Out, Table, TreeFile
from dtfinder.cli.output import check_out, put


def predict(tree: TreeFile, table: Table, out: Out = "-", missing: Missing = None) -> int:
    """Print the class of every row of TABLE, one per line, in the order of the rows.

    TABLE may have a class column or not, and any other columns. Classes are written as in CSV: one
    with a comma, a quote or a line break is quoted.
    """
    from pathlib import Path

    from dtfinder.report.files import read_tree
    from dtfinder.report.labels import classify_file

    check_out(out, table=table, tree=tree)
    put(classify_file(read_tree(Path(tree)), table, missing), out)
    return 0
