"""Spine proofs: a small prover makes them from linear programs, and none may claim too much."""

from __future__ import annotations

import gzip
import random
from collections.abc import Iterator
from functools import cache
from itertools import combinations, permutations
from math import inf
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from scipy.optimize import linprog

from dtfinder.certify import check, check_spine
from dtfinder.certify.export import export_lrat
from dtfinder.certify.write import is_lost, make_certificate
from dtfinder.data import make_dataset, read_table
from dtfinder.errors import DataError
from dtfinder.problem import Problem
from dtfinder.proof import SPINE, Lemmas, Proof, SpineProof
from small import solve_here

Terms = dict[int, int]


class Prover:
    """The program of one class, every column and row written out, and its branch and bound."""

    def __init__(self, masks: list[int], labels: list[int], small: int, label: int) -> None:
        n = len(labels)
        self.masks = [m if 2 * m.bit_count() <= n else m ^ (1 << n) - 1 for m in masks]
        self.labels, self.small, self.classes = labels, small, sorted(set(labels))
        self.cost = brute_force(masks, labels)
        self.prices: list[int] = []
        self.rows: dict[str, tuple[Terms, bool, int]] = {}  # terms, whether =, right side
        # By prefix and feature: the columns of use, and of take by example.
        self.groups: dict[tuple[str, int], tuple[list[int], dict[int, list[int]]]] = {}
        self.above: dict[str, tuple[str, int, int]] = {"": ("", -1, -1)}
        self.nested: dict[str, list[int]] = {}
        self.lines = [f"C {label}"]
        self.program("", (1 << n) - 1, label, None, {})

    def column(self, price: int) -> int:
        self.prices.append(price)
        return len(self.prices) - 1

    def add(self, name: str, plus: list[int], minus: list[int], equal: bool, right: int) -> None:
        terms: Terms = {}
        for column in plus:
            terms[column] = terms.get(column, 0) + 1
        for column in minus:
            terms[column] = terms.get(column, 0) - 1
        self.rows[name] = {c: v for c, v in terms.items() if v}, equal, right

    def program(self, at: str, universe: int, d: int, on: int | None, here: dict[int, int]) -> None:
        top = on is None
        mine: dict[int, int] = {}
        for f, mask in enumerate(self.masks):
            group = mask & universe
            if group and (top or group != universe) and group not in mine.values():
                mine[f] = group
        for f, group in mine.items():
            use: list[int] = []
            take: dict[int, list[int]] = {e: [] for e in bits(group)}
            self.groups[at, f] = use, take
            if group.bit_count() <= self.small:
                for b in subsets(group):
                    use.append(self.column(1 + self.cost(b)))
                    for e in bits(b):
                        take[e].append(use[-1])
                continue
            use.append(self.column(1))
            ons = []
            for c in self.classes:
                inner, present = self.column(0), {e: self.column(0) for e in take}
                ons.append(inner)
                for e, column in present.items():
                    take[e].append(column)
                    self.add(f"{at}t{f}.{c}.{e}", [column], [inner], False, 0)
                self.above[f"{at}n{f}.{c}/"] = at, f, c
                self.nested[f"{at}n{f}.{c}/"] = [inner, *present.values()]
                self.program(f"{at}n{f}.{c}/", group, c, inner, present)
            self.add(f"{at}s{f}", use, ons, True, 0)
        ons = [] if on is None else [on]
        for e in bits(universe):
            take_all = [c for f in mine for c in self.groups[at, f][1].get(e, [])]
            now = [here[e]] if here else []
            self.add(f"{at}e{e}", take_all, now, self.labels[e] != d, int(top))
            for f in mine:
                if mine[f] >> e & 1:
                    use = self.groups[at, f][0]
                    self.add(f"{at}u{f}.{e}", use + now, take_all + ons, False, 0)
        for f in mine:
            self.add(f"{at}y{f}", self.groups[at, f][0], ons, False, int(top))
        for f, g in combinations(mine, 2) if top else ():
            both = mine[f] & mine[g]
            large = max(mine[f].bit_count(), mine[g].bit_count()) > self.small
            for e in bits(both) if large else [-1] if both else []:
                ends = [self.meeting(at, h, both, e) for h in (f, g)]
                self.add(f"p{f}.{g}" + f".{e}" * large, ends[0] + ends[1], [], False, 1)
        for circle in [*(() if top else combinations(mine, 2)), *permutations(mine, 3)]:
            if circle[0] == min(circle):
                self.circle(at, circle, mine, ons)

    def meeting(self, at: str, f: int, both: int, e: int) -> list[int]:
        use, take = self.groups[at, f]
        if len(take) > self.small:
            return take[e]
        return [c for c in use if any(c in take[x] for x in bits(both))]

    def circle(
        self, at: str, circle: tuple[int, ...], mine: dict[int, int], ons: list[int]
    ) -> None:
        words, plus = [at] if at else [], []
        for f, g in zip(circle, [*circle[1:], circle[0]], strict=True):
            both = mine[f] & mine[g]
            if not both:
                return
            e = -1 if mine[f].bit_count() <= self.small else bits(both)[0]
            words += [str(f), str(e)]
            plus += self.meeting(at, f, both, e)
        name = f"k{sum(line[0] == 'K' for line in self.lines)}"
        self.lines.append(" ".join(["K", *words]))
        self.add(name, plus, ons * (len(circle) - 1), False, 0 if ons else len(circle) - 1)

    def solve(self, closed: set[int], equal: set[str]) -> tuple[Any, str, int, list[int]]:
        """A point, the weights as words, and their bound and reduced costs in integers."""
        names, n = list(self.rows), len(self.prices)
        kinds: dict[bool, list[str]] = {False: [], True: []}
        for name in names:
            kinds[self.rows[name][1] or name in equal].append(name)
        # Rows may be broken at a high price: then there are weights even if there is no point.
        slack, parts = 0, {}
        width = n + len(kinds[False]) + 2 * len(kinds[True])
        for kind, chosen in kinds.items():
            matrix, right = np.zeros((len(chosen), width)), np.zeros(len(chosen))
            for i, name in enumerate(chosen):
                terms, _, right[i] = self.rows[name]
                matrix[i, list(terms)] = list(terms.values())
                for sign in (-1, 1) if kind else (-1,):
                    matrix[i, n + slack] = sign
                    slack += 1
            parts[kind] = matrix, right
        bounds = [(0, 0 if c in closed else 1) for c in range(n)] + [(0, None)] * slack
        costs = [*self.prices, *[40] * slack]
        found = linprog(costs, *parts[False], *parts[True], bounds)
        assert found.status == 0
        weights: dict[str, int] = {}
        for kind, result in ((False, found.ineqlin), (True, found.eqlin)):
            for name, value in zip(kinds[kind], result.marginals, strict=True):
                weights[name] = round((value if kind else min(value, 0)) * 2**20)
        bound, reduced = 0, [price * 2**20 for price in self.prices]
        for name, weight in weights.items():
            bound += weight * self.rows[name][2]
            for column, times in self.rows[name][0].items():
                reduced[column] -= weight * times
        bound += sum(r for c, r in enumerate(reduced) if r < 0 and c not in closed)
        words = " ".join(f"{name} {weight}" for name, weight in weights.items() if weight)
        return found.x, words, bound, reduced

    def prove(
        self, most: int, closed: set[int], equal: set[str], turn: int = 0, dice: Any = None
    ) -> bool:
        """Write a proof, with `dice` also of branches that are not needed."""
        point, words, bound, reduced = self.solve(closed, equal)
        if bound > most << 20 and (dice is None or turn > 2):
            self.lines.append(f"L {words}")
            return True
        self.lines.append(f"R {words}")
        closed = closed | {c for c, r in enumerate(reduced) if r > 0 and bound + r > most << 20}
        asks = []
        for (at, f), (use, take) in self.groups.items():
            asks.append((f"U {at}{f}", use))
            asks += [(f"H {at}{f} {e}", columns) for e, columns in take.items()]
        open_ones = [a for a in asks if 0.001 < sum(point[c] for c in a[1]) < 0.999]
        if dice is not None and turn < 3:
            open_ones = [dice.choice(asks)]
        if not open_ones:
            return False
        name, _ = open_ones[turn * 7 % len(open_ones)]
        for value in (1, 0) if turn % 2 else (0, 1):
            self.lines.append(f"{name} {value}")
            more, rows = self.fixed(name.split(), value)
            if not self.prove(most, closed | more, equal | rows, turn + 1, dice):
                return False
        return True

    def fixed(self, words: list[str], value: int) -> tuple[set[int], set[str]]:
        prefix, slash, last = words[1].rpartition("/")
        at, f, e = prefix + slash, int(last), int(words[2]) if words[0] == "H" else -1
        use, take = self.groups[at, f]
        if not value and e < 0:
            inner = [c for k in self.classes for c in self.nested.get(f"{at}n{f}.{k}/", [])]
            return {*use, *inner}, set()
        if not value:
            return set(take[e]), set()
        closed, rows = set[int](), set[str]()
        while True:
            use, take = self.groups[at, f]
            rows.add(f"{at}y{f}" if e < 0 else f"{at}e{e}")
            if e >= 0:
                every = {c for (p, _), g in self.groups.items() if p == at for c in g[1].get(e, [])}
                closed |= every | set(use if len(take) <= self.small else []) - set(take[e])
                closed -= set(take[e])
            if not at:
                return closed, rows
            at, f, kept = self.above[at]
            for c in self.classes:
                closed |= set(self.nested[f"{at}n{f}.{c}/"]) if c != kept else set()


