"""Certificates that no tree is within the limits: verified where it is true, and nowhere else."""

from __future__ import annotations

import copy
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from certify.forge import Case, read_case
from certify.test_compiled import verdicts
from certify.test_mutations import (
    LEMMA_CHANGES,
    SAT_CHANGES,
    changed_twice,
    drop_row,
    flip_cell,
    flip_label,
    judged,
    raise_all,
)
from dtfinder import find_tree
from dtfinder.certify import check
from dtfinder.certify.compiled import check_compiled
from dtfinder.cli.app import run
from dtfinder.data import make_dataset
from dtfinder.errors import InfeasibleError
from dtfinder.methods import METHODS
from dtfinder.search import engine
from oracle import Oracle
from small import random_table, solve_here, table_of

METHODS_THAT_PROVE = [
    name for name, method in METHODS.items() if method.exact and name != "sklearn"
]
DEPTHS, SIZES = (None, 0, 1, 2, 3, 4), (None, 1, 2, 3, 5, 7, 9, 11, 13)
LIMITS = [limits for limits in product(DEPTHS, SIZES) if limits != (None, None)]


def is_impossible(judge: Oracle, max_depth: int | None, max_nodes: int | None) -> bool:
    """Whether no tree is within the limits, by brute force."""
    least = judge.size(max_depth)
    return least is None or (max_nodes is not None and least > max_nodes)


def refused(seed: int, classes: int, rows: int, **options: Any) -> tuple[Case | None, Oracle]:
    """The certificate for a random table that has no tree within the limits, None if it has one."""
    bits, labels = random_table(seed, rows=rows, features=5, classes=classes)
    table = table_of(bits, labels)
    dataset = make_dataset(table)
    judge = Oracle(dataset.bits, dataset.labels)
    proof = None
    try:
        solve_here(dataset, certify=True, **options)
    except InfeasibleError as error:
        proof = error.certificate
    return None if proof is None else read_case(proof, table), judge


def with_limits(case: Case, max_depth: Any, max_nodes: Any) -> Case:
    claim = {"max_depth": max_depth, "max_nodes": max_nodes}
    return replace(case, head={**case.head, "claim": claim})


@pytest.mark.parametrize("minimise", ["size", "depth"])
@pytest.mark.parametrize("classes", [2, 3, 4])
def test_the_engine_against_brute_force(minimise: str, classes: int, tmp_path: Path) -> None:
    proven = 0
    for seed, (max_depth, max_nodes) in product(range(2), LIMITS):
        options = {"max_depth": max_depth, "max_nodes": max_nodes, "minimise": minimise}
        options["method"] = "cores"
        case, judge = refused(seed, classes, 12, **options)
        assert (case is not None) == is_impossible(judge, max_depth, max_nodes)
        if case is not None:
            assert verdicts(case, tmp_path) == (True, True)
            proven += 1
    assert proven > 20


@pytest.mark.parametrize("method", METHODS_THAT_PROVE)
def test_every_method(method: str, tmp_path: Path) -> None:
    proven = 0
    some = [(0, None), (2, None), (None, 5), (None, 6), (2, 7), (4, 7), (3, 11)]
    for classes, (max_depth, max_nodes) in product((2, 3), some):
        options = {"max_depth": max_depth, "max_nodes": max_nodes, "method": method}
        case, judge = refused(classes, classes, 9, **options)
        assert (case is not None) == is_impossible(judge, max_depth, max_nodes)
        if case is not None:
            assert case.verdict(tmp_path) is None
            proven += 1
    assert proven > 5


def certified(methods: list[str]) -> Iterator[tuple[Case, Oracle]]:
    """Certificates as tight as they can be: with a node or a level more there is a tree."""
    for method, seed in product(methods, (1, 2)):
        rows = 11 if method == "cores" else 8
        _, judge = refused(seed, 2 + seed % 2, rows, method=method)
        depth, size = judge.depth_then_size()[0], judge.size()
        assert size is not None
        for limits in ({"max_depth": depth - 1}, {"max_nodes": size - 1}):
            case, _ = refused(seed, 2 + seed % 2, rows, method=method, **limits)
            assert case is not None
            yield case, judge


@pytest.mark.parametrize("method", ["cores", "sat", "d-dtfinder", "dtfinder-T"])
def test_a_claim_of_other_limits_is_verified_only_if_it_is_true(
    method: str, tmp_path: Path
) -> None:
    found: Counter[tuple[bool, bool]] = Counter()
    for case, judge in certified([method]):
        for limits in LIMITS if method == "cores" else LIMITS[::3]:
            both = verdicts(with_limits(case, *limits), tmp_path)
            assert both[0] == both[1]
            assert is_impossible(judge, *limits) or not both[0], limits
            found[both[0], is_impossible(judge, *limits)] += 1
    assert found[True, True] > 5
    assert found[False, False] > 5


def off_by_one(case: Case, judge: Oracle) -> Case:
    """The claim that a tree that there is does not exist: off by a level, or a node."""
    if case.head["claim"]["max_nodes"] is None:
        return with_limits(case, judge.depth_then_size()[0], None)
    return with_limits(case, None, judge.size())


@pytest.mark.parametrize("method", METHODS_THAT_PROVE)
def test_a_claim_that_is_off_by_one_is_rejected(method: str, tmp_path: Path) -> None:
    for case, judge in certified([method]):
        assert case.verdict(tmp_path) is None
        reason = off_by_one(case, judge).verdict(tmp_path)
        assert reason is not None
        assert "nodes are shown to be needed" in reason


