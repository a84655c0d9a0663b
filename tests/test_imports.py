"""Imports go one way through the house: each module knows only those above it in the list.

`UPWARD` lists the only exceptions. A tree or a result can be shown, and asked for its reason, but
the code for it is below, so these methods import it when they are called. And `solve` may be asked
to choose a size, which takes many fronts and then `solve` itself, or for a table in batches.
"""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

SOURCE = Path(__file__).resolve().parents[1] / "src" / "dtfinder"
ORDER = (
    "version",
    "proof",
    "errors",
    "options",
    "data",
    "advice",
    "nodes",
    "tree",
    "problem",
    "result",
    "certify",
    "report",
    "run",
    "bound",
    "encode",
    "decide",
    "search",
    "methods",
    "solve",
    "stream",
    "front",
    "estimator",
    "cli",
    "__main__",
)
UPWARD = {
    "advice": {("Audit.__str__", "dtfinder.report.audit")},
    "tree": {
        ("Tree.plot", "dtfinder.report.plot"),
        ("Tree.export", "dtfinder.report.export"),
        ("Tree.__str__", "dtfinder.report.text"),
        ("Tree._repr_html_", "dtfinder.report.notebook"),
        ("Tree.to_sklearn", "dtfinder.report.export.sklearn_tree"),
        ("Tree.from_sklearn", "dtfinder.report.export.sklearn_tree"),
    },
    "result": {
        ("Result.reason", "dtfinder.report.why"),
        ("Result.reason", "dtfinder.search.why"),
        ("Result.greedy", "dtfinder.search.greedy_raw"),
        ("Result.summary", "dtfinder.report.text"),
        ("Result.plot", "dtfinder.report.plot"),
        ("Result.plot", "dtfinder.report.text"),
        ("Result.to_html", "dtfinder.report.html"),
        ("Result.__str__", "dtfinder.report.text"),
        ("Result._repr_html_", "dtfinder.report.notebook"),
        ("Front.plot", "dtfinder.report.front_plot"),
        ("Front.to_html", "dtfinder.report.html"),
        ("Front.audit", "dtfinder.front.audit"),
        ("Front.__repr__", "dtfinder.report.text"),
        ("Front.__str__", "dtfinder.report.text"),
        ("Front._repr_html_", "dtfinder.report.notebook"),
    },
    "solve": {
        ("", "dtfinder.front.choose"),
        ("", "dtfinder.stream.scope"),
        ("", "dtfinder.stream.solve"),
    },
}
FILES = sorted(path for path in SOURCE.rglob("*.py") if path != SOURCE / "__init__.py")


def imported(code: str) -> set[tuple[str, str]]:
    """All modules that `code` imports, each with the method that does: `("Tree.plot", "os")`, or
    with "" where it is not a method of a class that does it."""
    found: set[tuple[str, str]] = set()
    for top in ast.parse(code).body:
        parts = top.body if isinstance(top, ast.ClassDef) else [top]
        for part in parts:
            who = ""
            if isinstance(top, ast.ClassDef) and isinstance(part, ast.FunctionDef):
                who = f"{top.name}.{part.name}"
            found |= {(who, name) for node in ast.walk(part) for name in _names(node)}
    return found


def _names(node: ast.AST) -> set[str]:
    """The modules that an import statement names; none for any other node."""
    if isinstance(node, ast.Import):
        return {alias.name for alias in node.names}
    if not isinstance(node, ast.ImportFrom):
        return set()
    if node.level:
        return {"." * node.level + (node.module or "")}
    if node.module == "dtfinder":
        # `from dtfinder import x`: a module, or a public name, which is a module's.
        return {_home(alias.name) for alias in node.names}
    return {node.module or ""}


def _home(name: str) -> str:
    import dtfinder

    return dtfinder._HOMES.get(name, f"dtfinder.{name}")


def wrong_imports(module: str, code: str) -> list[str]:
    """What the file of the top-level `module` imports although it must not."""
    allowed = {"_core", "_check", *ORDER[: ORDER.index(module) + 1]}
    wrong = set()
    for _, name in imported(code) - UPWARD.get(module, set()):
        parts = name.split(".")
        inside = parts[0] == "dtfinder"
        if name.startswith(".") or (inside and (len(parts) < 2 or parts[1] not in allowed)):
            wrong.add(name)
    return sorted(wrong)


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_a_module_imports_only_what_is_above_it(path: Path) -> None:
    module = path.relative_to(SOURCE).parts[0].removesuffix(".py")
    assert module in ORDER, f"add {module} to the order of modules"
    assert wrong_imports(module, path.read_text()) == []


@pytest.mark.parametrize("module", UPWARD)
def test_every_exception_is_needed(module: str) -> None:
    assert imported((SOURCE / f"{module}.py").read_text()) >= UPWARD[module]


@pytest.mark.parametrize("name", ["", "_counts", "_errors", "_sat", "_small", "_spine"])
def test_the_certificate_checker_shares_no_code(name: str) -> None:
    path = SOURCE / "certify" / f"check{name}.py"
    names = {name for _, name in imported(path.read_text())}
    assert [name for name in names if name.startswith((".", "dtfinder"))] == []


PLOT = """
class Tree:
    def plot(self):
        from dtfinder.report.plot import draw
"""


@pytest.mark.parametrize(
    ("module", "code", "wrong"),
    [
        ("data", "from dtfinder.tree import Tree", ["dtfinder.tree"]),
        ("data", "def f():\n    import dtfinder.solve", ["dtfinder.solve"]),
        ("tree", "from dtfinder import find_tree", ["dtfinder.solve"]),
        ("tree", "from . import data", ["."]),
        ("tree", "import dtfinder", ["dtfinder"]),
        ("tree", "from dtfinder.data import Table\nfrom dtfinder._core import x", []),
        ("solve", "import numpy\nfrom dtfinder.version import __version__", []),
        ("solve", "from dtfinder import __version__", ["dtfinder.__version__"]),
        ("tree", PLOT, []),
        ("tree", PLOT.replace("plot", "draw"), ["dtfinder.report.draw"]),
        ("tree", PLOT.replace("Tree", "Node"), ["dtfinder.report.plot"]),
        ("tree", f"{PLOT}\nimport dtfinder.report.plot", ["dtfinder.report.plot"]),
        ("problem", PLOT, ["dtfinder.report.plot"]),
    ],
)
def test_the_rule_sees_wrong_imports(module: str, code: str, wrong: list[str]) -> None:
    assert wrong_imports(module, code) == wrong
