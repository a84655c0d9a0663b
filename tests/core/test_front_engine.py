"""The counting engine through its bindings, against brute force and the values of a known table."""

from functools import cache
from itertools import product

import numpy as np
import pytest
from numpy.typing import NDArray

from dtfinder import _core


def make_table(seed: int) -> tuple[NDArray[np.bool_], NDArray[np.int64]]:
    """Distinct rows with weights for two to four classes, some of them contradictory."""
    random = np.random.default_rng(seed)
    columns = int(random.integers(2, 6))
    rows = np.array(list(product([False, True], repeat=columns)))
    random.shuffle(rows)
    rows = np.ascontiguousarray(rows[: random.integers(1, min(len(rows), 20) + 1)])
    weights = random.integers(0, 4, (len(rows), random.integers(2, 5)))
    weights *= random.integers(0, 2, weights.shape)
    return rows, np.ascontiguousarray(weights, dtype=np.int64)


class BruteForce:
    """Least errors and least cost by trying every feature at every set of rows."""

    def __init__(self, bits: NDArray[np.bool_], weights: NDArray[np.int64]) -> None:
        self.bits, self.weights = bits, weights
        self.all = frozenset(range(len(bits)))
        self.errors = cache(self._errors)
        self.cost = cache(self._cost)

    def leaf(self, rows: frozenset[int]) -> int:
        sums = self.weights[sorted(rows)].sum(axis=0)
        return int(sums.sum() - sums.max())

    def splits(self, rows: frozenset[int]) -> list[tuple[frozenset[int], frozenset[int]]]:
        halves = []
        for f in range(self.bits.shape[1]):
            one = frozenset(r for r in rows if self.bits[r, f])
            if one and one != rows:
                halves.append((rows - one, one))
        return halves

    def _errors(self, rows: frozenset[int], inner: int, depth: int) -> int:
        best = self.leaf(rows)
        if min(inner, depth) > 0:
            for zero, one in self.splits(rows):
                for a in range(inner):
                    found = self.errors(zero, a, depth - 1) + self.errors(
                        one, inner - 1 - a, depth - 1
                    )
                    best = min(best, found)
        return best

    def _cost(self, rows: frozenset[int], unit: int, leaf: int, depth: int) -> int:
        best = unit * self.leaf(rows) + leaf
        if depth > 0:
            for zero, one in self.splits(rows):
                found = self.cost(zero, unit, leaf, depth - 1) + self.cost(
                    one, unit, leaf, depth - 1
                )
                best = min(best, found)
        return best


def run(
    bits: NDArray[np.bool_],
    weights: NDArray[np.int64],
    goal: _core.FrontGoal,
    switches: _core.FrontSwitches | None = None,
    steps: int = 10000,
) -> _core.FrontEngine:
    engine = _core.make_front_engine(bits, weights, goal, switches or _core.FrontSwitches())
    while not engine.done:
        engine.run(steps)
    return engine


def errors_of(bits: NDArray[np.bool_], weights: NDArray[np.int64], tree: list[list[int]]) -> int:
    errors = 0
    for row, by_class in zip(bits, weights, strict=True):
        feature, zero, one, label = tree[0]
        while feature >= 0:
            feature, zero, one, label = tree[one if row[feature] else zero]
        errors += int(by_class.sum() - by_class[label])
    return errors


@pytest.mark.parametrize("seed", range(40))
def test_front_is_that_of_brute_force(seed: int) -> None:
    bits, weights = make_table(seed)
    brute = BruteForce(bits, weights)
    goal = _core.FrontGoal()
    goal.max_inner = 6
    if seed % 2:
        goal.max_depth = 1 + seed % 4
    engine = run(bits, weights, goal, steps=1 + 97 * seed)
    points = engine.points()
    for inner, lower, upper in points:
        assert lower == upper == brute.errors(brute.all, inner, min(goal.max_depth, 6))
        assert errors_of(bits, weights, engine.tree(inner)) == upper
    assert points[-1][0] == 6 or points[-1][1] == brute.errors(brute.all, 6, min(goal.max_depth, 6))


@pytest.mark.parametrize("seed", range(40))
def test_other_goals_are_those_of_brute_force(seed: int) -> None:
    bits, weights = make_table(seed)
    brute = BruteForce(bits, weights)
    goal = _core.FrontGoal()
    goal.kind = "errors"
    goal.max_depth = seed % 4
    engine = run(bits, weights, goal)
    want = brute.errors(brute.all, 7, goal.max_depth)
    assert engine.errors == engine.errors_lower == want
    assert errors_of(bits, weights, engine.best_tree()) == want
    fewest = next(n for n in range(8) if brute.errors(brute.all, n, goal.max_depth) == want)
    assert engine.inner == engine.inner_lower == fewest

    goal.kind = "size"
    goal.max_errors = want - 1
    assert run(bits, weights, goal).infeasible
    goal.max_errors = want
    assert run(bits, weights, goal).inner == fewest

    goal.kind = "cost"
    goal.error_price, goal.leaf_price = 2, 1 + seed % 5
    assert run(bits, weights, goal).cost == brute.cost(
        brute.all, 2, goal.leaf_price, goal.max_depth
    )


