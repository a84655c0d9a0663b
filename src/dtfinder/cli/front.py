"""`dtfinder front`: for every size the fewest errors, proven."""

from __future__ import annotations

import os
from typing import Annotated, Any

from dtfinder.cli.arguments import Ignore, Json, Quiet, Source, Target, Weights, option
from dtfinder.cli.fit import show
from dtfinder.cli.options import read_options, with_table_options
from dtfinder.cli.output import searching


@with_table_options
def front(
    source: Source,
    target: Target = None,
    ignore: Ignore = None,
    weights: Weights = None,
    json: Json = None,
    plot: Annotated[
        list[str] | None, option("FILE.png|svg|pdf", "Draw errors against nodes. May be repeated.")
    ] = None,
    report: Annotated[
        str | None,
        option("FILE.html", "Write a page to choose a size in a browser and see its tree."),
    ] = None,
    certificate: Annotated[
        str | None, option("FILE", "Write one proof for all sizes, for `dtfinder check`.")
    ] = None,
    quiet: Quiet = False,
    **options: Any,
) -> int:
    """Find for every size the tree with the fewest errors, and prove it.

    Prints one line per size. A run that is stopped prints what is proven so far: the errors of the
    best tree, and those that every tree of that size makes.
    """
    from dtfinder.report.files import as_json, check_outputs, front_certificate, outputs_of
    from dtfinder.result import Front

    given, name = read_options(options), os.path.basename(source)
    if certificate is not None:
        given["certify"] = True
    outputs = outputs_of(
        [
            ("json", json, as_json),
            ("report", report, lambda front: front.to_html(name)),
            ("certificate", certificate, front_certificate),
            *(("plot", place, Front.plot) for place in plot or ()),
        ]
    )
    check_outputs(outputs, table=source)
    from dtfinder.front.find import find_front
    from dtfinder.report.text import front_text

    with searching(quiet):
        found = find_front(
            source,
            target=target,
            ignore=ignore or (),
            weights=weights,
            verbose=not quiet,
            **given,
        )
    return show(found, outputs, lambda: "" if quiet else front_text(found))