def test_no_proof_of_what_is_false(tmp_path: Path) -> None:
    """Whatever is done to its lemmas."""
    random, tried = np.random.RandomState(4), 0
    for case, judge in certified(["cores"]):
        forged = off_by_one(case, judge)
        for start in (forged, raise_all(forged)):
            for how, changed in changed_twice(start, random, times=3):
                tried += 1
                assert verdicts(changed, tmp_path) == (False, False), how
    assert tried > 100


@pytest.mark.parametrize(("method", "least"), [("cores", 45), ("dtfinder-DT1-T", 25)])
def test_what_is_changed_is_rejected_or_still_true(method: str, least: int, tmp_path: Path) -> None:
    random, results = np.random.RandomState(6), Counter[str]()
    changes = LEMMA_CHANGES if method == "cores" else SAT_CHANGES
    for case, _ in certified([method]):
        for change in (*changes, drop_row, flip_cell, flip_label):
            for _ in range(2):
                results[judged(case, change, random, tmp_path)] += 1
    assert results["rejected"] > least


def test_neither_claim_passes_for_the_other(tmp_path: Path) -> None:
    table = table_of(*random_table(3, rows=11, features=5))
    dataset = make_dataset(table)
    made = solve_here(dataset, certify=True).certificate
    with pytest.raises(InfeasibleError) as error:
        solve_here(dataset, method="cores", certify=True, max_nodes=5)
    assert made is not None
    assert error.value.certificate is not None
    best, none = read_case(made, table), read_case(error.value.certificate, table)
    nodes, depth = best.head["claim"]["nodes"], best.head["claim"]["depth"]
    assert verdicts(best, tmp_path) == verdicts(none, tmp_path) == (True, True)

    def forged(case: Case, tree: Any, **claim: Any) -> str:
        head = {**copy.deepcopy(case.head), "tree": tree, "claim": claim}
        assert verdicts(replace(case, head=head), tmp_path) == (False, False)
        return str(replace(case, head=head).verdict(tmp_path))

    limits = {"max_depth": None, "max_nodes": 5}
    optimal = {"minimise": "size", "nodes": nodes, "depth": depth}
    assert "limits only" in forged(best, None, **best.head["claim"])
    assert "limits only" in forged(none, None, **optimal, **limits)
    assert "shown to be needed" in forged(best, None, max_depth=None, max_nodes=None)
    assert "shown to be needed" in forged(best, None, max_depth=None, max_nodes=nodes)
    assert "malformed" in forged(best, best.head["tree"], **limits)
    assert "beyond max_nodes" in forged(none, best.head["tree"], **optimal, **limits)
    assert "shown to be needed" in forged(
        none, best.head["tree"], **optimal, max_depth=None, max_nodes=None
    )
    assert "the tree gives row" in forged(none, 0, minimise="size", nodes=1, depth=0, **limits)
    odd: Any
    for odd in (True, 5.5, "5", [], float("nan"), float("-inf")):
        assert "limits" in forged(none, None, max_depth=None, max_nodes=odd)
    assert "malformed" in forged(none, None, max_nodes=5)


def test_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    made = str(tmp_path / "proof.cert")
    for method, compiled in product(("cores", "dtfinder"), ([], ["--compiled"])):
        limits = ["--max-nodes", "7", "--max-depth", "3"]
        fit = ["fit", "weather", "--method", method, *limits, "--certificate", made]
        assert run(fit) == 2
        said = capsys.readouterr()
        assert "it is proven that no tree with --max-depth 3 and --max-nodes 7" in said.err
        assert said.out == f"the proof that there is no tree is in {made}\n"
        assert run(["check", made, "--data", "weather", *compiled]) == 0
        words = capsys.readouterr().out
        assert words.startswith(
            "VERIFIED: no tree within max_depth 3 and max_nodes 7 classifies all 14 rows.\n"
        )
        assert run(["check", made, "--data", "mux6", *compiled]) == 1
        capsys.readouterr()
    assert run(["certificate", "export", made, "--data", "weather", "--lrat", str(tmp_path)]) == 0
    assert list(tmp_path.glob("*.lrat"))


def test_contradictions_are_told(tmp_path: Path) -> None:
    table, made = tmp_path / "table.csv", tmp_path / "proof.cert"
    table.write_text("a,b,class\n1,1,x\n1,2,y\n2,1,y\n2,2,x\n2,2,y\n2,2,x\n")
    with pytest.raises(InfeasibleError) as error:
        find_tree(str(table), method="cores", max_depth=1, certify=True)
    assert error.value.certificate is not None
    error.value.certificate.save(made)
    for checker in (check.check, check_compiled):
        words = checker(str(made), str(table))
        assert words.startswith(
            "VERIFIED: no tree within max_depth 1 classifies all 6 rows, apart from 1 outvoted by "
            "equal ones.\n"
        )


def test_without_certify_there_is_none() -> None:
    with pytest.raises(InfeasibleError) as error:
        find_tree("weather", method="cores", max_nodes=5)
    assert error.value.certificate is None


@pytest.mark.uncertified("there is no memory for the proof")
def test_a_proof_that_did_not_fit_the_memory(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setattr(engine, "MEMORY", 1000)
    made = tmp_path / "proof.cert"
    asked = ["monk2", "--method", "cores", "--max-nodes", "29", "--certificate", str(made)]
    assert run(["fit", *asked, "-q"]) == 2
    said = capsys.readouterr().err
    assert "--certificate: it is proven that there is no tree, but the proof did not fit" in said
    assert "no tree with --max-nodes 29" in said
    assert not made.exists()
