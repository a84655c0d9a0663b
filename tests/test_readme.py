"""What the README shows is what happens: its code blocks and the examples run here."""

import doctest
import re
import subprocess
import sys
from pathlib import Path

import pytest

from console import commands, run, what_counts

ROOT = Path(__file__).resolve().parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def blocks(kind: str) -> list[str]:
    """The fenced blocks of one kind."""
    return re.findall(rf"^```{kind}\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)


def test_there_is_something_to_run() -> None:
    assert len(blocks("console")) >= 2
    assert len(blocks("python")) >= 2
    assert "make demo" in blocks("sh")[0]
    assert "make test" in blocks("sh")[0]


@pytest.mark.parametrize("block", blocks("console"))
def test_console_blocks(block: str, tmp_path: Path) -> None:
    for command, printed in commands(block):
        done = run(command, tmp_path)
        assert done.returncode == 0, command
        assert "rror" not in done.stderr, command  # a slow run may write of its bounds
        assert what_counts(done.stdout) == what_counts(printed), command


@pytest.mark.parametrize("block", blocks("python"))
def test_python_blocks(block: str) -> None:
    test = doctest.DocTestParser().get_doctest(block, {}, "README", "README.md", 0)
    said: list[str] = []
    outcome = doctest.DocTestRunner().run(test, out=said.append)
    assert outcome.attempted > 0
    assert not outcome.failed, "".join(said)


@pytest.mark.parametrize("module", ["solve", "tree", "estimator", "front.find"])
def test_docstrings(module: str) -> None:
    __import__(f"dtfinder.{module}")
    outcome = doctest.testmod(sys.modules[f"dtfinder.{module}"])
    assert outcome.attempted > 0
    assert not outcome.failed


@pytest.mark.parametrize("path", sorted((ROOT / "examples").glob("*.py")), ids=lambda p: p.name)
def test_examples(path: Path, tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, path], capture_output=True, encoding="utf-8", cwd=tmp_path
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert re.search(r"at least 15 nodes", done.stdout)


def test_every_method_is_named() -> None:
    from dtfinder.methods import METHODS

    for name in METHODS:
        assert f"`{name}`" in README
