"""Small tables for tests: made from bits and labels, or at random."""

from __future__ import annotations

import numpy as np

from dtfinder.data import Dataset, Feature, Table, make_dataset
from dtfinder.data.binarise import features_of, levels_of, schemes_of
from dtfinder.options import Options
from dtfinder.result import Result
from dtfinder.run import worker
from dtfinder.solve import solve


def table_of(bits: np.ndarray, labels: np.ndarray) -> Table:
    """A table with a numeric 0/1 column for each feature."""
    names = tuple(f"f{number}" for number in range(bits.shape[1]))
    columns = tuple(bits[:, number].astype(np.float64) for number in range(bits.shape[1]))
    target = np.array([f"c{label}" for label in labels], dtype=object)
    return Table(names, columns, target)


def dataset_of(bits: np.ndarray, labels: np.ndarray) -> Dataset:
    """Exactly these bits, without any preprocessing: distinct rows are up to the caller."""
    bits, labels = np.asarray(bits, dtype=bool), np.asarray(labels, dtype=np.int64)
    rows = len(bits)
    return Dataset(
        bits=bits,
        labels=labels,
        features=tuple(Feature(f"f{number}", "=", 1.0) for number in range(bits.shape[1])),
        classes=tuple(f"c{number}" for number in range(labels.max() + 1)),
        table=table_of(bits, labels),
        example_of_row=np.arange(rows),
    )


def made_features(dataset: Dataset, missing: str = "value") -> list[list[tuple[Feature, bool]]]:
    """For each feature of `dataset` all that binarisation made of its meaning: itself, and those
    that were left out because they are equal to it, or its complement (True)."""
    levels = levels_of(dataset.table, missing)
    found: list[list[tuple[Feature, bool]]] = [[] for _ in dataset.features]
    for each, scheme in zip(levels, schemes_of(levels, dataset.binarise), strict=True):
        for features, bits in features_of(each, scheme, dataset.first_rows):
            for feature, held in zip(features, bits, strict=True):
                for place, kept in enumerate(dataset.bits.T):
                    if (held == kept).all() or (held != kept).all():
                        found[place].append((feature, bool(held[0] != kept[0])))
    return found


def random_table(
    seed: int, *, rows: int = 10, features: int = 5, classes: int = 2
) -> tuple[np.ndarray, np.ndarray]:
    """Distinct rows of random bits, and random labels in which every class occurs."""
    random = np.random.RandomState(seed)
    bits = np.unique(random.rand(rows, features) < 0.5, axis=0)
    bits = bits[random.permutation(len(bits))]
    labels = random.randint(classes, size=len(bits))
    labels[: min(classes, len(bits))] = np.arange(classes)[: len(bits)]
    return bits, labels


def solve_here(dataset: Dataset, **options: object) -> Result:
    """Solve without a solver process, which makes thousands of tiny problems quick."""
    with worker.in_this_process():
        return solve(dataset, Options.of(**options))


def noisy(seed: int, rows: int, features: int, classes: int) -> Dataset:
    """A table in which rows may be equal but for their class, also in equal numbers."""
    random = np.random.RandomState(seed)
    kinds = random.rand(max(2, rows // 2), features) < 0.5
    bits = kinds[random.randint(len(kinds), size=rows)]
    labels = random.randint(classes, size=rows)
    labels[: min(classes, rows)] = np.arange(classes)[:rows]
    return make_dataset(table_of(bits, labels), binarise="unary")
