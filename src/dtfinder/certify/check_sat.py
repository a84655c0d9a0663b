"""The part of check.py that follows proofs by SAT solvers; it needs only the standard library.

A refutation says 'no tree with so many paths and so much depth'. Its formula is made again here,
clause by clause in the order that docs/certificates.md gives, once for each of the two encodings.
Where the refutation is split by the shape of the tree, all shapes are enumerated again, too. Then
every step of the LRAT proofs is followed by unit propagation.
"""

from __future__ import annotations

import array
import hashlib
import json
from collections.abc import Callable
from itertools import pairwise, product
from math import inf
from typing import Any

Cube = Callable[[Any], list[int]]


class Wrong(ValueError):
    """A refutation fails; the text says where."""


def need(holds: bool, otherwise: str) -> None:
    """Reject the refutation unless `holds`."""
    if not holds:
        raise Wrong(otherwise)


class Formula:
    """Clauses over numbered variables. Their order counts: first the longer ones, then the units,
    because a solver that knows units shortens what comes after them."""

    def __init__(self, data: Any, ask: dict[str, Any]) -> None:
        self.top, self.long, self.units = 0, [], []
        self.paths, self.switches, self.at_most = ask["paths"], ask["switches"], ask["at_most"]
        self.depth = inf if ask["depth"] is None else ask["depth"]
        self.features, self.examples = range(len(data.masks)), range(len(data.labels))
        # A smallest tree asks no feature twice on a path, and has a leaf on every level below 0.
        self.steps = int(min(self.paths - 1, len(self.features), self.depth))
        self.bits = [[mask >> e & 1 for mask in data.masks] for e in self.examples]
        present = sorted(set(data.labels))
        self.labels = [present.index(label) for label in data.labels]
        self.pure = []  # (f, v, c) where all examples with f = v have class c
        for f, v in product(self.features if "quasi_pure" in self.switches else (), (0, 1)):
            found = {c for bits, c in zip(self.bits, self.labels, strict=True) if bits[f] == v}
            self.pure += [(f, v, c) for c in found if len(found) == 1]

    long: list[list[int]]
    units: list[list[int]]

    def new(self, *shape: int) -> Any:
        """An array of new variables."""
        if len(shape) > 1:
            return [self.new(*shape[1:]) for _ in range(shape[0])]
        self.top += shape[0]
        return list(range(self.top - shape[0] + 1, self.top + 1))

    def add(self, *clause: int) -> None:
        """Add a clause."""
        (self.long if len(clause) > 1 else self.units).append(list(clause))

    def each(self, clause: Callable[..., list[int]], *indices: Any) -> None:
        """Add the clause for every combination of the indices; a number n means 0..n-1."""
        for index in product(*(range(n) if isinstance(n, int) else n for n in indices)):
            self.add(*clause(*index))

    def one_of(self, rows: list[list[int]], exactly: bool = True) -> None:
        """Exactly, or at most, one literal of each row is true, by a sequential counter."""
        n = len(rows[0])
        for x in rows if exactly else ():
            self.add(*x)
        if n == 2:
            self.each(lambda x: [-x[0], -x[1]], rows)
        for x, s in zip(rows, self.new(len(rows), n - 1) if n > 2 else (), strict=False):
            self.add(-x[0], s[0])
            for i in range(1, n - 1):
                self.long += [[-s[i - 1], s[i]], [-x[i], -s[i - 1]], [-x[i], s[i]]]
            self.add(-x[-1], -s[-1])

    def classes(self, rows: int, first: int) -> Any:
        """c[row][class], literals for the class of each row."""
        if max(self.labels) < 2:
            return [[-variable, variable] for variable in self.new(rows)]
        made = self.new(rows, max(self.labels) + 1)
        self.one_of(made[first:])
        return made


