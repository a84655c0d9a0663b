"""The part of check.py that follows proofs about trees that err; standard library only.

Examples, errors. Rows with equal cells are one example, with a weight for every class: the sum of
the weights of its rows of that class (1 each, unless the certificate lists weights). A leaf errs on
all that is not of its class. What all classes of an example have in common, m, is wrong for all
classes but one, whatever the tree does: (K - 1) * m of K classes. It is taken off and counted as
`unavoidable`. All below is about the weights that are left, the *net* weights. (With two classes
each example then has one class.)

Write E(C, n, d) for the least errors, on the examples C, of a tree with at most n inner nodes and
depth at most d; n and d may be infinite. With prices a for an error and b for an inner node, P(C,
d) is the least a * errors + b * inner nodes. Five facts carry everything:

 1. More room never hurts: E(C, n, d) >= E(C, m, e) if n <= m and d <= e. A tree of depth d has at
    most 2**d - 1 inner nodes, and one with n inner nodes is not deeper than n.
 2. Similar sets: E(C, n, d) >= E(A, n, d) - weight(A without C), and likewise for P with a times
    the weight: on A, the best tree for C errs where it errs on C, and at most on all that A has
    beside C. (If A is a part of C, its bound holds for C as it is.)
 3. Parts: let no example be in more than q of the sets A1, A2, ... (each as often as it counts).
    Then q * E(C, n, d) >= the sum of E(Ai within C, n, d): the errors of the best tree for C are
    counted at most q times. Errors are whole numbers, so the quotient is rounded up.
 4. Roots: a tree is a leaf, or has a root. If its root splits C by a feature into C1 and C0, and
    its subtrees have a and b inner nodes, a + b <= n - 1, it errs at least E(C1, a, d - 1) + E(C0,
    b, d - 1). (A root that does not split C can be left out.) By fact 1 only a + b = n - 1 counts.
 5. Costs: a tree with n inner nodes and e errors costs a * e + b * n; so a * E(C, n, d) >= P(C, d)
    - b * n. Errors are whole numbers, so the quotient is rounded up.

The lines of a proof. Sets of examples have lines of their own, so that a lemma costs few bytes:

    r SET +F -G ...     the examples of SET with feature F and without G
    r SET x ROW ...     those of SET without the examples of these rows of the table
    r = ROW ...         the examples of these rows
    r e EXACT           those of an exact lemma, see below

SET is 0 for all examples, and -k for the k-th last line `r`. A lemma is one line,

    KIND SET N[/D] BOUND CITED ...

'E(SET, N, D) >= BOUND', without D for no limit on depth, N = `*` for none on inner nodes; N = `$`
makes it 'P(SET, D) >= BOUND'. A cited lemma is -k for the k-th last lemma. The kinds:

    c   counted. Nothing is cited; N is at most 3, or D at most 3 (or so many suffice, by fact 1).
        All these trees are tried, on SET alone. For `$`: all trees with up to 3 inner nodes (or of
        depth up to 3), and 4 * b must reach the bound if there may be more.
    s   split. The errors of a leaf reach the bound; and for every feature that splits SET and all
        a + b = N - 1, so do the bounds of the two sides together (fact 4). A side with no inner
        nodes has the errors of a leaf; one with at most 2 is counted if need be; and every cited
        lemma gives what fact 2 makes of it. For `$` both sides and b together reach the bound.
    p   parts: the bounds of the cited lemmas, lessened by fact 2, and summed by fact 3; `-k*T`
        counts T times. For `$` a single one, once.
    k   sizes, for `$` alone: for every number of inner nodes k, a * e + b * k reaches the bound,
        where e is the best bound of the cited lemmas (without `$`) for k inner nodes, or what no
        tree can avoid: for each example, all weight but that of its heaviest class.
    e   exact: `e SET N[/D] BOUND EXACT ...`. The examples of each exact lemma are in SET, and it
        takes more than N inner nodes, or more depth, to classify them all. So one of them gets
        another class than its own: what is wrong hits all these sets. Each of them counts once, or
        T times with `-k*T`: T in all. Where each example costs at least c / q for every time that
        a set with it counts, what is wrong costs at least T * c / q. That, rounded up, and what no
        tree can avoid reach the bound.

Exact lemmas have lines and numbers of their own: `x ` and a lemma as in proofs that a table has no
smaller tree without errors (check.py), about the examples with the class that has most weight, the
first of equal ones. EXACT is -k for the k-th last of them.

For the author of an engine: write a line `r` when a set is met first, by the feature and side that
led to it, and a lemma when its bound is known; a fact that is used again is a citation, a similar
set or the parent is a citation too, and no arithmetic is written down. Bounds on sides with at most
two inner nodes need no lemma. Trim from the end: keep what is cited. A lemma may be weaker than
what the engine knows, and about fewer rows (`x`): both make proofs shorter.
"""

