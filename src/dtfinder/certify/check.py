#!/usr/bin/env python3
"""Check a dtfinder certificate against the table it speaks of: `check.py CERT --data TABLE`.

This file stands alone: it needs only the standard library and shares no code with the program that
wrote the certificate. It reads the raw table, makes the 0/1 features again, classifies every row
with the tree if there is one, and follows the proof that no better tree, or none at all within the
limits, exists. docs/certificates.md has the format, in the same order, and argues for every rule.
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
from collections import Counter, defaultdict
from collections.abc import Iterator
from functools import cache, lru_cache, reduce
from itertools import chain, dropwhile, pairwise, starmap
from math import inf
from pathlib import Path
from typing import Any


class Rejected(ValueError):
    """The certificate does not prove its claim for this table; the text says where it fails."""


def need(holds: bool, otherwise: str) -> None:
    """Reject the certificate unless `holds`."""
    if not holds:
        raise Rejected(otherwise)


# ------------------------------------------------------------------------------------- the table
MALFORMED = (ValueError, LookupError, TypeError, ArithmeticError, csv.Error)  # by odd words
MISSING = {"", "?", "NA", "NaN", "nan", "null", "None"}
TRUTH = {"true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False}
LEMMA = re.compile(r"(?a)[spc] (inf|\d{1,9})(/\d{1,9})?( (-[1-9]|\d)\d{0,8}(\*[1-9]\d{0,8})?)++")
ZERO_ONE = re.compile(r"-?\d+(?:[ \t]*,[ \t]*[01]|[ \t]+[01])+")


def unpacked(path: str, errors: str = "strict") -> str:
    """The text of a file, gzipped or not."""
    data = Path(path).read_bytes()
    return (gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data).decode("utf-8-sig", errors)


def read_table(path: str) -> dict[str, list[str]]:
    """The columns of a CSV, TSV or class-first 0/1 file, as words."""
    lines = list(dropwhile(str.isspace, io.StringIO(unpacked(path), newline="")))
    need(bool(lines), "the table is empty")
    if ZERO_ONE.fullmatch(lines[0].strip()):
        rows = [re.split(r"[\s,]+", line.strip()) for line in lines if line.strip()]
        names = ["class"] + [f"x{number}" for number in range(len(rows[0]) - 1)]
    else:
        tabs = re.search(r"\.(tsv|tab)(\.gz)?$", path.lower())
        delimiter = "\t" if tabs else max(",\t;|", key=lines[0].count)
        reader = csv.reader(lines, delimiter=delimiter, skipinitialspace=True)
        first, *rows = [row for row in reader if row]
        names = [name.strip() or f"column {place}" for place, name in enumerate(first, start=1)]
    need(len(set(names)) == len(names), "two columns of the table have the same name")
    need(all(len(row) == len(names) for row in rows), "the table's lines are not equally long")
    columns = zip(*rows, strict=True) if rows else [()] * len(names)
    return {name: [w.strip() for w in words] for name, words in zip(names, columns, strict=True)}


def read_values(name: str, kind: str, words: list[str]) -> list[Any]:
    """The words of a column as numbers, truth values or text, with None for missing and NaN."""
    reader: Any = {"number": float, "bool": TRUTH.__getitem__, "text": str}[kind]
    try:
        meaning = {word: None if word in MISSING else reader(word) for word in set(words)}
    except (ValueError, KeyError) as error:
        raise Rejected(f"column {name!r} is no column of kind {kind}: {error}") from None
    return [None if meaning[word] != meaning[word] else meaning[word] for word in words]


class Examples:
    """The distinct examples of the table with their classes, and the 0/1 features over them."""

    def __init__(self, head: dict[str, Any], table: dict[str, list[str]]) -> None:
        (target, target_kind), self.classes = head["target"], head["classes"]
        kinds = {name: kind for name, kind, _ in head["columns"]} | {target: target_kind}
        need(kinds.keys() == table.keys(), "the certificate speaks of other columns")
        need(len(table) == len(head["columns"]) + 1 > 1, "it names a column twice, or none")
        values = {name: read_values(name, kinds[name], table[name]) for name in sorted(table)}
        digest = hashlib.sha256()
        for name in values:
            digest.update(json.dumps([name, kinds[name], values[name]]).encode() + b"\n")
        need(digest.hexdigest() == head["digest"], "the table is not the one of the certificate")
        merged = target_kind == "number" and len(set(values[target])) < len(set(table[target]))
        need(not merged, "two classes of the table are the same number")
        number = {label: place for place, label in enumerate(self.classes)}
        need(number.keys() >= set(values[target]), "the table has a class that is not named")
        self.rows, self.columns = len(values[target]), {n: values[n] for n, *_ in head["columns"]}
        self.merge_rows([number[label] for label in values[target]], head["contradictions"])
        self.make_features(head)

    def merge_rows(self, labels: list[int], rule: str) -> None:
        """Rows with equal cells are one example. Where their classes differ, it has the class of
        most (of equals the first), or `rule` says to drop it."""
        groups: dict[tuple[Any, ...], list[int]] = {}
        for row, cells in enumerate(zip(*self.columns.values(), strict=True)):
            groups.setdefault(cells, []).append(row)
        self.example_of_row, self.unavoidable = dict[int, int](), 0
        self.labels, self.first_row = list[int](), list[int]()
        for rows in groups.values():
            votes = Counter(labels[row] for row in rows)
            if len(votes) > 1 and rule == "drop":
                continue
            need(len(votes) == 1 or rule == "majority", f"rows {rows} contradict each other")
            winner = min(votes, key=lambda label: (-votes[label], label))
            self.unavoidable += len(rows) - votes[winner]
            self.example_of_row |= dict.fromkeys(rows, len(self.labels))
            self.labels.append(winner)
            self.first_row.append(rows[0])
        self.of_class = [0] * len(self.classes)  # the examples of each class
        for example, label in enumerate(self.labels):
            self.of_class[label] |= 1 << example

    def make_features(self, head: dict[str, Any]) -> None:
        """One mask over the examples for each feature that the certificate defines. They must be
        all that the columns' families have, up to equal, complementary and constant ones."""
        everything = (1 << len(self.labels)) - 1
        kept = {name: [cells[r] for r in self.first_row] for name, cells in self.columns.items()}

        def mask_of(name: str, test: str, value: Any) -> int:
            under, seen, wanted = test == "<=", set(kept[name]), value if test == "in" else [value]
            digit = {x: "01"[x is not None and x <= value if under else x in wanted] for x in seen}
            return int("".join(map(digit.__getitem__, reversed(kept[name]))), 2)

        def plain(mask: int) -> int:
            return mask ^ everything if mask & 1 else mask

        self.masks = [mask_of(*definition) for definition in head["features"]]
        wanted = {0: "nothing"}
        for name, _, family in head["columns"]:
            for test, value in family_tests(family, set(self.columns[name])):
                wanted.setdefault(plain(mask_of(name, test, value)), f"{name} {test} {value}")
        defined = {plain(mask) for mask in self.masks}
        for mask, text in wanted.items():
            need(not mask or mask in defined, f"no feature is defined for '{text}'")
        need(defined <= wanted.keys() - {0}, "a feature is defined that the columns do not have")
        need(len(defined) == len(self.masks), "two features are equal or complementary")


