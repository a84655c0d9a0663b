"""Certificates, trees and tables that were tampered with.

Corruptions change one thing in a certificate that holds: whatever the checker still accepts must be
true by brute force. Forgeries claim what is false, a tree with two nodes more as the smallest one,
and change the proof until the checker might believe it: every single one must be rejected.
"""

from __future__ import annotations

import copy
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from certify.forge import Case, proven_case, read_case
from dtfinder.data import Table, make_dataset
from dtfinder.methods import METHODS
from small import random_table, solve_here, table_of

Random = np.random.RandomState
Change = Callable[[Case, Random], Case]


def with_line(case: Case, place: int, line: str | None) -> Case:
    after = () if line is None else (line,)
    return replace(case, body=case.body[:place] + after + case.body[place + 1 :])


def pick(case: Case, random: Random) -> tuple[int, list[str]]:
    place = random.randint(len(case.body))
    return place, case.body[place].split()


def drop_lemma(case: Case, random: Random) -> Case:
    return with_line(case, random.randint(len(case.body)), None)


def drop_number(case: Case, random: Random) -> Case:
    """An example, or a citation, is left out."""
    place, words = pick(case, random)
    del words[random.randint(2, len(words))]
    return with_line(case, place, " ".join(words))


def change_number(case: Case, random: Random) -> Case:
    """Another example, or another citation."""
    place, words = pick(case, random)
    at = random.randint(2, len(words))
    near = int(words[at]) + random.choice([-2, -1, 1, 2])
    words[at] = str(near)
    return with_line(case, place, " ".join(words))


def raise_bound(case: Case, random: Random) -> Case:
    place, words = pick(case, random)
    bound, slash, limit = words[1].partition("/")
    raised = "inf" if bound == "inf" or random.rand() < 0.1 else str(int(bound) + 1)
    words[1] = raised + slash + limit
    return with_line(case, place, " ".join(words))


def change_limit(case: Case, random: Random) -> Case:
    place, words = pick(case, random)
    bound, _, limit = words[1].partition("/")
    words[1] = bound if limit and random.rand() < 0.5 else f"{bound}/{int(limit or 3) + 1}"
    return with_line(case, place, " ".join(words))


def change_kind(case: Case, random: Random) -> Case:
    place, words = pick(case, random)
    words[0] = random.choice([kind for kind in "scpla" if kind != words[0]])
    return with_line(case, place, " ".join(words))


def swap_lemmas(case: Case, random: Random) -> Case:
    a, b = random.randint(len(case.body), size=2)
    body = list(case.body)
    body[a], body[b] = body[b], body[a]
    return replace(case, body=tuple(body))


LEMMA_CHANGES: list[Change] = [
    drop_lemma,
    drop_number,
    change_number,
    raise_bound,
    change_limit,
    change_kind,
    swap_lemmas,
]


def changed_twice(start: Case, random: Random, times: int) -> Iterator[tuple[str, Case]]:
    """Each change of lemmas made twice over, so many `times`, wherever it can be."""
    for change in LEMMA_CHANGES:
        for _ in range(times):
            try:
                changed = change(change(start, random), random)
            except ValueError:
                continue
            yield change.__name__, changed


def rows_kept(table: Table, keep: Any, target: Any = None) -> Table:
    target = table.target if target is None else target
    return Table(table.names, tuple(c[keep] for c in table.columns), target[keep])


def drop_row(case: Case, random: Random) -> Case:
    keep = np.arange(case.table.rows) != random.randint(case.table.rows)
    return case.with_table(rows_kept(case.table, keep))


def flip_label(case: Case, random: Random) -> Case:
    assert case.table.target is not None
    target = case.table.target.copy()
    place = random.randint(len(target))
    target[place] = random.choice([c for c in case.head["classes"] if c != target[place]])
    return case.with_table(rows_kept(case.table, slice(None), target))


def flip_cell(case: Case, random: Random) -> Case:
    columns = [column.copy() for column in case.table.columns]
    column = columns[random.randint(len(columns))]
    place = random.randint(len(column))
    column[place] = 1 - column[place]
    return case.with_table(Table(case.table.names, tuple(columns), case.table.target))


