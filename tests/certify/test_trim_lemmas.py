"""Proofs by lemmas, cut down: what was valid stays valid and proves the same.

`tests/core/trim.cpp` does this for random proofs; here are those that once were spoilt.
"""

from __future__ import annotations

from time import perf_counter

import numpy as np
import pytest

from dtfinder._check import check_lemmas, trim_lemmas

BITS = np.array([[1, 1, 1, 1], [0, 1, 1, 0], [0, 1, 0, 0], [0, 0, 0, 0], [1, 0, 1, 0]], dtype=bool)
LABELS = np.array([2, 1, 2, 0, 0], dtype=np.int64)
ROWS = np.arange(5, dtype=np.int64)


def trimmed(text: str) -> str:
    return trim_lemmas(BITS, LABELS, ROWS, ROWS, text.encode()).decode()


def proven(text: str) -> dict[int, int]:
    return check_lemmas(BITS, LABELS, ROWS, text.encode())


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("s 2/3 1 0 2\ns 2 -1\nc 3 -1 -2 4 3\n", id="a bound that needs a limit"),
        pytest.param("s inf/0 0 1\n", id="limit 0"),
        pytest.param("s 3/0 0 1\ns 2/1 -1 0 1 2 3\n", id="limit 0 cited"),
        pytest.param("s 0 0 1\n", id="bound 0"),
        pytest.param("s 1 0 1\ns 2 -1 0 1 2 3 4\n", id="bound 1"),
        pytest.param("s 999999999/0 0 1\n", id="a large bound"),
    ],
)
def test_a_trimmed_proof_proves_the_same(text: str) -> None:
    start = perf_counter()
    made = trimmed(text)
    assert perf_counter() - start < 5
    assert proven(made) == proven(text)


def test_what_is_not_needed_goes() -> None:
    """Only the last lemma is a goal, and it needs the rows of the others alone."""
    assert trimmed("s 1 0 1\ns 1 1 3\ns 2 -1 -2 2\n") == "s 2 2 0 1 3\n"


@pytest.mark.parametrize(
    "text",
    ["x 2 0 1", "s", "s 2", "s -1 0", "s 2/-1 0 1", "s 2 5", "s 2 -1", "s 2 0*2 1", "s 2 0 1x"],
)
def test_other_text_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=f"not a lemma: {text}".replace("*", r"\*")):
        trimmed(text)
