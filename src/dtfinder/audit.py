"""What an audit says about the rows of a table: see `front/audit.py` for how it is found."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from dtfinder.data.dataset import Label


@dataclass(frozen=True)
class Step:
    """Leave out these rows, and a tree of `nodes` nodes fits all others without an error."""

    rows: tuple[int, ...]  # by their index
    nodes: int
    proven: bool  # that no fewer rows will do

    def to_json(self) -> dict[str, Any]:
        """A plain object."""
        return {"rows": list(self.rows), "nodes": self.nodes, "proven": self.proven}


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
    closest: tuple[Close, ...]

    def to_json(self) -> dict[str, Any]:
        """A plain object."""
        close = [{"row": c.row, "class": c.label, "columns": list(c.columns)} for c in self.closest]
        return {
            "row": self.row,
            "class": self.label,
            "cost": self.cost,
            "sizes": list(self.sizes),
            "closest": close,
        }


@dataclass(frozen=True)
class Audit:
    """What the front says about the rows. Rows are counted from 0 here, and from 1 in the text."""

    nodes: int  # of the largest tree of the front
    exact: bool  # whether that tree makes only unavoidable errors
    proven: bool  # and whether no smaller one does
    steps: tuple[Step, ...]  # from few rows to many
    suspects: tuple[Suspect, ...]  # the most costly first

    def to_json(self) -> dict[str, Any]:
        """A plain object."""
        return {
            "nodes": self.nodes,
            "exact": self.exact,
            "proven": self.proven,
            "steps": [each.to_json() for each in self.steps],
            "suspects": [each.to_json() for each in self.suspects],
        }

    def __str__(self) -> str:
        from dtfinder.report.audit import audit_text

        return audit_text(self).rstrip("\n")