def repeat_row(case: Case, random: Random) -> Case:
    """The same row once more, with the other class: a tie, in which both are right."""
    place = random.randint(case.table.rows)
    keep = np.append(np.arange(case.table.rows), place)
    assert case.table.target is not None
    target = case.table.target[keep]
    target[-1] = random.choice([c for c in case.head["classes"] if c != target[-1]])
    columns = tuple(column[keep] for column in case.table.columns)
    return case.with_table(Table(case.table.names, columns, target))


def drop_feature(case: Case, random: Random) -> Case:
    features = list(case.head["features"])
    del features[random.randint(len(features))]
    return replace(case, head={**case.head, "features": features})


def move_threshold(case: Case, random: Random) -> Case:
    features = copy.deepcopy(case.head["features"])
    features[random.randint(len(features))][2] += random.choice([-1, 1])
    return replace(case, head={**case.head, "features": features})


def change_tree(case: Case, random: Random) -> Case:
    """Another class, another feature, sides swapped, or a subtree cut off, somewhere."""
    tree = copy.deepcopy(case.head["tree"])
    inner = list(_inner(tree))
    if not inner:
        return replace(case, head={**case.head, "tree": 1 - tree})
    node = inner[random.randint(len(inner))]
    what = random.randint(3)
    if what == 0:
        node[0] = random.randint(len(case.head["features"]))
    elif what == 1:
        node[1], node[2] = node[2], node[1]
    else:
        node[random.randint(1, 3)] = int(random.randint(len(case.head["classes"])))
    return replace(case, head={**case.head, "tree": tree})


def _inner(tree: Any) -> Iterator[list[Any]]:
    if isinstance(tree, list):
        yield tree
        yield from _inner(tree[1])
        yield from _inner(tree[2])


def change_claim(case: Case, random: Random) -> Case:
    claim = dict(case.head["claim"])
    name, by = (("nodes", 2), ("nodes", -2), ("depth", 1), ("depth", -1))[random.randint(4)]
    claim[name] += by
    return replace(case, head={**case.head, "claim": claim})


HEAD_CHANGES: list[Change] = [
    drop_row,
    flip_label,
    flip_cell,
    repeat_row,
    drop_feature,
    move_threshold,
    change_tree,
    change_claim,
]


def judged(case: Case, change: Change, random: Random, place: Path) -> str:
    """What became of the changed case: rejected, or accepted and true."""
    try:
        changed = change(case, random)
    except ValueError:
        return "could not be changed"
    if (changed.head, changed.body) == (case.head, case.body):
        return "unchanged"
    if changed.verdict(place) is not None:
        return "rejected"
    assert changed.is_true(), f"{change.__name__} made a false claim that was accepted"
    return "accepted and true"


@pytest.mark.parametrize("minimise", ["size", "depth"])
def test_corrupted_lemma_certificates(minimise: str, tmp_path: Path) -> None:
    results: Counter[str] = Counter()
    random = Random(1)
    for seed in range(8):
        bits, labels = random_table(seed, rows=10, features=6, classes=2 + seed % 2)
        case = proven_case(bits, labels, minimise, seed=seed)
        assert case is not None
        for change in (*LEMMA_CHANGES, *HEAD_CHANGES):
            for _ in range(3):
                results[judged(case, change, random, tmp_path)] += 1
    assert results["rejected"] > 230
    assert results["accepted and true"] < 80


def larger(case: Case) -> Case:
    """The same proof for the claim that a tree with two nodes more is the smallest."""
    head = copy.deepcopy(case.head)
    tree = head["tree"]
    # A leaf asks one more question, and answers the same either way.
    node, side = None, 1
    while isinstance(tree, list):
        node, tree = tree, tree[1]
    assert node is not None
    node[side] = [node[0], node[side], node[side]]
    head["claim"]["nodes"] += 2
    head["claim"]["depth"] = _depth(head["tree"])
    return replace(case, head=head)


def _depth(tree: Any) -> int:
    return 1 + max(_depth(tree[1]), _depth(tree[2])) if isinstance(tree, list) else 0


def raise_all(case: Case) -> Case:
    """Every lemma claims one more."""
    body = []
    for line in case.body:
        kind, claim, *rest = line.split()
        bound, slash, limit = claim.partition("/")
        bound = bound if bound == "inf" else str(int(bound) + 1)
        body.append(" ".join([kind, bound + slash + limit, *rest]))
    return replace(case, body=tuple(body))


