"""Trees deeper than three in batches: within the limits, with bounds that hold."""

from __future__ import annotations

from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pandas
import pytest

from dtfinder import find_tree
from dtfinder.errors import OptionError
from dtfinder.stream.deeper import dealt
from dtfinder.stream.solve import Run
from stream.test_solve import make, write_parquet


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(
    "asked",
    [{"max_depth": 4}, {"max_depth": 5, "max_nodes": 13}, {"max_nodes": 11}],
    ids=str,
)
def test_the_tree_is_within_the_limits_and_the_bounds_hold(
    seed: int, asked: dict[str, Any], tmp_path: Path
) -> None:
    frame = make(seed, rows=120)
    place = write_parquet(frame, tmp_path)
    options: dict[str, Any] = {"max_thresholds": 4, "missing": "value"}
    ours = find_tree(place, **options, **asked)
    best = find_tree(frame, target="class", **options, **asked)
    assert best.status == "optimal"
    assert ours.depth <= asked.get("max_depth", 99)
    assert ours.nodes <= asked.get("max_nodes", 99)
    assert ours.errors_lower_bound <= best.errors <= ours.errors
    assert ours.errors_lower_bound == best.unavoidable_errors  # the sample holds all rows
    assert ours.lower_bound <= best.nodes
    assert ours.depth_lower_bound <= best.depth
    shallow = find_tree(place, max_depth=3, max_nodes=asked.get("max_nodes"), **options)
    assert ours.errors <= shallow.errors
    assert best.dataset is not None
    assert ours.tree.errors_on(best.dataset) == ours.errors
    if ours.status == "optimal":
        assert (ours.errors, ours.nodes) == (best.errors, best.nodes)
    else:
        assert "cubes proves no more" in ours.summary()


def test_levels_of_a_rule_that_needs_them(tmp_path: Path) -> None:
    x = np.arange(640)
    frame = pandas.DataFrame({"x": x, "class": (x // 40) % 2})  # sixteen stripes
    place = write_parquet(frame, tmp_path)
    result = find_tree(place, max_depth=9, max_thresholds=16)
    assert (result.errors, result.depth_lower_bound) == (0, 4)
    assert (result.status, result.lower_bound) == ("feasible", 9)


def test_a_shallow_tree_may_be_proven_among_deeper_ones(tmp_path: Path) -> None:
    x = np.arange(300)
    frame = pandas.DataFrame({"x": x, "class": (x // 100) % 2})
    result = find_tree(write_parquet(frame, tmp_path), max_depth=5)
    assert (result.status, result.errors, result.nodes) == ("optimal", 0, 5)


def test_threads_and_memory_change_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place = write_parquet(make(1, rows=400), tmp_path)
    options: dict[str, Any] = {"max_depth": 6, "max_thresholds": 5}
    plain = find_tree(place, **options)
    monkeypatch.setattr(Run, "_memory_for_cubes", lambda _: 15_000)
    small = find_tree(place, workers=2, **options)
    assert small.stats["passes"] > plain.stats["passes"]
    assert small.tree == plain.tree
    assert small.bounds == plain.bounds


def test_nodes_are_dealt_out_where_they_save_most() -> None:
    random = np.random.default_rng(0)
    for _ in range(50):
        values = {
            leaf: sorted(random.integers(0, 20, random.integers(1, 5)).tolist(), reverse=True)
            for leaf in range(3)
        }
        spare = int(random.integers(0, 6))
        ways = [
            (sum(errors[n] for errors, n in zip(values.values(), way, strict=True)), sum(way))
            for way in product(*(range(len(errors)) for errors in values.values()))
            if sum(way) <= spare
        ]
        chosen = dealt(values, spare)
        found = sum(values[leaf][n] for leaf, n in chosen.items()), sum(chosen.values())
        assert found == min(ways)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, "needs a limit; trees up to depth 3, or 7 nodes, are proven: use max_depth=3"),
        ({"max_nodes": "cv"}, "needs a limit"),
        ({"max_depth": 4, "max_errors": 5}, "max_errors needs max_depth=3"),
    ],
)
def test_what_cannot_be_asked(options: dict[str, Any], message: str, tmp_path: Path) -> None:
    place = write_parquet(make(1), tmp_path)
    with pytest.raises(OptionError, match=message):
        find_tree(place, **options)
