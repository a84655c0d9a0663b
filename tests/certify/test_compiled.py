"""The compiled checker says what the Python one says, of proofs that hold and of others."""

from __future__ import annotations

import gzip
import json
from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from certify.forge import Case, proven_case
from certify.prover import Prover
from certify.test_mutations import HEAD_CHANGES, LEMMA_CHANGES
from dtfinder import find_tree
from dtfinder._check import check_lemmas, trim_lemmas
from dtfinder.certify import check, compiled, write
from dtfinder.certify.compiled import check_compiled
from dtfinder.certify.write import write_table
from dtfinder.data import make_dataset, read_table
from small import random_table, table_of


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


def test_a_part_may_count_several_times(tmp_path: Path) -> None:
    """Of three pairs any two share a feature, and the fourth has one of its own: its weight of two
    makes five parts, of which no feature splits more than two."""
    bits = np.array([[0, 0, 0, 0], [1, 0, 1, 0], [1, 1, 0, 0], [0, 1, 1, 0], [0, 0, 0, 1]]) > 0
    labels = np.array([0, 1, 1, 1, 1])
    case = proven_case(bits, labels)
    assert case is not None
    assert case.head["claim"]["nodes"] == 7
    pairs = "0 1 0 2 0 3 0 4"
    for body, holds in (
        ([f"p 3 {pairs}*2"], True),
        ([f"p 3 {pairs} 0 4"], True),
        (["p 1 0 4", "p 3 -1*2 0 1 0 2 0 3"], True),
        ([f"p 3 {pairs}"], False),
        ([f"p 4 {pairs}*2"], False),
        (["p 3 0 1 0 2 0 3 0*2 4"], False),
        ([f"p 3 {pairs}*0"], False),
        (["p 3 0 1*-3 0 2 0 3 0 4*2"], False),
        ([f"p 3 {pairs}*"], False),
        ([f"p 3 {pairs}*2*2"], False),
        ([f"p 3 {pairs}*99999999999999999999"], False),
        (["p 1 0 4", "s 2 -1*2 1"], False),
    ):
        assert verdicts(replace(case, body=tuple(body)), tmp_path) == (holds, holds), body
    rows = np.arange(5)
    text = b"p 1 0 4\np 3 -1*2 0 1 0 2 0 3\n"
    assert trim_lemmas(bits, labels, rows, rows, text) == text


def test_trimmed_proofs_prove_the_same_with_less(tmp_path: Path) -> None:
    shorter = 0
    for seed in range(10):
        bits, labels = random_table(seed, rows=12, features=7, classes=2)
        dataset = make_dataset(table_of(bits, labels))
        prover = Prover(dataset.bits, dataset.labels, seed)
        prover.prove_all("depth")
        # The last lemma cites one more, which it does not need.
        *before, last = prover.lines
        kind, claim, *rest = last.split()
        inside = [int(number) for number in rest if int(number) >= 0]
        other = next((e for e in inside if dataset.labels[e] != dataset.labels[inside[0]]), None)
        padded = [*before, f"s 1/{claim.partition('/')[2]} {inside[0]} {other}"]
        padded.append(" ".join([kind, claim, "-1", *(str(int(n) - (int(n) < 0)) for n in rest)]))
        if kind not in "sc" or other is None:  # the others do not cite
            continue
        text = "".join(line + "\n" for line in padded).encode()
        rows = np.arange(dataset.n_examples)
        made = trim_lemmas(dataset.bits, dataset.labels, rows, rows, text)
        proven = check_lemmas(dataset.bits, dataset.labels, rows, made)
        assert proven == check_lemmas(dataset.bits, dataset.labels, rows, text)
        assert made.count(b"\n") <= text.count(b"\n")
        shorter += made.count(b"\n") < text.count(b"\n")
    assert shorter > 3


def test_a_proof_that_does_not_hold_is_not_trimmed() -> None:
    bits, labels = random_table(1, rows=12, features=7, classes=2)
    dataset = make_dataset(table_of(bits, labels))
    rows = np.arange(dataset.n_examples)
    with pytest.raises(ValueError, match="lemma 0"):
        trim_lemmas(dataset.bits, dataset.labels, rows, rows, b"s 9 0 1 2 3\n")


def test_a_large_table_is_looked_at_where_lemmas_speak_of_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With only the examples that are cited, proofs are the same, and so are the verdicts."""
    table = read_table("weather")
    plain = find_tree("weather", certify=True).certificate
    monkeypatch.setattr(write, "FEW_EXAMPLES", 0)
    monkeypatch.setattr(compiled, "FEW_EXAMPLES", 0)
    small = find_tree("weather", certify=True).certificate
    assert small == plain
    assert small is not None
    small.save(tmp_path / "proof.cert")
    write.write_table(table, tmp_path / "table.csv")
    places = str(tmp_path / "proof.cert"), str(tmp_path / "table.csv")
    assert compiled.check_compiled(*places) == check.check(*places)
    head, *lines = gzip.decompress(small.data).decode().splitlines()
    stronger = [line.replace("s 4 ", "s 5 ") for line in lines]
    assert stronger != lines
    for body in (stronger, [], ["s 4 99"], ["s 4 999999999999999999999"]):
        (tmp_path / "proof.cert").write_bytes(gzip.compress("\n".join([head, *body]).encode()))
        for checker in (check.check, compiled.check_compiled):
            with pytest.raises(check.Rejected):
                checker(*places)
