"""How the command line speaks: results on stdout, complaints in one line on stderr."""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO

import typer

from dtfinder.cli_options import as_typed

BROKEN_PIPE = 141


def write(text: str | bytes) -> None:
    """Write to stdout; if nobody reads it any more, leave quietly."""
    try:
        if isinstance(text, bytes):
            sys.stdout.buffer.write(text)
        else:
            sys.stdout.write(text)
        sys.stdout.flush()
    except BrokenPipeError:
        # Python flushes stdout once more at its end, and must not find the broken pipe there.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise typer.Exit(BROKEN_PIPE) from None


def complain(message: str) -> None:
    """One line on stderr."""
    sys.stderr.write(f"error: {' '.join(message.split())}\n")


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
        sys.stderr.write(f"{word}: {' '.join(as_typed(record.getMessage()).split())}\n")


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
