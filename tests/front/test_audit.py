"""Rows to look at again: what is left out fits, what is proven holds, flipped rows come first."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dtfinder import Front, find_front, find_tree
from dtfinder.advice import Audit, Close, Suspect
from dtfinder.cli.app import run
from dtfinder.errors import DataError
from dtfinder.report.audit import suspect_rows


def flipped_rule(rows: int = 200) -> tuple[np.ndarray, np.ndarray, list[int]]:
    random = np.random.default_rng(5)
    X = random.integers(0, 2, (rows, 9))
    y = np.where(X[:, 0] == 1, X[:, 1] | X[:, 3], X[:, 2])
    flipped = sorted(random.choice(rows, 3, replace=False).tolist())
    y[flipped] ^= 1
    return X, y, flipped


def test_flipped_rows_come_first() -> None:
    X, y, flipped = flipped_rule()
    audit = find_front(X, y).audit()
    assert sorted(each.row for each in audit.suspects[:3]) == flipped
    step = next(step for step in audit.steps if len(step.rows) == 3)
    assert (sorted(step.rows), step.nodes, step.proven) == (flipped, 9, True)
    assert audit.exact
    assert audit.nodes > 9
    for each in audit.suspects[:3]:
        assert audit.nodes - 2 in each.sizes or 9 in each.sizes
        for close in each.closest:
            assert y[close.row] != y[each.row]
            assert len(close.columns) == (X[close.row] != X[each.row]).sum()


def test_without_the_rows_of_a_step_its_tree_is_the_smallest_exact_one() -> None:
    X, y, _ = flipped_rule(90)
    audit = find_front(X, y).audit()
    assert len(audit.steps) > 3
    for step in audit.steps:
        assert step.proven
        rest = np.setdiff1d(np.arange(len(y)), step.rows)
        if len(set(y[rest])) > 1:
            assert find_tree(X[rest], y[rest]).nodes == step.nodes


def test_the_closest_rows_are_those_that_differ_least() -> None:
    X, y, _ = flipped_rule(60)
    for each in find_front(X, y, max_nodes=5).audit().suspects[:5]:
        distances = [(X[row] != X[each.row]).sum() for row in range(60) if y[row] != y[each.row]]
        assert [len(close.columns) for close in each.closest] == sorted(distances)[:3]


def test_a_front_that_ends_early_says_so() -> None:
    X, y, _ = flipped_rule(60)
    audit = find_front(X, y, max_nodes=5).audit()
    assert not audit.exact
    assert str(audit).startswith("The front ends with ")


def test_nothing_to_look_at() -> None:
    X = np.array([[0, 0], [0, 0], [0, 0]])
    audit = find_front(X, [0, 0, 1]).audit()
    assert (audit.steps, audit.suspects) == ((), ())
    assert str(audit).startswith("No row stands out: the smallest exact tree has 1 node.")
    assert audit.contradicting == (2,)
    assert "Row 3 contradicts rows that are equal" in str(audit)


def test_rows_that_no_tree_gets_right_are_named() -> None:
    X, y, _ = flipped_rule(90)
    twice, labels = np.vstack([X, X[:1], X[:1]]), np.append(y, [1 - y[0]] * 2)
    audit = find_front(twice, labels).audit()
    assert 0 in audit.contradicting  # two of the three equal rows have the other class
    assert all(0 in step.rows or {90, 91} <= set(step.rows) for step in audit.steps)
    assert audit.best is not None
    assert audit.gain(audit.best) == max(each.cost for each in audit.suspects)


def test_sizes_with_gaps_are_listed_as_runs() -> None:
    suspect = Suspect(4, "no", 2.5, (1, 5, 7, 9, 13), (Close(6, "yes", ("a",)),))
    audit = Audit(15, True, True, (), (), (suspect, replace(suspect, row=5, sizes=(1,))))
    rows = suspect_rows(audit, 2)
    assert rows[0] == ("5", "no", "2.5 nodes", "1, 5-9, 13 nodes", "row 7, class yes, differs in a")
    assert rows[1][3] == "1 node"


def test_what_cannot_be_audited() -> None:
    X, y, _ = flipped_rule(30)
    front = find_front(X, y, weights=np.arange(30), max_nodes=3)
    with pytest.raises(DataError, match="takes no weights"):
        front.audit()
    plain = find_front(X, y, max_nodes=3)
    bare: Any = Front(tuple(replace(each, dataset=None) for each in plain), 0.0, "counting")
    with pytest.raises(DataError, match="without its rows"):
        bare.audit()


def test_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "audit.json"
    assert run(["audit", "weather", "--rows", "2", "--json", str(out)]) == 0
    said = capsys.readouterr().out
    assert said.startswith("The smallest exact tree has 9 nodes; leave out rows 4, 6 and a tree of")
    assert "2 rows     5 nodes     no 2 rows gain more  4, 6" in said
    assert "5-7 nodes  row 14, class no, differs in windy; then rows 8, 1" in said
    assert "and 6 rows that cost less" in said
    read = json.loads(out.read_text())
    assert read["steps"][0]["nodes"] == 5
    assert len(read["suspects"]) == 8
    for wrong, message in (
        (["--rows", "0"], "--rows must be at least 1, not 0"),
        (["--class-weight", "balanced"], "--class-weight: an audit counts rows"),
        (["--max-errors", "2"], "--max-errors asks for one tree"),
    ):
        assert run(["audit", "weather", *wrong]) == 2
        assert message in capsys.readouterr().err
