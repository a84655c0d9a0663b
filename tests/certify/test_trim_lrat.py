"""Proofs of SAT solvers, cut down to what the empty clause needs."""

from __future__ import annotations

import pytest

from dtfinder._check import trim_lrat
from dtfinder.certify import check_sat


def number(value: int) -> bytes:
    left, made = 2 * abs(value) + (value < 0), bytearray()
    while left > 127:
        made.append(left % 128 + 128)
        left //= 128
    return bytes([*made, left])


def step(name: int, clause: list[int], hints: list[int]) -> bytes:
    return b"a" + b"".join(map(number, [name, *clause, 0, *hints, 0]))


# All four clauses over two variables; the solver gave the third input, shortened at once, two
# numbers, so the fourth one has the number 5.
FORMULA = [[1, 2], [1, -2], [-1, 2], [-1, -2]]
PROOF = [
    step(4, [-1, 2], [3]),
    step(6, [300, 1], [1, 2]),
    step(7, [1], [1, 2]),
    step(8, [], [7, 3, 5]),
]


def trimmed(proof: bytes, inputs: int) -> list[str]:
    return b"".join(trim_lrat(proof, inputs)).decode().splitlines()


def test_only_what_is_needed_is_left_with_clauses_numbered_first() -> None:
    made = trimmed(b"".join(PROOF), len(FORMULA))
    assert made == ["5 1 0 1 2 0", "6 0 5 3 4 0"]
    check_sat.check_lrat(FORMULA, made)


def test_deletions_of_the_solver_and_what_comes_after_the_end_are_left_out() -> None:
    gone = b"d" + number(6) + number(0)
    made = trimmed(b"".join([*PROOF[:3], gone, PROOF[3], gone, step(9, [3], [1])]), 4)
    assert made == trimmed(b"".join(PROOF), 4)


def test_clauses_are_deleted_after_their_last_use() -> None:
    """A chain of units, each from the one before: at the end few of them are still there."""
    inputs = [[1], *([-n, n + 1] for n in range(1, 200)), [-200]]
    steps = [step(202 + n, [n + 1], [1 if n == 1 else 201 + n, n + 1]) for n in range(1, 200)]
    made = trimmed(b"".join([*steps, step(402, [], [401, 201])]), 201)
    check_sat.check_lrat(inputs, made)
    dropped = [word for line in made if " d " in line for word in line.split()[2:-1]]
    assert len(dropped) == len(set(dropped)) > 120


@pytest.mark.parametrize(
    ("proof", "wrong"),
    [
        (b"".join(PROOF[:3]), "does not reach the empty clause"),
        (step(5, [], [1, -2]), "more than unit propagation"),
        (step(5, [], [1, 9]), "a clause that does not exist"),
        (step(5, [1], [6]) + step(6, [], [5]), "from a later one"),
        (step(5, [], [1])[:-1], "breaks off"),
        (b"x" + step(5, [], [1]), "unknown kind"),
    ],
)
def test_what_is_no_proof_is_an_error(proof: bytes, wrong: str) -> None:
    with pytest.raises(ValueError, match=wrong):
        trim_lrat(proof, 4)
