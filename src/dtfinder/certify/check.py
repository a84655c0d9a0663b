#!/usr/bin/env python3
"""Check a dtfinder certificate against the table it is about: `check.py CERT --data TABLE`.

This file stands alone: it needs only the standard library and shares no code with the program that
wrote the certificate. It reads the raw table, makes the 0/1 features again, classifies every row
with the tree if there is one, and follows the proof that no better tree, or no tree at all within
the limits, exists. What it prints after VERIFIED is all that it vouches for.

It is written to be read. Every rule of a proof has its argument next to the code;
docs/certificates.md describes the format in the same order, with the arguments in full.

The certificate is not trusted, so nothing is built before its size is known to be in proportion to
the table and to the certificate itself. The table is the reader's own, and is taken as it is.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import hashlib
import io
import json
import re
import runpy
import sys
import zlib
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache, lru_cache
from itertools import compress, pairwise
from math import inf
from pathlib import Path
from typing import Any, NamedTuple


class Rejected(ValueError):
    """The certificate does not prove its claim for this table; the text says where it fails."""


class TooLarge(MemoryError):
    """The certificate needs more than this checker spends on it; its claim may be true or not."""


def need(holds: bool, otherwise: str) -> None:
    """Reject the certificate unless `holds`."""
    if not holds:
        raise Rejected(otherwise)


# What malformed input raises, here and in the standard library.
MALFORMED = (ValueError, LookupError, TypeError, ArithmeticError, csv.Error)

# ------------------------------------------------------------------------------------- the files
MOST_PACKED = 2**28  # bytes of a certificate's file
MOST_LINE = 2**24  # bytes of a line
MOST_HEAD = 2**22  # bytes of the first line, and 64 more for each byte of the table
MOST_PLAIN = 2**20  # bytes of the unpacked text, and 16 more for each byte of the file


def read_bytes(path: str, most: float) -> bytes:
    """The bytes of a file, which may have no end, such as a device or a pipe."""
    found = bytearray()
    with Path(path).open("rb") as file:
        while chunk := file.read(2**20):
            found += chunk
            if len(found) > most:
                raise TooLarge(f"it has more than {most:.0f} bytes")
    return bytes(found)


def unpacked(path: str) -> str:
    """The text of a table's file, gzipped or not."""
    data = read_bytes(path, inf)
    if data[:2] == b"\x1f\x8b":
        data = gzip.decompress(data)
    return data.decode("utf-8-sig")


def certificate_lines(path: str, table_size: int = 0) -> Iterator[str]:
    """The lines of a certificate's file, gzipped or not, unpacked one after the other.

    What dtfinder writes unpacks to less than ten times its size; 16 times is allowed, so that the
    work is in proportion to the file."""
    data = read_bytes(path, MOST_PACKED)
    file: Any = io.BytesIO(data)
    if data[:2] == b"\x1f\x8b":
        most = MOST_PLAIN + 16 * len(data)
        with gzip.GzipFile(fileobj=io.BytesIO(data)) as unpacking:
            while unpacking.read(2**20):
                if unpacking.tell() > most:
                    raise TooLarge("it unpacks to more than 16 times its size")
        file = io.BufferedReader(gzip.GzipFile(fileobj=file))
    most_line = MOST_HEAD + 64 * table_size
    while line := file.readline(most_line + 1):
        need(len(line) <= most_line, f"a line has more than {most_line} bytes")
        yield line.decode("utf-8", "replace").rstrip("\r\n")
        most_line = MOST_LINE  # from the second line on


