"""The compiled checker of lemmas, and what makes proofs shorter; `src/core/check/bindings.cpp`."""

from numpy import bool_, int64
from numpy.typing import NDArray

INFINITE: int

def check_lemmas(
    bits: NDArray[bool_],
    labels: NDArray[int64],
    example_of_row: NDArray[int64],
    text: bytes,
    allowed: NDArray[bool_] | None = None,
) -> dict[int, int]:
    """Check all lemmas; the best bound proven under each limit, or a ValueError. Labels are classes
    or, with `allowed`, its rows, which say which classes each label allows."""

def check_errors(
    bits: NDArray[bool_],
    weights: NDArray[int64],
    example_of_row: NDArray[int64],
    error_price: int,
    inner_price: int,
    text: bytes,
    kernel: int = 2,
) -> dict[tuple[int, int, bool], int]:
    """Check all lemmas about errors; the best bound for each number of inner nodes and depth, apart
    for costs, or a ValueError. `kernel` is the best kind of loops that may be used: 0 portable,
    1 AVX2, 2 AVX-512."""

def trim_lemmas(
    bits: NDArray[bool_],
    labels: NDArray[int64],
    example_of_row: NDArray[int64],
    row_of_example: NDArray[int64],
    text: bytes,
    allowed: NDArray[bool_] | None = None,
) -> bytes:
    """A proof of the same with usually fewer lemmas; a ValueError if it does not hold, or if a line
    is not a lemma."""

def trim_lrat(proof: bytes, inputs: int) -> list[bytes]:
    """The steps of a binary LRAT proof that its empty clause needs, as lines that number the
    `inputs` clauses first, in pieces of text that need not end with a line; a ValueError if it has
    no empty clause, or steps that are not RUP."""
