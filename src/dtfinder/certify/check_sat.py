"""The part of check.py that follows proofs by SAT solvers; it needs only the standard library.

A refutation says 'no tree with P paths and depth D'. Its formula is made again here, clause by
clause in the order that docs/certificates.md gives, once for each of the two encodings. Where the
refutation is split by the shape of the tree, all shapes are enumerated again, too. Then every step
of the LRAT proofs is followed by unit propagation.

Why a refutation counts. Call a tree *tidy* if it is a smallest one within the limit on depth. Then
no feature occurs twice on a path, an example reaches every leaf, every node splits what reaches it,
and where the examples left are pure (there is a class that all of them allow) there is a leaf:
otherwise a node could be spared. Every tidy tree with P leaves is a model of the formula, so a
formula without a model shows that there is no such tree. An example that allows every class is
right in every tree. So a tree is about the others, and they alone are the examples of a formula.
For this it must be seen that *every clause holds for every tidy tree*; what holds is noted beside
each family of clauses. (If a formula had clauses too few, it would only be harder to refute.)
"""

# ruff: noqa: B023 (a lambda within a loop is used up before the loop goes on)
from __future__ import annotations

import array
import hashlib
import json
from collections.abc import Callable, Iterable
from itertools import pairwise, product
from math import inf
from typing import Any

Cube = Callable[[Any], list[int]]
MOST_LITERALS = 2**21  # of a formula, and more in proportion to the table and to its proof


class Wrong(ValueError):
    """A refutation fails; the text says where."""


class TooLarge(MemoryError):
    """A formula is larger than this checker makes for a proof of that size."""


def need(holds: bool, otherwise: str) -> None:
    """Reject the refutation unless `holds`."""
    if not holds:
        raise Wrong(otherwise)


# ----------------------------------------------------------------------------------- the formulas
class Formula:
    """Clauses over numbered variables; a literal is a variable, or its negative. The order counts:
    first the longer clauses, then the units, because a solver that knows units shortens what comes
    after them. No more than `most` variables and literals are made."""

    long: list[list[int]]
    units: list[list[int]]

    def __init__(self, data: Any, ask: dict[str, Any], most: float = inf) -> None:
        self.top = 0  # the last variable
        self.long, self.units = [], []
        self.literals, self.most = 0, most
        self.paths, self.switches, self.at_most = ask["paths"], ask["switches"], ask["at_most"]
        self.depth = inf if ask["depth"] is None else ask["depth"]
        # The classes that each example allows, without those that allow every class.
        sets = [data.allowed[label] for label in data.labels]
        used = [e for e, allowed in enumerate(sets) if len(allowed) < len(data.classes)]
        # bits[e][f] is 1 if example e has feature f, read from the binary digits of the mask; of
        # features that split the examples.
        columns = [f"{mask:0{len(data.labels)}b}"[::-1] for mask in data.masks]
        columns = [column for column in columns if len({column[e] for e in used}) > 1]
        self.features, self.examples = range(len(columns)), range(len(used))
        self.bits = [[int(column[e]) for column in columns] for e in used]
        present = sorted({label for e in used for label in sets[e]})
        self.labels = [[present.index(label) for label in sets[e]] for e in used]
        self.most_label = len(present) - 1
        # A smallest tree asks no feature twice on a path, and has a leaf on every level below 0.
        self.steps = int(min(self.paths - 1, len(self.features), self.depth))
        self.pure: list[tuple[int, int, int]] = []
        if "quasi_pure" in self.switches:
            self.find_pure()

    def find_pure(self) -> None:
        """All (f, v, c) where all examples with f = v, at least one, allow class c, the first
        such class. A tidy tree stays one if each leaf takes the first class that examples allow
        which it is known to get."""
        for f, v in product(self.features, (0, 1)):
            found = [set(self.labels[e]) for e in self.examples if self.bits[e][f] == v]
            if found and (common := set.intersection(*found)):
                self.pure.append((f, v, min(common)))

    def by_size(self) -> Iterable[list[tuple[int, list[int]]]]:
        """The examples that allow as many classes as each other, each with these; few first."""
        for size in sorted({len(allowed) for allowed in self.labels}):
            yield [(e, self.labels[e]) for e in self.examples if len(self.labels[e]) == size]

    def new(self, *shape: int) -> Any:
        """An array of new variables, numbered with the last index running fastest."""
        count = 1
        for length in shape:
            count *= length
        self.spend(count)
        return self.numbered(shape)

    def numbered(self, shape: tuple[int, ...]) -> Any:
        """The array that `new` has found room for."""
        if len(shape) > 1:
            return [self.numbered(shape[1:]) for _ in range(shape[0])]
        first = self.top + 1
        self.top += shape[0]
        return list(range(first, first + shape[0]))

    def add(self, *clause: int) -> None:
        """Add a clause."""
        self.spend(len(clause))
        if len(clause) > 1:
            self.long.append(list(clause))
        else:
            self.units.append(list(clause))

    def spend(self, count: int) -> None:
        """Count variables and literals before they are made."""
        self.literals += count
        if self.literals > self.most:
            raise TooLarge(f"a formula has more than {self.most:.0f} literals")

    def each(self, clause: Callable[..., list[int]], *indices: Any) -> None:
        """Add the clause for every combination of the indices; a number n means 0..n-1."""
        ranges = [range(index) if isinstance(index, int) else index for index in indices]
        for index in product(*ranges):
            self.add(*clause(*index))

    def exactly_one(self, rows: list[list[int]]) -> None:
        """Exactly one literal of each row is true."""
        for row in rows:
            self.add(*row)
        self.at_most_one(rows)

    def at_most_one(self, rows: list[list[int]]) -> None:
        """At most one literal of each row is true, by a sequential counter: s[i] is a new variable,
        'one of the first i + 1 is true'."""
        n = len(rows[0])
        if n == 2:
            for x in rows:
                self.add(-x[0], -x[1])
        if n > 2:
            for x, s in zip(rows, self.new(len(rows), n - 1), strict=True):
                self.add(-x[0], s[0])
                for i in range(1, n - 1):
                    self.add(-s[i - 1], s[i])
                    self.add(-x[i], -s[i - 1])
                    self.add(-x[i], s[i])
                self.add(-x[-1], -s[-1])

    def classes(self, rows: int, first: int) -> Any:
        """c[row][class], literals for the class of each row. For two classes one variable is
        enough: true for the second one."""
        if self.most_label < 2:
            return [[-variable, variable] for variable in self.new(rows)]
        made = self.new(rows, self.most_label + 1)
        self.exactly_one(made[first:])
        return made


