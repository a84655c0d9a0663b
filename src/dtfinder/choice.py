"""The size that cross-validation chose: see `front/choose.py` for how."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True)
class SizeScore:
    """How the trees of one size did in cross-validation."""

    nodes: int  # at most
    accuracy: float  # on held-out rows, the mean of the folds
    standard_error: float  # of that mean
    proven: int  # in how many folds the tree was proven to make the fewest errors


def best_size(sizes: Sequence[SizeScore]) -> SizeScore:
    """The smallest size of the best accuracy."""
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
        """The smallest size of the best accuracy."""
        return best_size(self.sizes)

    @property
    def chosen(self) -> SizeScore:
        """The size that was chosen."""
        return next(each for each in self.sizes if each.nodes == self.nodes)

    def to_json(self) -> dict[str, Any]:
        """A plain object."""
        return asdict(self) | {"sizes": [asdict(each) for each in self.sizes]}
