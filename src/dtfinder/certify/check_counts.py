"""Checks that a tree of depth up to three, or up to three inner nodes, is the best for a table of
any length; standard library only, and no code of the search.

A certificate of counts says which questions may be asked, which tree was found, and that no tree
that asks these questions is better. There is nothing else in it, because nothing else is needed:
the errors of such a tree depend only on how many rows of each class have which levels of three
columns at a time. So this program

 1. reads the table once, row by row, and counts: for every three columns and each class, how many
    rows have which levels; and for the tree of the certificate, how many rows of each class end in
    each leaf;
 2. tries all trees within the limits on the counts, and rejects the certificate if one is better.

Why trying all trees is quick enough. Let f be the question at the root and g the one below it, on
the side where f holds or on the other. Two questions divide the rows into four quadrants, and a
quadrant is a leaf or is split by one more question. So for every pair of questions and every
quadrant the least errors of a leaf and of the best split are found first; a side of the root is
then the best pair, and a tree is the best root. All questions are tried in all places.

    python -m dtfinder.certify.check_counts FILE --data TABLE.csv ...

The table is one or more CSV or TSV files, gzipped or not. Exit 0: it holds; 1: it does not; 2: it
cannot be told.
"""

from __future__ import annotations

import csv
import gzip
import json
import sys
import zlib
from array import array
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import accumulate, combinations
from math import isfinite
from operator import add, mul, sub
from typing import Any

FORMAT, VERSION = "dtfinder certificate of counts", 1
MISSING = frozenset({"", "?", "NA", "NaN", "nan", "null", "None"})
MOST_CELLS = 2**28  # counts in memory
MOST_LEVELS = 2**16  # of a column
MOST_BYTES = 2**28  # of an unpacked certificate
NEVER = 1 << 62
Row = Sequence[Any]  # the cells of all columns, the class last; None where there is no value
Vector = list[int]


class Wrong(ValueError):
    """The certificate does not hold; the text says why."""


class Unknown(ValueError):
    """It cannot be told: a file cannot be read, or the proof is too large for this checker."""


def need(holds: bool, otherwise: str) -> None:
    """Reject the certificate unless `holds`."""
    if not holds:
        raise Wrong(otherwise)


class Column:
    """A column: how cells become levels, and its questions as the levels for which they hold."""

    def __init__(self, about: dict[str, Any]) -> None:
        self.name = str(about["name"])
        self.cuts: list[float] | None = None
        if "cuts" in about:
            self.cuts = [float(cut) for cut in about["cuts"]]
            need(all(map(isfinite, self.cuts)), f"a cut of {self.name!r} is not finite")
            need(self.cuts == sorted(set(self.cuts)), f"the cuts of {self.name!r} are in disorder")
            self.missing = bool(about["missing"])
            self.levels = len(self.cuts) + 1 + self.missing
            self.ordered, first, count = True, 0, self.levels - 1
        else:
            self.words = {str(word): int(level) for word, level in about["words"].items()}
            self.levels, self.ordered = int(about["levels"]), bool(about["ordered"])
            first, count = int(about["first"]), int(about["questions"])
            inside = all(0 <= level < self.levels for level in self.words.values())
            need(inside, f"a word of {self.name!r} has a level that does not exist")
        need(1 <= self.levels <= MOST_LEVELS, f"{self.name!r} has too many levels, or none")
        most = self.levels - 1 if self.ordered else self.levels
        need(first >= 0 and first + count <= most, f"{self.name!r} has impossible questions")
        self.questions = [
            range(first + k + 1) if self.ordered else range(first + k, first + k + 1)
            for k in range(count)
        ]

    def level(self, cell: Any) -> int:
        """The level of a cell."""
        if self.cuts is None:
            found = self.words.get("" if cell is None else str(cell))
            need(found is not None, f"{cell!r} in column {self.name!r} is not in the certificate")
            assert found is not None
            return found
        if cell is None:
            need(self.missing, f"column {self.name!r} has a missing value")
            return self.levels - 1
        try:
            return bisect_left(self.cuts, float(cell))
        except ValueError:
            raise Wrong(f"{cell!r} in column {self.name!r} is not a number") from None


