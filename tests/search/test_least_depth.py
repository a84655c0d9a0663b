"""The least depth, on tables that are too large for brute force: whoever decides the bottom of the
search, few examples at once (`shallow`) or composition, the optimum is the same. What `solve` calls
optimal is certified while the tests run."""

from __future__ import annotations

import numpy as np
import pytest

from dtfinder.data import Dataset
from dtfinder.nodes import Node, depth_of
from dtfinder.options import Options
from dtfinder.search.cores import native_exact_engine
from dtfinder.solve import solve
from dtfinder.tree import Tree
from small import dataset_of

SHALLOW = (0, 2, 3, 4)
SIZES = ((200, 8), (130, 9), (90, 12), (70, 40), (60, 70), (50, 140))


def noisy(seed: int) -> Dataset:
    """A rule of a few features, some of its rows wrong: sets of several words in some tables, rows
    of several words in others."""
    random = np.random.RandomState(seed)
    rows, features = SIZES[seed % len(SIZES)]
    bits = np.unique(random.rand(rows, features) < random.choice([0.2, 0.5]), axis=0)
    bits = bits[random.permutation(len(bits))]
    labels = (bits[:, 0] & bits[:, 1]) + bits[:, 2].astype(int) * (1 + seed % 2)
    wrong = random.rand(len(bits)) < 0.04
    labels = np.where(wrong, random.randint(0, 2 + seed % 2, len(bits)), labels)
    return dataset_of(bits, np.unique(labels, return_inverse=True)[1])


def least_depth(dataset: Dataset, shallow: int) -> tuple[int, list[Node]]:
    """The least depth, once both bounds meet, and a tree of that depth."""
    bits = np.ascontiguousarray(dataset.bits)
    engine = native_exact_engine(bits, dataset.labels, {"depth_first": True}, shallow=shallow)
    nodes: list[Node] = []
    while not nodes or engine.depth_lower < depth_of(nodes):
        engine.run(1000)
        nodes = [Node(*node) for node in engine.tree()]
    return engine.depth_lower, nodes


@pytest.mark.parametrize("seed", range(24))
def test_few_examples_decide_what_composition_decides(seed: int) -> None:
    dataset = noisy(seed)
    depths = [least_depth(dataset, shallow) for shallow in SHALLOW]
    assert len({depth for depth, _ in depths}) == 1
    for depth, nodes in depths:
        tree = Tree.of(dataset, nodes)
        tree.check(dataset)
        assert tree.depth == depth


@pytest.mark.parametrize("seed", range(0, 24, 5))
def test_the_least_depth_is_certified(seed: int) -> None:
    dataset = noisy(seed)
    depth, _ = least_depth(dataset, 0)
    result = solve(dataset, Options(method="cores", minimise="depth", work_limit=1_000_000))
    assert result.depth_lower_bound == result.depth == depth
