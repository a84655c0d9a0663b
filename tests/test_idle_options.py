"""Options that change nothing are said to, and those that change something are not."""

from __future__ import annotations

import logging
from typing import Any

import pytest

from dtfinder.idle_options import warn_of_idle_options
from dtfinder.methods import pick_method
from dtfinder.options import Options


@pytest.mark.parametrize(
    ("method", "given", "idle"),
    [
        ("auto", {"solver": "glucose4", "max_depth": 9, "workers": 2}, {"solver"}),
        ("cores", {"path_bounds": False, "topology_depth": 2}, {"path_bounds", "topology_depth"}),
        ("sklearn", {"cardinality": "totalizer"}, {"cardinality"}),
        ("mindt", {"solver": "glucose4", "additional": False, "quasi_pure": True}, set()),
        ("mindt", {"max_templates": 9, "leaf_matches": True}, {"max_templates", "leaf_matches"}),
        ("dtfinder", {"additional": True, "leaf_matches": False}, {"additional"}),
        ("dtfinder-T", {"max_templates": 9, "difference_decay": 0.5}, {"difference_decay"}),
        ("dtfinder-T-O", {"max_templates": 9, "difference_decay": 0.5}, set()),
    ],
)
def test_which_have_no_effect(
    caplog: pytest.LogCaptureFixture, method: str, given: dict[str, Any], idle: set[str]
) -> None:
    options = Options(method=method, **given)
    with caplog.at_level(logging.WARNING, "dtfinder"):
        warn_of_idle_options(options, pick_method(options))
    assert {record.getMessage().split()[0] for record in caplog.records} == idle
    assert all("has no effect: method '" in record.getMessage() for record in caplog.records)
