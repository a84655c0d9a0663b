"""ACL2's verified checker accepts exported proofs, and not what was tampered with."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks import acl2

pytestmark = pytest.mark.skipif(
    not acl2.installed(), reason="acl2 and acl2-books are not installed"
)


@pytest.mark.parametrize("method", ["dtfinder", "dtfinder-DT1-T", "d-dtfinder-T-O"])
def test_acl2_verifies_exported_proofs(method: str, tmp_path: Path) -> None:
    formulas = acl2.export("weather", method, tmp_path)
    assert acl2.judge(formulas) == {path.stem: True for path in formulas}
    proof = formulas[-1].with_suffix(".lrat")
    steps = [line for line in proof.read_text().splitlines() if " d " not in line]
    proof.write_text("\n".join(steps[: len(steps) // 2]) + "\n")
    assert acl2.judge(formulas[-1:]) == {formulas[-1].stem: False}
