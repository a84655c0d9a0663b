"""Where batches come from: Parquet and text files, one or thousands of them.

A source has parts, each of which can be read on its own, here or on a worker of a cluster: a row
group of a Parquet file, or a text file. The parts of a table must have the same columns, in any
order.

A column of a text file is one of numbers as long as every cell is; the first that is not makes it
one of words, and the pass starts again (`NotNumbers`).
"""

from __future__ import annotations

import glob
import logging
import re
from abc import ABC, abstractmethod
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace
from os import PathLike
from pathlib import Path
from typing import Any

from dtfinder.data.columns import MISSING_WORDS
from dtfinder.data.read import kept_places, target_place
from dtfinder.data.text import delimiter_of, first_line
from dtfinder.errors import DataError, optional_package
from dtfinder.stream.batch import Batch, batch_of, is_number

_log = logging.getLogger(__name__)

PARQUET, TEXT = (".parquet", ".pq"), (".csv", ".tsv", ".tab", ".csv.gz", ".tsv.gz")
LARGE = 1_000_000_000  # bytes: a single file that is larger is read in batches
CELLS = 4_000_000  # in a batch
_BLOCK = 1 << 24  # bytes of text at a time


class NotNumbers(Exception):
    """A column of a text file that was taken for numbers is not."""

    def __init__(self, column: str) -> None:
        super().__init__(column)
        self.column = column


@dataclass(frozen=True)
class Part:
    """Something to read on its own; of a Parquet file one row group."""

    path: str
    group: int | None = None
    rows: int | None = None  # if that is known before it is read


@dataclass(frozen=True)
class Source(ABC):
    """A table in parts, each of which can be read on its own, in batches."""

    parts: Sequence[Any]
    names: tuple[str, ...]  # of all columns that count, the class among them
    target: str

    @abstractmethod
    def batches(self, part: Any) -> Iterator[Batch]:
        """The rows of a part."""

    @property
    def text(self) -> bool:
        """Whether words were read from text files."""
        return False

    @property
    def rows(self) -> int | None:
        """How many there are, if that is known before they are read."""
        return None

    def without_parts(self) -> Source:
        """What a worker of a cluster needs to read its parts."""
        return replace(self, parts=())


@dataclass(frozen=True)
class Files(Source):
    """The parts of a table in files, of one kind."""

    kind: str  # "text" or "parquet"
    decimal: str = "."
    words: frozenset[str] = field(default_factory=frozenset)  # columns of text that are not numbers

    @property
    def text(self) -> bool:
        """Whether these are text files."""
        return self.kind == "text"

    @property
    def rows(self) -> int | None:
        """How many there are, which Parquet files say."""
        known = [part.rows for part in self.parts if part.rows is not None]
        return sum(known) if len(known) == len(self.parts) else None

    def with_words(self, column: str) -> Files:
        """The same, with one more column of words."""
        return replace(self, words=self.words | {column})

    def batches(self, part: Part) -> Iterator[Batch]:
        """The rows of a part."""
        import pyarrow

        try:
            for table in self._text(part) if self.text else self._parquet(part):
                yield batch_of(table, self.target, text=self.text)
        except FileNotFoundError:
            raise DataError(
                f"{part.path!r} vanished while the table was read; put it back, and start again"
            ) from None
        except (pyarrow.ArrowException, OSError) as error:
            raise self._meaning(error, part) from None

    def _parquet(self, part: Part) -> Iterator[Any]:
        from pyarrow.parquet import ParquetFile

        with ParquetFile(part.path) as file:
            if part.group is None or part.group >= file.num_row_groups:
                raise _changed(part.path)
            yield from file.iter_batches(
                batch_rows(self.names), row_groups=[part.group], columns=list(self.names)
            )

    def _text(self, part: Part) -> Iterator[Any]:
        import pyarrow
        from pyarrow import csv

        numbers = set(self.names) - self.words - {self.target}
        kinds = {n: pyarrow.float64() if n in numbers else pyarrow.string() for n in self.names}
        reader = csv.open_csv(
            part.path,
            csv.ReadOptions(block_size=_BLOCK),
            csv.ParseOptions(delimiter=delimiter_of(first_line(Path(part.path)), Path(part.path))),
            csv.ConvertOptions(
                column_types=kinds,
                include_columns=list(self.names),
                null_values=sorted(MISSING_WORDS),
                strings_can_be_null=True,
                decimal_point=self.decimal,
            ),
        )
        with reader:
            yield from reader

    def _meaning(self, error: Exception, part: Part) -> Exception:
        """What pyarrow's errors mean."""
        reason = str(error).splitlines()[0]
        if self.text and (found := re.search(r"CSV column #(\d+).*conversion error to", reason)):
            place = int(found[1])
            if place < len(self.names) and self.names[place] not in self.words:
                return NotNumbers(self.names[place])
        what = "a text table" if self.text else "Parquet"
        return DataError(f"cannot read {part.path!r} as {what}: {reason}; write it again")


