"""The three passes: a survey, the cubes, and the rows in each leaf of the tree that was found."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from dtfinder._core import CubeCounts, CubeLayout
from dtfinder.data.dataset import Bits, Ints
from dtfinder.stream.batch import Batch
from dtfinder.stream.passes import Pass
from dtfinder.stream.questions import Questions
from dtfinder.stream.survey import Survey
from dtfinder.tree import Tree


@dataclass(frozen=True)
class Surveying(Pass[Survey]):
    """The first pass."""

    drop_missing: bool

    def start(self) -> Survey:
        """Nothing seen."""
        return Survey()

    def add(self, known: Survey, batch: Batch) -> None:
        """Look at a batch."""
        known.add(batch.kept(self.drop_missing))

    def merge(self, known: Survey, other: Survey) -> None:
        """Both together."""
        known.merge(other)


@dataclass(frozen=True)
class Counting(Pass[CubeCounts]):
    """The pass for the cubes of some triples of columns."""

    questions: Questions
    depth: int
    begin: int = 0
    end: int = 0

    @property
    def layout(self) -> CubeLayout:
        """The cubes that the questions need."""
        shapes = tuple(each.shape for each in self.questions.cube_columns())
        return _layout(shapes, len(self.questions.classes), self.depth)

    def start(self) -> CubeCounts:
        """Nothing counted."""
        return CubeCounts(self.layout, self.begin, self.end)

    def add(self, known: CubeCounts, batch: Batch) -> None:
        """Count a batch."""
        rows = batch.kept(self.questions.drop_missing)
        known.add(self.layout, self.questions.codes(rows), self.questions.labels(rows), None)

    def merge(self, known: CubeCounts, other: CubeCounts) -> None:
        """Both together."""
        known.merge(other)

    def pack(self, known: CubeCounts) -> Ints:
        """The plain counts."""
        return known.array().copy()

    def unpack(self, packed: Ints) -> CubeCounts:
        """Cubes with these counts."""
        known = self.start()
        known.array()[:] = packed
        return known


@lru_cache(maxsize=4)
def _layout(shapes: tuple[tuple[int, bool, int, int], ...], classes: int, depth: int) -> CubeLayout:
    return CubeLayout(list(shapes), classes, depth)


@dataclass(frozen=True)
class Checking(Pass[Ints]):
    """The pass that puts every row through the tree. It asks the tree's features of the values
    themselves, not of the levels that were counted."""

    questions: Questions
    tree: Tree

    def start(self) -> Ints:
        """No row in any node: nodes × classes."""
        return np.zeros((self.tree.size, len(self.tree.classes)), dtype=np.int64)

    def add(self, known: Ints, batch: Batch) -> None:
        """Put a batch through the tree."""
        rows = batch.kept(self.questions.drop_missing)
        asked = {each.name: each for each in self.questions.columns}
        bits: Bits = np.zeros((rows.rows, len(self.tree.features)), dtype=bool)
        for place, feature in enumerate(self.tree.features):
            cells = asked[feature.column].raw(rows.columns[feature.column])
            bits[:, place] = feature.holds(cells)
        classes = known.shape[1]
        places = self.tree.apply_bits(bits) * classes + self.questions.labels(rows)
        known += np.bincount(places, minlength=known.size).reshape(known.shape)

    def merge(self, known: Ints, other: Ints) -> None:
        """Both together."""
        known += other
