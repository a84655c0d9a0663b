"""`dtfinder audit`: the rows that cost a tree the most nodes."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from dtfinder.cli.arguments import JSON, Ignore, Json, Quiet, Source, Target
from dtfinder.cli.options import read_options, with_table_options
from dtfinder.cli.output import check_place, put, searching, write
from dtfinder.errors import Option, OptionError
from dtfinder.run.signals import exit_code


@with_table_options
def audit(
    source: Source,
    target: Target = None,
    ignore: Ignore = None,
    json: Json = None,
    rows: Annotated[int, typer.Option(metavar="NUMBER", help="How many rows to list.")] = 10,
    quiet: Quiet = False,
    **options: Any,
) -> int:
    """List the rows that may be wrong: without them, a much smaller tree fits all others.

    The front is searched first; `--time-limit` ends it. What is proven is the trade: no fewer rows
    can be left out to get an exact tree of that size.
    """
    given = read_options(options)
    if rows < 1:
        raise OptionError(Option("rows"), f" must be at least 1, not {rows}")
    if given.get("class_weight") is not None:
        raise OptionError(Option("class_weight"), ": an audit counts rows; leave it out")
    check_place(JSON, json or "-", table=source)
    from dtfinder.front.find import find_front
    from dtfinder.report.audit import audit_text
    from dtfinder.report.files import STDOUT, as_json

    with searching(quiet):
        front = find_front(source, target=target, ignore=ignore or (), verbose=not quiet, **given)
    found = front.audit()
    if json is not None:
        put(JSON, json, as_json(found))
    if json != STDOUT and not quiet:
        write(audit_text(found, rows))
    return exit_code(front.stopped_by) or 0
