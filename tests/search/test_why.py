"""The rows that force a size or a depth, judged by brute force."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from dtfinder import find_tree
from dtfinder.cli.app import run
from dtfinder.data import Dataset, make_dataset
from dtfinder.problem import Problem
from dtfinder.proof import Forcing
from dtfinder.search.forcing import Claim, _program, warm_test
from dtfinder.search.why import find_reason
from oracle import Oracle
from small import dataset_of, random_table, rare_table, solve_here, table_of


def oracle_for(dataset: Dataset, rows: Any) -> Oracle:
    examples = dataset.example_of_row[list(rows)]
    return Oracle(dataset.bits[examples], dataset.sets[examples])


def forces(dataset: Dataset, rows: Any, forcing: Forcing) -> bool:
    if not len(rows):
        return False
    judge = oracle_for(dataset, rows)
    if forcing.depth is not None:
        return judge.size(forcing.depth - 1) is None
    assert forcing.nodes is not None
    size = judge.size(forcing.within_depth)
    return size is None or size >= forcing.nodes


@pytest.mark.parametrize("minimise", ["size", "depth"])
def test_few_rows_force_the_optimum_and_none_can_go(minimise: str) -> None:
    fewer = 0
    for seed in range(12):
        bits, labels = random_table(seed, rows=18, features=7, classes=2 + seed % 2)
        dataset = make_dataset(table_of(bits, labels))
        result = solve_here(dataset, minimise=minimise)
        reason = find_reason(Problem(dataset, minimise), result.tree, 2)
        assert len(reason.forcing) == (1 if minimise == "size" else 2)
        for forcing in reason.forcing:
            assert forcing.minimal
            assert forces(dataset, forcing.rows, forcing)
            for row in forcing.rows:
                assert not forces(dataset, set(forcing.rows) - {row}, forcing)
            fewer += len(forcing.rows) < dataset.n_examples
    assert fewer >= 12


def test_each_node_keeps_two_rows_apart() -> None:
    result = find_tree("monk1")
    assert result.reason is not None
    assert result.dataset is not None
    tree, dataset = result.tree, result.dataset
    assert len(result.reason.needs) == (tree.size - 1) // 2
    leaves = tree.apply(dataset.table)
    for need in result.reason.needs:
        node = tree.nodes[need.node]
        for row, side, other in (
            (need.row_zero, node.zero, node.one),
            (need.row_one, node.one, node.zero),
        ):
            assert leaves[row] in inside(tree, side)
            number = other  # what becomes of the row if the other side takes the node's place
            bits = tree.feature_bits(dataset.table)[row]
            while tree.nodes[number].feature >= 0:
                at = tree.nodes[number]
                number = at.one if bits[at.feature] else at.zero
            assert tree.nodes[number].label != dataset.row_labels[row]


def inside(tree: Any, top: int) -> set[int]:
    node = tree.nodes[top]
    return {top} if node.feature < 0 else inside(tree, node.zero) | inside(tree, node.one)


def test_rows_are_those_of_the_table_also_with_repeated_rows() -> None:
    bits, labels = random_table(4, rows=14, features=6)
    dataset = make_dataset(table_of(np.repeat(bits, 3, axis=0), np.repeat(labels, 3)))
    result = solve_here(dataset)
    assert result.reason is not None
    assert result.reason.n_rows == 3 * len(bits)
    (forcing,) = result.reason.forcing
    assert forces(dataset, forcing.rows, forcing)


def test_without_time_the_rows_still_force_the_size() -> None:
    bits, labels = random_table(6, rows=18, features=7)
    dataset = make_dataset(table_of(bits, labels))
    result = solve_here(dataset)
    (forcing,) = find_reason(Problem(dataset), result.tree, 0.0).forcing
    assert forces(dataset, forcing.rows, forcing)


def test_the_command_says_it_in_words(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["why", "weather", "--seconds", "1"]) == 0
    text = capsys.readouterr().out
    assert "of the 14 rows alone need 4 splits, 9 nodes: leave any one of them out" in text
    assert "row   outlook" in text
    needs = "row 3 (yes) gets a wrong class on its `no` side, and row 1 (no) on its `yes` side"
    assert f"outlook = overcast: {needs}" in text
    assert run(["why", "weather", "--minimise", "depth", "--seconds", "1"]) == 0
    assert "alone need a depth of 3" in capsys.readouterr().out
    assert run(["why", "monk2", "--method", "sklearn"]) == 0
    assert "It is not proven" in capsys.readouterr().out


def test_a_printed_reason_reads_like_dtfinder_why(capsys: pytest.CaptureFixture[str]) -> None:
    result = find_tree("weather")
    assert run(["why", "weather"]) == 0
    told = capsys.readouterr().out
    assert str(result.reason) in told
    assert "rows alone need 4 splits, 9 nodes" in str(result.reason)
    assert find_tree("weather", method="sklearn").reason is None


def test_a_linear_program_answers_where_features_are_rare(monkeypatch: pytest.MonkeyPatch) -> None:
    """Cores get next to no time, so that the programs have to tell which parts force the size."""
    monkeypatch.setattr("dtfinder.search.forcing.SLICE", 1)
    monkeypatch.setattr("dtfinder.search.forcing.ALONE", 0)
    monkeypatch.setattr("dtfinder.search.forcing.SHARE", 10**9)
    asked = []

    def noted(bits: Any, labels: Any, allowed: Any, claim: Claim) -> Any:
        asked.append(_program(bits, labels, allowed, claim))
        return asked[-1]

    monkeypatch.setattr("dtfinder.search.forcing._program", noted)
    random = np.random.default_rng(0)
    said = {True: 0, False: 0}
    for seed in range(8):
        bits, labels = rare_table(seed, rows=12, classes=2 + seed % 2)
        dataset, size = dataset_of(bits, labels), Oracle(bits, labels).size()
        everything = np.arange(len(bits))
        test = warm_test(dataset, everything, Claim((size - 1) // 2), float("inf"))
        for share in (1.0, 0.9, 0.8, 0.7):
            part = everything[random.random(len(bits)) <= share]
            if len(np.unique(labels[part])) < 2:
                continue
            found = test(part)
            holds = Oracle(bits[part], labels[part]).size() >= size
            said[holds] += 1
            assert (found is not None) == holds
            if found is not None:
                assert set(found) <= set(part)
                assert Oracle(bits[found], labels[found]).size() >= size
    assert sum(each is not None for each in asked) > 10
    assert min(said.values()) > 5
