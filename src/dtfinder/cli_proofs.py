"""The commands that deal with proofs: `dtfinder check` and `dtfinder certificate export`."""

from __future__ import annotations

import sys
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from typing import Annotated

import typer

Certificate = Annotated[str, typer.Argument(metavar="FILE", help="What `fit --certificate` wrote.")]
Data = Annotated[
    str,
    typer.Option(
        "--data",
        metavar="SOURCE",
        help="The table: a file, or the name of an embedded data set.",
        show_default=False,
    ),
]
Ignore = Annotated[
    list[str] | None,
    typer.Option(
        "--ignore",
        metavar="COLUMN",
        help="Leave out this column, such as a name or a number of the row. May be repeated.",
        show_default=False,
    ),
]

certificate = typer.Typer(help="Write a certificate for other checkers.", rich_markup_mode=None)


def check(
    file: Certificate,
    data: Data,
    ignore: Ignore = None,
    compiled: Annotated[
        bool, typer.Option("--compiled", help="Check lemmas with the compiled checker.")
    ] = False,
) -> int:
    """Check a certificate against its table: exit 0 if it holds, 1 if not.

    The checker stands alone; `python -m dtfinder.certify.check FILE --data TABLE` is the same. The
    compiled one is quicker for proofs of many lemmas. Columns that `fit` was to ignore are to be
    ignored here, too.
    """
    from dtfinder.certify import check as checker

    with as_text(data, ignore or ()) as table:
        if not compiled:
            return checker.main([file, "--data", table])
        from dtfinder.certify.compiled import check_compiled

        return checker.main([file, "--data", table], check_compiled)


@certificate.command(short_help="Write its formulas and proofs for other checkers.")
def export(
    file: Certificate,
    data: Data,
    lrat: Annotated[str, typer.Option(metavar="DIR", help="Where formulas and LRAT proofs go.")],
    ignore: Ignore = None,
) -> int:
    """Write the formulas and proofs of a SAT method's certificate for other checkers."""
    from dtfinder.certify.export import export_lrat

    with as_text(data, ignore or ()) as table:
        written = export_lrat(file, table, lrat)
    sys.stdout.write(f"{len(written)} formulas with their proofs are in {lrat}\n")
    return 0


@contextmanager
def as_text(source: str, ignore: Collection[str] = ()) -> Iterator[str]:
    """A path to the table that the checker can read: it knows CSV and TSV, but no embedded data
    sets, no Parquet and no columns to ignore; such tables are written down for it."""
    import tempfile
    from pathlib import Path

    path = Path(source)
    if path.is_file() and path.suffix.lower() not in (".parquet", ".pq") and not ignore:
        yield source
        return
    from dtfinder.certify.write import write_table
    from dtfinder.data import Table
    from dtfinder.data.read import read_columns

    names, columns, _ = read_columns(source, ignore)
    *values, last = (column.written(name) for name, column in zip(names, columns, strict=True))
    with tempfile.TemporaryDirectory() as folder:
        written = Path(folder) / "table.tsv"
        # The certificate says which column is the class; here it is one like the others.
        write_table(Table(names[:-1], tuple(values), last, names[-1]), written)
        yield str(written)
