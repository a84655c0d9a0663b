"""What is asked, what a search says as it goes, and what comes back.

A `Problem` names the data, what to minimise and the limits on the tree. A search yields `Event`s:
each raises the proven lower bound, brings a better tree, or both. `Result` is the end of it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from dtfinder.data.dataset import Dataset
from dtfinder.proof import Certificate, Piece, Reason
from dtfinder.tree import Nodes, Tree
from dtfinder.views import view

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SIZE, DEPTH = "size", "depth"


@dataclass(frozen=True)
class Problem:
    """Find the tree with the fewest nodes (`size`), or the least depth and then the fewest nodes
    (`depth`), that classifies every example, within the limits."""

    dataset: Dataset
    minimise: str = SIZE
    max_depth: int | None = None
    max_nodes: int | None = None

    def allows(self, tree: Tree) -> bool:
        """Whether the tree is within the limits."""
        return (self.max_depth is None or tree.depth <= self.max_depth) and (
            self.max_nodes is None or tree.size <= self.max_nodes
        )

    def better(self, tree: Tree, than: Tree | None) -> bool:
        """Whether `tree` is allowed and beats `than` at what is minimised."""
        if not self.allows(tree):
            return False
        if than is None:
            return True
        if self.minimise == DEPTH:
            return (tree.depth, tree.size) < (than.depth, than.size)
        return (tree.size, tree.depth) < (than.size, than.depth)


@dataclass(frozen=True)
class Bounds:
    """Every optimal tree of the problem has at least this many nodes and at least this depth."""

    nodes: int = 1
    depth: int = 0

    def raised(self, nodes: int = 0, depth: int = 0) -> Bounds:
        """These bounds, raised to what else is proven. A tree of depth d has 2d + 1 nodes or more,
        and one of n nodes has at least log2 of its leaves as depth."""
        depth = max(depth, self.depth)
        nodes = max(nodes, self.nodes, 2 * depth + 1)
        return Bounds(nodes, max(depth, ((nodes + 1) // 2 - 1).bit_length()))

    def met_by(self, tree: Tree, minimise: str) -> bool:
        """Whether `tree` is proven optimal by these bounds."""
        return tree.size == self.nodes and (minimise == SIZE or tree.depth == self.depth)


def beyond_limits(problem: Problem) -> Bounds:
    """What every tree needs once it is proven that none is within the problem's limits. Of two
    limits it is not known which one is too tight."""
    if problem.max_nodes is None and problem.max_depth is not None:
        return Bounds().raised(depth=problem.max_depth + 1)
    if problem.max_depth is None and problem.max_nodes is not None:
        return Bounds().raised(nodes=problem.max_nodes + 1 + problem.max_nodes % 2)
    return Bounds()


@dataclass(frozen=True)
class Event:
    """One step of a search. `nodes` is a tree over the dataset's feature indices, if a new one was
    found; `infeasible` says that it is proven that no tree is within the problem's limits."""

    bounds: Bounds
    nodes: Nodes | None = None
    infeasible: bool = False
    stats: dict[str, float] = field(default_factory=dict)  # counters to add to the result's
    proof: Piece | None = None  # why the bounds hold, where the search was asked to certify them


@dataclass(frozen=True)
class Progress:
    """The state of a run as people watch it: what callbacks receive, what the history keeps."""

    seconds: float
    bounds: Bounds
    nodes: int | None  # size of the best tree so far
    depth: int | None
    method: str = ""
    minimise: str = SIZE
    tree: Tree | None = field(default=None, repr=False, compare=False)


@dataclass(frozen=True, repr=False)
class Result:
    """The best tree, how good it is proven to be, and how that came about. `print` shows both."""

    status: str  # "optimal" or "feasible"
    tree: Tree
    bounds: Bounds
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
        return cast("Reason | None", view("why", "reason_of")(self))

    def summary(self) -> str:
        """One line: status, size, depth, what is proven, errors, time, method."""
        return str(view("text", "summary")(self))

    def plot(self, path: str | Path | None = None) -> Figure:
        """The tree as a matplotlib figure, also written to `path` (.png, .svg or .pdf)."""
        return cast("Figure", view("plot", "result_plot")(self, path))

    def report(self, path: str | Path, name: str = "") -> None:
        """Write the report, a page to look at the tree and question it, to the file `path`."""
        view("html", "save_report")(self, path, name)

    def __repr__(self) -> str:
        return f"<Result: {self.summary()}>"

    def __str__(self) -> str:
        return str(view("text", "describe")(self)).rstrip("\n")

    def _repr_html_(self) -> str:
        """What a notebook shows: the tree, its bounds and status."""
        return str(view("notebook", "result_html")(self))

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