class Claim:
    """What a certificate says."""

    def __init__(self, data: dict[str, Any]) -> None:
        need(data.get("format") == FORMAT, "this is not a certificate of counts")
        need(data.get("version") == VERSION, f"its version is not {VERSION}")
        self.columns = [Column(each) for each in data["columns"]]
        self.target = str(data["target"])
        self.class_of = {str(word): int(number) for word, number in data["classes"].items()}
        self.classes = max(self.class_of.values()) + 1
        need(min(self.class_of.values()) >= 0, "a class has a negative number")
        self.drop = data.get("missing") == "drop"
        claim = data["claim"]
        self.rows, self.errors = int(claim["rows"]), int(claim["errors"])
        self.depth_first = claim["minimise"] == "depth"
        self.max_depth = NEVER if claim["max_depth"] is None else int(claim["max_depth"])
        nodes = claim["max_nodes"]
        self.max_inner = NEVER if nodes is None else (int(nodes) - 1) // 2
        need(self.max_depth <= 3 or self.max_inner <= 3, "counts do not decide such large trees")
        self.max_depth = min(self.max_depth, 3)
        self.offset = list(accumulate((len(c.questions) for c in self.columns), initial=0))
        self.tree = data["tree"]
        self.inner, self.depth = self._size(self.tree, 0)
        need(self.inner <= self.max_inner and self.depth <= self.max_depth, "the tree is too large")

    def _size(self, node: Any, above: int) -> tuple[int, int]:
        need(above <= 3, "the tree is too deep")
        if type(node) is int:
            need(0 <= node < self.classes, f"there is no class {node}")
            return 0, 0
        need(isinstance(node, list) and len(node) == 3, "a node is [question, no, yes]")
        need(type(node[0]) is int and 0 <= node[0] < self.offset[-1], "there is no such question")
        (a, b), (c, d) = self._size(node[1], above + 1), self._size(node[2], above + 1)
        return a + c + 1, max(b, d) + 1

    def predicted(self, levels: Sequence[int]) -> int:
        """The class that the tree gives to a row."""
        node = self.tree
        while type(node) is not int:
            place = next(c for c, end in enumerate(self.offset[1:]) if node[0] < end)
            held = levels[place] in self.columns[place].questions[node[0] - self.offset[place]]
            node = node[2] if held else node[1]
        return int(node)


class Counts:
    """How many rows of each class have which levels of each three columns."""

    def __init__(self, claim: Claim) -> None:
        self.claim, self.classes = claim, claim.classes
        # Columns of one level, so that there are three even of a table with fewer.
        self.levels = [column.levels for column in claim.columns] + [1, 1, 1]
        real = len(claim.columns)
        chosen = combinations(range(real), 3) if real > 2 else [(0, 1, 2)]
        self.cubes: dict[tuple[int, int, int], array[int]] = {}
        cells = 0
        for triple in chosen:
            size = self.classes
            for c in triple:
                size *= self.levels[c]
            cells += size
            if cells > MOST_CELLS:
                raise Unknown("the table has too many levels for this checker")
            self.cubes[triple] = array("q", bytes(8 * size))
        self.rows = self.errors = 0

    def read(self, rows: Iterable[Row]) -> None:
        """Count all rows, and what the tree gets wrong."""
        claim, classes, levels_of = self.claim, self.classes, self.levels
        steps = [
            (cube, a, b, c, levels_of[b] * levels_of[c] * classes, levels_of[c] * classes)
            for (a, b, c), cube in self.cubes.items()
        ]
        for row in rows:
            if claim.drop and any(cell is None for cell in row[:-1]):
                continue
            label = claim.class_of.get(str(row[-1]))
            need(label is not None, f"the class {row[-1]!r} is not in the certificate")
            assert label is not None
            levels = [column.level(cell) for column, cell in zip(claim.columns, row, strict=False)]
            levels += (0, 0)
            for cube, a, b, c, first, second in steps:
                cube[levels[a] * first + levels[b] * second + levels[c] * classes + label] += 1
            self.rows += 1
            self.errors += claim.predicted(levels) != label

    def vectors(self, x: int, y: int, z: int) -> list[list[Vector]]:
        """By the levels of columns x and y: the counts over z and the classes."""
        ordered = sorted((x, y, z))
        cube, size = self.cubes[ordered[0], ordered[1], ordered[2]], self.classes
        step = {}
        for c in reversed(ordered):
            step[c] = size
            size *= self.levels[c]
        return [
            [
                [
                    cube[i * step[x] + j * step[y] + k * step[z] + label]
                    for k in range(self.levels[z])
                    for label in range(self.classes)
                ]
                for j in range(self.levels[y])
            ]
            for i in range(self.levels[x])
        ]

    def plane(self, x: int, z: int) -> list[Vector]:
        """By the levels of column x: the counts over z and the classes."""
        others = next(set(triple) - {x, z} for triple in self.cubes if {x, z} <= set(triple))
        table = self.vectors(x, others.pop(), z)
        return [total(row) for row in table]


