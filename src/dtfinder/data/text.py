"""Text files: CSV, TSV, and rows of 0/1 with the class first, each of them also gzipped.

A file is read once, line by line, and only the distinct words of a column are kept, so a large
table needs little more memory than one small number per cell. What kind of file it is shows in its
first line:

* only whole numbers, all of them 0 or 1 from the second on, between spaces or commas: rows of 0/1
  without a line of names, the class first. Its features are x0, x1, ... and its target `class`.
* anything else: the names of the columns, between commas, tabs, semicolons or bars, whichever it
  has most of.
"""

from __future__ import annotations

import csv
import gzip
import io
import itertools
import math
import re
import zlib
from collections import defaultdict
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import IO, TextIO, cast

import numpy as np
from numpy.typing import NDArray

from dtfinder.data.columns import Column, check_width, text_column
from dtfinder.errors import DataError

_CELLS_AT_ONCE = 2_000_000
_ZERO_ONE_LINE = re.compile(r"-?\d+(?:[ \t]*,[ \t]*[01]|[ \t]+[01])+")
_DELIMITERS = ",\t;|"


def read_text(path: Path) -> tuple[tuple[str, ...], list[Column], str | None]:
    """The names and columns of the file, and the name of its target if its kind says which."""
    with _opened(path) as stream:
        skipped, first = _first_line(stream, path)
        if _ZERO_ONE_LINE.fullmatch(first.strip()):
            return _read_zero_one(stream, first, skipped, path)
        return _read_delimited(stream, first, skipped, path)


@contextmanager
def _opened(path: Path) -> Iterator[TextIO]:
    """The file as text, unpacked if need be; every way to fail becomes a DataError."""
    try:
        with ExitStack() as stack:
            raw = stack.enter_context(path.open("rb"))
            binary: IO[bytes] = raw
            # Looking ahead, not reading twice, so that a pipe can be given as well.
            if raw.peek(2)[:2] == b"\x1f\x8b":
                binary = cast(IO[bytes], stack.enter_context(gzip.open(raw)))
            elif raw.peek(2)[:2] in (b"\xff\xfe", b"\xfe\xff"):
                raise DataError(f"{str(path)!r} is text in UTF-16; save it as UTF-8")
            elif b"\0" in raw.peek(1 << 12):
                workbook = raw.peek(4)[:4] in (b"PK\3\4", b"\xd0\xcf\x11\xe0")
                cure = "save its sheet as CSV" if workbook else "give a CSV, TSV or Parquet file"
                what = "an Excel workbook or another archive" if workbook else "it has NUL bytes"
                raise DataError(f"{str(path)!r} is not text: {what}; {cure}")
            yield io.TextIOWrapper(binary, encoding="utf-8-sig", newline="")
    except UnicodeDecodeError as error:
        byte = error.object[error.start]
        raise DataError(
            f"{str(path)!r} is not text: byte 0x{byte:02x} is not valid UTF-8; save it as UTF-8, "
            "or give a CSV, TSV or Parquet file"
        ) from None
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise DataError(f"{str(path)!r} cannot be unpacked ({error}); gzip it again") from None
    except csv.Error as error:
        raise DataError(f"{str(path)!r} is not a table: {error}; check its quotes") from None
    except OSError as error:
        reason = error.strerror or str(error)
        raise DataError(f"cannot read {str(path)!r}: {reason}; check the path") from None


def first_line(path: Path) -> str:
    """The first line of the file that is not blank."""
    with _opened(path) as stream:
        return _first_line(stream, path)[1]


def delimiter_of(first: str, path: Path) -> str:
    """What stands between the cells of a file with this first line."""
    return "\t" if _suffix(path) in (".tsv", ".tab") else max(_DELIMITERS, key=first.count)


def _first_line(stream: TextIO, path: Path) -> tuple[int, str]:
    """The first line that is not blank, and how many lines come before it."""
    for number, line in enumerate(stream):
        if line.strip():
            return number, line
    raise DataError(f"{str(path)!r} is empty; a table needs a line of names and rows below it")


def _read_zero_one(
    stream: TextIO, first: str, skipped: int, path: Path
) -> tuple[tuple[str, ...], list[Column], str]:
    width = len(re.split(r"[\s,]+", first.strip()))
    check_width(width, repr(str(path)))

    def rows() -> Iterator[tuple[int, list[str]]]:
        for number, line in enumerate(itertools.chain([first], stream), start=skipped + 1):
            stripped = line.strip()
            if not stripped:
                continue
            if not _ZERO_ONE_LINE.fullmatch(stripped):
                raise DataError(
                    f"line {number} of {str(path)!r} is not a class and 0s and 1s like the lines "
                    "above it; if the table has other values, give it a first line of names"
                )
            yield number, re.split(r"[\s,]+", stripped)

    names = ("class", *(f"x{number}" for number in range(width - 1)))
    return names, _columns(rows(), width, path), "class"


def _read_delimited(
    stream: TextIO, first: str, skipped: int, path: Path
) -> tuple[tuple[str, ...], list[Column], None]:
    reader = csv.reader(
        itertools.chain([first], stream),
        delimiter=delimiter_of(first, path),
        skipinitialspace=True,
    )
    names = tuple(name.strip() for name in next(reader))
    check_width(len(names), repr(str(path)))
    for number, name in enumerate(names, start=1):
        if _is_measurement(name):
            raise DataError(
                f"the first line of {str(path)!r} has the number {name} where the name of column "
                f"{number} should be; put a line of names above the rows"
            )
    # The name of column 7 may be missing, as pandas writes it for a table's index.
    names = tuple(name or f"column {number}" for number, name in enumerate(names, start=1))

    def rows() -> Iterator[tuple[int, list[str]]]:
        for row in reader:
            if row:
                yield skipped + reader.line_num, row

    return names, _columns(rows(), len(names), path), None


def _columns(rows: Iterator[tuple[int, list[str]]], width: int, path: Path) -> list[Column]:
    """Turn rows into columns of codes, a block of rows at a time."""
    # A dictionary that numbers new words as they come, so that coding a block is one `map`.
    numbering: list[defaultdict[str, int]] = [
        defaultdict(itertools.count().__next__) for _ in range(width)
    ]
    parts: list[list[NDArray[np.int32]]] = [[] for _ in range(width)]
    while block := list(itertools.islice(rows, max(1, _CELLS_AT_ONCE // width))):
        for number, row in block:
            if len(row) != width:
                raise DataError(
                    f"line {number} of {str(path)!r} has {_values(len(row))} where the first line "
                    f"has {width}; make the lines equally long"
                )
        for place, cells in enumerate(zip(*(row for _, row in block), strict=True)):
            codes = np.fromiter(map(numbering[place].__getitem__, cells), np.int32, len(block))
            parts[place].append(codes)
    empty = [np.zeros(0, dtype=np.int32)]
    return [
        text_column(known, np.concatenate(part or empty))
        for known, part in zip(numbering, parts, strict=True)
    ]


def _values(count: int) -> str:
    return "1 value" if count == 1 else f"{count} values"


def _is_measurement(name: str) -> bool:
    """Whether a column's name is a number such as 5.1; whole numbers do name columns at times."""
    try:
        return math.isfinite(float(name)) and not float(name).is_integer()
    except ValueError:
        return False


def _suffix(path: Path) -> str:
    suffixes = [suffix.lower() for suffix in path.suffixes if suffix.lower() != ".gz"]
    return suffixes[-1] if suffixes else ""
