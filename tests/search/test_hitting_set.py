"""The lightest hitting set against all subsets, as cores are added."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from dtfinder.search.hitting_set import HittingSet


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
        least = next(weight for weight, s in subsets if all(s & core for core in cores))
        assert all(core & set(found) for core in cores)
        assert weights[found].sum() == least
        assert hitting.lightest() == found
