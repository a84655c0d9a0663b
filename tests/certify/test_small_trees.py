"""The compiled checker counts small trees as the Python one does: in every width of numbers, on
every kind of machine, for any number of classes, with more columns than fit into a block, and on
parts of the table."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pytest

from dtfinder._check import check_errors as compiled_check
from dtfinder.certify import check_errors, compiled
from dtfinder.certify.compiled import _ErrorLemmas


class Table:
    """Distinct rows of features with a weight for each class, as the checkers read them."""

    def __init__(self, bits: Any, weights: Any) -> None:
        n, classes = weights.shape
        self.masks = [sum(1 << int(e) for e in np.flatnonzero(column)) for column in bits.T]
        self.labels, self.classes, self.rows = [0] * n, list(range(classes)), n * classes
        self.example_of_row = {row: row // classes for row in range(self.rows)}
        self.row_labels = [row % classes for row in range(self.rows)]
        self.weights = check_errors.Weights(self, weights.ravel().tolist())

    def holds(self, kind: Any, lines: list[str], prices: Any = None) -> bool:
        """Whether a checker accepts the lines."""
        proof = kind(self, self.weights, prices)
        try:
            proof.read(lines)
        except ValueError:
            return False
        return True

    def largest(self, kind: Any, before: list[str], line: str, prices: Any = None) -> int:
        """The largest bound that a checker accepts in place of `?`."""
        low, high = 0, 2
        while self.holds(kind, [*before, line.replace("?", str(high))], prices):
            low, high = high, 4 * high
            if high > 10**17:
                return -1
        while high - low > 1:
            middle = (low + high) // 2
            if self.holds(kind, [*before, line.replace("?", str(middle))], prices):
                low = middle
            else:
                high = middle
        return low


@pytest.mark.parametrize("kernel", [0, 1, 2])
@pytest.mark.parametrize(
    ("classes", "heaviest"), [(2, 1), (2, 3), (2, 5000), (2, 10**9), (3, 1), (3, 10**14), (5, 2)]
)
def test_both_count_alike(
    classes: int, heaviest: int, kernel: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(compiled, "check_errors", partial(compiled_check, kernel=kernel))
    random = np.random.RandomState(classes)
    bits = np.unique(random.rand(40, 18) < 0.5, axis=0)
    label = (bits[:, 0] + 2 * bits[:, 17] + random.randint(2, size=len(bits))) % classes
    weights = np.zeros((len(bits), classes), dtype=np.int64)
    weights[np.arange(len(bits)), label] = random.randint(1, heaviest + 1, size=len(bits))
    weights[: len(bits) // 5] += random.randint(0, heaviest + 1, size=(len(bits) // 5, classes))
    table = Table(bits, weights)
    lines = ["c 0 1 ?", "c 0 2 ?", "c 0 */2 ?", "s 0 3 ?", "c 0 $/2 ?"]
    cases: list[tuple[list[str], str]] = [([], line) for line in lines]
    for part in ("r 0 +17", "r 0 -3", "r 0 x 1 3 5 7 40 41"):
        cases += [([part], line) for line in ("c -1 3 ?", "c -1 */3 ?")]
    positive = 0
    for before, line in cases:
        prices = (2, max(1, heaviest // 7)) if "$" in line else None
        bound = table.largest(_ErrorLemmas, before, line, prices)
        positive += bound > 0
        for more in (0, 1):
            proof = [*before, line.replace("?", str(bound + more))]
            assert table.holds(check_errors.Lemmas, proof, prices) == (more == 0), proof
    assert positive >= 5