from __future__ import annotations

import re
import runpy
from collections.abc import Callable, Iterable
from fractions import Fraction
from functools import cache, partial
from math import inf
from pathlib import Path
from typing import Any, NamedTuple

NAME = r"(0|-[1-9]\d{0,8})"  # of a set
SET = re.compile(
    rf"(?a)r ({NAME}( [+-]\d{{1,9}})++|{NAME} x( \d{{1,9}})++|=( \d{{1,9}})++|e -[1-9]\d{{0,8}})"
)
LEMMA = re.compile(
    rf"(?a)[cspke] {NAME} (\*|\$|\d{{1,9}})(/\d{{1,9}})? \d{{1,18}}"
    r"( -[1-9]\d{0,8}(\*[1-9]\d{0,8})?)*+"
)
MOST_WEIGHT = 10**17  # of all rows
MOST_SUM = 4 * 10**18  # of weights that count several times, and of prices
MOST_BYTES = 2**28  # bytes of all sets
MOST_COUNTED = 3  # inner nodes, or depth


class Wrong(ValueError):
    """The proof fails; the text says where."""


class TooLarge(MemoryError):
    """The proof needs more memory than this checker spends on it."""


def need(holds: bool, otherwise: str) -> None:
    """Reject the proof unless `holds`."""
    if not holds:
        raise Wrong(otherwise)


@cache
def beside(name: str) -> dict[str, Any]:
    """What a file beside this one defines."""
    return runpy.run_path(str(Path(__file__).with_name(name)))


# ------------------------------------------------------------------------------------ the weights
class Weights:
    """The net weights of the examples, class by class.

    For each class and each power of two there is the set of the examples whose weight has that
    binary digit. So the weight of a set is a sum of numbers of examples, times powers of two."""

    def __init__(self, data: Any, of_rows: list[int] | None) -> None:
        self.masks, self.examples = data.masks, len(data.labels)
        classes = len(data.classes)
        rows = [1] * data.rows if of_rows is None else of_rows
        self.given = [[0] * classes for _ in range(self.examples)]
        for row, example in data.example_of_row.items():
            self.given[example][data.row_labels[row]] += rows[row]
        self.total = sum(map(sum, self.given))
        need(self.total <= MOST_WEIGHT, f"the weights come to more than {MOST_WEIGHT}")
        self.unavoidable = 0
        self.net = []
        for weights in self.given:
            common = min(weights) if classes > 1 else 0
            self.unavoidable += common * (classes - 1)
            self.net.append([weight - common for weight in weights])
        self.planes = [digits([net[c] for net in self.net]) for c in range(classes)]
        self.sums = digits([sum(net) for net in self.net])
        # All examples, that is, all that have weight: on the others no tree errs.
        self.all = 0
        for plane in self.sums:
            self.all |= plane
        # The common case: two classes, all weights 0 or 1.
        self.plain: tuple[int, int] | None = None
        if classes == 2 and all(len(planes) <= 1 for planes in self.planes):
            first, second = (planes[0] if planes else 0 for planes in self.planes)
            self.plain = first, second

    def leaf(self, inside: int) -> int:
        """The errors of a leaf: all weight but that of the heaviest class."""
        if self.plain is not None:
            first, second = self.plain
            return min((inside & first).bit_count(), (inside & second).bit_count())
        weights = [weight(planes, inside) for planes in self.planes]
        return sum(weights) - max(weights)

    def of_class(self, label: int, inside: int) -> int:
        """What the examples weigh in one class."""
        return weight(self.planes[label], inside)

    def lost(self, inside: int) -> int:
        """The most that a tree can err on these examples: all their weight."""
        if self.plain is not None:
            return inside.bit_count()
        return weight(self.sums, inside)

    def floor(self, inside: int) -> int:
        """The least that any tree errs on these examples: with three classes, an example may have
        weight for two of them left."""
        return sum(sum(net) - max(net) for place, net in enumerate(self.net) if inside >> place & 1)


def digits(weights: list[int]) -> list[int]:
    """For each binary digit, the lowest first, the set of the places whose weight has it."""
    planes = []
    for digit in range(max(weights, default=0).bit_length()):
        word = "".join("1" if weight >> digit & 1 else "0" for weight in reversed(weights))
        planes.append(int("0" + word, 2))
    return planes


