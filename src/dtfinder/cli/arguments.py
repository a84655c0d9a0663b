"""What several commands take: the table, its class column, a tree, a place to write to."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from dtfinder.errors import Option

OUT, JSON = Option("out"), Option("json")


def option(metavar: str | None, text: str, *names: str) -> Any:
    """An option that is absent unless it is given, named after its parameter or as `names` say;
    `metavar` is what stands for its value, None for a flag."""
    return typer.Option(*names, metavar=metavar, help=text, show_default=False)


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
    option("COLUMN", "The class column. [default: `target` or `class`, otherwise the last one]"),
]
Ignore = Annotated[
    list[str] | None,
    option("COLUMN", "Leave out this column, such as a name or an identifier. May be repeated."),
]
Weights = Annotated[
    str | None,
    option(
        "COLUMN", "The column with the weights of the rows: what it costs to get each one wrong."
    ),
]
TreeFile = Annotated[
    str, typer.Argument(metavar="TREE.json", help="A tree written by `fit --tree` or `--json`.")
]
Table = Annotated[str, typer.Argument(metavar="TABLE", help="A table with the tree's columns.")]
Out = Annotated[str, option("FILE|-", "Write to this file. [default: stdout]")]
Missing = Annotated[
    str | None,
    option(
        "error|value",
        "Treat a missing value as an error, or answer `no` to every test except `= missing`. "
        "[default: value if the tree has such a test, otherwise error]",
    ),
]
Decimal = Annotated[
    str, typer.Option(metavar=".|,", help="The decimal mark of numbers, as for `fit`.")
]
Json = Annotated[str | None, option("FILE|-", "Write the result as JSON; - prints nothing else.")]
Quiet = Annotated[bool, option(None, "Print errors only.", "--quiet", "-q")]
