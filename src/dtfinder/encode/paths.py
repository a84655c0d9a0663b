"""Trees as the set of their paths: the encoding of Janota and Morgado, SAT 2020, Section 3.

The idea. A tree with P leaves is P paths from the root, in the order of a depth-first walk that
goes left first. Each path is a row of steps, left is 0 and right is 1. Neighbouring paths share a
prefix, so the rows together determine the tree, and its depth (the number of steps S) can be
limited as easily as its size. A step to the left follows the value 0 of its feature, one to the
right the value 1.

Variables, for paths p < P, steps s < S, features f, examples q (the paper counts from 1):
    g(p,s)    path p goes right at step s
    t(p,s)    path p has terminated before step s; s ≤ S, as t and e speak of nodes, g of edges
    e(p,s)    path p is at step s in the same node as path p−1; s ≤ S, p ≥ 1
    a(p,s,f)  the node of path p at step s asks for feature f
    m(p,f,v)  path p lets examples with f = v through;   m(p,q)  it lets example q through
    c(p)      the class of its leaf: one variable for two classes, one-hot for more
    h(p)      path p is a ghost (only with `at_most`): a copy of path p−1 that does not count

Clauses, with the corrections that make models and trees correspond one to one:
    Shape.    e(p,0) · e(p,s+1) ↔ e(p,s) ∧ (g(p,s) ↔ g(p−1,s)) · t(p,s) → t(p,s+1) · t(p,S) ·
              t(p,s) → ¬e(p,s) · t(p−1,s) → ¬e(p,s): no path ends in, or runs through, a leaf of
              its predecessor · the first path only goes left and the last one only right · paths
              do not cross: e(p,s) ∧ g(p−1,s) → g(p,s) · no gap: once they have parted, p only goes
              left and p−1 only right until they end · after its end a path has g = 0, so that one
              tree shape is one model: Catalan(P−1) in all.
    Features. Exactly one of {a(p,s,f) for all f} ∪ {t(p,s)} · no feature twice on a path · where
              e(p,s), both paths ask for the same feature.
    Examples. A feature occurs at most once on a path, so m(p,f,v) needs no further products:
              a ∧ g → ¬m(p,f,0) ∧ m(p,f,1), a ∧ ¬g → m(p,f,0) ∧ ¬m(p,f,1), and ¬m(p,f,v) →
              ⋁ a(p,s,f) over all s · m(p,q) ↔ ⋀ m(p,f,σ(q,f)), of which → is needed only with
              'leaf matches' · m(p,q) → the class of q, or one of those that q allows.

Options, each of which keeps every smallest tree (of a given depth at most S):
    leaf_matches   ⋁ m(p,q) over all q: a leaf without examples could be cut off.
    pure_features  constant features are left out.
    quasi_pure     where all examples with f = v have class c, a step on f towards v ends in a leaf
                   of class c: anything below it could be cut off. If they allow several classes
                   together, c is the first of them: the leaf may as well have it.
    path_bounds    the leftmost, rightmost and all other paths have at least the lengths that
                   `bound.path_length` proves.

At most P instead of exactly P. With these options 'there is a tree with exactly P leaves' is not
monotone in P: for the class y = f₁ on three bits it holds for P = 2, 4, 6 only. A binary search
needs it monotone, so with `at_most` the last paths may be ghosts: h(p) → h(p+1), and a ghost equals
its predecessor in g, t, class, hence in e and a. Only real paths must part from their predecessor,
and the bound on middle paths holds for p unless p+1 is a ghost, which is when p could be the last.

Size. O(P·S·F) for the features, and P·|examples|·F binary clauses for 'leaf matches', which is most
of it: 138 examples × 429 features at P = 10 is about a million clauses.

What pays off. Growing size on eight instances of the benchmark: 19.9 s of CPU time with all options
on, 15.5 s without 'leaf matches', while without quasi-pure features one of the eight is no longer
solved. The methods of the paper keep all of them on, as the paper does.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from dtfinder.bound.path_length import NOTHING_PROVEN, PathBounds
from dtfinder.data.examples import Examples
from dtfinder.encode.cnf import Encoding, Formula, Literals, truth
from dtfinder.encode.options import ALL_ON, EncodingOptions
from dtfinder.nodes import Node, leaf


def encode_paths(
    examples: Examples,
    paths: int,
    depth: int | None = None,
    *,
    at_most: bool = False,
    switches: EncodingOptions = ALL_ON,
    bounds: PathBounds = NOTHING_PROVEN,
    cardinality: str = "kmtotalizer",
    may_err: bool = False,
) -> Encoding:
    """'There is a tree with (at most) `paths` leaves and at most `depth` that classifies all
    examples.' Needs at least two paths, one feature and, if given, a depth of at least one.
    `bounds` count only if `switches.path_bounds`. With `may_err`, 'all but those that are `wrong`';
    quasi-pure features and path bounds, which are about exact trees, must be off."""
    assert not (may_err and (switches.quasi_pure or switches.path_bounds))
    if switches.pure_features:
        examples = examples.without_constants()
    made = _Paths(examples, paths, depth, at_most, cardinality, may_err)
    made.shape()
    made.assign_features()
    made.classify(switches.leaf_matches)
    if switches.quasi_pure:
        made.end_at_quasi_pure()
    if switches.path_bounds:
        made.keep_lengths(bounds)
    topology = np.concatenate([made.g.ravel(), made.t.ravel(), made.e.ravel()])
    return Encoding(made.formula, made.decode, made.cube, topology, made.wrong)


class _Paths:
    """The variables of one formula, and its clause families one by one."""

    def __init__(
        self,
        examples: Examples,
        paths: int,
        depth: int | None,
        at_most: bool,
        cardinality: str,
        may_err: bool,
    ) -> None:
        features = examples.n_features
        steps = min(paths - 1, features, paths if depth is None else depth)
        if steps < 1:
            raise ValueError(f"no tree with {paths} paths, {features} features, depth {depth}")
        self.examples, self.formula = examples, Formula(cardinality)
        new = self.formula.variables
        self.g, self.t, self.e = new(paths, steps), new(paths, steps + 1), new(paths - 1, steps + 1)
        self.a = new(paths, steps, features)
        self.allows = new(2, paths, features)  # m(p,f,v), by value first
        self.m = new(paths, examples.n_examples)
        if examples.n_classes == 2:
            one = new(paths)
            self.c: Literals = np.stack([-one, one], axis=1)
        else:
            self.c = new(paths, examples.n_classes)
            self.formula.exactly_one(self.c)
        # Row p − 1 speaks of path p, as in e; the first two paths always count.
        self.h: Literals | None = new(paths - 1) if at_most else None
        self.wrong = new(examples.n_examples if may_err else 0)

    def shape(self) -> None:
        """The paths are those of one binary tree, in order."""
        add, g, t, e = self.formula.add, self.g, self.t, self.e
        here, before = g[1:], g[:-1]  # of path p and of path p − 1
        equal, next_equal = e[:, :-1], e[:, 1:]
        unless_ghost: list[Any] = []
        if self.h is not None:
            unless_ghost = [self.h[:, None]]
            self._copy_ghosts(self.h)
        add(e[:, 0])
        add(-next_equal, equal)
        add(-next_equal, -here, before)
        add(-next_equal, here, -before)
        add(next_equal, -equal, -here, -before)
        add(next_equal, -equal, here, before)
        add(-t[:, :-1], t[:, 1:])
        add(t[:, -1])
        add(-t[1:], -e, *unless_ghost)
        add(-t[:-1], -e, *unless_ghost)
        add(-t[:, :-1], -g)
        add(-g[0])
        add(g[-1], t[-1, :-1])
        add(-equal, -before, here)
        add(equal, -here)  # a terminated path has g = 0 already
        add(equal, before, t[:-1, :-1])

    def _copy_ghosts(self, h: Literals) -> None:
        add = self.formula.add
        add(-h[0])
        add(-h[:-1], h[1:])
        for rows in (self.g, self.t, self.c):
            add(-h[:, None], -rows[1:], rows[:-1])
            add(-h[:, None], rows[1:], -rows[:-1])

    def assign_features(self) -> None:
        """One feature per node, the same on all paths through it, none twice on a path."""
        a, equal = self.a, self.e[:, :-1, None]
        self.formula.exactly_one(np.concatenate([a, self.t[:, :-1, None]], axis=2))
        self.formula.at_most_one(a.transpose(0, 2, 1))
        self.formula.add(-equal, -a[1:], a[:-1])
        self.formula.add(-equal, a[1:], -a[:-1])

    def classify(self, leaf_matches: bool) -> None:
        """A path that lets an example through has a class that it allows."""
        add, a, g = self.formula.add, self.a, self.g[:, :, None]
        for value, allowed in enumerate(self.allows):
            towards = g if value else -g
            add(-a, towards, -allowed[:, None, :])
            add(-a, -towards, allowed[:, None, :])
            self.formula.add_rows(allowed[:, :, None], a.transpose(0, 2, 1))
        zero, one = self.allows
        passes = np.where(self.examples.bits, one[:, None, :], zero[:, None, :])
        self.formula.add_rows(self.m[:, :, None], -passes)
        for group, classes in self.examples.by_size():
            unless_wrong = [self.wrong[group, None]] if self.wrong.size else []
            allowed = self.c[:, classes]
            self.formula.add_rows(-self.m[:, group, None], allowed, *unless_wrong)
        if leaf_matches:
            add(-self.m[:, :, None], passes)
            self.formula.add_rows(self.m)

    def end_at_quasi_pure(self) -> None:
        """A step onto a side where only one class is left ends in a leaf of that class."""
        for value in (0, 1):
            found = [(f, c) for f, v, c in self.examples.quasi_pure() if v == value]
            if found:
                features, classes = np.array(found).T
                away = -self.g[:, :, None] if value else self.g[:, :, None]
                step = -self.a[:, :, features]
                self.formula.add(step, away, self.t[:, 1:, None])
                self.formula.add(step, away, self.c[:, None, classes])

    def keep_lengths(self, bounds: PathBounds) -> None:
        """No path is shorter than is proven: a length of at least n is ¬t(p, n − 1)."""
        add, t = self.formula.add, self.t
        add(-t[0, : bounds.left])
        add(-t[-1, : bounds.right])
        middle = t[1:-1, : bounds.general]
        if self.h is None:
            add(-middle)
        else:
            add(-middle, self.h[1:, None])

    def cube(self, template: Any) -> list[int]:
        """The literals that fix a template of `encode.topologies.sized_templates`: all paths
        through one of its ends share the way there, and it is a leaf if and only if it has size
        1."""
        literals: list[int] = []
        path = 0

        def walk(part: Any, way: list[int]) -> None:
            nonlocal path
            if isinstance(part, tuple):
                for turn, child in enumerate(part):
                    walk(child, [*way, turn])
                return
            for row in range(path, path + (part + 1) // 2):
                ends = [-variable for variable in self.t[row, : len(way)].tolist()]
                turns = [
                    v if turn else -v
                    for v, turn in zip(self.g[row, : len(way)].tolist(), way, strict=True)
                ]
                last = int(self.t[row, len(way)])
                literals.extend([*ends, *turns, last if part == 1 else -last])
            path += (part + 1) // 2

        walk(template, [])
        return literals

    def decode(self, model: list[int]) -> list[Node]:
        """The tree of a model."""
        value = truth(model, self.formula.top)
        right, ended, asks = value[self.g], value[self.t], value[self.a]
        class_of = _values(value, self.c).argmax(axis=1)
        real = len(right) if self.h is None else len(right) - int(value[self.h].sum())
        nodes: list[Node] = []

        def grow(first: int, last: int, step: int) -> int:
            """Add the subtree of paths first..last−1, which share their first steps."""
            number = len(nodes)
            if ended[first, step]:
                nodes.append(leaf(int(self.examples.classes[class_of[first]])))
                return number
            feature = int(self.examples.features[asks[first, step].argmax()])
            middle = first + int(right[first:last, step].argmax())
            nodes.append(leaf(0))  # takes its place in preorder; filled in below
            zero, one = grow(first, middle, step + 1), grow(middle, last, step + 1)
            nodes[number] = Node(feature, zero, one, -1)
            return number

        grow(0, real, 0)
        return nodes


def _values(value: NDArray[np.bool_], literals: Literals) -> NDArray[np.bool_]:
    """The value of every literal."""
    return value[np.abs(literals)] ^ (literals < 0)
