"""The examples as bounds, encodings and solvers see them: bits, classes, and nothing else.

`Examples` is a Dataset without its table and its meanings, so it is quick to send to another
process. It remembers which feature and which class of the Dataset each of its own stands for.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from dtfinder.data.dataset import Bits, Dataset, Ints


@dataclass(frozen=True)
class Examples:
    """Distinct examples; their classes are 0..n_classes − 1, each with at least one example."""

    bits: Bits  # examples × features
    labels: Ints
    features: Ints  # the Dataset's feature that each column is
    classes: Ints  # the Dataset's class that each label is

    @classmethod
    def of(cls, dataset: Dataset) -> Examples:
        """The examples of `dataset`; classes without an example are left out."""
        classes, labels = np.unique(dataset.labels, return_inverse=True)
        features = np.arange(dataset.n_features)
        return cls(dataset.bits, labels.astype(np.int64), features, classes)

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
        return Examples(self.bits[:, keep], self.labels, self.features[keep], self.classes)

    def quasi_pure(self) -> Sequence[tuple[int, int, int]]:
        """All (f, v, c) where some examples have f = v, and all of those have class c."""
        found = []
        for value in (0, 1):
            inside = self.bits == bool(value)
            per_class = np.stack([inside[self.labels == k].any(axis=0) for k in self._all()])
            for feature in np.flatnonzero(per_class.sum(axis=0) == 1).tolist():
                found.append((feature, value, int(per_class[:, feature].argmax())))
        return sorted(found)

    def _all(self) -> range:
        return range(self.n_classes)
