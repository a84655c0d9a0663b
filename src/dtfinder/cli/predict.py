"""`dtfinder predict`: the classes that the tree of an earlier run gives to the rows of a table."""

from __future__ import annotations

from typing import Annotated

from dtfinder.cli.arguments import OUT, Decimal, Missing, Out, Table, TreeFile, option
from dtfinder.cli.output import check_place, put


def predict(
    tree: TreeFile,
    table: Table,
    out: Out = "-",
    probabilities: Annotated[
        bool, option(None, "Write the probability of each class, as CSV.", "--probabilities")
    ] = False,
    append: Annotated[
        bool, option(None, "Write the table with the class as a last column, as CSV.", "--append")
    ] = False,
    missing: Missing = None,
    decimal: Decimal = ".",
) -> int:
    """Print the class of every row of TABLE, one per line, in the order of the rows.

    TABLE may have a class column or not, and any other columns. Classes are written as in CSV: one
    with a comma, a quote or a line break is quoted. The probability of a class is its share among
    the training rows in the same leaf.
    """
    from pathlib import Path

    from dtfinder.report.files import read_tree
    from dtfinder.report.labels import classify_file

    check_place(OUT, out, table=table, tree=tree)
    model = read_tree(Path(tree))
    classes = classify_file(
        model, table, missing, probabilities=probabilities, append=append, decimal=decimal
    )
    put(OUT, out, classes)
    return 0
