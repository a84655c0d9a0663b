"""MaxSAT, brute force and counting agree on small tables, whatever is asked."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from dtfinder.decide.sat import NODES, PATHS
from dtfinder.errors import InfeasibleError
from dtfinder.options import Options
from dtfinder.search.maxsat import Items, fewest_errors
from dtfinder.solve import find_tree, solve
from errors_oracle import ErrorsOracle
from small import noisy


@pytest.mark.parametrize("encoding", [PATHS, NODES])
@pytest.mark.parametrize("part", range(10))
def test_the_fewest_errors_are_those_of_brute_force(part: int, encoding: str) -> None:
    for seed in range(20 * part, 20 * part + 20):
        random = np.random.RandomState(seed)
        dataset = noisy(seed, random.randint(4, 11), random.randint(2, 5), random.randint(2, 4))
        items = Items.of(dataset)
        oracle = ErrorsOracle(dataset.bits, dataset.class_weights)
        leaves, depth = random.randint(2, 5), (None, 1, 2)[random.randint(3)]
        if items.examples.n_features and items.examples.n_classes > 1:
            nodes, errors, steps = fewest_errors(items, leaves, depth, encoding)
            assert errors == oracle.errors(leaves - 1, depth)
            assert len(nodes) <= 2 * leaves - 1
            assert steps > 0


@pytest.mark.parametrize("method", ["maxsat", "maxsat-DT1"])
@pytest.mark.parametrize(
    "asked",
    [
        {"max_nodes": 5},
        {"max_depth": 2},
        {"max_nodes": 7, "max_depth": 2},
        {"max_errors": 2},
        {"max_errors": 1, "max_depth": 1},
        {"leaf_penalty": 0.1},
        {},
    ],
    ids=str,
)
def test_every_question_has_the_answer_of_counting(method: str, asked: dict[str, float]) -> None:
    for seed in range(3):
        dataset = noisy(seed, 9, 3, 2 + seed % 2)
        options = Options.of(**asked)
        found = []
        for name in (method, "counting"):
            try:
                result = solve(dataset, replace(options, method=name))
                assert result.status == "optimal"
                found.append(
                    (result.errors, result.nodes, result.cost if "leaf_penalty" in asked else 0)
                )
            except InfeasibleError:
                found.append((-1, -1, 0))
        if "leaf_penalty" in asked:  # trees of equal cost may differ
            assert found[0][2] == found[1][2]
        elif "max_errors" in asked:  # trees of equal size may have fewer errors
            assert found[0][1] == found[1][1]
        else:
            assert found[0] == found[1]


def test_a_tree_that_errs_is_not_called_exact() -> None:
    said = find_tree("weather", method="maxsat", max_nodes=5).summary()
    assert "no tree of at most 5 nodes makes fewer errors" in said
    assert "unavoidable" not in said