def batch_rows(names: tuple[str, ...]) -> int:
    """How many rows of these columns make a batch."""
    return max(1000, CELLS // len(names))


def _changed(path: str) -> DataError:
    return DataError(f"{path!r} changed while the table was read; start again")


def paths_of(source: Any) -> list[str] | None:
    """The files that a source in batches has; None if it is a table for memory."""
    if isinstance(source, (list, tuple)) and source:
        if all(isinstance(each, (str, PathLike)) for each in source):
            return [str(each) for each in source]
        return None
    if not isinstance(source, (str, PathLike)) or source == "":  # which would be this directory
        return None
    path, name = Path(source), str(source)
    try:
        is_folder, there = path.is_dir(), path.exists()
        large = path.is_file() and path.stat().st_size > LARGE and _kind(path) is not None
    except (OSError, ValueError):  # too long for a name, or not a name at all
        return None
    if is_folder:
        found = sorted(str(each) for each in path.rglob("*") if _kind(each) is not None)
        if not found:
            raise DataError(f"{name!r} is a directory without Parquet, CSV or TSV files")
        return found
    if there:
        return [name] if large else None
    if not re.search(r"[*?\[]", name):
        return None
    found = sorted(glob.glob(name, recursive=True))
    if not found:
        raise DataError(f"no file matches {name!r}; check the path")
    return found


def _kind(path: Path) -> str | None:
    name = path.name.lower()
    if name.startswith((".", "_")):  # notes of other programs
        return None
    if name.endswith(PARQUET):
        return "parquet"
    return "text" if name.endswith(TEXT) else None


def open_files(
    paths: list[str], target: str | None, ignore: Collection[str], decimal: str
) -> Files:
    """The table in these files. Their columns are compared before anything is counted."""
    optional_package("pyarrow", "reading a table in batches needs pyarrow", "tables")
    kinds = {path: _kind(Path(path)) for path in paths}
    odd = next((path for path, kind in kinds.items() if kind is None), None)
    if odd is not None:
        raise DataError(f"{odd!r} is neither a Parquet nor a CSV or TSV file; leave it out")
    if len(set(kinds.values())) > 1:
        raise DataError("some of the files are Parquet and some are text; give one kind at a time")
    kind = str(kinds[paths[0]])
    text = kind == "text"
    parts: list[Part] = []
    first: tuple[str, dict[str, bool]] | None = None
    for path in paths:
        found, columns = _text_head(path) if text else _parquet_head(path)
        if columns is None:
            _log.warning("%r is empty and is left out", path)
            continue
        if first is None:
            first = path, columns
        _compare(first, path, columns)
        parts += found
    if first is None:
        raise DataError("all files are empty; give rows")
    names, chosen = chosen_columns(tuple(first[1]), target, ignore)
    words = frozenset(name for name in names if not first[1][name])
    return Files(tuple(parts), names, chosen, kind, decimal, words if text else frozenset())


def chosen_columns(
    names: tuple[str, ...], target: str | None, ignore: Collection[str]
) -> tuple[tuple[str, ...], str]:
    """The columns that count, and which of them is the class."""
    if len(set(names)) < len(names):
        raise DataError("two columns have the same name; give every column its own")
    kept = tuple(names[place] for place in kept_places(names, ignore))
    chosen = kept[target_place(kept, target)]
    if len(kept) < 2:
        raise DataError(f"the table has only the column {chosen!r}; it needs at least one more")
    return kept, chosen


def _parquet_head(path: str) -> tuple[list[Part], dict[str, bool] | None]:
    """The row groups of a file, and for each column whether it has numbers."""
    import pyarrow
    from pyarrow.parquet import ParquetFile

    try:
        if Path(path).stat().st_size == 0:
            return [], None
        with ParquetFile(path) as file:
            about = file.metadata
            groups = range(about.num_row_groups)
            parts = [Part(path, group, about.row_group(group).num_rows) for group in groups]
            fields = {field.name: is_number(field.type) for field in file.schema_arrow}
            return [part for part in parts if part.rows], fields
    except (pyarrow.ArrowException, OSError) as error:
        reason = getattr(error, "strerror", None) or str(error).splitlines()[0]
        raise DataError(f"cannot read {path!r} as Parquet: {reason}; write it again") from None


def _text_head(path: str) -> tuple[list[Part], dict[str, bool] | None]:
    """The file as one part, and its columns, all taken for numbers until a cell is none."""
    if Path(path).exists() and Path(path).stat().st_size == 0:
        return [], None
    import csv

    line = first_line(Path(path))
    (names,) = csv.reader([line], delimiter=delimiter_of(line, Path(path)), skipinitialspace=True)
    return [Part(path)], dict.fromkeys((name.strip() for name in names), True)


def _compare(first: tuple[str, dict[str, bool]], path: str, columns: dict[str, bool]) -> None:
    """Raise a DataError unless two files have the same columns, with numbers in the same ones."""
    other, known = first
    for name in known:
        if name not in columns:
            raise DataError(
                f"{path!r} has no column {name!r}, which {other!r} has; give parts of one table"
            )
        if known[name] != columns[name]:
            kinds = [("numbers" if each[name] else "no numbers") for each in (known, columns)]
            raise DataError(
                f"column {name!r} has {kinds[0]} in {other!r} and {kinds[1]} in {path!r}; write "
                "both with one type"
            )
    extra = next((name for name in columns if name not in known), None)
    if extra is not None:
        raise DataError(
            f"{path!r} has a column {extra!r}, which {other!r} does not have; give parts of one "
            "table"
        )