def bits(mask: int) -> list[int]:
    return [e for e in range(mask.bit_length()) if mask >> e & 1]


def subsets(mask: int) -> Iterator[int]:
    part = mask
    while part:
        yield part
        part = (part - 1) & mask


def brute_force(masks: list[int], labels: list[int]) -> Any:
    @cache
    def cost(b: int) -> int:
        if len({labels[e] for e in bits(b)}) < 2:
            return 0
        return min(1 + cost(b & m) + cost(b & ~m) for m in masks if b & m and b & ~m)

    return cost


def random_table(seed: int, classes: int = 2) -> tuple[list[int], list[int]]:
    """Distinct examples with features that are neither constant nor alike."""
    dice = random.Random(seed)
    while True:
        n, width = dice.randint(4, 9), dice.randint(3, 4)
        rows = dice.sample(range(2**width), min(n, 2**width))
        masks = [sum((row >> f & 1) << e for e, row in enumerate(rows)) for f in range(width)]
        labels = [dice.randrange(classes) for _ in rows]
        plain = {m ^ (1 << len(rows)) - 1 if m & 1 else m for m in masks}
        if len(set(labels)) > 1 and 0 not in plain and len(plain) == width:
            return masks, labels


def examples(masks: list[int], labels: list[int]) -> Any:
    return SimpleNamespace(
        masks=masks,
        labels=labels,
        classes=list(range(max(labels) + 1)),
        example_of_row={e: e for e in range(len(labels))},
        of_class=[
            sum(1 << e for e, c in enumerate(labels) if c == k) for k in range(max(labels) + 1)
        ],
    )


