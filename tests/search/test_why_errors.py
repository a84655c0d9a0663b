"""Groups of rows that force errors: disjoint, each judged by brute force, and no more than there
are errors."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from certify.error_case import random_rows
from dtfinder import find_tree
from dtfinder.cli.app import run
from dtfinder.report.html import report_page
from dtfinder.search.why import reason_of
from search.test_why import forces

ASKED: list[dict[str, Any]] = [
    {"max_nodes": 5},
    {"max_nodes": 1},
    {"max_depth": 2},
    {"max_nodes": 5, "max_depth": 2},
    {"max_errors": "30%"},
    {"max_errors": "30%", "minimise": "depth"},
    {"leaf_penalty": 0.1},
]


@pytest.mark.parametrize("asked", ASKED, ids=str)
def test_every_group_forces_an_error(asked: dict[str, Any]) -> None:
    tight = 0
    for seed in range(9):
        weights = np.random.RandomState(seed).randint(1, 4, 16) if seed == 5 else None
        result = find_tree(random_rows(seed, 16, 5, 2 + seed % 2), weights=weights, **asked)
        reason = reason_of(result, 2)
        assert reason is not None
        assert result.dataset is not None
        if reason.forced is None:
            continue  # no error can be avoided, and none is made
        assert reason.errors is not None
        rows = [row for group in reason.forcing for row in group.rows]
        assert len(rows) == len(set(rows))
        for group in reason.forcing:
            assert forces(result.dataset, group.rows, group)
            for row in group.rows if group.minimal else ():
                assert not forces(result.dataset, [r for r in group.rows if r != row], group)
        counts = result.dataset.class_weights.tolist()
        best = [max(count) for count in counts]
        others = [max([c for c in count if c < max(count)], default=max(count)) for count in counts]
        weights = (np.array(best) - others)[result.dataset.example_of_row]
        lightest = sum(min(weights[list(group.rows)]) for group in reason.forcing)
        assert reason.forced == result.unavoidable_errors + lightest
        if result.max_errors is None:
            assert reason.forced <= result.errors
            assert reason.errors == result.errors
        tight += reason.forced >= reason.errors
    assert tight > 0


def test_weather(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["why", "weather", "--max-nodes", "5"]) == 0
    said = capsys.readouterr().out
    assert (
        "2 groups of rows have no row in common, and each alone needs 3 splits, 7 nodes. So every "
        "tree of at most 5 nodes makes at least 2 errors." in said
    )
    assert "Group 1: 4 rows\n\nrow  outlook" in said
    assert run(["why", "weather", "--max-nodes", "9"]) == 0
    assert "of the 14 rows alone need 4 splits, 9 nodes" in capsys.readouterr().out
    assert run(["why", "weather", "--leaf-penalty", "0.05"]) == 0
    said = capsys.readouterr().out
    assert said.endswith(
        "The tree makes no errors; only the whole proof shows that none costs less.\n"
    )


def test_a_packing_that_is_not_tight_says_how_far_it_goes() -> None:
    """Three rows that need a split two by two: one error with a leaf, and one group."""
    said = set()
    for seed in range(30):
        result = find_tree(random_rows(seed, 20, 4, 2), max_nodes=3)
        reason = reason_of(result, 2)
        if reason and reason.forced and reason.errors and reason.forced < reason.errors:
            text = str(result.reason)
            errors = f"{reason.forced} error{'s' * (reason.forced > 1)}"
            assert f"That forces at least {errors} in every tree of at most 3 nodes" in text
            assert f"only the whole proof shows that all {reason.errors} errors are forced" in text
            said.add(seed)
    assert said


def test_the_page_has_the_groups() -> None:
    result = find_tree("weather", max_nodes=5)
    page = report_page(result, "weather", result.reason, None)
    assert "Why no better tree" in page
    assert "2 groups of rows have no row in common" in page
    assert "Group 2: 5 rows" in page
