"""The lightest hitting set against all subsets, as cores are added."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from dtfinder.search.hitting_set import MOST_CORES, HittingSet


@pytest.mark.parametrize("seed", range(30))
def test_it_is_the_lightest(seed: int) -> None:
    random = np.random.RandomState(seed)
    weights = random.randint(1, 2 if seed % 2 else 5, size=9)
    subsets = sorted(
        (int(weights[list(s)].sum()), set(s))
        for size in range(10)
        for s in combinations(range(9), size)
    )
    hitting, cores = HittingSet(weights), []
    assert hitting.lightest() == []
    for _ in range(8):
        cores.append(set(random.choice(9, size=random.randint(1, 5), replace=False).tolist()))
        hitting.add(sorted(cores[-1]))
        found = hitting.lightest()
        assert found is not None
        least = next(weight for weight, s in subsets if all(s & core for core in cores))
        assert all(core & set(found) for core in cores)
        assert weights[found].sum() == least
        assert hitting.lightest() == found


def test_weights_that_differ_in_all_digits_end_it_soon() -> None:
    random = np.random.default_rng(0)
    hitting = HittingSet(random.integers(1, 2**32, size=60))
    for _ in range(60):
        hitting.add(random.choice(60, size=8, replace=False).tolist())
        if hitting.lightest() is None:
            break
    assert hitting.lightest() is None
    assert hitting.found_cores == MOST_CORES + 1
