"""`dtfinder export` and `fit --report`, from the command line to the file."""

from pathlib import Path

import pytest

from dtfinder.cli.app import run
from dtfinder.report.export import TARGETS


@pytest.fixture
def tree_file(tmp_path: Path) -> Path:
    """The greedy tree of the weather table."""
    path = tmp_path / "tree.json"
    assert run(["fit", "weather", "--method", "sklearn", "--quiet", "--tree", str(path)]) == 0
    return path


@pytest.mark.parametrize("target", TARGETS)
def test_writes_a_file(
    target: str, tree_file: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    assert run(["export", str(tree_file), "--to", target, "--out", str(out)]) == 0
    assert run(["export", str(tree_file), "--to", target]) == 0
    printed, complaints = capfd.readouterr()
    assert complaints == ""
    assert out.stat().st_size > 100
    if target not in ("onnx", "sklearn"):
        assert printed == out.read_text(encoding="utf-8")


def test_names_the_targets_if_there_is_no_such(
    tree_file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["export", str(tree_file), "--to", "cobol"]) == 2
    assert (
        "known: rules, python, javascript, c, sql, json, dot, sklearn, pmml, onnx"
        in capsys.readouterr().err
    )


def test_does_not_overwrite_the_tree(tree_file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = tree_file.read_bytes()
    assert run(["export", str(tree_file), "--to", "sql", "--out", str(tree_file)]) == 2
    assert tree_file.read_bytes() == before
    assert "which is the tree" in capsys.readouterr().err


def test_fit_writes_a_report(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page = tmp_path / "page.html"
    assert run(["fit", "weather", "--method", "sklearn", "-q", "--report", str(page)]) == 0
    assert capsys.readouterr() == ("", "")
    assert page.read_text(encoding="utf-8").startswith("<!DOCTYPE html>")


def test_fit_refuses_a_report_it_cannot_write(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    place = tmp_path / "nowhere" / "page.html"
    assert run(["fit", "weather", "--method", "sklearn", "--report", str(place)]) == 2
    assert "--report cannot write" in capsys.readouterr().err
