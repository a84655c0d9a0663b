"""Why is there no smaller tree? Because a few rows alone already need one of this size.

Where to start. The engine proves its last bound for a set of examples that is often far smaller
than the table: its last core. Those alone force the size.

Leaving rows out. A subset never costs more, so one pass is enough: a row, once it cannot be left
out, cannot be left out of any subset either. Rows are tried in halves, then quarters, and so on,
down to one; each test asks the engine whether what is left still forces the size. All questions go
to one engine, which keeps what it learns: cores and costs of subsets that it has met serve every
later question. A proof that a subset forces the size names yet fewer rows, its own core, which
contain all rows that cannot be left out. If the time is up, what is left stands, and the answer
says that rows might still be left out. If there is time left, other orders are tried.

Least depth is done the same way; then two sets of rows are given: those that force the depth, and
those that force the size of trees of that depth.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from dtfinder._core import NO_LIMIT, make_questions
from dtfinder.data.dataset import Bits, Dataset, Ints
from dtfinder.problem import DEPTH, Problem
from dtfinder.proof import Forcing, NodeNeed, Reason
from dtfinder.result import Result
from dtfinder.tree import Tree

SECONDS = 10.0  # to look for fewer rows, unless told otherwise
SLICE = 200_000  # steps between two looks at the clock
MEMORY = 500_000_000  # bytes for what an engine learns
# Different orders of leaving out end in different sets, none of which can lose a row, and the
# smallest is kept: so many orders are tried, for no more than this share of the time.
ORDERS, SHARE = 24, 0.3
# An engine for few examples is quicker, so in larger tables only the first core is minimised.
FEW = 1024

Test = Callable[[Ints], Ints | None]


@dataclass(frozen=True)
class _Claim:
    """'At least so many inner nodes', within a limit on the depth, or 'at least so deep'."""

    bound: int
    limit: int = NO_LIMIT
    depth: bool = False


def reason_of(result: Result, seconds: float = SECONDS) -> Reason | None:
    """Why the tree of `result` is the smallest exact one; None if that is not proven, if it makes
    avoidable errors, or if the data is gone."""
    if result.status != "optimal" or result.dataset is None or not result.exact:
        return None
    problem = Problem(result.dataset, result.minimise, result.max_depth, result.max_nodes)
    return find_reason(problem, result.tree, seconds)


def find_reason(problem: Problem, tree: Tree, seconds: float = SECONDS) -> Reason:
    """Why `tree`, which must be optimal for `problem`, is; minimised for at most `seconds`."""
    begin = time.monotonic()
    end = begin + seconds
    dataset = problem.dataset
    rows = dataset.first_rows
    forcing = []
    inner = (tree.size - 1) // 2
    limit = problem.max_depth
    if problem.minimise == DEPTH:
        limit = tree.depth
        # With a limit on the nodes, the depth is forced only together with it.
        if tree.depth and problem.max_inner is None:
            half = begin + seconds / 2  # the other half is for the size
            examples, minimal = _force(dataset, _Claim(tree.depth, depth=True), half)
            forced = tuple(rows[examples].tolist())
            forcing.append(Forcing(forced, depth=tree.depth, minimal=minimal))
    if inner:
        claim = _Claim(inner, NO_LIMIT if limit is None else min(limit, NO_LIMIT))
        examples, minimal = _force(dataset, claim, end)
        forced = tuple(rows[examples].tolist())
        forcing.append(Forcing(forced, nodes=tree.size, within_depth=limit, minimal=minimal))
    needs = node_needs(dataset, tree)
    rows_kept = int((dataset.example_of_row >= 0).sum())
    return Reason(tuple(forcing), needs, rows_kept, time.monotonic() - begin)


def _force(dataset: Dataset, claim: _Claim, end: float) -> tuple[Ints, bool]:
    """Examples for which the claim holds, and whether none of them can be left out."""
    if claim.bound < 2:  # any two classes need a split
        _, firsts = np.unique(dataset.labels, return_index=True)
        return np.sort(firsts[:2]), True
    begin = time.monotonic()
    everything = np.arange(dataset.n_examples)
    test = _warm_test(dataset, everything, claim, end)
    try:
        core = test(everything)
    except TimeoutError:
        return everything, False
    assert core is not None, "the tree is not optimal"
    if len(everything) > FEW:
        everything = core
        test = _warm_test(dataset, everything, claim, end)
    best, minimal = _minimise(core, test)
    random, easy = np.random.RandomState(0), _easiness(dataset)
    for order in range(ORDERS if minimal else 0):
        if time.monotonic() - begin > SHARE * (end - begin):
            break
        noise = random.rand(dataset.n_examples) * (order / ORDERS) * easy.max()
        mixed = random.permutation(everything)
        if order % 2 == 0:
            mixed = everything[np.argsort((easy + noise)[everything])]
        other, done = _minimise(mixed, test)
        if done and len(other) < len(best):
            best = other
    return best, minimal


def _warm_test(dataset: Dataset, inside: Ints, claim: _Claim, end: float) -> Test:
    """The test whether the claim holds for a part of `inside`, by one engine that keeps what it
    learns: the examples that a proof needs, or None. Raises TimeoutError when the time is up."""
    bits = np.ascontiguousarray(dataset.bits[inside])
    _, labels = np.unique(dataset.labels[inside], return_inverse=True)
    engine = make_questions(bits, labels.astype(np.int64), claim.limit, MEMORY)

    def test(examples: Ints) -> Ints | None:
        if len(np.unique(dataset.labels[examples])) < 2:
            return None
        places = np.searchsorted(inside, examples).tolist()
        engine.ask(places, claim.bound, claim.limit, claim.depth)
        while (answer := engine.run(SLICE)) is None:
            if time.monotonic() > end:
                raise TimeoutError
        return inside[np.sort(engine.core())] if answer else None

    return test


def _minimise(core: Ints, test: Test) -> tuple[Ints, bool]:
    """Leave out whatever can be, in ever smaller pieces, the last ones first."""
    pieces = [core[: len(core) // 2], core[len(core) // 2 :]]
    try:
        while pieces:
            piece = pieces.pop()
            piece = piece[np.isin(piece, core)]
            if not len(piece):
                continue
            found = test(np.setdiff1d(core, piece))
            if found is not None:
                core = found
            elif len(piece) > 1:
                pieces += [piece[: len(piece) // 2], piece[len(piece) // 2 :]]
    except TimeoutError:
        return core, False
    return core, True


def _easiness(dataset: Dataset) -> Ints:
    """How far each example is from the other classes: near ones are the hard ones to keep."""
    if dataset.n_examples > 3000:  # the comparison of all pairs would take too long
        return np.arange(dataset.n_examples)
    bits = dataset.bits.astype(np.float32)
    apart = bits @ (1 - bits).T
    apart += apart.T
    apart[dataset.labels[:, None] == dataset.labels] = np.inf
    nearest: Ints = apart.min(axis=1).astype(np.int64)
    return nearest


def node_needs(dataset: Dataset, tree: Tree) -> tuple[NodeNeed, ...]:
    """For each inner node of an optimal tree a row of each side that needs it. If either side could
    take the node's place, the tree would be smaller and still right."""
    rows = dataset.first_rows
    place = {feature: number for number, feature in enumerate(dataset.features)}
    bits = dataset.bits[:, [place[feature] for feature in tree.features]]
    reached: list[Ints] = [np.arange(dataset.n_examples)] + [np.zeros(0, dtype=np.int64)] * (
        tree.size - 1
    )
    needs = []
    for number, node in enumerate(tree.nodes):
        if node.feature < 0:
            continue
        one = bits[reached[number], node.feature]
        reached[node.zero], reached[node.one] = reached[number][~one], reached[number][one]
        wrong = [
            _first_wrong(dataset, tree, bits, reached[away], stays)
            for away, stays in ((node.zero, node.one), (node.one, node.zero))
        ]
        if wrong[0] is not None and wrong[1] is not None:
            needs.append(NodeNeed(number, int(rows[wrong[0]]), int(rows[wrong[1]])))
    return tuple(needs)


def _first_wrong(dataset: Dataset, tree: Tree, bits: Bits, examples: Ints, top: int) -> int | None:
    """An example that the subtree at `top` would give a wrong class."""
    for example in examples.tolist():
        number = top
        while tree.nodes[number].feature >= 0:
            node = tree.nodes[number]
            number = node.one if bits[example, node.feature] else node.zero
        if tree.nodes[number].label != dataset.labels[example]:
            return int(example)
    return None
