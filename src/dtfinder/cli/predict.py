"""`dtfinder predict` and `dtfinder score`: the tree of an earlier run on the rows of a table."""

from __future__ import annotations

from typing import Annotated

from dtfinder.cli.arguments import (
    JSON,
    OUT,
    Decimal,
    Json,
    Missing,
    Out,
    Table,
    TreeFile,
    option,
)
from dtfinder.cli.output import check_place, put, write


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
    the rows that the tree was made of and that end in the same leaf.
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


def score(
    tree: TreeFile,
    table: Table,
    target: Annotated[
        str | None,
        option(
            "COLUMN",
            "The class column. [default: the one that the tree was made for; without it `target` "
            "or `class`, otherwise the last one]",
        ),
    ] = None,
    json: Json = None,
    missing: Missing = None,
    decimal: Decimal = ".",
    classes_separator: Annotated[
        str | None, option("SIGN", "What stands between the classes of a row, as for `fit`.")
    ] = None,
) -> int:
    """Compare the classes that the tree gives to the rows of TABLE with their own.

    Prints the accuracy, the balanced accuracy, the confusion matrix, and precision and recall of
    each class.
    """
    from pathlib import Path

    from dtfinder.report.files import STDOUT, as_json, read_tree
    from dtfinder.report.score import score_file, score_text

    if json is not None:
        check_place(JSON, json, table=table, tree=tree)
    model = read_tree(Path(tree))
    scores = score_file(model, table, target, missing, decimal, classes_separator)
    if json is not None:
        put(JSON, json, as_json(scores, 2))
    if json != STDOUT:
        write(score_text(scores))
    return 0
