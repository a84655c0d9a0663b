"""The table of methods, and what options make of it."""

from __future__ import annotations

import logging
from typing import Any

import pytest

from dtfinder.data import make_dataset, read_table
from dtfinder.errors import OptionError
from dtfinder.methods import METHODS, describe, pick_method, warn_of_idle_options
from dtfinder.options import Options
from dtfinder.solve import find_tree
from small import solve_here

SIZE_METHODS = [name for name in METHODS if not name.startswith("d-") and name != "sklearn"]
DEPTH_METHODS = [name for name in METHODS if name.startswith("d-")]


def pick(**options: object) -> object:
    return pick_method(Options.of(**options))


def test_all_of_the_papers_methods_are_there() -> None:
    assert list(METHODS) == [
        "mindt",
        "dtfinder-DT1",
        "dtfinder-DT1-T",
        "dtfinder-DT1-T-O",
        "dtfinder",
        "dtfinder-T",
        "dtfinder-T-O",
        "d-dtfinder",
        "d-dtfinder-T-O",
        "sat",
        "d-sat",
        "cores",
        "counting",
        "maxsat",
        "maxsat-DT1",
        "sklearn",
    ]


@pytest.mark.parametrize("name", SIZE_METHODS)
def test_size_methods_prove_the_weather_tree(name: str) -> None:
    result = solve_here(make_dataset(read_table("weather")), method=name)
    assert (result.status, result.nodes, result.lower_bound) == ("optimal", 9, 9)
    assert result.method == name


@pytest.mark.parametrize("name", DEPTH_METHODS)
def test_depth_methods_minimise_the_depth_whatever_the_option_says(name: str) -> None:
    for minimise in ("size", "depth"):
        result = solve_here(make_dataset(read_table("weather")), method=name, minimise=minimise)
        assert (result.status, result.minimise) == ("optimal", "depth")
        assert (result.depth, result.depth_lower_bound, result.nodes) == (3, 3, 9)


def test_sklearn_finds_a_tree_and_claims_nothing() -> None:
    result = solve_here(make_dataset(read_table("mux6")), method="sklearn")
    assert result.status == "feasible"
    assert result.errors == 0


def test_auto_is_the_native_engine_for_either_aim() -> None:
    for minimise in ("size", "depth"):
        method = pick_method(Options.of(minimise=minimise))
        assert (method.name, method.minimise) == ("cores", minimise)
        for asked in ("max_depth", "max_nodes", "max_errors"):
            method = pick_method(Options.of(minimise=minimise, **{asked: 3}))
            assert (method.name, method.minimise) == ("counting", minimise)
    assert pick_method(Options.of(leaf_penalty=0.1)).name == "counting"


def test_auto_proves_the_weather_tree() -> None:
    for minimise in ("size", "depth"):
        result = find_tree("weather", minimise=minimise)
        assert (result.status, result.nodes) == ("optimal", 9)
        assert (result.method, result.minimise) == ("cores", minimise)
        assert result.stats["work"] > 0


def test_a_solver_process_proves_it_too() -> None:
    result = find_tree("weather", method="sat")
    assert (result.status, result.nodes) == ("optimal", 9)
    assert result.stats["work"] > 0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"method": "dtfinder-DT2"}, "did you mean 'dtfinder-DT1'"),
        ({"method": "quantum"}, "known: auto, mindt"),
        ({"method": "mindt", "minimise": "depth"}, "use method='auto'"),
        ({"method": "dtfinder", "solver": "chaff"}, "solver must be one of .*cadical195"),
        ({"method": "dtfinder", "cardinality": "native"}, "cardinality must be one of"),
    ],
)
def test_wrong_options_say_what_to_do(options: dict[str, Any], message: str) -> None:
    with pytest.raises(OptionError, match=message):
        pick(**options)


def test_options_reach_the_set_up() -> None:
    method = pick_method(
        Options.of(
            method="dtfinder-T",
            solver="glucose4",
            cardinality="seqcounter",
            leaf_matches=False,
            topology_depth=2,
            incremental_above=3,
        )
    )
    assert method.setup is not None
    assert (method.setup.solver, method.setup.cardinality) == ("glucose4", "seqcounter")
    assert not method.setup.switches.leaf_matches
    assert method.setup.switches.quasi_pure
    assert method.setup.splitting is not None
    assert (method.setup.splitting.cut, method.setup.splitting.incremental_above) == (2, 3)


def test_every_method_is_described() -> None:
    rows = describe()
    assert [row[0] for row in rows] == ["auto", *METHODS]
    assert all(len(row) == 3 and row[2] for row in rows)


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


def test_options_of_a_choice_that_is_not_asked_for(caplog: pytest.LogCaptureFixture) -> None:
    for nodes, said in ((None, 1), (7, 1), ("cv", 0)):
        caplog.clear()
        options = Options(max_nodes=nodes, cv_folds=3)
        with caplog.at_level(logging.WARNING, "dtfinder"):
            warn_of_idle_options(options, pick_method(options))
        assert len(caplog.records) == said
        assert all(
            "has no effect without max_nodes=" in record.getMessage() for record in caplog.records
        )
