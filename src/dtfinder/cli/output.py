"""How the command line speaks: results on stdout, complaints in one line on stderr."""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO

import typer

from dtfinder.cli.options import as_typed
from dtfinder.errors import DtfinderError, OptionError

BROKEN_PIPE = 141


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
    """Inside, if nobody reads stdout any more, leave quietly; an OptionError says why else it
    cannot be written. Errors of files, which have names, and our own are none of these."""
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
    """Python has None for a stream that was closed before it began (`2>&-`); nobody reads those."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115


def _let_go(stream: IO[str]) -> None:
    """Python flushes streams once more at its end, and must not find a broken one there."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def complain(message: str, word: str = "error") -> None:
    """One line on stderr; if its terminal is closed, there is nobody to complain to."""
    try:
        sys.stderr.write(f"{word}: {' '.join(message.split())}\n")
        sys.stderr.flush()
    except OSError:
        _let_go(sys.__stderr__ or sys.stderr)


@contextmanager
def warnings_shown(quiet: bool) -> Iterator[None]:
    """Inside, what the package logs is shown, a line each, or only its errors if `quiet`."""
    log, handler = logging.getLogger("dtfinder"), _Warnings(logging.WARNING)
    before = log.level
    log.addHandler(handler)
    log.setLevel(logging.ERROR if quiet else logging.WARNING)
    try:
        yield
    finally:
        log.removeHandler(handler)
        log.setLevel(before)


class _Warnings(logging.Handler):
    def emit(self, record: logging.LogRecord) -> None:
        """Write to what stderr is now: the live line stands in for it while it is drawn."""
        word = "error" if record.levelno >= logging.ERROR else "warning"
        complain(as_typed(record.getMessage()), word)


def show_any_character() -> None:
    """Let a name that the terminal cannot show appear as an escape, not as an error."""
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


def columns(rows: list[tuple[str, ...]]) -> str:
    """Rows as aligned text."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = ("  ".join(c.ljust(w) for c, w in zip(row, widths, strict=True)) for row in rows)
    return "".join(f"{line.rstrip()}\n" for line in lines)
