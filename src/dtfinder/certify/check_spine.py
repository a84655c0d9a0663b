"""The part of check.py that follows spine proofs; it needs only the standard library.

Every feature is oriented so that at most half of the examples have it; these are its *group*. From
the root of a smallest tree follow the side without the oriented feature to a leaf: the *spine*. An
example reaches that leaf, or a node could be spared, so its class is one that occurs: the proof has
a section for each. A node of the spine hangs off the part B of its group that is still there, and
costs 1 + cost(B), where cost(B) is the number of inner nodes of a smallest tree for B. B is not
empty, or the node could be spared; afterwards nothing of the group is left, so none comes twice.

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
  e  sum of all take(., e) = present(e)        an example is hung off once; if it is of the class of
                                               the program, it may get to the leaf instead: <=
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
"""

from __future__ import annotations

import re
from collections import defaultdict
from functools import lru_cache
from typing import Any, NamedTuple

SCALE = 2**20  # weights are given in such parts
MOST = 2**22  # columns of small groups, all in all
HEAD = re.compile(r"(?a)spine (0|[1-9]\d{0,8}) ([1-9]|1[0-6])")
LINE = re.compile(
    r"(?a)[LR]( [a-z\d./]++ (0|-?[1-9]\d{0,17}))*+|(U [n\d./]+|H [n\d./]+ \d{1,9}) [01]"
    r"|K( [n\d./]+/)?( \d{1,9} (-1|\d{1,9})){2,}+"
)
ROW = re.compile(r"(?a)([n\d./]+/)?([yesutp])(\d{1,9})(?:\.(\d{1,9}))?(?:\.(\d{1,9}))?")
Key = tuple[str, Any, int]  # a column, or a sum of columns: kind, group or program, example


class Wrong(ValueError):
    """The proof fails; the text says where."""


def need(holds: bool, otherwise: str) -> None:
    """Reject the proof unless `holds`."""
    if not holds:
        raise Wrong(otherwise)


class Program:
    """The spines in a universe that end in a class; a nested one is within the group `home`."""

    def __init__(self, universe: int, label: int, home: Group | None = None) -> None:
        self.universe, self.label, self.home = universe, label, home
        self.groups: dict[int, Group] = {}
        self.around: dict[int, list[Group]] = defaultdict(list)  # the groups that have an example

    @property
    def columns(self) -> list[Key]:
        """The columns that say that there is this spine, and which examples."""
        members = [] if self.home is None else self.home.members
        return [("on", self, -1), *(("present", self, e) for e in members)]


