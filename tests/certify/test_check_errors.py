"""Claims about errors: true ones with a proof are verified, and no false one is, by either checker.

Proofs come from a plain prover. They are then tampered with: whatever is still accepted must be
true by brute force, and both checkers must agree on every file.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from certify.error_attack import KINDS, attack, engine_case, with_head
from certify.error_case import ErrorCase, proven
from dtfinder.certify import check, check_errors
from dtfinder.certify.write import _head
from dtfinder.cli.app import run
from dtfinder.data import make_dataset, read_table
from dtfinder.problem import Problem
from small import table_of


@pytest.mark.parametrize("kind", KINDS)
def test_true_claims_are_verified(kind: str, tmp_path: Path) -> None:
    used: Counter[str] = Counter()
    for seed in range(40):
        case = proven(kind, seed)
        assert case.is_true()
        assert case.verdicts(tmp_path) == [None, None]
        used.update(line[0] for line in case.body)
    assert used["r"] > 10
    assert used["c"] > 10
    assert used["s"] > 5
    assert used["k" if kind == "cost" else "p"] > 3
    assert kind == "cost" or used["e"] > 3
    assert kind == "cost" or used["x"] > 5


@pytest.mark.parametrize("rows", [63, 64, 65, 129])
def test_sets_of_more_than_one_word(rows: int, tmp_path: Path) -> None:
    case = proven("errors", 8, rows=rows, features=7)
    assert case.verdicts(tmp_path) == [None, None]


# ------------------------------------------------------------------------------ changes of a proof
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("make", [proven, engine_case])
@pytest.mark.uncertified("they are verified here")
def test_no_false_claim_is_verified(
    kind: str, make: Callable[[str, int], ErrorCase], tmp_path: Path
) -> None:
    results = attack(kind, range(100, 104), 3, tmp_path, make)
    assert results["rejected"] > 60
    assert results["accepted"] > 5


# ----------------------------------------------------------------------------------- rule by rule
def verdict(lines: list[str], place: Path, errors: int = 1, **claim: Any) -> list[str | None]:
    """Of a table of four rows with one error that a single question leaves: x0 is the class but in
    row 3. The claim is 'no tree with max_nodes 3 makes less'."""
    bits = np.array([[0, 0, 0], [0, 1, 1], [1, 0, 1], [1, 1, 0]], dtype=bool)
    table = table_of(bits, np.array([0, 0, 1, 0]))
    head = _head(Problem(make_dataset(table)), None, "errors")
    head["claim"] = {"max_errors": errors - 1, "max_depth": None, "max_nodes": 3} | claim
    return ErrorCase(table, head, tuple(lines)).verdicts(place)


@pytest.mark.parametrize(
    ("lines", "holds"),
    [
        (["c 0 1 1"], True),
        (["c 0 1 2"], False),
        (["c 0 2 1"], False),  # two questions are enough
        (["c 0 1/1 1"], True),
        (["c 0 0 1"], False),  # a leaf alone
        (["s 0 1 1"], True),
        (["r = 0 2 3", "c -1 1 1"], False),
        (["r = 1 2 3", "c -1 1 0"], False),
        (["c 0 1 1", "p 0 1 1 -1"], True),
        (["c 0 1 1", "p 0 1 2 -1 -1"], False),  # the same part twice
        (["c 0 1 1", "p 0 1 2 -1*2"], False),
        (["r 0 x 0", "c -1 0 1", "p 0 1 1 -1"], False),  # proven for a leaf only
        (["r 0 +0", "r 0 -0", "c -2 1 0", "c -1 1 0", "p 0 1 1 -1 -2"], False),
        (["k 0 $ 1"], False),
        (["c 0 $ 1"], False),
        (["c 1 1 1"], False),
        (["c -1 1 1"], False),
        (["r 0", "c 0 1 1"], False),
        (["r 0 +9", "c 0 1 1"], False),
        (["r 0 x 9", "c 0 1 1"], False),
        (["r -1 +0", "c 0 1 1"], False),
        (["c 0 1 1 -1"], False),
        (["c 0 1 1 "], False),
        (["c 0 1  1"], False),
        (["c 0 01 1"], True),
        (["c 0 1 1", ""], False),
        (["x 0 1 1"], False),
        (["x"], False),
        (["x "], False),
        (["x s 2 0 1 2 3", "e 0 1 1 -1"], True),
        (["x s 2 0 1 2 3", "e 0 1 1"], False),
        (["x s 2 0 1 2 3", "e 0 1 1 -1 -1"], True),
        (["x s 2 0 1 2 3", "e 0 1 2 -1 -1"], False),  # the same example twice
        (["x s 2 0 1 2 3", "e 0 1 1 -1*2"], True),
        (["x s 2 0 1 2 3", "e 0 1 2 -1*2"], False),
        (["x s 2 0 1 2 3", "e 0 1 1 -1*0"], False),
        (["x s 2 0 1 2 3", "e 0 1 1 -1*"], False),
        (["x s 2 0 1 2 3", f"e 0 1 1{' -1*999999999' * 5}"], False),  # too often
        (["x s 2 0 1 2 3", "x s 1 0 2", "e 0 1 1 -2 -1"], False),  # one of them is too weak
        (["x s 2 0 1 2 3", "e 0 1 1 -2"], False),
        (["x s 2 0 1 2 3", "e 0 1 1 0"], False),
        (["x s 2 0 1 2 3", "e 0 1 2 -1"], False),  # one example, one error
        (["x s 2 0 1 2 3", "e 0 2 1 -1"], False),  # two questions are enough
        (["x s 3 0 1 2 3", "e 0 1 1 -1"], False),
        (["x s 2/2 0 1 2 3", "e 0 1 1 -1"], True),  # a single question is one level
        (["x s inf/1 0 1 2 3", "e 0 1/1 1 -1"], True),
        (["x s inf/1 0 1 2 3", "e 0 3 1 -1", "c 0 1 1"], False),  # up to three levels
        (["x s 1/0 0 2", "e 0 1 1 -1"], False),  # no level
        (["x s 2 0 1 2 3", "r 0 x 0", "e -1 1 0 -1"], False),  # about other examples
        (["x s 2 0 1 2 3", "r e -1", "e -1 1 1 -1", "p 0 1 1 -1"], True),
        (["r e -1", "x s 2 0 1 2 3", "e 0 1 1 -1"], False),
        (["x s 2 0 1 2 3", "r e -1 -1", "e -1 1 1 -1"], False),
        (["x s 2 0 1 2 3", "r e 0", "c 0 1 1"], False),
        (["x s 2 0 1 2 3", "e 0 $ 1 -1"], False),
        (["x s 2 0 1 2 3", "c 0 1 1", "e 0 1 1 -1", "p 0 1 2 -1 -2"], False),
        (["x s 1 0 2", "x s 1 1 2", "x s 2 -2 -1 3", "e 0 1 1 -1"], True),
        (["x c 2 0 1 2 3", "e 0 1 1 -1"], True),  # no question isolates a row
        (["x c 2 0 1 2", "e 0 1 1 -1"], False),  # all do
        (["x s 2 0 1 2 9", "e 0 1 1 -1"], False),
        (["e 0 1 1 -1"], False),
        ([], False),
    ],
)
def test_one_lemma_at_a_time(lines: list[str], holds: bool, tmp_path: Path) -> None:
    python, compiled = verdict(lines, tmp_path)
    assert (python is None) == (compiled is None) == holds, (python, compiled)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"max_errors": -1}, "max_errors is -1"),
        ({"max_errors": 0.0}, "max_errors is 0.0"),
        ({"max_errors": True}, "max_errors is True"),
        ({"max_errors": 10**4000}, "max_errors is too large"),
        ({"max_nodes": 0}, "max_nodes is 0"),
        ({"max_depth": "1"}, "max_depth is '1'"),
        ({"nodes": 1}, "has limits only"),
    ],
)
def test_odd_claims_are_rejected(change: dict[str, Any], words: str, tmp_path: Path) -> None:
    for said in verdict(["c 0 1 1"], tmp_path, **change):
        assert said is not None
        assert words in said


@pytest.mark.parametrize("weights", [[1, 1, 1], [1] * 4 + [1], [1, 1, 1, -1], [1, 1, 1, 0.5], "1"])
def test_odd_weights_are_rejected(weights: Any, tmp_path: Path) -> None:
    case = proven("errors", 0)
    changed = with_head(case, lambda head: head.__setitem__("weights", weights))
    assert None not in changed.verdicts(tmp_path)


def test_the_answer_says_what_was_proven(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for kind, words in (
        ("errors", r"of 14 rows: the tree of \d+ nodes .* makes .*; no tree.* makes less; no tree"),
        ("size", r"no tree with at most .* is one with fewer than \d+ nodes"),
        ("depth", r"has less depth, or this depth with fewer than"),
        ("none", r"no tree within max_.* makes at most"),
        ("cost", r"no tree.* has less than \d+ times errors and \d+ times leaves, \d+"),
        ("front", r"the fewest errors.* from each number of nodes on are 1: \d+"),
    ):
        case = proven(kind, 5)
        assert case.verdicts(tmp_path) == [None, None]
        for option in ([], ["--compiled"]):
            paths = [str(tmp_path / "proof.cert"), "--data", str(tmp_path / "table.csv")]
            assert run(["check", *paths, *option]) == 0
            assert re.search(f"^VERIFIED: .*{words}", capsys.readouterr().out)


def test_a_penalty_is_the_price_of_a_leaf(tmp_path: Path) -> None:
    case = proven("cost", 1)
    claim = case.head["claim"]
    right = claim["leaf_price"] / (claim["error_price"] * case.table.rows)
    assert proven("cost", 1).head.get("weights") is None
    for penalty, holds in (
        (f"{claim['leaf_price']}/{claim['error_price'] * case.table.rows}", True),
        (f"{claim['leaf_price'] + 1}/{claim['error_price'] * case.table.rows}", False),
        (right, False),
    ):

        def change(head: dict[str, Any], penalty: str = penalty) -> None:
            head["claim"].update(leaf_penalty=penalty)

        changed = with_head(case, change)
        assert [said is None for said in changed.verdicts(tmp_path)] == [holds, holds]


def test_sets_do_not_fill_the_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A few bytes name a set of all examples."""
    case = proven("none", 0)
    case.verdicts(tmp_path)
    files = str(tmp_path / "proof.cert"), str(tmp_path / "table.csv")
    head, _, data = check.opened(*files)
    proof = check_errors.Lemmas(data, check_errors.Weights(data, head.get("weights")), None)
    monkeypatch.setattr(check_errors, "MOST_BYTES", 1000)
    with pytest.raises(MemoryError, match="its sets are too many"):
        proof.read(["r 0 +0"] * 100)
    assert 0 < len(proof.sets) < 20


