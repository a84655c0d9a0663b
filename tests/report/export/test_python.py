"""The Python module is run, on its own."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import pytest

from dtfinder.nodes import leaf
from dtfinder.report.export.python import to_python
from dtfinder.tree import Tree

if TYPE_CHECKING:
    from report.export.conftest import Case


def _classify(tree: Tree) -> Any:
    space: dict[str, Any] = {}
    exec(compile(to_python(tree), "tree.py", "exec"), space)
    return space["classify"]


def test_agrees_with_predict(case: Case) -> None:
    classify = _classify(case.tree)
    assert [classify(row) for row in case.rows()] == case.tree.predict(case.table)


def test_nan_is_as_missing_as_none(case: Case) -> None:
    classify = _classify(case.tree)
    for row in case.rows():
        other = {name: math.nan if value is None else value for name, value in row.items()}
        assert classify(row) == classify(other)


def test_is_ascii(case: Case) -> None:
    to_python(case.tree).encode("ascii")


@pytest.mark.parametrize("label", [True, 1, 1.5, "1"])
def test_keeps_the_type_of_a_class(label: bool | float | str) -> None:
    found = _classify(Tree((leaf(0),), (), (label,), ((1,),)))({})
    assert found == label
    assert type(found) is type(label)
