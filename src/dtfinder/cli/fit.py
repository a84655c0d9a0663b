"""`dtfinder fit`: search for the best tree of a table, show it, and write its files."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from dtfinder.cli.arguments import Ignore, Json, Quiet, Source, Target, Weights, option
from dtfinder.cli.options import read_options, with_table_options
from dtfinder.cli.output import BAD_INPUT, OK, complain, searching, shows_boxes, write
from dtfinder.errors import DtfinderError, InfeasibleError
from dtfinder.run.signals import exit_code, reason_of, signals_interrupt

if TYPE_CHECKING:
    from dtfinder.report.files import Output
    from dtfinder.result import Front, Result


@with_table_options
def fit(
    source: Source,
    target: Target = None,
    ignore: Ignore = None,
    weights: Weights = None,
    json: Json = None,
    tree: Annotated[
        str | None, option("FILE.json", "Write the tree, for `dtfinder predict`.")
    ] = None,
    dot: Annotated[str | None, option("FILE", "Write the tree for Graphviz.")] = None,
    plot: Annotated[
        list[str] | None, option("FILE.png|svg|pdf", "Draw the tree. May be repeated.")
    ] = None,
    report: Annotated[
        str | None, option("FILE.html", "Write a page to explore the tree in a browser.")
    ] = None,
    certificate: Annotated[
        str | None,
        option(
            "FILE",
            "Write the proof, for `dtfinder check`. SAT methods then use the solver cadical300 "
            "and sequential counters, and no MaxSAT bounds.",
        ),
    ] = None,
    quiet: Quiet = False,
    **options: Any,
) -> int:
    """Find the smallest tree that classifies every row of SOURCE, with proof."""
    from dtfinder.report import files
    from dtfinder.report.plot import draw
    from dtfinder.report.text import describe, plot_title

    given, name = read_options(options), os.path.basename(source)
    if certificate is not None:
        given["certify"] = True

    def picture(result: Result, path: Path) -> None:
        draw(result.tree, plot_title(result, name), path)

    outputs = files.outputs_of(
        [
            ("json", json, files.result_json),
            ("tree", tree, files.tree_json),
            ("dot", dot, files.dot_text),
            *(("plot", place, picture) for place in plot or ()),
            ("certificate", certificate, files.certificate),
            ("report", report, lambda result: result.to_html(name)),
        ]
    )
    inputs = {"table": source} | {k: v for k, v in given.items() if k == "checkpoint"}
    files.check_outputs(outputs, **inputs)
    try:
        result = find(source, target, ignore, weights, given, quiet)
    except InfeasibleError as error:
        for output in outputs:
            if output.option.name == "certificate":
                with signals_interrupt():
                    _save_refusal(error, replace(output, text=files.refusal), quiet)
        raise

    def text() -> str:
        return "" if quiet else describe(result, box=shows_boxes(sys.stdout))

    return show(result, outputs, text)


def find(
    source: str,
    target: str | None,
    ignore: list[str] | None,
    weights: str | None,
    options: dict[str, Any],
    quiet: bool,
) -> Result:
    """`find_tree`, with its warnings and its progress on stderr unless `quiet`."""
    from dtfinder.solve import find_tree

    with searching(quiet):
        return find_tree(
            source,
            target=target,
            ignore=ignore or (),
            weights=weights,
            verbose=not quiet,
            **options,
        )


def _save_refusal(error: InfeasibleError, output: Output, quiet: bool) -> None:
    """Write the proof that there is no tree; the caller still reports the error itself."""
    code, shown = save_all([output], error)
    if code == OK:
        where = "" if quiet else f"the proof that there is no tree is in {output.place}\n"
        say(where if shown is None else shown)


def show(found: Result | Front, outputs: list[Output], text: Callable[[], str]) -> int:
    """Write the files, then the text, or what goes to stdout instead, and return the exit code."""
    with signals_interrupt():
        code, shown = save_all(outputs, found, exit_code(found.stopped_by) or OK)
        return say(text() if shown is None else shown, code)


def say(text: str | bytes, code: int = OK) -> int:
    """Write to stdout, and return the exit code: `code`, unless that fails."""
    try:
        write(text)
    except DtfinderError as error:
        complain(error)
        return code or BAD_INPUT
    return code


def save_all(
    outputs: list[Output], found: object, code: int = OK
) -> tuple[int, str | bytes | None]:
    """Write the files. One that cannot be written, or is interrupted by Ctrl-C, does not keep the
    others from being written. Returns the exit code, `code` unless that happens, and what is for
    stdout."""
    from dtfinder.report.files import STDOUT

    shown = None
    for output in outputs:
        try:
            if output.place == STDOUT:
                shown = output.text(found)
            else:
                output.save(found)
        except DtfinderError as error:
            complain(error)
            code = code or BAD_INPUT
        except KeyboardInterrupt as error:
            complain(f"{reason_of(error)}; {output.place!r} was not written")
            code = exit_code(reason_of(error)) or BAD_INPUT
    return code, shown