def paths_formula(made: Formula) -> Cube:
    """'There is a tree with P paths of at most S steps': path after path, left to right.

    A tree is given by its paths. The variables, for path p, step s, feature f and example i:

        g[p][s]     the path goes right (and it has a step s)
        t[p][s]     it has ended before step s
        e[p][s]     path p + 1 is at step s where path p is: equal turns before
        a[p][s][f]  it asks feature f at step s
        m[v][p][f]  it lets the value v of feature f through: it does not ask f, or goes that way
        q[p][i]     it lets example i through
        c[p][k]     its leaf has class k
        h[p]        with `at_most` alone: path p + 1 is a copy of path p, that there are fewer paths
    """
    P, F, E, S = made.paths, made.features, made.examples, made.steps
    add, each, new = made.add, made.each, made.new
    g, t, e = new(P, S), new(P, S + 1), new(P - 1, S + 1)
    a, m, q = new(P, S, len(F)), new(2, P, len(F)), new(P, len(E))
    c = made.classes(P, 0)
    h = new(P - 1) if made.at_most else []

    def or_copy(p: int) -> list[int]:
        """The literal 'path p + 1 is a copy', if there are copies."""
        return [h[p]] if h else []

    # Copies come last, and the second path is none; a copy has the same turns, end and class.
    if h:
        add(-h[0])
        each(lambda p: [-h[p], h[p + 1]], P - 2)
        for x in (g, t, c):
            each(lambda p, s, x=x: [-h[p], -x[p + 1][s], x[p][s]], P - 1, len(x[0]))
            each(lambda p, s, x=x: [-h[p], x[p + 1][s], -x[p][s]], P - 1, len(x[0]))
    # Neighbours are together at the root, and then as long as their turns are equal.
    each(lambda p: [e[p][0]], P - 1)
    each(lambda p, s: [-e[p][s + 1], e[p][s]], P - 1, S)
    each(lambda p, s: [-e[p][s + 1], -g[p + 1][s], g[p][s]], P - 1, S)
    each(lambda p, s: [-e[p][s + 1], g[p + 1][s], -g[p][s]], P - 1, S)
    each(lambda p, s: [e[p][s + 1], -e[p][s], -g[p + 1][s], -g[p][s]], P - 1, S)
    each(lambda p, s: [e[p][s + 1], -e[p][s], g[p + 1][s], g[p][s]], P - 1, S)
    # What has ended stays so; all have ended after S steps; neither ends where both still are.
    each(lambda p, s: [-t[p][s], t[p][s + 1]], P, S)
    each(lambda p: [t[p][S]], P)
    each(lambda p, s: [-t[p + 1][s], -e[p][s], *or_copy(p)], P - 1, S + 1)
    each(lambda p, s: [-t[p][s], -e[p][s], *or_copy(p)], P - 1, S + 1)
    each(lambda p, s: [-t[p][s], -g[p][s]], P, S)
    # The first path goes left all the way, the last one right. Where two neighbours part, the
    # first goes left; after that, the first goes right all the way, the second left.
    each(lambda s: [-g[0][s]], S)
    each(lambda s: [g[P - 1][s], t[P - 1][s]], S)
    each(lambda p, s: [-e[p][s], -g[p][s], g[p + 1][s]], P - 1, S)
    each(lambda p, s: [e[p][s], -g[p + 1][s]], P - 1, S)
    each(lambda p, s: [e[p][s], g[p][s], t[p][s]], P - 1, S)
    # Each step asks one feature or is past the end; no feature twice on a path (tidy).
    made.exactly_one([[*a[p][s], t[p][s]] for p in range(P) for s in range(S)])
    made.at_most_one([[a[p][s][f] for s in range(S)] for p in range(P) for f in F])
    # Neighbours ask the same while they are together.
    each(lambda p, s, f: [-e[p][s], -a[p + 1][s][f], a[p][s][f]], P - 1, S, F)
    each(lambda p, s, f: [-e[p][s], a[p + 1][s][f], -a[p][s][f]], P - 1, S, F)
    # A path that asks f lets f = 0 through if it goes left, and f = 1 if it goes right.
    for value, sign in ((0, -1), (1, 1)):
        x = m[value]
        each(lambda p, s, f: [-a[p][s][f], sign * g[p][s], -x[p][f]], P, S, F)
        each(lambda p, s, f: [-a[p][s][f], -sign * g[p][s], x[p][f]], P, S, F)
        each(lambda p, f: [x[p][f], *(a[p][s][f] for s in range(S))], P, F)
    # An example whose values all pass is let through, and allows the class of the leaf.
    each(lambda p, i: [q[p][i], *(-m[v][p][f] for f, v in enumerate(made.bits[i]))], P, E)
    for group in made.by_size():
        each(lambda p, i: [-q[p][i[0]], *(c[p][label] for label in i[1])], P, group)
    # The other way round, and an example reaches every leaf (tidy).
    if "leaf_matches" in made.switches:
        each(lambda p, i, f: [-q[p][i], m[made.bits[i][f]][p][f]], P, E, F)
        each(lambda p: q[p], P)
    # Where the examples with f = v are pure, the tree ends on that side of f (tidy).
    for value, sign in ((0, 1), (1, -1)):
        pure = [(f, k) for f, v, k in made.pure if v == value]
        each(lambda p, s, y: [-a[p][s][y[0]], sign * g[p][s], t[p][s + 1]], P, S, pure)
        each(lambda p, s, y: [-a[p][s][y[0]], sign * g[p][s], c[p][y[1]]], P, S, pure)

    def cube(template: Any) -> list[int]:
        """What a template says of the paths: the ends from left to right take as many paths as
        they have leaves, and each of these goes the way to its end."""
        literals: list[int] = []
        p = 0
        todo: list[tuple[Any, list[int]]] = [(template, [])]
        while todo:
            part, way = todo.pop()
            if isinstance(part, tuple):
                todo.append((part[1], [*way, 1]))
                todo.append((part[0], [*way, 0]))  # on top: the left side comes first
                continue
            leaves = (part + 1) // 2
            for path in range(p, p + leaves):
                literals.extend(-t[path][s] for s in range(len(way)))
                literals.extend(g[path][s] if turn else -g[path][s] for s, turn in enumerate(way))
                literals.append(t[path][len(way)] if part == 1 else -t[path][len(way)])
            p += leaves
        return literals

    return cube


