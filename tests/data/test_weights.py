"""Weights: exact units, agreement with repeated rows and brute force, and wrong input."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dtfinder import find_front, find_tree
from dtfinder.cli.app import run
from dtfinder.data import Table, make_dataset, read_table
from dtfinder.data.weights import PARTS, make_weights
from dtfinder.errors import DataError, InfeasibleError, OptionError
from dtfinder.tree import Tree
from errors_oracle import ErrorsOracle

TWO = np.array([0, 0, 1, 1])


def units(weights: list[float], class_weight: Any = None) -> tuple[list[int], Fraction, float]:
    labels = TWO[: len(weights)]
    made = make_weights(np.array(weights), labels, ("no", "yes"), class_weight)
    assert made is not None
    return made.units.tolist(), made.unit, made.rounded


def test_decimals_and_whole_numbers_are_exact() -> None:
    assert units([2, 4, 6, 8]) == ([1, 2, 3, 4], Fraction(2), 0.0)
    assert units([0.1, 0.2, 0.3, 1]) == ([1, 2, 3, 10], Fraction(1, 10), 0.0)
    assert units([0.5, 1.25, 3, 0]) == ([2, 5, 12, 0], Fraction(1, 4), 0.0)
    assert units([1e-12, 2e-12, 1e-12, 1e-12])[:2] == ([1, 2, 1, 1], Fraction(1, 10**12))


def test_multiples_of_the_smallest_weight_are_exact() -> None:
    assert units([1 / 3, 2 / 3, 1 / 3, 1 / 3]) == ([1, 2, 1, 1], Fraction(repr(1 / 3)), 0.0)


def test_other_weights_are_rounded_and_the_change_is_known() -> None:
    given = [0.1234567890123, 2 / 7, 1 / 3, 1e-30]
    whole, unit, rounded = units(given)
    assert sum(whole) == pytest.approx(PARTS, rel=1e-6)
    assert whole[3] == 1  # not 0: its row is there
    changes = [abs(n * unit - Fraction(w)) for n, w in zip(whole, given, strict=True)]
    assert rounded == pytest.approx(float(max(changes) / sum(map(Fraction, given))), rel=1e-3)
    assert 0 < rounded <= 1 / PARTS


def test_weights_of_classes() -> None:
    assert units([1, 1, 1, 1], {"no": 1, "yes": 2.5})[:2] == ([2, 2, 5, 5], Fraction(1, 2))
    assert units([1, 1, 1, 1], "yes=3, no=1")[0] == [1, 1, 3, 3]
    made = make_weights(None, np.array([0, 0, 0, 1]), ("no", "yes"), "balanced")
    assert made is not None
    assert (made.units.tolist(), made.unit) == ([1, 1, 1, 3], Fraction(2, 3))
    assert units([1, 3, 0, 2], "balanced")[:2] == ([1, 3, 0, 4], Fraction(3, 4))
    made = make_weights(None, np.array([0, 1]), (1, 2), "1=1,2=7")
    assert made is not None
    assert made.units.tolist() == [1, 7]


def weighted_table(seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    random = np.random.default_rng(seed)
    rows, columns = int(random.integers(4, 15)), int(random.integers(2, 5))
    X = random.integers(0, 2, (rows, columns))
    y = random.integers(0, 2 + seed % 2, rows)
    y[:2] = 0, 1
    return X, y, random.integers(0 if seed % 3 else 1, 9, rows)


def judge_of(X: np.ndarray, y: np.ndarray, weights: np.ndarray) -> ErrorsOracle:
    """Brute force that adds up the weights of equal rows by itself."""
    bits, places = np.unique(X, axis=0, return_inverse=True)
    sums = np.zeros((len(bits), int(y.max()) + 1), dtype=np.int64)
    np.add.at(sums, (places, y), weights)
    return ErrorsOracle(bits.astype(bool), sums)


@pytest.mark.parametrize("part", range(3))
def test_weighted_fronts_agree_with_brute_force_and_repeated_rows(part: int) -> None:
    judged = 0
    for seed in range(part, 330, 3):
        X, y, weights = weighted_table(seed)
        present = weights > 0
        if len(set(y[present])) < 2:
            continue
        judged += 1
        judge = judge_of(X, y, weights)
        front = find_front(X, y, weights=weights / 4)
        for inner, result in enumerate(front):
            assert result.status == "optimal"
            assert result.error_weight == judge.errors(inner) / 4
            assert result.weight(result.errors_lower_bound) == result.error_weight
        assert front[-1].error_weight == judge.errors(20) / 4
        if seed % 9 == part:
            repeated = np.repeat(X, weights, axis=0), np.repeat(y, weights)
            again = find_front(*repeated)
            assert [each.error_weight * 4 for each in front] == [each.errors for each in again]
            front = find_front(X, y, weights=weights / 4, class_weight="balanced")
            again = find_front(*repeated, class_weight="balanced")
            assert [each.error_weight * 4 for each in front] == [
                pytest.approx(each.error_weight) for each in again
            ]
    assert judged >= 100


def test_costs_and_shares_are_of_the_weight() -> None:
    X, y, weights = weighted_table(1)
    repeated = np.repeat(X, weights, axis=0), np.repeat(y, weights)
    for options in ({"leaf_penalty": 0.03}, {"max_errors": "60%"}, {"max_errors": 16}):
        one = find_tree(X, y, weights=weights, **options)
        other = find_tree(*repeated, **options)
        assert one.cost == other.cost
        assert (one.nodes, one.status) == (other.nodes, "optimal")
        if options != {"leaf_penalty": 0.03}:
            assert one.error_weight <= (16 if options["max_errors"] == 16 else weights.sum() * 0.6)
    with pytest.raises(InfeasibleError, match=r"no tree with max_errors=1\.0 exists"):
        find_tree(X, y, weights=weights / 2, max_errors=1)


@pytest.mark.uncertified("there are no certificates of weighted errors")
@pytest.mark.parametrize("method", ["auto", "sat"])
def test_the_heavier_class_of_equal_rows_wins_in_exact_trees(method: str) -> None:
    X = np.array([[0, 0], [0, 0], [0, 0], [1, 0], [1, 1]])
    y = np.array(["a", "a", "b", "b", "a"])
    plain = find_tree(X, y, method=method)
    weighted = find_tree(X, y, method=method, weights=[1, 1, 5, 1, 1])
    assert (plain.errors, weighted.error_weight, weighted.wrong_rows) == (1, 2.0, 2)
    assert plain.tree.predict(X[:1]) == ["a"]
    assert weighted.tree.predict(X[:1]) == ["b"]
    assert weighted.tree.predict_proba(X[:1])[0].tolist() == pytest.approx([2 / 8, 6 / 8])
    assert "error weight 2 of 9 (unavoidable" in weighted.summary()
    assert Tree.from_json(weighted.tree.to_json()) == weighted.tree


def test_rows_without_weight_are_not_there() -> None:
    X, y = np.array([[0.0], [1.0], [2.0], [9.0]]), np.array([0, 0, 1, 1])
    with_zero = make_dataset(read_table(X, y, weights=[1, 0, 1, 1]))
    without = make_dataset(read_table(X[[0, 2, 3]], y[[0, 2, 3]]))
    assert with_zero.features == without.features
    assert with_zero.n_rows == 3


def test_the_proof_is_about_weight_and_says_so() -> None:
    X, y, weights = weighted_table(4)
    words = find_tree(X, y, weights=weights / 4, max_nodes=3).summary()
    total = weights.sum() / 4
    assert f" of {total:g}, " in words
    assert "at most 3 nodes has less error weight, and none with as little is smaller" in words


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ([1, -1, 1, 1], "the weight of row 2 is -1; weights must be finite, 0 or more"),
        ([1, 1, float("nan"), 1], "the weight of row 3 is nan"),
        ([1, 1, 1, float("inf")], "the weight of row 4 is inf"),
        ([1, 1, 1], "there are 4 rows but weights of shape (3,)"),
        ([[1, 1, 1, 1]], "there are 4 rows but weights of shape (1, 4)"),
        ([0, 0, 0, 0], "all weights are zero"),
        (["a", "b", "c", "d"], "weights must be numbers"),
        ([1j, 1j, 1j, 1j], "weights must be numbers"),
        (np.array(["2020-01-01"] * 4, dtype="M8[D]"), "weights must be numbers"),
        ([1e308, 1e308, 1e308, 1e-308], "the weights add up to too large a number"),
        ([5e-324, 0, 0, 5e-324], "the weights add up to too small a number"),
        ("w", "the table has no column 'w' to hold the weights"),
    ],
)
def test_wrong_weights_are_named(weights: Any, message: str) -> None:
    with pytest.raises(DataError) as error:
        find_tree(np.arange(8).reshape(4, 2), [0, 1, 0, 1], weights=weights)
    assert message in str(error.value)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"no": 1}, "class_weight has no weight for the class 'yes'; give every class one"),
        ({"no": 1, "yes": -2}, "class_weight must be balanced or weights of 0 or more"),
        ({"no": 1, "maybe": 2}, "class_weight names 'maybe', which is not a class"),
        ("heavy", "class_weight must be balanced or weights of 0 or more"),
        ("no=1,yes=x", "class_weight must be balanced or weights of 0 or more"),
        (3, "class_weight must be balanced or a mapping, not 3"),
        ({"no": 1, "yes": None}, "such as no=1,yes=5 or {'no': 1, 'yes': 5}, not {'no': 1, 'yes'"),
        ("no=1,yes=2,no=3", "class_weight names 'no' twice; give every class one weight"),
        ("no=1,yes=1e999999999", "class_weight must be balanced or weights of 0 or more"),
        ({"no": 10**400, "yes": 1}, "class_weight must be balanced or weights of 0 or more"),
        ({"no": 1e308, "yes": 1}, "the weights add up to too large a number"),
        ({"no": 0, "yes": 0}, "all rows have the weight zero"),
    ],
)
def test_wrong_class_weights_are_named(given: Any, message: str) -> None:
    with pytest.raises((OptionError, DataError)) as error:
        find_tree("weather", class_weight=given, max_nodes=3)
    assert message in str(error.value)


def test_certificates_of_exact_trees_need_rows_that_agree() -> None:
    X, y = np.array([[0, 1], [0, 1], [1, 0]]), [0, 1, 1]
    with pytest.raises(OptionError, match="certify needs rows that agree where rows have weights"):
        find_tree(X, y, weights=[1, 2, 3], certify=True)
    result = find_tree(X, y, weights=[1, 2, 3], certify=True, method="counting")
    assert (result.errors, result.certificate is not None) == (1, True)


def test_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table = tmp_path / "table.csv"
    table.write_text("a,b,w,kind\n0,0,0.5,no\n0,1,1.5,yes\n1,0,2,no\n1,1,4,yes\n0,0,2,yes\n")
    asked = ["fit", str(table), "--weights", "w"]
    assert run([*asked, "--max-nodes", "3", "-q"]) == 0
    assert run([*asked, "--max-nodes", "3", "--class-weight", "no=2,yes=1"]) == 0
    said = capsys.readouterr().out
    assert "b = 0" in said or "b <= 0.5" in said
    assert "error weight 1 of 12.5" in said or "error weight 2 of 12.5" in said
    assert "w <=" not in said
    for wrong, message in (
        (["--weights", "v"], "the table has no column 'v' to hold the weights"),
        (["--weights", "kind", "--target", "kind"], "both the class and the weights"),
        (["--class-weight", "no=1"], "--class-weight has no weight for the class 'yes'"),
    ):
        assert run(["fit", str(table), *wrong]) == 2
        assert message in capsys.readouterr().err


def test_a_table_takes_weights() -> None:
    table = Table(("a",), (np.array([0.0, 1.0]),), np.array(["x", "y"], dtype=object))
    assert read_table(table, weights=[1, 2]).weights is not None
    with pytest.raises(DataError, match="a Table has its classes and columns already"):
        read_table(table, weights="a")
