"""What the counting engine proves, its lemmas show: both checkers follow them, whatever is asked,
and whichever of the engine's bounds are switched off."""

from __future__ import annotations

import gzip
import json
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from certify.error_case import CHECKERS, random_rows
from dtfinder import find_front, find_tree
from dtfinder.certify import check
from dtfinder.certify.write import write_table
from dtfinder.cli.app import run
from dtfinder.data import make_dataset, read_table
from dtfinder.errors import InfeasibleError, OptionError
from dtfinder.problem import Problem
from dtfinder.proof import Certificate, ErrorLemmas
from dtfinder.search.counting import CountingEngine, SizeBySize, counting_job


def lines_of(certificate: Certificate | None) -> list[str]:
    """The lines of a proof, without the head."""
    assert certificate is not None
    return gzip.decompress(certificate.data).decode().splitlines()[1:]


def verified(certificate: Certificate | None, table: Any, folder: Path) -> str:
    """What both checkers say."""
    assert certificate is not None
    certificate.save(folder / "proof.cert")
    write_table(table, folder / "table.csv")
    said = {each(str(folder / "proof.cert"), str(folder / "table.csv")) for each in CHECKERS}
    assert len(said) == 1
    return said.pop()


ASKED: list[dict[str, Any]] = [
    {"max_nodes": 9},
    {"max_nodes": 13, "max_depth": 4},
    {"max_depth": 4},
    {"max_depth": 5},
    {"max_errors": "20%"},
    {"max_errors": "25%", "minimise": "depth"},
    {"max_nodes": 11, "minimise": "depth"},
    {"leaf_penalty": 0.02},
    {"leaf_penalty": 0.05, "max_depth": 4},
]


@pytest.mark.parametrize("asked", ASKED, ids=str)
def test_every_question(asked: dict[str, Any], tmp_path: Path) -> None:
    for seed in range(6):
        table = random_rows(seed, 60, 9, 2 + seed % 2)
        weights = np.random.RandomState(seed).randint(1, 5, size=60) if seed % 3 == 2 else None
        result = find_tree(table, weights=weights, certify=True, **asked)
        said = verified(result.certificate, result.dataset and result.dataset.table, tmp_path)
        assert f"the tree of {result.nodes} nodes and depth {result.depth} makes" in said


