"""`dtfinder datasets`: list the embedded data sets, or write one to a file."""

from __future__ import annotations

from typing import Annotated

import typer

from dtfinder.cli.output import write
from dtfinder.errors import Option, OptionError


def datasets(
    save: Annotated[
        tuple[str, str] | None,
        typer.Option("--write", metavar="NAME FILE", help="Write one to a .csv or .tsv file."),
    ] = None,
) -> int:
    """List the embedded data sets, which `fit` takes by name, or write one to a file."""
    from dtfinder.data import describe, embedded_names

    if save is not None:
        _save(*save)
    else:
        from dtfinder.report.text import aligned

        rows = [("name", "what it is"), *((name, describe(name)) for name in embedded_names())]
        write("".join(f"{line}\n" for line in aligned(rows)))
    return 0


def _save(name: str, place: str) -> None:
    from pathlib import Path

    from dtfinder.certify.write import write_table
    from dtfinder.data import embedded_names, read_table
    from dtfinder.report.files import cannot_write

    option = Option("write")
    if name not in embedded_names():
        known = ", ".join(embedded_names())
        raise OptionError(option, f": there is no data set {name!r}; known: {known}")
    if not place.lower().endswith((".csv", ".tsv")):
        raise OptionError(option, f" writes .csv and .tsv files, not {place!r}")
    try:
        write_table(read_table(name), place)
    except OSError as error:
        raise cannot_write(option, Path(place), error) from error