def held(levels: Sequence[Any], column: Column, plus: Callable[[Any, Any], Any]) -> list[Any]:
    """For each question of a column the sum of what its levels have for which it holds."""
    each = list(accumulate(levels, plus)) if column.ordered else levels
    return [each[question.stop - 1] for question in column.questions]


def plus(a: Vector, b: Vector) -> Vector:
    """The sum of two vectors."""
    return list(map(add, a, b))


def total(vectors: Iterable[Vector]) -> Vector:
    """The sum of vectors, of which there is at least one."""
    return [sum(each) for each in zip(*vectors, strict=True)]


def minus(a: Vector, b: Vector) -> Vector:
    """The difference of two vectors."""
    return list(map(sub, a, b))


class Trees:
    """The least errors of all trees, by depth and inner nodes."""

    def __init__(self, counts: Counts) -> None:
        self.counts, self.classes = counts, counts.classes
        self.columns = counts.claim.columns
        self.offset = counts.claim.offset
        self.questions = self.offset[-1]
        zero = min(counts.cubes)
        whole = total(counts.plane(zero[0], zero[1]))
        self.none = self.leaf(whole)
        # For each pair f < g and each quadrant: the errors of a leaf, and of the best split.
        self.quadrants: dict[tuple[int, int], list[list[int]]] = {}
        self.single: dict[int, tuple[int, int]] = {}
        for a in range(len(self.columns)):
            self._one_column(a)
            for b in range(len(self.columns)):
                if b != a:
                    self._two_columns(a, b)
        if len(self.columns) > 2:
            for x, y, z in counts.cubes:
                for turn in ((x, y, z), (x, z, y), (y, z, x)):
                    self._three_columns(*turn)

    def leaf(self, vector: Vector) -> int:
        """The errors of one leaf for the rows of a vector."""
        sums = [sum(vector[label :: self.classes]) for label in range(self.classes)]
        return sum(sums) - max(sums)

    def split(self, vector: Vector, column: Column) -> int:
        """The errors of the best split of these rows by a question of the vector's column."""
        counts = [vector[label :: self.classes] for label in range(self.classes)]
        inside = [held(each, column, add) for each in counts]
        outside = [[sum(each) - n for n in part] for each, part in zip(counts, inside, strict=True)]
        if not inside[0]:
            return NEVER
        if self.classes == 1:
            return 0
        right = map(add, map(max, *inside), map(max, *outside))
        return int(sum(vector) - max(right))

    def _take(self, f: int, g: int, vectors: Sequence[Vector], column: Column) -> None:
        """Vectors of the four quadrants of f < g: by 2 * (f holds) + (g holds)."""
        known = self.quadrants.setdefault((f, g), [])
        if not known:
            known += [[errors, errors] for errors in map(self.leaf, vectors)]
        for quadrant, vector in zip(known, vectors, strict=True):
            if quadrant[1]:
                quadrant[1] = min(quadrant[1], self.split(vector, column))

    def _regions(self, a: int, f: int, g: int) -> list[list[int]]:
        """The levels of column a in each quadrant of two of its questions."""
        column = self.columns[a]
        regions: list[list[int]] = [[], [], [], []]
        first, second = column.questions[f], column.questions[g]
        for level in range(column.levels):
            regions[2 * (level in first) + (level in second)].append(level)
        return regions

    def _pairs_within(self, a: int) -> Iterator[tuple[int, int]]:
        return combinations(range(len(self.columns[a].questions)), 2)

    def _one_column(self, a: int) -> None:
        """Everything that column a alone tells."""
        column, classes = self.columns[a], self.classes
        single = [
            [sum(vector[label::classes]) for label in range(classes)]
            for vector in self.counts.plane(a, 1 if a == 0 else 0)
        ]

        def masked(levels: Sequence[int]) -> Vector:
            flat: Vector = []
            for level, each in enumerate(single):
                flat += each if level in levels else [0] * classes
            return flat

        for f, levels in enumerate(column.questions):
            outside = [level for level in range(column.levels) if level not in levels]
            errors = self.leaf(masked(outside)), self.leaf(masked(levels))
            self.single[self.offset[a] + f] = errors
        for f, g in self._pairs_within(a):
            vectors = [masked(region) for region in self._regions(a, f, g)]
            self._take(self.offset[a] + f, self.offset[a] + g, vectors, column)

    def _two_columns(self, a: int, b: int) -> None:
        """Pairs within a and splits by b; and pairs from both with splits by a."""
        column, other = self.columns[a], self.columns[b]
        rows = self.counts.plane(a, b)
        nothing = [0] * len(rows[0])
        for f, g in self._pairs_within(a):
            vectors = [
                total([rows[level] for level in region]) if region else nothing
                for region in self._regions(a, f, g)
            ]
            self._take(self.offset[a] + f, self.offset[a] + g, vectors, other)
        by_level = self.counts.plane(b, a)  # over the levels of a
        whole = total(by_level)
        masks = [self._masks(column, levels) for levels in column.questions]
        for g, inside in enumerate(held(by_level, other, plus)):
            outside = minus(whole, inside)
            for f, mask in enumerate(masks):
                parts = [list(map(mul, v, only)) for only in mask for v in (outside, inside)]
                if a > b:  # the pair is named with g first
                    parts = [parts[0], parts[2], parts[1], parts[3]]
                pair = sorted((self.offset[a] + f, self.offset[b] + g))
                self._take(pair[0], pair[1], parts, column)

    def _masks(self, column: Column, levels: range) -> tuple[Vector, Vector]:
        """Vectors of 0 and 1: which places are of other levels, and which are of these."""
        yes = [int(n in levels) for n in range(column.levels) for _ in range(self.classes)]
        return [1 - n for n in yes], yes

    def _three_columns(self, x: int, y: int, z: int) -> None:
        """Pairs from x and y, and splits by z."""
        table = self.counts.vectors(x, y, z)
        all_x = total_rows(table)
        whole, all_g = total(all_x), held(all_x, self.columns[y], plus)
        for f, rows in enumerate(held(table, self.columns[x], plus_rows)):
            f_all = total(rows)
            for g, both in enumerate(held(rows, self.columns[y], plus)):
                g_only, f_only = minus(all_g[g], both), minus(f_all, both)
                neither = minus(minus(whole, f_all), g_only)
                pair = self.offset[x] + f, self.offset[y] + g
                self._take(*pair, (neither, g_only, f_only, both), self.columns[z])

    def least(self) -> dict[tuple[int, int], int]:
        """By depth and inner nodes: the least errors of the trees of exactly this shape."""
        found = {(0, 0): self.none}
        for f in range(self.questions):
            sides = [self._side(f, holds) for holds in (0, 1)]
            for (a, left), (b, right) in ((p, q) for p in sides[0] for q in sides[1]):
                widest = max(a, b)
                depth = 1 if widest == 0 else 2 if widest == 1 else 3
                shape = depth, a + b + 1
                found[shape] = min(found.get(shape, NEVER), left + right)
        return found

    def _side(self, f: int, holds: int) -> list[tuple[int, int]]:
        """One side of the root: its inner nodes, and its least errors."""
        best = [self.single[f][holds], NEVER, NEVER, NEVER]
        for g in range(self.questions):
            if g == f:
                continue
            known = self.quadrants[min(f, g), max(f, g)]
            places = (2 * holds, 2 * holds + 1) if f < g else (holds, 2 + holds)
            (leaf0, split0), (leaf1, split1) = (known[place] for place in places)
            best[1] = min(best[1], leaf0 + leaf1)
            best[2] = min(best[2], split0 + leaf1, leaf0 + split1)
            best[3] = min(best[3], split0 + split1)
        return [(inner, errors) for inner, errors in enumerate(best) if errors < NEVER]