def weight(planes: list[int], inside: int) -> int:
    """The weight of a set."""
    total = 0
    for digit, plane in enumerate(planes):
        total += (inside & plane).bit_count() << digit
    return total


# ------------------------------------------------------------------------------------- the lemmas
class Lemma(NamedTuple):
    """'E(members, inner, depth) >= bound', or P if it is priced; then `inner` is infinite."""

    members: int
    inner: float
    depth: float
    bound: int
    priced: bool


class Lemmas:
    """A proof by lemmas about errors, with the prices (a, b) if it has any."""

    def __init__(self, data: Any, weights: Weights, prices: tuple[int, int] | None) -> None:
        self.data, self.weights, self.prices = data, weights, prices
        small = beside("check_small.py")
        self.small_trees = partial(
            small["SmallTrees"], small["Table"](data.masks, weights.net), weights
        )
        self.last: Any = None  # the small trees of the last set
        self.exact: Any = None  # exact lemmas, from the first one on
        self.sets: list[int] = []
        self.known: list[Lemma] = []

    def read(self, lines: Iterable[str]) -> None:
        """Check line after line."""
        for number, line in enumerate(lines):
            try:
                self.follow(line)
            except (ValueError, LookupError) as error:
                raise Wrong(f"line {number} of the proof ({line[:60]}): {error}") from None

    def follow(self, line: str) -> None:
        """Check one line."""
        if line.startswith("r"):
            need(SET.fullmatch(line) is not None, "this is not a set")
            if len(self.sets) * (self.weights.examples // 8 + 64) > MOST_BYTES:
                raise TooLarge("its sets are too many")
            self.sets.append(self.examples(line.split(" ")[1:]))
        elif line.startswith("x"):
            if self.exact is None:
                check = beside("check.py")
                self.exact = check["Lemmas"](Heaviest(self.data, self.weights))
                self.is_exact = check["LEMMA"]
            need(self.is_exact.fullmatch(line[2:]) is not None, "this is not an exact lemma")
            self.exact.known.append(self.exact.lemma(line[2:]))
        else:
            need(LEMMA.fullmatch(line) is not None, "this is not a lemma")
            self.known.append(self.lemma(line))

    def set(self, word: str) -> int:
        """The set of that name."""
        return self.weights.all if word == "0" else self.sets[int(word)]

    def examples(self, words: list[str]) -> int:
        """The set that a line `r` defines."""
        first, *rest = words
        if first == "=":
            return self.rows(rest)
        if first == "e":
            return int(self.exact_lemma(rest[0]).members)
        members = self.set(first)
        if rest[0] == "x":
            return members & ~self.rows(rest[1:])
        for word in rest:
            mask = self.weights.masks[int(word[1:])]
            members &= mask if word[0] == "+" else ~mask
        return members

    def exact_lemma(self, word: str) -> Any:
        """An exact lemma that is cited."""
        return ([] if self.exact is None else self.exact.known)[int(word)]

    def rows(self, words: list[str]) -> int:
        """The examples of rows of the table."""
        members = 0
        for word in words:
            members |= 1 << self.data.example_of_row[int(word)]
        return members & self.weights.all

    def lemma(self, line: str) -> Lemma:
        """Check the lemma of one line."""
        kind, set_word, budget, bound_word, *words = line.split(" ")
        n_word, slash, d_word = budget.partition("/")
        priced = n_word == "$"
        need(not priced or self.prices is not None, "there are no prices")
        members, bound = self.set(set_word), int(bound_word)
        depth = int(d_word) if slash else inf
        inner = int(n_word) if n_word.isdigit() else inf
        made = Lemma(members, inner, depth, bound, priced)
        several = kind in "pe"
        cited: list[tuple[Any, int]] = []
        for word in words:
            number, star, times = word.partition("*")
            need(not star or several, "only parts and exact lemmas count several times")
            one = self.exact_lemma(number) if kind == "e" else self.known[int(number)]
            cited.append((one, int(times) if star else 1))
        need(kind != "e" or not priced, "it is about errors")
        need(kind != "k" or priced, "sizes are for prices only")
        need(kind != "c" or not cited, "counted lemmas cite nothing")
        if kind == "c":
            self.counted(made)
        elif kind == "s":
            self.split(made, [each for each, _ in cited])
        elif kind == "p":
            self.parts(made, cited)
        elif kind == "e":
            self.from_exact(made, cited)
        else:
            self.sizes(made, [each for each, _ in cited])
        return made

    def room(self, members: int, inner: float, depth: float) -> tuple[float, float]:
        """The least inner nodes and depth that allow for as much (fact 1). No tree needs more
        leaves than there are examples."""
        inner = min(inner, max(members.bit_count() - 1, 0))
        if depth < 60:
            inner = min(inner, 2**depth - 1)
        return inner, min(depth, inner)

    def counted(self, made: Lemma) -> None:
        """Rule c."""
        inner, depth = self.room(made.members, made.inner, made.depth)
        few = inner <= MOST_COUNTED or depth <= MOST_COUNTED
        most = int(inner) if few else MOST_COUNTED
        errors, price = (self.prices or (1, 1)) if made.priced else (1, 0)
        if not made.priced:
            need(few, "it has too many inner nodes, and too much depth, to be counted")
        need(few or price * (MOST_COUNTED + 1) >= made.bound, "more inner nodes may pay")
        # The errors that a tree with k inner nodes needs, for it to cost the rest.
        needs = [up(made.bound - price * k, errors) for k in range(most + 1)]
        k = self.trees(made.members).undercut(needs, depth)
        need(k is None, f"a tree with {k} inner nodes has less")

    def trees(self, members: int) -> Any:
        """The small trees of a set."""
        if self.last is None or self.last.inside != members:
            self.last = self.small_trees(members)
        return self.last

    def split(self, made: Lemma, cited: list[Lemma]) -> None:
        """Rule s."""
        members, bound = made.members, made.bound
        inner, depth = self.room(members, made.inner, made.depth)
        below = depth - 1
        errors, price = (self.prices or (1, 1)) if made.priced else (1, 0)
        leaf = errors * self.weights.leaf(members)
        need(leaf >= bound, f"a leaf has {leaf}")
        if inner == 0:
            return  # no tree but a leaf
        useful = [each for each in cited if each.priced == made.priced and each.depth >= below]
        trees = self.trees(members)
        for split, sides in enumerate(trees.sides):
            feature = f"feature {trees.features[split]}"
            bounds = [self.bounds_of(side, useful, errors) for side in sides]
            if made.priced:
                costs = [max([0, *(bound for _, bound in each)]) for each in bounds]
                for side in (0, 1):
                    if price + sum(costs) < bound:
                        counted = self.cost_of_side(trees, split, side, below)
                        costs[side] = max(costs[side], counted)
                need(price + sum(costs) >= bound, f"{feature}: only {price + sum(costs)}")
                continue
            n = int(inner)
            most = n - 1 if below >= 60 else min(n - 1, 2 ** int(below) - 1)  # of one side
            low = [
                self.lows(side, each, most, below, bound)
                for side, each in zip(sides, bounds, strict=True)
            ]
            for a in range(max(0, n - 1 - most), most + 1):
                b = n - 1 - a
                if low[0][a] + low[1][b] < bound:
                    shown = self.reach(trees, split, [low[0][a], low[1][b]], (a, b), below, bound)
                    need(shown, f"{feature}, {a} and {b} inner nodes: {bound} errors are not shown")

    def bounds_of(self, side: int, cited: list[Lemma], errors: int) -> list[tuple[float, int]]:
        """What fact 2 makes of the cited lemmas, with their inner nodes. (Each example weighs 1 or
        more, so many of them outside leave nothing.)"""
        found, not_side = [], self.weights.all & ~side
        for each in cited:
            outside = each.members & not_side
            if each.bound > errors * outside.bit_count():
                bound = each.bound - errors * self.weights.lost(outside)
                if bound > 0:
                    found.append((each.inner, bound))
        return found

    def lows(
        self, side: int, bounds: list[tuple[float, int]], most: int, below: float, enough: int
    ) -> list[int]:
        """What is shown of a side with 0, 1, ... inner nodes by what is cited, and by a leaf if
        that is not enough for it."""
        room = int(self.room(side, most, below)[0])
        low = [0] * (room + 1)
        for inner, bound in bounds:
            place = int(min(inner, room))
            low[place] = max(low[place], bound)
        for place in range(room - 1, -1, -1):  # what holds for more inner nodes holds for fewer
            low[place] = max(low[place], low[place + 1])
        if low[0] < enough:
            low[0] = max(low[0], self.weights.leaf(side))
        return low + low[room:] * (most - room)

    def reach(
        self,
        trees: Any,
        split: int,
        low: list[int],
        shares: tuple[int, int],
        below: float,
        bound: int,
    ) -> bool:
        """Whether the sides of a split with these shares of inner nodes together reach the bound,
        if what is known of each is not enough: by counting where it is quick."""
        for side in (0, 1):
            inner = int(self.room(trees.sides[split][side], shares[side], below)[0])
            if 0 < inner < MOST_COUNTED and low[0] + low[1] < bound:
                enough = bound - low[1 - side]
                low[side] = max(low[side], trees.side(split, side, inner, enough))
        return low[0] + low[1] >= bound

    def cost_of_side(self, trees: Any, split: int, side: int, below: float) -> int:
        """A bound on P of a side: as a leaf, or with 1 or 2 inner nodes, counted; or more."""
        errors, price = self.prices or (1, 1)
        members = trees.sides[split][side]
        inner, _ = self.room(members, MOST_COUNTED - 1, below)
        least = errors * self.weights.leaf(members)
        if self.room(members, inf, below)[0] > inner:
            least = min(least, price * MOST_COUNTED)
        for k in range(1, int(inner) + 1):
            enough = up(least - price * k, errors)  # more errors cost more than is known already
            if enough > 0:
                least = min(least, errors * trees.side(split, side, k, enough) + price * k)
        return least

    def parts(self, made: Lemma, cited: list[tuple[Lemma, int]]) -> None:
        """Rule p."""
        need(bool(cited), "it has no parts")
        need(not made.priced or len(cited) == 1, "costs do not add up")
        errors = (self.prices or (1, 1))[0] if made.priced else 1
        inner, depth = self.room(made.members, made.inner, made.depth)
        total = often = 0
        planes: list[int] = []  # how often each example is in a part, digit by digit
        for part, times in cited:
            need(part.priced == made.priced, "a cost is not a number of errors")
            need(not made.priced or times == 1, "costs do not add up")
            need(part.inner >= inner and part.depth >= depth, "a part has less room")
            outside = self.weights.lost(part.members & ~made.members)
            bound = part.bound - errors * outside
            often += times
            need(often < 2**32, "its parts count too often")
            if bound > 0:
                total += times * bound
                need(total <= MOST_SUM, "its parts count too often")
                add(planes, part.members & made.members, times)
        most = largest(planes)
        shown = up(total, max(most, 1))
        need(shown >= made.bound, f"its parts come to {shown}")

    def sizes(self, made: Lemma, cited: list[Lemma]) -> None:
        """Rule k: k inner nodes cost a * e + b * k at least. From some k on, b * k is enough."""
        errors, price = self.prices or (1, 1)
        need(price > 0, "inner nodes cost nothing")
        inner, depth = self.room(made.members, inf, made.depth)
        bounds = []
        for each in cited:
            need(not each.priced, "a cost is not a number of errors")
            if each.depth >= depth:
                bound = each.bound - self.weights.lost(each.members & ~made.members)
                bounds.append((each.inner, bound))
        # The bound of a size changes only after the inner nodes of a cited lemma.
        floor = self.weights.floor(made.members)
        for k in sorted({0, *(n + 1 for n, _ in bounds if n < inner)}):
            least = self.weights.leaf(made.members) if k == 0 else floor
            least = max([least, *(bound for n, bound in bounds if n >= k)])
            shown = errors * least + price * k
            need(shown >= made.bound, f"{k:g} inner nodes: only {shown:g} is shown")

    def from_exact(self, made: Lemma, cited: list[tuple[Any, int]]) -> None:
        """Rule e: all weights that a tree gets wrong, beyond what no tree avoids, come to W. An
        example that costs c, and that q of the sets have, is in the way of q / c of them for each
        unit of W. So `total` sets need W >= total * c / q, with the least c / q of an example."""
        need(bool(cited), "it cites no exact lemma")
        inner, depth = self.room(made.members, made.inner, made.depth)
        total = 0
        planes: list[int] = []  # how often each example counts, digit by digit
        for exact, times in cited:
            need(exact.members & ~made.members == 0, "it is about other examples")
            need(exact.limit >= depth, "it is about less depth")
            need(exact.bound > inner, f"{inner:g} inner nodes may be enough")
            total += times
            need(total < 2**32, "its lemmas count too often")
            add(planes, exact.members, times)
        floor = self.weights.floor(made.members)  # what no tree can avoid
        least = MOST_SUM  # what the sets show beyond
        for place, net in enumerate(self.weights.net):
            if made.members >> place & 1:
                second, first = sorted([0, *net])[-2:]
                often = sum((plane >> place & 1) << digit for digit, plane in enumerate(planes))
                if often > 0:
                    least = min(least, up(total * (first - second), often))
        need(floor + least >= made.bound, f"only {floor + least} errors are shown")

    # ------------------------------------------------------------------------------- what follows
    def least_errors(self, inner: float, depth: float) -> int:
        """The best bound on the net errors of all examples; all sets are parts of these."""
        inner, depth = self.room(self.weights.all, inner, depth)
        best = self.weights.floor(self.weights.all)
        if inner == 0:
            best = max(best, self.weights.leaf(self.weights.all))
        for each in self.known:
            if each.priced and each.depth >= depth:
                best = max(best, self.by_cost(each.bound, inner))
            elif not each.priced and each.inner >= inner and each.depth >= depth:
                best = max(best, each.bound)
        return best

    def by_cost(self, cost: int, inner: float) -> int:
        """A bound on the errors of trees of this size, from a bound on the cost (fact 5)."""
        errors, price = self.prices or (1, 1)
        return up(cost - price * int(inner), errors)

    def least_cost(self, depth: float) -> int:
        """The best bound on a * net errors + b * inner nodes."""
        _, depth = self.room(self.weights.all, inf, depth)
        return max([0, *(each.bound for each in self.known if each.priced and each.depth >= depth)])

    def summary(self) -> str:
        """What was checked, in a few words."""
        count = len(self.known) + len(self.sets)
        return f"{count} line" if count == 1 else f"{count} lines"


def up(number: int, by: int) -> int:
    """The quotient, rounded up."""
    return -(-number // by)


def add(planes: list[int], members: int, times: int) -> None:
    """Count the members so many times more: `planes[k]` has those whose count has the binary digit
    k, and digits are added with a carry, as on paper, for all members at once."""
    for digit in range(times.bit_length()):
        carry = members if times >> digit & 1 else 0
        place = digit
        while carry:
            while place >= len(planes):
                planes.append(0)
            planes[place], carry = planes[place] ^ carry, planes[place] & carry
            place += 1


def largest(planes: list[int]) -> int:
    """The largest count, read from its highest digit on."""
    most, among = 0, -1  # -1 is the set of all
    for place in range(len(planes) - 1, -1, -1):
        if planes[place] & among:
            most |= 1 << place
            among &= planes[place]
    return most


class Heaviest:
    """The table as exact lemmas see it: of each example, the class that has most weight."""

    def __init__(self, data: Any, weights: Weights) -> None:
        self.masks, self.classes = data.masks, data.classes
        self.example_of_row = {
            row: example
            for row, example in data.example_of_row.items()
            if weights.all >> example & 1
        }
        self.labels = [net.index(max(net)) for net in weights.net]
        self.of_class = []
        for label in range(len(data.classes)):
            bits = ["1" if each == label else "0" for each in reversed(self.labels)]
            self.of_class.append(int("0" + "".join(bits), 2))
        # One class for each example, which is its label.
        self.allowed = [(label,) for label in range(len(data.classes))]
        self.several = False

    def impure(self, members: int) -> bool:
        """Whether the examples of a set have no class in common."""
        return all(members & ~of_class for of_class in self.of_class)


# -------------------------------------------------------------------------------------- the claim
class Measured(NamedTuple):
    """What a tree has; `errors` are all of them, with the unavoidable ones."""

    errors: int
    inner: int
    depth: int


def measure(tree: Any, data: Any, weights: Weights) -> Measured:
    """Send all examples through the tree."""
    errors = nodes = depth = 0
    todo: list[tuple[Any, int, int]] = [(tree, weights.all, 0)]
    while todo:
        node, reached, level = todo.pop()
        nodes += 1
        depth = max(depth, level)
        need(nodes < 2 * max(weights.examples, 1), "a tree has more leaves than there are examples")
        if type(node) is int:
            need(0 <= node < len(data.classes), f"a tree has the class {node}")
            errors += weights.lost(reached) - weight(weights.planes[node], reached)
        else:
            feature, zero, one = node
            need(
                type(feature) is int and 0 <= feature < len(data.masks),
                f"a tree has the feature {feature!r}",
            )
            todo.append((zero, reached & ~data.masks[feature], level + 1))
            todo.append((one, reached & data.masks[feature], level + 1))
    return Measured(errors + weights.unavoidable, nodes // 2, depth)


def whole(value: Any, name: str, least: int = 0) -> int:
    """A whole number of the claim."""
    need(type(value) is int and value >= least, f"{name} is {value!r}")
    need(value <= 10 * MOST_WEIGHT, f"{name} is too large")
    return int(value)


class Claim:
    """A claim about errors, its trees and its proof."""

    def __init__(self, head: dict[str, Any], data: Any) -> None:
        self.claim, self.data = head["claim"], data
        self.weighted = head.get("weights") is not None
        self.weights = Weights(data, self.row_weights(head.get("weights")))
        depth, nodes = self.claim["max_depth"], self.claim["max_nodes"]
        self.depth = inf if depth is None else whole(depth, "max_depth")
        # A tree with at most N nodes has at most (N - 1) / 2 inner nodes.
        self.inner = inf if nodes is None else (whole(nodes, "max_nodes", 1) - 1) // 2
        self.prices: tuple[int, int] | None = None
        if self.claim.get("minimise") == "cost":
            error, leaf = self.claim["error_price"], self.claim["leaf_price"]
            self.prices = whole(error, "error_price", 1), whole(leaf, "leaf_price")
        elif head.get("prices") is not None:  # a proof about errors may reason with costs
            error, inner = head["prices"]
            self.prices = whole(error, "a price", 1), whole(inner, "a price")
        if self.prices is not None:
            error, inner = self.prices
            most = error * self.weights.total + inner * (self.weights.examples + 9)
            need(most <= MOST_SUM, "its prices are too high")
        trees = head["trees"] if self.claim.get("minimise") == "front" else [head["tree"]]
        need(type(trees) is list, "its trees are not a list")
        most = max(self.weights.examples, 1)  # sizes that a tree may have
        need(len(trees) <= most, "it has more trees than there are examples")
        self.trees = [measure(tree, data, self.weights) for tree in trees if tree is not None]
        for tree in self.trees:
            need(tree.inner <= self.inner, "a tree is beyond max_nodes")
            need(tree.depth <= self.depth, "a tree is beyond max_depth")

    def row_weights(self, given: Any) -> list[int] | None:
        """The weights of the rows, if they are not all 1."""
        if given is None:
            return None
        need(
            type(given) is list and len(given) == self.data.rows,
            "there is not a weight for each row",
        )
        return [whole(each, "a weight") for each in given]

    def errors(self, number: int) -> str:
        """A number of errors in words."""
        if self.weighted:
            return f"errors of weight {number}"
        return f"{number} error" + ("" if number == 1 else "s")

    def show(self, proof: Any, errors: int, inner: float, depth: float) -> None:
        """The proof must show this bound on the errors of all trees within the limits."""
        shown = proof.least_errors(inner, depth) + self.weights.unavoidable
        limits = f"{inner:g} inner nodes and depth {depth:g}"
        need(shown >= errors, f"only {shown} errors are shown, not {errors}, within {limits}")

    def check(self, proof: Any) -> str:
        """What is verified, in words."""
        aim = self.claim.get("minimise")
        if aim == "front":
            return self.front(proof)
        if not self.trees:
            return self.no_tree(proof)
        tree = self.trees[0]
        keys = {"errors": tree.errors, "nodes": 2 * tree.inner + 1, "depth": tree.depth}
        for name, has in keys.items():
            need(type(self.claim[name]) is int, f"{name} is {self.claim[name]!r}")
            need(self.claim[name] == has, f"the tree has {has} {name}, not {self.claim[name]}")
        size = f"{2 * tree.inner + 1} nodes and depth {tree.depth}"
        said = f"the tree of {size} makes {self.errors(tree.errors)}; "
        checks: dict[Any, Callable[[Any, Measured], str]] = {
            "errors": self.fewest_errors,
            "nodes": self.smallest,
            "depth": self.smallest,
            "cost": self.cheapest,
        }
        need(aim in checks, f"it minimises {aim!r}")
        return said + checks[aim](proof, tree)

    def within(self) -> str:
        """The limits in words."""
        limits = [
            f"{name} {self.claim[name]}"
            for name in ("max_depth", "max_nodes")
            if self.claim[name] is not None
        ]
        return " within " + " and ".join(limits) if limits else ""

    def fewest_errors(self, proof: Any, tree: Measured) -> str:
        """Fewest errors within the limits; then fewest nodes, or least depth and then nodes."""
        self.show(proof, tree.errors, self.inner, self.depth)
        then = self.claim["then"]
        need(then in ("nodes", "depth"), f"then it minimises {then!r}")
        said = f"no tree{self.within()} makes less; "
        return said + self.smaller(proof, tree, tree.errors, then)

    def smallest(self, proof: Any, tree: Measured) -> str:
        """The smallest, or shallowest, tree within a limit on its errors."""
        most = whole(self.claim["max_errors"], "max_errors")
        need(tree.errors <= most, "the tree is beyond max_errors")
        return self.smaller(proof, tree, most, self.claim["minimise"])

    def smaller(self, proof: Any, tree: Measured, most: int, aim: str) -> str:
        """No tree within that limit is smaller; or shallower, or smaller at that depth."""
        fewer = f"with fewer than {2 * tree.inner + 1} nodes"
        limited = f"with at most {self.errors(most)}{self.within()}"
        if aim == "nodes":
            if tree.inner > 0:
                self.show(proof, most + 1, tree.inner - 1, self.depth)
            return f"no tree {limited} is one {fewer}"
        if tree.depth > 0:
            self.show(proof, most + 1, self.inner, tree.depth - 1)
        if tree.inner > 0:
            self.show(proof, most + 1, tree.inner - 1, tree.depth)
        return f"no tree {limited} has less depth, or this depth {fewer}"

    def cheapest(self, proof: Any, tree: Measured) -> str:
        """Least cost. A tree has one leaf more than inner nodes."""
        need(self.claim["max_nodes"] is None, "a claim about cost has no max_nodes")
        errors, leaf = self.prices or (1, 0)
        net = tree.errors - self.weights.unavoidable
        shown = proof.least_cost(self.depth)
        has = errors * net + leaf * tree.inner
        need(shown >= has, f"a cost of {shown} is shown, without the last leaf; the tree has {has}")
        cost = errors * tree.errors + leaf * (tree.inner + 1)
        need(self.claim["cost"] == cost, f"the tree costs {cost}, not {self.claim['cost']!r}")
        said = f"no tree{self.within()} has less than "
        said += f"{errors} times errors and {leaf} times leaves, {cost}"
        penalty = self.claim.get("leaf_penalty")
        if penalty is not None:
            need(type(penalty) is str and len(penalty) < 50, "leaf_penalty is not a short string")
            exact = Fraction(penalty) * errors * self.weights.total
            need(exact == leaf, "leaf_penalty is not the price of a leaf by that of all rows")
            said += f" (leaf_penalty {penalty})"
        return said

    def no_tree(self, proof: Any) -> str:
        """No tree is within all limits, that on errors included."""
        only = self.claim.keys() == {"max_errors", "max_depth", "max_nodes"}
        need(only, "a claim that there is no tree has limits only")
        most = whole(self.claim["max_errors"], "max_errors")
        self.show(proof, most + 1, self.inner, self.depth)
        return f"no tree{self.within()} makes at most {self.errors(most)}"

    def front(self, proof: Any) -> str:
        """For every size the fewest errors, or a bound on them: [nodes, errors, bound] is about all
        sizes from there up to the next point."""
        points = self.claim["points"]
        need(type(points) is list and len(points) == len(self.trees) > 0, "a point has no tree")
        words = []
        for place, (point, tree) in enumerate(zip(points, self.trees, strict=True)):
            nodes, errors, bound = (whole(each, "a number of a point") for each in point)
            need(tree.errors == errors, f"a tree has {tree.errors} errors, not {errors}")
            need(
                2 * tree.inner + 1 <= nodes, f"a tree of {2 * tree.inner + 1} nodes is for {nodes}"
            )
            need(nodes % 2 == 1 and (place > 0 or nodes == 1), "sizes start with 1 and are odd")
            need(place == 0 or nodes > points[place - 1][0], "its points are not in order")
            last = self.inner
            if place + 1 < len(points):
                last = min(last, (whole(points[place + 1][0], "nodes", 1) - 1) // 2 - 1)
            self.show(proof, bound, last, self.depth)
            words.append(
                f"{nodes}: {errors}" if bound == errors else f"{nodes}: {bound} to {errors}"
            )
        return f"the fewest errors{self.within()} from each number of nodes on are " + ", ".join(
            words
        )


def check_claim(
    head: dict[str, Any], lines: Iterable[str], data: Any, lemmas: Any = Lemmas
) -> tuple[str, str]:
    """What is verified, in words, and how; raises a ValueError if anything fails."""
    claim = Claim(head, data)
    proof = lemmas(data, claim.weights, claim.prices)
    proof.read(lines)
    said = claim.check(proof)
    words = head.get("words", said)  # what the certificate itself says
    need(words == said, f"it says that {words}, but it shows that {said}")
    dropped = data.rows - len(data.example_of_row)
    if dropped:
        said += f" ({dropped} contradictory rows are left out)"
    return said, proof.summary()
