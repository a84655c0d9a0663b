"""The checker on real tables: read and binarised by itself, as a command of its own."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
from pathlib import Path

import pytest

from dtfinder import find_tree
from dtfinder.certify import check
from dtfinder.cli import run
from dtfinder.methods import METHODS

TABLE = """age,colour,smokes,size,class
31,red,true,0.1,yes
25,blue,false,0.2,no
31,green,true,0.3,no
,red,false,0.3,yes
47,?,true,0.1,no
47,blue,true,0.7,yes
25,blue,false,0.2,yes
25,blue,false,0.2,yes
60,green,false,1e3,maybe
"""
SAT = [name for name in METHODS if name != "sklearn"]


def certificate_of(path: Path, place: Path, **options: object) -> Path:
    result = find_tree(str(path), certify=True, **options)
    assert result.status == "optimal"
    assert result.certificate is not None
    result.certificate.save(place / "proof.cert")
    return place / "proof.cert"


@pytest.mark.parametrize("binarise", ["auto", "unary", "binary"])
@pytest.mark.parametrize("contradictions", ["majority", "drop"])
@pytest.mark.parametrize("suffix", [".csv", ".tsv.gz"])
def test_mixed_tables_are_read_again(
    binarise: str, contradictions: str, suffix: str, tmp_path: Path
) -> None:
    path = tmp_path / f"table{suffix}"
    text = TABLE if suffix == ".csv" else TABLE.replace(",", "\t")
    path.write_bytes(text.encode() if suffix == ".csv" else gzip.compress(text.encode()))
    options = {"binarise": binarise, "contradictions": contradictions, "missing": "value"}
    made = certificate_of(path, tmp_path, method="dtfinder-DT1", **options)
    words = check.check(str(made), str(path))
    assert "classifies all 9 rows, apart from" in words
    assert ("3 dropped and 0 outvoted" if contradictions == "drop" else "0 dropped and 1") in words


def test_class_first_text_is_read_again(tmp_path: Path) -> None:
    path = tmp_path / "table.txt"
    path.write_text("1 0 0 1\n0 1 0 1\n0 0 1 1\n1 1 1 0\n1 1 1 1\n")
    made = certificate_of(path, tmp_path, method="dtfinder-DT1")
    assert "VERIFIED" in check.check(str(made), str(path))


@pytest.mark.parametrize("method", SAT)
def test_every_method_certifies_an_embedded_table(method: str, tmp_path: Path) -> None:
    made = str(tmp_path / "proof.cert")
    minimise = "depth" if method.startswith("d-") else "size"
    fit = ["fit", "weather", "-q", "--method", method, "--minimise", minimise]
    assert run([*fit, "--certificate", made]) == 0
    assert run(["check", made, "--data", "weather"]) == 0
    assert run(["check", made, "--data", "mux6"]) == 1


def test_the_checker_runs_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    made, table = str(tmp_path / "proof.cert"), str(tmp_path / "weather.csv")
    assert run(["datasets", "--write", "weather", table]) == 0
    assert run(["fit", "weather", "-q", "--method", "dtfinder", "--certificate", made]) == 0
    for name in ("check.py", "check_sat.py"):
        (tmp_path / name).write_bytes(Path(check.__file__).with_name(name).read_bytes())
    # -I: no environment, no site directory of the user; -S: no installed packages at all.
    command = [sys.executable, "-I", "-S", str(tmp_path / "check.py"), made, "--data", table]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith(
        "VERIFIED: the tree of 9 nodes and depth 3 classifies all 14 rows"
    )
    Path(table).write_text(Path(table).read_text().replace("sunny", "rain", 1))
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout[:9]) == (1, "REJECTED:")
    capsys.readouterr()


def test_checkers_are_short() -> None:
    for name in ("check.py", "check_sat.py"):
        assert len(Path(check.__file__).with_name(name).read_text().splitlines()) < 400


@pytest.mark.parametrize(
    ("head", "words"),
    [
        ("not json", "malformed"),
        (json.dumps({"format": "something else"}), "no certificate"),
        (json.dumps({"format": "dtfinder certificate", "version": 2}), "version 2"),
        (json.dumps({"format": "dtfinder certificate", "version": 1}), "malformed"),
    ],
)
def test_junk_is_rejected(head: str, words: str, tmp_path: Path) -> None:
    (tmp_path / "junk").write_text(head)
    (tmp_path / "table.csv").write_text(TABLE)
    with pytest.raises(check.Rejected, match=words):
        check.check(str(tmp_path / "junk"), str(tmp_path / "table.csv"))
    assert check.main([str(tmp_path / "missing"), "--data", str(tmp_path / "table.csv")]) == 2


def test_what_is_not_proven_has_no_certificate(tmp_path: Path) -> None:
    fit = ["fit", "monk2", "-q", "--method", "sklearn", "--certificate", str(tmp_path / "c")]
    assert run(fit) == 2
    assert not (tmp_path / "c").exists()


@pytest.mark.parametrize("given", [{"solver": "glucose4"}, {"path_bounds": True}])
def test_certify_refuses_what_cannot_be_proven(given: dict[str, object]) -> None:
    with pytest.raises(ValueError, match="with certify"):
        find_tree("weather", certify=True, method="dtfinder", **given)