# ------------------------------------------------------------------------------------- the table
MISSING = {"", "?", "NA", "NaN", "nan", "null", "None"}
TRUTH = {"true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False}
CLOCK = r"(\d\d:\d\d)(:\d\d(?:\.\d+)?)?(Z|[+-]\d\d:\d\d)?"
DATE = re.compile(rf"(?a)(\d{{4}}-\d\d-\d\d)?(?:([T ]?){CLOCK})?")
DURATION = re.compile(r"(?a)(-?\d{1,9}) days? \+?(\d\d):(\d\d):(\d\d)\.?(\d{0,9})")
GROUPED = re.compile(r"(?a)([-+]?\d{1,3})((?:\.\d{3})+)(,\d*)?")
ZERO_ONE = re.compile(r"-?\d+(?:[ \t]*,[ \t]*[01]|[ \t]+[01])+")


def read_table(path: str) -> dict[str, Sequence[str]]:
    """The columns of a CSV, TSV or class-first 0/1 file, as words; blanks around them are not taken
    off yet."""
    text = unpacked(path)
    if (found := letter_columns(path, text)) is not None:
        return found
    lines = list(io.StringIO(text, newline=""))
    while lines and lines[0].isspace():
        del lines[0]
    need(bool(lines), "the table is empty")
    if ZERO_ONE.fullmatch(lines[0].strip()):
        rows = [re.split(r"[\s,]+", line.strip()) for line in lines if line.strip()]
        names = ["class"] + [f"x{number}" for number in range(len(rows[0]) - 1)]
    else:
        reader = csv.reader(lines, delimiter=delimiter_of(path, lines[0]), skipinitialspace=True)
        first, *rows = [row for row in reader if row]
        names = [name.strip() or f"column {place}" for place, name in enumerate(first, start=1)]
    need(len(set(names)) == len(names), "two columns of the table have the same name")
    need(set(map(len, rows)) <= {len(names)}, "the table's lines are not equally long")
    columns: list[tuple[str, ...]] = list(zip(*rows, strict=True)) if rows else [()] * len(names)
    return dict(zip(names, columns, strict=True))


def delimiter_of(path: str, first: str) -> str:
    """What stands between the cells of a table with this first line."""
    if re.search(r"\.(tsv|tab)(\.gz)?$", path.lower()):
        return "\t"
    return max(",\t;|", key=first.count)


def letter_columns(path: str, text: str) -> dict[str, Sequence[str]] | None:
    """The columns of a table whose cells are a letter or digit each, as 0/1 tables have them; None
    for any other. Then every second character is a cell, and all lines are equally long: as many
    slices of the text are the columns. (What the general way does, in a tenth of the time.)"""
    first, _, body = text.partition("\n")
    body += "" if body.endswith("\n") else "\n"
    delimiter = delimiter_of(path, first)
    names = [name.strip() for name in first.split(delimiter)]
    plain = all(names) and len(set(names)) == len(names) and not set(first) & {'"', "\r"}
    line = delimiter * (len(names) - 1) + "\n"
    if not plain or ZERO_ONE.fullmatch(first.strip()) or len(body) % (2 * len(line)):
        return None
    cells = body[::2]
    if not (cells.isascii() and cells.isalnum()) or body[1::2] != line * (len(cells) // len(line)):
        return None
    return {name: cells[place :: len(names)] for place, name in enumerate(names)}


def date(word: str) -> str:
    """A date or time, written so that the order of texts is the order in time. Months, quarters and
    weeks are written so already."""
    found = DATE.fullmatch(word)
    if found is None:
        return word
    day, between, clock, second, zone = (group or "" for group in found.groups())
    if bool(between) != bool(day and clock) or (zone and not day):
        return word
    if clock:
        clock += second.rstrip("0").rstrip(".") if "." in second else second or ":00"
    zone = "+00:00" if zone == "Z" else zone
    if not clock or (day and clock + zone == "00:00:00"):
        return day
    return f"{day}T{clock}{zone}" if day else clock


def duration(word: str) -> int:
    """The nanoseconds of a duration such as `1 days 02:30:00.5`."""
    found = DURATION.fullmatch(word)
    if found is None:
        raise ValueError(f"{word!r} is not a duration")
    days, hours, minutes, seconds = (int(group) for group in found.groups()[:4])
    whole = ((days * 24 + hours) * 60 + minutes) * 60 + seconds
    return whole * 10**9 + int(found[5].ljust(9, "0"))


def number_with_comma(word: str) -> float:
    """A number such as `1.234,5`: points stand between groups of three digits."""
    grouped = GROUPED.fullmatch(word)
    if grouped is not None:
        word = grouped[1] + grouped[2].replace(".", "") + (grouped[3] or "")
    if "." in word:
        raise ValueError(f"{word!r} has a point where a comma should be")
    return float(word.replace(",", "."))


class Column(NamedTuple):
    """A column of the table: its different values, None for a missing one; and of each row, the
    place of its value among them. So what is asked of values is asked once for each."""

    values: list[Any]
    places: bytes | list[int]  # bytes where they suffice
    line: bytes  # of the digest

    def of(self, keep: bytearray) -> bytes | list[int]:
        """The places of the rows with a 1 in `keep`."""
        all_of_them = 0 not in keep
        return self.places if all_of_them else type(self.places)(compress(self.places, keep))


def read_column(name: str, kind: str, words: Sequence[str], decimal: str = ".") -> Column:
    """The words of a column as what `kind` says, with None for missing and NaN."""
    place_of: dict[Any, int] = {}  # by value
    places: dict[str, int] = {}  # by word
    written: dict[str, str] = {}  # by word, as JSON
    for word in set(words):
        try:
            value = meaning(word.strip(), kind, decimal)
        except (ValueError, KeyError) as error:
            raise Rejected(f"column {name!r} is not of kind {kind}: {error}") from None
        written[word] = json.dumps(value)
        places[word] = place_of.setdefault(value, len(place_of))
    start = json.dumps([name, kind]).removesuffix("]") + ", ["
    if isinstance(words, str) and {len(text) for text in written.values()} == {3}:
        # Cells of one letter, such as 0.0 and 1.0: each is written letter after letter, for all
        # rows at once.
        letters = words.encode()
        written_out = bytearray(b"..., " * len(letters))
        for at in range(3):
            each = {word: text[at] for word, text in written.items()}
            written_out[at::5] = translated(letters, each)
        of_rows = translated(letters, {word: chr(place) for word, place in places.items()})
        line = start.encode() + bytes(written_out[:-2]) + b"]]\n"
        return Column(list(place_of), of_rows, line)
    pack = bytes if len(place_of) <= 256 else list
    cells = ", ".join(map(written.__getitem__, words))
    line = f"{start}{cells}]]\n".encode()
    return Column(list(place_of), pack(map(places.__getitem__, words)), line)


def translated(letters: bytes, into: dict[str, str]) -> bytes:
    """The letters, each by the one that stands for it."""
    words, others = "".join(into), "".join(into.values())
    return letters.translate(bytes.maketrans(words.encode(), others.encode()))


def meaning(word: str, kind: str, decimal: str) -> Any:
    """The value that a word means."""
    if word in MISSING:
        return None
    if kind == "number":
        number = number_with_comma(word) if decimal == "," else float(word)
        return None if number != number else number  # only NaN is not itself
    if kind == "bool":
        return TRUTH[word]
    if kind == "date":
        return date(word)
    if kind == "duration":
        return duration(word)
    need(kind == "text", f"there is no kind {kind!r} of columns")
    return word


class Examples:
    """The distinct examples of the table with their classes, and the 0/1 features over them.

    A set of examples is an integer, here and below: bit e is 1 if example e is in the set. So `&`
    is the intersection, `|` the union, and `a & ~b` is what a has and b has not. A set of features
    is such an integer, too. A feature's *mask* is the set of the examples that have it.

    An example may allow several classes; a tree is right about it if it gives it one of them.
    Examples that allow the same classes have the same label, which is the class if there is one
    only. Examples are *pure* if there is a class that all of them allow."""

    def __init__(self, head: dict[str, Any], table: dict[str, Sequence[str]]) -> None:
        target, target_kind = head["target"]
        kinds = {name: kind for name, kind, *_ in head["columns"]}
        kinds[target] = target_kind
        need(kinds.keys() == table.keys(), "the certificate is about other columns")
        need(len(table) == len(head["columns"]) + 1 > 1, "it names a column twice, or none")
        mark = head.get("decimal", ".")  # of all numbers but classes
        several = "separator" in head  # whether a row may have several classes
        need(mark in (".", ","), f"there is no decimal mark {mark!r}")
        columns = {
            name: read_column(name, kinds[name], table[name], "." if name == target else mark)
            for name in sorted(table)
            if name != target or not several
        }
        if several:
            columns[target] = read_sets(target, target_kind, table[target], head["separator"])
        digest = hashlib.sha256()
        for name in sorted(columns):
            digest.update(columns[name].line)
        need(digest.hexdigest() == head["digest"], "the certificate is about another table")
        # The classes of each cell: one, unless the head names what stands between several.
        cells = columns[target].values if several else [[each] for each in columns[target].values]
        present = {label for cell in cells for label in cell}
        if target_kind == "number" and not several:  # read_sets sees to it
            words = {word.strip() for word in set(table[target])}
            need(len(present) == len(words), "two classes are the same number")
        self.classes = head["classes"]
        need(len(self.classes) == len(present), "it does not name each class of the table once")
        number = {label: place for place, label in enumerate(self.classes)}
        need(number.keys() == present, "the table has a class that is not named")
        self.rows = len(columns[target].places)
        self.columns: dict[str, Column] = {}
        self.families: dict[str, tuple[str, dict[str, Any]]] = {}
        for name, _, family, *detail in head["columns"]:
            need(all(isinstance(each, dict) for each in detail), "a column has malformed details")
            self.columns[name] = columns[name]
            self.families[name] = family, detail[0] if detail else {}
        sets = [[number[label] for label in cell] for cell in cells]
        self.merge_rows([sets[place] for place in columns[target].places], head)
        self.make_features(head)

    def merge_rows(self, sets: list[list[int]], head: dict[str, Any]) -> None:
        """Rows that no test tells apart are one example. It allows the class that most of them
        allow, or all such classes if they are equally many. Where that leaves out a row, the rows
        contradict each other, and are dropped if that is the rule for contradictions. Rows with a
        missing value are left out if the head says so."""
        told_apart: list[Sequence[Any]] = []
        left_out: set[int] = set()
        for name, column in self.columns.items():
            family, detail = self.families[name]
            level = levels(column.values, family, detail)
            cut = "cuts" in detail
            told_apart.append([level[place] for place in column.places] if cut else column.places)
            if head.get("missing") == "drop" and None in column.values:
                missing = column.values.index(None)
                left_out |= {row for row, place in enumerate(column.places) if place == missing}
        rule = head["contradictions"]
        self.used_rows: list[int] = []
        groups: dict[Any, list[int]] = {}
        all_cells: Iterable[Any] = zip(*told_apart, strict=True)
        in_bytes = [each for each in told_apart if isinstance(each, bytes)]
        if len(in_bytes) == len(told_apart):  # the same as bytes, in less time
            joined = b"".join(in_bytes)
            all_cells = (joined[row :: self.rows] for row in range(self.rows))
        for row, cells in enumerate(all_cells):
            if row not in left_out:
                self.used_rows.append(row)
                groups.setdefault(cells, []).append(row)
        self.row_labels = [allowed[0] for allowed in sets]
        self.example_of_row: dict[int, int] = {}
        # What each label allows: the labels below the number of classes allow just that class.
        self.allowed: list[tuple[int, ...]] = [(label,) for label in range(len(self.classes))]
        label_of = {allowed: label for label, allowed in enumerate(self.allowed)}

        def label_of_set(classes: Iterable[int]) -> int:
            winners = tuple(sorted(classes))
            if winners not in label_of:
                label_of[winners] = len(self.allowed)
                self.allowed.append(winners)
            return label_of[winners]

        self.labels: list[int] = []  # of each example
        self.first_row: list[int] = []  # of each example
        self.unavoidable = 0  # rows whose class lost the vote
        for rows in groups.values():
            if len(rows) == 1:
                self.example_of_row[rows[0]] = len(self.labels)
                self.labels.append(label_of_set(sets[rows[0]]))
                self.first_row.append(rows[0])
                continue
            votes = Counter(label for row in rows for label in sets[row])
            most = max(votes.values())
            if most < len(rows) and rule == "drop":
                continue
            need(most == len(rows) or rule == "majority", f"rows {rows} contradict each other")
            self.unavoidable += len(rows) - most
            for row in rows:
                self.example_of_row[row] = len(self.labels)
            self.labels.append(label_of_set(label for label in votes if votes[label] == most))
            self.first_row.append(rows[0])
        need(bool(self.labels), "no row of the table is left")
        self.several = len(self.allowed) > len(self.classes)  # whether any example allows several
        # The examples that allow each class. (A set of many examples is read from its binary
        # digits, the last example first, because setting bit after bit would copy the integer each
        # time.)
        self.of_class = []
        self.against: list[list[int]] = []  # the labels that do not allow each class
        for wanted in range(len(self.classes)):
            allows = [wanted in allowed for allowed in self.allowed]
            digits = ["1" if allows[label] else "0" for label in reversed(self.labels)]
            self.of_class.append(int("0" + "".join(digits), 2))
            self.against.append([label for label, allowing in enumerate(allows) if not allowing])

    def impure(self, members: int) -> bool:
        """Whether the examples of a set have no class in common."""
        return all(members & ~allowing for allowing in self.of_class)

    def least_leaves(self) -> int:
        """Every tree that is right about all examples has at least this many leaves: one for each
        class that an example allows alone, and two if they are impure."""
        alone = sum(label < len(self.classes) for label in set(self.labels))
        return max(alone, 2 if self.impure((1 << len(self.labels)) - 1) else 1)

    def make_features(self, head: dict[str, Any]) -> None:
        """The masks of the features that the certificate defines. They must be all that the
        columns' families have, up to equal, complementary and constant ones: then a tree with any
        of the tests can be rewritten, node by node, as one with these features."""
        everything = (1 << len(self.labels)) - 1
        used, first = bytearray(self.rows), bytearray(self.rows)
        for row in self.used_rows:
            used[row] = 1
        for row in self.first_row:
            first[row] = 1
        # Of each example its value's place. The last example comes first, as in a number.
        places = {name: column.of(first)[::-1] for name, column in self.columns.items()}

        def mask_of(name: str, test: str, value: Any) -> int:
            holds = [passes(each, test, value) for each in self.columns[name].values]
            digits = bytes(b"01"[each] for each in holds)
            of_column = places[name]
            if isinstance(of_column, bytes):
                return int(b"0" + of_column.translate(digits.ljust(256)), 2)
            return int(b"0" + bytes(map(digits.__getitem__, of_column)), 2)

        def plain(mask: int) -> int:
            """The same for a mask and its complement: the one without the first example."""
            return mask ^ everything if mask & 1 else mask

        wanted: dict[int, str] = {}
        for name, column in self.columns.items():
            values = set(column.values)
            if 0 in used:
                values = {column.values[place] for place in set(column.of(used))}
            for test, value in family_tests(values, *self.families[name]):
                wanted.setdefault(plain(mask_of(name, test, value)), f"{name} {test} {value}")
        wanted.pop(0, None)  # constant tests
        need(len(head["features"]) <= len(wanted), "more features are defined than there are")
        self.masks = []
        for name, test, value in head["features"]:
            if test == "in":
                order = self.families[name][1].get("order", ())
                most = max(len(order), len(self.columns[name].values))
                need(len(value) <= most, "a test names too many values")
                value = set(value)
            self.masks.append(mask_of(name, test, value))
        defined = {plain(mask) for mask in self.masks}
        for mask, text in wanted.items():
            need(mask in defined, f"no feature is defined for '{text}'")
        need(defined <= wanted.keys(), "a feature is defined that the columns do not have")
        need(len(defined) == len(self.masks), "two features are equal or complementary")


def read_sets(name: str, kind: str, words: Sequence[str], separator: Any) -> Column:
    """The column of classes where a cell may have several, with a separator between them: the value
    of a cell is the list of its classes in ascending order."""
    need(
        isinstance(separator, str) and separator.strip() != "",
        "its separator is blank, or not text",
    )
    pieces = {word: [piece.strip() for piece in word.split(separator)] for word in set(words)}
    known: dict[str, Any] = {}
    for piece in {piece for row in pieces.values() for piece in row}:
        try:
            known[piece] = meaning(piece, kind, ".")
        except (ValueError, KeyError) as error:
            raise Rejected(f"column {name!r} is not of kind {kind}: {error}") from None
    need(None not in known.values(), f"a class in column {name!r} is missing")
    need(len(set(known.values())) == len(known), "two classes are the same number")
    found = {word: sorted({known[piece] for piece in row}) for word, row in pieces.items()}
    place_of: dict[tuple[Any, ...], int] = {}
    places = [place_of.setdefault(tuple(found[word]), len(place_of)) for word in words]
    line = json.dumps([name, kind, [found[word] for word in words]]).encode() + b"\n"
    return Column(list(map(list, place_of)), places, line)


def passes(cell: Any, test: str, value: Any) -> bool:
    """Whether a cell passes a test; a missing one, None, is below no threshold."""
    if test == "<=":
        return cell is not None and bool(cell <= value)
    if test == "in":
        return cell in value
    need(test == "=", f"there is no test {test!r}")
    return bool(cell == value)


def levels(cells: list[Any], family: str, detail: dict[str, Any]) -> list[Any]:
    """What the tests of a column can tell of its cells: all, unless it has only some thresholds,
    the `cuts`. Each of these implies the next, so that the first one that a cell passes tells which
    of them it passes."""
    if "cuts" not in detail:
        return cells
    need(family == "thresholds", "a column has cuts that are not its only tests")
    cuts, distinct = detail["cuts"], set(cells)
    need(len(cuts) < len(distinct), "a column has more thresholds than gaps between its values")
    level: dict[Any, int | None] = {}
    if any(isinstance(cut, list) for cut in cuts):
        need(all(isinstance(cut, list) for cut in cuts), "some of its cuts are words, some are not")
        sets = [set(cut) for cut in cuts]
        nested = all(low <= high for low, high in pairwise(sets))
        need(nested, "the thresholds of a column are not in order")
        for place in range(len(sets) - 1, -1, -1):
            level.update(dict.fromkeys(sets[place], place))
        level = {cell: level.get(cell, len(cuts)) for cell in distinct}
    else:
        rising = all(low < high for low, high in pairwise(cuts))
        need(rising, "the thresholds of a column are not in order")
        level = {cell: bisect_left(cuts, cell) for cell in distinct - {None}}
    level[None] = None
    return [level[cell] for cell in cells]


def family_tests(
    values: set[Any], family: str, detail: dict[str, Any]
) -> Iterator[tuple[str, Any]]:
    """All tests that a column with these values has. The head may give the `order` of its words,
    or the only thresholds, the `cuts`."""
    rank = {word: place for place, word in enumerate(detail.get("order", ()))}
    ordered = sorted(values - {None}, key=rank.__getitem__ if rank else None)
    if None in values:
        ordered.append(None)
    if family in ("values", "both"):
        for value in ordered:
            yield "=", value
    if family in ("thresholds", "both"):
        if "cuts" in detail:
            for cut in detail["cuts"]:
                yield ("in", set(cut)) if isinstance(cut, list) else ("<=", cut)
            if None in values:
                yield "=", None
            return
        below: set[Any] = set()
        for low, high in pairwise(ordered):
            below.add(low)
            if high is None:
                yield "=", None
            elif rank:
                yield "in", below
            else:
                yield "<=", low
    elif family != "values":
        need(family == "codes", f"there is no family {family!r} of features")
        for bit in range((len(ordered) - 1).bit_length()):
            yield "in", {value for place, value in enumerate(ordered) if place >> bit & 1}


# -------------------------------------------------------------------------------------- the tree
def check_tree(head: dict[str, Any], data: Examples) -> None:
    """Classify every example with the tree, and measure it."""
    nodes = depth = 0
    todo: list[tuple[Any, int, int]] = [(head["tree"], (1 << len(data.labels)) - 1, 0)]
    while todo:
        node, reached, level = todo.pop()
        nodes += 1
        depth = max(depth, level)
        need(nodes < 2 * len(data.labels), "the tree has more leaves than there are examples")
        if type(node) is int:
            need(0 <= node < len(data.classes), f"the tree has the class {node}")
            wrong = reached & ~data.of_class[node]
            if wrong:
                first = (wrong & -wrong).bit_length() - 1  # the lowest bit of the set
                row = data.first_row[first]
                raise Rejected(f"the tree gives row {row} the class {data.classes[node]!r}")
        else:
            feature, zero, one = node
            need(0 <= feature < len(data.masks), f"the tree has the feature {feature}")
            todo.append((one, reached & data.masks[feature], level + 1))
            todo.append((zero, reached & ~data.masks[feature], level + 1))
    claim = head["claim"]
    need(
        nodes == claim["nodes"] and depth == claim["depth"],
        f"the tree has {nodes} nodes and depth {depth}",
    )
    for name, size in (("max_nodes", nodes), ("max_depth", depth)):
        need(claim[name] is None or size <= claim[name], f"the tree is beyond {name}")


# ------------------------------------------------------------------------------------ the lemmas
LEMMA = re.compile(r"(?a)[spcla] (inf|\d{1,9})(/\d{1,9})?( (-[1-9]|\d)\d{0,8}(\*[1-9]\d{0,8})?)++")


def lift(bound: float, limit: float) -> float:
    """A tree of depth `limit` has fewer than 2**limit inner nodes: a need for more is infinite."""
    if limit < 99 and bound >= 2**limit:
        return inf
    return bound


class Lemma(NamedTuple):
    """'No tree of depth <= limit with fewer than bound inner nodes classifies the members.'

    Beside the members are kept the features that some member has, and lacks, apart for each label:
    in `some_have`, the features that members of label c have begin at bit c * w, where w is the
    number of features; in `some_lack` likewise. So the union of two sets is three times an `|`."""

    members: int
    some_have: int
    some_lack: int
    all_have: int  # the features that all members have
    all_lack: int
    bound: float
    limit: float


class Lemmas:
    """A proof by lemmas. Write cost(C) for the least number of inner nodes of a tree that
    classifies C, within the limit on depth that is meant; infinite if there is none. A subset
    costs no more than its superset, and a smaller limit never makes it cheaper: so a lemma holds
    for every set that its members are in, and under every limit up to its own."""

    def __init__(self, data: Examples) -> None:
        self.data = data
        self.width = len(data.masks)
        self.every = (1 << self.width) - 1  # all features
        self.known: list[Lemma] = []
        self.of_row = lru_cache(None)(self.row_alone)
        self.of_pair = lru_cache(2**12)(self.pair)  # most pairs are parts of many lemmas

    def row_alone(self, row: int) -> Lemma:
        """The example of a row, which costs nothing."""
        example = self.data.example_of_row[row]
        has = 0
        for feature, mask in enumerate(self.data.masks):
            if mask >> example & 1:
                has |= 1 << feature
        lacks = self.every & ~has
        block = self.data.labels[example] * self.width
        return Lemma(1 << example, has << block, lacks << block, has, lacks, 0, inf)

    def read(self, lines: Iterable[str]) -> None:
        """Check lemma after lemma."""
        for line in lines:
            try:
                need(LEMMA.fullmatch(line) is not None, "this is not a lemma")
                self.known.append(self.lemma(line))
            except MALFORMED as error:
                raise Rejected(f"lemma {len(self.known)} ({line[:60]}): {error}") from None

    def lemma(self, line: str) -> Lemma:
        """Check the lemma of one line."""
        kind, claim, *words = line.split(" ")
        bound_word, _, limit_word = claim.partition("/")
        bound = inf if bound_word == "inf" else int(bound_word)
        limit = int(limit_word) if limit_word else inf
        if kind in "pl":
            rule = self.parts if kind == "p" else self.long_path
            return self.united(*rule(words, bound, limit), bound, limit)
        # A negative number cites a lemma, counted from the end of those known; any other is a row.
        numbers = list(map(int, words))
        cited = [self.known[number] for number in numbers if number < 0]
        members = have = lack = 0
        for its_members, its_have, its_lack, _, _, _, _ in cited:
            members |= its_members
            have |= its_have
            lack |= its_lack
        for number in numbers:
            if number >= 0:
                its_members, its_have, its_lack, _, _, _, _ = self.of_row(number)
                members |= its_members
                have |= its_have
                lack |= its_lack
        made = self.united(members, have, lack, bound, limit)
        if kind == "a":
            self.apart(numbers, bound)
            return made
        if kind == "c":
            need(limit == inf > bound, "singleton cuts hold without a limit only")
        if limit > 0:  # what is impure needs a split, for which limit 0 has no room
            left = self.not_refuted(made, cited)
            if kind == "c":
                left = self.without_cuts(made, left)
            need(left == 0, f"feature {left.bit_length() - 1} is not refuted")
        return made

    def united(self, members: int, have: int, lack: int, bound: float, limit: float) -> Lemma:
        """The lemma for a union of sets; it must be impure."""
        some = none = 0
        for label in range(len(self.data.allowed)):
            block = label * self.width
            some |= have >> block & self.every
            none |= lack >> block & self.every
        need(self.data.impure(members), "its examples have a class in common")
        return Lemma(members, have, lack, self.every & ~none, self.every & ~some, bound, limit)

    def not_refuted(self, made: Lemma, cited: list[Lemma]) -> int:
        """Rule s, split: the features that may be the root of a tree with fewer inner nodes than
        the bound. There must be none.

        The set is impure, so its tree has a root, and in some smallest tree the root splits the
        set: a root that does not could be left out. Below the root, the sides f = 1 and f = 0 are
        classified by two trees with one level less. A side costs at least the bound of any cited
        lemma whose members are all on that side, and at least 1 if it is impure. If the bounds of
        both sides and the root come to the bound, f is refuted."""
        below = made.limit - 1
        # For each bound the features whose side f = 1, or f = 0, costs that much: 0 always.
        ones = defaultdict(int, {0.0: self.every})
        zeros = defaultdict(int, {0.0: self.every})
        infinite_from = 2.0 ** min(below, 99)  # see `lift`
        for _, _, _, all_have, all_lack, bound, holds_to in cited:
            if holds_to >= below:
                if bound >= infinite_from:
                    bound = inf
                ones[bound] |= all_have
                zeros[bound] |= all_lack
        impure = lift(1, below)
        ones[impure] |= self.impure_sides(made.some_have)
        zeros[impure] |= self.impure_sides(made.some_lack)
        left = self.every & ~(made.all_have | made.all_lack)  # the features that split the set
        largest_first = sorted(zeros.items(), reverse=True)
        for bound, features in ones.items():
            partners = 0  # the features whose other side costs enough
            for other, its_features in largest_first:
                if 1 + bound + other < made.bound:
                    break
                partners |= its_features
            left &= ~(features & partners)
        return left

    def impure_sides(self, some: int) -> int:
        """The features for which the members that have them (or lack them) are impure, out of
        `some_have` (or `some_lack`) of a lemma."""
        labels = range(len(self.data.allowed))
        of_label = [some >> label * self.width & self.every for label in labels]
        if not self.data.several:  # two classes are impure
            one = two = 0
            for features in of_label:
                two |= one & features
                one |= features
            return two
        impure = self.every
        for against in self.data.against:  # for each class, a member that does not allow it
            some_against = 0
            for label in against:
                some_against |= of_label[label]
            impure &= some_against
        return impure

    def without_cuts(self, made: Lemma, left: int) -> int:
        """Rule c, cuts: the features of `left` that do not isolate one member.

        A feature isolates a member if one of its sides has that member alone. Suppose that for each
        class the members that do not allow it are as many as the bound, or one of them is isolated
        by no feature. Take a tree with fewer inner nodes than the bound, and follow it from the
        root through nodes that isolate a member, each time to the other side. This cannot end in a
        leaf, for then all members that do not allow its class were cut off. It ends at a node whose
        feature isolates nobody. Its subtree with the cuts put back where they are needed, at its
        leaves, is a tree for the set of the same size: so only such features need be refuted. (The
        cuts may lie deeper than before, so this holds without a limit on depth only.)"""
        for of_class in self.data.of_class:
            others = made.members & ~of_class
            if others.bit_count() < made.bound:
                for mask in self.data.masks:
                    others &= ~isolated(made.members, mask)
                need(others != 0, "singleton cuts alone could do it")
        for feature, mask in enumerate(self.data.masks):
            if left >> feature & 1 and isolated(made.members, mask):
                left &= ~(1 << feature)
        return left

    def apart(self, rows: list[int], bound: float) -> None:
        """Rule a, apart: the first rows, one more than the bound, are apart in pairs: opposite, or
        with a witness among the rows.

        A row is between two others if it has their value in every feature in which they agree. It
        reaches each leaf that both of them reach, as every question on the way there has the same
        answer for all three. If no class is right for all three, there is no such leaf. So a tree
        has a leaf for each of the rows that are apart, and one inner node less."""
        need(bound < len(self.data.labels), "it has fewer examples than its bound needs")
        first = rows[: int(bound) + 1]
        need(min(rows) >= 0 and len(first) > bound, "its rows are not one more than its bound")
        singles = {self.of_row(row) for row in rows}
        for place, one in enumerate(map(self.of_row, first)):
            for other in map(self.of_row, first[:place]):
                members = one.members | other.members
                both, either = one.all_have & other.all_have, one.all_have | other.all_have
                need(
                    self.data.impure(members)
                    or any(
                        both & ~each.all_have == 0 == each.all_have & ~either
                        and self.data.impure(members | each.members)
                        for each in singles
                    ),
                    "two of its rows may share a leaf",
                )

    def parts(self, words: list[str], bound: float, limit: float) -> tuple[int, int, int]:
        """Rule p, parts: the union of cited lemmas and of pairs of rows, each a part with a bound,
        and each as often as it counts.

        In a tree for the union, the nodes that split what reaches them of a part are a tree for the
        part, when the others are left out; so they are at least as many as its bound, and they ask
        features that split it. If no feature splits more than `most` parts, a node is counted for
        so many parts at most: the tree has at least the sum of the bounds, by `most`, nodes."""
        rows = [word for word in words if not word.startswith("-")]
        need(len(rows) % 2 == 0, "its rows are not in pairs")
        parts = [(self.known[number], times) for number, times in map(counted, words) if number < 0]
        for first, second in zip(rows[::2], rows[1::2], strict=True):
            need("*" not in first, "a pair counts as often as its second row says")
            number, times = counted(second)
            parts.append((self.of_pair(int(first), number), times))
        members = have = lack = 0
        total = 0.0
        often = 0
        splits = Counter[int]()  # for each set of features, how many parts they split
        for part, times in parts:
            members |= part.members
            have |= part.some_have
            lack |= part.some_lack
            often += times
            splits[self.every & ~(part.all_have | part.all_lack)] += times
            if part.limit >= limit:
                total += times * part.bound
        need(often < 2**32, "its parts count too often")
        most = most_splits(splits)
        shown = inf if total == inf else -(-total // max(most, 1))  # rounded up
        need(lift(shown, limit) >= bound, "its parts do not add up to it")
        return members, have, lack

    def long_path(self, words: list[str], bound: float, limit: float) -> tuple[int, int, int]:
        """Rule l, long path: rows, each as often as it occurs.

        Give each feature the value that more than half of the rows have, or else 0, and follow
        these values down a tree for the rows. The path ends in a leaf of some class. Every row that
        does not allow this class has left the path, at a node whose feature it has another value
        of. If no feature tells more than `most` of these rows from the values, the path has their
        number, by `most`, inner nodes at least; if one has all of the values, it does not leave the
        path, and the leaf is of another class. A class that none of the rows allows needs no look:
        all rows would have left."""
        need(not any(word.startswith("-") for word in words), "only rows are on a path")
        rows = [self.of_row(int(word)) for word in words]
        half = len(rows) // 2
        values = more_than(half, Counter(row.all_have for row in rows), self.every)
        shown = inf
        for of_class in self.data.of_class:
            against = [row.all_have ^ values for row in rows if not row.members & of_class]
            if len(against) < len(rows) and 0 not in against:
                most = most_splits(Counter(against))
                shown = min(shown, -(-len(against) // max(most, 1)))
        need(lift(inf if shown > limit else shown, limit) >= bound, "the path is not so long")
        members = have = lack = 0
        for row in rows:
            members |= row.members
            have |= row.some_have
            lack |= row.some_lack
        return members, have, lack

    def pair(self, first: int, second: int) -> Lemma:
        """A pair of rows with no class in common costs 1 at least."""
        one, two = self.of_row(first), self.of_row(second)
        have, lack = one.some_have | two.some_have, one.some_lack | two.some_lack
        return self.united(one.members | two.members, have, lack, 1, inf)

    def leaves(self, limit: float) -> float:
        """Every tree of depth <= `limit` that classifies all examples has at least this many
        leaves: those that its classes need, one more than a bound that holds under that limit; and
        if it must be deeper than h, it has more than h inner nodes."""
        inner: float = self.data.least_leaves() - 1
        for lemma in self.known:
            if lemma.limit >= limit:
                inner = max(inner, lemma.bound)
            elif lemma.bound == inf:
                inner = max(inner, lemma.limit + 1)
        return 1 + lift(inner, limit)

    def summary(self) -> str:
        """What was checked, in a few words."""
        return counted_words(len(self.known), "lemma")


def isolated(members: int, mask: int) -> int:
    """The members that a feature with this mask isolates: one, none, or both of two."""
    found = 0
    one = members & mask
    zero = members & ~mask
    if one and zero:
        if one.bit_count() == 1:
            found |= one
        if zero.bit_count() == 1:
            found |= zero
    return found


def counted(word: str) -> tuple[int, int]:
    """A number and how often it counts: `7*3` is 7, 3 times."""
    number, star, times = word.partition("*")
    return int(number), int(times) if star else 1


def most_splits(splits: Counter[int]) -> int:
    """The most parts that one feature splits, from how many parts each set of features splits.

    The largest count is read from its highest digit on, among the features that have the highest
    digits."""
    planes = counts_of(splits)
    most, among = 0, -1  # -1 is the set of all features
    for place in range(len(planes) - 1, -1, -1):
        if planes[place] & among:
            most |= 1 << place
            among &= planes[place]
    return most


def more_than(number: int, sets: Counter[int], every: int) -> int:
    """The features that are in more than `number` sets, each counted as often as it occurs.

    Counts are compared with the number from the highest digit on, for all features at once."""
    planes = counts_of(sets)
    more, equal = 0, every
    for place in range(max(len(planes), number.bit_length()) - 1, -1, -1):
        digits = planes[place] if place < len(planes) else 0
        if not number >> place & 1:
            more |= equal & digits
            digits = ~digits
        equal &= digits
    return more


def counts_of(sets: Counter[int]) -> list[int]:
    """In how many sets is each feature? Item k has those whose count has the binary digit k.

    Sets of features are added like binary numbers are added on paper, digit by digit with a carry,
    for all features at once."""
    planes: list[int] = []
    for features, times in sets.items():
        for digit in range(times.bit_length()):
            carry = features if times >> digit & 1 else 0
            place = digit
            while carry:
                while place >= len(planes):
                    planes.append(0)
                planes[place], carry = planes[place] ^ carry, planes[place] & carry
                place += 1
    return planes


def counted_words(number: int, what: str) -> str:
    """`1 lemma`, `2 lemmas`."""
    return f"{number} {what}" if number == 1 else f"{number} {what}s"


# ------------------------------------------------------------------------------------- the claim
@cache
def part(kind: str) -> Any:
    """The checker of another kind of proof, which a file beside this one defines."""
    parts = {
        "lrat": ("sat", "Refutations"),
        "spine": ("spine", "Spine"),
        "errors": ("errors", "check_claim"),
    }
    file, name = parts[kind]
    return runpy.run_path(str(Path(__file__).with_name(f"check_{file}.py")))[name]


def opened(certificate: str, table: str) -> tuple[dict[str, Any], Iterator[str], Examples]:
    """The head of a certificate, the lines of its proof, and the examples of its table."""
    words = read_table(table)
    size = sum(len(name) + len("".join(cells)) for name, cells in words.items())
    lines = certificate_lines(certificate, size)
    head_line = next(lines, "")
    need('"dtfinder certificate"' in head_line, "this is not a dtfinder certificate")
    head = json.loads(head_line)
    known = head["format"] == "dtfinder certificate" and head["version"] == 1
    need(known, f"this checker does not know version {head['version']!r} of {head['format']!r}")
    return head, lines, Examples(head, words)


def check(
    certificate: str,
    table: str,
    lemmas: Callable[[Examples], Any] = Lemmas,
    error_lemmas: Callable[..., Any] | None = None,
) -> str:
    """What is verified, in words. Raises Rejected if anything fails; a MemoryError, such as
    TooLarge, says nothing about the claim. Lemmas can be left to other checkers of them."""
    try:
        return checked(certificate, table, lemmas, error_lemmas)
    except RecursionError:
        raise Rejected("malformed: it is nested too deeply") from None
    except (json.JSONDecodeError, LookupError, TypeError) as error:
        raise Rejected(f"malformed: {error!r}") from None
    except EOFError:
        raise Rejected("a gzipped file is cut short") from None
    except (*MALFORMED, zlib.error) as error:
        raise Rejected(str(error)) from None


def checked(
    certificate: str,
    table: str,
    lemmas: Callable[[Examples], Any],
    error_lemmas: Callable[..., Any] | None,
) -> str:
    """As `check`, but what is malformed raises whatever it comes to.

    Apart from `check` for a reason: where no memory at all is left, CPython 3.11 never gets out of
    a `try` that begins more than 256 instructions into its function."""
    head, lines, data = opened(certificate, table)
    kind = head["proof"]
    need(kind in ("lemmas", "lrat", "spine", "errors"), f"there is no kind {kind!r} of proofs")
    one_class = kind != "errors" or "separator" not in head
    need(one_class, "proofs about errors are about one class for each row")
    if kind == "errors":
        others = () if error_lemmas is None else (error_lemmas,)
        said, summary = part("errors")(head, lines, data, *others)
        return answer(f"of {data.rows} rows: {said}", head, data, summary)
    if head["tree"] is not None:
        check_tree(head, data)
    proof = lemmas(data) if kind == "lemmas" else part(kind)(data)
    proof.read(lines)
    return check_claim(head, data, proof)


def check_claim(head: dict[str, Any], data: Examples, proof: Any) -> str:
    """See that the proof rules out every tree that must not exist if the claim is true."""
    claim = head["claim"]
    limits = {n: claim[n] for n in ("max_depth", "max_nodes") if claim[n] is not None}
    need(all(type(each) is int for each in limits.values()), f"it has the limits {limits}")
    limit = limits.get("max_depth", inf)
    # Without a limit on nodes: if there is any tree, there is one with at most a leaf an example.
    most = limits.get("max_nodes", 2 * len(data.labels))

    incomplete = data.rows - len(data.used_rows)
    dropped = len(data.used_rows) - len(data.example_of_row)
    does = f"classifies all {data.rows} rows"
    for count, why in (
        (dropped, "dropped because they contradict others"),
        (data.unavoidable, "outvoted by equal ones"),
        (incomplete, "with missing values"),
    ):
        does += f", apart from {count} {why}" if count else ""
    within = ""
    if limits:
        within = " within " + " and ".join(f"{name} {limit}" for name, limit in limits.items())

    # A claim is true if no tree of depth <= D has at most N nodes, for each (D, N) ruled out.
    if head["tree"] is None:
        only = claim.keys() == {"max_depth", "max_nodes"}
        need(only, "a claim that there is no tree has limits only")
        said = f"no tree{within} {does}"
        ruled_out = [(limit, most)]
    else:
        nodes, depth, aim = claim["nodes"], claim["depth"], claim["minimise"]
        whole = type(nodes) is int and type(depth) is int
        need(whole and aim in ("size", "depth"), f"it claims {claim}")
        said = f"the tree of {nodes} nodes and depth {depth} {does}; no tree "
        if aim == "size":
            said += f"with fewer than {nodes} nodes does{within}"
            ruled_out = [(limit, nodes - 1)]
        else:
            said += f"of less depth does, and none of this depth with fewer than {nodes} nodes"
            said += within
            ruled_out = [(depth, nodes - 1)]
            if depth > 0:
                ruled_out.append((depth - 1, most))
    for limit, most in ruled_out:
        shown = 2 * proof.leaves(limit) - 1  # a tree with p leaves has 2p - 1 nodes
        depth = "" if limit == inf else f" within depth {limit}"
        need(shown > most, f"only {shown:g} nodes are shown to be needed{depth}")
    return answer(said, head, data, proof.summary())


def answer(said: str, head: dict[str, Any], data: Examples, summary: str) -> str:
    """What is verified, and what was checked for it."""
    families: Counter[str] = Counter()
    for _, kind, family, *detail in head["columns"]:
        what = f"{kind} by {family}"
        if detail and "cuts" in detail[0]:
            what += f" at {len(detail[0]['cuts'])} cuts"
        families[what] += 1
    asked = ", ".join(f"{count} {what}" for what, count in families.items())
    of_what = f"{counted_words(len(data.labels), 'example')}, "
    of_what += f"{counted_words(len(data.masks), 'feature')} from "
    of_what += counted_words(len(head["columns"]), "column")
    checked = f"{head['target'][0]!r} of {of_what} ({asked}); {summary}"
    return f"VERIFIED: {said}.\nChecked: {checked}."


def main(arguments: list[str] | None = None, by: Callable[[str, str], str] = check) -> int:
    """Check the certificate that the command line names: 0 if it holds, 1 if it does not, 2 if that
    could not be found out."""
    parser = argparse.ArgumentParser(description="Check a dtfinder certificate.")
    parser.add_argument("certificate")
    parser.add_argument("--data", required=True, help="the table, as CSV or TSV, gzipped or not")
    asked = parser.parse_args(arguments)
    code, text = verdict(by, asked.certificate, asked.data)
    if code == 2:
        sys.stderr.write(text + "\n")
        return code
    shown = sys.stdout.encoding or "utf-8"
    sys.stdout.write(text.encode(shown, "backslashreplace").decode(shown) + "\n")
    return code


def verdict(by: Callable[[str, str], str], certificate: str, table: str) -> tuple[int, str]:
    """What `main` exits with, and the words for it."""
    try:
        return 0, by(certificate, table)
    except Rejected as error:
        return 1, one_line(f"REJECTED: {error}")
    except OSError as error:
        what = f" {error.filename!r}" if error.filename is not None else ""
        return 2, one_line(f"cannot read{what}: {error.strerror or error}")
    except MemoryError as error:
        reason = "out of memory" if str(error) in ("", "std::bad_alloc") else str(error)
        return 2, one_line(f"could not check: {reason}")


def one_line(text: str) -> str:
    """A message that quotes the certificate: no control characters, which could make a terminal
    show another answer, and not endless."""
    if len(text) > 1000:
        text = text[:1000] + "..."
    return "".join(character if character.isprintable() else "?" for character in text)


if __name__ == "__main__":
    sys.exit(main())
