"""Claims about errors: true ones with a proof are verified, and no false one is, by either checker.

Proofs come from a plain prover. They are then tampered with: whatever is still accepted must be
true by brute force, and both checkers must agree on every file.
"""

from __future__ import annotations

import copy
import re
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from certify.error_case import ErrorCase, proven, with_table
from dtfinder.certify import check, check_errors
from dtfinder.certify.write import _head
from dtfinder.cli.app import run
from dtfinder.data import Table, make_dataset, read_table
from dtfinder.problem import Problem
from small import table_of

KINDS = ("errors", "size", "depth", "none", "cost", "front")
Random = np.random.RandomState
Change = Callable[[ErrorCase, Random], ErrorCase]


@pytest.mark.parametrize("kind", KINDS)
def test_true_claims_are_verified(kind: str, tmp_path: Path) -> None:
    used: Counter[str] = Counter()
    for seed in range(20):
        case = proven(kind, seed)
        assert case.is_true()
        assert case.verdicts(tmp_path) == [None, None]
        used.update(line[0] for line in case.body)
    assert used["r"] > 10
    assert used["c"] > 10
    assert used["s"] > 5
    assert used["k" if kind == "cost" else "p"] > 3


@pytest.mark.parametrize("rows", [63, 64, 65, 129])
def test_sets_of_more_than_one_word(rows: int, tmp_path: Path) -> None:
    case = proven("errors", 8, rows=rows, features=7)
    assert case.verdicts(tmp_path) == [None, None]


# ------------------------------------------------------------------------------ changes of a proof
def with_line(case: ErrorCase, place: int, *lines: str) -> ErrorCase:
    return replace(case, body=(*case.body[:place], *lines, *case.body[place + 1 :]))


def pick(case: ErrorCase, random: Random) -> tuple[int, str]:
    place = random.randint(len(case.body))
    return place, case.body[place]


def drop_line(case: ErrorCase, random: Random) -> ErrorCase:
    return with_line(case, random.randint(len(case.body)))


def repeat_line(case: ErrorCase, random: Random) -> ErrorCase:
    place, line = pick(case, random)
    return with_line(case, place, line, line)


def swap_lines(case: ErrorCase, random: Random) -> ErrorCase:
    a, b = random.randint(len(case.body), size=2)
    body = list(case.body)
    body[a], body[b] = body[b], body[a]
    return replace(case, body=tuple(body))


def change_number(case: ErrorCase, random: Random) -> ErrorCase:
    """Any number: a row, a feature, a set, a citation, a budget or a bound."""
    place, line = pick(case, random)
    found = list(re.finditer(r"\d+", line))
    if not found:
        return case
    at = found[random.randint(len(found))]
    number = max(0, int(at[0]) + int(random.choice([-2, -1, 1, 2])))
    return with_line(case, place, line[: at.start()] + str(number) + line[at.end() :])


def change_sign(case: ErrorCase, random: Random) -> ErrorCase:
    place, line = pick(case, random)
    found = [at for at, sign in enumerate(line) if sign in "+-"]
    if not found:
        return case
    at = found[random.randint(len(found))]
    return with_line(case, place, line[:at] + ("+" if line[at] == "-" else "-") + line[at + 1 :])


def raise_bound(case: ErrorCase, random: Random) -> ErrorCase:
    place, line = pick(case, random)
    words = line.split(" ")
    if words[0] == "r":
        return case
    words[3] = str(int(words[3]) + 1)
    return with_line(case, place, " ".join(words))


def more_room(case: ErrorCase, random: Random) -> ErrorCase:
    place, line = pick(case, random)
    words = line.split(" ")
    if words[0] == "r":
        return case
    inner, slash, depth = words[2].partition("/")
    if random.rand() < 0.3:
        words[2] = random.choice([inner, "*" + slash + depth, "$" + slash + depth])
    elif slash and random.rand() < 0.5:
        words[2] = f"{inner}/{int(depth) + 1}"
    elif inner.isdigit():
        words[2] = f"{int(inner) + 1}{slash}{depth}"
    return with_line(case, place, " ".join(words))


def change_kind(case: ErrorCase, random: Random) -> ErrorCase:
    place, line = pick(case, random)
    return with_line(case, place, str(random.choice(list("cspk"))) + line[1:])


def drop_word(case: ErrorCase, random: Random) -> ErrorCase:
    place, line = pick(case, random)
    words = line.split(" ")
    del words[random.randint(1, len(words))]
    return with_line(case, place, " ".join(words))


def count_often(case: ErrorCase, random: Random) -> ErrorCase:
    place, line = pick(case, random)
    return with_line(case, place, f"{line}*{random.choice([0, 1, 2, 3, 999999999])}")


def other_set(case: ErrorCase, random: Random) -> ErrorCase:
    place, line = pick(case, random)
    words = line.split(" ")
    words[1] = "0" if random.rand() < 0.3 else f"-{random.randint(1, 9)}"
    return with_line(case, place, " ".join(words))