def plus_rows(a: list[Vector], b: list[Vector]) -> list[Vector]:
    """The sum of two lists of vectors."""
    return list(map(plus, a, b))


def total_rows(tables: Sequence[list[Vector]]) -> list[Vector]:
    """The sum of lists of vectors."""
    return [total(rows) for rows in zip(*tables, strict=True)]


def check(data: dict[str, Any], rows: Callable[[Claim], Iterable[Row]]) -> str:
    """What was verified; raises Wrong if the certificate does not hold for these rows."""
    try:
        claim = Claim(data)
    except Wrong:
        raise
    except (LookupError, TypeError, AttributeError, ValueError, OverflowError) as error:
        raise Wrong(f"the certificate is damaged: {error!r:.100}") from None
    counts = Counts(claim)
    counts.read(rows(claim))
    need(counts.rows == claim.rows, f"the table has {counts.rows} rows, not {claim.rows}")
    wrong = f"the tree makes {counts.errors} errors, not {claim.errors}"
    need(counts.errors == claim.errors, wrong)
    mine = (claim.depth, claim.inner) if claim.depth_first else (claim.inner,)
    for (depth, inner), errors in Trees(counts).least().items():
        if depth > claim.max_depth or inner > claim.max_inner:
            continue
        shape = (depth, inner) if claim.depth_first else (inner,)
        better = errors < claim.errors or (errors == claim.errors and shape < mine)
        need(not better, f"a tree of {2 * inner + 1} nodes makes only {errors} errors")
    return (
        f"VERIFIED: {claim.errors} errors, {2 * claim.inner + 1} nodes, depth {claim.depth}; no "
        f"tree within the limits is better, on {claim.rows} rows and {claim.offset[-1]} questions"
    )


