"""A prover with no tricks: it emits lemmas for all rules of the certificate, by plain recursion.

`prove` returns lemmas 'no tree of depth <= limit with fewer than bound inner nodes classifies C'
as the lines of a certificate, the last one for all examples. It is slow and knows nothing of the
engine; it is here to test the checker before, and beside, what the engine writes.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import combinations
from math import inf
from typing import Any

import numpy as np


class Prover:
    """Lemmas for one table of distinct rows; `labels` are classes, or rows of booleans that say
    which classes are allowed."""

    def __init__(self, bits: Any, labels: Any, seed: int = 0) -> None:
        self.bits, labels = np.asarray(bits, dtype=bool), np.asarray(labels)
        if labels.ndim == 1:
            labels = labels[:, None] == np.arange(labels.max() + 1)
        self.sets = [frozenset(np.flatnonzero(row).tolist()) for row in labels]
        self.classes = range(labels.shape[1])
        self.n, self.width = self.bits.shape
        self.random = np.random.RandomState(seed)
        self.lines: list[str] = []
        self.known: dict[tuple[frozenset[int], float, float], int] = {}
        self.cost = lru_cache(maxsize=None)(self._cost)
        self.used = dict.fromkeys("scpa", 0)

    def common(self, inside: frozenset[int]) -> frozenset[int]:
        """The classes that all of the examples allow."""
        return frozenset(self.classes).intersection(*(self.sets[e] for e in inside))

    def _cost(self, inside: frozenset[int], limit: float) -> float:
        """The least number of inner nodes, by exhaustion."""
        if self.common(inside):
            return 0
        if limit == 0:
            return inf
        return 1 + min(
            (self.cost(a, limit - 1) + self.cost(b, limit - 1) for a, b in self.sides(inside)),
            default=inf,
        )

    def sides(self, inside: frozenset[int]) -> list[tuple[frozenset[int], frozenset[int]]]:
        found = []
        for f in range(self.width):
            one = frozenset(e for e in inside if self.bits[e, f])
            if one and one != inside:
                found.append((one, inside - one))
        return found

    def splitting(self, inside: frozenset[int]) -> set[int]:
        rows = self.bits[sorted(inside)]
        return set(np.flatnonzero(rows.any(axis=0) & ~rows.all(axis=0)).tolist())

    def shrink(self, inside: frozenset[int], bound: float, limit: float) -> frozenset[int]:
        """A least subset that still costs as much."""
        for e in self.random.permutation(sorted(inside)).tolist():
            if self.cost(inside - {e}, limit) >= bound:
                inside = inside - {e}
        return inside

    def prove(self, inside: frozenset[int], bound: float, limit: float = inf) -> int:
        """The number of a lemma for a subset of `inside`, which must cost `bound`."""
        if bound == inf and limit == inf:
            raise ValueError("nothing costs that much")
        core = self.shrink(inside, bound, limit)
        key = (core, bound, limit)
        if key not in self.known:
            found = self._by_parts(*key)
            if found is None:
                found = self._by_apart(*key)
            self.known[key] = self._by_split(*key) if found is None else found
        return self.known[key]

    def _by_parts(self, core: frozenset[int], bound: float, limit: float) -> int | None:
        """Two parts of the core, or a part and a pair, that no feature splits together."""
        if bound == inf or bound < 2 or self.random.rand() < 0.3:
            return None
        for a, b in combinations(sorted(core), 2):
            if self.sets[a] & self.sets[b]:
                continue
            taken = sorted(self.splitting(frozenset((a, b))))
            alike: dict[bytes, set[int]] = {}
            for e in core:
                alike.setdefault(self.bits[e, taken].tobytes(), set()).add(e)
            for part in map(frozenset, alike.values()):
                if self.cost(part, limit) >= bound - 1:
                    cited = self.prove(part, bound - 1, limit)
                    return self.emit("p", bound, limit, [cited], [a, b])
        return None

    def _by_apart(self, core: frozenset[int], bound: float, limit: float) -> int | None:
        """Examples of the core that need a leaf each."""
        if bound == inf or bound < 2 or self.random.rand() < 0.7:
            return None
        for chosen in combinations(sorted(core), int(bound) + 1):
            if all(self.are_apart(a, b, core) for a, b in combinations(chosen, 2)):
                return self.emit("a", bound, limit, [], [*chosen, *sorted(core - set(chosen))])
        return None

    def are_apart(self, a: int, b: int, core: frozenset[int]) -> bool:
        """Whether no leaf that is right for the core holds both: it would hold all between them."""
        alike = self.bits[a] == self.bits[b]
        between = [e for e in core if (self.bits[e] == self.bits[a])[alike].all()]
        return any(not self.common(frozenset((a, b, e))) for e in between)

    def _by_split(self, core: frozenset[int], bound: float, limit: float) -> int:
        cuts = limit == inf and self.cuts_allowed(core, bound) and self.random.rand() < 0.7
        cited = set()
        for one, zero in self.sides(core):
            if cuts and 1 in (len(one), len(zero)):
                continue
            needed = bound - 1
            by_cost = sorted((one, zero), key=lambda side: -self.cost(side, limit - 1))
            for side in by_cost:
                take = min(self.cost(side, limit - 1), needed)
                if take > 1 and limit > 1:  # an impure side needs no lemma to cost 1
                    cited.add(self.prove(side, take, limit - 1))
                needed = 0 if take == inf else needed - take
        return self.emit("c" if cuts else "s", bound, limit, sorted(cited), sorted(core))

    def cuts_allowed(self, core: frozenset[int], bound: float) -> bool:
        isolated = {next(iter(s)) for pair in self.sides(core) for s in pair if len(s) == 1}
        outside = [{e for e in core if k not in self.sets[e]} for k in self.classes]
        return all(len(others) >= bound or others - isolated for others in outside)

    def emit(self, kind: str, bound: float, limit: float, cited: list[int], rows: list[int]) -> int:
        here = len(self.lines)
        claim = ("inf" if bound == inf else str(int(bound))) + (
            "" if limit == inf else f"/{int(limit)}"
        )
        words = [kind, claim, *(str(c - here) for c in cited), *map(str, rows)]
        self.lines.append(" ".join(words))
        self.used[kind] += 1
        return here

    def prove_all(self, minimise: str, max_depth: int | None = None) -> tuple[float, float]:
        """Lemmas for the optimum of all examples; its inner nodes and depth limit."""
        everything = frozenset(range(self.n))
        if minimise == "size":
            limit = inf if max_depth is None else max_depth
            inner = self.cost(everything, limit)
            if inner:
                self.prove(everything, inner, limit)
            return inner, limit
        depth = next(d for d in range(self.width + 1) if self.cost(everything, d) < inf)
        inner = self.cost(everything, depth)
        if depth:
            self.prove(everything, inf, depth - 1)
            self.prove(everything, inner, depth)
        return inner, depth

    def tree(self, inside: frozenset[int], limit: float) -> Any:
        """A least tree, as a certificate nests it."""
        if common := self.common(inside):
            return min(common)
        best = self.cost(inside, limit)
        for f in range(self.width):
            one = frozenset(e for e in inside if self.bits[e, f])
            zero = inside - one
            attained = 1 + self.cost(one, limit - 1) + self.cost(zero, limit - 1)
            if one and zero and attained == best:
                return [f, self.tree(zero, limit - 1), self.tree(one, limit - 1)]
        raise AssertionError("no feature attains the cost")