def nodes_formula(made: Formula) -> Cube:
    """The same with nodes 1..N numbered breadth first, the children 2k and 2k + 1 as pair k. The
    variables, for node j, pair k, feature f and value v (row 0 of each array is not used):

        v[j]        the node is a leaf
        x[i, k]     node i is the parent of pair k, for k <= i < 2k: pairs come in order, and before
                    pair k there are 2k - 1 nodes
        a[j][f]     it asks feature f
        u[j][f]     feature f is asked at the node or above
        d[v][j][f]  examples with f = v do not get to node j
        c[j][k]     it has class k, if it is a leaf
        w[k]        with `at_most` alone: pair k is in use
    """
    P, F = made.paths, made.features
    add, each, new = made.add, made.each, made.new
    N = 2 * P - 1
    v = new(N + 1)
    pairs = [(i, k) for k in range(1, P) for i in range(k, 2 * k)]
    x = dict(zip(pairs, new(len(pairs)), strict=True))
    a, u, d = new(N + 1, len(F)), new(N + 1, len(F)), new(2, N + 1, len(F))
    c = made.classes(N + 1, 1)
    w = new(P) if made.at_most else []

    # The root is no leaf. Each node has one pair or is a leaf; each pair has one parent, unless it
    # is not in use: then its nodes count as leaves, and no later pair is in use.
    add(-v[1])
    for i in range(1, N + 1):
        made.exactly_one([[*(x[i, k] for k in range(1, P) if (i, k) in x), v[i]]])
    for k in range(1, P):
        parents = [x[i, k] for i in range(k, 2 * k)]
        if w and k > 1:
            add(-w[k], w[k - 1])
            add(w[k], v[2 * k])
            add(w[k], v[2 * k + 1])
            parents.append(-w[k])
        made.exactly_one([parents])
    if w:
        add(w[0])
        add(w[1])

    def counter(sign: int) -> Any:
        """n[k][i]: at least k of the first i nodes are leaves (sign 1), or inner nodes (-1)."""
        n = new(N + 1, N + 1)
        each(lambda i: [n[0][i]], N + 1)
        each(lambda k: [-n[k + 1][0]], N)
        each(lambda k, i: [-n[k + 1][i], n[k + 1][i + 1]], N, N)
        each(lambda k, i: [-n[k][i], -sign * v[i + 1], n[k + 1][i + 1]], N, N)
        each(lambda k, i: [-n[k + 1][i + 1], n[k + 1][i], n[k][i]], N, N)
        each(lambda k, i: [-n[k + 1][i + 1], n[k + 1][i], sign * v[i + 1]], N, N)
        return n

    # Breadth first, the pair of node i has the number of inner nodes among the first i. So with k
    # leaves among them it is not pair i - k + 1, and with k inner nodes it is not pair k - 1.
    if "additional" in made.switches:
        leaves, inner = counter(1), counter(-1)
        for i, k in product(range(1, N + 1), range(1, N + 1)):
            if k <= i and (i, i - k + 1) in x:
                add(-leaves[k][i], -x[i, i - k + 1])
            if k <= i and (i, k - 1) in x:
                add(-inner[k][i], -x[i, k - 1])
    # Without that: a later pair does not have an earlier parent.
    else:
        for (i, k), j in product(pairs, range(N)):
            if k < j <= i and (j, k + 1) in x:
                add(-x[i, k], -x[j, k + 1])
    # Each node asks one feature or is a leaf; at the root, what is asked there is asked so far.
    made.exactly_one([[*a[j], v[j]] for j in range(1, N + 1)])
    each(lambda f: [-u[1][f], a[1][f]], F)
    each(lambda f: [u[1][f], -a[1][f]], F)

    def down(side: int, clause: Callable[..., list[int]]) -> None:
        """The clause for every parent i, its child j on the given side, and every feature."""
        each(lambda ik, f: [-x[ik], *clause(ik[0], 2 * ik[1] + side, f)], pairs, F)

    # A child does not ask what was asked above (tidy); what was asked stays so.
    for side in (0, 1):
        down(side, lambda i, j, f: [-u[i][f], -a[j][f]])
        down(side, lambda i, j, f: [-u[i][f], u[j][f]])
        down(side, lambda i, j, f: [-u[j][f], a[j][f], u[i][f]])
    each(lambda j, f: [-a[j][f], u[j][f]], range(1, N + 1), F)

    # Examples with f = 0 do not get to the right of a node that asks f, nor below; those with
    # f = 1 not to the left.
    for out, asked, other in ((d[0], 1, 0), (d[1], 0, 1)):
        each(lambda f: [-out[1][f]], F)
        down(asked, lambda i, j, f: [-out[i][f], out[j][f]])
        down(asked, lambda i, j, f: [-a[i][f], out[j][f]])
        down(asked, lambda i, j, f: [-out[j][f], out[i][f], a[i][f]])
        down(other, lambda i, j, f: [-out[i][f], out[j][f]])
        down(other, lambda i, j, f: [-out[j][f], out[i][f]])
    # A leaf that an example gets to, as none of its values is kept out, has a class that it allows.
    for group in made.by_size():
        for j, (i, allowed) in product(range(1, N + 1), group):
            classes = [c[j][label] for label in allowed]
            add(-v[j], *classes, *(d[bit][j][f] for f, bit in enumerate(made.bits[i])))
    # Where the examples with f = value are pure, the child on that side is a leaf (tidy).
    for f, value, label in made.pure:
        each(lambda ik: [-x[ik], -a[ik[0]][f], v[2 * ik[1] + value]], pairs)
        each(lambda ik: [-x[ik], -a[ik[0]][f], c[2 * ik[1] + value][label]], pairs)
    # deep[s][j]: node j is at depth s; at the greatest depth there are leaves only.
    if made.depth < P - 1:
        deep = new(int(made.depth) + 1, N + 1)
        add(deep[0][1])
        for side in (0, 1):
            each(
                lambda s, ik: [-x[ik], -deep[s][ik[0]], deep[s + 1][2 * ik[1] + side]],
                len(deep) - 1,
                pairs,
            )
        each(lambda j: [-deep[-1][j], v[j]], range(1, N + 1))

    def cube(template: Any) -> list[int]:
        """What a template says of the nodes: level by level they get their numbers."""
        literals: list[int] = []
        level, number, pair = [template], 0, 0
        while level:
            below: list[Any] = []
            for part in level:
                number += 1
                literals.append(v[number] if part == 1 else -v[number])
                if isinstance(part, tuple):
                    pair += 1
                    literals.append(x[number, pair])
                    below += part
            level = below
        return literals

    return cube


