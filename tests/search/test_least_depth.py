"""The least depth, on tables that are too large for brute force: whoever decides the bottom of the
search, few examples at once (`shallow`) or composition, the optimum is the same. What `solve` calls
optimal is certified while the tests run."""

from __future__ import annotations

import gzip

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


def rare(seed: int) -> Dataset:
    """Rare features: each holds for a few rows, and every row has a few of them."""
    random = np.random.RandomState(seed)
    rows, features, classes = 16 + seed % 3 * 20, 12 + seed % 4 * 8, 2 + seed % 2
    bits = np.unique(random.rand(rows, features) < random.choice([0.05, 0.1]), axis=0)
    bits = np.unique(bits[:, bits.any(axis=0)], axis=1)
    return dataset_of(bits, random.randint(0, classes, len(bits)))


def least_depth(dataset: Dataset, **switches: int) -> tuple[int, list[Node]]:
    """The least depth, once both bounds meet, and a tree of that depth."""
    bits = np.ascontiguousarray(dataset.bits)
    engine = native_exact_engine(bits, dataset.labels, {"depth_first": True}, None, **switches)
    nodes: list[Node] = []
    while not nodes or engine.depth_lower < depth_of(nodes):
        engine.run(1000)
        nodes = [Node(*node) for node in engine.tree()]
    return engine.depth_lower, nodes


@pytest.mark.parametrize("seed", range(24))
def test_few_examples_decide_what_composition_decides(seed: int) -> None:
    dataset = noisy(seed)
    depths = [least_depth(dataset, shallow=shallow) for shallow in SHALLOW]
    assert len({depth for depth, _ in depths}) == 1
    for depth, nodes in depths:
        tree = Tree.of(dataset, nodes)
        tree.check(dataset)
        assert tree.depth == depth


@pytest.mark.parametrize("seed", range(0, 24, 5))
def test_the_least_depth_is_certified(seed: int) -> None:
    dataset = noisy(seed)
    depth, _ = least_depth(dataset, shallow=0)
    result = solve(dataset, Options(method="cores", minimise="depth", work_limit=1_000_000))
    assert result.depth_lower_bound == result.depth == depth


def test_long_paths_save_work_and_change_nothing() -> None:
    by_path = 0
    for seed in range(24):
        dataset = rare(seed)
        asked = {"method": "cores", "minimise": "depth", "work_limit": 2_000_000}
        result = solve(dataset, Options.of(certify=True, **asked))
        depth, nodes = least_depth(dataset, least_path=2 + seed % 4)
        assert depth_of(nodes) == depth == result.depth_lower_bound == result.depth
        if depth < 8:  # without them, a larger depth takes long
            assert depth == least_depth(dataset, paths=False)[0]
        if result.certificate is not None:
            by_path += b"\nl inf/" in gzip.decompress(result.certificate.data)
    assert by_path > 8
