"""The script runs in Node."""

from __future__ import annotations

import json
import math
import shutil
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd
import pytest

from dtfinder import find_tree
from dtfinder.report.export.javascript import to_javascript
from dtfinder.tree import Tree

if TYPE_CHECKING:
    from report.export.conftest import Case

NODE = shutil.which("node")
pytestmark = pytest.mark.skipif(NODE is None, reason="Node is not installed")
PROGRAM = """
const { classify } = require("./tree.js");
const rows = JSON.parse(require("fs").readFileSync("rows.json", "utf8"));
console.log(JSON.stringify(rows.map(classify)));
"""


def _run(tree: Tree, rows: list[dict[str, Any]], folder: Path) -> list[Any]:
    assert NODE is not None
    (folder / "tree.js").write_text(to_javascript(tree), encoding="ascii")
    (folder / "rows.json").write_text(json.dumps(rows))
    ran = subprocess.run([NODE, "-e", PROGRAM], cwd=folder, capture_output=True, check=True)
    classes: list[Any] = json.loads(ran.stdout)
    return classes


def test_agrees_with_predict(case: Case, tmp_path: Path) -> None:
    rows = [
        {k: v for k, v in row.items() if not isinstance(v, float) or math.isfinite(v)}
        for row in case.rows()
    ]
    assert _run(case.tree, rows, tmp_path) == case.tree.predict(case.table)


def test_durations_are_seconds(tmp_path: Path) -> None:
    waits = pd.to_timedelta(range(0, 600, 20), unit="min")
    labels = ["long" if each > pd.Timedelta("2h") else "short" for each in waits]
    tree = find_tree(pd.DataFrame({"wait": waits}), labels).tree
    assert _run(tree, [{"wait": each.total_seconds()} for each in waits], tmp_path) == labels


def test_is_harmless_in_a_page() -> None:
    tree = find_tree([["</script>"], ["b"]], ["<!--", "c"]).tree
    assert "</script" not in to_javascript(tree)
    assert "<!--" not in to_javascript(tree)
