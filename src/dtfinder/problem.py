"""What is asked, and what a search reports as it goes.

A `Problem` names the data, the order in which trees are compared and the limits on them. A search
yields `Event`s: each raises the proven lower bounds, brings a better tree, or both. `result.py` is
the end of it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from fractions import Fraction

from dtfinder.data.dataset import Dataset
from dtfinder.nodes import Nodes, depth_of
from dtfinder.proof import Proof
from dtfinder.tree import Tree

SIZE, DEPTH = "size", "depth"


@dataclass(frozen=True)
class Score:
    """What a tree is measured by: rows that it gets wrong, inner nodes, depth.

    As *bounds* of a problem: every optimal tree has at least these. `cost` is the least penalised
    cost that is proven, where that is what the problem asks for.
    """

    errors: int = 0
    inner: int = 0
    depth: int = 0
    cost: Fraction = Fraction(0)

    @classmethod
    def of(cls, nodes: Nodes, errors: int = 0) -> Score:
        """The score of a tree."""
        return cls(errors, len(nodes) // 2, depth_of(nodes))

    @property
    def nodes(self) -> int:
        """The size as people see it: inner nodes and leaves, always an odd number."""
        return 2 * self.inner + 1

    def raised(
        self, inner: int = 0, depth: int = 0, errors: int = 0, cost: Fraction = Fraction(0)
    ) -> Score:
        """These bounds, raised to what else is proven. A tree of depth d has d inner nodes or
        more, and one of n inner nodes has at least log2 of its n + 1 leaves as depth."""
        depth = max(depth, self.depth)
        inner = max(inner, self.inner, depth)
        depth = max(depth, inner.bit_length())
        return Score(max(errors, self.errors), inner, depth, max(cost, self.cost))

    def joined(self, other: Score) -> Score:
        """What both bounds together say."""
        return self.raised(other.inner, other.depth, other.errors, other.cost)

    def each_best(self, other: Score) -> Score:
        """The better of each bound, without what follows from the others."""
        return Score(
            max(self.errors, other.errors),
            max(self.inner, other.inner),
            max(self.depth, other.depth),
            max(self.cost, other.cost),
        )


@dataclass(frozen=True)
class Problem:
    """Find the tree with the fewest errors, and of those the one with the fewest nodes (`size`), or
    the least depth and then the fewest nodes (`depth`), within the limits.

    With `max_errors`, any tree with at most this many errors will do, and size or depth decides.
    The exact trees are those with no more than the unavoidable errors. With `leaf_penalty`, the
    least sum of the share of wrong rows and the penalty for each leaf decides.
    """

    dataset: Dataset
    minimise: str = SIZE
    max_depth: int | None = None
    max_nodes: int | None = None  # as people count; inside, `max_inner` is the unit
    max_errors: int | None = None
    leaf_penalty: Fraction | None = None
    labelled: bool = False  # what is proven is about the one class that each example has

    @property
    def max_inner(self) -> int | None:
        """The limit on inner nodes."""
        return None if self.max_nodes is None else (self.max_nodes - 1) // 2

    def as_exact(self) -> Problem:
        """The same for trees that give each example the class that it has in the dataset, and so
        make only the unavoidable errors."""
        return replace(self, max_errors=self.dataset.unavoidable_errors, labelled=True)

    def at(self, inner: int | None) -> Problem:
        """The same for trees with at most `inner` inner nodes."""
        return self if inner is None else replace(self, max_nodes=2 * inner + 1)

    def first_bounds(self) -> Score:
        """What holds before anything is searched: every class of an example needs a leaf."""
        leaves = self.dataset.least_leaves if self.labelled else 1
        return Score(self.dataset.unavoidable_errors).raised(inner=leaves - 1)

    def key(self, score: Score) -> tuple[Fraction | int, ...]:
        """Trees with a smaller key are better."""
        shape = (score.inner, score.depth)
        if self.minimise == DEPTH:
            shape = (score.depth, score.inner)
        if self.leaf_penalty is not None:
            return (self.cost(score), *shape)
        if self.max_errors is not None:
            return (*shape, score.errors)
        return (score.errors, *shape)

    def cost(self, score: Score) -> Fraction:
        """The penalised cost: the share of wrong rows, by weight, and the penalty for each leaf."""
        wrong = Fraction(score.errors, max(1, self.dataset.total_weight))
        return wrong + (self.leaf_penalty or 0) * (score.inner + 1)

    def allows(self, score: Score) -> bool:
        """Whether a tree with this score is within the limits."""
        limits = (
            (score.depth, self.max_depth),
            (score.inner, self.max_inner),
            (score.errors, self.max_errors),
        )
        return all(most is None or value <= most for value, most in limits)

    def better(self, score: Score, than: Score | None) -> bool:
        """Whether a tree is allowed and beats another one, if there is one."""
        return self.allows(score) and (than is None or self.key(score) < self.key(than))

    @property
    def aims(self) -> tuple[str, ...]:
        """What is made as small as possible, in this order; a tree whose bounds meet in all of
        these is optimal."""
        if self.leaf_penalty is not None:
            return ("cost",)
        shape = ("depth", "nodes") if self.minimise == DEPTH else ("nodes",)
        return shape if self.max_errors is not None else ("errors", *shape)

    def met(self, score: Score, bounds: Score) -> bool:
        """Whether the bounds prove that a tree with this score is optimal."""
        if self.leaf_penalty is not None:
            return self.cost(score) <= bounds.cost
        return all(getattr(score, aim) == getattr(bounds, aim) for aim in self.aims)

    def beyond_limits(self) -> Score:
        """What every tree needs once it is proven that none is within the limits. Of two limits it
        is not known which one is too tight."""
        if self.max_inner is None and self.max_depth is not None:
            return Score().raised(depth=self.max_depth + 1)
        if self.max_depth is None and self.max_inner is not None:
            return Score().raised(inner=self.max_inner + 1)
        return Score()


@dataclass(frozen=True)
class Event:
    """One step of a search. `nodes` is a tree over the dataset's feature indices, if a new one was
    found; `infeasible` says that it is proven that no tree is within the problem's limits."""

    bounds: Score
    nodes: Nodes | None = None
    infeasible: bool = False
    stats: dict[str, float] = field(default_factory=dict)  # counters to add to the result's
    proof: Proof | None = None  # why the bounds hold, where the search was asked to certify them
    errors: int = 0  # what the search says that the tree gets wrong
    at: int | None = None  # in a front: the event is about trees of at most this many inner nodes


