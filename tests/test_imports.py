"""Imports go one way through the house: each module knows only those above it in the list."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

SOURCE = Path(__file__).resolve().parents[1] / "src" / "dtfinder"
ORDER = (
    "proof",
    "errors",
    "options",
    "views",
    "data",
    "sklearn_tree",
    "tree",
    "problem",
    "run",
    "bound",
    "encode",
    "decide",
    "search",
    "methods",
    "idle_options",
    "team",
    "certify",
    "solve",
    "estimator",
    "report",
    "cli",
    "__main__",
)
FILES = sorted(path for path in SOURCE.rglob("*.py") if path != SOURCE / "__init__.py")


def imported(code: str) -> set[str]:
    """The names of all modules that `code` imports, at its top or anywhere in it."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            if node.level:
                found.add("." * node.level + (node.module or ""))
            elif node.module == "dtfinder":
                # `from dtfinder import x`: a module, or a public name, which is a module's.
                found |= {_home(alias.name) for alias in node.names}
            else:
                found.add(node.module or "")
    return found


def _home(name: str) -> str:
    import dtfinder

    return dtfinder._HOMES.get(name, f"dtfinder.{name}")


def wrong_imports(module: str, code: str) -> list[str]:
    """What the file of the top-level `module` imports although it must not."""
    allowed = {"_core", "_check", "__version__", *ORDER[: ORDER.index(module) + 1]}
    wrong = []
    for name in sorted(imported(code)):
        parts = name.split(".")
        inside = parts[0] == "dtfinder"
        if name.startswith(".") or (inside and (len(parts) < 2 or parts[1] not in allowed)):
            wrong.append(name)
    return wrong


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_a_module_imports_only_what_is_above_it(path: Path) -> None:
    module = path.relative_to(SOURCE).parts[0].removesuffix(".py")
    assert module in ORDER, f"add {module} to the order of modules"
    assert wrong_imports(module, path.read_text()) == []


@pytest.mark.parametrize("name", ["check.py", "check_sat.py", "check_spine.py"])
def test_the_certificate_checker_shares_no_code(name: str) -> None:
    path = SOURCE / "certify" / name
    assert [name for name in imported(path.read_text()) if name.startswith((".", "dtfinder"))] == []


@pytest.mark.parametrize(
    ("module", "code", "wrong"),
    [
        ("data", "from dtfinder.tree import Tree", ["dtfinder.tree"]),
        ("data", "def f():\n    import dtfinder.solve", ["dtfinder.solve"]),
        ("tree", "from dtfinder import find_tree", ["dtfinder.solve"]),
        ("tree", "from . import data", ["."]),
        ("tree", "import dtfinder", ["dtfinder"]),
        ("tree", "from dtfinder.data import Table\nfrom dtfinder._core import x", []),
        ("solve", "import numpy\nfrom dtfinder import __version__", []),
    ],
)
def test_the_rule_sees_wrong_imports(module: str, code: str, wrong: list[str]) -> None:
    assert wrong_imports(module, code) == wrong
