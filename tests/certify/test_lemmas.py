"""Lemma certificates of a plain prover: verified if untouched, rejected if they turn false."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from certify.forge import proven_case
from certify.prover import Prover
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
    assert rules["a"] > 5
    assert minimise == "depth" or (rules["c"] > 10 and rules["p"] > 3)


@pytest.mark.parametrize("minimise", ["size", "depth"])
@pytest.mark.parametrize("classes", [2, 3, 4])
def test_proofs_for_sets_of_classes_are_verified_by_both(
    minimise: str, classes: int, tmp_path: Path
) -> None:
    rules: Counter[str] = Counter()
    for seed in range(40):
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
    assert rules["a"] > 2
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
        ("a 1 0 3 1 2", None),
        ("a 1/5 0 3", None),
        ("a 1 1 2 0 3", None),  # row 0 is between them, and does not allow c
        ("a 1 1 2 3", "a class in common"),
        ("a 2 0 3 1 2", "may share a leaf"),
        ("a 1 0 0 3", "may share a leaf"),
        ("a 3 0 3 1", "one more than its bound"),
        ("a inf 0 3 1 2", "fewer examples than its bound"),
        ("a 1 0 1", "a class in common"),
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


# Row 0 has no feature, row n feature n - 1 alone: they differ from the values of most in one
# feature or in none. Rows 1, 2 and 3 are of one class, all others of the other.
UNITS = np.vstack([np.zeros((1, 7)), np.eye(7)]).astype(bool)
OF_UNITS = np.array([[0, 1], [1, 0], [1, 0], [1, 0], [0, 1], [0, 1], [0, 1], [0, 1]], dtype=bool)


def fault_of(line: str, bits: np.ndarray, sets: np.ndarray) -> str | None:
    """What both checkers have against a lemma; `sets` say which classes each example allows."""
    examples, classes = range(len(bits)), range(sets.shape[1])
    of_class = [sum(1 << e for e in examples if sets[e, k]) for k in classes]
    data = SimpleNamespace(
        classes=list(classes),
        labels=list(examples),
        allowed=[tuple(np.flatnonzero(row).tolist()) for row in sets],
        several=True,
        masks=[sum(1 << e for e in examples if bits[e, f]) for f in range(bits.shape[1])],
        of_class=of_class,
        against=[[e for e in examples if not sets[e, k]] for k in classes],
        example_of_row={e: e for e in examples},
        impure=lambda members: all(members & ~each for each in of_class),
    )
    faults = []
    try:
        check.Lemmas(data).read([line])  # type: ignore[arg-type]
    except check.Rejected as fault:
        faults.append(str(fault))
    try:
        check_lemmas(bits, np.arange(len(bits)), np.arange(len(bits)), line.encode(), sets)
    except ValueError as fault:
        faults.append(str(fault))
    assert len(faults) != 1, (line, faults)
    return faults[0] if faults else None


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        ("l 3 1 2 3 4 5 6", None),
        ("l 3/9 1 2 3 4 5 6", None),
        ("l inf/2 1 2 3 4 5 6", None),
        ("l 4/2 1 2 3 4 5 6", None),  # no tree of depth 2 is no tree of any size
        ("l inf/3 1 2 3 4 5 6", "the path is not so long"),
        ("l inf 1 2 3 4 5 6", "the path is not so long"),
        ("l 4 1 2 3 4 5 6 7", "the path is not so long"),
        ("l inf/2 1 2 4 5 6 7", "the path is not so long"),
        ("l inf/2 1 2 3 0", None),  # row 0 stays on the path: its leaf is of the class of 0
        ("l inf/3 1 2 3 0", "the path is not so long"),
        ("l 3 1 2 3 3 4 5 6", "the path is not so long"),  # 4 rows, two of them by one feature
        ("l 3 1 1 2 2 3 3 4 4 5 5 6 6", None),  # 6 rows, two by each feature
        ("l 4 1 1 2 2 3 3 4 4 5 5 6 6", "the path is not so long"),
        ("l inf/0 1 4", None),  # half and half: the values are 0
        ("l inf/1 1 4", "the path is not so long"),
        ("l 0 1 2 3", "a class in common"),
        ("l 3 -1 1 2 3 4 5 6", "lemma"),
        ("l 3", "lemma"),
    ],
)
def test_long_paths(line: str, fault: str | None) -> None:
    said = fault_of(line, UNITS, OF_UNITS)
    assert said is None if fault is None else fault in (said or "")


def test_no_long_path_claims_too_much() -> None:
    """Whatever rows are taken, both checkers accept the same depths, and no tree has them."""
    shown = 0
    for seed in range(12):
        random = np.random.RandomState(seed)
        bits, sets = random_sets(seed, rows=9, features=6, classes=2 + seed % 3)
        if seed % 3 == 0:  # rare features, one class each
            bits = np.vstack([np.zeros((1, 8)), np.eye(8)]).astype(bool)
            sets = np.eye(2, dtype=bool)[random.randint(0, 2, 9)]
        prover = Prover(bits, sets)
        for _ in range(40):
            rows = random.choice(len(bits), random.randint(2, 10), replace=True).tolist()
            if prover.common(frozenset(rows)):
                continue
            depth = 0
            while fault_of(f"l inf/{depth} {' '.join(map(str, rows))}", bits, sets) is None:
                depth += 1
            assert depth == 0 or prover.cost(frozenset(rows), depth - 1) == np.inf
            shown += depth > 1
    assert shown > 20


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