@pytest.mark.parametrize("asked", [{}, {"max_depth": 4}], ids=str)
def test_a_cost_that_is_proven_size_by_size(
    asked: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = CountingEngine.run

    def run_without_prices(engine: CountingEngine, steps: int) -> None:
        if not isinstance(engine.other, SizeBySize):
            run(engine, steps)
            return
        engine.native.run(1)
        engine.other.run(steps, engine.native)

    monkeypatch.setattr(CountingEngine, "run", run_without_prices)
    for seed in range(6):
        table = random_rows(seed, 60, 9, 2 + seed % 2)
        weights = np.random.RandomState(seed).randint(1, 5, size=60) if seed % 3 == 2 else None
        for penalty in (0.004, 0.02):
            result = find_tree(table, weights=weights, certify=True, leaf_penalty=penalty, **asked)
            assert lines_of(result.certificate)[-1].startswith("k 0 $")
            said = verified(result.certificate, result.dataset and result.dataset.table, tmp_path)
            assert f"(leaf_penalty {Fraction(str(penalty))})" in said


def test_no_tree(tmp_path: Path) -> None:
    table = random_rows(1, 60, 9, 2)
    fewest = find_tree(table, max_nodes=9).errors
    with pytest.raises(InfeasibleError) as refused:
        find_tree(table, max_nodes=9, max_errors=fewest - 1, certify=True)
    said = verified(refused.value.certificate, table, tmp_path)
    assert f"no tree within max_nodes 9 makes at most {fewest - 1} errors" in said


@pytest.mark.parametrize("limits", [{}, {"max_depth": 4}, {"max_nodes": 11}], ids=str)
def test_fronts(limits: dict[str, Any], tmp_path: Path) -> None:
    for seed in range(4):
        table = random_rows(seed, 50, 8, 2 + seed % 2)
        front = find_front(table, certify=True, **limits)
        said = verified(front.certificate, table, tmp_path)
        falls = [
            f"{2 * n + 1}: {each.errors}"
            for n, each in enumerate(front)
            if n == 0 or each.errors < front[n - 1].errors
        ]
        assert f"are {', '.join(falls)}." in said


@pytest.mark.parametrize(
    "off", ["cache", "similar", "siblings", "parents", "triples", "chains", "order", "improve"]
)
def test_every_bound_alone_has_its_lemma(off: str) -> None:
    """The proof of a front, with one source of bounds after the other switched off."""
    dataset = make_dataset(random_rows(7, 80, 10, 2))
    job = counting_job(Problem(dataset), certify=True, front=True, switches={off: False})
    engine = job.engine()
    while not engine.done:
        engine.run(10**6)
    proof = engine.proof(dataset.first_rows)
    assert isinstance(proof, ErrorLemmas)
    assert proof.text
    check_lines(dataset, proof.text, {each.at: each.bounds.errors for each in engine.state().found})


class Noted:
    """A counting engine, and what it is told of its bounds."""

    def __init__(self, engine: Any) -> None:
        self.engine, self.raised = engine, list[tuple[int, int]]()

    def __getattr__(self, name: str) -> Any:
        return getattr(self.engine, name)

    def raise_lower(self, inner: int, errors: int) -> None:
        self.raised.append((inner, errors))
        self.engine.raise_lower(inner, errors)


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("weight", [1, 3])
@pytest.mark.parametrize("depth", [None, 6])
def test_cores_show_the_right_end_of_a_front(depth: int | None, weight: int, classes: int) -> None:
    """Hitting sets alone: exact lemmas, and sums of them, for every bound that they claim."""
    bounds = kinds = 0
    for seed in range(16):
        table = random_rows(seed, 60, 12, classes)
        if weight > 1:
            table = replace(table, weights=(np.arange(60) % weight + 1).astype(np.float64))
        # With three classes, the bound of contradictory rows is not one of cores alone.
        dataset = make_dataset(table, contradictions="drop" if classes > 2 else "majority")
        job = counting_job(Problem(dataset, max_depth=depth), certify=True, front=True)
        engine = job.engine()
        other = engine._other
        assert other is not None
        noted: Any = Noted(engine._native)
        for _ in range(400):
            engine._native.run(100)
            other.run(10**5, noted)
        hitting = other.hitting
        assert hitting is not None
        for size, errors in noted.raised:  # a bound for fewer nodes does not replace it
            assert any(n >= size and e >= errors for n, e in hitting.shown)
        text = hitting.proof(dataset.first_rows)
        check_lines(dataset, text, dict(hitting.shown), depth)
        bounds += len(hitting.shown)
        kinds += b"\ne 0 " in text and b"x s " in text
    assert bounds > 3
    assert kinds > 1


def check_lines(dataset: Any, text: bytes, least: dict[Any, int], depth: int | None = None) -> None:
    """Both checkers follow the lines, and they show these errors by inner nodes."""
    from dtfinder.certify import check_errors
    from dtfinder.certify.compiled import _ErrorLemmas

    masks = [
        int.from_bytes(np.packbits(f, bitorder="little").tobytes(), "little")
        for f in dataset.bits.T
    ]
    data: Any = Data(masks, dataset)
    units = None if dataset.weights is None else dataset.row_units.tolist()
    weights = check_errors.Weights(data, units)
    for kind in (check_errors.Lemmas, _ErrorLemmas):
        proof: Any = kind(data, weights, None)
        proof.read(text.decode().splitlines())
        for inner, errors in least.items():
            shown = proof.least_errors(inner, np.inf if depth is None else depth)
            assert shown + weights.unavoidable == errors


class Data:
    """What the checkers read of a table."""

    def __init__(self, masks: list[int], dataset: Any) -> None:
        self.masks, self.labels = masks, dataset.labels.tolist()
        self.classes, self.rows = dataset.classes, dataset.table.rows
        examples = enumerate(dataset.example_of_row.tolist())
        self.example_of_row = {row: example for row, example in examples if example >= 0}
        self.row_labels = dataset.row_labels.tolist()


def test_proofs_are_the_same_in_every_run_and_share_lemmas() -> None:
    table = random_rows(3, 60, 9, 2)
    first, again = (find_front(table, certify=True).certificate for _ in range(2))
    assert first == again
    lines = lines_of(first)
    lemmas = [line for line in lines if line[0] != "r"]
    assert len(set(lines)) > 5
    cited = sum(line.count(" -") for line in lemmas)
    assert cited > len(lemmas) / 2


def test_examples_without_weight_do_not_stand_in_the_way(tmp_path: Path) -> None:
    """Rows that cancel out are no examples of the engine, though features tell them apart."""
    table = random_rows(5, 40, 7, 2)
    table = table.at(np.r_[np.arange(40), np.arange(10)])
    assert table.target is not None
    table.target[40:] = np.where(
        table.target[:10] == table.target[0], *np.unique(table.target)[::-1]
    )
    result = find_tree(table, max_nodes=9, certify=True)
    assert "makes" in verified(result.certificate, table, tmp_path)


def test_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    proof, small = tmp_path / "front.cert", tmp_path / "tree.cert"
    assert run(["front", "weather", "--certificate", str(proof), "-q"]) == 0
    assert run(["check", str(proof), "--data", "weather"]) == 0
    assert run(["check", str(proof), "--data", "weather", "--compiled"]) == 0
    out = capsys.readouterr().out
    assert (
        out.count("the fewest errors from each number of nodes on are 1: 5, 3: 4, 5: 2, 9: 0") == 2
    )
    assert run(["fit", "weather", "--max-errors", "1", "--certificate", str(small), "-q"]) == 0
    assert run(["check", str(small), "--data", "weather"]) == 0
    assert "no tree with at most 1 error is one with fewer than" in capsys.readouterr().out


@pytest.mark.parametrize(
    "asked",
    [
        {"max_nodes": 5},
        {"max_depth": 2, "minimise": "depth"},
        {"max_errors": 1},
        {"max_errors": 2, "minimise": "depth", "max_nodes": 9},
        {"leaf_penalty": 0.05, "max_depth": 3},
        {"max_nodes": 5, "weights": np.arange(1.0, 15.0)},
        {"max_errors": 0, "max_nodes": 5},  # no tree
        {},  # the front
    ],
)
def test_the_head_says_in_words_what_is_proven(asked: dict[str, Any], tmp_path: Path) -> None:
    """As the checkers do, in their own words; others are rejected."""
    proof, table = tmp_path / "proof.cert", tmp_path / "table.csv"
    write_table(read_table("weather"), table)
    try:
        found = find_tree("weather", certify=True, **asked) if asked else None
        certificate = (
            found.certificate if found else find_front("weather", certify=True).certificate
        )
    except InfeasibleError as error:
        certificate = error.certificate
    assert certificate is not None
    head, *lines = gzip.decompress(certificate.data).decode().splitlines()
    assert head.startswith('{"words": "')
    words = json.loads(head)["words"]
    for said, holds in ((words, True), (words.replace("no tree", "a tree") + ".", False)):
        changed = json.dumps(json.loads(head) | {"words": said})
        proof.write_text("\n".join([changed, *lines]))
        for checker in CHECKERS:
            if holds:
                answer = checker(str(proof), str(table))
                assert answer.startswith(f"VERIFIED: of 14 rows: {words}.\n")
            else:
                with pytest.raises(check.Rejected, match="it says that"):
                    checker(str(proof), str(table))


def test_a_front_that_is_not_done_has_no_certificate() -> None:
    from dtfinder.report.files import front_certificate

    front = find_front(random_rows(3, 200, 20, 2), certify=True, work_limit=1)
    with pytest.raises(OptionError, match="before all was proven"):
        front_certificate(front)


def test_a_proof_that_does_not_fit_is_given_up() -> None:
    dataset = make_dataset(random_rows(3, 200, 20, 2))
    job = counting_job(Problem(dataset, max_nodes=17), certify=True, switches={"memory": 1})
    engine = job.engine()
    while not engine.done:
        engine.run(10**6)
    assert engine.proof(dataset.first_rows) == ErrorLemmas(None, None)


def test_the_last_point_of_a_front_stands_for_all_larger_sizes(tmp_path: Path) -> None:
    """Within depth 2 there is room for 7 nodes, and no tree of 7 nodes is better than one of 5."""
    ended = 0
    for seed in range(1000, 1040):
        table = random_rows(seed, 13, 5, 2)
        front = find_front(table, max_depth=2, certify=True)
        ended += len(front) == 3
        verified(front.certificate, table, tmp_path)
    assert ended > 0


@pytest.mark.parametrize("certify", [False, True])
def test_a_run_about_errors_goes_on_from_its_checkpoint(certify: bool, tmp_path: Path) -> None:
    """Its tree errs, which is no reason to refuse it. What it had proven is proven again, as facts
    in a checkpoint come without their lemmas."""
    path = tmp_path / "run.check"
    for _ in range(2):
        result = find_tree("weather", max_nodes=5, checkpoint=str(path), certify=certify)
        assert (result.errors, result.status) == (2, "optimal")
        assert (result.certificate is not None) == certify


def test_several_workers_leave_the_proof_to_one(tmp_path: Path) -> None:
    table = random_rows(3, 60, 9, 2)
    one, two = (find_front(table, certify=True, workers=workers) for workers in (1, 2))
    assert one.certificate == two.certificate
    verified(two.certificate, table, tmp_path)
