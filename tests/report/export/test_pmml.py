"""The document is evaluated by JPMML, the reference implementation."""

from __future__ import annotations

import shutil
import xml.etree.ElementTree as ET
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from dtfinder.data.dataset import Feature
from dtfinder.errors import DataError
from dtfinder.nodes import Node, leaf
from dtfinder.report.export.pmml import to_pmml
from dtfinder.tree import Tree

if TYPE_CHECKING:
    from report.export.conftest import Case

NAME = "{http://www.dmg.org/PMML-4_4}"


@pytest.fixture(scope="module")
def evaluator() -> Callable[[str], Any]:
    """A function that makes an evaluator of a file, in Java."""
    package = pytest.importorskip("jpmml_evaluator", reason="jpmml-evaluator is not installed")
    if shutil.which("java") is None:
        pytest.skip("Java is not installed")
    make: Callable[[str], Any] = package.make_evaluator
    return make


def test_agrees_with_predict(case: Case, evaluator: Callable[[str], Any], tmp_path: Path) -> None:
    if "" in case.tree.columns:
        with pytest.raises(DataError, match="PMML needs a name for every column"):
            to_pmml(case.tree)
        return
    text = to_pmml(case.tree)
    (tmp_path / "tree.pmml").write_text(text, encoding="utf-8")
    model = evaluator(str(tmp_path / "tree.pmml")).verify()
    asked = {field.get("name") for field in ET.fromstring(text).iter(f"{NAME}DataField")}
    found = []
    for row in case.rows():
        given = {name: value for name, value in row.items() if name in asked}
        found.append(model.evaluate(given)[case.tree.target])
    assert [str(each) for each in found] == [str(each) for each in case.tree.predict(case.table)]


def test_has_every_node_once(case: Case) -> None:
    if "" in case.tree.columns:
        return
    nodes = list(ET.fromstring(to_pmml(case.tree)).iter(f"{NAME}Node"))
    assert sorted(int(node.attrib["id"]) for node in nodes) == list(range(case.tree.size))
    for node in nodes:
        parts = [part.attrib["recordCount"] for part in node.iter(f"{NAME}ScoreDistribution")]
        if "score" in node.attrib:
            assert sum(map(int, parts)) == int(node.attrib["recordCount"])


def test_refuses_what_xml_cannot_hold() -> None:
    features = (Feature("x", "=", "a\x01b"),)
    tree = Tree((Node(0, 1, 2, -1), leaf(0), leaf(1)), features, (0, 1), ((1, 1),) * 3)
    with pytest.raises(DataError, match="XML cannot hold"):
        to_pmml(tree)


def test_dates_with_a_time() -> None:
    bounds = ("2024-01-01T13:00:00", "2024-01-02")
    features = tuple(Feature("when", "<=", bound) for bound in bounds)
    nodes = (Node(0, 1, 4, -1), Node(1, 2, 3, -1), leaf(0), leaf(1), leaf(1))
    text = to_pmml(Tree(nodes, features, (0, 1), ((1, 1),) * 5))
    assert 'dataType="dateTime"' in text
    assert 'value="2024-01-02T00:00:00"' in text
