"""The checker on real tables: read and binarised by itself, as a command of its own."""

from __future__ import annotations

import gzip
import hashlib
import json
import subprocess
import sys
from collections.abc import Callable
from math import inf
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from dtfinder import find_tree
from dtfinder.certify import check, check_counts, check_sat
from dtfinder.certify.compiled import check_compiled
from dtfinder.certify.write import digest
from dtfinder.cli.app import run
from dtfinder.data import Table
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
SAT = [name for name, method in METHODS.items() if method.exact and name != "sklearn"]


def certificate_of(path: Path, place: Path, **options: Any) -> Path:
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
    dropped, outvoted = "apart from 3 dropped because", "apart from 1 outvoted by equal ones"
    assert (dropped in words, outvoted in words) == (
        contradictions == "drop",
        contradictions != "drop",
    )


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


@pytest.mark.parametrize(
    ("head", "words"),
    [
        ("", "this is not a dtfinder certificate"),
        ("not json", "this is not a dtfinder certificate"),
        (TABLE, "this is not a dtfinder certificate"),
        ("\x89PNG\r\n", "this is not a dtfinder certificate"),
        (json.dumps({"format": "something else"}), "this is not a dtfinder certificate"),
        (
            json.dumps({"format": 0, "version": 1, "": "dtfinder certificate"}),
            "this checker does not know version 1 of 0",
        ),
        (json.dumps({"format": "dtfinder certificate"})[:-1], "malformed"),
        (
            json.dumps({"format": "dtfinder certificate", "version": 2}),
            "this checker does not know version 2",
        ),
        (json.dumps({"format": "dtfinder certificate", "version": 1}), "malformed"),
    ],
)
def test_junk_is_rejected(head: str, words: str, tmp_path: Path) -> None:
    (tmp_path / "junk").write_text(head, encoding="latin-1")
    (tmp_path / "table.csv").write_text(TABLE)
    with pytest.raises(check.Rejected, match=f"^{words}[^\n]*$"):
        check.check(str(tmp_path / "junk"), str(tmp_path / "table.csv"))


