"""What several commands take: the table, its class column, a tree, a place to write to."""

from __future__ import annotations

from typing import Annotated

import typer

from dtfinder.errors import Option

OUT, JSON = Option("out"), Option("json")

Source = Annotated[
    str,
    typer.Argument(
        metavar="SOURCE",
        help="A CSV, TSV or Parquet file, an Excel workbook, 0/1 text with the class first, or the "
        "name of an embedded data set (see `dtfinder datasets`). `fit` also takes a directory, or "
        "a pattern such as 'parts/*.parquet', for a table that is read in batches.",
    ),
]
Target = Annotated[
    str | None,
    typer.Option(
        metavar="COLUMN",
        help="The class column. [default: `target` or `class`, otherwise the last one]",
        show_default=False,
    ),
]
Ignore = Annotated[
    list[str] | None,
    typer.Option(
        "--ignore",
        metavar="COLUMN",
        help="Leave out this column, such as a name or an identifier. May be repeated.",
        show_default=False,
    ),
]
Weights = Annotated[
    str | None,
    typer.Option(
        metavar="COLUMN",
        help="The column with the weights of the rows: what it costs to get each one wrong.",
        show_default=False,
    ),
]
TreeFile = Annotated[
    str, typer.Argument(metavar="TREE.json", help="A tree written by `fit --tree` or `--json`.")
]
Table = Annotated[str, typer.Argument(metavar="TABLE", help="A table with the tree's columns.")]
Out = Annotated[
    str,
    typer.Option(
        metavar="FILE|-", help="Write to this file. [default: stdout]", show_default=False
    ),
]
Missing = Annotated[
    str | None,
    typer.Option(
        metavar="error|value",
        help="Treat a missing value as an error, or answer `no` to every test except "
        "`= missing`. [default: value if the tree has such a test, otherwise error]",
        show_default=False,
    ),
]
Decimal = Annotated[
    str, typer.Option(metavar=".|,", help="The decimal mark of numbers, as for `fit`.")
]
Json = Annotated[
    str | None,
    typer.Option(metavar="FILE|-", help="Write the result as JSON; - prints nothing else."),
]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Print errors only.")]
