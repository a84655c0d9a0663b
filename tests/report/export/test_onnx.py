"""The ONNX model runs in ONNX Runtime."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from dtfinder.data.dataset import show_value
from dtfinder.errors import DataError
from dtfinder.report.export.onnx import to_onnx

if TYPE_CHECKING:
    from report.export.conftest import Case

onnxruntime = pytest.importorskip("onnxruntime")


def _run(case: Case) -> Any:
    if any(isinstance(feature.bound, str) for feature in case.tree.features):
        with pytest.raises(DataError, match="ONNX cannot compare text, as the test 'when <= 2024"):
            to_onnx(case.tree)
        pytest.skip("ONNX cannot compare text, and we say so")
    session = onnxruntime.InferenceSession(to_onnx(case.tree), providers=["CPUExecutionProvider"])
    about = session.get_modelmeta().custom_metadata_map
    missing, kinds = about["missing_text"], json.loads(about["columns"])
    feed = {}
    for name, kind in kinds.items():
        values = case.table.column("" if name == "column" else name).tolist()
        if kind == "text":
            texts = [missing if value is None else value for value in values]
            feed[name] = np.array(texts, dtype=object)[:, None]
        else:
            feed[name] = np.array(values, dtype=np.float64)[:, None]
    return session.run(None, feed)


def test_agrees_with_predict(case: Case) -> None:
    labels, _ = _run(case)
    expected = case.tree.predict(case.table)
    if not case.tree.features:  # without an input there is no number of rows
        expected = expected[:1]
    if labels.dtype == object:
        expected = [show_value(label) for label in expected]
    assert labels.tolist() == expected


def test_shares_are_those_of_the_leaf(case: Case) -> None:
    _, shares = _run(case)
    leaves = case.tree.apply(case.table)[: len(shares)]
    counts = np.array(case.tree.counts, dtype=float)[leaves]
    np.testing.assert_array_equal(shares, counts / np.maximum(counts.sum(1, keepdims=True), 1))
