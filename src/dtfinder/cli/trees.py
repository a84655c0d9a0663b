"""What the command line does with the tree of an earlier run: `dtfinder predict` and `export`."""

from __future__ import annotations

from typing import Annotated

import typer

from dtfinder.cli.output import write

TreeFile = Annotated[
    str, typer.Argument(metavar="TREE.json", help="What `fit --tree` or `--json` wrote.")
]


def predict(
    tree: TreeFile,
    table: Annotated[
        str, typer.Argument(metavar="TABLE", help="A table with the columns of the tree.")
    ],
    out: Annotated[
        str, typer.Option(metavar="FILE|-", help="Where the classes go, by default stdout.")
    ] = "-",
    missing: Annotated[
        str | None,
        typer.Option(
            metavar="error|value",
            help="What a missing value means: an error, or `no` to every test but `= missing`. "
            "[default: value if the tree asks `= missing`, or else error]",
            show_default=False,
        ),
    ] = None,
) -> int:
    """Print the class of every row of TABLE, one a line, in the order of its rows.

    TABLE may have the class column or not, and any other columns. Classes are written as CSV
    writes them: one with a comma, a quote or a line break is in quotes.
    """
    from pathlib import Path

    from dtfinder.report.files import read_tree
    from dtfinder.report.labels import classify_file

    _check_out(out, table=table, tree=tree)
    _put(classify_file(read_tree(Path(tree)), table, missing), out)
    return 0


def export(
    tree: TreeFile,
    to: Annotated[
        str,
        typer.Option(
            metavar="TARGET",
            help="rules, python, c, sql, json, dot, sklearn (a pickled pipeline) or onnx.",
        ),
    ],
    out: Annotated[
        str, typer.Option(metavar="FILE|-", help="Where it goes, by default stdout.")
    ] = "-",
) -> int:
    """Write a tree in another form: rules to read, code to run, a model to load."""
    from pathlib import Path

    from dtfinder.report.export import export_tree
    from dtfinder.report.files import read_tree

    _check_out(out, tree=tree)
    made = export_tree(read_tree(Path(tree)), to)
    _put(made.encode() if isinstance(made, str) else made, out)
    return 0


def _check_out(out: str, **inputs: str) -> None:
    """Refuse a file that cannot be written, or is one of the inputs, before any work is done."""
    from dtfinder.report.files import STDOUT, Output, check_outputs

    if out != STDOUT:
        check_outputs([Output("--out", out, str)], **inputs)


def _put(made: str | bytes, out: str) -> None:
    from pathlib import Path

    from dtfinder.report.files import STDOUT, cannot_write

    if out == STDOUT:
        write(made)
        return
    try:
        Path(out).write_bytes(made.encode() if isinstance(made, str) else made)
    except OSError as error:
        raise cannot_write("--out", Path(out), error) from error
