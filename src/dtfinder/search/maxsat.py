"""Trees that may err, by MaxSAT: an independent judge for small tables.

The formulas are those of the exact methods, by paths (Janota and Morgado, SAT 2020) or by nodes
(Narodytska et al., IJCAI 2018), with one more literal for each example, 'this one may be wrong'. It
is soft: RC2 finds the model in which those that are true weigh least, which is the tree with the
fewest errors within a number of leaves. For nodes this is the set-up of Hu, Siala, Hebrard and
Huguet (Learning Optimal Decision Trees with MaxSAT, IJCAI 2020), but for the limit: theirs is on
depth.

An example whose rows have several classes counts once for each of them, with the weight of its
rows: whatever its leaf says, the others are wrong.

Numbers of leaves are tried from one up. That settles every question that can be asked: the first
with at most `max_errors`; the first that has as few errors as the largest number within the limits;
with a penalty, the best of all until the leaves alone cost as much. It shares no code with the
counting engine, and is slow.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from dtfinder.data.dataset import Dataset, Ints
from dtfinder.data.examples import Examples
from dtfinder.decide.sat import PATHS
from dtfinder.encode.nodes import encode_nodes
from dtfinder.encode.options import EncodingOptions
from dtfinder.encode.paths import encode_paths
from dtfinder.nodes import Node
from dtfinder.problem import Event, Problem, Score
from dtfinder.run import worker
from dtfinder.run.stop import Stop, Work
from dtfinder.run.team import ALONE, Team
from dtfinder.search.driver import one_leaf
from dtfinder.search.session import leaves_within

_SWITCHES = EncodingOptions(leaf_matches=False, quasi_pure=False, path_bounds=False)


@dataclass(frozen=True)
class Items:
    """Examples of one class each, with their weights."""

    examples: Examples
    weights: Ints

    @classmethod
    def of(cls, dataset: Dataset) -> Items:
        """One item for each example and class that it has rows of."""
        weights = dataset.class_weights
        rows, labels = np.nonzero(weights)
        classes, places = np.unique(labels, return_inverse=True)
        features = np.arange(dataset.n_features)
        bits = np.ascontiguousarray(dataset.bits[rows])
        examples = Examples(bits, places.astype(np.int64), features, classes)
        return cls(examples.without_constants(), weights[rows, labels])


def search_maxsat(
    problem: Problem, stop: Stop, work: Work, team: Team = ALONE, *, encoding: str = PATHS
) -> Iterator[Event]:
    """Events until the best tree is proven."""
    dataset = problem.dataset
    items = Items.of(dataset)
    best: Score | None = None
    bounds = problem.first_bounds()
    fewest: int | None = None
    leaves = 1
    while True:
        nodes, errors = _best_tree(problem, items, leaves, encoding, stop, work)
        if fewest is None or errors < fewest:
            fewest = errors
            score = Score.of(nodes, errors)
            if problem.better(score, best):
                best = score
                yield Event(bounds, nodes, errors=errors)
        if errors == dataset.unavoidable_errors or _settled(problem, best, leaves):
            break
        if leaves == _most_leaves(problem, items):
            break
        if problem.max_errors is not None:  # this many leaves are not enough
            bounds = bounds.raised(inner=leaves)
            yield Event(bounds)
        leaves += 1
    if best is None:
        yield Event(problem.beyond_limits().joined(bounds), infeasible=True)
        return
    bounds = bounds.raised(inner=best.inner, errors=best.errors)
    if problem.leaf_penalty is not None:
        bounds = Score().raised(cost=problem.cost(best))
    yield Event(bounds)


def _settled(problem: Problem, best: Score | None, leaves: int) -> bool:
    """Whether more leaves cannot give a better tree."""
    if best is None:
        return False
    if problem.leaf_penalty is not None:
        least = Score(problem.dataset.unavoidable_errors, leaves)
        return problem.cost(least) >= problem.cost(best)
    return problem.max_errors is not None


def _most_leaves(problem: Problem, items: Items) -> int:
    """More leaves are not allowed, or of no use."""
    most = max(1, items.examples.n_examples)
    if problem.max_inner is not None:
        most = min(most, problem.max_inner + 1)
    deepest = items.examples.n_features
    if problem.max_depth is not None:
        deepest = min(deepest, problem.max_depth)
    return leaves_within(most, deepest)


def _best_tree(
    problem: Problem, items: Items, leaves: int, encoding: str, stop: Stop, work: Work
) -> tuple[list[Node], int]:
    """The tree of at most `leaves` leaves with the fewest errors."""
    if leaves == 1:
        first = one_leaf(Problem(problem.dataset))
        assert first is not None
        assert first.nodes is not None
        return list(first.nodes), first.errors
    nodes, errors, steps = worker.call(
        fewest_errors, items, leaves, problem.max_depth, encoding, stop=stop
    )
    work.spend(steps)
    return nodes, errors


def fewest_errors(
    items: Items, leaves: int, depth: int | None, encoding: str
) -> tuple[list[Node], int, int]:
    """A tree of two to `leaves` leaves and at most `depth` with the fewest errors: its nodes, the
    weight of its errors, and the solver's steps."""
    from pysat.examples.rc2 import RC2
    from pysat.formula import WCNF

    encode = encode_paths if encoding == PATHS else encode_nodes
    made = encode(items.examples, leaves, depth, at_most=True, switches=_SWITCHES, may_err=True)
    formula = WCNF()
    formula.extend(list(made.formula))
    softs = [[-variable] for variable in made.wrong.tolist()]
    formula.extend(softs, weights=items.weights.tolist())
    with RC2(formula, solver="g4", adapt=True, exhaust=True) as search:
        model = search.compute()
        steps = int(search.oracle.accum_stats()["propagations"])
        return made.decode(model), int(search.cost), made.formula.n_literals + steps