def read_certificate(path: str) -> dict[str, Any]:
    """The certificate in a file."""
    try:
        with gzip.open(path) as file:
            text = file.read(MOST_BYTES + 1)
        if len(text) > MOST_BYTES:
            raise Unknown(f"{path!r} is larger than this checker reads")
        data = json.loads(text)
    except Unknown:
        raise
    except (OSError, ValueError, EOFError, RecursionError, zlib.error) as error:
        raise unreadable(path, error) from None
    if not isinstance(data, dict):
        raise Wrong("this is not a certificate of counts")
    return data


def unreadable(path: str, error: Exception) -> Unknown:
    """What to raise for a file that cannot be read; the file is named once."""
    return Unknown(f"cannot read {path!r}: {getattr(error, 'strerror', None) or error}")


def is_of_counts(path: str) -> bool:
    """Whether a file begins like a certificate of counts."""
    try:
        with gzip.open(path) as file:
            return FORMAT.encode() in file.read(100)
    except (OSError, EOFError, zlib.error):
        return False


def text_rows(paths: Iterable[str], claim: Claim) -> Iterator[Row]:
    """The rows of CSV or TSV files, in the order of the certificate's columns, the class last."""
    wanted = [*(column.name for column in claim.columns), claim.target]
    for path in paths:
        opened = gzip.open if path.endswith(".gz") else open
        try:
            with opened(path, "rt", encoding="utf-8-sig", newline="") as stream:
                first = stream.readline()
                if not first:
                    continue
                plain = path.removesuffix(".gz")
                marks = "\t" if plain.endswith((".tsv", ".tab")) else ",\t;|"
                mark = max(marks, key=first.count)
                (names,) = csv.reader([first], delimiter=mark, skipinitialspace=True)
                places = [[name.strip() for name in names].index(name) for name in wanted]
                for cells in csv.reader(stream, delimiter=mark, skipinitialspace=True):
                    if cells:
                        stripped = [cells[place].strip() for place in places]
                        yield [None if cell in MISSING else cell for cell in stripped]
        except (OSError, EOFError, csv.Error, UnicodeDecodeError) as error:
            raise unreadable(path, error) from None
        except (ValueError, IndexError) as error:
            if isinstance(error, Wrong):
                raise
            raise Wrong(f"{path!r} does not have the columns of the certificate") from None


def main(arguments: Sequence[str] | None = None) -> int:
    """Check a certificate: exit 0 if it holds, 1 if not, 2 if that cannot be told."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    if len(given) < 3 or given[1] != "--data":
        sys.stderr.write(
            "usage: python -m dtfinder.certify.check_counts FILE --data TABLE.csv ...\n"
        )
        return 2
    return answer(given[0], lambda claim: text_rows(given[2:], claim))


def say(words: str) -> None:
    """Write a line to stdout."""
    sys.stdout.write(f"{words}\n")


def answer(path: str, rows: Callable[[Claim], Iterable[Row]]) -> int:
    """Check, print what came of it, and give the exit code."""
    try:
        say(check(read_certificate(path), rows))
    except Unknown as error:
        sys.stderr.write(f"cannot be checked: {error}\n")
        return 2
    except Wrong as error:
        say(f"REJECTED: {error}")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
