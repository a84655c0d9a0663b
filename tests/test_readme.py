"""What the README shows is what happens: its code blocks and the examples run here."""

import doctest
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def blocks(kind: str) -> list[str]:
    """The fenced blocks of one kind."""
    return re.findall(rf"^```{kind}\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)


def commands(block: str) -> list[tuple[str, str]]:
    """Each command of a console block with what is printed below it."""
    parts = re.split(r"^\$ (.*)\n", block, flags=re.MULTILINE)[1:]
    return list(zip(parts[::2], parts[1::2], strict=True))


def what_counts(output: str) -> tuple[int, str]:
    """The number of lines and the last one, without the time and the method: another tree of the
    same size would do as well."""
    lines = output.splitlines() or [""]
    return len(lines), re.sub(r"[\d.]+ s, method .*", "", lines[-1])


def test_there_is_something_to_run() -> None:
    assert len(blocks("console")) >= 2
    assert len(blocks("python")) >= 2
    assert "make demo" in blocks("sh")[0]
    assert "make test" in blocks("sh")[0]


@pytest.mark.parametrize("block", blocks("console"))
def test_console_blocks(block: str, tmp_path: Path) -> None:
    for command, printed in commands(block):
        name, *arguments = command.split()
        assert name == "dtfinder"
        done = subprocess.run(
            [sys.executable, "-m", "dtfinder", *arguments],
            capture_output=True,
            encoding="utf-8",
            env={**os.environ, "PYTHONIOENCODING": "utf-8"},
            cwd=tmp_path,
        )
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


@pytest.mark.parametrize("module", ["dtfinder.solve", "dtfinder.estimator"])
def test_docstrings(module: str) -> None:
    __import__(module)
    outcome = doctest.testmod(sys.modules[module])
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
