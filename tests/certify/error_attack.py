"""Attacks on proofs about errors: changed lines, claims, trees, weights and tables.

Whatever is still accepted must be true by brute force, and both checkers must agree on every file.
The test suite tries a few thousand changes; for more:

    PYTHONPATH=tests python -m certify.error_attack 100000
"""

from __future__ import annotations

import copy
import gzip
import json
import re
import sys
import tempfile
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from certify.error_case import ErrorCase, proven, random_rows, with_table
from dtfinder import find_front, find_tree
from dtfinder.data import Table
from dtfinder.errors import InfeasibleError

KINDS = ("errors", "size", "depth", "none", "cost", "front")
Random = np.random.RandomState
Change = Callable[[ErrorCase, Random], ErrorCase]


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
    at = 2 if words[0] == "x" else 3
    if words[at].isdigit():
        words[at] = str(int(words[at]) + 1)
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
    at = 2 if line[0] == "x" and random.rand() < 0.8 else 0  # the kind of an exact lemma
    return with_line(case, place, line[:at] + str(random.choice(list("cspkex"))) + line[at + 1 :])


def drop_word(case: ErrorCase, random: Random) -> ErrorCase:
    place, line = pick(case, random)
    words = line.split(" ")
    del words[random.randint(1, len(words))]
    return with_line(case, place, " ".join(words))


def count_often(case: ErrorCase, random: Random) -> ErrorCase:
    """How often a lemma counts: the last one of a line, or any that counts several times."""
    place, line = pick(case, random)
    often = random.choice([0, 1, 2, 3, 999999999])
    several = [place for place, line in enumerate(case.body) if "*" in line[4:]]
    if several and random.rand() < 0.5:
        place = several[random.randint(len(several))]
        words = case.body[place].split("*")
        at = random.randint(1, len(words))
        words[at] = str(often) + words[at].lstrip("0123456789")
        return with_line(case, place, "*".join(words))
    return with_line(case, place, f"{line}*{often}")


def another_exact(case: ErrorCase, random: Random) -> ErrorCase:
    """One more core, one less, or the same one again, for as many errors or one more."""
    places = [place for place, line in enumerate(case.body) if line[0] == "e"]
    if not places:
        return case
    place = places[random.randint(len(places))]
    words = case.body[place].split(" ")
    dice = random.rand()
    if dice < 0.3 and len(words) > 5:
        del words[random.randint(4, len(words))]
    elif dice < 0.6:
        words.append(words[random.randint(4, len(words))])
    else:
        words.append(f"-{random.randint(1, 6)}")
    words[3] = str(int(words[3]) + random.randint(2))
    return with_line(case, place, " ".join(words))


def weaker_exact(case: ErrorCase, random: Random) -> ErrorCase:
    """An exact lemma of fewer rows, or of other ones."""
    places = [place for place, line in enumerate(case.body) if line[0] == "x"]
    if not places:
        return case
    place = places[random.randint(len(places))]
    words = case.body[place].split(" ")
    at = random.randint(3, len(words)) if len(words) > 3 else 2
    if random.rand() < 0.5:
        del words[at]
    else:
        words[at] = str(random.randint(case.table.rows))
    return with_line(case, place, " ".join(words))


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
    another_exact,
    weaker_exact,
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


def change_words(case: ErrorCase, random: Random) -> ErrorCase:
    """The words say something else than the numbers: another number, or nothing."""

    def change(head: dict[str, Any]) -> None:
        found = list(re.finditer(r"\d+", head.get("words", "")))
        if not found:
            head["words"] = random.choice(["", "no tree makes less"])
            return
        at, words = found[random.randint(len(found))], head["words"]
        number = int(at[0]) + int(random.choice([-1, 1]))
        head["words"] = f"{words[: at.start()]}{number}{words[at.end() :]}"

    return with_head(case, change)


CLAIM_CHANGES: list[Change] = [
    change_words,
    claim_number,
    claim_limit,
    claim_better,
    change_tree,
    change_weight,
    change_table,
]


def engine_case(kind: str, seed: int) -> ErrorCase:
    """A claim of the kind with the engine's own proof; small enough for brute force."""
    random = Random(seed)
    table = random_rows(seed, 11 + seed % 5, 5, 2 + seed % 2)
    weights = random.randint(1, 6, size=table.rows) if seed % 4 == 3 and kind != "none" else None
    depth = [None, 2, 3, 4, 5][random.randint(5)]
    asked: dict[str, Any] = {"max_depth": depth, "certify": True}
    if kind == "front":
        certificate = find_front(table, weights=weights, **asked).certificate
    elif kind == "cost":
        penalty = [0.01, 0.03, 0.1][random.randint(3)]
        certificate = find_tree(table, weights=weights, leaf_penalty=penalty, **asked).certificate
    else:
        asked["max_nodes"] = [3, 7, 9, 11][random.randint(4)]
        fewest = find_tree(table, weights=weights, **asked)
        certificate = fewest.certificate
        unit = float(fewest.weight_unit or 1)
        most = {"max_errors": int(fewest.errors * unit) + int(random.randint(3))}
        if kind == "none":
            if fewest.errors == 0:
                return engine_case(kind, seed + 1000)
            certificate = None
            try:
                find_tree(table, **asked | {"max_errors": fewest.errors - 1})
            except InfeasibleError as error:
                certificate = error.certificate
        elif kind in ("size", "depth"):
            found = find_tree(table, weights=weights, minimise=kind, **asked | most)
            certificate = found.certificate
    assert certificate is not None
    head, *lines = gzip.decompress(certificate.data).decode().splitlines()
    return ErrorCase(table, json.loads(head), tuple(lines))


def attack(
    kind: str,
    seeds: range,
    times: int,
    place: Path,
    make: Callable[[str, int], ErrorCase] = proven,
) -> Counter[str]:
    """Change proofs and claims; both checkers agree, and what they accept is true."""
    results: Counter[str] = Counter()
    for seed in seeds:
        random = Random(seed)
        start = make(kind, seed)
        assert start.verdicts(place) == [None, None], start
        for change in (*PROOF_CHANGES, *CLAIM_CHANGES):
            for _ in range(times):
                if not start.body and change in PROOF_CHANGES:
                    continue
                case = change(start, random)
                if change is not change_words and random.rand() < 0.9:  # numbers alone
                    case = with_head(case, lambda head: head.pop("words", None))
                if random.rand() < 0.3 and case.body:
                    again = PROOF_CHANGES[random.randint(len(PROOF_CHANGES))]
                    with suppress(ValueError, IndexError):  # a line has lost a word already
                        case = again(case, random)
                python, compiled = case.verdicts(place)
                assert (python is None) == (compiled is None), (case, python, compiled)
                if python is None:
                    assert case.is_true(), case
                    assert change is not change_words, case
                results["accepted" if python is None else "rejected"] += 1
    return results


def main(wanted: int, first: int = 1000) -> None:
    """Attack until so many files were judged: proofs of the engine and of the plain prover."""
    results: Counter[str] = Counter()
    seed = first
    with tempfile.TemporaryDirectory() as place:
        while sum(results.values()) < wanted:
            for kind in KINDS:
                for make in (proven, engine_case):
                    results += attack(kind, range(seed, seed + 1), 5, Path(place), make)
            seed += 1
            sys.stdout.write(f"{seed} {dict(results)}\n")
            sys.stdout.flush()


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
