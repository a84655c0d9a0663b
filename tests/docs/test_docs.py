"""The documentation says what happens: all its code runs, and the site builds without a warning.

A page is run from top to bottom in a folder of its own: Python blocks as doctests that share their
names, console blocks as commands whose output is compared.
"""

import doctest
import os
import re
import subprocess
import sys
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

from console import commands, run, what_counts
from dtfinder.methods import METHODS
from dtfinder.options import Options
from dtfinder.report.export import TARGETS
from test_imports import ORDER

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
PAGES = [path for path in sorted(DOCS.rglob("*.md")) if "results" not in path.parts]
SHARED = Path(os.environ.get("DTFINDER_SHARED", ROOT.parent / "shared"))
FENCE = re.compile(r"^```([^\n]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def blocks(page: Path) -> list[tuple[str, str]]:
    """The kind and the text of every fenced block."""
    return FENCE.findall(page.read_text(encoding="utf-8"))


@pytest.mark.filterwarnings("ignore:The inplace keyword")  # inside the package pmlb
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_every_block_runs(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = blocks(page)
    if any("pmlb" in text for kind, text in found if kind == "python"):
        pytest.importorskip("pmlb")
        if not (SHARED / "pmlb").is_dir():
            pytest.skip(f"there are no tables in {SHARED / 'pmlb'}, and tests use no network")
        monkeypatch.setenv("PMLB_CACHE", str(SHARED / "pmlb"))
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {}
    for kind, text in found:
        if kind == "python":
            _run_python(text, names, page)
        elif kind == "console":
            _run_commands(text)
        else:
            assert kind == "text" or kind.startswith("{"), f"a block of {page.name} has no kind"


def test_the_glossary_is_short_and_sorted() -> None:
    rows = (DOCS / "glossary.md").read_text(encoding="utf-8").splitlines()
    terms = [row.split("|")[1].strip() for row in rows if row.startswith("| ")][2:]
    assert 15 < len(terms) <= 25
    assert terms == sorted(set(terms))


def _run_python(text: str, names: dict[str, Any], page: Path) -> None:
    test = doctest.DocTestParser().get_doctest(text, names, page.stem, str(page), 0)
    said: list[str] = []
    runner = doctest.DocTestRunner(optionflags=doctest.IGNORE_EXCEPTION_DETAIL)
    outcome = runner.run(test, out=said.append, clear_globs=False)
    names.update(test.globs)
    assert outcome.attempted > 0
    assert not outcome.failed, "".join(said)


def _run_commands(text: str) -> None:
    shown = commands(text)
    assert shown
    for command, printed in shown:
        done = run(command)
        assert done.returncode == 0, done.stderr
        if printed.strip():
            assert what_counts(done.stdout.strip()) == what_counts(printed.strip())


def test_the_site_builds_without_a_warning(tmp_path: Path) -> None:
    pytest.importorskip("furo", reason="the theme furo is not installed")
    pytest.importorskip("myst_parser", reason="myst-parser is not installed")
    command = [sys.executable, "-m", "sphinx", "-W", "--keep-going", "-q", "-b", "html"]
    done = subprocess.run(
        [*command, str(DOCS), str(tmp_path / "site"), "-d", str(tmp_path / "trees")],
        capture_output=True,
        text=True,
        cwd=tmp_path,
    )
    # A warning is an error; what else is said, some package of a peer may have logged.
    assert done.returncode == 0, done.stderr
    options = (tmp_path / "site" / "options.html").read_text(encoding="utf-8")
    for each in fields(Options):
        assert f">{each.name}<" in options
    methods = (tmp_path / "site" / "methods.html").read_text(encoding="utf-8")
    for name in METHODS:
        assert f">{name}<" in methods
    targets = (tmp_path / "site" / "export.html").read_text(encoding="utf-8")
    for name in TARGETS:
        assert f">{name}<" in targets
    for page in (tmp_path / "site").rglob("*.html"):
        # Links may lead away; what the browser loads by itself may not.
        loaded = re.findall(r'<(?:script|img)[^>]+src="(?:https?:)?//', page.read_text("utf-8"))
        loaded += re.findall(
            r'<link[^>]+rel="stylesheet"[^>]+href="(?:https?:)?//', page.read_text("utf-8")
        )
        assert loaded == [], page.name


def test_the_map_lists_the_modules_in_the_order_of_imports() -> None:
    text = (DOCS / "architecture.md").read_text(encoding="utf-8")
    section = text.partition("## The order of imports")[2].partition("The native code")[0]
    listed = re.findall(r"^\| `(\w+)(?:\.py|/)` \|", section, re.MULTILINE)
    assert listed == [name for name in ORDER if name != "__main__"]


@pytest.mark.parametrize("page", ["docs/architecture.md", "CONTRIBUTING.md"])
def test_every_file_that_is_named_exists(page: str) -> None:
    """In the tables of the map, and in the recipes for those who add something."""
    text = (ROOT / page).read_text(encoding="utf-8")
    named = re.findall(r"`([\w./-]+(?:\.(?:py|hpp|cpp|md|json)|/))`", text)
    assert len(named) > 15
    roots = (ROOT, ROOT / "src" / "dtfinder", ROOT / "src" / "core")
    lost = [name for name in named if not any((root / name).exists() for root in roots)]
    assert [n for n in lost if "NAME" not in n and "_test" not in n] == []