def test_forged_lemma_certificates(tmp_path: Path) -> None:
    random = Random(2)
    tried = 0
    for seed in range(10):
        bits, labels = random_table(seed, rows=11, features=6, classes=2)
        case = proven_case(bits, labels, seed=seed)
        assert case is not None
        if case.head["claim"]["nodes"] < 5:
            continue
        forged = larger(case)
        assert not forged.is_true()
        last = with_line(forged, len(forged.body) - 1, raise_last(forged))
        for start in (forged, last, raise_all(forged)):
            assert start.verdict(tmp_path) is not None
            for how, changed in changed_twice(start, random, times=2):
                tried += 1
                assert changed.verdict(tmp_path) is not None, f"{how}, seed {seed}"
    assert tried > 250


def raise_last(case: Case) -> str:
    kind, bound, *rest = case.body[-1].split()
    return " ".join([kind, str(int(bound) + 1), *rest])


# ---------------------------------------------------------------------------- proofs by SAT solvers


def drop_step(case: Case, random: Random) -> Case:
    steps = [n for n, line in enumerate(case.body) if line[0].isdigit() and " d " not in line]
    return with_line(case, steps[random.randint(len(steps))], None)


def change_step(case: Case, random: Random) -> Case:
    """A literal or a hint of a step is another one."""
    steps = [n for n, line in enumerate(case.body) if line[0].isdigit() and " d " not in line]
    place = steps[random.randint(len(steps))]
    words = case.body[place].split()
    at = random.randint(1, len(words))
    words[at] = str(int(words[at]) + random.choice([-1, 1]))
    return with_line(case, place, " ".join(words))


def drop_cube(case: Case, random: Random) -> Case:
    starts = [n for n, line in enumerate(case.body) if line.startswith("cube ")]
    begin = starts[random.randint(len(starts))]
    end = begin + 1
    while end < len(case.body) and case.body[end][0].isdigit():
        end += 1
    return replace(case, body=case.body[:begin] + case.body[end:])


def drop_refutation(case: Case, random: Random) -> Case:
    starts = [n for n, line in enumerate(case.body) if line.startswith("refute ")]
    starts.append(len(case.body))
    which = random.randint(len(starts) - 1)
    return replace(case, body=case.body[: starts[which]] + case.body[starts[which + 1] :])


def change_question(case: Case, random: Random) -> Case:
    starts = [n for n, line in enumerate(case.body) if line.startswith("refute ")]
    place = starts[random.randint(len(starts))]
    old, new = (
        ('"at_most": false', '"at_most": true'),
        ('"depth": null', '"depth": 7'),
        ('"quasi_pure"', '"leaf_matches"'),
        ('"paths": ', '"paths": 1'),
        ('"digest": "', '"digest": "0'),
        ('"cut": null', '"cut": 1'),
    )[random.randint(6)]
    return with_line(case, place, case.body[place].replace(old, new))


SAT_CHANGES: list[Change] = [
    drop_step,
    change_step,
    change_step,
    drop_cube,
    drop_refutation,
    change_question,
]


@pytest.mark.parametrize("method", [m for m in METHODS if METHODS[m].exact and m != "sklearn"])
def test_corrupted_proofs_by_sat(method: str, tmp_path: Path) -> None:
    results: Counter[str] = Counter()
    random = Random(3)
    for seed in (1, 2):
        bits, labels = random_table(seed, rows=8, features=4, classes=2)
        table = table_of(bits, labels)
        dataset = make_dataset(table)
        minimise = "depth" if method.startswith("d-") else "size"
        result = solve_here(dataset, method=method, minimise=minimise, certify=True)
        assert result.certificate is not None
        case = read_case(result.certificate, table)
        assert case.verdict(tmp_path) is None
        if not case.body:
            continue
        for change in (*SAT_CHANGES, drop_row, flip_label, flip_cell, change_tree, change_claim):
            for _ in range(2):
                results[judged(case, change, random, tmp_path)] += 1
        if minimise == "size":
            assert larger(case).verdict(tmp_path) is not None
    assert results["rejected"] > 12
