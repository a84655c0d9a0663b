"""Exported proofs are plain LRAT: clauses first, then steps in order, numbered on."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from dtfinder.certify import check_sat
from dtfinder.certify.export import export_lrat
from dtfinder.certify.write import make_certificate, write_table
from dtfinder.data import make_dataset
from dtfinder.errors import DataError
from dtfinder.problem import Problem
from dtfinder.proof import Lemmas
from small import random_table, solve_here, table_of


@pytest.mark.parametrize("method", ["dtfinder", "dtfinder-DT1-T", "d-dtfinder-T-O"])
def test_exported_proofs_hold_with_clauses_numbered_first(method: str, tmp_path: Path) -> None:
    bits, labels = random_table(1, rows=10, features=5)
    table = table_of(bits, labels)
    minimise = "depth" if method.startswith("d-") else "size"
    result = solve_here(make_dataset(table), method=method, minimise=minimise, certify=True)
    assert result.certificate is not None
    result.certificate.save(tmp_path / "proof")
    write_table(table, tmp_path / "table.csv")
    written = export_lrat(tmp_path / "proof", tmp_path / "table.csv", tmp_path / "out")
    assert len(written) >= 1
    for path in written:
        head, *rows = path.read_text().splitlines()
        clauses = [list(map(int, row.split()))[:-1] for row in rows]
        kind, form, variables, count = head.split()
        assert (kind, form, int(count)) == ("p", "cnf", len(clauses))
        assert int(variables) >= max(abs(literal) for clause in clauses for literal in clause)
        lines = path.with_suffix(".lrat").read_text().splitlines()
        steps = [int(line.split()[0]) for line in lines if " d " not in line]
        assert steps == list(range(len(clauses) + 1, len(clauses) + 1 + len(steps)))
        check_sat.check_lrat(clauses, lines)


def test_lemmas_are_no_lrat(tmp_path: Path) -> None:
    bits, labels = random_table(1, rows=10, features=5)
    dataset = make_dataset(table_of(bits, labels))
    tree = solve_here(dataset, method="sklearn").tree
    made = make_certificate(Problem(dataset), tree, [Lemmas(b"")])
    made.save(tmp_path / "proof")
    write_table(dataset.table, tmp_path / "table.csv")
    with pytest.raises(DataError, match="has lemmas"):
        export_lrat(tmp_path / "proof", tmp_path / "table.csv", tmp_path / "out")


def test_what_cannot_be_exported_is_named(tmp_path: Path) -> None:
    (tmp_path / "table.csv").write_text("a,class\n1,A\n2,B\n")
    (tmp_path / "junk").write_text("nothing of the kind")
    for file, words in (
        ("missing", "cannot read '.*missing'"),
        ("junk", "not a certificate of that"),
    ):
        with pytest.raises(DataError, match=words):
            export_lrat(tmp_path / file, tmp_path / "table.csv", tmp_path / "out")
    assert not (tmp_path / "out").exists()


def _without_proof(head: dict[str, Any], body: bytes) -> bytes:
    return json.dumps({key: head[key] for key in head if key != "proof"}).encode() + b"\n" + body


DAMAGES: list[Callable[[dict[str, Any], bytes], bytes]] = [
    _without_proof,
    lambda head, body: b"",
    lambda head, body: b"hello\n",
    lambda head, body: b"[1, 2]\n" + body,
    lambda head, body: json.dumps(head | {"columns": 5}).encode() + b"\n" + body,
    lambda head, body: json.dumps(head | {"features": [[]]}).encode() + b"\n" + body,
    lambda head, body: json.dumps(head).encode() + b"\nrefute {}\ncube null\n1 2 0\n",
    lambda head, body: json.dumps(head).encode() + b"\n\nxxxx\n",
    lambda head, body: json.dumps(head).encode() + b'\nrefute {"encoding": 3}\ncube [[1]]\n',
]


@pytest.mark.parametrize("damage", DAMAGES)
def test_damaged_certificates_end_in_one_line(
    tmp_path: Path, damage: Callable[[dict[str, Any], bytes], bytes]
) -> None:
    bits, labels = random_table(1, rows=10, features=5)
    table = table_of(bits, labels)
    result = solve_here(make_dataset(table), method="sat", certify=True)
    assert result.certificate is not None
    head, _, body = gzip.decompress(result.certificate.data).partition(b"\n")
    write_table(table, tmp_path / "table.csv")
    (tmp_path / "proof").write_bytes(gzip.compress(damage(json.loads(head), body)))
    with pytest.raises(DataError, match="is not a certificate of that table") as caught:
        export_lrat(tmp_path / "proof", tmp_path / "table.csv", tmp_path / "out")
    assert "\n" not in str(caught.value)


def test_a_certificate_with_a_flipped_byte(tmp_path: Path) -> None:
    (tmp_path / "table.csv").write_text("a,class\n1,x\n2,y\n")
    (tmp_path / "proof").write_bytes(b"\x1f\x8b" + b"\x00" * 40)
    with pytest.raises(DataError, match="is not a certificate of that table"):
        export_lrat(tmp_path / "proof", tmp_path / "table.csv", tmp_path / "out")