XOR = np.array([[0, 0], [0, 1], [1, 0], [1, 1]], dtype=bool)


@pytest.mark.parametrize(
    ("lines", "errors", "nodes"),
    [
        (["c 0 1 2"], 2, 3),
        (["s 0 2 1"], 1, 5),
        (["r 0 x 3", "c -1 1 1", "p 0 1 1 -1"], 1, 3),
        (["c 0 1 2", "r 0 x 3", "p -1 1 1 -1"], 2, 3),
        (["r = 0 1", "r = 2 3", "c -2 0 1", "c -1 0 1", "p 0 0 2 -1 -2"], 2, 1),
        (
            [f"r = {pair}" for pair in ("0 1", "0 2", "1 3", "2 3")]
            + ["c -4 0 1", "c -3 0 1", "c -2 0 1", "c -1 0 1", "p 0 0 2 -1 -2 -3 -4"],
            2,
            1,
        ),
        (["x s 3 0 1 2 3", "e 0 2 1 -1"], 1, 5),
        (
            [f"x s 2 {rows}" for rows in ("0 1 2", "0 1 3", "0 2 3", "1 2 3")]
            + ["e 0 1 2 -4 -3 -2 -1"],
            2,
            3,
        ),
    ],
)
def test_the_examples_of_the_documentation(
    lines: list[str], errors: int, nodes: int, tmp_path: Path
) -> None:
    """They hold, and not with a bound that is one more."""
    table = table_of(XOR, np.array([0, 1, 1, 0]))
    head = _head(Problem(make_dataset(table)), None, "errors")
    head["claim"] = {"max_errors": errors - 1, "max_depth": None, "max_nodes": nodes}
    assert ErrorCase(table, head, tuple(lines)).verdicts(tmp_path) == [None, None]
    *before, last = lines
    words = last.split(" ")
    words[3] = str(int(words[3]) + 1)
    assert None not in ErrorCase(table, head, (*before, " ".join(words))).verdicts(tmp_path)


