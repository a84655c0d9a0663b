"""The version is written down once, and everything else reads it there."""

from __future__ import annotations

import re
import tomllib
from importlib.metadata import version
from pathlib import Path

import dtfinder
from dtfinder.run import checkpoint, cluster_check
from dtfinder.version import __version__

ROOT = Path(__file__).resolve().parents[1]


def test_everybody_has_the_same_version() -> None:
    assert dtfinder.__version__ == __version__
    assert version("dtfinder") == __version__
    assert vars(checkpoint)["__version__"] == __version__
    assert cluster_check.version() == __version__


def test_the_version_imports_nothing() -> None:
    code = (ROOT / "src" / "dtfinder" / "version.py").read_text(encoding="utf-8")
    assert "import " not in code.partition('"""\n')[2]


def test_no_other_file_has_a_version_of_its_own() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["dynamic"] == ["version"]
    written = re.compile(r"^(__version__|version)\s*[=:]", re.MULTILINE)
    files = [*(ROOT / "src").rglob("*.py"), ROOT / "CITATION.cff"]
    found = [path.name for path in files if written.search(path.read_text(encoding="utf-8"))]
    assert found == ["version.py"]
