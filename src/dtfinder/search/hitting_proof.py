"""Proofs for hitting sets: what cores show of the errors of a tree, as lines of a certificate.

Each core is an exact lemma of the engine: a tree with n inner nodes gets one of its examples wrong,
which costs what the lightest of them weighs. With many cores that overlap, the errors that they
show together follow by counting: let each core count so many times, and let q be the most times
that one example is counted. Then the errors weigh at least the sum over all cores by q, rounded up
(rule `p` of docs/certificates.md). How often each core should count is a linear program, the dual
of that for hitting sets. It is solved as a game: in each round the core counts once more whose
examples were counted least so far, with a price on each example that grows with its count (Plotkin,
Shmoys, Tardos, 1995). Most hitting sets of cores of trees have no gap to the linear program; where
the rounds do not reach the bound, it goes without a proof, and so must not be claimed.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dtfinder._core import NO_LIMIT, Questions
from dtfinder.data.dataset import Bits, Ints

ROUNDS = 2000
GROWTH = 1.1  # of the price of an example with each count


@dataclass(frozen=True)
class ProvenCore:
    """Examples that need more than `size` inner nodes, by a lemma of the exact engine."""

    lemma: int
    size: int
    examples: Ints


@dataclass(frozen=True)
class ProvenBound:
    """Trees of up to `size` inner nodes have so many errors, the unavoidable ones not counted,
    because of these cores, each of which counts so many times."""

    size: int
    errors: int
    times: dict[int, int]  # by place of the core


def counts(cores: Bits, weights: Ints, errors: int) -> dict[int, int] | None:
    """How often each core, a row of 0 and 1 over the examples, must count for so many errors."""
    worth = np.array([int(weights[core].min()) for core in cores])
    prices, often = np.ones(cores.shape[1]), np.zeros(cores.shape[1], dtype=np.int64)
    times: dict[int, int] = {}
    total = 0
    sums = cores.astype(np.float64)
    for _ in range(ROUNDS):
        chosen = int(np.argmin(sums @ prices / worth))
        times[chosen] = times.get(chosen, 0) + 1
        total += int(worth[chosen])
        often += cores[chosen]
        if -(-total // int(often.max())) >= errors:
            return times
        prices[cores[chosen]] *= GROWTH
        prices /= prices.max()
    return None


def lines_of(
    bounds: list[ProvenBound],
    cores: list[ProvenCore],
    weights: Ints,
    limit: int,
    questions: Questions,
    row_of_example: Ints,
) -> bytes:
    """The lines that show the bounds: exact lemmas, the set and the errors of each core, and the
    sums. Lemmas are cited by how far back they are."""
    used = sorted({core for bound in bounds for core in bound.times})
    goals = [cores[place].lemma for place in used]
    text, places = questions.lemmas(goals, row_of_example)
    exact = text.decode().splitlines()
    lines = [f"x {line}" for line in exact]
    depth = "" if limit >= NO_LIMIT else f"/{limit}"
    for place, at in zip(used, places, strict=True):
        core, back = cores[place], at - len(exact)
        lines.append(f"r e {back}")
        lines.append(f"e -1 {core.size}{depth} {int(weights[core.examples].min())} {back}")
    for number, bound in enumerate(bounds):
        cited = "".join(
            f" {used.index(place) - len(used) - number}" + (f"*{times}" if times > 1 else "")
            for place, times in sorted(bound.times.items())
        )
        lines.append(f"p 0 {bound.size}{depth} {bound.errors}{cited}")
    return "".join(line + "\n" for line in lines).encode()
