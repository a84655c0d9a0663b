"""A prover with no tricks for claims about errors: plain recursion that writes lemmas of all kinds.

It knows nothing of the engine or of the checkers, and judges every claim by brute force: `errors`
is E(C, n, d) for the weights as they are given. It is here to test the checkers.
"""

from __future__ import annotations

from collections import Counter
from functools import lru_cache
from math import inf
from typing import Any

import numpy as np

from certify.prover import Prover

Members = frozenset[int]


class ErrorProver:
    """Lemmas for one table of distinct rows, `weights[e][c]` the weight of example e in class c."""

    def __init__(
        self, bits: Any, weights: Any, rows: list[int], prices: Any = None, seed: int = 0
    ) -> None:
        self.bits = np.asarray(bits, dtype=bool)
        self.weights = [list(map(int, each)) for each in weights]
        self.common = [min(each) if len(each) > 1 else 0 for each in self.weights]
        self.net = [[w - m for w in ws] for ws, m in zip(self.weights, self.common, strict=True)]
        self.unavoidable = sum(m * (len(self.weights[0]) - 1) for m in self.common)
        self.rows, self.prices = rows, prices
        self.n, self.width = self.bits.shape
        self.all = frozenset(range(self.n))
        self.random = np.random.RandomState(seed)
        self.lines: list[str] = []
        self.sets: dict[Members, int] = {}
        self.lemmas: dict[Any, int] = {}
        self.used = dict.fromkeys("rcspkxe", 0)
        self.exact = Prover(self.bits, [net.index(max(net)) for net in self.net], seed)
        self.exact_lines = 0  # that were written down
        self.least = lru_cache(maxsize=None)(self._least)
        self.cost = lru_cache(maxsize=None)(self._cost)
        self.cuts = lru_cache(maxsize=None)(self._cuts)

    # --------------------------------------------------------------------------------- the truth
    def leaf(self, inside: Members) -> int:
        sums = [sum(self.net[e][c] for e in inside) for c in range(len(self.net[0]))]
        return sum(sums) - max(sums)

    def lost(self, inside: Members) -> int:
        return sum(sum(self.net[e]) for e in inside)

    def _cuts(self, inside: Members) -> list[tuple[int, Members, Members]]:
        found: dict[Members, tuple[int, Members, Members]] = {}
        for f in range(self.width):
            one = frozenset(e for e in inside if self.bits[e, f])
            zero = inside - one
            if one and zero and one not in found and zero not in found:
                found[one] = (f, one, zero)
        return list(found.values())

    def _least(self, inside: Members, n: int, d: float) -> int:
        """Net E(inside, n, d), by exhaustion."""
        best = self.leaf(inside)
        if n == 0 or d == 0 or best == 0:
            return best
        for _, one, zero in self.cuts(inside):
            for a in range(n):
                best = min(best, self.least(one, a, d - 1) + self.least(zero, n - 1 - a, d - 1))
        return best

    def _cost(self, inside: Members, d: float) -> int:
        """P(inside, d)."""
        errors, price = self.prices
        best = int(errors * self.leaf(inside))
        if d == 0 or best == 0:
            return best
        for _, one, zero in self.cuts(inside):
            best = min(best, int(price + self.cost(one, d - 1) + self.cost(zero, d - 1)))
        return best

    def errors(self, n: float, d: float) -> int:
        """The least errors of all, with the unavoidable ones."""
        return self.least(self.all, int(min(n, self.n - 1)), d) + self.unavoidable

    def tree(self, inside: Members, n: int, d: float, priced: bool = False) -> Any:
        """A best tree, as a certificate nests it."""
        best = self.cost(inside, d) if priced else self.least(inside, n, d)
        leaf = self.leaf(inside) * (self.prices[0] if priced else 1)
        if leaf == best:
            sums = [sum(self.net[e][c] for e in inside) for c in range(len(self.net[0]))]
            return sums.index(max(sums))
        for f, one, zero in self.cuts(inside):
            for a in range(1 if priced else n):
                if priced:
                    total = self.prices[1] + self.cost(one, d - 1) + self.cost(zero, d - 1)
                else:
                    total = self.least(one, a, d - 1) + self.least(zero, n - 1 - a, d - 1)
                if total == best:
                    return [
                        f,
                        self.tree(zero, n - 1 - a, d - 1, priced),
                        self.tree(one, a, d - 1, priced),
                    ]
        raise AssertionError("no feature attains the least errors")

    # --------------------------------------------------------------------------------- the lemmas
    def set_word(self, inside: Members) -> str:
        """The name of a set; a line defines it if it is new."""
        if inside == self.all:
            return "0"
        if inside not in self.sets:
            words = self.by_path(inside)
            if words is None or self.random.rand() < 0.2:
                chosen = [str(self.rows[e]) for e in sorted(inside)]
                outside = [str(self.rows[e]) for e in sorted(self.all - inside)]
                drop = self.random.rand() < 0.5
                words = ["0", "x", *outside] if drop else ["=", *chosen]
            self.lines.append(" ".join(["r", *words]))
            self.used["r"] += 1
            self.sets[inside] = len(self.sets)
        return str(self.sets[inside] - len(self.sets))

    def by_path(self, inside: Members) -> list[str] | None:
        """The set as one side of a set that is known, or of all."""
        for known in [*list(self.sets)[::-1], self.all]:
            if inside < known:
                for f, one, zero in self.cuts(known):
                    if inside in (one, zero):
                        word = "0" if known == self.all else str(self.sets[known] - len(self.sets))
                        return [word, f"{'+' if inside == one else '-'}{f}"]
        return None

    def emit(self, kind: str, inside: Members, n: Any, d: float, e: int, cited: Any = ()) -> int:
        word = self.set_word(inside)
        here = len(self.lemmas)
        budget = f"{n}" if d == inf else f"{n}/{int(d)}"
        cites = [f"{c - here}" + (f"*{t}" if t > 1 else "") for c, t in cited]
        self.lines.append(" ".join([kind, word, budget, str(e), *cites]))
        self.used[kind] += 1
        self.lemmas[here, inside, n, d, e] = here
        return here

    def find(self, inside: Members, n: Any, d: float, e: int) -> int | None:
        """A lemma that shows as much already, by fact 2."""
        rate = self.prices[0] if n == "$" else 1
        for (_, other, m, depth, bound), number in self.lemmas.items():
            if (m == "$") != (n == "$") or depth < d or (n != "$" and m < n):
                continue
            if bound - rate * self.lost(other - inside) >= e:
                return number
        return None

    def prove(self, inside: Members, n: int, d: float, e: int) -> int:
        """The number of a lemma that shows E(inside, n, d) >= e, which must hold."""
        assert self.least(inside, n, d) >= e
        known = self.find(inside, n, d, e)
        if known is not None:
            return known
        if self.random.rand() < 0.3:  # fewer rows show the same
            for member in self.random.permutation(sorted(inside)).tolist():
                if self.least(inside - {member}, n, d) >= e and self.random.rand() < 0.5:
                    inside = inside - {member}
        dice = self.random.rand()
        if dice < 0.25:
            made = self.by_parts(inside, n, d, e)
            if made is not None:
                return made
        if dice > 0.7:
            made = self.by_exact(inside, n, d, e)
            if made is not None:
                return made
        if (n <= 3 or d <= 3) and dice < 0.7:
            return self.emit("c", inside, n, d, e)
        cited: dict[int, int] = {}
        for _, one, zero in self.cuts(inside) if n > 0 and d > 0 else ():
            for a in range(n):
                self.prove_sides(one, zero, a, n - 1 - a, d - 1, e, cited)
        return self.emit("s", inside, n, d, e, cited.items())

    def prove_sides(
        self, one: Members, zero: Members, a: int, b: int, d: float, e: int, cited: dict[int, int]
    ) -> None:
        first = min(self.least(one, a, d), e)
        second = e - first
        for side, share, bound in ((one, a, first), (zero, b, second)):
            if bound > 0 and (share > 2 or self.random.rand() < 0.2):
                cited[self.prove(side, share, d, bound)] = 1

    def by_parts(self, inside: Members, n: int, d: float, e: int) -> int | None:
        """Two halves; or all sets that lack one of three parts, each of which has most of it."""
        order = self.random.permutation(sorted(inside)).tolist()
        thirds = [frozenset(order[start::3]) for start in range(3)]
        parts = [inside - third for third in thirds]
        bounds = [self.least(part, n, d) for part in parts]
        if -(-sum(bounds) // 2) >= e:
            return self.emit("p", inside, n, d, e, self.cite(parts, bounds, n, d))
        for cut in range(1, len(order)):
            parts = [frozenset(order[:cut]), frozenset(order[cut:])]
            bounds = [self.least(part, n, d) for part in parts]
            if sum(bounds) >= e:
                return self.emit("p", inside, n, d, e, self.cite(parts, bounds, n, d))
        return None

    def by_exact(self, inside: Members, n: int, d: float, e: int) -> int | None:
        """Examples that no tree of that size classifies, and all that no tree avoids."""
        floor = sum(sum(self.net[m]) - max(self.net[m]) for m in inside)
        gap = {m: max(self.net[m]) - sorted([0, *self.net[m]])[-2] for m in inside}
        dear = frozenset(m for m in inside if floor + gap[m] >= e and gap[m] > 0)
        if not dear or self.exact.cost(dear, d) <= n:
            return None
        bound: float = n + 1
        if d < inf and self.exact.cost(dear, d) == inf and self.random.rand() < 0.5:
            bound = inf
        number = self.exact.prove(dear, bound, d)
        self.write_exact()
        core = next(core for (core, *_), at in self.exact.known.items() if at == number)
        back = f"{number - self.exact_lines}"
        if core not in self.sets and core != self.all and self.random.rand() < 0.3:
            self.lines.append(f"r e {back}")
            self.sets[core] = len(self.sets)
        if core in self.sets:
            inside = core
            floor = sum(sum(self.net[m]) - max(self.net[m]) for m in inside)
            if floor + min(gap[m] for m in core) < e:
                return None
        cited, shown = [back], e
        again = self.random.rand()
        if again < 0.3:  # as often as one likes
            cited = [f"{back}*{self.random.randint(1, 5)}"]
        elif again < 0.7 and inside != core:
            cited, shown = self.several_cores(dear, number, gap, n, d)
            shown = max(e, floor + shown)
        word = self.set_word(inside)  # its lines do not count
        here = len(self.lemmas)
        budget = f"{n}" if d == inf else f"{n}/{int(d)}"
        self.lines.append(f"e {word} {budget} {shown} {' '.join(cited)}")
        self.used["e"] += 1
        self.lemmas[here, inside, n, d, shown] = here
        return here

    def write_exact(self) -> None:
        """The exact lemmas that are not written down yet."""
        for line in self.exact.lines[self.exact_lines :]:
            kind, claim, *words = line.split(" ")
            rows = [w if w[0] == "-" else str(self.rows[int(w)]) for w in words]
            self.lines.append(" ".join(["x", kind, claim, *rows]))
            self.used["x"] += 1
        self.exact_lines = len(self.exact.lines)

    def several_cores(
        self, dear: Members, number: int, gap: dict[int, int], n: int, d: float
    ) -> tuple[list[str], int]:
        """The core of this number and others, each without an example of that one; and what they
        show together."""
        cores = {at: core for (core, *_), at in self.exact.known.items()}
        numbers = [number]
        for member in sorted(cores[number]):
            if len(numbers) < 5 and self.exact.cost(dear - {member}, d) > n:
                numbers.append(self.exact.prove(dear - {member}, n + 1, d))
        self.write_exact()
        cores = {at: core for (core, *_), at in self.exact.known.items()}
        often = Counter(member for each in numbers for member in cores[each])
        shown = min(-(-len(numbers) * gap[m] // times) for m, times in often.items())
        return [str(each - self.exact_lines) for each in numbers], shown

    def cite(self, parts: Any, bounds: list[int], n: int, d: float) -> list[tuple[int, int]]:
        return [
            (self.emit("c", part, n, d, bound) if n <= 3 else self.prove(part, n, d, bound), 1)
            for part, bound in zip(parts, bounds, strict=True)
            if bound > 0
        ]

    def prove_cost(self, inside: Members, d: float, v: int) -> int:
        """The number of a lemma that shows P(inside, d) >= v."""
        known = self.find(inside, "$", d, v)
        if known is not None:
            return known
        errors, price = self.prices
        dice = self.random.rand()
        if (4 * price >= v or d <= 3) and dice > 0.3 and dice < 0.7:
            return self.emit("c", inside, "$", d, v)
        if price > 0 and v <= 6 * price and dice < 0.5:
            cited = []
            for k in range(len(inside)):
                need = -(-(v - price * k) // errors)
                if need > 0 and (k > 0 or self.leaf(inside) < need):
                    cited.append((self.prove(inside, k, d, need), 1))
            return self.emit("k", inside, "$", d, v, cited)
        found: dict[int, int] = {}
        for _, one, zero in self.cuts(inside) if d > 0 else ():
            first = min(self.cost(one, d - 1), max(v - price, 0))
            for side, bound in ((one, first), (zero, v - price - first)):
                if bound > 0:
                    found[self.prove_cost(side, d - 1, bound)] = 1
        return self.emit("s", inside, "$", d, v, found.items())
