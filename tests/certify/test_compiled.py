"""The compiled checker says what the Python one says, of proofs that hold and of others."""

from __future__ import annotations

import gzip
import json
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from certify.forge import Case, proven_case
from certify.test_mutations import HEAD_CHANGES, LEMMA_CHANGES
from dtfinder.certify import check
from dtfinder.certify.compiled import check_compiled
from dtfinder.certify.write import write_table
from small import random_table


def verdicts(case: Case, place: Path) -> tuple[bool, bool]:
    write_table(case.table, place / "table.csv")
    text = "\n".join([json.dumps(case.head), *case.body]) + "\n"
    (place / "proof.cert").write_bytes(gzip.compress(text.encode(), 1))
    found = []
    for checker in (check.check, check_compiled):
        try:
            words = checker(str(place / "proof.cert"), str(place / "table.csv"))
            found.append(words.startswith("VERIFIED"))
        except check.Rejected:
            found.append(False)
    return found[0], found[1]


@pytest.mark.parametrize("minimise", ["size", "depth"])
def test_both_checkers_agree_on_everything(minimise: str, tmp_path: Path) -> None:
    random = np.random.RandomState(5)
    results: Counter[tuple[bool, bool]] = Counter()
    for seed in range(8):
        bits, labels = random_table(seed, rows=11, features=7, classes=2 + seed % 3)
        case = proven_case(bits, labels, minimise, seed=seed)
        assert case is not None
        assert verdicts(case, tmp_path) == (True, True)
        for change in (*LEMMA_CHANGES, *HEAD_CHANGES):
            for _ in range(3):
                try:
                    results[verdicts(change(case, random), tmp_path)] += 1
                except ValueError:  # this change cannot be made here
                    continue
    assert results[True, False] == results[False, True] == 0
    assert results[False, False] > 150


def test_a_proof_over_more_than_one_word_of_features(tmp_path: Path) -> None:
    bits, labels = random_table(3, rows=9, features=70, classes=3)
    case = proven_case(bits, labels)
    assert case is not None
    assert verdicts(case, tmp_path) == (True, True)
