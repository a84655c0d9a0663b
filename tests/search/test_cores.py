"""The exact engine against brute force, its manners, and its proofs."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from dtfinder._core import Goal, Switches, make_engine
from dtfinder.certify.check import check
from dtfinder.certify.write import write_table
from dtfinder.data import Dataset, make_dataset, read_table
from dtfinder.errors import InfeasibleError
from dtfinder.nodes import depth_of
from dtfinder.options import Options
from dtfinder.problem import Event, Problem, Score
from dtfinder.run.stop import Flag, Stopped, Work
from dtfinder.run.team import ALONE
from dtfinder.search.cores import exact_job, search_cores
from dtfinder.search.driver import drive
from dtfinder.solve import find_tree, solve
from dtfinder.tree import Tree
from oracle import Oracle
from small import dataset_of, random_sets, random_table, table_of

SWITCHES = {
    "cache": False,
    "store": False,
    "parts": False,
    "cuts": False,
    "folds": False,
    "folds_after": 0,
    "paths": False,
    "least_path": 2,
    "ground_after": 0,
    "gain_order": False,
    "spine": False,
    "spine_after": 0,
    "improve": False,
    "any_width": True,
    "shallow": 0,
    "shrink_up_to": 0,
    "slots": 64,
    "memory": 1,
}
WIDTHS = (63, 64, 65, 127, 128, 129)


def never() -> None:
    return None


def last_tree(dataset: Dataset, events: list[Event]) -> Tree:
    return Tree.of(dataset, [e.nodes for e in events if e.nodes is not None][-1])


def search(problem: Problem, switches: dict[str, int] | None = None) -> Iterator[Event]:
    """One search by the exact engine, without asking for any tree first."""
    return drive(exact_job(problem, switches=switches), problem, never, Work(), ALONE)


def follow(problem: Problem, switches: dict[str, int] | None = None) -> tuple[Tree, list[Event]]:
    """The proven tree of the exact engine, checked, and its events."""
    events = list(search(problem, switches))
    tree = last_tree(problem.dataset, events)
    tree.check(problem.dataset)
    assert problem.met(Score.of(tree.nodes), events[-1].bounds)
    return tree, events


def tables(kind: int, count: int) -> list[tuple[np.ndarray, np.ndarray]]:
    """Random tables: small ones, many examples of a simple rule, many features."""
    made = []
    for seed in range(count):
        random = np.random.RandomState(1000 * kind + seed)
        classes = 2 + seed % 3
        if kind == 0:
            rows, features = random.randint(2, 13), random.randint(2, 8)
            made.append(random_table(seed, rows=rows, features=features, classes=classes))
            continue
        width = WIDTHS[seed % len(WIDTHS)]
        if kind == 1:
            bits = np.array(np.meshgrid(*[[False, True]] * 8)).reshape(8, -1).T
            bits = bits[random.permutation(len(bits))[:width]]
            rule = bits[:, 0].astype(int) + (bits[:, 1] & bits[:, 2]) * 2 + bits[:, 3]
            made.append((bits, np.unique(rule % classes, return_inverse=True)[1]))
        else:
            made.append(random_table(seed, rows=8, features=width, classes=classes))
    return made


@pytest.mark.parametrize(("kind", "count"), [(0, 800), (1, 60), (2, 200)])
def test_the_engine_agrees_with_brute_force(kind: int, count: int) -> None:
    for bits, labels in tables(kind, count):
        dataset, oracle = dataset_of(bits, labels), Oracle(bits, labels)
        tree, _ = follow(Problem(dataset))
        assert tree.size == oracle.size()
        if kind != 2:
            tree, _ = follow(Problem(dataset, "depth"))
            assert (tree.depth, tree.size) == oracle.depth_then_size()


@pytest.mark.parametrize("name", SWITCHES)
def test_sets_of_classes_agree_with_brute_force_under_every_switch(name: str) -> None:
    several = 0
    for seed in range(40):
        rows, features = 5 + seed % 12, 3 + seed % 5
        bits, sets = random_sets(seed, rows=rows, features=features, classes=2 + seed % 3)
        dataset, oracle = dataset_of(bits, sets), Oracle(bits, sets)
        tree, _ = follow(Problem(dataset), {name: SWITCHES[name]})
        assert (seed, tree.size) == (seed, oracle.size())
        tree, _ = follow(Problem(dataset, "depth"), {name: SWITCHES[name]})
        assert (seed, tree.depth, tree.size) == (seed, *oracle.depth_then_size())
        several += dataset.allowed is not None and tree.size > 3
    assert several > 10


@pytest.mark.parametrize("name", SWITCHES)
def test_no_switch_changes_an_optimum(name: str) -> None:
    for kind, count in ((0, 30), (1, 6), (2, 6)):
        for bits, labels in tables(kind, count):
            problem = Problem(dataset_of(bits, labels))
            switches = {name: SWITCHES[name]}
            assert follow(problem, switches)[0].size == follow(problem)[0].size


def test_limits_on_depth_and_nodes_are_kept_or_proven_impossible() -> None:
    for bits, labels in tables(0, 60):
        dataset, oracle = dataset_of(bits, labels), Oracle(bits, labels)
        least, size = oracle.depth_then_size()[0], oracle.size()
        assert size is not None
        for limit in range(max(0, least - 1), least + 2):
            for minimise in ("size", "depth"):
                problem = Problem(dataset, minimise, max_depth=limit)
                if (want := oracle.size(limit)) is None:
                    assert list(search(problem))[-1].infeasible
                    continue
                tree, _ = follow(problem)
                assert tree.depth <= limit
                assert tree.size == (want if minimise == "size" else oracle.size(least))
        for most in (size - 2, size, size + 2):
            problem = Problem(dataset, "depth", max_nodes=most)
            events = list(search(problem))
            if most < size:
                assert events[-1].infeasible
                continue
            tree = last_tree(dataset, events)
            want_depth = next(d for d in range(20) if (oracle.size(d) or 10**9) <= most)
            assert (tree.depth, tree.size) == (want_depth, oracle.size(want_depth))
            assert last_tree(dataset, list(search_cores(problem, never, Work()))).size == tree.size


def test_too_few_nodes_are_ruled_out_for_all_depths_at_once() -> None:
    dataset = make_dataset(read_table("monk2"), binarise="unary")
    size = find_tree("monk2", binarise="unary").nodes
    proven, asked = Work(), Work()
    list(search_cores(Problem(dataset, max_nodes=size - 2), never, proven))
    events = list(search_cores(Problem(dataset, "depth", max_nodes=size - 2), never, asked))
    assert events[-1].infeasible
    assert asked.spent == proven.spent


def test_a_limit_that_no_tree_keeps_is_an_error() -> None:
    with pytest.raises(InfeasibleError, match="no tree with max_nodes=7"):
        find_tree("weather", method="cores", max_nodes=7)
    with pytest.raises(InfeasibleError, match="no tree with max_depth=2"):
        find_tree("weather", method="cores", max_depth=2)


def test_bounds_only_close_in_and_every_tree_is_right() -> None:
    dataset = make_dataset(read_table("monk2"), binarise="unary")
    events = list(search(Problem(dataset)))
    lowers = [event.bounds.nodes for event in events]
    sizes = [len(event.nodes) for event in events if event.nodes is not None]
    assert lowers == sorted(lowers)
    assert sizes == sorted(sizes, reverse=True)
    assert len(set(sizes)) > 1
    for event in events:
        if event.nodes is not None:
            Tree.of(dataset, event.nodes).check(dataset)


def slices(bits: np.ndarray, labels: np.ndarray, steps: int) -> tuple[list[list[int]], int]:
    engine = make_engine(np.ascontiguousarray(bits), labels.astype(np.int64), Goal(), Switches())
    while not engine.done:
        engine.run(steps)
    return engine.tree(), engine.steps


def test_slices_of_any_length_compute_the_same() -> None:
    dataset = make_dataset(read_table("monk2"), binarise="unary")
    runs = [slices(dataset.bits, dataset.labels, steps) for steps in (97, 5000, 10**9)]
    assert runs[0] == runs[1] == runs[2]


def hard_table(rows: int = 150, features: int = 60) -> Dataset:
    random = np.random.RandomState(3)
    return dataset_of(random.rand(rows, features) < 0.5, np.arange(rows) % 2)


def test_a_work_limit_ends_the_run_at_the_same_point() -> None:
    runs = [solve(hard_table(), Options.of(work_limit=200_000)) for _ in range(2)]
    assert [run.status for run in runs] == ["feasible"] * 2
    assert runs[0].stopped_by == "work limit"
    assert runs[0].tree == runs[1].tree
    assert runs[0].bounds == runs[1].bounds
    assert runs[0].stats == runs[1].stats
    assert 200_000 <= runs[0].stats["work"] < 210_000


def test_the_stop_rules_are_asked_often() -> None:
    flag, asked = Flag(), []

    def stop() -> str | None:
        asked.append(time.process_time())
        if len(asked) == 30:
            flag.set()
        return flag()

    with pytest.raises(Stopped, match="interrupted"):
        list(search_cores(Problem(hard_table()), stop, Work()))
    assert np.median(np.diff(asked)) < 0.1


def test_facts_are_dropped_when_memory_runs_out() -> None:
    switches = Switches()
    dataset = make_dataset(read_table("monk2"), binarise="unary")
    labels = dataset.labels.astype(np.int64)
    switches.memory = 200_000
    engine = make_engine(np.ascontiguousarray(dataset.bits), labels, Goal(), switches)
    peak = 0
    for _ in range(200):
        engine.run(20_000)
        peak = max(peak, engine.bytes)
        if engine.done:
            break
    assert peak < 2_000_000
    assert engine.tree()


def test_long_chains_do_not_overflow_the_stack() -> None:
    rows = 1500  # x <= t for every t, and classes that alternate: every cut is needed
    bits = np.tril(np.ones((rows, rows - 1), dtype=bool), -1)
    engine = make_engine(bits, np.arange(rows, dtype=np.int64) % 2, Goal(), Switches())
    while not engine.done:
        engine.run(10**7)
    assert engine.lower == rows - 1
    assert len(engine.tree()) == 2 * rows - 1


def test_labels_and_rows_must_match() -> None:
    with pytest.raises(ValueError, match="one label per row"):
        make_engine(np.zeros((2, 2), dtype=bool), np.zeros(3, dtype=np.int64), Goal(), Switches())
    with pytest.raises(ValueError, match="at least one row"):
        make_engine(np.zeros((0, 2), dtype=bool), np.zeros(0, dtype=np.int64), Goal(), Switches())


@pytest.mark.parametrize("minimise", ["size", "depth"])
def test_what_is_proven_comes_with_a_certificate(minimise: str, tmp_path: Path) -> None:
    for seed in range(40):
        bits, labels = random_table(seed, rows=2 + seed % 13, features=7, classes=2)
        dataset = make_dataset(table_of(bits, labels))
        result = solve(dataset, Options.of(minimise=minimise, certify=True))
        assert result.certificate is not None
        result.certificate.save(tmp_path / "proof")
        write_table(dataset.table, tmp_path / "table.csv")
        said = check(str(tmp_path / "proof"), str(tmp_path / "table.csv"))
        assert said.startswith(f"VERIFIED: the tree of {result.nodes} nodes")


def test_certificates_hold_for_more_classes(tmp_path: Path) -> None:
    for seed in range(20):
        bits, labels = random_table(seed, rows=14, features=7, classes=3 + seed % 2)
        dataset = make_dataset(table_of(bits, labels))
        result = solve(dataset, Options.of(method="cores", certify=True, max_depth=5))
        assert result.certificate is not None
        result.certificate.save(tmp_path / "proof")
        write_table(dataset.table, tmp_path / "table.csv")
        assert check(str(tmp_path / "proof"), str(tmp_path / "table.csv")).startswith("VERIFIED")


def test_trees_of_one_leaf_and_of_one_split() -> None:
    bits = np.array([[False], [True]])
    assert follow(Problem(dataset_of(bits, np.array([0, 0]))))[0].size == 1
    tree, _ = follow(Problem(dataset_of(bits, np.array([0, 1])), "depth"))
    assert (tree.size, depth_of(tree.nodes)) == (3, 1)
