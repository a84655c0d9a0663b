"""Trees that may err against brute force: every question that can be asked of one tree."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from dtfinder import find_tree
from dtfinder.data import Dataset, Table, make_dataset
from dtfinder.errors import InfeasibleError, OptionError
from dtfinder.options import Options
from dtfinder.problem import Problem, Score
from dtfinder.search import counting
from dtfinder.solve import solve
from errors_oracle import ErrorsOracle
from small import noisy


def judged(seed: int) -> tuple[Dataset, ErrorsOracle]:
    random = np.random.RandomState(10_000 + seed)
    sizes = int(random.randint(4, 19)), int(random.randint(2, 6)), 2 + seed % 3
    dataset = noisy(seed, *sizes)
    return dataset, ErrorsOracle(dataset.bits, dataset.class_weights)


def least_cost(
    dataset: Dataset, judge: ErrorsOracle, penalty: Fraction, depth: int | None
) -> Fraction:
    shares = (Fraction(judge.errors(n, depth), dataset.n_rows) for n in range(judge.rows))
    return min(share + penalty * leaves for leaves, share in enumerate(shares, start=1))


@pytest.mark.parametrize("part", range(4))
def test_fewest_errors_within_limits_then_fewest_nodes(part: int) -> None:
    for seed in range(part, 80, 4):
        dataset, judge = judged(seed)
        for inner in (0, 1, 2, 4, 6):
            for depth in (None, 1, 2, 3):
                result = solve(dataset, Options.of(max_nodes=2 * inner + 1, max_depth=depth))
                least = judge.errors(inner, depth)
                assert (result.status, result.errors) == ("optimal", least)
                assert result.errors_lower_bound == least
                assert result.nodes // 2 == judge.size(least, depth)
                assert result.depth <= (20 if depth is None else depth)


def test_least_depth_among_the_trees_with_fewest_errors() -> None:
    for seed in range(40):
        dataset, judge = judged(seed)
        for inner in (1, 3, 5):
            options = Options.of(max_nodes=2 * inner + 1, minimise="depth")
            result = solve(dataset, options)
            least = judge.errors(inner)
            depth = next(d for d in range(20) if judge.errors(inner, d) == least)
            assert (result.status, result.errors, result.depth) == ("optimal", least, depth)
            assert result.nodes // 2 == judge.size(least, depth)


@pytest.mark.parametrize("minimise", ["size", "depth"])
def test_smallest_tree_with_few_errors(minimise: str) -> None:
    for seed in range(40):
        dataset, judge = judged(seed)
        for more in (0, 1, 2, 4):
            most = dataset.unavoidable_errors + more
            result = solve(dataset, Options.of(max_errors=most, minimise=minimise))
            assert result.status == "optimal"
            assert result.errors <= most
            if minimise == "size":
                assert result.nodes // 2 == judge.size(most)
            else:
                everything = judge.rows
                depth = next(d for d in range(20) if judge.errors(everything, d) <= most)
                assert (result.depth, result.nodes // 2) == (depth, judge.size(most, depth))


def test_limits_and_few_errors_together_may_leave_no_tree() -> None:
    refused = 0
    for seed in range(30):
        dataset, judge = judged(seed)
        for inner in (0, 1, 2):
            for most in (0, 1, 3):
                options = Options.of(max_nodes=2 * inner + 1, max_errors=most)
                if judge.errors(inner) <= most:
                    assert solve(dataset, options).nodes // 2 == judge.size(most)
                    continue
                refused += 1
                with pytest.raises(InfeasibleError, match=f"max_errors={most}"):
                    solve(dataset, options)
    assert refused > 20


@pytest.mark.parametrize("penalty", [0.003, 0.02, 0.07, 0.3])
def test_least_penalised_cost(penalty: float) -> None:
    for seed in range(40):
        dataset, judge = judged(seed)
        for depth in (None, 2):
            result = solve(dataset, Options.of(leaf_penalty=penalty, max_depth=depth))
            least = least_cost(dataset, judge, Fraction(str(penalty)), depth)
            assert result.status == "optimal"
            assert result.cost == result.cost_lower_bound == float(least)


@pytest.mark.parametrize("rows", [63, 64, 65, 127, 128, 129])
@pytest.mark.parametrize("features", [7, 8, 9])
def test_where_the_blocks_of_bits_end(rows: int, features: int) -> None:
    random = np.random.RandomState(rows * features)
    bits = random.rand(rows, features) < 0.5
    labels = (bits[:, 0] & bits[:, 1]) ^ (random.rand(rows) < 0.15)
    table = Table(
        tuple(f"f{f}" for f in range(features)),
        tuple(bits[:, f].astype(np.float64) for f in range(features)),
        np.array([f"c{int(label)}" for label in labels], dtype=object),
    )
    dataset = make_dataset(table, binarise="unary")
    judge = ErrorsOracle(dataset.bits, dataset.class_weights)
    for inner in (1, 2):
        result = solve(dataset, Options.of(max_nodes=2 * inner + 1))
        assert (result.status, result.errors) == ("optimal", judge.errors(inner))


@pytest.mark.parametrize("alone", [True, False])
def test_the_least_cost_is_proven_size_by_size(
    alone: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without the search by prices, and beside it."""
    monkeypatch.setattr(counting, "QUICK", 0)
    for seed in range(40):
        dataset, judge = judged(seed)
        penalty = Fraction(1 + seed % 7, 50 if seed % 2 else 200)
        depth = None if seed % 3 else 4
        problem = Problem(dataset, "size", depth, None, leaf_penalty=penalty)
        job = counting.counting_job(problem)
        engine = job.engine()
        if alone:
            engine.native.run(1)
            sizes = counting.SizeBySize(job)
            while not sizes.done:
                sizes.run(50, engine.native)
        while not engine.done:
            engine.run(1 if alone else 20)
        (found,) = engine.state().found
        least = least_cost(dataset, judge, penalty, depth)
        assert found.bounds.cost == least
        assert problem.cost(Score.of(found.tree, found.errors)) == least
        if alone:
            assert engine.steps < 2000


