"""The C file is compiled with all warnings as errors, loaded and called."""

from __future__ import annotations

import ctypes
import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from dtfinder.data.dataset import Feature, show_value
from dtfinder.errors import DataError
from dtfinder.nodes import Node, leaf
from dtfinder.report.export.c import to_c
from dtfinder.tree import Tree

if TYPE_CHECKING:
    from report.export.conftest import Case

COMPILER = shutil.which("cc")
needs_cc = pytest.mark.skipif(COMPILER is None, reason="there is no C compiler called cc")


def _library(source: str, folder: Path) -> ctypes.CDLL:
    (folder / "tree.c").write_text(source, encoding="ascii")
    flags = ["-std=c99", "-O0", "-Wall", "-Wextra", "-pedantic", "-Werror", "-shared", "-fPIC"]
    subprocess.run(
        [str(COMPILER), *flags, "tree.c", "-o", "tree.so", "-lm"], cwd=folder, check=True
    )
    return ctypes.CDLL(str(folder / "tree.so"))


def _fields(source: str) -> list[tuple[str, str, str]]:
    """Type, name and column of each field, read off the struct."""
    inside = source.partition("struct row {\n")[2].partition("\n};")[0]
    found = re.findall(r'^ +(double |const char \*)(\w+); /\* (".*")', inside, re.MULTILINE)
    return [
        (
            kind,
            name,
            json.loads(text.replace("*\\/", "*/").replace("/\\*", "/*").replace("?\\?", "??")),
        )
        for kind, name, text in found
    ]


@needs_cc
def test_agrees_with_predict(case: Case, tmp_path: Path) -> None:
    source = to_c(case.tree)
    fields = _fields(source)
    types: dict[str, Any] = {"double ": ctypes.c_double, "const char *": ctypes.c_char_p}

    class Row(ctypes.Structure):
        _fields_ = [(name, types[kind]) for kind, name, _ in fields] or [("unused", ctypes.c_char)]

    library = _library(source, tmp_path)
    names = (ctypes.c_char_p * len(case.tree.classes)).in_dll(library, "class_names")
    assert [(name or b"").decode() for name in names] == [
        show_value(label) for label in case.tree.classes
    ]
    found = []
    for given in case.rows():
        row = Row()
        for kind, name, column in fields:
            value = given[column]
            if kind == "double ":
                setattr(row, name, float("nan") if value is None else float(value))
            else:
                setattr(row, name, None if value is None else value.encode())
        found.append(library.classify(ctypes.byref(row)))
    assert found == case.tree.predict_index(case.table).tolist()


def test_asks_every_column_once(case: Case) -> None:
    columns = [column for _, _, column in _fields(to_c(case.tree))]
    assert sorted(columns) == sorted({feature.column for feature in case.tree.features})


def test_refuses_a_text_that_c_cannot_hold() -> None:
    features = (Feature("x", "=", "a\0b"),)
    tree = Tree((Node(0, 1, 2, -1), leaf(0), leaf(1)), features, (0, 1), ((1, 1),) * 3)
    with pytest.raises(DataError, match="NUL"):
        to_c(tree)