def proof_of(
    masks: list[int], labels: list[int], small: int, most: int, dice: Any = None
) -> list[str] | None:
    lines = [f"spine {most} {small}"]
    for label in sorted(set(labels)):
        prover = Prover(masks, labels, small, label)
        if not prover.prove(most, set(), set(), 0, dice):
            return None
        lines += prover.lines
    return lines


def checked(masks: list[int], labels: list[int], lines: list[str]) -> check_spine.Spine:
    proof = check_spine.Spine(examples(masks, labels))
    proof.read(lines)
    return proof


@pytest.mark.parametrize("small", [1, 2, 3, 16])
@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("seed", range(3))
def test_sound_proofs_hold(seed: int, classes: int, small: int) -> None:
    masks, labels = random_table(seed, classes)
    optimum = brute_force(masks, labels)((1 << len(labels)) - 1)
    for dice in (None, random.Random(seed)):
        lines = proof_of(masks, labels, small, optimum - 1, dice)
        assert lines is not None
        proof = checked(masks, labels, lines)
        assert [proof.leaves(limit) for limit in (0, 3, inf)] == [optimum + 1] * 3
        ends = sum(line[0] == "L" for line in lines)
        assert proof.summary() == f"{ends} leaves for {len(set(labels))} classes of spines"
    assert proof_of(masks, labels, small, optimum) is None


