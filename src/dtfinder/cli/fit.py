"""`dtfinder fit` and `dtfinder why`: search for the best tree of a table and show it."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Annotated, Any

import typer

from dtfinder.cli.arguments import Ignore, Json, Quiet, Source, Target, Weights
from dtfinder.cli.options import read_options, with_table_options
from dtfinder.cli.output import complain, shows_boxes, warnings_shown, write
from dtfinder.errors import DtfinderError, InfeasibleError, NoTreeYetError, Option, OptionError
from dtfinder.run.signals import exit_code, reason_of, signals_interrupt

if TYPE_CHECKING:
    from dtfinder.report.files import Output
    from dtfinder.result import Result

OK, BAD_INPUT = 0, 2


@with_table_options
def fit(
    source: Source,
    target: Target = None,
    ignore: Ignore = None,
    weights: Weights = None,
    json: Json = None,
    tree: Annotated[
        str | None,
        typer.Option(metavar="FILE.json", help="Write the tree, for `dtfinder predict`."),
    ] = None,
    dot: Annotated[
        str | None, typer.Option(metavar="FILE", help="Write the tree for Graphviz.")
    ] = None,
    plot: Annotated[
        list[str] | None,
        typer.Option(metavar="FILE.png|svg|pdf", help="Draw the tree. May be repeated."),
    ] = None,
    report: Annotated[
        str | None,
        typer.Option(metavar="FILE.html", help="Write a page to explore the tree in a browser."),
    ] = None,
    certificate: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="Write the proof, for `dtfinder check`. SAT methods then use the solver "
            "cadical300 and sequential counters, and no MaxSAT bounds.",
        ),
    ] = None,
    quiet: Quiet = False,
    **options: Any,
) -> int:
    """Find the smallest tree that classifies every row of SOURCE, with proof."""
    from dtfinder.report import files

    given = read_options(options)
    if certificate is not None:
        given["certify"] = True

    wanted = [
        ("json", json, files.result_json),
        ("tree", tree, files.tree_json),
        ("dot", dot, files.dot_text),
        *(("plot", place, None) for place in plot or ()),
        ("certificate", certificate, files.certificate),
        ("report", report, lambda result: result.to_html(os.path.basename(source))),
    ]
    outputs = [
        files.Output(Option(name), place, text, os.path.basename(source))
        for name, place, text in wanted
        if place is not None
    ]
    inputs = {"table": source} | {k: v for k, v in given.items() if k == "checkpoint"}
    files.check_outputs(outputs, **inputs)
    try:
        result = find(source, target, ignore, weights, given, quiet)
    except InfeasibleError as error:
        for output in outputs:
            if output.option.name == "certificate":
                with signals_interrupt():
                    _save_refusal(error, output, quiet)
        raise
    with signals_interrupt():
        return _show(result, outputs, quiet)


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

    try:
        with warnings_shown(quiet):
            return find_tree(
                source,
                target=target,
                ignore=ignore or (),
                weights=weights,
                verbose=not quiet,
                **options,
            )
    except KeyboardInterrupt as error:
        reason = reason_of(error)
        raise NoTreeYetError(f"{reason} before a tree was found", reason=reason) from None


def _show(result: Result, outputs: list[Output], quiet: bool) -> int:
    """Write the files, then the text. A file that cannot be written, or is interrupted by Ctrl-C,
    does not keep the others from being written."""
    from dtfinder.report.files import STDOUT
    from dtfinder.report.text import describe

    code = exit_code(result.stopped_by) or OK
    text: str | bytes = "" if quiet else describe(result, box=shows_boxes(sys.stdout))
    for output in outputs:
        try:
            if output.place == STDOUT:
                text = output.made(result)
            else:
                output.save(result)
        except DtfinderError as error:
            complain(error)
            code = code or BAD_INPUT
        except KeyboardInterrupt as error:
            complain(_not_written(output, error))
            code = exit_code(reason_of(error)) or BAD_INPUT
    try:
        write(text)
    except DtfinderError as error:
        complain(error)
        code = code or BAD_INPUT
    return code


def _save_refusal(error: InfeasibleError, output: Output, quiet: bool) -> None:
    """Write the proof that there is no tree; the caller still reports the error itself."""
    from dtfinder.report.files import STDOUT, refusal

    try:
        proof = refusal(error)
        if output.place == STDOUT:
            write(proof)
            return
        output.put(proof)
        write("" if quiet else f"the proof that there is no tree is in {output.place}\n")
    except OptionError as problem:
        complain(problem)
    except KeyboardInterrupt as cut:
        complain(_not_written(output, cut))


def _not_written(output: Output, cut: KeyboardInterrupt) -> str:
    return f"{reason_of(cut)}; {output.place!r} was not written"
