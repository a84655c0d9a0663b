"""The examples as bounds, encodings and solvers see them: bits, classes, and nothing else.

`Examples` is a Dataset without its table and its meanings, so it is quick to send to another
process. It remembers which feature and which class of the Dataset each of its own stands for.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from dtfinder.data.dataset import Bits, Dataset, Ints


@dataclass(frozen=True)
class Examples:
    """Distinct examples; their classes are 0..n_classes − 1, each right for at least one of them.
    With sets of allowed classes, an example that allows every class says nothing of a tree, and is
    left out."""

    bits: Bits  # examples × features
    labels: Ints
    features: Ints  # the Dataset's feature that each column is
    classes: Ints  # the Dataset's class that each label is
    allowed: Bits | None = None  # examples × classes, if any example allows several

    @classmethod
    def of(cls, dataset: Dataset) -> Examples:
        """The examples of `dataset`; classes without an example are left out."""
        classes, labels = np.unique(dataset.labels, return_inverse=True)
        features = np.arange(dataset.n_features)
        if dataset.allowed is None or len(classes) == 1:
            return cls(dataset.bits, labels.astype(np.int64), features, classes)
        tied = ~dataset.allowed.all(axis=1)
        allowed = dataset.allowed[tied]
        classes = np.flatnonzero(allowed.any(axis=0))
        allowed = np.ascontiguousarray(allowed[:, classes])
        labels = np.searchsorted(classes, dataset.labels[tied])
        made = cls(dataset.bits[tied], labels, features, classes, allowed)
        return made.without_constants()

    @property
    def n_examples(self) -> int:
        """The number of examples."""
        return int(self.bits.shape[0])

    @property
    def n_features(self) -> int:
        """The number of features."""
        return int(self.bits.shape[1])

    @property
    def n_classes(self) -> int:
        """The number of classes."""
        return len(self.classes)

    def without_constants(self) -> Examples:
        """The same without 'pure' features: those with one value in all examples."""
        keep = np.flatnonzero(self.bits.any(axis=0) & ~self.bits.all(axis=0))
        if len(keep) == self.n_features:
            return self
        bits, features = self.bits[:, keep], self.features[keep]
        return Examples(bits, self.labels, features, self.classes, self.allowed)

    @cached_property
    def right(self) -> Bits:
        """Which class is right for which example: examples × classes."""
        if self.allowed is not None:
            return self.allowed
        return np.asarray(self.labels[:, None] == np.arange(self.n_classes))

    def by_size(self) -> Iterator[tuple[Ints, Ints]]:
        """The examples that allow as many classes as each other, with these: few classes first."""
        sizes = self.right.sum(axis=1)
        for size in np.unique(sizes).tolist():
            group = np.flatnonzero(sizes == size)
            yield group, np.nonzero(self.right[group])[1].reshape(len(group), size)

    def quasi_pure(self) -> Sequence[tuple[int, int, int]]:
        """All (f, v, c) where some examples have f = v, and c is the first class that all of those
        allow."""
        found = []
        for value in (0, 1):
            inside = self.bits == bool(value)
            against = np.stack([inside[~right].any(axis=0) for right in self.right.T])
            for feature in np.flatnonzero(inside.any(axis=0) & ~against.all(axis=0)).tolist():
                found.append((feature, value, int(against[:, feature].argmin())))
        return sorted(found)
