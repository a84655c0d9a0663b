"""Why is there no smaller tree? Because a few rows alone already need one of this size.

Where to start. The engine proves its last bound for a set of examples that is often far smaller
than the table: the examples of its last lemma. Those alone force the size.

Leaving rows out. A subset never costs more, so one pass is enough: a row, once it cannot be left
out, cannot be left out of any subset either. Rows are tried in halves, then quarters, and so on,
down to one; each test asks the engine whether what is left still forces the size, and stops as soon
as a bound or a smaller tree says so. A proof that it does names yet fewer rows, its own last
lemma's, which contain all rows that cannot be left out. If the time is up, what is left stands, and
the answer says that rows might still be left out. If there is time left, other orders are tried.

Least depth is done the same way; then two sets of rows are given: those that force the depth, and
those that force the size of trees of that depth.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from math import inf

import numpy as np

from dtfinder._core import Engine, Goal, Switches, make_engine
from dtfinder.data.dataset import Bits, Dataset, Ints
from dtfinder.problem import DEPTH, Problem
from dtfinder.proof import Forcing, NodeNeed, Reason
from dtfinder.search.cores import rows_of_examples
from dtfinder.tree import Tree

SLICE = 200_000  # steps between two looks at the clock
# Different orders of leaving out end in different sets, none of which can lose a row, and the
# smallest is kept: so many orders are tried, for no more than this share of the time.
ORDERS, SHARE = 24, 0.3


def find_reason(problem: Problem, tree: Tree, seconds: float = 10.0) -> Reason:
    """Why `tree`, which must be optimal for `problem`, is; minimised for at most `seconds`."""
    begin = time.monotonic()
    end = begin + seconds
    dataset = problem.dataset
    forcing = []
    inner = (tree.size - 1) // 2
    limit = problem.max_depth
    if problem.minimise == DEPTH:
        limit = tree.depth
        # With a limit on the nodes, the depth is forced only together with it.
        if tree.depth and problem.max_nodes is None:
            examples, minimal = _force(dataset, _Depth(tree.depth), end)
            rows = rows_of_examples(dataset)[examples]
            forcing.append(Forcing(tuple(rows.tolist()), depth=tree.depth, minimal=minimal))
    if inner:
        examples, minimal = _force(dataset, _Size(inner, limit), end)
        rows = rows_of_examples(dataset)[examples]
        forcing.append(
            Forcing(tuple(rows.tolist()), nodes=tree.size, within_depth=limit, minimal=minimal)
        )
    needs = node_needs(dataset, tree)
    rows_kept = int((dataset.example_of_row >= 0).sum())
    return Reason(tuple(forcing), needs, rows_kept, time.monotonic() - begin)


class _Size:
    """'At least so many inner nodes', within a depth limit if there is one."""

    def __init__(self, inner: int, limit: int | None) -> None:
        self._inner, self._limit = inner, inf if limit is None else limit
        self.goal = Goal()
        if limit is not None:
            self.goal.max_depth = limit

    def shown_by(self, bound: float, limit: float) -> bool:
        """Whether a lemma shows it for its set."""
        return limit >= self._limit and bound >= self._inner

    def verdict(self, engine: Engine) -> bool | None:
        """Whether it is proven, or refuted by a tree; None if it is open."""
        if engine.infeasible or engine.lower >= self._inner:
            return True
        tree = engine.tree()
        return False if tree and (len(tree) - 1) // 2 < self._inner else None


class _Depth:
    """'At least so deep.'"""

    def __init__(self, depth: int) -> None:
        self._depth = depth
        self.goal = Goal()
        self.goal.depth_first = True

    def shown_by(self, bound: float, limit: float) -> bool:
        """Whether a lemma shows it for its set."""
        return limit >= self._depth - 1 and bound >= 2 ** (self._depth - 1)

    def verdict(self, engine: Engine) -> bool | None:
        """Whether it is proven, or refuted by a tree; None if it is open."""
        if engine.depth_lower >= self._depth:
            return True
        tree = engine.tree()
        return False if tree and _depth(tree) < self._depth else None


def _force(dataset: Dataset, claim: _Size | _Depth, end: float) -> tuple[Ints, bool]:
    """Examples for which the claim holds, and whether none of them can be left out."""

    def test(examples: Ints) -> Ints | None:
        """The examples that a proof of the claim needs; None if it does not hold for them."""
        if len(np.unique(dataset.labels[examples])) < 2:
            return None
        return _ask(dataset, claim, examples, end)

    everything = np.arange(dataset.n_examples)
    begin = time.monotonic()
    try:
        found = test(everything)
    except TimeoutError:
        return everything, False
    core = everything if found is None else found
    best, minimal = _minimise(core, test)
    random, easy = np.random.RandomState(0), _easiness(dataset)
    for order in range(ORDERS if minimal else 0):
        if time.monotonic() - begin > SHARE * (end - begin):
            break
        noise = random.rand(dataset.n_examples) * (order / ORDERS) * easy.max()
        mixed = random.permutation(everything) if order % 2 else np.argsort(easy + noise)
        other, done = _minimise(mixed, test)
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
    apart[dataset.labels[:, None] == dataset.labels] = np.inf
    nearest: Ints = apart.min(axis=1).astype(np.int64)
    return nearest


def _minimise(core: Ints, test: Callable[[Ints], Ints | None]) -> tuple[Ints, bool]:
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


def _ask(dataset: Dataset, claim: _Size | _Depth, examples: Ints, end: float) -> Ints | None:
    switches = Switches()
    switches.proof = True
    bits = np.ascontiguousarray(dataset.bits[examples])
    _, labels = np.unique(dataset.labels[examples], return_inverse=True)
    engine = make_engine(bits, labels.astype(np.int64), claim.goal, switches)
    while (verdict := claim.verdict(engine)) is None:
        if engine.done:
            raise AssertionError("the engine is done but says nothing")
        if time.monotonic() > end:
            raise TimeoutError
        engine.run(SLICE)
    if not verdict:
        return None
    used = rows_shown(engine.lemma_text(np.arange(len(examples))), claim.shown_by)
    return examples if used is None else examples[used]


def rows_shown(text: bytes, shown_by: Callable[[float, float], bool]) -> Ints | None:
    """The smallest set of a lemma that shows what is wanted; None if there is none."""
    sets: list[set[int]] = []
    best: set[int] | None = None
    for place, line in enumerate(text.decode().splitlines()):
        _, claim, *words = line.split()
        made: set[int] = set()
        for number in map(int, words):
            made |= sets[place + number] if number < 0 else {number}
        sets.append(made)
        bound, _, limit = claim.partition("/")
        if shown_by(float(bound), float(limit or inf)) and (not best or len(made) < len(best)):
            best = made
    return None if best is None else np.array(sorted(best), dtype=np.int64)


def _depth(nodes: list[list[int]]) -> int:
    deepest, todo = 0, [(0, 0)]
    while todo:
        number, depth = todo.pop()
        deepest = max(deepest, depth)
        feature, zero, one, _ = nodes[number]
        if feature >= 0:
            todo += [(zero, depth + 1), (one, depth + 1)]
    return deepest


def node_needs(dataset: Dataset, tree: Tree) -> tuple[NodeNeed, ...]:
    """For each inner node of an optimal tree a row of each side that needs it. If either side could
    take the node's place, the tree would be smaller and still right."""
    rows = rows_of_examples(dataset)
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