def templates(n: int, cut: int, room: float, sized: bool, most: float = inf) -> list[Any]:
    """The shapes of all trees with n nodes and depth up to `room`, cut off at depth `cut`: pairs,
    1 for a leaf, and for a larger subtree its size if `sized`, else 0.

    If there are more than `most`, it stops and returns some of them, more than `most`. A part with
    too many shapes makes too many of the whole, because the other part has at least one."""
    if not fits(n, room):
        return []
    if n == 1:
        return [1]
    if cut == 0:
        return [n if sized else 0]
    found: dict[Any, None] = {}  # a set in order
    for i in range(1, n - 1, 2):
        if fits(i, room - 1) and fits(n - i - 1, room - 1):
            left = templates(i, cut - 1, room - 1, sized, most)
            right = templates(n - i - 1, cut - 1, room - 1, sized, most)
            for pair in product(left, right):
                found[pair] = None
                if len(found) > most:
                    return list(found)
    return list(found)


def fits(n: int, room: float) -> bool:
    """Whether there is a tree with n nodes, so (n + 1) / 2 leaves, and depth up to `room`."""
    return room >= n or (n + 1) // 2 <= 2**room


# ------------------------------------------------------------------------------------- the proofs
def check_lrat(formula: list[list[int]], lines: list[str]) -> None:
    """Follow a proof by reverse unit propagation down to the empty clause.

    A step adds a clause that follows from those before: suppose all its literals false. Then each
    hint names a clause with one literal left that is not false, so this one must be true, until a
    clause has none left, which is a contradiction. The empty clause is false, so once it follows,
    the formula has no model."""
    clauses = dict(enumerate(formula, start=1))
    for line in lines:
        name, *words = line.split()
        if words[0] == "d":
            for word in words[1:-1]:
                clauses.pop(int(word), None)
            continue
        numbers = list(map(int, words))
        end = numbers.index(0)
        clause = numbers[:end]
        true = {-literal for literal in clause}
        contradiction = False
        for hint in numbers[end + 1 : -1]:
            free = [literal for literal in clauses[hint] if -literal not in true]
            if not free:
                contradiction = True
                break
            need(len(free) == 1, f"step {name}: clause {hint} has two literals that are not false")
            true.add(free[0])
        need(contradiction, f"step {name}: the hints do not lead to a conflict")
        clauses[int(name)] = clause
        if not clause:
            return
    raise Wrong("the empty clause is not derived")


