"""What a front advises: the size to take, and rows to look at again.

`front/choose.py` finds the one by cross-validation, `front/audit.py` reads the other off the front.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from dtfinder.data.dataset import Label


def _plain(fields: list[tuple[str, Any]]) -> dict[str, Any]:
    """A record as plain JSON, where a label is called a class."""
    listed = {name: list(each) if isinstance(each, tuple) else each for name, each in fields}
    return {"class" if name == "label" else name: each for name, each in listed.items()}


@dataclass(frozen=True)
class SizeScore:
    """How the trees of one size did in cross-validation."""

    nodes: int  # at most
    accuracy: float  # on held-out rows, the mean of the folds
    standard_error: float  # of that mean
    proven: int  # in how many folds the tree was proven to make the fewest errors


def best_size(sizes: Sequence[SizeScore]) -> SizeScore:
    """The smallest size with the best accuracy."""
    return max(sizes, key=lambda each: (round(each.accuracy, 12), -each.nodes))


@dataclass(frozen=True)
class Choice:
    """The size that cross-validation chose, and how every size did."""

    nodes: int
    sizes: tuple[SizeScore, ...]
    folds: int
    judged: int  # folds that had a tree in time
    seed: int
    rule: str  # "1se" or "best"
    seconds: float
    stopped_by: str | None = None  # why the search was cut short in some fold

    @property
    def best(self) -> SizeScore:
        """The smallest size with the best accuracy."""
        return best_size(self.sizes)

    @property
    def chosen(self) -> SizeScore:
        """The size that was chosen."""
        return next(each for each in self.sizes if each.nodes == self.nodes)

    def to_json(self) -> dict[str, Any]:
        """A plain object."""
        return asdict(self, dict_factory=_plain)


@dataclass(frozen=True)
class Step:
    """Leave out these rows, and a tree of `nodes` nodes fits all others without an error."""

    rows: tuple[int, ...]  # by their index
    nodes: int
    proven: bool  # that no fewer rows will do, and as many others gain no more


@dataclass(frozen=True)
class Close:
    """A row of another class, and the columns in which it differs."""

    row: int
    label: Label
    columns: tuple[str, ...]


@dataclass(frozen=True)
class Suspect:
    """A row that may be wrong: what it costs, and what contradicts it."""

    row: int  # its index
    label: Label
    cost: float  # nodes
    sizes: tuple[int, ...]  # the sizes, in nodes, whose tree gets it wrong
    closest: tuple[Close, ...]  # of the most costly rows only


@dataclass(frozen=True)
class Audit:
    """What the front says about the rows. Rows are counted from 0 here, and from 1 in the text."""

    nodes: int  # of the largest tree of the front
    exact: bool  # whether that tree makes only unavoidable errors
    proven: bool  # and whether no smaller one does
    wrong: tuple[int, ...]  # its errors; if it is exact, they contradict rows that are equal
    steps: tuple[Step, ...]  # from few rows to many
    suspects: tuple[Suspect, ...] = ()  # the most costly first

    @property
    def contradicting(self) -> tuple[int, ...]:
        """The rows that no tree gets right, as far as the front knows them."""
        return self.wrong if self.exact else ()

    def gain(self, step: Step) -> float:
        """The nodes that a step saves for each row that it leaves out beyond the errors of the
        largest tree."""
        return (self.nodes - step.nodes) / (len(step.rows) - len(self.wrong))

    @property
    def best(self) -> Step | None:
        """The step that gains most for each row."""
        return max(self.steps, key=lambda step: (self.gain(step), len(step.rows)), default=None)

    def to_json(self) -> dict[str, Any]:
        """A plain object."""
        return asdict(self, dict_factory=_plain)

    def __str__(self) -> str:
        from dtfinder.report.audit import audit_text

        return audit_text(self).rstrip("\n")