@pytest.mark.parametrize(
    ("weights", "last", "holds"),
    [
        ([2, 1, 1, 1], "e 0 1 2 -4 -3 -2 -1", True),  # 4 sets, 3 have a row of weight 1
        ([2, 1, 1, 1], "e 0 1 3 -4 -3 -2 -1", False),
        ([1, 1, 1, 1], "e 0 1 2 -4 -3 -2", False),  # row 0 is in all of these
        ([2, 1, 1, 1], "e 0 1 2 -4 -3 -2", True),  # but weighs twice as much
        ([6, 3, 3, 3], "e 0 1 5 -4 -3 -2", True),  # rounded up: 3 * 3 / 2
        ([6, 3, 3, 3], "e 0 1 6 -4 -3 -2", False),
        ([10**16] * 4, "e 0 1 13333333333333334 -4 -3 -2 -1", True),  # rounded up: 4 / 3
        ([10**16] * 4, "e 0 1 13333333333333335 -4 -3 -2 -1", False),
        ([10**16] * 4, f"e 0 1 13333333333333334{' -4*999999999' * 4}", False),
        ([10**16] * 4, f"e 0 1 10000000000000000{' -4*999999999' * 4}", True),
    ],
)
def test_cores_of_weighted_rows(weights: list[int], last: str, holds: bool, tmp_path: Path) -> None:
    """Errors count as much as they weigh, in numbers of any size."""
    table = table_of(XOR, np.array([0, 1, 1, 0]))
    head = _head(Problem(make_dataset(table)), None, "errors") | {"weights": weights}
    errors = int(last.split(" ")[3])
    head["claim"] = {"max_errors": errors - 1, "max_depth": None, "max_nodes": 3}
    lines = [f"x s 2 {rows}" for rows in ("0 1 2", "0 1 3", "0 2 3", "1 2 3")]
    verdicts = ErrorCase(table, head, (*lines, last)).verdicts(tmp_path)
    assert [said is None for said in verdicts] == [holds, holds], verdicts


