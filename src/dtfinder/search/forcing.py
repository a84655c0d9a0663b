"""Few examples that force a size or a depth: one engine answers questions about many subsets.

Where features are rare, a linear program is asked beside it once the engine has had its chance, as
in a run (docs/engine.md, 'Spines'): it answers for the very examples that it was asked about.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from itertools import count

import numpy as np

from dtfinder._core import NO_LIMIT, Spine, make_questions, make_spine, suits_spine
from dtfinder.data.dataset import Bits, Dataset, Ints

SLICE = 200_000  # steps between two looks at the clock
ALONE = 10  # slices for the engine before the linear program is asked, too
SHARE = 4  # slices for that, for each one of the engine
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
    if claim.bound < 2:
        return lambda examples: _two_classes(dataset, examples)
    bits = np.ascontiguousarray(dataset.bits[inside])
    every, allowed = dataset.set_labels
    kept, labels = np.unique(every[inside], return_inverse=True)
    sets = None if allowed is None else np.ascontiguousarray(allowed[kept])
    engine = make_questions(bits, labels.astype(np.int64), claim.limit, MEMORY, allowed=sets)

    def test(examples: Ints) -> Ints | None:
        if dataset.sets[examples].all(axis=0).any():  # a leaf is enough
            return None
        places = np.searchsorted(inside, examples)
        engine.ask(places.tolist(), claim.bound, claim.limit, claim.depth)
        program: Spine | None = None
        for turn in count():
            if (answer := engine.run(SLICE)) is not None:
                return inside[np.sort(engine.core())] if answer else None
            if turn == ALONE:
                program = _program(bits[places], labels[places], sets, claim)
            if program is not None:
                try:
                    smaller = program.run(SHARE * SLICE)
                except RuntimeError:  # numerical trouble
                    program = None
                else:
                    if smaller is not None:
                        return None if smaller else examples
            if time.monotonic() > end:
                break
        raise TimeoutError

    return test


def _two_classes(dataset: Dataset, examples: Ints) -> Ints | None:
    """Any two classes need a split."""
    if dataset.allowed is not None:
        return impure_few(dataset.allowed, examples)
    _, firsts = np.unique(dataset.labels[examples], return_index=True)
    return examples[np.sort(firsts)[:2]] if len(firsts) > 1 else None


def impure_few(allowed: Bits, examples: Ints) -> Ints | None:
    """A few of the examples that have no class in common, of those that allow sets; None if all
    have one. Each that is chosen leaves fewest of the classes that all before it allow."""
    chosen: list[int] = []
    left = np.arange(allowed.shape[1])
    while len(left):
        counts = allowed[np.ix_(examples, left)].sum(axis=1)
        if not (counts < len(left)).any():
            return None
        best = int(counts.argmin())
        chosen.append(int(examples[best]))
        left = left[allowed[chosen[-1], left]]
    return np.sort(np.array(chosen, dtype=np.int64))


def _program(bits: Bits, labels: Ints, allowed: Bits | None, claim: Claim) -> Spine | None:
    """A linear program that looks for a tree smaller than the claim, if that is worth it. Labels
    are classes or rows of `allowed`."""
    if claim.depth or claim.limit < NO_LIMIT:
        return None
    bits = np.ascontiguousarray(bits)
    kept, labels = np.unique(labels, return_inverse=True)
    sets = None if allowed is None else np.ascontiguousarray(allowed[kept])
    if not suits_spine(bits, labels, sets):
        return None
    made = make_spine(bits, labels, 0, sets)
    made.ask(claim.bound - 1)
    return made


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
