"""Lemma certificates of a plain prover: verified if untouched, rejected if they turn false."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from certify.forge import proven_case
from dtfinder._check import check_lemmas
from dtfinder.certify import check
from dtfinder.certify.compiled import check_compiled
from small import random_sets, random_table


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


@pytest.mark.parametrize("minimise", ["size", "depth"])
@pytest.mark.parametrize("classes", [2, 3, 4])
def test_proofs_for_sets_of_classes_are_verified_by_both(
    minimise: str, classes: int, tmp_path: Path
) -> None:
    rules: Counter[str] = Counter()
    for seed in range(20):
        bits, sets = random_sets(seed, rows=12, features=6, classes=classes)
        if seed % 2:  # as above
            bits = np.vstack([np.zeros((1, 9)), np.eye(9)]).astype(bool)
            sets = np.resize(sets, (10, classes))
        case = proven_case(bits, sets, minimise, seed=seed)
        assert case is not None
        assert case.is_true()
        assert case.verdict(tmp_path) is None
        said = check_compiled(tmp_path / "proof.cert", tmp_path / "table.csv")
        assert said.startswith("VERIFIED")
        rules.update(line[0] for line in case.body)
    assert rules["s"] > 2
    assert minimise == "depth" or rules["c"] > 3


# Four states: the first three allow {a, b}, {b, c} and {a, c}, the last c alone.
SETS = np.array([[1, 1, 0], [0, 1, 1], [1, 0, 1], [0, 0, 1]], dtype=bool)
STATES = np.array([[0, 0, 0], [0, 1, 0], [1, 0, 0], [0, 0, 1]], dtype=bool)


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        ("s 1 0 1 2", None),  # three that have no class in common, though any two have one
        ("s 1 0 3", None),
        ("p 1 0 3", None),
        ("s 1 0 1", "a class in common"),
        ("s 1 1 2 3", "a class in common"),
        ("p 1 0 1", "a class in common"),
        ("p 1 0 3 1 2", "a class in common"),
        ("s 2 0 1 2", "feature"),  # the first feature leaves 0 and 1, which have b in common
        ("c 1 0 1 2 3", None),
        ("c 2 0 1 2 3", None),  # no feature isolates 0, the only one that does not allow c
        ("c 3 0 1 2 3", "singleton cuts alone could do it"),
        ("s inf/0 0 1 2", None),
    ],
)
def test_lemmas_about_sets(line: str, fault: str | None) -> None:
    kinds = [(0,), (1,), (2,), (0, 1), (1, 2), (0, 2)]
    labels = [3, 4, 5, 2]
    masks = [sum(1 << e for e in range(4) if STATES[e, f]) for f in range(3)]
    of_class = [sum(1 << e for e in range(4) if SETS[e, k]) for k in range(3)]
    data = SimpleNamespace(
        classes=["a", "b", "c"],
        labels=labels,
        allowed=kinds,
        several=True,
        masks=masks,
        of_class=of_class,
        against=[[n for n, kind in enumerate(kinds) if k not in kind] for k in range(3)],
        example_of_row={e: e for e in range(4)},
        impure=lambda members: all(members & ~each for each in of_class),
    )
    allowed = np.array([[k in kind for k in range(3)] for kind in kinds])
    asked = STATES, np.array(labels), np.arange(4), line.encode(), allowed
    if fault is None:
        check.Lemmas(data).read([line])  # type: ignore[arg-type]
        check_lemmas(*asked)
        return
    with pytest.raises(check.Rejected, match=fault):
        check.Lemmas(data).read([line])  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=fault):
        check_lemmas(*asked)


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