def family_tests(family: str, values: set[Any]) -> Iterator[tuple[str, Any]]:
    """All tests that a column with these values has."""
    ordered = sorted(values - {None}) + [None] * (None in values)
    if family == "values":
        yield from (("=", value) for value in ordered)
    elif family == "thresholds":
        for low, high in pairwise(ordered):
            yield ("=", None) if high is None else ("<=", float(low))
    else:
        need(family == "codes", f"there is no family {family!r} of features")
        for bit in range((len(ordered) - 1).bit_length()):
            yield "in", [value for place, value in enumerate(ordered) if place >> bit & 1]


# -------------------------------------------------------------------------------------- the tree
def check_tree(head: dict[str, Any], data: Examples) -> None:
    """Classify every example with the tree, and measure it."""

    def walk(node: Any, reached: int) -> tuple[int, int]:
        if isinstance(node, int):
            wrong = reached & ~data.of_class[node]
            row = data.first_row[(wrong & -wrong).bit_length() - 1]
            need(not wrong, f"the tree gives row {row} the class {data.classes[node]!r}")
            return 1, 0
        feature, zero, one = node
        left = walk(zero, reached & ~data.masks[feature])
        right = walk(one, reached & data.masks[feature])
        return 1 + left[0] + right[0], 1 + max(left[1], right[1])

    (nodes, depth), claim = walk(head["tree"], (1 << len(data.labels)) - 1), head["claim"]
    need([nodes, depth] == [claim["nodes"], claim["depth"]], f"it has {nodes} nodes, depth {depth}")
    for name, size in (("max_nodes", nodes), ("max_depth", depth)):
        need(claim[name] is None or size <= claim[name], f"the tree is beyond {name}")