class Point:
    """A random smallest tree as a point of the checker's program."""

    def __init__(self, proof: check_spine.Spine, cost: Any, dice: random.Random) -> None:
        self.proof, self.cost, self.dice = proof, cost, dice
        self.parts: dict[Any, int] = {}  # by group on the spine: what it hangs off
        self.free: set[Any] = set()
        tree = self.grow(proof.top.universe)
        proof.top.label = self.end(tree)
        self.place("", tree, proof.top.universe)

    def grow(self, there: int) -> Any:
        least = self.cost(there)
        if not least:
            return self.proof.data.labels[bits(there)[0]]
        ways = [(f, m & there, there & ~m) for f, m in enumerate(self.proof.oriented)]
        best = [w for w in ways if all(w[1:]) and 1 + sum(map(self.cost, w[1:])) == least]
        f, part, rest = self.dice.choice(best)
        return f, self.grow(rest), self.grow(part)

    def end(self, tree: Any) -> int:
        return self.end(tree[1]) if isinstance(tree, tuple) else tree

    def place(self, at: str, tree: Any, there: int) -> None:
        program = self.proof.program(at)
        while isinstance(tree, tuple):
            f, rest, below = tree
            group = self.proof.group(program, str(f))
            self.parts[group] = part = there & group.mask
            if not group.small:
                inner = group.within[self.end(below)]
                self.free |= {("on", inner, -1), *(("present", inner, e) for e in bits(part))}
                self.place(f"{at}n{f}.{inner.label}/", below, part)
            tree, there = rest, there & ~group.mask

    def value(self, key: Any) -> int:
        kind, owner, which = key
        if kind == "use":
            return int(owner in self.parts)
        if kind == "meet":
            return int(self.parts.get(owner, 0) & which != 0)
        if kind == "take":
            return sum(self.parts.get(group, 0) >> which & 1 for group in owner.around[which])
        return int(owner is self.proof.top or key in self.free)

    def column(self, group: Any) -> int:
        return group.local(self.parts[group]) if group.small else 1

    def is_open(self, cut: check_spine.Cut) -> bool:
        """Whether nothing of the point is closed."""
        for group in self.parts:
            by_price = cut.limit is not None and group not in cut.columns
            above = self.proof.above(group.mask, cut.limit) if by_price else 0
            if (cut.columns.get(group, 0) | above) >> self.column(group) & 1:
                return False
        return not cut.free & self.free

    def sum(self, row: check_spine.Row) -> int:
        return sum(times * self.value(key) for key, times in row.terms)


@pytest.mark.parametrize("seed", range(40))
def test_smallest_trees_are_points(seed: int) -> None:
    dice = random.Random(seed)
    masks, labels = random_table(seed, 2 + seed % 2)
    proof = check_spine.Spine(examples(masks, labels))
    proof.small = dice.choice([1, 1, 2, 3])
    cost = brute_force(masks, labels)
    point = Point(proof, cost, dice)
    prices = [proof.prices(group.mask)[point.column(group)] for group in point.parts]
    assert sum(prices) == cost((1 << len(labels)) - 1) * check_spine.SCALE
    prover = Prover(masks, labels, proof.small, proof.top.label)
    rows = {name: proof.row(name) for name in prover.rows if name[0] != "k"}
    circles = [proof.circle(line.split()[1:]) for line in prover.lines if line[0] == "K"]
    for row in (*rows.values(), *circles):
        assert point.sum(row) == 0 if row.equation else point.sum(row) <= 0
    proof.rows |= rows | {f"k{number}": row for number, row in enumerate(circles)}
    optimum = cost((1 << len(labels)) - 1)
    for (at, f), (_, take) in prover.groups.items():
        group = proof.group(proof.program(at), str(f))
        values = {f"U {at}{f}": point.value(("use", group, -1))}
        values |= {f"H {at}{f} {e}": point.value(("meet", group, 1 << e)) for e in take}
        for words, value in values.items():
            cut = proof.branch(*words.split(), str(value))
            assert point.is_open(cut)
            changed_rows = [row for row in rows.values() if row.name in cut.equations]
            assert len(changed_rows) >= value
            assert [point.sum(row) for row in changed_rows] == [0] * len(changed_rows)
            proof.path += [cut] if dice.random() < 0.1 else []
    for turn in range(20):
        text = prover.solve(set(), set())[1] if turn == 3 else ""
        known = {name for cut in proof.path for name in cut.equations}
        for name, row in proof.rows.items() if turn != 3 else ():
            if dice.random() < 0.3:
                high = 2**20 if row.equation or row.name in known else 0
                text += f" {name} {dice.randint(-(2**20) * (turn % 3) // 8, high)}"
        bound, sums, costs = proof.weigh(text.split())
        assert bound <= optimum * check_spine.SCALE
        cut = proof.closing(optimum * check_spine.SCALE, bound, sums, costs)
        assert point.is_open(cut)
        proof.path.append(cut)


