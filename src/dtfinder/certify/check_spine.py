"""The part of check.py that follows spine proofs; it needs only the standard library.

Every feature is oriented so that at most half of the examples have it; these are its *group*. From
the root of a smallest tree follow the side without the oriented feature to a leaf: the *spine*. An
example reaches that leaf, or a node could be spared, so its class is one that an example allows:
the proof has a section for each. A node of the spine hangs off the part B of its group that is
still there, and costs 1 + cost(B), where cost(B) is the number of inner nodes of a smallest tree
for B. B is not empty, or the node could be spared; afterwards nothing of the group is left, so none
comes twice.

So every smallest tree whose spine ends in a class is a point of the *program* of that class, with
columns that are 0 or 1. A small group, of at most g examples, has a column for each nonempty B, of
price 1 + cost(B). A large one has x of price 1 (it is on the spine) and for each class two kinds of
columns of price 0, `on` (the spine of the tree for B ends in that class) and for each member e
`present` (that, and e is in B), and a program nested within for that spine, whose universe is the
group. The groups of a nested program are what its universe has of each feature, but not nothing nor
all of it: a node that leaves nothing behind could be spared. use(G) is x, or the sum of the columns
of a small G; take(G, e) sums the columns of G with e in B, or `present` of e. In the program of all
examples `on` and `present` are the constant 1. These rows hold for the tree, in every program:

  y  use(G) <= on                              no group is on the spine twice
  e  sum of all take(., e) = present(e)        an example is hung off once; if it allows the class
                                               of the program, it may get to the leaf instead: <=
  u  use(G) + present(e) - sum of all take(., e) <= on         a member of G does not get past G
  t  present(e) <= on                          for the programs within a large group
  s  x = sum of `on` over the classes          the tree for B has one spine
  p  [F takes of G] + [G takes of F] <= on                     for two groups that overlap
  k  sum of [each takes of the next] <= (k - 1) on             for k groups in a circle

A group that takes something of G is before G, or G is not on the spine: nothing of G is left after
it. That shows k, and p is the circle of two. [F takes of G] sums the columns of a small F whose B
meets G; for a large F it is take(F, e) for one e of both that is named.

Weights of rows give a bound, positive ones for equations only, negative ones for any row: as all
rows compare with 0, no point has a lower price than the sum of the reduced costs (price less
weighted coefficients) of the constants and of those columns, among the ones that are not closed,
for which it is negative. R closes columns: if the bound and a positive reduced cost together exceed
T, no tree of at most T inner nodes has that column. U and H branch: use(G), or take(G, e), is 0 or
1. If it is 0, the columns that it sums are closed, and without x all of a large group. If it is 1,
the row y of G, or e of e, is an equation, and what is excluded then is closed: other columns that
take e, and those of a small G without e. In a nested program the same then goes for the group that
it is within, whose programs of other classes are closed. All that holds as far as the branch goes.
At every leaf L the bound exceeds T. So no tree has at most T inner nodes.

In the code a set of examples is an integer with bit e for example e, as in check.py. The columns
with a price of a group have numbers from 0 on. In a small group number b stands for the set B of
those members whose place in `members` is the place of a binary digit 1 of b; b = 0, no member, is
no column, and its price is never used. In a large group x has number 1, and there is no column 0. A
set of such columns is an integer, too, with bit b for column b.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable
from functools import lru_cache
from typing import Any, NamedTuple

SCALE = 2**20  # weights are given in such parts
MOST = 2**22  # columns of small groups, all in all
WORK = 2**23  # steps of work, all in all, and more in proportion to the proof: see `spend`
END = "the end"
HEAD = re.compile(r"(?a)spine (0|[1-9]\d{0,8}) ([1-9]|1[0-6])")
LINE = re.compile(
    r"(?a)[LR]( [a-z\d./]++ (0|-?[1-9]\d{0,17}))*+|(U [n\d./]+|H [n\d./]+ \d{1,9}) [01]"
    r"|K( [n\d./]+/)?( \d{1,9} (-1|\d{1,9})){2,}+"
)
ROW = re.compile(r"(?a)([n\d./]+/)?([yesutp])(\d{1,9})(?:\.(\d{1,9}))?(?:\.(\d{1,9}))?")

# A column, or a sum of columns: a kind, a group or program, and an example (-1 where there is none;
# for "meet" a set of examples). The kinds are
#   ("use", group, -1), ("take", program, e)  as above, take summed over all groups of the program
#   ("meet", group, set)                      the columns of the group whose B meets the set
#   ("on", program, -1), ("present", program, e)
Key = tuple[str, Any, int]


class Wrong(ValueError):
    """The proof fails; the text says where."""


class TooLarge(MemoryError):
    """The proof needs more work than this checker spends on one of its size."""


def need(holds: bool, otherwise: str) -> None:
    """Reject the proof unless `holds`."""
    if not holds:
        raise Wrong(otherwise)


def set_of(flags: Iterable[bool]) -> int:
    """The set of the numbers whose flag is true, made from its binary digits, the last one first
    (setting bit after bit would copy a large integer each time)."""
    digits = ["1" if flag else "0" for flag in flags]
    digits.reverse()
    return int("0" + "".join(digits), 2)


class Program:
    """The spines in a universe that end in a class; a nested one is within the group `home`."""

    def __init__(self, universe: int, label: int, home: Group | None = None) -> None:
        self.universe, self.label, self.home = universe, label, home
        self.groups: dict[int, Group] = {}  # by their sets of examples
        self.around: dict[int, list[Group]] = defaultdict(list)  # the groups that have an example

    def columns(self) -> list[Key]:
        """The columns that say that there is this spine, and which examples."""
        found: list[Key] = [("on", self, -1)]
        if self.home is not None:
            for e in self.home.members:
                found.append(("present", self, e))
        return found


class Group:
    """A group of a program, with the programs within if it is large."""

    def __init__(self, program: Program, mask: int, small: bool, classes: int) -> None:
        self.program, self.mask, self.small = program, mask, small
        self.members = [e for e in range(mask.bit_length()) if mask >> e & 1]
        self.within: dict[int, Program] = {}  # by class
        if not small:
            for label in range(classes):
                self.within[label] = Program(mask, label, self)

    def count(self) -> int:
        """How many columns with a price it has, with number 0."""
        return 2 ** len(self.members) if self.small else 2

    def all(self) -> int:
        """The set of all its columns with a price."""
        return (1 << self.count()) - 1

    def local(self, mask: int) -> int:
        """The number of the column of a small group for a set of examples."""
        return sum(1 << place for place, e in enumerate(self.members) if mask >> e & 1)

    def taking(self, e: int) -> int:
        """The set of the columns of a small group with the example e."""
        bit = self.local(1 << e)
        return set_of(b & bit != 0 for b in range(self.count()))

    def close(self, cut: Cut) -> None:
        """Close all columns: the group is not on the spine."""
        cut.columns[self] = self.all()
        for program in self.within.values():
            cut.free.update(program.columns())

    def close_taking(self, cut: Cut, e: int) -> None:
        """Close the columns that take e."""
        if self.small:
            cut.columns[self] = self.taking(e)
        for program in self.within.values():
            cut.free.add(("present", program, e))


class Row(NamedTuple):
    """Terms that sum to 0, or to at most 0, unless a branch makes an equation of it by name."""

    equation: bool
    terms: list[tuple[Key, int]]
    name: Any = None


class Cut(NamedTuple):
    """What a line closes: sets of columns with a price, by group, and in all other groups those
    with prices above the limit, if there is one; columns without a price. And rows that it makes
    equations."""

    columns: dict[Group, int]
    free: set[Key]
    equations: set[Any]
    limit: int | None = None


class Spine:
    """A proof that every tree has more than a number of inner nodes."""

    def __init__(self, data: Any) -> None:
        self.data = data
        everything = (1 << len(data.labels)) - 1
        self.oriented = []
        for mask in data.masks:
            if 2 * mask.bit_count() > len(data.labels):
                mask = everything & ~mask
            self.oriented.append(mask)
        # Those that an example allows. A leaf of a smallest tree has a class that all its examples
        # allow, and it has one example at least.
        self.classes = [label for label, allowing in enumerate(data.of_class) if allowing]
        self.top = Program(everything, -1)  # its class is that of the section
        self.prices = lru_cache(None)(self.price_columns)
        self.above = lru_cache(2**12)(self.columns_above)
        self.most = 0  # what is proven: every tree has more inner nodes
        self.small = 0  # the largest small group
        self.columns = 0  # how many columns of small groups have prices
        self.work, self.most_work = 0, WORK
        self.ends = 0  # leaves of the proof
        self.circles = 0  # lines K of the section
        self.due = ""  # the only line that may come next, or any
        self.forks: list[tuple[str, int]] = []  # second branches, and how long the path is there
        self.rows: dict[str, Row] = {}  # that were named in the section
        self.path: list[Cut] = []  # what is closed where the proof is

    def spend(self, steps: int) -> None:
        """Count work before it is done. The proof is not trusted: a few of its bytes may name many
        columns."""
        self.work += steps
        if self.work > self.most_work:
            raise TooLarge(f"the proof needs more than {self.most_work} steps to check")

    def read(self, proof: Iterable[str]) -> None:
        """Check the section of every class."""
        lines = list(proof)
        self.most_work = WORK + 256 * sum(map(len, lines))
        head = HEAD.fullmatch(lines[0] if lines else "")
        if head is None:
            raise Wrong("the proof does not start with `spine`, a bound and the size of groups")
        most, self.small = int(head[1]), int(head[2])
        starts = [n for n, line in enumerate(lines) if line.startswith("C")]
        due = sorted(f"C {label}" for label in self.classes)
        need(sorted(lines[n] for n in starts) == due, f"its sections are not {due}")
        need(starts[:1] == [1], "it does not start with a section")
        for start, end in zip(starts, [*starts[1:], len(lines)], strict=True):
            self.top.label, self.circles = int(lines[start][2:]), 0
            self.rows, self.path = {}, []
            self.section(lines, range(start + 1, end), most * SCALE)
        self.most = most

    def section(self, lines: list[str], numbers: range, most: int) -> None:
        """Follow all branches for the class of the spine, depth first. After a leaf the second
        branch of the last fork is due, and once no fork is left, the end."""
        self.due = ""
        self.forks = []
        for number in numbers:
            line = lines[number]
            try:
                self.follow(line, most)
            except (ValueError, LookupError) as error:
                raise Wrong(f"line {number} of the proof ({line[:60]}): {error}") from None
        need(self.due == END, f"class {self.top.label}: {self.due or 'a leaf'} is missing")

    def follow(self, line: str, most: int) -> None:
        """Check one line of a section."""
        need(self.due in ("", line), f"here {self.due} is due")
        need(LINE.fullmatch(line) is not None, "this is not a line of such a proof")
        kind, *words = line.split(" ")
        if kind == "K":
            self.rows[f"k{self.circles}"] = self.circle(words)
            self.circles += 1
        elif kind == "R":
            bound, sums, free = self.weigh(words)
            self.path.append(self.closing(most, bound, sums, free))
        elif kind == "L":
            bound, _, _ = self.weigh(words)
            need(bound > most, f"its bound is {bound} of more than {most} parts")
            self.due = END
            if self.forks:
                self.due, length = self.forks.pop()
                del self.path[length:]
            self.ends += 1
        else:
            if not self.due:  # a first branch
                other = "0" if line.endswith("1") else "1"
                self.forks.append((line[:-1] + other, len(self.path)))
            self.due = ""
            self.path.append(self.branch(kind, *words))

    # ---------------------------------------------------------------------------------- the rows
    def program(self, prefix: str | None) -> Program:
        """The program that a prefix names, `n12.0/n7.1/` for instance, with its groups."""
        made = self.top
        self.make_groups(made)
        for part in (prefix or "").split("/")[:-1]:
            need(re.fullmatch(r"(?a)n\d{1,9}\.\d{1,9}", part) is not None, f"no program {part}")
            feature, label = part[1:].split(".")
            made = self.group(made, feature).within[int(label)]
            self.make_groups(made)
        return made

    def make_groups(self, program: Program) -> None:
        """Make the groups of a program, unless they are there."""
        if program.groups:
            return
        self.spend(len(self.oriented))
        for mask in {mask & program.universe for mask in self.oriented}:
            if mask not in (0, program.universe):
                small = mask.bit_count() <= self.small
                self.spend(mask.bit_length() + mask.bit_count() * len(self.data.of_class))
                group = Group(program, mask, small, len(self.data.of_class))
                program.groups[mask] = group
                for e in group.members:
                    program.around[e].append(group)

    def group(self, program: Program, feature: str) -> Group:
        """The group of a feature."""
        return program.groups[self.oriented[int(feature)] & program.universe]

    def example(self, row: str, mask: int) -> int:
        """The example of a row of the table; it has to be in the set."""
        e: int = self.data.example_of_row[int(row)]
        need(mask >> e & 1 == 1, f"row {row} is not there")
        return e

    def row(self, name: str) -> Row:
        """The row of that name, with all on its left side."""
        found = ROW.fullmatch(name)
        if found is None:
            raise Wrong(f"there is no row {name}")
        prefix, kind, first, second, third = found.groups()
        program = self.program(prefix)
        given = 1 + (second is not None) + (third is not None)
        if kind == "p":
            need(given in (2, 3), f"there is no row {name}")
        else:
            need(given == {"u": 2, "t": 3}.get(kind, 1), f"there is no row {name}")
        on: Key = ("on", program, -1)
        if kind == "e":
            e = self.example(first, program.universe)
            terms: list[tuple[Key, int]] = [
                (("take", program, e), 1),
                (("present", program, e), -1),
            ]
            allows = self.data.of_class[program.label] >> e & 1 == 1
            return Row(not allows, terms, (program, e))
        group = self.group(program, first)
        use: Key = ("use", group, -1)
        if kind == "y":
            return Row(False, [(use, 1), (on, -1)], group)
        if kind == "u":
            e = self.example(second, group.mask)
            terms = [(use, 1), (("take", program, e), -1), (("present", program, e), 1), (on, -1)]
            return Row(False, terms)
        if kind == "p":
            # The example is for the large ones of the two groups; it is there if one is large.
            words = [prefix or ""]
            large = False
            for feature in (first, second):
                words.append(feature)
                if self.group(program, feature).small:
                    words.append("-1")
                else:
                    large = True
                    words.append("-1" if third is None else third)
            need(large == (third is not None), "its row is for large groups")
            return self.circle(words)
        need(not group.small, f"the group of {first} is small")
        if kind == "s":
            terms = [(use, 1)]
            for nested in group.within.values():
                terms.append((("on", nested, -1), -1))
            return Row(True, terms)
        nested, e = group.within[int(second)], self.example(third, group.mask)
        return Row(False, [(("present", nested, e), 1), (("on", nested, -1), -1)])

    def circle(self, words: list[str]) -> Row:
        """The row for groups in a circle: feature and example (-1 for a small group) of each, after
        the prefix of a nested program."""
        prefix = ""
        if len(words) % 2 == 1:
            prefix, *words = words
        program = self.program(prefix)
        groups = [self.group(program, feature) for feature in words[::2]]
        need(len(set(groups)) == len(groups) > 1, "its groups are not different ones")
        terms: list[tuple[Key, int]] = [(("on", program, -1), 1 - len(groups))]
        for group, after, e in zip(groups, groups[1:] + groups[:1], words[1::2], strict=True):
            both = group.mask & after.mask
            need(both != 0 and group.small == (e == "-1"), "its groups do not overlap like that")
            meet = both if group.small else 1 << self.example(e, both)
            terms.append((("meet", group, meet), 1))
        return Row(False, terms)

    # -------------------------------------------------------------------------------- the bounds
    def price_columns(self, mask: int) -> list[int]:
        """The prices of the columns of a group, by their numbers: 1 + cost(B) for a small group.

        cost(B) is 0 if all of B allow some class; otherwise its tree has a root that splits it, and
        costs 1 more than what is left of it on both sides. Subsets of B have smaller numbers."""
        if mask.bit_count() > self.small:
            return [SCALE, SCALE]
        shape = Group(self.top, mask, True, 0)
        self.columns += shape.count()
        need(self.columns <= MOST, "its groups have too many columns")
        splits = {shape.local(m) for m in self.oriented} - {0}
        self.spend(shape.count() * (1 + len(splits)))
        others = [shape.local(mask & ~of_class) for of_class in self.data.of_class]
        cost = [0]
        for b in range(1, shape.count()):
            if any(b & of_others == 0 for of_others in others):
                cost.append(0)
                continue
            sides = [(b & split, b & ~split) for split in splits]
            ways = [1 + cost[one] + cost[zero] for one, zero in sides if one and zero]
            need(bool(ways), "no tree can tell all examples apart")
            cost.append(min(ways))
        return [SCALE * (1 + each) for each in cost]

    def columns_above(self, mask: int, limit: int) -> int:
        """The set of the columns of a group with prices above a limit."""
        return set_of(price > limit for price in self.prices(mask))

    def closed(self, group: Group) -> int:
        """The set of the columns with a price of a group that are closed here."""
        found = 0
        for cut in self.path:
            if group in cut.columns:
                found |= cut.columns[group]
            elif cut.limit is not None:
                found |= self.above(group.mask, cut.limit)
        return found

    def weigh(self, words: list[str]) -> tuple[int, dict[Group, list[int]], dict[Key, int]]:
        """The bound by weighted rows, and the weighted coefficients of the columns they touch: of
        those with a price by group and number, and of the others.

        Columns that no weighted row touches have their price as reduced cost, which is not
        negative, so they add nothing to the bound."""
        self.spend(len(self.path))
        equations: set[Any] = set()
        for cut in self.path:
            equations |= cut.equations
        weights: dict[Key, int] = defaultdict(int)  # of each sum of columns
        for name, word in zip(words[::2], words[1::2], strict=True):
            weight = int(word)
            if name not in self.rows:
                self.rows[name] = self.row(name)
            row = self.rows[name]
            known = weight <= 0 or row.equation or row.name in equations
            need(known, f"row {name} has no lower side for its weight")
            for key, times in row.terms:
                weights[key] += weight * times

        # The groups whose columns the rows touch, and for each the sets that its B may meet.
        bound = 0
        touched: dict[Group, dict[int, int]] = {}
        for (kind, owner, which), weight in weights.items():
            if kind == "take":
                if weight:
                    self.spend(len(owner.around[which]))
                    for group in owner.around[which]:
                        touched.setdefault(group, {})
            elif kind == "meet":
                touched.setdefault(owner, {})[which] = weight
            elif kind == "use":
                touched.setdefault(owner, {})
            elif owner is self.top:
                bound -= weight  # `on` and `present` are constants here
            else:
                touched.setdefault(owner.home, {})

        sums: dict[Group, list[int]] = {}
        free: dict[Key, int] = {}
        for group, meets in touched.items():
            self.spend(group.count() * (1 + len(meets)) + len(self.path))
            takes = [weights.get(("take", group.program, e), 0) for e in group.members]
            total = self.coefficients(group, weights.get(("use", group, -1), 0), takes, meets)
            prices = self.prices(group.mask)
            below = [b for b in range(1, len(total)) if prices[b] < total[b]]
            if below:
                closed = self.closed(group)
                for b in below:
                    if not closed >> b & 1:
                        bound += prices[b] - total[b]
            sums[group] = total
            if not group.small:
                # Columns without a price; those of classes without an example are always 0.
                for label in self.classes:
                    nested = group.within[label]
                    free["on", nested, -1] = weights.get(("on", nested, -1), 0)
                    for e, take in zip(group.members, takes, strict=True):
                        here = weights.get(("present", nested, e), 0)
                        free["present", nested, e] = here + take + meets.get(1 << e, 0)
        self.spend(len(free))
        for key, coefficient in free.items():
            if coefficient > 0:
                self.spend(len(self.path))
                if not any(key in cut.free for cut in self.path):
                    bound -= coefficient
        return bound, sums, free

    def coefficients(
        self, group: Group, use: int, takes: list[int], meets: dict[int, int]
    ) -> list[int]:
        """The weighted coefficients of a group's columns with a price, by their numbers: `use` for
        each, what its members take, and what meets a set. (For a large group takes and meets are
        about `present`, which has no price.)"""
        if not group.small:
            return [0, use]
        total = [use]
        for take in takes:  # the numbers with the next digit 1 follow those without it
            total += [each + take for each in total]
        for meet, weight in meets.items():
            digits = group.local(meet)
            total = [each + weight if b & digits else each for b, each in enumerate(total)]
        total[0] = 0  # no column
        return total

    def closing(
        self, most: int, bound: int, sums: dict[Group, list[int]], free: dict[Key, int]
    ) -> Cut:
        """Close the columns that no tree of at most `most` nodes has: those whose reduced cost and
        the bound exceed it. Columns that were not touched have their price as reduced cost."""
        limit = max(most - bound, 0)
        columns: dict[Group, int] = {}
        for group, total in sums.items():
            pairs = zip(self.prices(group.mask), total, strict=True)
            columns[group] = set_of(price - each > limit for price, each in pairs)
        closed = {key for key, coefficient in free.items() if -coefficient > limit}
        # All prices are multiples of SCALE, so rounding the limit down to one changes nothing.
        return Cut(columns, closed, set(), limit // SCALE * SCALE)

    def branch(self, kind: str, name: str, *rest: str) -> Cut:
        """What `use(G)`, or `take(G, e)`, means if it is 0 or 1."""
        prefix, slash, feature = name.rpartition("/")
        group = self.group(self.program(prefix + slash), feature)
        e = self.example(rest[0], group.mask) if kind == "H" else None
        cut = Cut({}, set(), set())
        if rest[-1] == "0":
            self.spend(group.count() + len(group.members) * len(group.within))
            if e is None:
                group.close(cut)
            else:
                group.close_taking(cut, e)
            return cut
        # It is 1, and so it is for the group that its program is within, and so on outwards.
        home: Group | None = group
        inner: Program | None = None
        while home is not None:
            program = home.program
            if e is None:
                cut.equations.add(home)  # its row y
            else:
                cut.equations.add((program, e))  # the row e of e
                for other in program.around[e]:
                    self.spend(other.count())
                    if other is not home:
                        other.close_taking(cut, e)
                    elif home.small:  # those without e
                        cut.columns[home] = home.all() & ~home.taking(e)
            if inner is not None:  # the spine within is that one, so it is none of the others
                self.spend(len(home.members) * len(home.within))
                for nested in home.within.values():
                    if nested is not inner:
                        cut.free.update(nested.columns())
            inner, home = program, program.home
        return cut

    def leaves(self, limit: float) -> float:
        """Every tree, of whatever depth, has at least this many leaves: one more than inner
        nodes."""
        return self.most + 2

    def summary(self) -> str:
        """What was checked, in a few words."""
        return f"{self.ends} leaves for {len(self.classes)} classes of spines"
