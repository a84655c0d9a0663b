"""Few examples that force a size or a depth: one engine answers questions about many subsets."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from dtfinder._core import NO_LIMIT, make_questions
from dtfinder.data.dataset import Dataset, Ints

SLICE = 200_000  # steps between two looks at the clock
MEMORY = 500_000_000  # bytes for what an engine learns

Test = Callable[[Ints], Ints | None]


@dataclass(frozen=True)
class Claim:
    """'At least `bound` inner nodes', within a limit on the depth, or 'at least this deep'."""

    bound: int
    limit: int = NO_LIMIT
    depth: bool = False


def warm_test(dataset: Dataset, inside: Ints, claim: Claim, end: float) -> Test:
    """The test whether the claim holds for a part of `inside`, by one engine that keeps what it
    learns: the examples that a proof needs, or None. Raises TimeoutError when the time is up."""
    bits = np.ascontiguousarray(dataset.bits[inside])
    _, labels = np.unique(dataset.labels[inside], return_inverse=True)
    engine = make_questions(bits, labels.astype(np.int64), claim.limit, MEMORY)

    def test(examples: Ints) -> Ints | None:
        if len(np.unique(dataset.labels[examples])) < 2:
            return None
        places = np.searchsorted(inside, examples).tolist()
        engine.ask(places, claim.bound, claim.limit, claim.depth)
        while (answer := engine.run(SLICE)) is None:
            if time.monotonic() > end:
                raise TimeoutError
        return inside[np.sort(engine.core())] if answer else None

    return test


def minimise(core: Ints, test: Test) -> tuple[Ints, bool]:
    """Leave out whatever can be, in ever smaller pieces, the last ones first."""
    pieces = [core[: len(core) // 2], core[len(core) // 2 :]]
    try:
        while pieces:
            piece = pieces.pop()
            piece = piece[np.isin(piece, core)]
            if not len(piece):
                continue
            found = test(np.setdiff1d(core, piece))
            if found is not None:
                core = found
            elif len(piece) > 1:
                pieces += [piece[: len(piece) // 2], piece[len(piece) // 2 :]]
    except TimeoutError:
        return core, False
    return core, True