# ------------------------------------------------------------------------------------ the lemmas
def lift(bound: float, limit: float) -> float:
    """A tree of depth `limit` has fewer than 2**limit inner nodes: a need for more is infinite."""
    return inf if bound >= 2 ** min(limit, 99) else bound


def lanes(features: int) -> int:
    """A number of 32 bits for every feature, side by side: 1 for those of the set, and else 0."""
    return int(bin(features)[2:].translate({48: "00000000", 49: "00000001"}), 16)


class Lemmas:
    """Lemmas 'no tree of depth <= limit with fewer than bound inner nodes classifies C'.

    A set C of examples is one integer: its members, then for every class the features that some
    member has, then those that some member lacks. The union of sets is then a single OR."""

    def __init__(self, data: Examples) -> None:
        self.data, w, n = data, len(data.masks), len(data.labels)
        self.all, self.members = (1 << w) - 1, (1 << n) - 1
        self.shifts = [(n + 2 * c * w, n + (2 * c + 1) * w) for c in range(len(data.classes))]
        # A lemma: its set, the features that all members have, and lack, its bound and limit.
        self.known: list[tuple[int, int, int, float, float]] = []
        self.of_row = lru_cache(None)(self.single)  # rows that nobody cites cost nothing
        self.pair = lru_cache(2**12)(self.part)  # most pairs are parts of many lemmas

    def single(self, row: int) -> tuple[int, int, int, float, float]:
        """A row's example is a lemma with bound 0."""
        example = self.data.example_of_row[row]
        has = sum((mask >> example & 1) << f for f, mask in enumerate(self.data.masks))
        lacks, (at, after) = has ^ self.all, self.shifts[self.data.labels[example]]
        return 1 << example | has << at | lacks << after, has, lacks, 0.0, inf

    def read(self, lines: list[str]) -> None:
        """Check lemma after lemma."""
        for line in lines:
            try:
                need(LEMMA.fullmatch(line) is not None, "it is no lemma")
                self.known.append(self.lemma(*line.split()))
            except MALFORMED as error:
                raise Rejected(f"lemma {len(self.known)} ({line[:60]}): {error}") from None

    def lemma(self, kind: str, claim: str, *rest: str) -> tuple[int, int, int, float, float]:
        """Check the lemma of one line. (It is run for every line, so it avoids calls.)"""
        bound_text, _, limit_text = claim.partition("/")
        bound, limit = (inf if w == "inf" else int(w) for w in (bound_text, limit_text or "inf"))
        known, of_row, every = self.known, self.of_row, self.all
        whole = self.parts(rest, bound, limit) if kind == "p" else 0
        one = zero = two_one = two_zero = classes = 0
        # The bounds known for the side f = 1, and f = 0, each with the features f they are for.
        below, top = limit - 1, 2.0 ** min(limit - 1, 99)  # `lift` to infinity from `top` on
        ones, zeros = defaultdict(int, {0.0: every}), defaultdict(int, {0.0: every})
        for n in () if whole else map(int, rest):  # lemmas are cited from the end of those known
            members, all_have, all_lack, value, holds_to = known[n] if n < 0 else of_row(n)
            whole |= members
            if value and holds_to >= below:
                ones[value if value < top else inf] |= all_have
                zeros[value if value < top else inf] |= all_lack
        for at, after in self.shifts:  # features with members of one class, of two classes
            has, lacks = whole >> at & every, whole >> after & every
            if has or lacks:
                classes += 1
                two_one, one = two_one | one & has, one | has
                two_zero, zero = two_zero | zero & lacks, zero | lacks
        made = (whole, every & ~zero, every & ~one, bound, limit)
        need(classes > 1, "its examples are of one class")
        need(kind != "c" or limit == inf > bound, "singleton cuts hold without a limit only")
        if kind == "p" or limit == 0:
            return made
        impure = inf if top == 1 else 1.0
        ones[impure], zeros[impure] = ones[impure] | two_one, zeros[impure] | two_zero
        left, enough, others = one & zero, 0, sorted(zeros)
        for value in sorted(ones):
            while others and value + others[-1] >= bound - 1:
                enough |= zeros[others.pop()]  # features whose other side costs the rest
            left &= ~(ones[value] & enough)
        left = self.cuts(whole & self.members, left, bound) if kind == "c" else left
        need(not left, f"feature {left.bit_length() - 1} is not refuted")
        return made

    def parts(self, words: tuple[str, ...], bound: float, limit: float) -> int:
        """The union of cited lemmas and pairs of rows, if their bounds, by the most of these that a
        feature splits, each as often as it counts, come to `bound`."""
        whole, often, loads, total = 0, 0, 0, 0.0  # loads: how many parts each feature splits
        rows = [word for word in words if word[0] != "-"]
        pairs = starmap(self.pair, zip(rows[1::2], rows[::2], strict=True))
        lemmas = map(self.part, (word for word in words if word[0] == "-"))
        for members, value, holds_to, times, split in chain(pairs, lemmas):
            whole, often, loads = whole | members, often + times, loads + split
            total += times * value if holds_to >= limit else 0
        need(often < 2**32, "its parts count too often")
        most = max(memoryview(loads.to_bytes(4 * len(self.data.masks), sys.byteorder)).cast("I"))
        shown = inf if total == inf else -(-total // max(most, 1))
        need(lift(shown, limit) >= bound, "its parts do not add up to it")
        return whole

    def part(self, word: str, other: str = "") -> tuple[int, float, float, int, int]:
        """A lemma, or a pair of rows: its set, bound, limit, how often it counts (`7*3` is 7, 3
        times), and that in the lane of every feature that splits it."""
        number, times = map(int, word.split("*") if "*" in word else (word, "1"))
        members, has, lacks, value, limit = self.of_row(number) if other else self.known[number]
        if other:
            two, value = self.of_row(int(other)), 1.0
            members, has, lacks = members | two[0], has & two[1], lacks & two[2]
            need(all(members & self.members & ~c for c in self.data.of_class), "a pure pair")
        return members, value, limit, times, times * lanes(self.all & ~(has | lacks))

    def cuts(self, members: int, left: int, bound: float) -> int:
        """The features of `left` that do not isolate one member, if cutting off members one by one
        with fewer than `bound` of them never leaves a single class."""

        def alone(feature: int) -> int:
            zero = members ^ (one := members & self.data.masks[feature])
            return (one.bit_count() == 1 and one) | (zero.bit_count() == 1 and zero)

        for others in (members & ~c for c in self.data.of_class):
            if others.bit_count() < bound:  # then one of them must be isolated by no feature
                isolated = reduce(int.__or__, map(alone, range(len(self.data.masks))), 0)
                need(others & ~isolated != 0, "singleton cuts alone could do it")
        return sum(1 << f for f, bit in enumerate(bin(left)[:1:-1]) if bit == "1" and not alone(f))

    def leaves(self, limit: float) -> float:
        """Every tree of depth <= `limit` has so many leaves; deeper than h, it has over h nodes."""
        best = [b if to >= limit else to + 1 for *_, b, to in self.known if to >= limit or b == inf]
        return 1 + lift(max([len(set(self.data.labels)) - 1, *best]), limit)

    def summary(self) -> str:
        """What was checked, in a few words."""
        return f"{len(self.known)} lemma{'s' * (len(self.known) != 1)}"


# ------------------------------------------------------------------------------------- the claim
@cache
def part(kind: str) -> Any:
    """The checker of another kind of proof, which a file beside this one defines."""
    file, name = {"lrat": ("sat", "Refutations"), "spine": ("spine", "Spine")}[kind]
    return runpy.run_path(str(Path(__file__).with_name(f"check_{file}.py")))[name]


def check(certificate: str, table: str, lemmas: Any = Lemmas) -> str:
    """What is verified, in words; raises Rejected if anything fails."""
    try:
        head_line, *body = unpacked(certificate, "replace").splitlines() or [""]
        need('"dtfinder certificate"' in head_line, "this is no dtfinder certificate")
        head = json.loads(head_line)
        known = head["format"] == "dtfinder certificate" and head["version"] == 1
        need(known, f"version {head['version']!r} of {head['format']!r} is not known here")
        data = Examples(head, read_table(table))
        if head["tree"] is not None:
            check_tree(head, data)
        need((kind := head["proof"]) in ("lemmas", "lrat", "spine"), f"no proof is by {kind!r}")
        proof: Any = lemmas(data) if kind == "lemmas" else part(kind)(data)
        proof.read(body)
        return check_claim(head, data, proof)
    except (*MALFORMED, EOFError, zlib.error, RecursionError) as error:
        told = not isinstance(error, (LookupError, TypeError, json.JSONDecodeError))
        raise Rejected(str(error) if told else f"malformed: {error!r}") from None


def check_claim(head: dict[str, Any], data: Examples, proof: Any) -> str:
    """See that the proof rules out every tree that must not exist if the claim is true."""
    claim, names = head["claim"], ("max_depth", "max_nodes")
    bounds = {name: claim[name] for name in names if claim[name] is not None}
    need(all(type(bound) is int for bound in bounds.values()), f"it has the limits {bounds}")
    # Without a limit on nodes: if there is any tree, there is one with a leaf an example at most.
    limit, most = bounds.get("max_depth", inf), bounds.get("max_nodes", 2 * len(data.labels))
    dropped, lost = data.rows - len(data.example_of_row), data.unavoidable
    apart = f", apart from {dropped} dropped and {lost} outvoted (ties by order) among equal ones"
    does = f"classifies all {data.rows} rows{apart if dropped or lost else ''}"
    within = " within " * bool(bounds) + " and ".join(f"{n} {b}" for n, b in bounds.items())
    if head["tree"] is None:
        need(claim.keys() == set(names), "a claim that there is no tree has limits only")
        said, ruled_out = f"no tree{within} {does}", [(limit, most)]
    else:
        nodes, depth, aim = claim["nodes"], claim["depth"], claim["minimise"]
        need(aim in ("size", "depth") and type(nodes) is type(depth) is int, f"it claims {claim}")
        fewer = f"with fewer than {nodes} nodes"
        least, ruled_out = f"{fewer} does", [(limit, nodes - 1)]
        if aim == "depth":
            least = f"of less depth does, and none of this depth {fewer}"
            ruled_out = [(depth, nodes - 1), (depth - 1, most)][: 1 + (depth > 0)]
        said = f"the tree of {nodes} nodes and depth {depth} {does}; no tree {least}{within}"
    for limit, most in ruled_out:
        shown = 2 * proof.leaves(limit) - 1
        need(shown > most, f"only {shown:g} nodes are shown to be needed within depth {limit}")
    families = Counter(f"{kind} by {family}" for _, kind, family in head["columns"])
    asked = ", ".join(f"{count} {what}" for what, count in families.items())
    of_what = f"{len(data.labels)} examples, {len(data.masks)} features from {len(head['columns'])}"
    checked = f"{head['target'][0]!r} of {of_what} columns ({asked}); {proof.summary()}"
    return f"VERIFIED: {said}.\nChecked: {checked}."


def main(arguments: list[str] | None = None, by: Any = check) -> int:
    """Check the certificate that the command line names: 0 if it holds, 1 if not, 2 if unread."""
    parser = argparse.ArgumentParser(description="Check a dtfinder certificate.")
    parser.add_argument("certificate")
    parser.add_argument("--data", required=True, help="the table, as CSV or TSV, gzipped or not")
    asked = parser.parse_args(arguments)
    try:
        code, text = 0, by(asked.certificate, asked.data)
    except Rejected as error:  # which may quote what would pass for another answer on a terminal
        code, text = 1, "".join(c if c.isprintable() else "?" for c in f"REJECTED: {error}")
    except OSError as error:
        sys.stderr.write(f"cannot read: {error}\n")
        return 2
    shown = sys.stdout.encoding or "utf-8"
    sys.stdout.write(text.encode(shown, "backslashreplace").decode(shown) + "\n")
    return code


if __name__ == "__main__":
    sys.exit(main())
