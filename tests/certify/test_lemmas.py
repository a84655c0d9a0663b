"""Lemma certificates of a plain prover: verified if untouched, rejected if they turn false."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from certify.forge import proven_case
from small import random_table


@pytest.mark.parametrize("minimise", ["size", "depth"])
@pytest.mark.parametrize("classes", [2, 3])
def test_proofs_by_all_rules_are_verified(minimise: str, classes: int, tmp_path: Path) -> None:
    rules: Counter[str] = Counter()
    for seed in range(15):
        bits, labels = random_table(seed, rows=12, features=7, classes=classes)
        if seed % 2:  # rare features, which few examples share: for these there are disjoint parts
            bits = np.vstack([np.zeros((1, 9)), np.eye(9)]).astype(bool) ^ (seed % 4 == 1)
            labels = np.arange(10) % classes
        case = proven_case(bits, labels, minimise, seed=seed)
        assert case is not None
        assert case.is_true()
        assert case.verdict(tmp_path) is None
        rules.update(line[0] for line in case.body)
    assert rules["s"] > 5
    assert minimise == "depth" or (rules["c"] > 10 and rules["p"] > 3)


def test_proofs_under_a_depth_limit_are_verified(tmp_path: Path) -> None:
    limited = 0
    for seed in range(25):
        bits, labels = random_table(seed, rows=12, features=6, classes=2)
        free, case = proven_case(bits, labels), proven_case(bits, labels, max_depth=3, seed=seed)
        if case is None:
            continue
        assert free is not None
        assert case.is_true()
        assert case.verdict(tmp_path) is None
        limited += case.head["claim"]["nodes"] > free.head["claim"]["nodes"]
    assert limited > 0
