"""The benchmark's instances: a part of a data set, chosen by percent and seed.

The data is laid out as the local cache of the `pmlb` package, `NAME/NAME.tsv.gz` with the class in
the column `target`. It is looked for in `pmlb` of the folder that DTFINDER_SHARED names, by default
`../shared` beside the project.
"""

from __future__ import annotations

import csv
import os
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from dtfinder.data import Dataset, Table, make_dataset, read_table

ROOT = Path(__file__).resolve().parents[1]
# Data sets made from another one: its largest class against the rest.
TWO_CLASSES = {"car-unacc": "car"}
# A table by formula, to see what sheer size costs: a concept of three features among 200.
LARGE, LARGE_SHAPE = "large-concept", (100_000, 200)


def shared_folder() -> Path:
    """Where optional benchmark data is looked for."""
    return Path(os.environ.get("DTFINDER_SHARED", ROOT.parent / "shared"))


def sample(table: Table, percent: int, seed: int) -> Table:
    """The rows of `table` that the instance has, in the order of the instance."""
    order = np.random.RandomState(1000 * seed + percent).permutation(table.rows)
    rows = order[: max(4, round(table.rows * percent / 100))]
    assert table.target is not None
    columns = tuple(column[rows] for column in table.columns)
    return replace(table, columns=columns, target=table.target[rows])


def file_of(name: str, data_dir: Path) -> Path:
    """Where the local cache has the data set."""
    source = TWO_CLASSES.get(name, name)
    return data_dir / source / f"{source}.tsv.gz"


def _read(name: str, data_dir: Path) -> Table:
    if name == LARGE:
        bits = np.random.RandomState(0).randint(0, 2, LARGE_SHAPE)
        return read_table(bits.astype(float), (bits[:, 0] & bits[:, 1]) | bits[:, 2])
    table = read_table(file_of(name, data_dir), target="target")
    return _against_the_rest(table) if name in TWO_CLASSES else table


def _against_the_rest(table: Table) -> Table:
    """The largest class against all others."""
    assert table.target is not None
    values, counts = np.unique(table.target, return_counts=True)
    return replace(table, target=(table.target == values[counts.argmax()]).astype(object))


def instance(name: str, percent: int, seed: int, data_dir: Path | None = None) -> Dataset:
    """The instance (data set, percent, seed): unary features, contradicting rows dropped."""
    table = _read(name, data_dir or shared_folder() / "pmlb")
    # Missing values are coded as numbers in most of these tables; where they are not, they are
    # one more value, as unary binarisation takes any other.
    return make_dataset(
        sample(table, percent, seed),
        binarise="unary",
        missing="value",
        contradictions="drop",
        one_class="allow",
    )


@dataclass(frozen=True)
class Optimum:
    """What is proven of an instance; None where it is not."""

    dataset: str
    percent: int
    seed: int
    examples: int
    features: int
    nodes: int | None
    least_depth: int | None
    nodes_at_least_depth: int | None


def read_optima(path: Path | None = None) -> list[Optimum]:
    """The lines of `optima.csv`."""
    with (path or shared_folder() / "optima.csv").open(newline="") as stream:
        return [_optimum(line) for line in csv.DictReader(stream)]


def _optimum(line: dict[str, str]) -> Optimum:
    def number(key: str) -> int | None:
        return int(line[key]) if line[key] else None

    return Optimum(
        line["dataset"],
        int(line["percent"]),
        int(line["seed"]),
        int(line["examples"]),
        int(line["features"]),
        number("nodes"),
        number("least_depth"),
        number("nodes_at_least_depth"),
    )
