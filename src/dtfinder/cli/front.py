"""`dtfinder front`: for every size the fewest errors, proven."""

from __future__ import annotations

from typing import Any

from dtfinder.cli.arguments import JSON, Ignore, Json, Quiet, Source, Target, Weights
from dtfinder.cli.options import read_options, with_table_options
from dtfinder.cli.output import check_place, put, warnings_shown, write
from dtfinder.errors import NoTreeYetError
from dtfinder.run.signals import exit_code, reason_of


@with_table_options
def front(
    source: Source,
    target: Target = None,
    ignore: Ignore = None,
    weights: Weights = None,
    json: Json = None,
    quiet: Quiet = False,
    **options: Any,
) -> int:
    """Find for every size the tree with the fewest errors, and prove it.

    Prints one line per size. A run that is stopped prints what is proven so far: the errors of the
    best tree, and those that every tree of that size makes.
    """
    given = read_options(options)
    check_place(JSON, json or "-", table=source)
    from dtfinder.front.find import find_front
    from dtfinder.report.files import STDOUT, front_json
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
    if json != STDOUT and not quiet:
        write(front_text(found))
    return exit_code(found.stopped_by) or 0
