"""The command line: `dtfinder fit`, `why`, `methods`, `datasets`, and the way every command starts
and ends. `predict` and `export` are in `trees.py`, what is about proofs in `proofs.py`.

Whatever takes long to import is imported by the command that needs it, so that `--help` is quick.
Exit codes: 0 with a tree, 1 if a limit was met before any tree was found, 2 on bad usage, bad input
or limits that no tree is within, 130 on Ctrl-C and 143 on SIGTERM, after the best tree so far was
written and printed.
"""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperGroup

from dtfinder.cli import proofs, trees
from dtfinder.cli.options import as_typed, read_options, with_table_options
from dtfinder.cli.output import (
    columns,
    complain,
    open_closed_streams,
    show_any_character,
    shows_boxes,
    stdout_may_fail,
    warnings_shown,
    write,
)
from dtfinder.cli.proofs import Ignore
from dtfinder.errors import (
    DtfinderError,
    InfeasibleError,
    NoTreeYetError,
    OptionError,
    WrongTreeError,
)
from dtfinder.run.signals import exit_code, reason_of, signals_interrupt

if TYPE_CHECKING:
    from dtfinder.options import Options
    from dtfinder.problem import Result

OK, NO_TREE, BAD_INPUT = 0, 1, 2


class _Commands(TyperGroup):
    """Whatever command a signal interrupts says so and exits as that signal has it."""

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt as error:
            complain(reason_of(error))
            raise typer.Exit(exit_code(reason_of(error)) or NO_TREE) from None


app = typer.Typer(
    cls=_Commands,
    help="Find the smallest decision tree that fits a table, and prove that none is smaller.",
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,  # drawing boxes around the help would take longer than all the rest
    context_settings={"help_option_names": ["-h", "--help"]},
)


@app.callback(invoke_without_command=True)
def _start(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Show the version and exit.")] = False,
) -> None:
    if version:
        from dtfinder.version import __version__

        write(f"dtfinder {__version__}\n")
        raise typer.Exit
    if context.invoked_subcommand is None:
        write(context.get_help() + "\n")
        raise typer.Exit(BAD_INPUT)


@app.command(short_help="Find the smallest tree of a table, with proof.")
@with_table_options
def fit(
    source: Annotated[
        str,
        typer.Argument(
            metavar="SOURCE",
            help="A CSV, TSV or Parquet file, 0/1 text with the class first, or the name of an "
            "embedded data set (see `dtfinder datasets`).",
        ),
    ],
    target: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMN",
            help="The class column; by default `target` or `class`, or else the last one.",
        ),
    ] = None,
    ignore: Ignore = None,
    json: Annotated[
        str | None,
        typer.Option(metavar="FILE|-", help="Write the result as JSON; - prints nothing else."),
    ] = None,
    tree: Annotated[
        str | None,
        typer.Option(metavar="FILE.json", help="Write the tree, for `dtfinder predict`."),
    ] = None,
    dot: Annotated[
        str | None, typer.Option(metavar="FILE", help="Write the tree for Graphviz.")
    ] = None,
    plot: Annotated[
        str | None, typer.Option(metavar="FILE.png|svg|pdf", help="Draw the tree.")
    ] = None,
    report: Annotated[
        str | None,
        typer.Option(metavar="FILE.html", help="Write a page to look at the tree and question it."),
    ] = None,
    certificate: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Write the proof, for `dtfinder check`."),
    ] = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print errors only.")] = False,
    **options: Any,
) -> int:
    """Find the smallest tree that classifies every row of SOURCE, with proof."""
    chosen = read_options(options if certificate is None else options | {"certify": True})
    from dtfinder.report import files

    def report_page(result: Result) -> str:
        from dtfinder.report.html import report_page

        return report_page(result, os.path.basename(source), result.reason, result.greedy)

    writers = {
        "--json": (json, files.result_json),
        "--tree": (tree, files.tree_json),
        "--dot": (dot, files.dot_text),
        "--plot": (plot, None),
        "--certificate": (certificate, files.certificate),
        "--report": (report, report_page),
    }
    outputs = [
        files.Output(option, place, text)
        for option, (place, text) in writers.items()
        if place is not None
    ]
    kept = {"checkpoint": chosen.checkpoint} if chosen.checkpoint else {}
    files.check_outputs(outputs, table=source, **kept)
    try:
        result = _search(source, target, ignore, chosen, quiet)
    except InfeasibleError as error:
        if certificate is not None:
            proofs.save_refusal(error, files.Output("--certificate", certificate), quiet)
        raise
    return _show(result, outputs, quiet)


