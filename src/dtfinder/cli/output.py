"""What the command line prints: results on stdout, errors and warnings on stderr, one line each."""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO

import typer

from dtfinder.cli.options import typed
from dtfinder.errors import DtfinderError, NoTreeYetError, Option, OptionError
from dtfinder.run.signals import reason_of

OK, NO_TREE, BAD_INPUT, BROKEN_PIPE = 0, 1, 2, 141


def write(text: str | bytes) -> None:
    """Write to stdout, which may fail as `stdout_may_fail` says."""
    with stdout_may_fail():
        if isinstance(text, bytes):
            sys.stdout.buffer.write(text)
        else:
            sys.stdout.write(text)
        sys.stdout.flush()


@contextmanager
def stdout_may_fail() -> Iterator[None]:
    """Inside, exit quietly if nobody reads stdout any more, and raise an OptionError if it cannot
    be written for another reason. Errors about files, which have names, and our own pass."""
    try:
        yield
    except OSError as error:
        if error.filename is not None or isinstance(error, DtfinderError):
            raise
        _let_go(sys.stdout)
        if isinstance(error, BrokenPipeError):
            raise typer.Exit(BROKEN_PIPE) from None
        raise OptionError(f"cannot write to stdout: {error.strerror or error}") from error


def open_closed_streams() -> None:
    """Replace streams that were closed from the start (`2>&-`), for which Python has None."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115


def _let_go(stream: IO[str]) -> None:
    """Point a broken stream to nowhere: Python flushes all streams once more when it exits."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def complain(message: str | DtfinderError, word: str = "error") -> None:
    """Write one line to stderr, unless its terminal is closed."""
    if isinstance(message, DtfinderError):
        message = message.worded(typed)
    try:
        sys.stderr.write(f"{word}: {' '.join(message.split())}\n")
        sys.stderr.flush()
    except OSError:
        _let_go(sys.__stderr__ or sys.stderr)


@contextmanager
def warnings_shown(quiet: bool) -> Iterator[None]:
    """Inside, show the package's log, one line each, or only errors if `quiet`."""
    log, handler = logging.getLogger("dtfinder"), _Warnings(logging.INFO)
    before = log.level
    log.addHandler(handler)
    log.setLevel(logging.ERROR if quiet else logging.INFO)
    try:
        yield
    finally:
        log.removeHandler(handler)
        log.setLevel(before)


@contextmanager
def searching(quiet: bool) -> Iterator[None]:
    """Inside, warnings are shown; an interrupt before there is a result says what is missing."""
    try:
        with warnings_shown(quiet):
            yield
    except KeyboardInterrupt as error:
        reason = reason_of(error)
        raise NoTreeYetError(f"{reason} before a tree was found", reason=reason) from None


class _Warnings(logging.Handler):
    def emit(self, record: logging.LogRecord) -> None:
        """Write to what stderr is now: while the live line is drawn, it takes its place."""
        if isinstance(record.args, tuple):
            record.args = tuple(typed(a) if isinstance(a, Option) else a for a in record.args)
        word = {logging.INFO: "note", logging.WARNING: "warning"}.get(record.levelno, "error")
        complain(record.getMessage(), word)


def show_any_character() -> None:
    """Show characters that the terminal does not have as escapes instead of failing."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")


def shows_boxes(stream: IO[str]) -> bool:
    """Whether the stream's encoding has the characters that branches are drawn with."""
    try:
        "├─│└".encode(getattr(stream, "encoding", None) or "ascii")
    except (UnicodeEncodeError, LookupError):
        return False
    return True


def check_place(option: Option, place: str, **inputs: str) -> None:
    """Refuse a file that cannot be written or is one of the inputs, before any work."""
    from dtfinder.report.files import STDOUT, Output, check_outputs

    if place != STDOUT:
        check_outputs([Output(option, place)], **inputs)


def put(option: Option, place: str, made: str | bytes) -> None:
    """Write to the file that the option names, or to stdout for `-`."""
    from dtfinder.report.files import STDOUT, Output

    if place == STDOUT:
        write(made)
    else:
        Output(option, place).put(made)
