"""`dtfinder score`: how good the tree of an earlier run is on a table whose classes are known."""

from __future__ import annotations

from typing import Annotated

from dtfinder.cli.arguments import JSON, Decimal, Json, Missing, Table, TreeFile, option
from dtfinder.cli.output import check_place, put, write


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