@app.command(short_help="Say why no smaller tree exists.")
@with_table_options
def why(
    source: Annotated[str, typer.Argument(metavar="SOURCE", help="A table, as for `fit`.")],
    target: Annotated[
        str | None, typer.Option(metavar="COLUMN", help="The class column, as for `fit`.")
    ] = None,
    ignore: Ignore = None,
    seconds: Annotated[
        float,
        typer.Option(
            metavar="NUMBER", help="How long to look for fewer rows, once the tree is proven."
        ),
    ] = 10.0,
    **options: Any,
) -> int:
    """Say why no smaller tree exists: a few rows that alone need one of this size."""
    chosen = read_options(options)
    if not 0 <= seconds < float("inf"):
        raise OptionError(f"--seconds must be a number of seconds, 0 or more, not {seconds:g}")
    result = _search(source, target, ignore, chosen, quiet=False)
    from dtfinder.report.text import describe
    from dtfinder.report.why import why_text
    from dtfinder.search.why import reason_of as why_optimal

    write(describe(result, box=shows_boxes(sys.stdout)) + "\n")
    write(why_text(result, why_optimal(result, seconds)))
    return exit_code(result.stopped_by) or OK


def _search(
    source: str, target: str | None, ignore: list[str] | None, options: Options, quiet: bool
) -> Result:
    """Read the table and run the search, and show how it goes unless all is to be quiet."""
    from dtfinder.data import make_dataset, read_table
    from dtfinder.methods import pick_method
    from dtfinder.report.live import watching
    from dtfinder.solve import solve

    pick_method(options)  # a wrong name is said at once, not after a large table is read
    try:
        with warnings_shown(quiet), watching(None if quiet else sys.stderr) as show:
            dataset = make_dataset(
                read_table(source, target=target, ignore=ignore or ()),
                binarise=options.binarise,
                missing=options.missing,
                contradictions=options.contradictions,
            )
            return solve(dataset, options, callback=show)
    except KeyboardInterrupt as error:
        reason = reason_of(error)
        raise NoTreeYetError(f"{reason} before a tree was found", reason) from None


def _show(result: Result, outputs: list[Any], quiet: bool) -> int:
    """Write the files, then the text: a file that fails, or takes so long that somebody presses
    Ctrl-C, takes nothing else with it."""
    from dtfinder.report.files import STDOUT
    from dtfinder.report.text import describe

    code = exit_code(result.stopped_by) or OK
    text = "" if quiet else describe(result, box=shows_boxes(sys.stdout))
    for output in outputs:
        if output.place == STDOUT:
            text = output.text(result)
            continue
        try:
            output.save(result)
        except DtfinderError as error:
            complain(str(error))
            code = code or BAD_INPUT
        except KeyboardInterrupt as error:
            complain(f"{output.option} was {reason_of(error)}: there is no {output.place!r}")
            code = exit_code(reason_of(error)) or BAD_INPUT
    try:
        write(text)
    except DtfinderError as error:
        complain(str(error))
        code = code or BAD_INPUT
    return code


app.command(short_help="Classify the rows of a table.")(trees.predict)
app.command(short_help="Write a tree as rules, code or a model.")(trees.export)
app.command(short_help="Check a certificate against its table.")(proofs.check)
app.add_typer(proofs.certificate, name="certificate")


@app.command(short_help="List the methods.")
def methods() -> int:
    """List the methods: what each name minimises and how it works."""
    from dtfinder.methods import describe

    write(columns([("method", "minimises", "how"), *describe()]))
    return OK


@app.command(short_help="List the embedded data sets, or write one.")
def datasets(
    save: Annotated[
        tuple[str, str] | None,
        typer.Option("--write", metavar="NAME FILE", help="Write one as CSV or TSV, as FILE ends."),
    ] = None,
) -> int:
    """List the embedded data sets, which `fit` takes by name, or write one to a file."""
    from dtfinder.data import describe, embedded_names, read_table

    if save is not None:
        from pathlib import Path

        from dtfinder.certify.write import write_table
        from dtfinder.report.files import cannot_write

        name, place = save
        if name not in embedded_names():
            known = ", ".join(embedded_names())
            raise OptionError(f"--write has no data set {name!r}; there are {known}")
        if not place.lower().endswith((".csv", ".tsv")):
            raise OptionError(f"--write makes CSV or TSV, not {place!r}; end its name in .csv")
        try:
            write_table(read_table(name), place)
        except OSError as error:
            raise cannot_write("--write", Path(place), error) from error
        return OK
    write(columns([("name", "what it is"), *((n, describe(n)) for n in embedded_names())]))
    return OK


def run(arguments: list[str] | None = None) -> int:
    """Run the command line and return its exit code."""
    open_closed_streams()
    show_any_character()
    with signals_interrupt():
        return _run(arguments)


def _run(arguments: list[str] | None) -> int:
    try:
        with stdout_may_fail():  # in typer, which prints the help
            return app(args=arguments, prog_name="dtfinder", standalone_mode=False) or OK
    except typer.Exit as error:
        return error.exit_code
    except NoTreeYetError as error:
        complain(str(error))
        return exit_code(error.reason) or NO_TREE
    except WrongTreeError as error:
        complain(str(error))
        return NO_TREE
    except DtfinderError as error:
        complain(as_typed(str(error)))
        return BAD_INPUT
    except MemoryError:
        complain("there is not enough memory for this table")
        return NO_TREE
    except Exception as error:
        # Typer's own errors are of a class that moved between its versions.
        if not hasattr(error, "format_message"):
            raise
        context = getattr(error, "ctx", None)
        command = context.command_path if context else "dtfinder"
        complain(f"{error.format_message()} (see `{command} --help`)")
        return BAD_INPUT