def noisy_table() -> tuple[NDArray[np.bool_], NDArray[np.int64]]:
    random = np.random.default_rng(7)
    bits = np.unique(random.random((200, 24)) < 0.5, axis=0)
    labels = (bits[:, 0] ^ (bits[:, 1] & bits[:, 2])) ^ (random.random(len(bits)) < 0.35)
    return np.ascontiguousarray(bits), np.stack([~labels, labels], axis=1).astype(np.int64)


def test_switches_slices_and_kernels_leave_the_front_alone() -> None:
    bits, weights = noisy_table()
    goal = _core.FrontGoal()
    goal.max_inner = 6
    want = run(bits, weights, goal).points()
    assert [lower for _, lower, _ in want] == [upper for _, _, upper in want]
    for name in (
        "cache",
        "similar",
        "siblings",
        "parents",
        "triples",
        "chains",
        "improve",
        "order",
    ):
        switches = _core.FrontSwitches()
        setattr(switches, name, False)
        assert run(bits, weights, goal, switches).points() == want, name
    switches = _core.FrontSwitches()
    switches.kernel, switches.memory = 0, 1
    assert run(bits, weights, goal, switches, steps=777).points() == want
    assert run(bits, weights, goal, steps=50).steps == run(bits, weights, goal).steps


@pytest.mark.parametrize("ones", [30, 254, 255, 256])
def test_counts_fit_at_the_ends_of_a_byte(ones: int) -> None:
    """Small sets may be counted in bytes: no class weighs more than 255."""
    random = np.random.default_rng(ones)
    numbers = random.permutation(4096)[: 2 * ones]
    bits = np.ascontiguousarray((numbers[:, None] >> np.arange(12)) & 1 == 1)
    bits = np.concatenate([bits, random.random((len(bits), 30)) < 0.5], axis=1)
    labels = np.arange(len(bits)) < ones
    bits[:, 0] = labels ^ (random.random(len(bits)) < 0.4)
    weights = np.stack([~labels, labels], axis=1).astype(np.int64)
    for depth in (3, _core.UNLIMITED):
        goal = _core.FrontGoal()
        goal.max_inner, goal.max_depth = 4, depth
        portable = _core.FrontSwitches()
        portable.kernel = 0
        want = run(bits, weights, goal, portable)
        found = run(bits, weights, goal)
        assert found.points() == want.points()
        assert [found.tree(n) for n in range(5)] == [want.tree(n) for n in range(5)]
        assert found.steps == want.steps


def fewest_at_depth_three(bits: NDArray[np.bool_], weights: NDArray[np.int64]) -> int:
    """By products of matrices: the weight of each class in each quadrant of two columns."""

    def one_split(sums: NDArray[np.int64], part: NDArray[np.int64]) -> NDArray[np.int64]:
        """The least errors of sets that a column cuts into a part and the rest."""
        rest = sums - part
        cut = sums.sum(axis=-1) - part.max(axis=-1) - rest.max(axis=-1)
        return np.asarray(cut.min(axis=-1))

    def two_levels(of: NDArray[np.int64]) -> int:
        columns = bits.astype(np.int64)
        single = columns.T @ of
        pairs = np.stack([columns.T @ (columns * w[:, None]) for w in of.T], axis=-1)
        ones = one_split(single[:, None, :], pairs)
        none = one_split((of.sum(axis=0) - single)[:, None, :], single[None, :, :] - pairs)
        return int((ones + none).min())

    halves = (two_levels(weights * bits[:, [f]]) for f in range(bits.shape[1]))
    others = (two_levels(weights * ~bits[:, [f]]) for f in range(bits.shape[1]))
    return min(a + b for a, b in zip(halves, others, strict=True))