@dataclass(frozen=True)
class Progress:
    """The state of a run: what callbacks receive and the history keeps."""

    seconds: float
    bounds: Score
    score: Score | None = None  # of the best tree so far
    method: str = ""
    aims: tuple[str, ...] = ("nodes",)  # `Problem.aims`
    tree: Tree | None = field(default=None, repr=False, compare=False)
    cost: Fraction | None = None  # of the best tree, where a penalty for each leaf is asked for
    at: int | None = None  # in a front: this is about trees of at most this many inner nodes
    doing: str = ""  # what takes the time before there are bounds, such as rows being counted
    weight_unit: Fraction | None = None  # what an error weighs, if rows have weights

    def both(self, measure: str) -> tuple[float, float | None]:
        """The bound on errors, nodes, depth or cost, and what the best tree so far has."""
        return getattr(self.bounds, measure), getattr(self, measure)

    @property
    def nodes(self) -> int | None:
        """The size of the best tree so far."""
        return None if self.score is None else self.score.nodes

    @property
    def depth(self) -> int | None:
        """The depth of the best tree so far."""
        return None if self.score is None else self.score.depth

    @property
    def errors(self) -> int | None:
        """The errors of the best tree so far."""
        return None if self.score is None else self.score.errors


Callback = Callable[[Progress], None]