class Group:
    """A group of a program, with the programs within if it is large. Its columns with a price have
    numbers: for a small group the bits are the members of B, for a large one x is 1."""

    def __init__(self, program: Program, mask: int, small: bool, classes: int) -> None:
        self.program, self.mask, self.small = program, mask, small
        self.members = [e for e in range(mask.bit_length()) if mask >> e & 1]
        self.within = {} if small else {c: Program(mask, c, self) for c in range(classes)}
        self.all = (1 << 2 ** len(self.members)) - 1 if small else 3

    def local(self, mask: int) -> int:
        """The number of the column for a set of examples."""
        return sum(1 << i for i, e in enumerate(self.members) if mask >> e & 1)

    def shut(self, cut: Cut, e: int | None) -> None:
        """Close the columns that take e; if that is None, all."""
        if self.small and e is not None:
            half = self.local(1 << e)
            cut.columns[self] = int(
                ("1" * half + "0" * half) * (self.all.bit_length() // half // 2), 2
            )
        elif e is None:
            cut.columns[self] = self.all
        for q in self.within.values():
            cut.free.update(q.columns if e is None else [("present", q, e)])


class Row(NamedTuple):
    """Terms that sum to 0, or to at most 0, unless a branch makes an equation of it by name."""

    equation: bool
    terms: list[tuple[Key, int]]
    name: Any = None


class Cut(NamedTuple):
    """What a line closes: sets of columns with a price, by group, and in all other groups those
    with prices above the limit, if there is one; columns without a price. And rows it changes."""

    columns: dict[Group, int]
    free: set[Key]
    equations: set[Any]
    limit: int | None = None


class Spine:
    """A proof that every tree has more than so many inner nodes."""

    def __init__(self, data: Any) -> None:
        self.data, n = data, len(data.labels)
        self.oriented = [m ^ (1 << n) - 1 if 2 * m.bit_count() > n else m for m in data.masks]
        self.classes, self.top = sorted(set(data.labels)), Program((1 << n) - 1, -1)
        self.prices, self.above = lru_cache(None)(self.priced), lru_cache(2**12)(self.dear)
        self.most = self.small = self.columns = self.ends = self.circles = 0
        self.rows, self.path = dict[str, Row](), list[Cut]()

    def read(self, lines: list[str]) -> None:
        """Check the section of every class."""
        head = HEAD.fullmatch(lines[0] if lines else "")
        if head is None:
            raise Wrong("the proof does not start with `spine`, a bound and the size of groups")
        most, self.small = int(head[1]), int(head[2])
        starts = [n for n, line in enumerate(lines) if line[:1] == "C"]
        due = sorted(f"C {label}" for label in self.classes)
        need(sorted(lines[n] for n in starts) == due, f"its sections are not {due}")
        need(starts[:1] == [1], "it does not start with a section")
        for start, end in zip(starts, [*starts[1:], len(lines)], strict=True):
            self.top.label, self.circles = int(lines[start][2:]), 0
            self.rows, self.path = {}, []
            self.section(lines, range(start + 1, end), most * SCALE)
        self.most = most

    def section(self, lines: list[str], numbers: range, most: int) -> None:
        """Follow all branches for the class of the spine, depth first."""
        due, forks = "", list[tuple[str, int]]()  # second branches, and how long the path is there
        for number in numbers:
            line = lines[number]
            try:
                need(due in ("", line), f"here {due} is due")
                need(LINE.fullmatch(line) is not None, "it is no line of such a proof")
                kind, *words = line.split(" ")
                if kind == "K":
                    self.rows[f"k{self.circles}"] = self.circle(words)
                    self.circles += 1
                elif kind == "R":
                    self.path.append(self.closing(most, *self.weigh(words)))
                elif kind == "L":
                    bound = self.weigh(words)[0]
                    need(bound > most, f"its bound is {bound} of more than {most} parts")
                    due, length = forks.pop() if forks else ("the end", 0)
                    del self.path[length:]
                    self.ends += 1
                else:
                    if not due:
                        forks.append((line[:-1] + "10"[int(line[-1])], len(self.path)))
                    due = ""
                    self.path.append(self.branch(kind, *words))
            except (ValueError, LookupError) as error:
                raise Wrong(f"line {number} of the proof ({line[:60]}): {error}") from None
        need(due == "the end", f"class {self.top.label}: {due or 'a leaf'} is missing")

    # ---------------------------------------------------------------------------------- the rows
    def program(self, prefix: str | None) -> Program:
        """The program that a prefix names, with its groups."""
        made = self.top
        for part in [None, *(prefix or "").split("/")[:-1]]:
            if part is not None:
                need(re.fullmatch(r"(?a)n\d{1,9}\.\d{1,9}", part) is not None, f"no program {part}")
                feature, label = part[1:].split(".")
                made = self.group(made, feature).within[int(label)]
            for mask in () if made.groups else {m & made.universe for m in self.oriented}:
                if mask not in (0, made.universe):
                    small = mask.bit_count() <= self.small
                    group = made.groups[mask] = Group(made, mask, small, len(self.data.of_class))
                    for e in group.members:
                        made.around[e].append(group)
        return made

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
        program, kind, first, rest = self.program(found[1]), found[2], found[3], found.groups()[3:]
        count = sum(word is not None for word in rest)
        need(count == {"u": 1, "t": 2, "p": max(count, 1)}.get(kind, 0), f"no row {name}")
        on = ("on", program, -1)
        if kind == "e":
            e = self.example(first, program.universe)
            terms = [(("take", program, e), 1), (("present", program, e), -1)]
            return Row(self.data.labels[e] != program.label, terms, (program, e))
        group = self.group(program, first)
        use = ("use", group, -1)
        if kind == "y":
            return Row(False, [(use, 1), (on, -1)], group)
        if kind == "u":
            e = self.example(rest[0], group.mask)
            passed = [(("take", program, e), -1), (("present", program, e), 1)]
            return Row(False, [(use, 1), *passed, (on, -1)])
        if kind == "p":
            named = "-1" if rest[1] is None else rest[1]
            pair = [(f, "-1" if self.group(program, f).small else named) for f in (first, rest[0])]
            need((named == "-1") == all(e == "-1" for _, e in pair), "its row is for large groups")
            return self.circle([found[1] or "", *(word for each in pair for word in each)])
        need(not group.small, f"the group of {first} is small")
        if kind == "s":
            return Row(True, [(use, 1), *((("on", q, -1), -1) for q in group.within.values())])
        nested, e = group.within[int(rest[0])], self.example(rest[1], group.mask)
        return Row(False, [(("present", nested, e), 1), (("on", nested, -1), -1)])

    def circle(self, words: list[str]) -> Row:
        """The row for groups in a circle: feature and example (-1 for a small group) of each."""
        program = self.program(words.pop(0) if len(words) % 2 else "")
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
    def priced(self, mask: int) -> list[int]:
        """The prices of the columns of a group, from 1 on."""
        if mask.bit_count() > self.small:
            return [SCALE, SCALE]
        shape = Group(self.top, mask, True, 0)
        self.columns += 2 ** len(shape.members)
        need(self.columns <= MOST, "its groups have too many columns")
        splits = {shape.local(m) for m in self.oriented} - {0}
        pure = [~shape.local(c) for c in self.data.of_class]
        cost = [0]
        for b in range(1, 2 ** len(shape.members)):
            ways = ((b & m, b & ~m) for m in splits) if all(b & c for c in pure) else ()
            cost.append(min((1 + cost[i] + cost[j] for i, j in ways if i and j), default=0))
            need(cost[b] > 0 or ways == (), "no tree can tell all examples apart")
        return [SCALE + SCALE * c for c in cost]

    def dear(self, mask: int, limit: int) -> int:
        """The set of the columns of a group with prices above a limit."""
        return int("".join("01"[price > limit] for price in reversed(self.prices(mask))), 2)

    def shut(self, group: Group) -> int:
        """The columns of a group that are closed here."""
        made = 0
        for cut in self.path:
            if group in cut.columns:
                made |= cut.columns[group]
            elif cut.limit is not None:
                made |= self.above(group.mask, cut.limit)
        return made

    def weigh(self, words: list[str]) -> tuple[int, dict[Group, list[int]], dict[Key, int]]:
        """The bound by weighted rows, and the weighted coefficients of the columns they touch."""
        equations = set[Any]().union(*(cut.equations for cut in self.path))
        weights: dict[Key, int] = defaultdict(int)
        for name, word in zip(words[::2], words[1::2], strict=True):
            weight = int(word)
            row = self.rows.get(name) or self.rows.setdefault(name, self.row(name))
            known = weight <= 0 or row.equation or row.name in equations
            need(known, f"row {name} has no lower side for its weight")
            for key, times in row.terms:
                weights[key] += weight * times
        bound, touched = 0, dict[Group, dict[int, int]]()  # by group: what meets which examples
        for (kind, owner, which), weight in weights.items():
            if kind == "take":
                for group in owner.around[which] if weight else ():
                    touched.setdefault(group, {})
            elif kind == "meet":
                touched.setdefault(owner, {})[which] = weight
            elif owner is self.top:
                bound -= weight  # the constants
            else:
                touched.setdefault(owner if kind == "use" else owner.home, {})
        sums, free = dict[Group, list[int]](), dict[Key, int]()
        for group, meets in touched.items():
            takes = [weights.get(("take", group.program, e), 0) for e in group.members]
            made = [weights.get(("use", group, -1), 0)]
            for take in takes if group.small else [0]:
                made += [sum_ + take for sum_ in made] if take else made
            for meet, weight in meets.items() if group.small else ():
                bits = group.local(meet)
                made = [s + weight if b & bits else s for b, s in enumerate(made)]
            made[0], prices = 0, self.prices(group.mask)
            below = [b for b, (p, s) in enumerate(zip(prices, made, strict=True)) if p < s]
            shut = self.shut(group) if below else 0
            bound += sum(prices[b] - made[b] for b in below if not shut >> b & 1)
            sums[group] = made
            for q in (group.within[c] for c in self.classes if group.within):  # others are not on
                free["on", q, -1] = weights.get(("on", q, -1), 0)
                for e, take in zip(group.members, takes, strict=True):
                    here = weights.get(("present", q, e), 0)
                    free["present", q, e] = here + take + meets.get(1 << e, 0)
        for key, total in free.items():
            if total > 0 and not any(key in cut.free for cut in self.path):
                bound -= total
        return bound, sums, free

    def closing(
        self, most: int, bound: int, sums: dict[Group, list[int]], free: dict[Key, int]
    ) -> Cut:
        """Close the columns that no tree of at most so many nodes has."""
        limit, columns = max(most - bound, 0), dict[Group, int]()
        for group, made in sums.items():
            pairs = zip(self.prices(group.mask), made, strict=True)
            digits = ["1" if price - total > limit else "0" for price, total in pairs]
            columns[group] = int("".join(reversed(digits)), 2)
        return Cut(
            columns,
            {key for key, total in free.items() if -total > limit},
            set(),
            limit // SCALE * SCALE,
        )

    def branch(self, kind: str, name: str, *rest: str) -> Cut:
        """What use(G), or take(G, e), means if it is 0 or 1."""
        prefix, slash, feature = name.rpartition("/")
        group = self.group(self.program(prefix + slash), feature)
        e = self.example(rest[0], group.mask) if kind == "H" else None
        cut, home = Cut({}, set(), set()), group if rest[-1] == "1" else None
        inner: Program | None = None
        if home is None:
            group.shut(cut, e)
        while home is not None:
            program = home.program
            cut.equations.add(home if e is None else (program, e))
            for other in program.around[e] if e is not None else ():
                if other is not home or home.small:
                    other.shut(cut, e)
            if home in cut.columns:  # it is small: not those with e are closed, but all others
                cut.columns[home] ^= home.all
            for q in home.within.values():
                cut.free.update(() if inner in (None, q) else q.columns)
            inner, home = program, program.home
        return cut

    def leaves(self, limit: float) -> float:
        """Every tree, of whatever depth, has at least so many leaves."""
        return self.most + 2

    def summary(self) -> str:
        """What was checked, in a few words."""
        return f"{self.ends} leaves for {len(self.classes)} classes of spines"