def changed(lines: list[str], dice: random.Random) -> list[str]:
    """Something else: a line dropped, repeated, moved or exchanged, a number changed, a row
    renamed."""
    made = list(lines) or [""]
    at, other = dice.randrange(len(made)), dice.randrange(len(made))
    kind = dice.randrange(8)
    if kind == 0:
        del made[at]
    elif kind == 1:
        made.insert(other, made[at])
    elif kind == 2:
        made[at], made[other] = made[other], made[at]
    else:
        words = made[at].split(" ")
        place = dice.randrange(len(words))
        if kind < 6 and words[place].lstrip("-").isdigit():
            step = dice.choice([1, -1, 2**18, -(2**18), 2**20])
            words[place] = str(int(words[place]) + step)
        else:
            spot = dice.randrange(len(words[place]) + 1)
            letter = dice.choice("0123456789yesutpkn")
            words[place] = words[place][:spot] + letter + words[place][spot + 1 :]
        made[at] = " ".join(words)
    return made


@pytest.mark.parametrize("seed", range(12))
def test_no_proof_claims_too_much(seed: int) -> None:
    dice = random.Random(seed)
    masks, labels = random_table(seed, 2 + seed % 2)
    optimum = brute_force(masks, labels)((1 << len(labels)) - 1)
    lines = proof_of(masks, labels, dice.choice([1, 2, 3, 9]), optimum - 1, dice)
    assert lines is not None
    beyond = [f"spine {optimum} {lines[0].split()[2]}", *lines[1:]]
    accepted = 0
    for start in (lines, beyond):
        for _ in range(60):
            text = start
            for _ in range(dice.choice([1, 1, 2, 5])):
                text = changed(text, dice)
            proof = check_spine.Spine(examples(masks, labels))
            try:
                proof.read(text)
            except ValueError:
                assert proof.leaves(inf) <= 2
                continue
            accepted += 1
            assert proof.leaves(inf) <= optimum + 1
    assert accepted > 0


# Three examples of class 1 and one of class 0 between them: a smallest tree has two inner nodes.
MASKS, LABELS = [0b0011, 0b0101], [0, 1, 1, 0]


def small_proof() -> list[str]:
    """Exclusive or: every spine hangs off two examples at a price of 2, or something at 1 twice."""
    lines = proof_of(MASKS, LABELS, 4, 2)
    assert lines is not None
    return lines


