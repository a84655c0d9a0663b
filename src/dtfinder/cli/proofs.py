"""What the command line does with proofs: `dtfinder check`, `dtfinder certificate export`, and the
certificate of a `dtfinder fit` without a tree."""

from __future__ import annotations

import io
from collections.abc import Collection, Iterator
from contextlib import contextmanager, redirect_stdout
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from dtfinder.cli.output import complain, write
from dtfinder.errors import InfeasibleError, OptionError
from dtfinder.run.signals import reason_of

if TYPE_CHECKING:
    from dtfinder.report.files import Output

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

    by: Any = checker.check
    if compiled:
        from dtfinder.certify.compiled import check_compiled

        by = check_compiled
    said = io.StringIO()
    with as_text(data, ignore or ()) as table, redirect_stdout(said):
        code = checker.main([file, "--data", table], by)
    write(said.getvalue())  # if that fails, the certificate is not rejected for it
    return code


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
        try:
            written = export_lrat(file, table, lrat)
        except OSError as error:
            from dtfinder.report.files import cannot_write

            raise cannot_write("--lrat", Path(error.filename or lrat), error) from error
    write(f"{len(written)} formulas with their proofs are in {lrat}\n")
    return 0


def save_refusal(error: InfeasibleError, output: Output, quiet: bool) -> None:
    """Write the proof that there is no tree. What fails is said; the error itself is still due."""
    from dtfinder.report.files import STDOUT, refusal

    try:
        proof = refusal(error)
        if output.place == STDOUT:
            write(proof)
            return
        output.put(proof)
        write("" if quiet else f"the proof that there is no tree is in {output.place}\n")
    except OptionError as problem:
        complain(str(problem))
    except KeyboardInterrupt as cut:
        complain(f"{output.option} was {reason_of(cut)}: there is no {output.place!r}")


@contextmanager
def as_text(source: str, ignore: Collection[str] = ()) -> Iterator[str]:
    """A path to the table that the checker can read: it knows CSV and TSV, but no embedded data
    sets, no Parquet and no columns to ignore; such tables are written down for it."""
    import tempfile

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
