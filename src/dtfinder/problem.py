"""What is asked, and what a search reports as it goes.

A `Problem` names the data, the order in which trees are compared and the limits on them. A search
yields `Event`s: each raises the proven lower bounds, brings a better tree, or both. `Result` is the
end of it.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from dtfinder.data.dataset import Dataset
from dtfinder.proof import Certificate, Proof, Reason
from dtfinder.tree import Nodes, Tree, depth_of

if TYPE_CHECKING:
    from matplotlib.figure import Figure

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
    cost: float = 0.0

    @classmethod
    def of(cls, nodes: Nodes, errors: int = 0) -> Score:
        """The score of a tree."""
        return cls(errors, len(nodes) // 2, depth_of(nodes))

    @property
    def nodes(self) -> int:
        """The size as people see it: inner nodes and leaves, always an odd number."""
        return 2 * self.inner + 1

    def raised(self, inner: int = 0, depth: int = 0, errors: int = 0, cost: float = 0.0) -> Score:
        """These bounds, raised to what else is proven. A tree of depth d has d inner nodes or
        more, and one of n inner nodes has at least log2 of its n + 1 leaves as depth."""
        depth = max(depth, self.depth)
        inner = max(inner, self.inner, depth)
        depth = max(depth, inner.bit_length())
        return Score(max(errors, self.errors), inner, depth, max(cost, self.cost))

    def joined(self, other: Score) -> Score:
        """What both bounds together say."""
        return self.raised(other.inner, other.depth, other.errors, other.cost)


@dataclass(frozen=True)
class Problem:
    """Find the tree with the fewest errors, and of those the one with the fewest nodes (`size`), or
    the least depth and then the fewest nodes (`depth`), within the limits.

    With `max_errors`, any tree with at most so many errors will do, and size or depth decides. The
    exact trees are those with no more than the unavoidable errors. With `leaf_penalty`, the least
    sum of the share of wrong rows and the penalty for each leaf decides.
    """

    dataset: Dataset
    minimise: str = SIZE
    max_depth: int | None = None
    max_nodes: int | None = None  # as people count; inside, `max_inner` is the unit
    max_errors: int | None = None
    leaf_penalty: float | None = None

    @property
    def max_inner(self) -> int | None:
        """The limit on inner nodes."""
        return None if self.max_nodes is None else (self.max_nodes - 1) // 2

    def as_exact(self) -> Problem:
        """The same, of trees that make only the unavoidable errors."""
        return replace(self, max_errors=self.dataset.unavoidable_errors)

    @property
    def exact(self) -> bool:
        """Whether every optimal tree makes only the unavoidable errors."""
        if self.max_errors is not None:
            return self.max_errors <= self.dataset.unavoidable_errors
        return self.max_depth is None and self.max_inner is None and self.leaf_penalty is None

    def first_bounds(self) -> Score:
        """What holds before anything is searched: in an exact tree every class has a leaf."""
        classes = len(np.unique(self.dataset.labels)) if self.exact else 1
        return Score(self.dataset.unavoidable_errors).raised(inner=classes - 1)

    def key(self, score: Score) -> tuple[float, ...]:
        """Trees with a smaller key are better."""
        shape = (score.inner, score.depth)
        if self.minimise == DEPTH:
            shape = (score.depth, score.inner)
        if self.leaf_penalty is not None:
            return (self.cost(score), *shape)
        if self.max_errors is not None:
            return (*shape, score.errors)
        return (score.errors, *shape)

    def cost(self, score: Score) -> float:
        """The penalised cost: the share of wrong rows, and the penalty for each leaf."""
        penalty = (self.leaf_penalty or 0.0) * (score.inner + 1)
        return score.errors / max(1, self.dataset.n_rows) + penalty

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

    def met(self, score: Score, bounds: Score) -> bool:
        """Whether the bounds prove that a tree with this score is optimal."""
        if self.leaf_penalty is not None:
            return self.cost(score) <= bounds.cost
        if self.max_errors is None and score.errors != bounds.errors:
            return False
        if self.minimise == DEPTH and score.depth != bounds.depth:
            return False
        return score.inner == bounds.inner

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
    at: int | None = None  # in a front: the event is about trees of at most so many inner nodes


@dataclass(frozen=True)
class Progress:
    """The state of a run as people watch it: what callbacks receive, what the history keeps."""

    seconds: float
    bounds: Score
    score: Score | None = None  # of the best tree so far
    method: str = ""
    minimise: str = SIZE
    tree: Tree | None = field(default=None, repr=False, compare=False)

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


@dataclass(frozen=True, repr=False)
class Result:
    """The best tree, how good it is proven to be, and how that came about. `print` shows both."""

    status: str  # "optimal" or "feasible"
    tree: Tree
    bounds: Score
    errors: int
    unavoidable_errors: int
    method: str
    minimise: str
    seconds: float
    stopped_by: str | None = None  # why a run ended before all was done
    max_depth: int | None = None  # the limits that the tree and the bounds are within
    max_nodes: int | None = None
    stats: dict[str, float] = field(default_factory=dict)
    history: tuple[Progress, ...] = ()
    dataset: Dataset | None = field(default=None, compare=False)
    # The proof, if the run was asked to `certify` and ended with an optimal tree.
    certificate: Certificate | None = field(default=None, compare=False)

    @property
    def nodes(self) -> int:
        """The number of nodes of the tree."""
        return self.tree.size

    @property
    def depth(self) -> int:
        """The depth of the tree."""
        return self.tree.depth

    @property
    def lower_bound(self) -> int:
        """Every optimal tree is proven to have at least this many nodes."""
        return self.bounds.nodes

    @property
    def depth_lower_bound(self) -> int:
        """Every optimal tree is proven to have at least this depth."""
        return self.bounds.depth

    @cached_property
    def reason(self) -> Reason | None:
        """Rows that alone force the size (or depth), and what each node is for; None unless the
        tree is optimal. It is worked out when first asked for, in up to ten seconds or so."""
        from dtfinder.search.why import reason_of

        return reason_of(self)

    @cached_property
    def greedy(self) -> Tree | None:
        """The tree that scikit-learn grows over the same features, to compare; None without the
        data."""
        from dtfinder.search.greedy import greedy_tree

        if self.dataset is None or not self.dataset.n_features:
            return None
        return Tree.of(self.dataset, greedy_tree(self.dataset))

    def summary(self) -> str:
        """One line: status, size, depth, what is proven, errors, time, method."""
        from dtfinder.report.text import summary

        return summary(self)

    def plot(self, path: str | Path | None = None) -> Figure:
        """The tree as a matplotlib figure, also written to `path` (.png, .svg or .pdf)."""
        from dtfinder.report.plot import result_plot

        return result_plot(self, path)

    def report(self, path: str | Path, name: str = "") -> None:
        """Write the report, a page to look at the tree and question it, to the file `path`."""
        from dtfinder.report.html import report_page

        Path(path).write_text(report_page(self, name, self.reason, self.greedy), encoding="utf-8")

    def __repr__(self) -> str:
        return f"<Result: {self.summary()}>"

    def __str__(self) -> str:
        from dtfinder.report.text import describe

        return describe(self).rstrip("\n")

    def _repr_html_(self) -> str:
        """What a notebook shows: the tree, its bounds and status."""
        from dtfinder.report.notebook import result_html

        return result_html(self)

    def to_json(self) -> dict[str, Any]:
        """A plain object with everything but the data."""
        return {
            "status": self.status,
            "nodes": self.nodes,
            "depth": self.depth,
            "lower_bound": self.lower_bound,
            "depth_lower_bound": self.depth_lower_bound,
            "errors": self.errors,
            "unavoidable_errors": self.unavoidable_errors,
            "seconds": round(self.seconds, 6),
            "method": self.method,
            "minimise": self.minimise,
            "stopped_by": self.stopped_by,
            "max_depth": self.max_depth,
            "max_nodes": self.max_nodes,
            "stats": self.stats,
            "tree": self.tree.to_json(),
        }
