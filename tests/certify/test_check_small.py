"""What the Python checker counts of small trees, many numbers at once, against numbers and trees
one by one: for any number of classes and weights, and with splits taken in blocks."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest

from dtfinder.certify import check_errors, check_small
from dtfinder.certify.check_small import Fields, SmallTrees


def planes_of(numbers: list[int]) -> list[int]:
    """The numbers, each at its place."""
    most = max(numbers).bit_length()
    return [sum((n >> k & 1) << at for at, n in enumerate(numbers)) for k in range(most)]


def numbers_of(planes: list[int], places: int) -> list[int]:
    """The numbers of planes."""
    return [sum((p >> at & 1) << k for k, p in enumerate(planes)) for at in range(places)]


@pytest.mark.parametrize("seed", range(20))
def test_many_numbers_at_once(seed: int) -> None:
    random = np.random.RandomState(seed)
    many, most = 50, int(random.choice([1, 2, 7, 100, 10**6]))
    a, b = (random.randint(0, most + 1, size=many).tolist() for _ in range(2))
    b[:5] = a[:5]
    sums = [x + y for x, y in zip(a, b, strict=True)]
    one, two = planes_of(a), planes_of(b)
    assert numbers_of(check_small.total(one, two), many) == sums
    assert numbers_of(check_small.subtract(planes_of(sums), two), many) == a


@pytest.mark.parametrize("m", [1, 7, 8, 9, 40])
@pytest.mark.parametrize("weight", [1, 60, 10**5, 10**17])
def test_numbers_of_fields(m: int, weight: int) -> None:
    random = np.random.RandomState(m)
    fields = Fields(range(min(m, 5)), m, weight)
    a, b = (random.randint(0, weight + 1, size=fields.count).tolist() for _ in range(2))
    a[0] = b[0]
    one, two = fields.numbers(a), fields.numbers(b)
    assert fields.values(one) == a
    assert fields.values(one + two) == [x + y for x, y in zip(a, b, strict=True)]
    assert fields.values(fields.smaller(one, two)) == list(map(min, a, b))
    places = [[int(random.randint(0, weight + 1)) for _ in range(m)] for _ in range(fields.count)]
    planes = [
        sum(
            (number >> digit & 1) << 8 * fields.width * field + place
            for field, numbers in enumerate(places)
            for place, number in enumerate(numbers)
        )
        for digit in range(weight.bit_length())
    ]
    assert fields.values(fields.extreme(planes, largest=True)) == list(map(max, places))
    assert fields.values(fields.extreme(planes, largest=False)) == list(map(min, places))


@pytest.mark.parametrize("rows", [0, 1, 2, 3, 7, 8, 100])
def test_counts_are_sums_of_rows(rows: int) -> None:
    random = np.random.RandomState(rows)
    digits = [[int(random.randint(2**30)) for _ in range(rows)] for _ in range(3)]
    expected = [
        sum((row >> at & 1) << k for k, mine in enumerate(digits) for row in mine)
        for at in range(30)
    ]
    assert numbers_of(check_small.count(digits), 30) == expected


class Rows:
    """Distinct rows of features with weights by class, and the least errors by trying all trees."""

    def __init__(self, seed: int) -> None:
        random = np.random.RandomState(seed)
        self.classes = 2 + seed % 3
        bits = random.rand(4 + seed % 30, 1 + seed % 9) < random.choice([0.3, 0.5])
        self.bits = np.unique(bits, axis=0)
        n = len(self.bits)
        label = (self.bits[:, 0] + self.bits[:, -1] + random.randint(2, size=n)) % self.classes
        self.net = np.zeros((n, self.classes), dtype=np.int64)
        most = int(random.choice([1, 1, 3, 1000]))
        self.net[np.arange(n), label] = random.randint(1, most + 1, size=n)
        self.net[0, 1] = 0  # else it might have weight in all classes
        self.masks = [sum(1 << int(e) for e in np.flatnonzero(column)) for column in self.bits.T]
        self.labels, self.rows = [0] * n, n * self.classes
        self.example_of_row = {row: row // self.classes for row in range(self.rows)}
        self.row_labels = [row % self.classes for row in range(self.rows)]
        data: Any = self
        data.classes = list(range(self.classes))
        self.weights = check_errors.Weights(data, self.net.ravel().tolist())
        self.table = check_small.Table(self.masks, self.weights.net)
        self.remembers = seed % 2 == 1  # what was counted of other sets

    def trees(self, inside: int) -> SmallTrees:
        """The small trees of a set."""
        table = self.table if self.remembers else check_small.Table(self.masks, self.weights.net)
        return SmallTrees(table, self.weights, inside)

    @cache  # noqa: B019
    def least(self, inside: int, inner: int, depth: int) -> int:
        """The least errors."""
        best = self.weights.leaf(inside)
        for mask in self.masks if inner and depth else ():
            one, zero = inside & mask, inside & ~mask
            for a in range(inner if one and zero else 0):
                first = self.least(one, a, depth - 1)
                if first < best:
                    best = min(best, first + self.least(zero, inner - 1 - a, depth - 1))
        return best


@pytest.mark.parametrize("block", [2**20, 3, 0])
@pytest.mark.parametrize("kept", [2**26, 0])
@pytest.mark.parametrize("seed", range(30))
def test_all_small_trees(seed: int, block: int, kept: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(check_small, "MOST_BLOCK", block)
    monkeypatch.setattr(check_small, "MOST_KEPT", kept)
    rows = Rows(seed)
    everything = rows.weights.all
    random = np.random.RandomState(seed)
    part = sum(1 << e for e in range(len(rows.bits)) if random.rand() < 0.7) & everything
    for inside in {everything, part} - {0}:
        for depth in (1, 2, 3, 9):
            inner = min(2**depth - 1, 3 if depth == 9 else 7)
            curve = [rows.least(inside, k, depth) for k in range(inner + 1)]
            assert rows.trees(inside).undercut(curve, depth) is None
            for k in range(inner + 1):
                more = [max(each, curve[k] + 1) for each in curve[: k + 1]]
                found = rows.trees(inside).undercut(more, depth)
                assert found is not None
                assert curve[found] < more[found]
                assert rows.trees(inside).undercut(curve[: k + 1], depth) is None
        trees = rows.trees(inside)
        for split, sides in enumerate(trees.sides):
            for side, members in enumerate(sides):
                for inner in (1, 2):
                    errors = rows.least(members, inner, 9)
                    for enough in (errors, errors + 1):
                        found = trees.side(split, side, inner, enough)
                        assert min(found, enough) == min(errors, enough)
