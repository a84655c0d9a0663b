"""The greedy tree is correct and respects nothing but the data."""

from __future__ import annotations

import numpy as np
import pytest

from dtfinder.problem import Problem, Score
from dtfinder.run.stop import AfterSeconds, Stopped
from dtfinder.search import greedy
from dtfinder.search.greedy import greedy_tree
from dtfinder.tree import Tree
from small import dataset_of, random_table


@pytest.mark.parametrize("classes", [2, 3, 5])
def test_it_makes_no_errors(classes: int) -> None:
    dataset = dataset_of(*random_table(classes, rows=60, features=8, classes=classes))
    assert Tree.of(dataset, greedy_tree(dataset)).check(dataset) == 0


def test_classes_without_examples_do_not_shift_the_others() -> None:
    dataset = dataset_of(np.array([[0], [1]]), np.array([3, 1]))
    assert [node.label for node in greedy_tree(dataset)] == [-1, 3, 1]
    assert Problem(dataset).as_exact().first_bounds().nodes == 3


def test_limits_are_checked() -> None:
    dataset = dataset_of(np.array([[0], [1]]), np.array([0, 1]))
    score = Score.of(greedy_tree(dataset))
    assert Problem(dataset, max_depth=1, max_nodes=3).allows(score)
    assert not Problem(dataset, max_nodes=1).allows(score)
    assert not Problem(dataset, max_depth=0).allows(score)


def test_a_large_table_can_be_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    dataset = dataset_of(*random_table(2, rows=60, features=8))
    asked: list[int] = []

    def later() -> str | None:
        asked.append(1)
        return "time limit" if len(asked) > 1 else None

    assert greedy_tree(dataset, later) == greedy_tree(dataset)
    assert not asked  # it is there at once
    monkeypatch.setattr(greedy, "LARGE", 0)
    with pytest.raises(Stopped, match="time limit"):
        greedy_tree(dataset, later)
    assert greedy_tree(dataset, AfterSeconds(60)) == greedy_tree(dataset)