def paths_formula(made: Formula) -> Cube:
    """'There is a tree with P paths of at most S steps': path after path, left to right."""
    P, F, E, each, new = made.paths, made.features, made.examples, made.each, made.new
    S = made.steps
    g, t, e = new(P, S), new(P, S + 1), new(P - 1, S + 1)
    a, m, q = new(P, S, len(F)), new(2, P, len(F)), new(P, len(E))
    c = made.classes(P, 0)
    h = new(P - 1) if made.at_most else []

    def ghost(x: Any) -> None:
        each(lambda p, s: [-h[p], -x[p + 1][s], x[p][s]], P - 1, len(x[0]))
        each(lambda p, s: [-h[p], x[p + 1][s], -x[p][s]], P - 1, len(x[0]))

    if h:
        made.add(-h[0])
        each(lambda p: [-h[p], h[p + 1]], P - 2)
        for x in (g, t, c):
            ghost(x)
    each(lambda p: [e[p][0]], P - 1)
    each(lambda p, s: [-e[p][s + 1], e[p][s]], P - 1, S)
    each(lambda p, s: [-e[p][s + 1], -g[p + 1][s], g[p][s]], P - 1, S)
    each(lambda p, s: [-e[p][s + 1], g[p + 1][s], -g[p][s]], P - 1, S)
    each(lambda p, s: [e[p][s + 1], -e[p][s], -g[p + 1][s], -g[p][s]], P - 1, S)
    each(lambda p, s: [e[p][s + 1], -e[p][s], g[p + 1][s], g[p][s]], P - 1, S)
    each(lambda p, s: [-t[p][s], t[p][s + 1]], P, S)
    each(lambda p: [t[p][S]], P)
    each(lambda p, s: [-t[p + 1][s], -e[p][s], *h[p : p + 1]], P - 1, S + 1)
    each(lambda p, s: [-t[p][s], -e[p][s], *h[p : p + 1]], P - 1, S + 1)
    each(lambda p, s: [-t[p][s], -g[p][s]], P, S)
    each(lambda s: [-g[0][s]], S)
    each(lambda s: [g[P - 1][s], t[P - 1][s]], S)
    each(lambda p, s: [-e[p][s], -g[p][s], g[p + 1][s]], P - 1, S)
    each(lambda p, s: [e[p][s], -g[p + 1][s]], P - 1, S)
    each(lambda p, s: [e[p][s], g[p][s], t[p][s]], P - 1, S)
    made.one_of([[*a[p][s], t[p][s]] for p in range(P) for s in range(S)])
    made.one_of([[a[p][s][f] for s in range(S)] for p in range(P) for f in F], exactly=False)
    each(lambda p, s, f: [-e[p][s], -a[p + 1][s][f], a[p][s][f]], P - 1, S, F)
    each(lambda p, s, f: [-e[p][s], a[p + 1][s][f], -a[p][s][f]], P - 1, S, F)

    def passing(x: Any, sign: int) -> None:
        each(lambda p, s, f: [-a[p][s][f], sign * g[p][s], -x[p][f]], P, S, F)
        each(lambda p, s, f: [-a[p][s][f], -sign * g[p][s], x[p][f]], P, S, F)
        each(lambda p, f: [x[p][f], *(a[p][s][f] for s in range(S))], P, F)

    passing(m[0], -1)
    passing(m[1], 1)
    each(lambda p, i: [q[p][i], *(-m[v][p][f] for f, v in enumerate(made.bits[i]))], P, E)
    each(lambda p, i: [-q[p][i], c[p][made.labels[i]]], P, E)
    if "leaf_matches" in made.switches:
        each(lambda p, i, f: [-q[p][i], m[made.bits[i][f]][p][f]], P, E, F)
        each(lambda p: q[p], P)

    def ending(sign: int, pure: list[tuple[int, int]]) -> None:
        each(lambda p, s, y: [-a[p][s][y[0]], sign * g[p][s], t[p][s + 1]], P, S, pure)
        each(lambda p, s, y: [-a[p][s][y[0]], sign * g[p][s], c[p][y[1]]], P, S, pure)

    ending(1, [(f, k) for f, v, k in made.pure if v == 0])
    ending(-1, [(f, k) for f, v, k in made.pure if v == 1])

    def cube(template: Any) -> list[int]:
        literals: list[int] = []

        def walk(part: Any, way: list[int], p: int) -> Any:
            if isinstance(part, tuple):
                return walk(part[1], [*way, 1], walk(part[0], [*way, 0], p))
            for row in range(p, p + (part + 1) // 2):
                literals.extend(-t[row][s] for s in range(len(way)))
                literals.extend(g[row][s] if turn else -g[row][s] for s, turn in enumerate(way))
                literals.append(t[row][len(way)] if part == 1 else -t[row][len(way)])
            return p + (part + 1) // 2

        walk(template, [], 0)
        return literals

    return cube


def nodes_formula(made: Formula) -> Cube:
    """The same with nodes 1..N numbered breadth first, the children 2k and 2k + 1 as pair k."""
    P, F, each, new = made.paths, made.features, made.each, made.new
    N = 2 * P - 1
    v = new(N + 1)
    pairs = [(i, k) for k in range(1, P) for i in range(k, 2 * k)]
    x = dict(zip(pairs, new(len(pairs)), strict=True))
    a, u, d = new(N + 1, len(F)), new(N + 1, len(F)), new(2, N + 1, len(F))
    c = made.classes(N + 1, 1)
    w = new(P) if made.at_most else []
    made.add(-v[1])
    for i in range(1, N + 1):
        made.one_of([[*(x[i, k] for k in range(1, P) if (i, k) in x), v[i]]])
    for k in range(1, P):
        if w and k > 1:
            made.long += [[-w[k], w[k - 1]], [w[k], v[2 * k]], [w[k], v[2 * k + 1]]]
        made.one_of([[*(x[i, k] for i in range(k, 2 * k)), *(-y for y in w[k : k + 1] if k > 1)]])
    each(lambda y: [y], w[:2])

    def counter(sign: int) -> Any:
        n = new(N + 1, N + 1)
        each(lambda i: [n[0][i]], N + 1)
        each(lambda k: [-n[k + 1][0]], N)
        each(lambda k, i: [-n[k + 1][i], n[k + 1][i + 1]], N, N)
        each(lambda k, i: [-n[k][i], -sign * v[i + 1], n[k + 1][i + 1]], N, N)
        each(lambda k, i: [-n[k + 1][i + 1], n[k + 1][i], n[k][i]], N, N)
        each(lambda k, i: [-n[k + 1][i + 1], n[k + 1][i], sign * v[i + 1]], N, N)
        return n

    if "additional" in made.switches:
        leaves, inner = counter(1), counter(-1)
        for i, k in product(range(1, N + 1), range(1, N + 1)):
            if k <= i and (i, i - k + 1) in x:
                made.add(-leaves[k][i], -x[i, i - k + 1])
            if k <= i and (i, k - 1) in x:
                made.add(-inner[k][i], -x[i, k - 1])
    else:
        for (i, k), j in product(pairs, range(N)):
            if k < j <= i and (j, k + 1) in x:
                made.add(-x[i, k], -x[j, k + 1])
    made.one_of([[*a[j], v[j]] for j in range(1, N + 1)])
    each(lambda f: [-u[1][f], a[1][f]], F)
    each(lambda f: [u[1][f], -a[1][f]], F)

    def down(side: int, clause: Callable[..., list[int]]) -> None:
        """The clause for every parent i, its child j on the given side, and every feature."""
        each(lambda ik, f: [-x[ik], *clause(ik[0], 2 * ik[1] + side, f)], pairs, F)

    for side in (0, 1):
        down(side, lambda i, j, f: [-u[i][f], -a[j][f]])
        down(side, lambda i, j, f: [-u[i][f], u[j][f]])
        down(side, lambda i, j, f: [-u[j][f], a[j][f], u[i][f]])
    each(lambda j, f: [-a[j][f], u[j][f]], range(1, N + 1), F)

    def excluding(out: Any, asked: int, handed: int) -> None:
        each(lambda f: [-out[1][f]], F)
        down(asked, lambda i, j, f: [-out[i][f], out[j][f]])
        down(asked, lambda i, j, f: [-a[i][f], out[j][f]])
        down(asked, lambda i, j, f: [-out[j][f], out[i][f], a[i][f]])
        down(handed, lambda i, j, f: [-out[i][f], out[j][f]])
        down(handed, lambda i, j, f: [-out[j][f], out[i][f]])

    excluding(d[0], 1, 0)
    excluding(d[1], 0, 1)
    for j, (bits, label) in product(range(1, N + 1), zip(made.bits, made.labels, strict=True)):
        made.add(-v[j], c[j][label], *(d[b][j][f] for f, b in enumerate(bits)))

    def ending(f: int, value: int, label: int) -> None:
        each(lambda ik: [-x[ik], -a[ik[0]][f], v[2 * ik[1] + value]], pairs)
        each(lambda ik: [-x[ik], -a[ik[0]][f], c[2 * ik[1] + value][label]], pairs)

    for triple in made.pure:
        ending(*triple)

    def deeper(deep: Any, side: int) -> None:
        each(
            lambda s, ik: [-x[ik], -deep[s][ik[0]], deep[s + 1][2 * ik[1] + side]],
            len(deep) - 1,
            pairs,
        )

    if made.depth < P - 1:
        deep = new(int(made.depth) + 1, N + 1)
        made.add(deep[0][1])
        deeper(deep, 0)
        deeper(deep, 1)
        each(lambda j: [-deep[-1][j], v[j]], range(1, N + 1))

    def cube(template: Any) -> list[int]:
        literals, level, number, pair = [], [template], 0, 0
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


def templates(n: int, cut: int, room: float, sized: bool) -> list[Any]:
    """The shapes of all trees with n nodes and depth up to `room`, cut off at depth `cut`: pairs,
    1 for a leaf, and for a larger subtree its size if `sized`, else 0."""
    if (n + 1) // 2 > 2 ** min(room, n):
        return []
    if n == 1 or cut == 0:
        return [n if sized or n == 1 else 0]
    found: dict[Any, None] = {}
    for i in range(1, n - 1, 2):
        left = templates(i, cut - 1, room - 1, sized)
        right = templates(n - i - 1, cut - 1, room - 1, sized)
        found |= dict.fromkeys(product(left, right))
    return list(found)


def check_lrat(formula: list[list[int]], lines: list[str]) -> None:
    """Follow a proof by reverse unit propagation down to the empty clause."""
    clauses = dict(enumerate(formula, start=1))
    for line in lines:
        name, *words = line.split()
        if words[0] == "d":
            for word in words[1:-1]:
                clauses.pop(int(word), None)
            continue
        numbers = list(map(int, words))
        end = numbers.index(0)
        clause, true = numbers[:end], {-literal for literal in numbers[:end]}
        for hint in numbers[end + 1 : -1]:
            free = [literal for literal in clauses[hint] if -literal not in true]
            if not free:
                break
            need(len(free) == 1, f"step {name}: clause {hint} has two literals that are not false")
            true.add(free[0])
        else:
            raise Wrong(f"step {name}: the hints lead to no conflict")
        clauses[int(name)] = clause
        if not clause:
            return
    raise Wrong("the empty clause is not derived")


class Refutations:
    """Formulas 'there is a tree with so many paths and so much depth', each refuted."""

    def __init__(self, data: Any) -> None:
        self.data = data
        self.known: list[dict[str, Any]] = []
        self.steps = 0

    def read(self, lines: list[str]) -> None:
        """Check refutation after refutation."""
        starts = [n for n, line in enumerate(lines) if line.startswith("refute ")] + [len(lines)]
        need(starts[0] == 0, "the proof does not start with a refutation")
        for start, end in pairwise(starts):
            try:
                ask = json.loads(lines[start][7:])
                self.refutation(ask, lines[start + 1 : end])
            except (ValueError, LookupError, TypeError) as error:
                raise Wrong(f"{lines[start]}: {error}") from None
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
        for name, least in (("paths", 2), ("depth", 1), ("cut", 0)):
            whole = type(ask[name]) is int and ask[name] >= least
            need(whole or (ask[name] is None and name != "paths"), f"its {name} is {ask[name]!r}")
        made = Formula(self.data, ask)
        cube = {"paths": paths_formula, "nodes": nodes_formula}[ask["encoding"]](made)
        clauses = made.long + made.units
        flat = array.array("i", [literal for clause in clauses for literal in (*clause, 0)])
        need(hashlib.sha256(flat.tobytes()).hexdigest() == ask["digest"], "it is another formula")
        shapes: list[Any] = [None]
        if ask["cut"] is not None:
            need(not ask["at_most"], "templates are for trees of one size")
            n, sized = 2 * ask["paths"] - 1, ask["encoding"] == "paths"
            shapes = templates(n, ask["cut"], made.steps, sized)
        for shape in shapes:
            name = json.dumps(shape)
            need(name in proofs, f"cube {name} is left out")
            units = [] if shape is None else [[literal] for literal in cube(shape)]
            try:
                check_lrat(clauses + units, proofs[name])
            except (ValueError, LookupError) as error:
                raise Wrong(f"cube {name}: {error}") from None
            self.steps += len(proofs[name])

    def leaves(self, limit: float) -> float:
        """Every tree of depth at most `limit` has at least so many leaves: one for each class, and
        no number that is refuted. (No formula speaks of a single leaf.)"""
        paths, most = len(set(self.data.labels)), min(len(self.data.labels), 2 ** min(limit, 99))
        while 1 < paths <= most and self.refuted(
            paths, min(limit, paths - 1, len(self.data.masks))
        ):
            paths += 1
        return inf if paths > most else paths

    def refuted(self, paths: int, limit: float) -> bool:
        """Whether no smallest tree of depth at most `limit` has so many leaves."""
        return any(
            (r["paths"] == paths or (r["at_most"] and r["paths"] > paths))
            and (r["depth"] is None or r["depth"] >= limit)
            for r in self.known
        )

    def summary(self) -> str:
        """What was checked, in a few words."""
        count = {"formula": len(self.known), "proof step": self.steps}
        formulas, steps = (f"{n} {what}{'s' * (n != 1)}" for what, n in count.items())
        return f"{formulas} refuted, {steps}"
