"""Trees as numbered nodes: `DT1`, the encoding of Narodytska, Ignatiev, Pereira and Marques-Silva,
IJCAI 2018, complete with its additional constraints, for any number of classes.

The idea. A tree with P leaves has N = 2P − 1 nodes, numbered breadth first: node 1 is the root, a
left child is even and its right sibling the next odd number. The children 2k and 2k + 1 come as a
pair, and the pairs 1..P−1 belong to the inner nodes in their order.

Variables, for nodes i and j, pairs k, features f, classes c:
    v(i)      node i is a leaf
    x(i,k)    node i is the parent of pair k, for k ≤ i < 2k. The paper's l(i,2k), r(i,2k+1),
              p(2k,i) and p(2k+1,i) are equal to each other, so here they are one variable.
    a(f,j)    node j asks for feature f;   u(f,j)  node j or one above it does
    d0(f,j)   the way to j excludes examples with f = 0;   d1(f,j)  those with f = 1
    c(j)      the class of leaf j: one variable for two classes, one-hot for more
    w(k)      pair k is in use (only with `at_most`)
    λ(t,i)    at least t of the nodes 1..i are leaves;   τ(t,i)  at least t are inner nodes
    deep(s,j) node j has at least s nodes above it (only with a limit on the depth)

Clauses:
    Shape.    ¬v(1) · exactly one of {x(i,k) for all k} ∪ {v(i)} · exactly one parent per pair.
    Features. Exactly one of {a(f,j) for all f} ∪ {v(j)} · for x(i,k) and j a child of the pair:
              u(f,i) → ¬a(f,j) and u(f,j) ↔ a(f,j) ∨ u(f,i), with u(f,1) ↔ a(f,1).
    Examples. For x(i,k): d0(f,2k+1) ↔ d0(f,i) ∨ a(f,i), d1(f,2k) ↔ d1(f,i) ∨ a(f,i), and the other
              two are handed down as they are; at the root all are false. An example q of class c:
              v(j) → c(j) = c ∨ ⋁ d_σ(q,f)(f,j) over all f. If q allows several classes, there is a
              c(j) = c for each of them.
    Order.    x(i,k) and x(i',k+1) → i < i', which makes the numbering of a tree unique:
              Catalan(P−1) shapes in all.

Options:
    additional     the paper's additional constraints in place of the order clauses: λ(t,i) →
                   ¬x(i, i−t+1) and τ(t,i) → ¬x(i, t−1). An inner node i with t leaves among 1..i
                   is the (i−t)-th inner node, so its pair is i − t; together they say just that.
    pure_features  constant features are left out.
    quasi_pure     (added by Janota and Morgado) where all examples with f = v have class c (or c is
                   the first class that all of them allow), a node that asks for f has as its child
                   towards v a leaf of class c.

At most P instead of exactly P: the pairs in use are a prefix of all. A pair out of use has no
parent, and its nodes are leaves. Their d0 and d1 are then free, so they satisfy all examples.

Size. O(P²·F) for the features and N clauses of F literals for every example.

What pays off. Growing size on eight instances of the benchmark: 4.3 s of CPU time, 4.9 s with the
order clauses in place of the additional ones, 4.7 s without quasi-pure features; paths need 19.9 s.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from dtfinder.data.examples import Examples
from dtfinder.encode.cnf import Encoding, Formula, Literals, truth
from dtfinder.encode.options import ALL_ON, EncodingOptions
from dtfinder.nodes import Node, leaf


def encode_nodes(
    examples: Examples,
    paths: int,
    depth: int | None = None,
    *,
    at_most: bool = False,
    switches: EncodingOptions = ALL_ON,
    cardinality: str = "kmtotalizer",
    may_err: bool = False,
) -> Encoding:
    """'There is a tree with (at most) `paths` leaves and at most `depth` that classifies all
    examples.' Needs at least two paths, one feature and, if given, a depth of at least one. With
    `may_err`, 'all but those that are `wrong`'; quasi-pure features must be off."""
    assert not (may_err and switches.quasi_pure)
    if paths < 2 or (depth is not None and depth < 1):
        raise ValueError(f"no tree with {paths} paths and depth {depth}")
    if switches.pure_features:
        examples = examples.without_constants()
    made = _Nodes(examples, paths, at_most, cardinality, may_err)
    made.shape()
    if switches.additional:
        made.order_by_counts()
    else:
        made.order_plainly()
    made.assign_features()
    made.classify()
    if switches.quasi_pure:
        made.end_at_quasi_pure()
    if depth is not None and depth < paths - 1:
        made.limit_depth(depth)
    topology = np.concatenate([made.v[1:], made.x])
    return Encoding(made.formula, made.decode, made.cube, topology, made.wrong)


class _Nodes:
    """The variables of one formula, and its clause families one by one. Arrays over nodes have an
    unused row 0, so that node i is row i."""

    def __init__(
        self, examples: Examples, paths: int, at_most: bool, cardinality: str, may_err: bool
    ) -> None:
        self.examples, self.paths, self.nodes = examples, paths, 2 * paths - 1
        self.formula = Formula(cardinality)
        new, rows, features = self.formula.variables, self.nodes + 1, examples.n_features
        self.v = new(rows)
        # Every possible (parent, pair), one variable each.
        possible = [(i, k) for k in range(1, paths) for i in range(k, 2 * k)]
        self.parent, self.pair = np.array(possible).T
        self.x = new(len(possible))
        self.at = {place: int(variable) for place, variable in zip(possible, self.x, strict=True)}
        self.a, self.u = new(rows, features), new(rows, features)
        self.d = new(2, rows, features)  # by the value that is excluded
        if examples.n_classes == 2:
            one = new(rows)
            self.c: Literals = np.stack([-one, one], axis=1)
        else:
            self.c = new(rows, examples.n_classes)
            self.formula.exactly_one(self.c[1:])
        self.w: Literals | None = new(paths) if at_most else None
        self.wrong = new(examples.n_examples if may_err else 0)

    def shape(self) -> None:
        """Every inner node has one pair of children, every pair in use has one parent."""
        formula, at, v = self.formula, self.at, self.v
        formula.add(-v[1])
        for i in range(1, self.nodes + 1):
            own = [at[i, k] for k in range(1, self.paths) if (i, k) in at]
            formula.exactly_one(np.array([[*own, v[i]]]))
        for k in range(1, self.paths):
            parents = [at[i, k] for i in range(k, 2 * k)]
            if self.w is not None and k > 1:
                parents.append(-int(self.w[k]))
                formula.add(-self.w[k], self.w[k - 1])
                formula.add(self.w[k], v[[2 * k, 2 * k + 1]])
            formula.exactly_one(np.array([parents]))
        if self.w is not None:
            formula.add(self.w[:2])  # there is no pair 0, and pair 1 is always in use

    def order_plainly(self) -> None:
        """A later pair has a later parent."""
        for (i, k), variable in self.at.items():
            for above in range(k + 1, i + 1):
                if (above, k + 1) in self.at:
                    self.formula.add(-variable, -self.at[above, k + 1])

    def order_by_counts(self) -> None:
        """The pair of node i from the numbers of leaves and of inner nodes among 1..i."""
        leaves, inner = self._count(self.v), self._count(-self.v)
        for i in range(1, self.nodes + 1):
            for t in range(1, i + 1):
                if (i, i - t + 1) in self.at:
                    self.formula.add(-leaves[t, i], -self.at[i, i - t + 1])
                if (i, t - 1) in self.at:
                    self.formula.add(-inner[t, i], -self.at[i, t - 1])

    def _count(self, flags: Literals) -> Literals:
        """Variables n(t,i) ↔ at least t of flags 1..i: n(t,i−1), or n(t−1,i−1) and flag i."""
        add = self.formula.add
        n = self.formula.variables(self.nodes + 1, self.nodes + 1)
        add(n[0])
        add(-n[1:, 0])
        here, before, fewer, flag = n[1:, 1:], n[1:, :-1], n[:-1, :-1], flags[1:][None, :]
        add(-before, here)
        add(-fewer, -flag, here)
        add(-here, before, fewer)
        add(-here, before, flag)
        return n

    def assign_features(self) -> None:
        """One feature per inner node, none twice on the way from the root."""
        add, a, u = self.formula.add, self.a, self.u
        self.formula.exactly_one(np.concatenate([a[1:], self.v[1:, None]], axis=1))
        add(-u[1], a[1])
        add(u[1], -a[1])
        is_parent, above = -self.x[:, None], self.parent
        for child in (2 * self.pair, 2 * self.pair + 1):
            add(is_parent, -u[above], -a[child])
            add(is_parent, -u[above], u[child])
            add(is_parent, -u[child], a[child], u[above])
        add(-a[1:], u[1:])

    def classify(self) -> None:
        """Every example that the way of a leaf does not exclude allows its class."""
        add, a = self.formula.add, self.a
        is_parent, above = -self.x[:, None], self.parent
        for value, excluded in enumerate(self.d):
            add(-excluded[1])
            # Going right, to the odd child, excludes value 0; going left excludes value 1.
            asked, handed = 2 * self.pair + 1 - value, 2 * self.pair + value
            add(is_parent, -excluded[above], excluded[asked])
            add(is_parent, -a[above], excluded[asked])
            add(is_parent, -excluded[asked], excluded[above], a[above])
            add(is_parent, -excluded[above], excluded[handed])
            add(is_parent, -excluded[handed], excluded[above])
        zero, one = self.d[:, 1:, :]
        ways_out = np.where(self.examples.bits, one[:, None, :], zero[:, None, :])
        for group, classes in self.examples.by_size():
            unless_wrong = [self.wrong[group, None]] if self.wrong.size else []
            # All of them are not copied: this is the largest array of the formula.
            ways = ways_out if len(group) == ways_out.shape[1] else ways_out[:, group]
            allowed = self.c[1:][:, classes]
            self.formula.add_rows(-self.v[1:, None, None], allowed, *unless_wrong, ways)

    def end_at_quasi_pure(self) -> None:
        """A step onto a side where only one class is left ends in a leaf of that class."""
        for feature, value, label in self.examples.quasi_pure():
            child = 2 * self.pair + value
            self.formula.add(-self.x, -self.a[self.parent, feature], self.v[child])
            self.formula.add(-self.x, -self.a[self.parent, feature], self.c[child, label])

    def limit_depth(self, depth: int) -> None:
        """No inner node has `depth` nodes above it."""
        deep = self.formula.variables(depth + 1, self.nodes + 1)
        self.formula.add(deep[0, 1])
        for child in (2 * self.pair, 2 * self.pair + 1):
            self.formula.add(-self.x, -deep[:-1, self.parent], deep[1:, child])
        self.formula.add(-deep[depth, 1:], self.v[1:])

    def cube(self, template: Any) -> list[int]:
        """The literals that fix a template of `encode.topologies.templates`. All its open ends are
        on one level, the last, so that its nodes have their final numbers."""
        literals, level, number, pair = [], [template], 0, 0
        while level:
            below: list[Any] = []
            for part in level:
                number += 1
                is_leaf = part == 1
                literals.append(int(self.v[number]) if is_leaf else -int(self.v[number]))
                if isinstance(part, tuple):
                    pair += 1
                    literals.append(self.at[number, pair])
                    below += part
            level = below
        return literals

    def decode(self, model: list[int]) -> list[Node]:
        """The tree of a model; numbering by breadth is kept, from 0."""
        value = truth(model, self.formula.top)
        children = {
            int(i): int(k)
            for i, k, yes in zip(self.parent, self.pair, value[self.x], strict=True)
            if yes
        }
        classes = value[np.abs(self.c)] ^ (self.c < 0)
        nodes = []
        for i in range(1, 2 * len(children) + 2):
            if i in children:
                feature = int(self.examples.features[value[self.a[i]].argmax()])
                nodes.append(Node(feature, 2 * children[i] - 1, 2 * children[i], -1))
            else:
                nodes.append(leaf(int(self.examples.classes[classes[i].argmax()])))
        return nodes
