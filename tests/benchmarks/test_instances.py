"""The benchmark's instances against the counts that are listed with its optima."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from benchmarks.instances import LARGE, instance, read_optima, sample, shared_folder

from dtfinder.data import read_table
from dtfinder.data.binarise import feature_count, levels_of


def test_all_listed_counts() -> None:
    if not (shared_folder() / "optima.csv").exists():
        pytest.skip(f"the benchmark data is not in {shared_folder()}")
    listed = read_optima()
    assert len(listed) == 75
    for line in listed:
        made = instance(line.dataset, line.percent, line.seed)
        # Features are listed as unary binarisation makes them, before contradicting rows are
        # dropped and equal or complementary features are merged.
        levels = levels_of(made.table, "value")
        features = sum(feature_count(each, "unary") for each in levels)
        assert (made.n_examples, features) == (line.examples, line.features), line


def test_a_sample_is_a_part_of_the_rows() -> None:
    table = read_table("monk1")
    part = sample(table, 20, 0)
    assert part.rows == 86
    assert part.target is not None
    assert len(part.target) == 86
    rows = set(zip(*table.columns, strict=True))
    assert len(set(zip(*part.columns, strict=True)) & rows) == 86
    assert sample(table, 20, 0).target.tolist() == part.target.tolist()  # type: ignore[union-attr]
    assert sample(table, 20, 1).target.tolist() != part.target.tolist()  # type: ignore[union-attr]
    assert sample(read_table("weather"), 1, 0).rows == 4


def test_the_largest_class_against_the_rest(tmp_path: Path) -> None:
    (tmp_path / "car").mkdir()
    lines = ["x\ty\ttarget", "0\t0\tno", "0\t1\tno", "1\t0\tno", "1\t1\tgood", "2\t1\tbest"]
    (tmp_path / "car" / "car.tsv.gz").write_bytes(gzip.compress("\n".join(lines).encode()))
    assert instance("car", 100, 0, tmp_path).n_classes == 3
    made = instance("car-unacc", 100, 0, tmp_path)
    assert made.n_classes == 2
    assert sorted(made.row_labels.tolist()) == [0, 0, 1, 1, 1]


def test_the_large_table_is_made_by_its_formula(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("benchmarks.instances.LARGE_SHAPE", (200, 5))
    made = instance(LARGE, 100, 0)
    columns = {feature.column: number for number, feature in enumerate(made.features)}
    first, second, third = (made.bits[:, columns[name]] for name in ("x0", "x1", "x2"))
    assert made.n_features == 5
    assert made.n_examples == 32
    assert ((first & second | third) == (made.labels == 1)).all()
