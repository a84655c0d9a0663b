"""`dtfinder why`: search for the best tree of a table, and explain why no better one exists."""

from __future__ import annotations

import sys
from typing import Annotated, Any

import typer

from dtfinder.cli.arguments import Ignore, Source, Target, Weights
from dtfinder.cli.fit import find
from dtfinder.cli.options import read_options, with_table_options
from dtfinder.cli.output import OK, shows_boxes, write
from dtfinder.errors import Option, OptionError
from dtfinder.run.signals import exit_code


@with_table_options
def why(
    source: Source,
    target: Target = None,
    ignore: Ignore = None,
    weights: Weights = None,
    seconds: Annotated[
        float,
        typer.Option(
            metavar="NUMBER", help="How long to look for fewer rows once the tree is proven."
        ),
    ] = 10.0,
    **options: Any,
) -> int:
    """Explain why no smaller tree exists, by a few rows that alone need one of this size."""
    given = read_options(options)
    if not 0 <= seconds < float("inf"):
        raise OptionError(Option("seconds"), f" must be a number, 0 or more, not {seconds:g}")
    result = find(source, target, ignore, weights, given, quiet=False)
    from dtfinder.report.text import describe
    from dtfinder.report.why import why_text
    from dtfinder.search.why import reason_of

    write(describe(result, box=shows_boxes(sys.stdout)) + "\n")
    write(why_text(result, reason_of(result, seconds)))
    return exit_code(result.stopped_by) or OK