@pytest.mark.parametrize(
    ("rows", "columns", "classes", "heaviest"),
    [(200, 70, 2, 1), (900, 40, 2, 1), (700, 66, 2, 2), (400, 35, 3, 1), (300, 20, 2, 40_000)],
)
def test_all_kernels_count_wide_tables_alike(
    rows: int, columns: int, classes: int, heaviest: int
) -> None:
    """Vectors end within the columns, and triples are counted anew or kept."""
    random = np.random.default_rng(columns)
    bits = random.random((rows, columns)) < random.random(columns) * 0.8
    bits = np.unique(bits, axis=0)
    label = np.where(random.random(len(bits)) < 0.2, 0, (bits[:, 0] ^ bits[:, -1]) + bits[:, 7])
    weights = np.zeros((len(bits), classes), dtype=np.int64)
    weights[np.arange(len(bits)), label % classes] = random.integers(1, heaviest + 1, len(bits))
    goal = _core.FrontGoal()
    goal.kind, goal.max_depth = "errors", 3
    want = fewest_at_depth_three(bits, weights)
    for kernel, dense in product((-1, 0, 1), (0, 1000)):
        switches = _core.FrontSwitches()
        switches.kernel, switches.dense = kernel, dense
        engine = run(bits, weights, goal, switches)
        assert (engine.errors, engine.errors_lower) == (want, want), (kernel, dense)


def test_bounds_and_trees_come_from_outside() -> None:
    bits, weights = noisy_table()
    goal = _core.FrontGoal()
    goal.max_inner = 6
    solved = run(bits, weights, goal)
    engine = _core.make_front_engine(bits, weights, goal, _core.FrontSwitches())
    for inner, lower, _ in solved.points():
        engine.offer(solved.tree(inner))
        engine.raise_lower(inner, lower)
    while not engine.done:
        engine.run(1000)
    assert engine.points() == solved.points()
    assert engine.steps < solved.steps / 5
    for wrong in ([], [[0, 0, 0, 0]], [[24, 1, 2, -1], [-1, -1, -1, 0], [-1, -1, -1, 0]], [[0, 1]]):
        with pytest.raises(ValueError, match=r"tree|feature|node"):
            engine.offer(wrong)


def test_messages_carry_facts() -> None:
    bits, weights = noisy_table()
    goal = _core.FrontGoal()
    goal.max_inner = 6
    writer = _core.make_front_engine(bits, weights, goal, _core.FrontSwitches())
    writer.share()
    while not writer.done:
        writer.run(10000)
    message = writer.write_facts(1000)
    assert message.count("\n") > 5
    reader = _core.make_front_engine(bits, weights, goal, _core.FrontSwitches())
    reader.share()
    reader.read_facts(message)
    while not reader.done:
        reader.run(10000)
    assert reader.points() == writer.points()
    assert reader.steps < writer.steps
    for wrong in (
        "1",
        message.replace(" 0 ", " x ", 1),
        message.splitlines()[0][:-1],
        "1 2 3 4 5 6 7 8 9 zz",
    ):
        with pytest.raises(ValueError, match="not a fact"):
            reader.read_facts(wrong)


def test_joined_engines_agree_with_one() -> None:
    bits, weights = noisy_table()
    goal = _core.FrontGoal()
    goal.max_inner = 6
    first, second = (
        _core.make_front_engine(bits, weights, goal, _core.FrontSwitches()) for _ in range(2)
    )
    second.join(first)
    while not (first.done or second.done):
        first.run(2000)
        second.run(2000)
    assert (first if first.done else second).points() == run(bits, weights, goal).points()


def test_what_makes_no_sense_is_refused() -> None:
    bits, weights = noisy_table()
    goal = _core.FrontGoal()
    with pytest.raises(ValueError, match="kind"):
        goal.kind = "best"
    with pytest.raises(ValueError, match="negative"):
        _core.make_front_engine(bits, -weights, goal, _core.FrontSwitches())
    with pytest.raises(ValueError, match="weights"):
        _core.make_front_engine(bits, weights[1:], goal, _core.FrontSwitches())
    goal.kind, goal.max_inner = "cost", 5
    with pytest.raises(ValueError, match="inner"):
        _core.make_front_engine(bits, weights, goal, _core.FrontSwitches())


def test_a_long_search_for_the_least_cost_raises_its_bound_on_the_way() -> None:
    random = np.random.default_rng(0)
    bits = np.unique(random.random((200, 40)) < 0.5, axis=0)
    weights = np.eye(2, dtype=np.int64)[random.integers(0, 2, len(bits))]
    goal = _core.FrontGoal()
    goal.kind, goal.error_price, goal.leaf_price = "cost", 2, 5
    engine = _core.make_front_engine(bits, weights, goal, _core.FrontSwitches())
    bounds = [engine.cost_lower]
    while not engine.done:
        engine.run(1_000_000)
        if engine.cost_lower > bounds[-1]:
            bounds.append(engine.cost_lower)
            assert engine.cost_lower <= engine.cost
    assert bounds[0] == goal.leaf_price
    assert bounds[-1] == engine.cost
    assert len(bounds) > 3
