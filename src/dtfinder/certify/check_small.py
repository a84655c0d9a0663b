"""The part of check.py that counts: least errors of small trees; standard library only.

A proof about errors leaves small trees to its checker, who tries all of them: those with up to
three inner nodes, and those of depth three. On a set of examples with m different splits these are
about m * m * m / 6 triples of splits for the first two levels and one side below, far too many to
look at one by one in Python. So many are counted at once.

Many numbers at once. An integer of Python has as many binary digits as one likes. Let every *place*
(the position of a bit) stand for a number of its own: a list of integers, the *planes*, holds the
numbers of all places, plane k their digits worth 2**k. To add, subtract or compare, work from digit
to digit as on paper, with a carry; `&`, `|`, `^` do it at all places in one go.

Places. The pair of splits (g, j) has the place g * width + j. So split g has a *field* of `width`
places, of which the last, its guard, belongs to no j. An example's *pairs* are the places (g, j) of
which it has both. Added up over examples of one class, the pairs tell for each (g, j) how many have
both; what one subtracts from what gives those with g alone, j alone, and neither. Then:

- errors of a leaf: all weight but that of the heaviest class;
- errors of a split of the examples with g, and of those without: two leaves, the best j of all;
- with the examples of one side of a split f in place of all, the leaves below f and g, and what is
  best below each of them.

The examples of a side are few; those of the other side follow, as both sides together are known.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import compress, zip_longest
from math import inf
from operator import itemgetter
from typing import Any, NamedTuple

Planes = list[int]

MOST_KEPT = 2**26  # bytes of the pairs of all examples
MOST_BLOCK = 2**20  # bytes of the places for some of the splits
MOST_RECENT = 64  # sides that others are compared with
NOT = bytes([1, 0]) + bytes(254)


# ------------------------------------------------------------------------- many numbers at once
def count(digits: Sequence[list[int]]) -> Planes:
    """At each place, how many rows have a bit; those of digits[k] count 2**k times. Two rows at a
    time are added to the digit so far, and what they carry belongs to the next digit."""
    planes: Planes = []
    rows: list[int] = []
    while rows or len(planes) < len(digits):
        if len(planes) < len(digits):
            rows += digits[len(planes)]
        ones, carries = 0, []
        for a, b in zip(rows[::2], rows[1::2], strict=False):
            odd = a ^ b
            carries.append((a & b) | (odd & ones))
            ones ^= odd
        if len(rows) % 2:
            carries.append(ones & rows[-1])
            ones ^= rows[-1]
        planes.append(ones)
        rows = [carry for carry in carries if carry]
    return planes


def add(a: Planes, b: Planes) -> Planes:
    """a + b at each place. Where two digits differ, the carry stays; else they are the next one."""
    made, carry = [], 0
    for x, y in zip_longest(a, b, fillvalue=0):
        odd = x ^ y
        made.append(odd ^ carry)
        carry = x ^ (odd & (x ^ carry))
    return [*made, carry] if carry else made


def subtract(a: Planes, b: Planes) -> Planes:
    """a - b at each place, where b is not larger. Where two digits differ, b's is what is borrowed
    from the next one; else what was borrowed already."""
    made, borrow = [], 0
    for x, y in zip_longest(a, b, fillvalue=0):
        odd = x ^ y
        made.append(odd ^ borrow)
        borrow ^= odd & (y ^ borrow)
    return made


def smaller(a: Planes, b: Planes) -> int:
    """The places where a < b: where the subtraction would borrow in the end."""
    borrow = 0
    for x, y in zip_longest(a, b, fillvalue=0):
        borrow ^= (x ^ y) & (y ^ borrow)
    return borrow


def choose(where: int, a: Planes, b: Planes) -> Planes:
    """a at some places, b at all others."""
    return [y ^ ((x ^ y) & where) for x, y in zip_longest(a, b, fillvalue=0)]


def all_but_largest(numbers: Sequence[Planes]) -> Planes:
    """The sum of all numbers but the largest, at each place: of each next number and the largest
    before, the smaller one joins the sum."""
    top, *others = numbers
    rest: Planes = []
    for number in others:
        less = smaller(number, top)
        rest = add(rest, choose(less, number, top)) if rest else choose(less, number, top)
        if number is not others[-1]:
            top = choose(less, top, number)
    return rest


def least(planes: Planes, among: int) -> int:
    """The least number at some places, read from the highest digit on: if one of those that are
    left has a 0 there, so has the least."""
    number = 0
    for place in range(len(planes) - 1, -1, -1):
        zero = among & ~planes[place]
        if zero:
            among = zero
        else:
            number |= 1 << place
    return number


# -------------------------------------------------------------------------------------- the counts
class Fields:
    """The fields of some splits, each with a place for all m splits and a guard. The first field is
    not of a split but of all examples: they have all that they have, and its guard."""

    def __init__(self, splits: range, m: int) -> None:
        self.splits, self.m = splits, m
        self.bytes = m // 8 + 1  # of a field
        self.guards = self.repeat(1 << m)
        self.splitting = self.repeat((1 << m) - 1)  # all places but guards
        self.of_splits = self.guards ^ (1 << m)  # the guards of all fields but the first
        # The place that tells how many examples have a split at all.
        own = [1 << m, *(1 << g for g in splits)]
        self.diagonal = self.joined(each.to_bytes(self.bytes, "little") for each in own)

    def joined(self, fields: Iterable[bytes]) -> int:
        """Fields side by side, from the lowest places on."""
        return int.from_bytes(b"".join(fields), "little")

    def repeat(self, field: int) -> int:
        """The same in each field."""
        return self.joined([field.to_bytes(self.bytes, "little")] * (len(self.splits) + 1))

    def pairs(self, row: str) -> int:
        """The pairs of an example, given as a string of 0 and 1: in the field of each split that it
        has, all that it has."""
        mine = int("0" + row[::-1], 2)
        field = {"0": bytes(self.bytes), "1": mine.to_bytes(self.bytes, "little")}
        fields = map(field.__getitem__, row[self.splits.start : self.splits.stop])
        return self.joined([(mine | 1 << self.m).to_bytes(self.bytes, "little"), *fields])

    def some(self, places: int) -> int:
        """The guards of the fields with some of these places: all ones added, they overflow."""
        return (places + self.splitting) & self.guards

    def whole(self, guards: int) -> int:
        """All places of the fields with these guards."""
        return (guards << 1) - (guards >> self.m)

    def least(self, planes: Planes) -> Planes:
        """The least number of each field, at its guard."""
        left, made = self.splitting, []
        for plane in reversed(planes):
            zero = left ^ (left & plane)
            some = self.some(zero)
            made.append(self.guards ^ some)
            left ^= (left ^ zero) & self.whole(some)
        return made[::-1]

    def below(self, sums: Sequence[Planes]) -> list[tuple[Planes, Planes]]:
        """Of the pairs of some examples, added up for each class, the errors of those without and
        of those with each split: of a leaf, and of the best split. They are found at the guards.

        At (g, j) the examples with g are split by j. No example has the guard for its j, but in the
        first field, so at guards there are the errors of a leaf."""
        first = (1 << self.m) - 1
        cells: list[list[Planes]] = [[], [], [], []]
        for both in sums:
            with_j = [self.repeat(plane & first) for plane in both]
            all_ = [self.whole(self.guards if plane >> self.m & 1 else 0) for plane in both]
            with_g = [self.whole(self.own(plane)) for plane in both]
            j_alone = subtract(with_j, both)
            neither = subtract(subtract(all_, with_g), j_alone)
            for cell, number in zip(
                cells, (neither, j_alone, subtract(with_g, both), both), strict=True
            ):
                cell.append(number)
        errors = [all_but_largest(cell) for cell in cells]
        made = []
        for zero, one in (errors[:2], errors[2:]):
            split = add(zero, one)
            made.append(([plane & self.guards for plane in split], self.least(split)))
        return made

    def own(self, plane: int) -> int:
        """The guards of the fields whose place on the diagonal is in the plane. (The first field's
        is its guard, which needs no overflow.)"""
        places = plane & self.diagonal
        return self.some(places & self.splitting) | (places & self.guards)


class Table:
    """The examples as strings of their features, with their net weights by class."""

    def __init__(self, masks: list[int], net: list[list[int]]) -> None:
        self.masks, self.net = masks, net
        columns = [format(mask, f"0{len(net)}b")[::-1] for mask in masks]
        self.rows = list(map("".join, zip(*columns, strict=True))) or [""] * len(net)


class Group(NamedTuple):
    """Examples of one class whose weight has one binary digit."""

    label: int
    digit: int
    rows: list[str]
    has: bytes  # for example after example and split after split, 1 if it has it


class SmallTrees:
    """Least errors of small trees on one set of examples.

    The splits of the set are numbered from 0, and of each the side without the feature is side 0.
    """

    def __init__(self, table: Table, weights: Any, inside: int) -> None:
        self.table, self.weights, self.inside = table, weights, inside
        self.leaf: int = weights.leaf(inside)
        ways: dict[int, int] = {}  # of features that split the set in the same way, one
        for number, mask in enumerate(table.masks):
            one = inside & mask
            if one and one != inside:
                ways.setdefault(min(one, inside ^ one), number)
        self.features = list(ways.values())
        self.sides = [
            (inside & ~mask, inside & mask) for mask in map(table.masks.__getitem__, self.features)
        ]
        # Of each side of each split the least errors with 0 and 1 inner nodes, once they are
        # counted, then with 2 and (at depth two) 3.
        self.found: list[tuple[list[int], list[int]]] = []
        self.recent: list[tuple[int, list[int]]] = []  # sides for which all four are known

    # ------------------------------------------------------------------------------- what is asked
    def undercut(self, needs: list[int], depth: float) -> int | None:
        """Some k such that a tree with k inner nodes, within this depth, makes fewer than needs[k]
        errors; None if there is none. Of the needs each is at most the one before."""
        if self.leaf < needs[0]:
            return 0
        most = 0 if depth <= 1 else 1 if depth <= 2 else 3  # inner nodes of one side
        shares = [
            (k, a, k - 1 - a)
            for k in range(1, len(needs))
            for a in range(min(most, k - 1) + 1)
            if depth >= 1 and k - 1 - a <= most
        ]

        def fails(zero: list[int], one: list[int]) -> int | None:
            return next((k for k, a, b in shares if zero[a] + one[b] < needs[k]), None)

        for split in range(len(self.features) if shares else 0):
            zero, one = self.known(split)
            if fails([*zero, 0, 0], [*one, 0, 0]) is None:
                continue
            if len(zero) == 2:
                lows = [
                    self.similar(self.sides[split][side], self.known(split)[side])
                    for side in (0, 1)
                ]
                if fails(*lows) is None:
                    continue
                zero, one = self.counted(split)
            k = fails(zero, one)
            if k is not None:
                return k
        return None

    def side(self, split: int, side: int, inner: int, enough: int) -> int:
        """The least errors of a side with up to two inner nodes, if that is less than `enough`,
        else a number that is not."""
        known = self.known(split)[side]
        if inner < len(known):
            return known[inner]
        low = self.similar(self.sides[split][side], known)[inner]
        return low if low >= enough else self.counted(split)[side][inner]

    # ---------------------------------------------------------------------------------- the counts
    def known(self, split: int) -> tuple[list[int], list[int]]:
        """What is known of the sides of a split."""
        if not self.found:
            self.begin()
        return self.found[split]

    def similar(self, side: int, known: list[int]) -> list[int]:
        """Lower bounds from sides that were counted: what one has beside another is at most
        wrong."""
        low = [*known, 0, 0]
        for other, errors in self.recent:
            if errors[2] > low[2]:
                lost = self.weights.lost(other & ~side)
                low[2] = max(low[2], errors[2] - lost)
                low[3] = max(low[3], errors[3] - lost)
        return low

    def begin(self) -> None:
        """Count the pairs of all examples, and so every side with up to one inner node."""
        m = len(self.features)
        pick = itemgetter(*self.features) if m > 1 else lambda row: row[self.features[0]]
        bits = format(self.inside, "b")[::-1]
        members = [e for e, bit in enumerate(bits) if bit == "1"]
        self.groups = []
        for label, planes in enumerate(self.weights.planes):
            for digit, plane in enumerate(planes):
                rows = ["".join(pick(self.table.rows[e])) for e in members if plane >> e & 1]
                has = "".join(rows).encode().translate(bytes.maketrans(b"01", b"\0\1"))
                self.groups.append(Group(label, digit, rows, has))
        step = max(1, MOST_BLOCK // (m // 8 + 1))
        self.blocks = [Fields(range(g, min(m, g + step)), m) for g in range(0, m, step)]
        self.pairs: list[list[list[int]]] = []  # of each block, of each group
        if sum(len(group.rows) for group in self.groups) * m * (m // 8 + 1) <= MOST_KEPT:
            self.pairs = [
                [list(map(block.pairs, group.rows)) for group in self.groups]
                for block in self.blocks
            ]
        self.totals = [self.sums(number, None, 0) for number in range(len(self.blocks))]
        for block, total in zip(self.blocks, self.totals, strict=True):
            below = block.below(total)
            for place in range(1, len(block.splits) + 1):
                at = 8 * block.bytes * place + block.m
                zero, one = (
                    [
                        sum((plane >> at & 1) << k for k, plane in enumerate(planes))
                        for planes in side
                    ]
                    for side in below
                )
                self.found.append((zero, one))

    def sums(self, number: int, split: int | None, side: int) -> list[Planes]:
        """For each class the weight of the examples on this side, or of all, that have both splits
        of a pair."""
        block, m = self.blocks[number], len(self.features)
        rows: list[list[list[int]]] = [[] for _ in self.weights.planes]
        for place, group in enumerate(self.groups):
            pairs: Iterable[int]
            pairs = self.pairs[number][place] if self.pairs else map(block.pairs, group.rows)
            if split is not None:
                has = group.has[split::m]
                pairs = compress(pairs, has if side else has.translate(NOT))
            rows[group.label].append(list(pairs))
        return [count(digits) for digits in rows]

    def counted(self, split: int) -> tuple[list[int], list[int]]:
        """The sides of a split with up to three inner nodes at depth two, counted. The examples of
        the smaller side are counted, the others are the rest."""
        few = 0 if self.sides[split][0].bit_count() < self.sides[split][1].bit_count() else 1
        two, three = [inf, inf], [inf, inf]
        for number, (block, total) in enumerate(zip(self.blocks, self.totals, strict=True)):
            mine = self.sums(number, split, few)
            rest = [subtract(a, b) for a, b in zip(total, mine, strict=True)]
            for side, sums in ((few, mine), (1 - few, rest)):
                (leaf_0, one_0), (leaf_1, one_1) = block.below(sums)
                mixed = add(leaf_0, one_1), add(one_0, leaf_1)
                two[side] = min(two[side], *(least(each, block.of_splits) for each in mixed))
                three[side] = min(three[side], least(add(one_0, one_1), block.of_splits))
        for side, known in enumerate(self.found[split]):
            known += [int(two[side]), int(three[side])]
            self.recent.insert(0, (self.sides[split][side], known))
        del self.recent[MOST_RECENT:]
        return self.found[split]