def test_shares_of_rows() -> None:
    few, share = find_tree("weather", max_errors=2), find_tree("weather", max_errors="15%")
    assert (few.nodes, few.errors) == (share.nodes, share.errors) == (5, 2)
    assert find_tree("weather", max_errors="14%").errors == 0  # 1.96 rows are one
    for wrong in ("2", "x%", "101%", "-1%"):
        with pytest.raises(OptionError, match="max_errors must be a whole number or a share"):
            find_tree("weather", max_errors=wrong)


def test_exact_methods_refuse_what_they_cannot_do() -> None:
    for given in ({"max_errors": 1}, {"leaf_penalty": 0.1}):
        with pytest.raises(OptionError, match="without avoidable errors"):
            find_tree("weather", method="cores", **given)
    with pytest.raises(OptionError, match="cannot be used together"):
        find_tree("weather", max_errors=1, leaf_penalty=0.1)


def test_a_limit_leaves_sound_bounds() -> None:
    random = np.random.RandomState(1)
    bits = random.rand(300, 40) < 0.5
    frame = {f"f{f}": bits[:, f].astype(int) for f in range(40)}
    import pandas as pd

    labels = random.randint(2, size=300)
    for limit in ({"time_limit": 0.05}, {"work_limit": 100_000}):
        result = find_tree(pd.DataFrame(frame), labels, max_nodes=21, **limit)
        assert result.status == "feasible"
        assert 0 <= result.errors_lower_bound < result.errors
        assert result.nodes <= 21


def test_the_bound_on_the_depth_holds_for_every_smallest_tree() -> None:
    for seed in range(80):
        dataset, judge = judged(seed)
        for inner in (3, 4):
            result = solve(dataset, Options.of(max_nodes=2 * inner + 1))
            size = result.nodes // 2
            least = next(d for d in range(20) if judge.errors(size, d) == result.errors)
            assert result.depth_lower_bound <= least


def test_fewer_errors_than_are_unavoidable_are_refused_with_a_cure() -> None:
    with pytest.raises(InfeasibleError) as error:
        find_tree([[0], [0], [0], [1]], [0, 1, 1, 0], max_errors=0)
    assert str(error.value) == (
        "it is proven that no tree with max_errors=0 exists (contradictory rows make 1 "
        "unavoidable); allow more errors or a larger tree"
    )
