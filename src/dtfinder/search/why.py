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

import numpy as np

from dtfinder._core import NO_LIMIT
from dtfinder.data.dataset import Bits, Dataset, Ints
from dtfinder.problem import DEPTH, Problem
from dtfinder.proof import Forcing, NodeNeed, Reason
from dtfinder.result import Result
from dtfinder.search.forcing import Claim, impure_few, minimise, warm_test
from dtfinder.search.why_errors import error_reason
from dtfinder.tree import Tree

SECONDS = 10.0  # to look for fewer rows, unless told otherwise
# Different orders of leaving out end in different sets, none of which can lose a row, and the
# smallest is kept: this many orders are tried, for at most this share of the time.
ORDERS, SHARE = 24, 0.3
# An engine for few examples is quicker, so in larger tables only the first core is minimised.
FEW = 1024


def reason_of(result: Result, seconds: float = SECONDS) -> Reason | None:
    """Why there is no better tree than that of `result`; None if that is not proven, or if the data
    is gone."""
    if result.status != "optimal" or result.dataset is None:
        return None
    if result.may_err and not _is_exact(result):
        return error_reason(result, seconds)
    problem = Problem(result.dataset, result.minimise, result.max_depth, result.max_nodes)
    return find_reason(problem, result.tree, seconds)


def _is_exact(result: Result) -> bool:
    """Whether the tree is one of the smallest with the unavoidable errors, though it may err: then
    rows that alone need its size tell why."""
    return result.max_errors is None and result.leaf_penalty is None and result.exact


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
            examples, minimal = _force(dataset, Claim(tree.depth, depth=True), half)
            forced = tuple(rows[examples].tolist())
            forcing.append(Forcing(forced, depth=tree.depth, minimal=minimal))
    if inner:
        claim = Claim(inner, NO_LIMIT if limit is None else min(limit, NO_LIMIT))
        examples, minimal = _force(dataset, claim, end)
        forced = tuple(rows[examples].tolist())
        forcing.append(Forcing(forced, nodes=tree.size, within_depth=limit, minimal=minimal))
    needs = node_needs(dataset, tree)
    rows_kept = int((dataset.example_of_row >= 0).sum())
    return Reason(tuple(forcing), needs, rows_kept, time.monotonic() - begin)


def _force(dataset: Dataset, claim: Claim, end: float) -> tuple[Ints, bool]:
    """Examples for which the claim holds, and whether none of them can be left out."""
    if claim.bound < 2:  # any two classes need a split
        if dataset.allowed is not None:
            few = impure_few(dataset.allowed, np.arange(dataset.n_examples))
            assert few is not None, "one leaf is enough"
            return few, True
        _, firsts = np.unique(dataset.labels, return_index=True)
        return np.sort(firsts[:2]), True
    begin = time.monotonic()
    everything = np.arange(dataset.n_examples)
    test = warm_test(dataset, everything, claim, end)
    try:
        core = test(everything)
    except TimeoutError:
        return everything, False
    assert core is not None, "the tree is not optimal"
    if len(everything) > FEW:
        everything = core
        test = warm_test(dataset, everything, claim, end)
    best, minimal = minimise(core, test)
    random, easy = np.random.RandomState(0), _easiness(dataset)
    for order in range(ORDERS if minimal else 0):
        if time.monotonic() - begin > SHARE * (end - begin):
            break
        noise = random.rand(dataset.n_examples) * (order / ORDERS) * easy.max()
        mixed = random.permutation(everything)
        if order % 2 == 0:
            mixed = everything[np.argsort((easy + noise)[everything])]
        other, done = minimise(mixed, test)
        if done and len(other) < len(best):
            best = other
    return best, minimal


def _easiness(dataset: Dataset) -> Ints:
    """How far each example is from the other classes: near ones are the hard ones to keep."""
    if dataset.n_examples > 3000:  # the comparison of all pairs would take too long
        return np.arange(dataset.n_examples)
    bits = dataset.bits.astype(np.float32)
    apart = bits @ (1 - bits).T
    apart += apart.T
    sets = dataset.sets.astype(np.float32)
    apart[sets @ sets.T > 0] = dataset.n_features + 1  # a class in common
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
        if not dataset.sets[example, tree.nodes[number].label]:
            return int(example)
    return None
