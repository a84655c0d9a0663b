"""`dtfinder check` and `dtfinder certificate export`: what can be done with a certificate."""

from __future__ import annotations

import io
from collections.abc import Collection, Iterable, Iterator
from contextlib import closing, contextmanager, redirect_stdout
from pathlib import Path
from typing import Annotated, Any

import typer

from dtfinder.cli.arguments import Ignore, option
from dtfinder.cli.output import write
from dtfinder.errors import Option

Certificate = Annotated[
    str, typer.Argument(metavar="FILE", help="A certificate written by `fit --certificate`.")
]
Data = Annotated[
    str,
    option(
        "SOURCE",
        "The table, as `fit` takes it: a file, a pattern, the name of an embedded data set.",
    ),
]

certificate = typer.Typer(help="Write a certificate for other checkers.", rich_markup_mode=None)


def check(
    file: Certificate,
    data: Data,
    ignore: Ignore = None,
    compiled: Annotated[
        bool, option(None, "Check lemmas with the compiled checker.", "--compiled")
    ] = False,
) -> int:
    """Check a certificate against its table: exit 0 if it holds, 1 if not, 2 if it cannot tell.

    The checker stands alone: `python -m dtfinder.certify.check FILE --data TABLE` does the same.
    The compiled one is faster for proofs with many lemmas. Ignore the same columns as in `fit`, and
    the column of weights.
    """
    from dtfinder.certify import check as checker
    from dtfinder.certify.check_counts import is_of_counts

    if is_of_counts(file):
        return _check_counts(file, data, ignore or ())

    by: Any = checker.check
    if compiled:
        from dtfinder.certify.compiled import check_compiled

        by = check_compiled
    said = io.StringIO()
    with _as_text(data, ignore or ()) as table, redirect_stdout(said):
        code = checker.main([file, "--data", table], by)
    write(said.getvalue())  # an error here does not reject the certificate
    return code


def _check_counts(file: str, data: str, ignore: Collection[str]) -> int:
    """Check a certificate of counts; text is read by the checker itself."""
    from dtfinder.certify import check_counts
    from dtfinder.stream.certificate import rows_for_checking
    from dtfinder.stream.source import open_files, paths_of

    def rows(claim: check_counts.Claim) -> Iterable[check_counts.Row]:
        source = open_files(paths_of(data) or [data], claim.target, ignore, ".")
        if source.text:
            return check_counts.text_rows((part.path for part in source.parts), claim)
        return rows_for_checking(source, claim)

    said = io.StringIO()
    with redirect_stdout(said):
        code = check_counts.answer(file, rows)
    write(said.getvalue())
    return code


@certificate.command(short_help="Write its formulas and proofs for other checkers.")
def export(
    file: Certificate,
    data: Data,
    lrat: Annotated[str, option("DIR", "Where formulas and LRAT proofs go.")],
    ignore: Ignore = None,
) -> int:
    """Write the formulas and proofs of a SAT method's certificate for other checkers."""
    from dtfinder.certify.export import export_lrat

    with _as_text(data, ignore or ()) as table:
        try:
            written = export_lrat(file, table, lrat)
        except OSError as error:
            from dtfinder.report.files import cannot_write

            raise cannot_write(Option("lrat"), Path(error.filename or lrat), error) from error
    write(f"wrote {len(written)} formulas with their proofs to {lrat}\n")
    return 0


@contextmanager
def _as_text(source: str, ignore: Collection[str] = ()) -> Iterator[str]:
    """A path to the table that the checker can read. It knows CSV and TSV; embedded data sets,
    Parquet files, workbooks and tables with ignored columns are written to a temporary file for it.
    """
    from dtfinder.certify.write import write_table
    from dtfinder.data import Table
    from dtfinder.data.read import is_text_file, read_columns
    from dtfinder.run.scratch import Scratch

    if is_text_file(source) and not ignore:
        yield source
        return
    names, columns, _ = read_columns(source, ignore)
    *values, last = (column.written(name) for name, column in zip(names, columns, strict=True))
    with closing(Scratch()) as folder:
        written = folder.path / "table.tsv"
        # The certificate names the class column; here it is a column like the others.
        write_table(Table(names[:-1], tuple(values), last, names[-1]), written)
        yield str(written)
