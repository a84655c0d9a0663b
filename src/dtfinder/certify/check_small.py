"""The part of check.py that counts: least errors of small trees; standard library only.

A proof about errors leaves small trees to its checker, who tries all of them: those with up to
three inner nodes, and those of depth three. On a set of examples with m different splits these are
about m * m * m / 6 triples of splits for the first two levels and one side below, far too many to
look at one by one in Python. So many are counted at once.

One split. Of some examples, let W(c) be what those of class c weigh. A leaf of class c is right
about W(c). Let a split j have leaves of class c where it holds and of class d where it does not,
and let its *lead* be the weight of class c less that of class d among the examples where it holds.
Then the two leaves are right about W(d) + lead; the other way round, about W(c) - lead. So the best
split of all needs no more than the largest and the smallest lead, for each two classes.

Many numbers at once. An integer of Python has as many binary digits as one likes. Let every *place*
(the position of a bit) stand for a number of its own: a list of integers, the *planes*, holds the
numbers of all places, plane k their digits worth 2**k. To add or subtract, work from digit to digit
as on paper, with a carry; `&`, `|`, `^` do it at all places in one go.

Places. The pair of splits (g, j) has the place g * width + j. So split g has a *field* of `width`
places. An example's *pairs* are the places (g, j) of which it has both. Count for each place the
examples of class c that have both, and those of class d that have not: that is the lead of j among
the examples with g, and the weight of class d more, the *shift*, so it is never negative. With the
examples of one side of a split f in place of all, it tells of trees of depth two below f. The
examples of a side are few; the counts of the other side follow, as both sides together are known.

One number for each field. The upper bits of each field are free, and hold a number that belongs to
its split, such as the largest lead. These are added and subtracted as they stand, field by field in
one go, as long as no number gets too long or negative.

Each pair once. Below f the sides of g are the same sets as below g the sides of f. So the splits
are taken in blocks, and when all of a block are counted, later ones need not look at its fields.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import combinations, compress, zip_longest
from operator import itemgetter
from typing import Any, NamedTuple

Planes = list[int]

MOST_KEPT = 2**26  # bytes of the pairs of all examples
MOST_BLOCK = 2**20  # bytes of the places for some of the splits
FEW_BLOCK = 2**11  # bytes of places for which it does not pay to have a block
MOST_RECENT = 64  # sides that others are compared with
MOST_COUNTED = 2**16  # sides, of all sets, whose errors are remembered
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


def total(a: Planes, b: Planes) -> Planes:
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


# -------------------------------------------------------------------------------------- the fields
def zero_one(row: str) -> bytes:
    """A byte 0 or 1 for each digit."""
    return row.encode().translate(bytes.maketrans(b"01", b"\0\1"))


class Fields:
    """The fields of some splits. The first field is not of a split but of all examples, which have
    all that they have. Numbers of fields are less than four times the weight of all examples."""

    def __init__(self, splits: range, m: int, weight: int) -> None:
        self.splits, self.m, self.count = splits, m, len(splits) + 1
        self.digits = (4 * weight).bit_length()  # of a number; it is followed by a spare one
        self.start = (m + 7) // 8 * 8  # of the number
        self.width = self.start // 8 + self.digits // 8 + 1  # in bytes
        self.places = self.repeat((1 << m) - 1)
        self.below_number = self.repeat((1 << self.start) - 1)
        self.ones = self.repeat(1 << self.start)  # the number 1
        self.spare = self.ones << self.digits
        self.waiting = {2: len(splits), 3: len(splits)}  # whose sides are not counted

    def joined(self, fields: Iterable[bytes]) -> int:
        """Fields side by side, from the lowest places on."""
        return int.from_bytes(b"".join(fields), "little")

    def repeat(self, field: int) -> int:
        """The same in each field."""
        return self.joined([field.to_bytes(self.width, "little")] * self.count)

    def pairs(self, row: str) -> int:
        """The pairs of an example, given as a string of 0 and 1: in the field of each split that it
        has, all that it has."""
        where = bytearray(self.count * self.width)  # 1 at the start of these fields
        where[0] = 1
        where[self.width :: self.width] = zero_one(row[self.splits.start : self.splits.stop])
        return int("0" + row[::-1], 2) * int.from_bytes(where, "little")

    def no_pairs(self, row: str) -> int:
        """All other places."""
        return self.pairs(row) ^ self.places

    def numbers(self, values: Sequence[int]) -> int:
        """A number for each field."""
        made = bytearray(self.count * self.width)
        for byte in range((max(values).bit_length() + 7) // 8):
            digits = bytes([value >> 8 * byte & 255 for value in values])
            made[self.start // 8 + byte :: self.width] = digits
        return int.from_bytes(made, "little")

    def values(self, numbers: int) -> list[int]:
        """The number of each field."""
        in_bytes = numbers.to_bytes(self.count * self.width, "little")
        made = list(in_bytes[self.start // 8 :: self.width])
        for byte in range(1, self.width - self.start // 8):
            more = in_bytes[self.start // 8 + byte :: self.width]
            made = [a + (b << 8 * byte) for a, b in zip(made, more, strict=True)]
        return made

    def smaller(self, a: int, b: int) -> int:
        """The smaller number of each field. Where a is not larger, b - a leaves the spare digit."""
        where = (b + self.spare - a) & self.spare
        digits = where - (where >> self.digits)  # of these numbers
        return b ^ ((a ^ b) & digits)

    def extreme(self, planes: Planes, largest: bool) -> int:
        """For each field the largest, or the least, number of its places. It is read from the
        highest digit on: if one of those that are left has a 1 there (a 0), so has the largest (the
        least). All ones added, the fields with one or more of these overflow into their numbers."""
        left, made = self.places, 0
        for digit in range(len(planes) - 1, -1, -1):
            plane = planes[digit]
            good = plane if largest else plane ^ self.places
            some = ((left & good) + self.below_number) & self.ones
            none = some ^ self.ones
            left &= good | (none - (none >> self.start))  # all that are left, where none is good
            made |= (some if largest else none) << digit
        return made

    def leads(self, counts: Planes, shift: int) -> list[Leads]:
        """The extreme leads in the examples without each split, and in those with it. The leads of
        both sides sum up to those of all examples, in the first field."""
        ones = (1 << self.m) - 1
        first = [plane & ones for plane in counts]
        shifts = [ones if shift >> k & 1 else 0 for k in range(shift.bit_length())]
        without = subtract([self.repeat(plane) for plane in total(first, shifts)], counts)
        while without and not without[-1]:
            del without[-1]
        return [
            Leads(self.extreme(each, False), self.extreme(each, True)) for each in (without, counts)
        ]

    def least_errors(
        self, weights: Sequence[int], leads: dict[tuple[int, int], Leads], shifts: Sequence[int]
    ) -> Errors:
        """From the weights of each class and the leads of every two: what is not right. The leads
        of the classes c and d are shifted by what belongs to d."""
        wrong = [sum(weights) - each for each in weights]  # of a leaf of each class
        leaf = wrong[0]
        for each in wrong[1:]:
            leaf = self.smaller(leaf, each)
        one = leaf
        for (c, d), lead in leads.items():
            shift = self.ones * shifts[d]
            one = self.smaller(one, wrong[d] + shift - lead.largest)
            one = self.smaller(one, wrong[c] + lead.least - shift)
        return Errors(leaf, one)

    def join(self, zero: Errors, one: Errors, inner: int) -> int:
        """The least errors of two sides together with one split in either, or in both for `inner` =
        3; with the split above them these are two, or three."""
        if inner == 3:
            return zero.one + one.one
        return self.smaller(zero.leaf + one.one, zero.one + one.leaf)


class Leads(NamedTuple):
    """The least and the largest lead of all splits, on the side of the split of each field."""

    least: int
    largest: int


class Errors(NamedTuple):
    """The errors of a leaf, and of the best split, on the side of the split of each field."""

    leaf: int
    one: int


# -------------------------------------------------------------------------------------- the counts
class Table:
    """The examples as strings of their features, with their net weights by class; and the sides of
    all sets that were counted, with their least errors with two splits, or three at depth two."""

    def __init__(self, masks: list[int], net: list[list[int]]) -> None:
        self.masks, self.net = masks, net
        columns = [format(mask, f"0{len(net)}b")[::-1] for mask in masks]
        self.rows = list(map("".join, zip(*columns, strict=True))) or [""] * len(net)
        self.counted: dict[tuple[int, int], int] = {}  # by side and splits


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
        if len(self.features) ** 2 > 8 * FEW_BLOCK:
            # Promising splits first: these are counted, so that their blocks are done.
            self.features.sort(key=self.errors_of)
        self.sides = [
            (inside & ~mask, inside & mask) for mask in map(table.masks.__getitem__, self.features)
        ]
        # The least errors of both sides of each split with 0 and 1 inner nodes, once they are
        # counted; and with 2, or 3 at depth two, by split and number.
        self.found: list[tuple[list[int], list[int]]] = []
        self.more: dict[tuple[int, int], list[int]] = {}
        self.recent: dict[int, list[tuple[int, int]]] = {2: [], 3: []}  # sides, by number

    def errors_of(self, feature: int) -> int:
        """The errors of one split."""
        one = self.inside & self.table.masks[feature]
        return int(self.weights.leaf(one) + self.weights.leaf(self.inside ^ one))

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
        inner = max((a for _, a, _ in shares), default=0)

        def fails(*low: list[int]) -> int | None:
            zero, one = low
            return next((k for k, a, b in shares if zero[a] + one[b] < needs[k]), None)

        for split in range(len(self.features) if shares else 0):
            known = self.known(split)
            k = fails(*([*each, 0, 0] for each in known))
            if k is not None and inner > 1:
                similar = [self.similar(side, inner) for side in self.sides[split]]
                k = fails(*([*each, low, low] for each, low in zip(known, similar, strict=True)))
            if k is not None and inner > 1:  # what holds with three inner nodes holds with two
                counted = self.counted(split, inner)
                k = fails(*([*each, low, low] for each, low in zip(known, counted, strict=True)))
            if k is not None and inner > 2:
                two, three = self.counted(split, 2), self.counted(split, 3)
                k = fails(*([*each, a, b] for each, a, b in zip(known, two, three, strict=True)))
            if k is not None:
                return k
        return None

    def side(self, split: int, side: int, inner: int, enough: int) -> int:
        """The least errors of a side with up to two inner nodes, if that is less than `enough`,
        else a number that is not."""
        if inner < 2:
            return self.known(split)[side][inner]
        if (split, 2) not in self.more:
            low = self.similar(self.sides[split][side], 2)
            if low >= enough:
                return low
        return self.counted(split, 2)[side]

    # ---------------------------------------------------------------------------------- the counts
    def known(self, split: int) -> tuple[list[int], list[int]]:
        """The least errors of the sides of a split with 0 and 1 inner nodes."""
        if not self.found:
            self.begin()
        return self.found[split]

    def similar(self, side: int, inner: int) -> int:
        """A lower bound from sides that were counted: itself, or others, as what one has beside
        another is at most wrong. (Each example weighs 1 or more.)"""
        if (side, inner) in self.table.counted:
            return self.table.counted[side, inner]
        low, not_side = 0, self.inside & ~side
        for other, errors in self.recent[inner]:
            beside = other & not_side
            if errors - beside.bit_count() > low:
                low = max(low, errors - self.weights.lost(beside))
        return low

    def begin(self) -> None:
        """Count the pairs of all examples, and so every side with up to one inner node."""
        m = len(self.features)
        classes = range(len(self.weights.planes))
        if len(classes) < 2:
            self.found = [([0, 0], [0, 0])] * m
            self.more = {(split, inner): [0, 0] for split in range(m) for inner in (2, 3)}
            return
        pick = itemgetter(*self.features) if m > 1 else lambda row: row[self.features[0]]
        bits = format(self.inside, "b")[::-1]
        members = [e for e, bit in enumerate(bits) if bit == "1"]
        self.groups = []
        for label, planes in enumerate(self.weights.planes):
            for digit, plane in enumerate(planes):
                rows = ["".join(pick(self.table.rows[e])) for e in members if plane >> e & 1]
                has = zero_one("".join(rows))
                self.groups.append(Group(label, digit, rows, has))
        self.pairs_of_classes = list(combinations(classes, 2))
        examples = sum(len(group.rows) for group in self.groups)
        few = FEW_BLOCK // (m // 8 + 1)  # splits
        step = max(1, min(max(m // 8, few), MOST_BLOCK // (m // 8 + 1)))
        weight = self.weights.lost(self.inside)
        self.blocks = [Fields(range(g, min(m, g + step)), m, weight) for g in range(0, m, step)]
        # The pairs of the examples, for each block and two classes; a list of each group.
        self.kept: dict[tuple[int, tuple[int, int]], list[list[int]]] = {}
        self.keeps = (len(classes) - 1) * examples * m * (m // 8 + 1) <= MOST_KEPT
        self.all_of = [self.weights_of(self.inside, block) for block in self.blocks]
        self.totals = []
        # By inner nodes, block and side, what splits that are counted tell of those of the block.
        self.later: dict[tuple[int, int, int], int] = {}
        for number, block in enumerate(self.blocks):
            self.totals.append(self.counts(number, None, 0))
            below = self.below(number, self.inside, self.all_of[number], self.totals[-1])
            sides = [zip(*map(block.values, side), strict=True) for side in below]
            self.found += [(list(zero), list(one)) for zero, one in zip(*sides, strict=True)][1:]

    def weights_of(self, members: int, block: Fields) -> list[int]:
        """For each class, what those of the members weigh that have each split of a block."""
        ones = [one for _, one in self.sides[block.splits.start : block.splits.stop]]
        made = []
        for planes in self.weights.planes:
            values = 0
            for digit, plane in enumerate(planes):
                own = members & plane
                counts = [own.bit_count(), *[(own & one).bit_count() for one in ones]]
                values += block.numbers(counts) << digit
            made.append(values)
        return made

    def counts(self, number: int, split: int | None, side: int) -> dict[tuple[int, int], Planes]:
        """For every two classes the counts of the examples on this side, or of all: of the first
        one, those that have both splits of a pair, of the other one, those that have not."""
        block, m = self.blocks[number], len(self.features)
        made = {}
        for classes in self.pairs_of_classes:
            groups = [group for group in self.groups if group.label in classes]
            kept = self.kept.get((number, classes))
            if kept is None:
                kept = [
                    list(
                        map(
                            block.pairs if group.label == classes[0] else block.no_pairs, group.rows
                        )
                    )
                    for group in groups
                ]
                if self.keeps:
                    self.kept[number, classes] = kept
            digits: list[list[int]] = [
                [] for _ in range(max((group.digit + 1 for group in groups), default=0))
            ]
            for group, pairs in zip(groups, kept, strict=True):
                chosen: Iterable[int] = pairs
                if split is not None:
                    has = group.has[split::m]
                    chosen = compress(pairs, has if side else has.translate(NOT))
                digits[group.digit] += chosen
            made[classes] = count(digits)
        return made

    def below(
        self, number: int, members: int, having: list[int], counts: dict[tuple[int, int], Planes]
    ) -> list[Errors]:
        """The least errors of the members without, and with, each split of a block."""
        block = self.blocks[number]
        shifts = [
            self.weights.of_class(label, members) for label in range(len(self.weights.planes))
        ]
        others = [block.ones * all_ - n for all_, n in zip(shifts, having, strict=True)]
        leads = {pair: block.leads(each, shifts[pair[1]]) for pair, each in counts.items()}
        return [
            block.least_errors(weights, {pair: each[side] for pair, each in leads.items()}, shifts)
            for side, weights in enumerate((others, having))
        ]

    def counted(self, split: int, inner: int) -> list[int]:
        """The least errors of the sides of a split with two inner nodes, or three at depth two."""
        found = self.more.get((split, inner))
        if found is None:
            remembered, sides = self.table.counted, self.sides[split]
            found = [remembered.get((side, inner), -1) for side in sides]
            if -1 in found:
                found = self.count_below(split, inner)
                if len(remembered) >= MOST_COUNTED:
                    remembered.clear()
                remembered.update(((side, inner), n) for side, n in zip(sides, found, strict=True))
            self.more[split, inner] = found
            self.recent[inner] = [*zip(sides, found, strict=True), *self.recent[inner]][
                :MOST_RECENT
            ]
        return found

    def count_below(self, split: int, inner: int) -> list[int]:
        """As `counted`. The examples of the smaller side are counted, the others are the rest."""
        best = self.known_later(split, inner)
        sides = self.sides[split]
        few = 0 if sides[0].bit_count() < sides[1].bit_count() else 1
        for number, block in enumerate(self.blocks):
            if not block.waiting[inner]:
                continue
            mine = self.counts(number, split, few)
            rest = {pair: subtract(self.totals[number][pair], mine[pair]) for pair in mine}
            my_weights = self.weights_of(sides[few], block)
            rest_weights = [a - b for a, b in zip(self.all_of[number], my_weights, strict=True)]
            cells = [self.below(number, sides[few], my_weights, mine)]
            cells.insert(1 - few, self.below(number, sides[1 - few], rest_weights, rest))
            for side, (zero, one) in enumerate(cells):
                best[side] = min(best[side], *block.values(block.join(zero, one, inner)))
            for side in (0, 1) if len(self.blocks) > 1 else ():  # of the splits of the block
                errors = block.join(cells[0][side], cells[1][side], inner)
                known = self.later.get((inner, number, side), errors)
                self.later[inner, number, side] = block.smaller(known, errors)
        next(block for block in self.blocks if split in block.splits).waiting[inner] -= 1
        return best

    def known_later(self, split: int, inner: int) -> list[int]:
        """What splits that were counted tell of the sides of this one; at least a leaf's errors."""
        best = [leaf for leaf, _ in self.known(split)]
        for number, block in enumerate(self.blocks):
            if split in block.splits:
                for side in (0, 1):
                    later = self.later.get((inner, number, side))
                    if later is not None:
                        place = split - block.splits.start + 1
                        best[side] = min(best[side], block.values(later)[place])
        return best
