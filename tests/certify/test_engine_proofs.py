"""What the exact engine proves, both checkers verify: all objectives, limits and class numbers."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from certify.forge import read_case
from dtfinder import find_tree
from dtfinder._core import Switches
from dtfinder.certify import check
from dtfinder.certify.compiled import check_compiled
from dtfinder.certify.write import write_table
from dtfinder.data import embedded_names, make_dataset, read_table
from dtfinder.errors import InfeasibleError, OptionError
from dtfinder.report import files
from dtfinder.result import Result
from dtfinder.search import cores, engine
from small import random_table, solve_here, table_of


def verified(result: Result, place: Path) -> list[str]:
    """The kinds of the lemmas of a certificate that both checkers accept."""
    assert result.status == "optimal"
    assert result.certificate is not None
    assert result.dataset is not None
    result.certificate.save(place / "proof.cert")
    write_table(result.dataset.table, place / "table.tsv")
    for checker in (check.check, check_compiled):
        words = checker(str(place / "proof.cert"), str(place / "table.tsv"))
        assert f"the tree of {result.nodes} nodes and depth {result.depth}" in words
    return [line[0] for line in read_case(result.certificate, result.dataset.table).body]


@pytest.mark.parametrize("minimise", ["size", "depth"])
@pytest.mark.parametrize("classes", [2, 3, 4])
def test_random_tables(minimise: str, classes: int, tmp_path: Path) -> None:
    kinds: Counter[str] = Counter()
    for seed in range(40):
        bits, labels = random_table(seed, rows=24, features=9, classes=classes)
        dataset = make_dataset(table_of(bits, labels))
        kinds.update(verified(solve_here(dataset, minimise=minimise, certify=True), tmp_path))
    assert kinds["s"] > 100


def test_ground_sets_from_the_start(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def eager() -> Switches:
        switches = Switches()
        switches.ground_after = 0
        return switches

    for seed in range(30):
        bits, labels = random_table(seed, rows=40, features=10, classes=2 + seed % 2)
        dataset = make_dataset(table_of(bits, labels))
        whole = solve_here(dataset)
        with monkeypatch.context() as context:
            context.setattr(cores, "Switches", eager)
            result = solve_here(dataset, certify=True)
        assert result.nodes == whole.nodes
        verified(result, tmp_path)


def test_packings_in_which_pairs_share_features(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def eager() -> Switches:
        switches = Switches()
        switches.folds_after = switches.least_fold = 0
        return switches

    monkeypatch.setattr(cores, "Switches", eager)
    shared = 0
    for seed in range(30):
        bits, labels = random_table(seed, rows=24, features=9, classes=2 + seed % 2)
        result = solve_here(make_dataset(table_of(bits, labels)), certify=True)
        verified(result, tmp_path)
        assert result.certificate is not None
        assert result.dataset is not None
        for line in read_case(result.certificate, result.dataset.table).body:
            kind, bound, *numbers = line.split()
            shared += kind == "p" and len(numbers) > 2 * int(bound)
    assert shared > 10


@pytest.mark.parametrize("minimise", ["size", "depth"])
@pytest.mark.parametrize("limit", [{"max_depth": 4}, {"max_nodes": 15}])
def test_limits(minimise: str, limit: dict[str, Any], tmp_path: Path) -> None:
    done = 0
    for seed in range(30):
        bits, labels = random_table(seed, rows=20, features=7, classes=2)
        dataset = make_dataset(table_of(bits, labels))
        try:
            result = solve_here(dataset, method="cores", minimise=minimise, certify=True, **limit)
        except InfeasibleError:
            continue
        verified(result, tmp_path)
        done += 1
    assert done > 3


@pytest.mark.parametrize("minimise", ["size", "depth"])
@pytest.mark.parametrize("name", ["weather", "mux6", "monk1", "monk3", "corral", "iris", "parity5"])
def test_embedded_tables(name: str, minimise: str, tmp_path: Path) -> None:
    assert name in embedded_names()
    verified(find_tree(read_table(name), minimise=minimise, certify=True), tmp_path)


def test_a_proof_that_did_not_fit_the_memory_is_not_handed_out(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(engine, "MEMORY", 1000)
    result = find_tree("monk2", certify=True)
    assert result.status == "optimal"
    assert result.certificate is None
    assert "did not fit in memory" in caplog.text
    with pytest.raises(OptionError, match="did not fit in memory"):
        files.certificate(result)
