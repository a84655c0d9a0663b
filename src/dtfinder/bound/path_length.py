"""How long must a path be? Lower bounds by MaxSAT (Janota and Morgado, SAT 2020, Section 3.2).

The idea. A path keeps the examples that agree with all its steps, and in a correct tree these have
at most one class (or one in common, if they allow several). How few steps can achieve that,
whatever the rest of the tree looks like? The order of the steps does not matter, only which
features are asked and which way the path turns.

Variables. x(f,v): the path has a step on feature f towards value v. out(q): a step excludes example
q. keep(k): class k is the one that may be left.

Hard clauses. ¬x(f,0) ∨ ¬x(f,1) · ⋁ keep(k) · keep(k) → out(q) for all q that do not allow k ·
out(q) → ⋁ x(f, 1 − σ(q,f)) over all f · and by the kind of path:
    leftmost   only steps towards 0: ¬x(f,1)
    rightmost  only steps towards 1: ¬x(f,0)
    general    every other path has turned both ways: ⋁ x(f,0), ⋁ x(f,1)
Soft clauses. ¬x(f,v), each of weight 1: RC2 finds the least number of steps.

Why it is right. Every path of a correct tree satisfies the hard clauses, so its length is at least
the optimum. RC2 raises its cost by one with every core that it finds, and what it has raised it to
is always a lower bound, so it may be stopped at any time. The limit counts its conflicts and never
uses the clock: the same examples give the same bounds on every machine.

Use. The three bounds go into the path encoding. All leaves of the left subtree of the root hang off
the leftmost path, so a leftmost path of length l and a rightmost one of length r mean at least
l + r leaves: below the root, the left subtree has a path of l − 1 steps, hence l leaves, and the
right one has r. The depth is at least max(l, r).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from dtfinder.data.examples import Examples

# Enough for all tables except wide and hard ones, where more would not pay off.
CONFLICTS = 5_000
# Tables with more bits than this are skipped: RC2 would need gigabytes, for bounds of 1 or 2.
MOST_BITS = 2_000_000
_SLICE = 500


@dataclass(frozen=True)
class PathBounds:
    """At least this many steps on the leftmost, the rightmost, and every other path."""

    left: int = 1
    right: int = 1
    general: int = 2
    work: int = 0  # solver steps that the proof took

    @property
    def leaves(self) -> int:
        """Every tree has at least this many leaves."""
        return self.left + self.right

    @property
    def depth(self) -> int:
        """Every tree has at least this depth."""
        return max(self.left, self.right)


NOTHING_PROVEN = PathBounds()


def path_bounds(examples: Examples, conflicts: int = CONFLICTS) -> PathBounds:
    """The bounds for `examples` of at least two classes. Each of the three may use `conflicts` of
    the SAT solver. For very large tables nothing is proven."""
    if examples.bits.size > MOST_BITS:
        return NOTHING_PROVEN
    proven, work = [], 0
    for kind in ("left", "right", "general"):
        bound, steps = _shortest(examples, kind, conflicts)
        proven.append(bound)
        work += steps
    left, right, general = proven
    return PathBounds(max(1, left), max(1, right), max(2, general), work)


class _Spent(Exception):
    """The conflicts are used up."""


def _shortest(examples: Examples, kind: str, conflicts: int) -> tuple[int, int]:
    """The bound for one kind of path, and the solver steps that it took. If no such path exists
    (one feature cannot turn both ways), the bound is larger than the length of any path."""
    from pysat.examples.rc2 import RC2

    formula = _formula(examples, kind)
    literals = sum(map(len, formula.hard)) + len(formula.soft)
    with RC2(formula) as search:
        _limit(search.oracle, conflicts)
        try:
            found = search.compute()
        except _Spent:
            found = []  # not finished: the cost so far is the bound
        bound = examples.n_features + 1 if found is None else int(search.cost)
        return bound, literals + int(search.oracle.accum_stats()["propagations"])


def _limit(oracle: Any, conflicts: int) -> None:
    """Make the oracle raise _Spent once it has used up its `conflicts`."""
    solve_limited = oracle.solve_limited

    def solve(assumptions: Any = (), **_ignored: Any) -> bool:
        while True:
            if oracle.accum_stats()["conflicts"] >= conflicts:
                raise _Spent
            oracle.conf_budget(_SLICE)
            answer: bool | None = solve_limited(assumptions=list(assumptions))
            if answer is not None:
                return answer

    oracle.solve = oracle.solve_limited = solve


def _formula(examples: Examples, kind: str) -> Any:
    from pysat.formula import WCNF

    n, count, classes = examples.n_features, examples.n_examples, examples.n_classes
    zero = np.arange(1, n + 1)
    one, out = zero + n, np.arange(2 * n + 1, 2 * n + 1 + count)
    keep = np.arange(2 * n + count + 1, 2 * n + count + 1 + classes)
    formula = WCNF()
    formula.extend([keep.tolist()])
    for k in range(classes):
        formula.extend([[-int(keep[k]), int(q)] for q in out[~examples.right[:, k]]])
    steps = {"left": [zero], "right": [one], "general": [zero, one]}[kind]
    # An example with value 1 is excluded by a step towards 0, and the other way round.
    excludes = np.where(examples.bits, zero, one)
    if len(steps) == 2:
        formula.extend([[-int(z), -int(o)] for z, o in zip(zero, one, strict=True)])
        formula.extend([zero.tolist(), one.tolist()])
    for q, row in enumerate(excludes):
        usable = row if len(steps) == 2 else row[np.isin(row, steps[0])]
        formula.extend([[-int(out[q]), *usable.tolist()]])
    formula.extend([[-int(x)] for x in np.concatenate(steps)], weights=[1] * n * len(steps))
    return formula
