"""The command line: all commands, and how each of them starts and ends.

Each command is in the file of its name; what takes long to import is imported by the command that
needs it, so that `--help` is quick. Exit codes: 0 with a tree, 1 if a limit was met before any tree
was found, 2 on bad usage, bad input or limits that no tree meets, 130 on Ctrl-C and 143 on SIGTERM,
after the best tree so far was written and printed.
"""

from __future__ import annotations

from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from dtfinder.cli.audit import audit
from dtfinder.cli.check import certificate, check
from dtfinder.cli.datasets import datasets
from dtfinder.cli.export import export
from dtfinder.cli.fit import fit
from dtfinder.cli.front import front
from dtfinder.cli.low_memory import guard_imports, limited
from dtfinder.cli.methods import methods
from dtfinder.cli.output import (
    BAD_INPUT,
    NO_TREE,
    OK,
    complain,
    open_closed_streams,
    show_any_character,
    stdout_may_fail,
    write,
)
from dtfinder.cli.predict import predict
from dtfinder.cli.score import score
from dtfinder.cli.why import why
from dtfinder.errors import DtfinderError, NoTreeYetError, WrongTreeError
from dtfinder.run.signals import exit_code, reason_of, signals_exit


class _Commands(TyperGroup):
    """A command that is interrupted by a signal reports it and exits with that signal's code."""

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


app.command(short_help="Find the smallest tree of a table, with proof.")(fit)
app.command(short_help="Show for every size the fewest errors, with proof.")(front)
app.command(short_help="List the rows that may be wrong.")(audit)
app.command(short_help="Explain why no smaller tree exists.")(why)
app.command(short_help="Classify the rows of a table.")(predict)
app.command(short_help="Compare a tree's classes with those of a table.")(score)
app.command(short_help="Write a tree as rules, code or a model.")(export)
app.command(short_help="Check a certificate against its table.")(check)
app.add_typer(certificate, name="certificate")
app.command(short_help="List the methods.")(methods)
app.command(short_help="List the embedded data sets, or write one.")(datasets)


def run(arguments: list[str] | None = None) -> int:
    """Run the command line and return its exit code."""
    open_closed_streams()
    show_any_character()
    guard_imports()
    with signals_exit():
        return _run(arguments)


def _run(arguments: list[str] | None) -> int:
    try:
        with stdout_may_fail():  # in typer, which prints the help
            return app(args=arguments, prog_name="dtfinder", standalone_mode=False) or OK
    except typer.Exit as error:
        return error.exit_code
    except DtfinderError as error:
        complain(error)
        return _code_of(error)
    except MemoryError:
        complain("there is not enough memory")
        return NO_TREE
    except Exception as error:
        if limited() and isinstance(error, ImportError):  # a library does not fit either
            complain(f"there is not enough memory: {error}")
            return NO_TREE
        # Typer's own errors are of a class that moved between its versions.
        if not hasattr(error, "format_message"):
            raise
        context = getattr(error, "ctx", None)
        command = context.command_path if context else "dtfinder"
        complain(f"{error.format_message()} (see `{command} --help`)")
        return BAD_INPUT


def _code_of(error: DtfinderError) -> int:
    if isinstance(error, NoTreeYetError):
        return exit_code(error.reason) or NO_TREE
    return NO_TREE if isinstance(error, WrongTreeError) else BAD_INPUT