PROOF_CHANGES: list[Change] = [
    drop_line,
    repeat_line,
    swap_lines,
    change_number,
    change_sign,
    raise_bound,
    more_room,
    change_kind,
    drop_word,
    count_often,
    other_set,
]


# ------------------------------------------------------------------------------ changes of a claim
def with_head(case: ErrorCase, change: Callable[[dict[str, Any]], None]) -> ErrorCase:
    head = copy.deepcopy(case.head)
    change(head)
    return replace(case, head=head)


def claim_number(case: ErrorCase, random: Random) -> ErrorCase:
    """A number of the claim is another one: errors, nodes, a limit, a price, a point."""

    def change(head: dict[str, Any]) -> None:
        claim = head["claim"]
        if "points" in claim and random.rand() < 0.7:
            point = claim["points"][random.randint(len(claim["points"]))]
            point[random.randint(3)] += int(random.choice([-2, -1, 1, 2]))
            return
        names = [name for name, value in claim.items() if type(value) is int]
        if names:
            name = names[random.randint(len(names))]
            claim[name] = max(0, claim[name] + int(random.choice([-2, -1, 1, 2])))

    return with_head(case, change)


def claim_limit(case: ErrorCase, random: Random) -> ErrorCase:
    name = str(random.choice(["max_depth", "max_nodes"]))
    value = None if random.rand() < 0.5 else int(random.randint(1, 12))
    return with_head(case, lambda head: head["claim"].__setitem__(name, value))


def claim_better(case: ErrorCase, random: Random) -> ErrorCase:
    """One better than the truth, and the proof stretched to match."""

    def change(head: dict[str, Any]) -> None:
        claim = head["claim"]
        for name in ("errors", "max_errors", "cost"):
            if name in claim:
                claim[name] += 1
        for point in claim.get("points", []):
            point[1] += 1
            point[2] += 1

    made = with_head(case, change)
    *before, last = made.body or ("",)
    words = last.split(" ")
    if len(words) > 3:
        words[3] = str(int(words[3]) + 1)
    return replace(made, body=(*before, " ".join(words)))


def change_tree(case: ErrorCase, random: Random) -> ErrorCase:
    """A leaf gets another class."""

    def change(head: dict[str, Any]) -> None:
        trees = head["trees"] if "trees" in head else [head["tree"]]
        at = random.randint(len(trees))
        node, parent, side = trees[at], None, 0
        while isinstance(node, list):
            parent, side = node, int(random.randint(1, 3))
            node = node[side]
        if isinstance(node, int):
            other = (node + 1) % len(head["classes"])
            if parent is not None:
                parent[side] = other
            elif "trees" in head:
                trees[at] = other
            else:
                head["tree"] = other

    return with_head(case, change)


def change_weight(case: ErrorCase, random: Random) -> ErrorCase:
    def change(head: dict[str, Any]) -> None:
        weights = head.setdefault("weights", [1] * case.table.rows)
        place = random.randint(len(weights))
        weights[place] = max(0, weights[place] + int(random.choice([-1, 1, 5])))

    return with_head(case, change)


def change_table(case: ErrorCase, random: Random) -> ErrorCase:
    """The proof of another table: one row has another class."""
    assert case.table.target is not None
    target = case.table.target.copy()
    row = random.randint(len(target))
    target[row] = case.head["classes"][random.randint(len(case.head["classes"]))]
    if len(set(target.tolist())) < len(case.head["classes"]):
        return case
    return with_table(case, Table(case.table.names, case.table.columns, target))


CLAIM_CHANGES: list[Change] = [
    claim_number,
    claim_limit,
    claim_better,
    change_tree,
    change_weight,
    change_table,
]


def attack(kind: str, seeds: range, times: int, place: Path) -> Counter[str]:
    """Change proofs and claims; both checkers agree, and what they accept is true."""
    results: Counter[str] = Counter()
    for seed in seeds:
        random = Random(seed)
        start = proven(kind, seed, rows=10 + seed % 5)
        for change in (*PROOF_CHANGES, *CLAIM_CHANGES):
            for _ in range(times):
                if not start.body and change in PROOF_CHANGES:
                    continue
                case = change(start, random)
                if random.rand() < 0.3 and case.body:
                    again = PROOF_CHANGES[random.randint(len(PROOF_CHANGES))]
                    with suppress(ValueError, IndexError):  # a line has lost a word already
                        case = again(case, random)
                python, compiled = case.verdicts(place)
                assert (python is None) == (compiled is None), (case, python, compiled)
                if python is None:
                    assert case.is_true(), case
                results["accepted" if python is None else "rejected"] += 1
    return results


@pytest.mark.parametrize("kind", KINDS)
def test_no_false_claim_is_verified(kind: str, tmp_path: Path) -> None:
    results = attack(kind, range(100, 105), 4, tmp_path)
    assert results["rejected"] > 100
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
