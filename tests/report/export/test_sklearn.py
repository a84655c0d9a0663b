"""The pickled pipeline is loaded by a fresh Python that must not import dtfinder, and run there."""

from __future__ import annotations

import io
import json
import pickle
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import pytest

from dtfinder import OptimalTreeClassifier
from dtfinder.report.export.sklearn import make_pipeline, to_sklearn

if TYPE_CHECKING:
    from report.export.conftest import Case

pandas = pytest.importorskip("pandas")

PROGRAM = """
import json, pickle, sys
model = pickle.load(open(sys.argv[1], "rb"))
frame = pickle.load(open(sys.argv[2], "rb"))
assert not any(name.startswith("dtfinder") for name in sys.modules)
json.dump(model.predict(frame).tolist(), sys.stdout)
"""


def _frame(case: Case) -> Any:
    """The rows as a data frame, columns in another order and with one more."""
    pairs = list(zip(case.table.names, case.table.columns, strict=True))[::-1]
    return pandas.DataFrame({**dict(pairs), "one more": np.arange(case.table.rows)})


def test_agrees_with_predict(case: Case) -> None:
    model = pickle.load(io.BytesIO(to_sklearn(case.tree)))
    assert model.predict(_frame(case)).tolist() == case.tree.predict(case.table)


def test_shares_are_those_of_the_leaf(case: Case) -> None:
    counts = np.array(case.tree.counts, dtype=float)[case.tree.apply(case.table)]
    labels = case.tree.predict_index(case.table)
    ours = (counts.argmax(axis=1) == labels) & (counts.sum(axis=1) > 0) & (case.tree.size > 1)
    expected = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)
    found = make_pipeline(case.tree).predict_proba(_frame(case))
    np.testing.assert_allclose(found[ours], expected[ours])


def test_needs_no_dtfinder(mixed_case: Case, tmp_path: Path) -> None:
    (tmp_path / "model").write_bytes(to_sklearn(mixed_case.tree))
    (tmp_path / "frame").write_bytes(pickle.dumps(_frame(mixed_case)))
    command = [sys.executable, "-c", PROGRAM, str(tmp_path / "model"), str(tmp_path / "frame")]
    answer = subprocess.run(command, capture_output=True, check=True, text=True)
    assert json.loads(answer.stdout) == mixed_case.tree.predict(mixed_case.table)


@pytest.mark.parametrize("binarise", ["auto", "unary", "binary"])
@pytest.mark.parametrize(
    "column",
    [
        pd.array([True, None, False, None], dtype="boolean"),
        pd.array(["u", None, "w", None], dtype="string"),
        pd.array([1, None, 3, None], dtype="Int64"),
        [1.5, None, 3.5, None],
    ],
    ids=["boolean", "string", "Int64", "float"],
)
def test_takes_the_missing_values_of_pandas(column: Any, binarise: str) -> None:
    frame, y = pd.DataFrame({"a": column}), [0, 1, 1, 1]
    model = OptimalTreeClassifier(missing="value", binarise=binarise).fit(frame, y)
    assert make_pipeline(model.tree_).predict(frame).tolist() == y
