"""A handful of quick instances of the benchmark: every method of the paper gives the known optimum.

`make bench` asks the same of all instances, and the campaign stops at the first contradiction.
"""

from __future__ import annotations

import pytest
from benchmarks.instances import Optimum, instance, read_optima, shared_folder

from dtfinder.methods import METHODS
from dtfinder.options import Options
from dtfinder.run.worker import in_this_process
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
    optimum, dataset = optimum_of(name), instance(name, 20, 0)
    paper = [each for each in METHODS if each == "mindt" or "dtfinder" in each]
    assert len(paper) == 9
    for method in paper:
        with in_this_process():
            result = solve(dataset, Options.of(method=method))
        assert (method, result.status) == (method, "optimal")
        if result.minimise == "depth":
            found = (result.depth, result.nodes)
            assert found == (optimum.least_depth, optimum.nodes_at_least_depth)
        else:
            assert result.nodes == optimum.nodes
