"""Small tables for tests: made from bits and labels, or at random."""

from __future__ import annotations

from typing import Any

import numpy as np

from dtfinder.data import Dataset, Feature, Table, make_dataset
from dtfinder.data.binarise import features_of, levels_of, schemes_of
from dtfinder.data.columns import objects
from dtfinder.options import Options
from dtfinder.result import Result
from dtfinder.run import worker
from dtfinder.solve import solve


def table_of(bits: np.ndarray, labels: np.ndarray) -> Table:
    """A table with a numeric 0/1 column for each feature. Labels are numbers of classes, or rows of
    booleans, the classes that are allowed."""
    names = tuple(f"f{number}" for number in range(bits.shape[1]))
    columns = tuple(bits[:, number].astype(np.float64) for number in range(bits.shape[1]))
    if labels.ndim == 2 and (labels.sum(axis=1) > 1).any():
        sets = [tuple(f"c{label}" for label in np.flatnonzero(row)) for row in labels]
        return Table(names, columns, objects(sets), separator="|")
    labels = labels.argmax(axis=1) if labels.ndim == 2 else labels
    target = np.array([f"c{label}" for label in labels], dtype=object)
    return Table(names, columns, target)


def dataset_of(bits: np.ndarray, labels: np.ndarray) -> Dataset:
    """Exactly these bits, without any preprocessing: distinct rows are up to the caller."""
    bits, labels = np.asarray(bits, dtype=bool), np.asarray(labels)
    rows, table = len(bits), table_of(bits, labels)
    allowed = labels if labels.ndim == 2 and (labels.sum(axis=1) > 1).any() else None
    if labels.ndim == 2:
        labels = (labels * labels.sum(axis=0)).argmax(axis=1)
    classes = labels.max() + 1 if allowed is None else allowed.shape[1]
    return Dataset(
        bits=bits,
        labels=labels.astype(np.int64),
        features=tuple(Feature(f"f{number}", "=", 1.0) for number in range(bits.shape[1])),
        classes=tuple(f"c{number}" for number in range(classes)),
        table=table,
        example_of_row=np.arange(rows),
        allowed=allowed,
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


def random_sets(
    seed: int, *, rows: int = 10, features: int = 5, classes: int = 3
) -> tuple[np.ndarray, np.ndarray]:
    """Distinct rows of random bits, and for each the classes that it allows, one or more; every
    class is allowed somewhere."""
    bits, labels = random_table(seed, rows=rows, features=features, classes=classes)
    random = np.random.RandomState(seed)
    sets = random.rand(len(bits), classes) < random.uniform(0.1, 0.6)
    sets[np.arange(len(bits)), labels] = True
    return bits, sets


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


def rare_table(
    seed: int, *, rows: int = 11, columns: int = 3, values: int = 5, classes: int = 2
) -> tuple[Any, ...]:
    """Columns of few-row values, one feature a value: the tables that spines are for."""
    random = np.random.default_rng(seed)
    cells = np.unique(random.integers(0, values, size=(rows, columns)), axis=0)
    random.shuffle(cells)
    bits = np.hstack([cells[:, [c]] == np.arange(values) for c in range(columns)])
    kept: dict[bytes, int] = {}  # neither constant, nor equal or complementary to another
    for number, column in enumerate(bits.T):
        if 0 < column.sum() < len(bits):
            kept.setdefault((column ^ column[0]).tobytes(), number)
    bits = np.ascontiguousarray(bits[:, sorted(kept.values())])
    labels = random.integers(0, classes, size=len(bits))
    labels[:classes] = np.arange(classes)
    return bits, labels.astype(np.int64)