def test_a_proof_is_refused_for_what_is_wrong() -> None:
    lines = small_proof()
    assert checked(MASKS, LABELS, lines).leaves(inf) == 4
    second = lines.index("C 1")
    leaf = next(n for n, line in enumerate(lines) if line[0] == "L")
    wrong = {
        "does not start with": [
            [],
            lines[1:],
            ["spine 2 0", *lines[1:]],
            ["spine 2 17", *lines[1:]],
        ],
        "bound is": [["spine 3 4", *lines[1:]], [*lines[:leaf], "L", *lines[leaf + 1 :]]],
        "its sections are not": [
            lines[:second],
            [lines[0], *lines[second:]],
            lines + lines[second:],
            [*lines, "C 2", lines[leaf]],
        ],
        "is missing": [lines[:-1], [*lines[:second], "C 1"]],
        "the end is due": [[*lines, lines[leaf]], [*lines, "U 0 0"]],
        "it does not start": [[lines[0], lines[leaf], *lines[1:]]],
    }
    for words, texts in wrong.items():
        for text in texts:
            with pytest.raises(ValueError, match=words):
                checked(MASKS, LABELS, text)


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("L y0 1", "no lower side"),
        ("L u0.0 1", "no lower side"),
        ("L p0.1 1", "no lower side"),
        ("L e0 1", "no lower side"),
        ("L y2 -1", "list index"),
        ("L e4 -1", "4"),
        ("L u0.3 -1", "row 3 is not there"),
        ("L u0 -1", "no row u0"),
        ("L y0.1 -1", "no row y0.1"),
        ("L k0 -1", "no row k0"),
        ("L s0 -1", "is small"),
        ("L t0.1.0 -1", "is small"),
        ("L n0.1/e0 -1", "1"),
        ("L n0/e0 -1", "no program"),
        ("L p0.0 -1", "not different"),
        ("L p0.1.0 -1", "for large groups"),
        ("L y0 1.5", "not a line"),
        ("L y0 1_0", "not a line"),
        ("L y0 \u0661", "not a line"),
        ("L y0", "not a line"),
        ("L y0  1", "not a line"),
        ("L y0 9999999999999999999", "not a line"),
        ("", "not a line"),
        ("X", "not a line"),
        ("K 0 -1", "not a line"),
        ("K 0 -1 0 -1", "not different"),
        ("K 0 0 1 0", "do not overlap"),
        ("U 0 2", "not a line"),
        ("U 7 1", "list index"),
        ("U n0.1/0 1", "1"),
        ("H 0 3 1", "row 3 is not there"),
        ("H 0 -1 1", "not a line"),
    ],
)
def test_odd_lines_are_refused(line: str, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        checked(MASKS, LABELS, ["spine 1 4", "C 0", line, *small_proof()[2:]])


def test_groups_in_a_circle_overlap() -> None:
    masks, labels = [0b000011, 0b001100, 0b010101], [0, 1, 1, 0, 1, 0]
    for circle, words in (("0 -1 1 -1", "do not overlap"), ("0 -1 2 -1 0 -1", "not different")):
        with pytest.raises(ValueError, match=words):
            checked(masks, labels, ["spine 1 4", "C 0", f"K {circle}", "L", "C 1", "L"])


def test_branches_have_both_values() -> None:
    masks, labels = random_table(3)
    lines = proof_of(masks, labels, 2, 1, random.Random(3))
    assert lines is not None
    branches = [n for n, line in enumerate(lines) if line[0] in "UH"]
    assert branches
    for n in branches:
        for text in (lines[:n] + lines[n + 1 :], [*lines[: n + 1], *lines[n:]]):
            with pytest.raises(ValueError, match=r"line|missing"):
                checked(masks, labels, text)


def test_deep_proofs_and_empty_tables() -> None:
    deep = small_proof()
    second = deep.index("C 1")
    one = deep[2:second]
    section = [line for _ in range(3000) for line in ("U 0 1", *one, "U 0 0")]
    lines = [*deep[:2], *section, *one, *deep[second:]]
    assert checked(MASKS, LABELS, lines).leaves(inf) == 4
    nothing = SimpleNamespace(masks=[], labels=[], example_of_row={}, of_class=[0], classes=["A"])
    with pytest.raises(ValueError, match="does not start with a section"):
        check_spine.Spine(nothing).read(["spine 5 4"])


def test_classes_without_examples_have_no_spine() -> None:
    masks, labels = random_table(1)
    optimum = brute_force(masks, labels)((1 << len(labels)) - 1)
    lines = proof_of(masks, labels, 1, optimum - 1)
    assert lines is not None
    data = examples(masks, labels)
    data.of_class.append(0)
    feature, _, row = next(w for line in lines for w in line.split() if w[0] == "t")[1:].split(".")
    for more in ("", f" t{feature}.2.{row} -9999999", f" n{feature}.2/e{row} 0"):
        proof = check_spine.Spine(data)
        proof.read([line + more if line[0] == "L" else line for line in lines])
        assert proof.leaves(inf) == optimum + 1


def test_too_many_columns_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(check_spine, "MOST", 4)
    with pytest.raises(ValueError, match="too many columns"):
        checked(MASKS, LABELS, small_proof())


def test_a_certificate_of_spines(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    path.write_text("a,b,class\n1,1,no\n1,0,yes\n0,1,yes\n0,0,no\n0,0,no\n")
    dataset = make_dataset(read_table(path))
    tree = solve_here(dataset, method="sklearn").tree
    assert tree is not None
    assert tree.size == 7
    masks = [sum(int(bit) << e for e, bit in enumerate(row)) for row in dataset.bits.T]
    lines = proof_of(masks, dataset.labels.tolist(), 4, 2)
    assert lines is not None
    pieces: list[Proof] = [SpineProof("".join(f"{line}\n" for line in lines).encode()), Lemmas(b"")]
    assert is_lost(tree, pieces[1:])
    assert not is_lost(tree, pieces)
    made = make_certificate(Problem(dataset), tree, pieces)
    assert made.kind == SPINE
    made.save(tmp_path / "proof.cert")
    said = check.check(str(tmp_path / "proof.cert"), str(path))
    assert said.startswith("VERIFIED: the tree of 7 nodes and depth 2 classifies all 5 rows; no")
    assert "leaves for 2 classes of spines" in said
    with pytest.raises(DataError, match="has a spine proof"):
        export_lrat(tmp_path / "proof.cert", path, tmp_path / "out")
    text = gzip.decompress(made.data).replace(b"spine 2 4", b"spine 1 4")
    (tmp_path / "less.cert").write_bytes(text)
    with pytest.raises(check.Rejected, match="only 5 nodes are shown"):
        check.check(str(tmp_path / "less.cert"), str(path))
