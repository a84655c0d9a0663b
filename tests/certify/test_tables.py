"""Certificates of tables with dates, ordered words, few thresholds and dropped rows: they hold for
the user's own file, and for no other reading of it."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from dtfinder import find_tree
from dtfinder.certify.check import Rejected, check, levels
from dtfinder.certify.write import write_table

ROWS = 24


def frame() -> pd.DataFrame:
    """A table with a column of each kind that has an order."""
    row = np.arange(ROWS)
    return pd.DataFrame(
        {
            "when": pd.date_range("2024-01-01", periods=ROWS, freq="7h"),
            "wait": pd.to_timedelta(row * 5 % 7 * 90, unit="min"),
            "size": pd.Categorical(
                [f"s{n * 7 % 5}" for n in row], ["s3", "s1", "s0", "s4", "s2"], ordered=True
            ),
            "number": (row * 11 % 23) / 4,
        }
    )


LABELS = [str(n // 5 % 3) for n in range(ROWS)]
OPTIONS: list[dict[str, Any]] = [
    {},
    {"binarise": "both"},
    {"binarise": "unary"},
    {"binarise": "binary"},
    {"binarise": "binary", "missing": "drop"},
    {"max_thresholds": 2},
    {"missing": "drop"},
    {"missing": "drop", "max_thresholds": 3, "binarise": "both"},
    {"missing": "value", "max_thresholds": 3},
]


def proof(tmp_path: Path, options: dict[str, Any]) -> tuple[str, str]:
    """The paths of a certificate and of its table, as pandas writes it."""
    table = frame()
    if "missing" in options:
        table.loc[[3, 8], "when"] = pd.NaT
        table.loc[5, "wait"] = pd.NaT
        table.loc[11, "number"] = np.nan
    result = find_tree(table, LABELS, certify=True, **options)
    assert result.status == "optimal"
    assert result.certificate is not None
    result.certificate.save(tmp_path / "c")
    table.assign(target=LABELS).to_csv(tmp_path / "t.csv", index=False)
    return str(tmp_path / "c"), str(tmp_path / "t.csv")


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_holds_for_the_file_that_pandas_writes(tmp_path: Path, options: dict[str, Any]) -> None:
    said = check(*proof(tmp_path, options))
    assert said.startswith("VERIFIED")
    assert ("apart from 4 with missing values" in said) == (options.get("missing") == "drop")
    if "max_thresholds" in options:
        assert f"at {options['max_thresholds']} cuts" in said


def _other_order(head: dict[str, Any]) -> None:
    order = next(c for c in head["columns"] if c[0] == "size")[3]["order"]
    order[0], order[2] = order[2], order[0]


def _no_order(head: dict[str, Any]) -> None:
    next(c for c in head["columns"] if c[0] == "size").pop()


def _dates_as_text(head: dict[str, Any]) -> None:
    next(c for c in head["columns"] if c[0] == "when")[1] = "text"


def _fewer_questions(head: dict[str, Any]) -> None:
    head["features"].pop()


def _cuts(head: dict[str, Any]) -> None:
    next(c for c in head["columns"] if c[0] == "number").append({"cuts": [1.0]})


def _other_mark(head: dict[str, Any]) -> None:
    head["decimal"] = ","


@pytest.mark.parametrize(
    "change", [_other_order, _no_order, _dates_as_text, _fewer_questions, _cuts, _other_mark]
)
def test_another_reading_is_rejected(tmp_path: Path, change: Callable[[Any], None]) -> None:
    certificate, table = proof(tmp_path, {})
    line, _, rest = gzip.decompress(Path(certificate).read_bytes()).partition(b"\n")
    head = json.loads(line)
    change(head)
    Path(certificate).write_bytes(gzip.compress(json.dumps(head).encode() + b"\n" + rest))
    with pytest.raises(Rejected):
        check(certificate, table)


@pytest.mark.parametrize(
    ("cells", "family", "cuts"),
    [
        (["a", "b", "c"], "thresholds", [["a"], ["b"]]),
        (["a", "b", "c"], "thresholds", [["a"], "b"]),
        (["a", "b", "c"], "both", [["a"], ["a", "b"]]),
        ([0.5, 1.5, 2.5], "thresholds", [2.0, 1.0]),
        ([0.5, 1.5, 2.5, 3.5], "thresholds", [1.0, float("nan"), 2.0]),
    ],
)
def test_cuts_must_imply_each_other(cells: list[Any], family: str, cuts: list[Any]) -> None:
    """Otherwise rows that a test tells apart could count as equal."""
    with pytest.raises(Rejected):
        levels(cells, family, {"cuts": cuts})


def test_levels_are_what_the_cuts_tell() -> None:
    assert levels([3.0, 1.0, None, 2.0], "thresholds", {"cuts": [1.0, 2.5]}) == [2, 0, None, 1]
    words = {"cuts": [["low"], ["low", "unused", "mid"]]}
    assert levels(["mid", "low", "top", None], "thresholds", words) == [1, 0, 2, None]


def test_words_that_no_row_has_keep_their_place_in_the_order(tmp_path: Path) -> None:
    order = [f"w{number}" for number in range(9)]
    table = pd.DataFrame({"size": pd.Categorical(["w7", "w1", "w4", "w1"], order, ordered=True)})
    result = find_tree(table, ["a", "b", "c", "b"], certify=True)
    assert result.certificate is not None
    result.certificate.save(tmp_path / "c")
    table.assign(target=["a", "b", "c", "b"]).to_csv(tmp_path / "t.csv", index=False)
    assert "VERIFIED" in check(str(tmp_path / "c"), str(tmp_path / "t.csv"))


def test_a_negative_zero_is_written_as_it_is(tmp_path: Path) -> None:
    result = find_tree([[-0.0], [0.5], [1.0]], ["a", "b", "a"], certify=True)
    assert result.certificate is not None
    assert result.dataset is not None
    result.certificate.save(tmp_path / "proof.cert")
    write_table(result.dataset.table, tmp_path / "table.csv")
    assert check(str(tmp_path / "proof.cert"), str(tmp_path / "table.csv"))
