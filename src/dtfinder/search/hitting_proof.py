"""Proofs for hitting sets: what cores show of the errors of a tree, as lines of a certificate.

Each core is an exact lemma of the engine: a tree with n inner nodes gets one of its examples wrong.
With many cores that overlap, the errors that they show together follow by counting: let each core
count a number of times, T in all, and let no example be counted more than q times for each unit
that it weighs. Then the errors weigh at least T by q, rounded up (rule `e` of
docs/certificates.md). How often each core should count is a linear program, the dual of that for
hitting sets. It is solved as a game: in each round the core counts once more whose examples were
counted least so far, with a price on each example that grows with its count (Plotkin, Shmoys,
Tardos, 1995). Where the rounds do not reach the bound, it goes without a proof, and so must not be
claimed.
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
    """Trees of up to `size` inner nodes make at least `errors` errors, the unavoidable ones not
    counted, because of these cores, each of which counts `times` times."""

    size: int
    errors: int
    times: dict[int, int]  # by place of the core


def counts(cores: Bits, weights: Ints, errors: int) -> dict[int, int] | None:
    """How often each core, a row of 0 and 1 over the examples, must count to show this many
    errors."""
    weighing = weights > 0
    heavy = np.where(weighing, weights, 1).astype(np.float64)  # cores have none without weight
    growth = GROWTH ** (heavy[weighing].min(initial=1) / heavy)
    prices, often = 1 / heavy, np.zeros(cores.shape[1], dtype=np.int64)
    times: dict[int, int] = {}
    sums = cores.astype(np.float64)
    for total in range(1, ROUNDS + 1):
        chosen = int(np.argmin(sums @ prices))
        times[chosen] = times.get(chosen, 0) + 1
        often += cores[chosen]
        if (errors - 1) * (often / heavy).max() < total and _shown(total, often, weights, errors):
            return times
        prices[cores[chosen]] *= growth[cores[chosen]]
        prices /= prices.max()
    return None


def _shown(total: int, often: Ints, weights: Ints, errors: int) -> bool:
    """Whether these counts show as many errors, in whole numbers."""
    counted = np.flatnonzero(often)
    pairs = zip(often[counted].tolist(), weights[counted].tolist(), strict=True)
    return all((errors - 1) * times < total * weight for times, weight in pairs)


def lines_of(
    bounds: list[ProvenBound],
    cores: list[ProvenCore],
    limit: int,
    questions: Questions,
    row_of_example: Ints,
) -> bytes:
    """The lines that show the bounds: exact lemmas, and for each bound what their cores show
    together. Lemmas are cited by how far back they are."""
    used = sorted({core for bound in bounds for core in bound.times})
    goals = [cores[place].lemma for place in used]
    text, places = questions.lemmas(goals, row_of_example)
    exact = text.decode().splitlines()
    lines = [f"x {line}" for line in exact]
    depth = "" if limit >= NO_LIMIT else f"/{limit}"
    back = {place: at - len(exact) for place, at in zip(used, places, strict=True)}
    for bound in bounds:
        cited = "".join(
            f" {back[place]}" + (f"*{times}" if times > 1 else "")
            for place, times in sorted(bound.times.items())
        )
        lines.append(f"e 0 {bound.size}{depth} {bound.errors}{cited}")
    return "".join(line + "\n" for line in lines).encode()
