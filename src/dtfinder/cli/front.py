"""`dtfinder front`: for every size the fewest errors, proven."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated, Any

import typer

from dtfinder.cli.arguments import JSON, Ignore, Json, Quiet, Source, Target, Weights
from dtfinder.cli.options import read_options, with_table_options
from dtfinder.cli.output import put, warnings_shown, write
from dtfinder.errors import NoTreeYetError, Option
from dtfinder.run.signals import exit_code, reason_of


@with_table_options
def front(
    source: Source,
    target: Target = None,
    ignore: Ignore = None,
    weights: Weights = None,
    json: Json = None,
    plot: Annotated[
        list[str] | None,
        typer.Option(
            metavar="FILE.png|svg|pdf", help="Draw errors against nodes. May be repeated."
        ),
    ] = None,
    report: Annotated[
        str | None,
        typer.Option(
            metavar="FILE.html", help="Write a page to choose a size in a browser and see its tree."
        ),
    ] = None,
    certificate: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Write one proof for all sizes, for `dtfinder check`."),
    ] = None,
    quiet: Quiet = False,
    **options: Any,
) -> int:
    """Find for every size the tree with the fewest errors, and prove it.

    Prints one line per size. A run that is stopped prints what is proven so far: the errors of the
    best tree, and those that every tree of that size makes.
    """
    from dtfinder.report.files import (
        STDOUT,
        Output,
        cannot_write,
        check_outputs,
        front_certificate,
        front_json,
    )

    given = read_options(options)
    if certificate is not None:
        given["certify"] = True
    pictures = [Output(Option("plot"), place, None) for place in plot or ()]
    wanted = (
        (JSON, json),
        (Option("report"), report),
        (Option("certificate"), certificate),
    )
    outputs = [Output(name, place, str) for name, place in wanted if place is not None]
    check_outputs([*outputs, *pictures], table=source)
    from dtfinder.front.find import find_front
    from dtfinder.report.text import front_text

    try:
        with warnings_shown(quiet):
            found = find_front(
                source,
                target=target,
                ignore=ignore or (),
                weights=weights,
                verbose=not quiet,
                **given,
            )
    except KeyboardInterrupt as error:
        reason = reason_of(error)
        raise NoTreeYetError(f"{reason} before a tree was found", reason=reason) from None
    if json is not None:
        put(JSON, json, front_json(found))
    if certificate is not None:
        put(Option("certificate"), certificate, front_certificate(found))
    for picture in pictures:
        try:
            found.plot(picture.place)
        except OSError as error:
            raise cannot_write(picture.option, Path(picture.place), error) from error
    if report is not None:
        put(Option("report"), report, found.to_html(os.path.basename(source)))
    if STDOUT not in (json, report, certificate) and not quiet:
        write(front_text(found))
    return exit_code(found.stopped_by) or 0