@pytest.mark.parametrize("lines", [["c 0 $ 2"], ["c 0 1 1", "k 0 $ 2 -1"]])
def test_the_prices_of_the_documentation(lines: list[str], tmp_path: Path) -> None:
    table = table_of(XOR, np.array([0, 1, 1, 0]))
    head = _head(Problem(make_dataset(table)), None, "errors")
    head["tree"] = 0
    head["claim"] = {"minimise": "cost", "error_price": 1, "leaf_price": 1, "cost": 3}
    head["claim"] |= {"errors": 2, "nodes": 1, "depth": 0, "max_depth": None, "max_nodes": None}
    assert ErrorCase(table, head, tuple(lines)).verdicts(tmp_path) == [None, None]
    *before, last = lines
    stronger = last.replace("$ 2", "$ 3")
    assert None not in ErrorCase(table, head, (*before, stronger)).verdicts(tmp_path)


def test_weather_by_hand(tmp_path: Path) -> None:
    """The example of the documentation that a person can follow."""
    table = read_table("weather")
    dataset = make_dataset(table)
    names = [feature.name for feature in dataset.features]
    head = _head(Problem(dataset), None, "errors")
    overcast, normal = names.index("outlook = overcast"), names.index("humidity = normal")
    head["tree"] = [overcast, [normal, 0, 1], 1]
    head["claim"] = {"minimise": "nodes", "max_errors": 2, "errors": 2, "nodes": 5, "depth": 2}
    head["claim"] |= {"max_depth": None, "max_nodes": None}
    assert ErrorCase(table, head, ("c 0 1 3",)).verdicts(tmp_path) == [None, None]
    assert None not in ErrorCase(table, head, ("c 0 1 5",)).verdicts(tmp_path)
    lines = ["r = 3 7 8 11 13", "c -1 3 1", "r = 0 1 2 4 5 6 10", "c -1 3 1", "p 0 3 2 -1 -2"]
    rainy, windy = names.index("outlook = rainy"), names.index("windy = true")
    head["tree"] = [overcast, [rainy, [normal, 0, 1], [windy, 1, 0]], 1]
    head["claim"] |= {"max_errors": 1, "errors": 0, "nodes": 9, "depth": 3}
    assert ErrorCase(table, head, tuple(lines)).verdicts(tmp_path) == [None, None]
    lines[2] = "r = 1 2 4 5 6 10"
    assert None not in ErrorCase(table, head, tuple(lines)).verdicts(tmp_path)


def test_a_cost_bounds_the_errors_of_a_size(tmp_path: Path) -> None:
    """Fact 5, as the documentation has it."""
    table = table_of(XOR, np.array([0, 1, 1, 0]))
    head = _head(Problem(make_dataset(table)), None, "errors") | {"prices": [4, 1]}
    for most, nodes, holds in ((0, 5, True), (1, 5, False), (0, 7, False)):
        head["claim"] = {"max_errors": most, "max_depth": None, "max_nodes": nodes}
        verdicts = ErrorCase(table, head, ("c 0 $ 3",)).verdicts(tmp_path)
        assert [said is None for said in verdicts] == [holds, holds]
    head["prices"] = [0, 1]
    assert None not in ErrorCase(table, head, ("c 0 $ 3",)).verdicts(tmp_path)