def test_a_file_that_is_not_there_is_named_once(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert check.main(["no.cert", "--data", "table.csv"]) == 2
    assert capsys.readouterr() == ("", "cannot read 'table.csv': No such file or directory\n")
    Path("table.csv").write_text(TABLE)
    assert check.main(["no.cert", "--data", "table.csv"]) == 2
    assert capsys.readouterr() == ("", "cannot read 'no.cert': No such file or directory\n")
    assert check_counts.main(["no.cert", "--data", "table.csv"]) == 2
    said = "cannot be checked: cannot read 'no.cert': No such file or directory\n"
    assert capsys.readouterr() == ("", said)


def test_a_bound_that_is_too_low_is_named_without_a_limit_that_nobody_set(tmp_path: Path) -> None:
    table = tmp_path / "weather.csv"
    assert run(["datasets", "--write", "weather", str(table)]) == 0
    made = certificate_of(table, tmp_path)
    lines = gzip.decompress(made.read_bytes()).splitlines()
    made.write_bytes(b"\n".join(lines[:-1]))
    with pytest.raises(check.Rejected, match=r"^only 7 nodes are shown to be needed$"):
        check.check(str(made), str(table))


def test_what_is_not_proven_has_no_certificate(tmp_path: Path) -> None:
    fit = ["fit", "monk2", "-q", "--method", "sklearn", "--certificate", str(tmp_path / "c")]
    assert run(fit) == 2
    assert not (tmp_path / "c").exists()


@pytest.mark.parametrize("given", [{"solver": "glucose4"}, {"path_bounds": True}])
def test_certify_refuses_what_cannot_be_proven(given: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="with certify"):
        find_tree("weather", certify=True, method="dtfinder", **given)


def forged(made: Path, change: Callable[[dict[str, Any], list[str]], None]) -> Path:
    """The certificate with its head and its lines changed."""
    first, *lines = gzip.decompress(made.read_bytes()).decode().splitlines()
    head = json.loads(first)
    change(head, lines)
    text = "\n".join([json.dumps(head), *lines]) + "\n"
    made.write_bytes(gzip.compress(text.encode()))
    return made


CHECKERS = [check.check, check_compiled]


@pytest.fixture
def mixed(tmp_path: Path) -> tuple[Path, Path]:
    """The mixed table, and its certificate."""
    path = tmp_path / "table.csv"
    path.write_text(TABLE)
    return path, certificate_of(path, tmp_path, missing="value")


@pytest.mark.parametrize("checker", CHECKERS)
@pytest.mark.parametrize(
    "text",
    [
        "a,b,class\n6,0,A\nNAN,1,B\n9,1,A\n+nan,0,B\n6,1,A\n",
        ' \n\t\na, "b", class\n1, "x, y", A\n2, "x", B\n1, "x", B\n',
    ],
)
def test_odd_spellings_are_read_as_the_engine_reads_them(
    checker: Callable[[str, str], str], text: str, tmp_path: Path
) -> None:
    path = tmp_path / "table.csv"
    path.write_text(text)
    made = certificate_of(path, tmp_path, missing="value")
    assert "Checked: 'class' of" in checker(str(made), str(path))


def test_the_digest_is_that_of_all_values_as_json() -> None:
    """Numbers that are equal but written differently among them: 0.0 and -0.0, two kinds of NaN."""
    odd = np.array([0.0, -0.0, np.nan, -np.nan, inf, -inf, 1e300, 5e-324, 0.1, -0.0])
    whole = np.array([2**62 + 1, -3, 2**53 + 1, 0, 0, 1, 1, 2, 2, 3])
    mixed = np.array([1, None, 2.5, -0.0, np.nan, 10**30, 0, 0.0, True, 3], dtype=object)
    words = np.array(["a, b", None, '"', "é", "", "]", "\n", "a", "b", "c"], dtype=object)
    table = Table(("odd", "mixed", "whole"), (odd, mixed, whole), words, "words")
    texts = [
        ["mixed", "number", [1.0, None, 2.5, -0.0, None, 1e30, 0.0, 0.0, 1.0, 3.0]],
        ["odd", "number", [0.0, -0.0, None, None, inf, -inf, 1e300, 5e-324, 0.1, -0.0]],
        ["whole", "number", [float(value) for value in whole]],
        ["words", "text", words.tolist()],
    ]
    text = "".join(json.dumps(column) + "\n" for column in texts)
    assert digest(table) == hashlib.sha256(text.encode()).hexdigest()


def test_classes_that_are_one_number_stay_two(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    path.write_text("a,class\n1,01\n2,1\n3,01\n")
    made = certificate_of(path, tmp_path)

    def merge(head: dict[str, Any], lines: list[str]) -> None:
        columns = [["a", "number", [1.0, 2.0, 3.0]], ["class", "number", [1.0, 1.0, 1.0]]]
        text = "".join(json.dumps(column) + "\n" for column in columns)
        head |= {"target": ["class", "number"], "classes": [1], "tree": 0}
        head["digest"] = hashlib.sha256(text.encode()).hexdigest()
        head["claim"] |= {"nodes": 1, "depth": 0}
        lines.clear()

    with pytest.raises(check.Rejected, match="same number"):
        check.check(str(forged(made, merge)), str(path))


@pytest.mark.parametrize("checker", CHECKERS)
@pytest.mark.parametrize(
    ("part", "key", "value", "words"),
    [
        ("claim", "max_nodes", 0, "beyond max_nodes"),
        ("claim", "max_nodes", [], "malformed"),
        ("claim", "minimise", "width", "'minimise': 'width'"),
        ("claim", "nodes", 7.0, "'nodes': 7.0"),
        ("claim", "depth", 3.0, "'depth': 3.0"),
        (None, "columns", [], "other columns"),
        (None, "version", 2, "this checker does not know version 2"),
    ],
)
def test_both_checkers_read_the_whole_head(
    checker: Callable[[str, str], str],
    part: str | None,
    key: str,
    value: Any,
    words: str,
    mixed: tuple[Path, Path],
) -> None:
    path, made = mixed

    def change(head: dict[str, Any], _: list[str]) -> None:
        (head if part is None else head[part])[key] = value

    with pytest.raises(check.Rejected, match=words):
        checker(str(forged(made, change)), str(path))


@pytest.mark.parametrize("checker", CHECKERS)
@pytest.mark.parametrize(
    "line",
    [
        "s 1/-1" + "0" * 400 + " 0 1",
        "p 1 0 1*" + "9" * 320,
        "p 1 0 1 2",
        "p 9 0 1*0",
        "p 9 0 1*-3",
        "p 1 -1",
        "s nan 0 1",
        "s 1.5 0 1",
        "x 5/0 0 1",
        "",
        "c 1/0 0 1",
        "s 1/ 0 1",
        "s 1/inf 0 1",
        "s 0 0 1 ",
        "s 0  0 1",
        "s 0 0 +1",
        "s 0 0 0_1",
        "s 0 0 \N{ARABIC-INDIC DIGIT ONE}",
        "s 0 -0 1",
        "p 1 0*2 1",
        "s 0/1000000000 0 1",
        "s 0 \x1b[2K\x1b[GVERIFIED: the tree is the best",
    ],
)
def test_odd_lemmas_are_rejected_and_nothing_falls_over(
    checker: Callable[[str, str], str], line: str, mixed: tuple[Path, Path]
) -> None:
    path, made = mixed
    with pytest.raises(check.Rejected, match="lemma 0"):
        checker(str(forged(made, lambda _, lines: lines.insert(0, line))), str(path))


@pytest.mark.parametrize("checker", CHECKERS)
def test_a_blank_line_at_the_end_is_no_lemma(
    checker: Callable[[str, str], str], mixed: tuple[Path, Path]
) -> None:
    path, made = mixed
    with pytest.raises(check.Rejected, match=r"lemma \d+ \(\)"):
        checker(str(forged(made, lambda _, lines: lines.append(""))), str(path))


@pytest.mark.parametrize("line", ["s 0 \x1b[2K\x1b[GVERIFIED", "refute \x1b[2K\x1b[GVERIFIED"])
def test_nothing_in_a_certificate_moves_the_cursor(
    line: str, mixed: tuple[Path, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    """Else a terminal could show 'VERIFIED' where 'REJECTED' was written."""
    path, made = mixed

    def change(head: dict[str, Any], lines: list[str]) -> None:
        head["proof"] = "lrat" if line.startswith("refute") else "lemmas"
        lines[:] = [line]

    assert check.main([str(forged(made, change)), "--data", str(path)]) == 1
    said = capsys.readouterr().out
    assert said.startswith("REJECTED: ")
    assert "?[2K?[GVERIFIED" in said
    assert said.removesuffix("\n").isprintable()


def test_a_terminal_without_the_letters_gets_them_escaped(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    path.write_text("a,gr\u00f6\u00dfe\n1,x\n2,y\n", encoding="utf-8")
    made = certificate_of(path, tmp_path)
    done = subprocess.run(
        [sys.executable, check.__file__, str(made), "--data", str(path)],
        capture_output=True,
        text=True,
        check=False,
        env={"PYTHONIOENCODING": "ascii"},
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert "'gr\\xf6\\xdfe' of 2 examples" in done.stdout


@pytest.mark.parametrize("checker", CHECKERS)
def test_a_cell_that_is_too_long_is_told(
    checker: Callable[[str, str], str], mixed: tuple[Path, Path]
) -> None:
    path, made = mixed
    path.write_text(TABLE + "1" * 200_000 + ",red,true,1,yes\n")
    with pytest.raises(check.Rejected, match="field larger than field limit"):
        checker(str(made), str(path))


@pytest.mark.parametrize("checker", CHECKERS)
def test_a_table_of_classes_alone_is_rejected(
    checker: Callable[[str, str], str], mixed: tuple[Path, Path]
) -> None:
    """Its rows are all alike, but no cells say so: it would have no examples."""
    path, made = mixed
    path.write_text("class\nx\ny\n")

    def change(head: dict[str, Any], lines: list[str]) -> None:
        text = json.dumps(["class", "text", ["x", "y"]]) + "\n"
        head |= {"columns": [], "features": [], "classes": ["x", "y"], "tree": None}
        head["digest"] = hashlib.sha256(text.encode()).hexdigest()
        head["claim"] = {"max_depth": None, "max_nodes": -2}
        lines.clear()

    with pytest.raises(check.Rejected, match="names a column twice, or none"):
        checker(str(forged(made, change)), str(path))


@pytest.mark.parametrize("checker", CHECKERS)
@pytest.mark.parametrize(
    ("method", "said"), [("cores", "; 1 lemma."), ("dtfinder", "; 1 formula refuted, ")]
)
def test_one_is_no_plural(
    checker: Callable[[str, str], str], method: str, said: str, tmp_path: Path
) -> None:
    path = tmp_path / "table.csv"
    path.write_text("a,b,class\n1,1,x\n1,2,y\n2,1,y\n2,2,x\n")
    assert said in checker(str(certificate_of(path, tmp_path, method=method)), str(path))


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ('"depth": null', '"depth": 0.5', "its depth is 0.5"),
        ('"depth": null', '"depth": 0', "its depth is 0"),
        ('"depth": null', '"depth": true', "its depth is True"),
        ('"cut": null', '"cut": 0.5', "its cut is 0.5"),
        ('"cut": null', '"cut": -1', "its cut is -1"),
        ('"paths": 4', '"paths": 4.0', "its paths is 4.0"),
    ],
)
def test_questions_to_a_solver_are_whole_numbers(
    old: str, new: str, words: str, tmp_path: Path
) -> None:
    path = tmp_path / "weather.csv"
    assert run(["datasets", "--write", "weather", str(path)]) == 0
    made = certificate_of(path, tmp_path, method="dtfinder", binarise="unary")

    def change(_: dict[str, Any], lines: list[str]) -> None:
        at = next(n for n, line in enumerate(lines) if line.startswith("refute ") and old in line)
        lines[at] = lines[at].replace(old, new)

    with pytest.raises(check.Rejected, match=words):
        check.check(str(forged(made, change)), str(path))


def test_a_proof_without_a_cube_is_rejected(tmp_path: Path) -> None:
    path = tmp_path / "weather.csv"
    assert run(["datasets", "--write", "weather", str(path)]) == 0
    made = certificate_of(path, tmp_path, method="dtfinder")
    with pytest.raises(check.Rejected, match="belongs to no cube"):
        check.check(str(forged(made, lambda _, lines: lines.insert(1, "9 0 1 0"))), str(path))


def test_no_formula_refutes_a_single_leaf() -> None:
    one_class = SimpleNamespace(labels=[0, 0, 0], masks=[1, 2], least_leaves=lambda: 1)
    proof = check_sat.Refutations(one_class)
    proof.known.append({"paths": 3, "depth": None, "at_most": True})
    assert proof.leaves(inf) == 1
