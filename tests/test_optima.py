"""A handful of quick instances of the benchmark: every method gives the known optimum."""

from __future__ import annotations

from dataclasses import replace

import pytest
from benchmarks.instances import Optimum, instance, read_optima, shared_folder
from benchmarks.optima import contradictions, report, run_one

from dtfinder.methods import PAPER
from dtfinder.options import Options
from dtfinder.solve import solve

QUICK = [
    "analcatdata_aids",
    "analcatdata_bankruptcy",
    "analcatdata_creditscore",
    "analcatdata_fraud",
    "corral",
    "labor",
    "parity5",
]
FILE = shared_folder() / "optima.csv"
needs_data = pytest.mark.skipif(
    not FILE.exists(), reason=f"{FILE} is absent; set DTFINDER_SHARED to a folder that has it"
)


def optimum_of(name: str) -> Optimum:
    return next(each for each in read_optima() if (each.dataset, each.percent) == (name, 20))


@needs_data
@pytest.mark.parametrize("name", QUICK)
def test_every_method_gives_the_known_optimum(name: str) -> None:
    optimum = optimum_of(name)
    runs = [run_one(optimum, method, 30.0) for method in PAPER]
    assert [run["status"] for run in runs] == ["optimal"] * 9
    assert [run["wrong"] for run in runs] == [[]] * 9
    assert f"{'mindt':<18}{1:>5}/1" in report(runs)


@needs_data
def test_a_wrong_optimum_is_noticed() -> None:
    optimum = optimum_of("parity5")
    run = run_one(optimum, "dtfinder", 30.0)
    assert run["nodes"] == optimum.nodes
    result = solve(instance("parity5", 20, 0), Options.of(method="dtfinder"))
    assert contradictions(optimum, result) == []
    assert contradictions(replace(optimum, nodes=11), result)
    assert contradictions(replace(optimum, nodes=7), result)