def most_literals(data: Any, ask: dict[str, Any], proof_size: int) -> int:
    """See that a formula is asked for with sensible numbers; how many literals it may have."""
    for name, least in (("paths", 2), ("depth", 1), ("cut", 0)):
        whole = type(ask[name]) is int and ask[name] >= least
        need(whole or (ask[name] is None and name != "paths"), f"its {name} is {ask[name]!r}")
    # A tidy tree has no more leaves than there are examples, so no more paths are needed.
    paths, examples = ask["paths"], len(data.labels)
    need(paths <= examples, f"its paths are {paths}, for {examples} examples")
    return MOST_LITERALS + 8 * examples * len(data.masks) + 64 * proof_size


class Refutations:
    """Formulas 'there is a tree with P paths and depth D', each refuted."""

    def __init__(self, data: Any) -> None:
        self.data = data
        self.known: list[dict[str, Any]] = []
        self.steps = 0

    def read(self, lines: Iterable[str]) -> None:
        """Check refutation after refutation."""
        lines = list(lines)
        starts = [n for n, line in enumerate(lines) if line.startswith("refute ")]
        need(not lines or starts[:1] == [0], "the proof does not start with a refutation")
        for start, end in pairwise([*starts, len(lines)]):
            try:
                ask = json.loads(lines[start][7:])
                self.refutation(ask, lines[start + 1 : end])
            except (ValueError, LookupError, TypeError) as error:
                raise Wrong(f"{lines[start][:300]}: {error}") from None
            self.known.append(ask)

    def refutation(self, ask: dict[str, Any], lines: list[str]) -> None:
        """Make the formula again and check a proof for every cube."""
        proofs: dict[str, list[str]] = {}
        need(bool(lines) and lines[0].startswith("cube "), "its proof belongs to no cube")
        for line in lines:
            if line.startswith("cube "):
                proof = proofs.setdefault(line[5:], [])
            else:
                proof.append(line)
        most = most_literals(self.data, ask, sum(map(len, lines)))
        made = Formula(self.data, ask, most)
        paths = ask["paths"]
        shapes: list[Any] = [None]
        if ask["cut"] is not None:
            need(not ask["at_most"], "templates are for trees of one size")
            room = min(paths - 1, len(made.features))
            if ask["depth"] is not None:
                room = min(room, ask["depth"])
            sized = ask["encoding"] == "paths"
            shapes = templates(2 * paths - 1, ask["cut"], room, sized, len(proofs))
        for shape in shapes:
            need(json.dumps(shape) in proofs, f"cube {json.dumps(shape)} is left out")
        cube = {"paths": paths_formula, "nodes": nodes_formula}[ask["encoding"]](made)
        clauses = made.long + made.units
        flat = array.array("i")
        for clause in clauses:
            flat.extend(clause)
            flat.append(0)
        need(hashlib.sha256(flat.tobytes()).hexdigest() == ask["digest"], "it is another formula")
        for shape in shapes:
            units = [] if shape is None else [[literal] for literal in cube(shape)]
            name = json.dumps(shape)
            self.refute_cube(name, clauses + units, proofs[name])

    def refute_cube(self, name: str, clauses: list[list[int]], proof: list[str]) -> None:
        """Check the proof for one cube."""
        try:
            check_lrat(clauses, proof)
        except (ValueError, LookupError) as error:
            raise Wrong(f"cube {name}: {error}") from None
        self.steps += len(proof)

    def leaves(self, limit: float) -> float:
        """Every tree of depth at most `limit` has at least this many leaves: as its classes need,
        and no number that is refuted. (No formula is about a single leaf.) A refutation is about
        smallest trees, so the numbers are ruled out one after the other. A tree with p leaves that
        asks no feature twice on a path is not deeper than p - 1, nor than there are features."""
        paths: int = self.data.least_leaves()
        most = min(len(self.data.labels), 2 ** min(limit, 99))  # of a tidy tree
        while 1 < paths <= most:
            if not self.refuted(paths, min(limit, paths - 1, len(self.data.masks))):
                return paths
            paths += 1
        return inf if paths > most else paths

    def refuted(self, paths: int, limit: float) -> bool:
        """Whether it is refuted that a smallest tree of depth at most `limit` has this many
        leaves."""
        for known in self.known:
            enough = known["paths"] == paths or (known["at_most"] and known["paths"] > paths)
            if enough and (known["depth"] is None or known["depth"] >= limit):
                return True
        return False

    def summary(self) -> str:
        """What was checked, in a few words."""
        formulas = f"{len(self.known)} formula" + ("" if len(self.known) == 1 else "s")
        return f"{formulas} refuted, {self.steps} proof step" + ("" if self.steps == 1 else "s")
