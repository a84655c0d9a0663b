"""Whatever a SAT method calls optimal comes with a certificate that is verified."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from certify.forge import read_case
from dtfinder.data import make_dataset
from dtfinder.methods import METHODS
from oracle import Oracle
from processes import fork_always
from small import random_table, solve_here, table_of

SAT = [name for name, method in METHODS.items() if method.setup is not None]


@pytest.mark.parametrize("method", SAT)
def test_random_tables(method: str, tmp_path: Path) -> None:
    minimise = "depth" if method.startswith("d-") else "size"
    proven = 0
    for seed in (0, 1, 3, 4):
        bits, labels = random_table(seed, rows=8, features=4, classes=2 + seed % 2)
        table = table_of(bits, labels)
        dataset = make_dataset(table)
        result = solve_here(dataset, method=method, minimise=minimise, certify=True)
        judge = Oracle(dataset.bits, dataset.labels)
        assert result.status == "optimal"
        assert minimise == "depth" or result.nodes == judge.size()
        assert minimise == "size" or (result.depth, result.nodes) == judge.depth_then_size()
        assert result.certificate is not None
        case = read_case(result.certificate, table)
        assert case.verdict(tmp_path) is None
        proven += bool(case.body)
    assert proven > 1


@pytest.mark.parametrize(
    ("method", "options"),
    [
        ("dtfinder", {"leaf_matches": False, "quasi_pure": False}),
        ("dtfinder-DT1", {"additional": False}),
        ("dtfinder-DT1-T", {"topology_depth": 2, "incremental_above": 0}),
        ("dtfinder-T", {"max_depth": 3}),
        ("dtfinder-DT1-T", {"max_depth": 3}),
        ("d-dtfinder", {"max_nodes": 11, "minimise": "depth"}),
    ],
)
def test_options(method: str, options: dict[str, Any], tmp_path: Path) -> None:
    bits, labels = random_table(1, rows=9, features=5)
    table = table_of(bits, labels)
    result = solve_here(make_dataset(table), method=method, certify=True, **options)
    assert result.certificate is not None
    case = read_case(result.certificate, table)
    assert len(case.body) > 0
    assert case.verdict(tmp_path) is None


def test_proofs_of_a_solver_process_that_forks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not `solve_here`: the forks of a solver process share the file that proofs are traced to."""
    from dtfinder.options import Options
    from dtfinder.solve import solve

    fork_always("dtfinder-T", monkeypatch)
    bits, labels = random_table(1, rows=9, features=5)
    table = table_of(bits, labels)
    result = solve(make_dataset(table), Options.of(method="dtfinder-T", certify=True))
    assert result.certificate is not None
    assert read_case(result.certificate, table).verdict(tmp_path) is None
