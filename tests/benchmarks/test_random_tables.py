"""Brute force over subcubes, on tables whose answers are known; and that it finds what is wrong."""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from benchmarks import random_tables


def table(rows: Sequence[tuple[int, ...]], **given: Any) -> random_tables.Table:
    """A table of 0/1 columns with the class last."""
    made: Any = random_tables.Table(np.random.default_rng(0))
    array = np.array(rows)
    made.X, made.classes, made.weights, made.has_sets = array[:, :-1], 2, None, False
    made.y = array[:, -1].tolist()
    made.allows = np.arange(2) == array[:, -1:]
    for name, value in given.items():
        setattr(made, name, value)
    return made  # type: ignore[no-any-return]


XOR = [(0, 0, 0), (0, 1, 1), (1, 0, 1), (1, 1, 0)]


def test_brute_force_knows_exclusive_or() -> None:
    cubes = random_tables.Cubes(table(XOR))
    assert cubes.errors(3, 9) == [2, 2, 1, 0]
    assert cubes.errors(3, 1) == [2, 2, 2, 2]
    assert cubes.exact(0) == (3, 2)
    assert (cubes.cost(1, 0, 2), cubes.cost(10, 1, 9), cubes.cost(1, 1, 9)) == (0, 4, 3)


def test_weights_sets_and_contradictions_count() -> None:
    twice = table([*XOR, (0, 0, 1), (0, 0, 1)], weights=np.array([1, 2, 3, 4, 0, 1]))
    assert twice.unavoidable == 1
    assert random_tables.Cubes(twice).errors(3, 9) == [5, 3, 1, 1]
    free = table(XOR, allows=np.array([[1, 1], [0, 1], [1, 1], [1, 0]], bool))
    assert random_tables.Cubes(free).exact(0) == (1, 1)


def test_random_tables_agree() -> None:
    answers = 0
    for number in range(4):
        random = np.random.default_rng((1, number))
        answers += random_tables.check(random_tables.Table(random), random)
    assert answers > 20


def test_a_wrong_answer_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    judge = random_tables.Judge(table(XOR), np.random.default_rng(0))
    judge.limits(2)
    assert judge.answers == 3
    found = SimpleNamespace(status="optimal", errors=1, nodes=5)
    monkeypatch.setattr(random_tables, "find_tree", lambda **_: found)
    with pytest.raises(AssertionError, match="brute force"):
        judge.limits(2)
