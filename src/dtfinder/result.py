"""What comes back: the best tree of a run, or for every size the best, with what is proven."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, overload

from dtfinder.advice import Audit, Choice, SizeScore
from dtfinder.data.dataset import Dataset
from dtfinder.errors import Option, OptionError
from dtfinder.problem import Problem, Progress, Score
from dtfinder.proof import Certificate, Reason
from dtfinder.tree import Tree

if TYPE_CHECKING:
    from matplotlib.figure import Figure


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
    max_errors: int | None = None  # any tree with at most these errors will do
    leaf_penalty: Fraction | None = None  # the least penalised cost is asked for
    may_err: bool = False  # whether trees with avoidable errors were allowed
    from_checkpoint: bool = False  # whether it rests on what another run wrote to a checkpoint
    stats: dict[str, float] = field(default_factory=dict)
    history: tuple[Progress, ...] = ()
    dataset: Dataset | None = field(default=None, compare=False)
    # The proof, if the run was asked to `certify` and ended with an optimal tree.
    certificate: Certificate | None = field(default=None, compare=False)
    choice: Choice | None = None  # the size that cross-validation chose, if it was asked
    # If rows have weights, all errors here are counted in this unit of weight.
    weight_unit: Fraction | None = None
    questions: str = ""  # what trees may ask of a table that was read in batches

    @classmethod
    def of(
        cls, problem: Problem, tree: Tree, score: Score, bounds: Score, complete: bool, **rest: Any
    ) -> Result:
        """What is known of a problem; `complete` says that nothing was cut short where the tree is
        optimal, and `rest` are the fields that the problem does not tell."""
        optimal, weights = problem.met(score, bounds), problem.dataset.weights
        rest["stopped_by"] = None if optimal and complete else rest["stopped_by"] or "method"
        return cls(
            status="optimal" if optimal else "feasible",
            tree=tree,
            bounds=bounds,
            errors=score.errors,
            unavoidable_errors=problem.dataset.unavoidable_errors,
            minimise=problem.minimise,
            max_depth=problem.max_depth,
            max_nodes=problem.max_nodes,
            max_errors=None if problem.labelled else problem.max_errors,
            leaf_penalty=problem.leaf_penalty,
            may_err=not problem.labelled,
            weight_unit=None if weights is None else weights.unit,
            **rest,
        )

    @property
    def error_weight(self) -> float:
        """What the wrong rows weigh; their number if rows have no weights."""
        return self.weight(self.errors)

    def weight(self, units: int) -> float:
        """Units of weight, or numbers of rows, on the scale of the weights that were given."""
        return float(units * (self.weight_unit or 1))

    @property
    def wrong_rows(self) -> int:
        """How many rows the tree gets wrong, whatever they weigh."""
        return self.tree.wrong_rows

    @property
    def held_out(self) -> SizeScore | None:
        """How trees of this size did in cross-validation, if that is known."""
        sizes = self.choice.sizes if self.choice else ()
        return next((each for each in sizes if each.nodes == self.max_nodes), None)

    @property
    def exact(self) -> bool:
        """Whether the tree makes no errors but those that no tree avoids."""
        return self.errors == self.unavoidable_errors

    @property
    def rows(self) -> int:
        """The number of rows that the tree was made from."""
        return sum(self.tree.counts[0])

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
    def errors_lower_bound(self) -> int:
        """Every tree within the limits is proven to make at least this many errors."""
        return self.bounds.errors

    @property
    def cost(self) -> float | None:
        """The share of wrong rows and the penalty for each leaf, where that was minimised."""
        return None if self.leaf_penalty is None else float(self._cost())

    @property
    def cost_lower_bound(self) -> float | None:
        """The least cost that is proven for every tree within the limits."""
        return None if self.leaf_penalty is None else float(self.bounds.cost)

    def _cost(self) -> Fraction:
        share = Fraction(self.errors, max(1, self.tree.total))
        return share + (self.leaf_penalty or 0) * self.tree.leaves

    @property
    def depth_lower_bound(self) -> int:
        """Every optimal tree is proven to have at least this depth."""
        return self.bounds.depth

    @cached_property
    def reason(self) -> Reason | None:
        """Rows that alone force the size (or depth), and what each node is for, or groups of rows
        that force the errors; None unless the tree is optimal. It is worked out when first asked
        for, in ten seconds or so."""
        from dtfinder.report.why import why_text
        from dtfinder.search.why import reason_of

        reason = reason_of(self)
        return reason and replace(reason, text=why_text(self, reason).rstrip("\n"))

    @cached_property
    def greedy(self) -> tuple[Tree, int] | None:
        """The tree that scikit-learn grows from the same table, of median size over a number of
        seeds, and that number; None without the data, or for a very large table."""
        from dtfinder.search.greedy_raw import greedy_raw_tree

        return greedy_raw_tree(self.dataset) if self.dataset is not None else None

    def summary(self) -> str:
        """One line: status, size, depth, what is proven, errors, time, method."""
        from dtfinder.report.text import summary

        return summary(self)

    def plot(self, path: str | Path | None = None) -> Figure:
        """The tree as a matplotlib figure, also written to `path` (.png, .svg or .pdf)."""
        from dtfinder.report.plot import draw
        from dtfinder.report.text import plot_title

        return draw(self.tree, plot_title(self), path)

    def report(self, path: str | Path, name: str = "") -> None:
        """Write the report, a page to look at the tree and question it, to the file `path`."""
        Path(path).write_text(self.to_html(name), encoding="utf-8")

    def to_html(self, name: str = "") -> str:
        """The page that `report` writes; `name` is what the table is called."""
        from dtfinder.report.html import report_page

        return report_page(self, name, self.reason, self.greedy)

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
        """A plain object with everything but the data. Runs of the same question with one worker
        differ only in `seconds` and `cpu_seconds`."""
        cpu = {k: v for k, v in self.stats.items() if k.endswith("_seconds")}
        return {
            "status": self.status,
            "nodes": self.nodes,
            "depth": self.depth,
            "lower_bound": self.lower_bound,
            "depth_lower_bound": self.depth_lower_bound,
            "errors": self.errors,
            "errors_lower_bound": self.errors_lower_bound,
            "weight_unit": None if self.weight_unit is None else float(self.weight_unit),
            "unavoidable_errors": self.unavoidable_errors,
            "seconds": round(self.seconds, 6),
            "method": self.method,
            "minimise": self.minimise,
            "stopped_by": self.stopped_by,
            "max_depth": self.max_depth,
            "max_nodes": self.max_nodes,
            "max_errors": self.max_errors,
            "leaf_penalty": None if self.leaf_penalty is None else float(self.leaf_penalty),
            "cost": self.cost,
            "cost_lower_bound": self.cost_lower_bound,
            "from_checkpoint": self.from_checkpoint,
            "stats": {k: v for k, v in self.stats.items() if k not in cpu},
            "cpu_seconds": cpu,
            "choice": self.choice and self.choice.to_json(),
            "tree": self.tree.to_json(),
            **({"questions": self.questions} if self.questions else {}),
        }


@dataclass(frozen=True, repr=False)
class Front(Sequence[Result]):
    """Results for trees of at most 1, 3, 5, … nodes: the tree with the fewest errors that was
    found, and a proven lower bound on the errors of every such tree."""

    results: tuple[Result, ...]
    seconds: float
    method: str
    stopped_by: str | None = None  # why the run ended before all was proven
    max_depth: int | None = None
    max_nodes: int | None = None
    choice: Choice | None = None  # the size that cross-validation chose, if it was asked
    # The proof for all sizes, if the run was asked to `certify`.
    certificate: Certificate | None = field(default=None, compare=False)

    @overload
    def __getitem__(self, index: int) -> Result: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Result, ...]: ...
    def __getitem__(self, index: int | slice) -> Result | tuple[Result, ...]:
        return self.results[index]

    def __len__(self) -> int:
        return len(self.results)

    @property
    def proven(self) -> int:
        """For how many sizes, from one node up, the fewest errors are proven."""
        open_sizes = (n for n, result in enumerate(self) if result.status != "optimal")
        return next(open_sizes, len(self))

    def within(self, *, max_nodes: int | None = None, max_errors: float | None = None) -> Result:
        """The tree with the fewest errors within `max_nodes`; or with `max_errors` the smallest one
        that makes no more, or whose errors weigh no more where rows have weights."""
        if max_nodes is not None and max_nodes < 1:
            raise OptionError(Option("max_nodes"), f" must be at least 1, not {max_nodes}")
        fits = self if max_nodes is None else self[: (max_nodes + 1) // 2]
        if max_errors is None:
            return fits[-1]
        for result in fits:
            if result.error_weight <= max_errors:
                return result
        raise OptionError(
            Option("max_errors", max_errors),
            f" is fewer than any tree of the front makes; the fewest are {fits[-1].error_weight:g}",
        )

    def best(self, *, leaf_penalty: float) -> Result:
        """The tree with the least share of wrong rows plus `leaf_penalty` for each leaf."""
        if not 0 < leaf_penalty <= 1:
            wrong = f" must be greater than 0 and at most 1, not {leaf_penalty}"
            raise OptionError(Option("leaf_penalty"), wrong)
        penalty, total = Fraction(str(leaf_penalty)), self[0].tree.total
        return min(self, key=lambda each: Fraction(each.errors, total) + penalty * each.tree.leaves)

    def audit(self) -> Audit:
        """The rows that may be wrong: what leaving them out gains, and what is proven about it."""
        from dtfinder.front.audit import audit_front

        return audit_front(self)

    def plot(self, path: str | Path | None = None) -> Figure:
        """Errors against nodes as a matplotlib figure, also written to `path` (.png, .svg or
        .pdf)."""
        from dtfinder.report.front_plot import draw_front

        return draw_front(self, path)

    def report(self, path: str | Path, name: str = "") -> None:
        """Write the report, a page to choose a size and look at its tree, to the file `path`."""
        Path(path).write_text(self.to_html(name), encoding="utf-8")

    def to_html(self, name: str = "") -> str:
        """The page that `report` writes; `name` is what the table is called."""
        from dtfinder.report.html import front_page

        data = self[0].dataset  # an audit counts rows, and needs them
        audit = self.audit() if data is not None and data.weights is None else None
        return front_page(self, name, audit, self[0].greedy)

    @property
    def penalties(self) -> list[float]:
        """For each tree the largest leaf penalty with which no other tree of the front costs less;
        nan where there is none. A single leaf has infinity."""
        total = max(1, self[0].tree.total)
        points = [(each.tree.leaves, Fraction(each.errors, total)) for each in self]
        found = []
        for place, (leaves, errors) in enumerate(points):
            smaller = [(e - errors) / (leaves - n) for n, e in points if n < leaves]
            larger = [(errors - e) / (n - leaves) for n, e in points if n > leaves]
            most, least = min(smaller, default=math.inf), max(larger, default=0)
            first = all(n != leaves for n, _ in points[:place])
            found.append(float(most) if first and least <= most else math.nan)
        return found

    def to_json(self) -> dict[str, Any]:
        """A plain object with everything but the data."""
        return {
            "front": [
                {
                    "nodes": 2 * inner + 1,
                    "errors": result.errors,
                    "errors_lower_bound": result.errors_lower_bound,
                    "depth": result.depth,
                    "status": result.status,
                    "tree": result.tree.to_json(),
                }
                for inner, result in enumerate(self)
            ],
            "unavoidable_errors": self[0].unavoidable_errors,
            "rows": self[0].rows,
            "weight_unit": None if self[0].weight_unit is None else float(self[0].weight_unit),
            "seconds": round(self.seconds, 6),
            "method": self.method,
            "stopped_by": self.stopped_by,
            "max_depth": self.max_depth,
            "max_nodes": self.max_nodes,
            "choice": self.choice and self.choice.to_json(),
        }

    def __repr__(self) -> str:
        from dtfinder.report.text import front_summary

        return f"<Front: {front_summary(self)}>"

    def __str__(self) -> str:
        from dtfinder.report.text import front_text

        return front_text(self).rstrip("\n")

    def _repr_html_(self) -> str:
        """What a notebook shows: every size, and the chosen tree."""
        from dtfinder.report.notebook import front_html

        return front_html(self)
