"""Linear programs over spines: the same optima as exhaustive search, proofs that the checker takes,
and their part in a run of the engine."""

from __future__ import annotations

from pathlib import Path
from threading import Thread
from typing import Any

import numpy as np
import pytest

from dtfinder._core import Engine, Goal, Spine, Switches, make_engine, make_spine
from dtfinder.certify.check import check
from dtfinder.certify.write import make_certificate, write_table
from dtfinder.nodes import Node
from dtfinder.problem import Problem
from dtfinder.proof import SPINE, SpineProof
from dtfinder.tree import Tree
from oracle import Oracle
from small import dataset_of, rare_table


def climb(spine: Spine) -> int:
    """The least number of inner nodes."""
    most = 0
    while not answer_of(spine, most):
        most += 1
    return most


def answer_of(spine: Spine, most: int) -> bool:
    spine.ask(most)
    while (answer := spine.run(100_000)) is None:
        pass
    return answer


@pytest.mark.parametrize("largest", [1, 2, 4])
@pytest.mark.parametrize("classes", [2, 3])
def test_agrees_with_exhaustive_search(largest: int, classes: int) -> None:
    for seed in range(12):
        bits, labels = rare_table(seed, classes=classes)
        spine = make_spine(bits, labels, largest)
        least = climb(spine)
        assert 2 * least + 1 == Oracle(bits, labels).size()
        tree = spine.tree()
        assert len(tree) == 2 * least + 1
        for row, label in zip(bits, labels, strict=True):
            at = 0
            while tree[at][0] >= 0:
                at = tree[at][2] if row[tree[at][0]] else tree[at][1]
            assert tree[at][3] == label


@pytest.mark.parametrize("largest", [1, 2, 4])
@pytest.mark.parametrize("classes", [2, 3, 4])
def test_sets_of_classes(largest: int, classes: int, tmp_path: Path) -> None:
    several = 0
    for seed in range(12):
        bits, labels = rare_table(seed, rows=9, classes=classes)
        sets = np.random.default_rng(seed).random((len(bits), classes)) < 0.3
        sets[np.arange(len(bits)), labels] = True
        dataset = dataset_of(bits, sets)
        if dataset.allowed is None or (size := Oracle(bits, sets).size()) == 1:
            continue
        of_set, allowed = dataset.set_labels
        spine = make_spine(bits, of_set, largest, allowed)
        least = climb(spine)
        assert 2 * least + 1 == size
        tree = Tree.of(dataset, [Node(*node) for node in spine.tree()])
        assert tree.check(dataset) == 0
        proof = SpineProof(spine.proof(dataset.first_rows))
        certificate = make_certificate(Problem(dataset), tree, [proof])
        assert certificate.kind == SPINE
        certificate.save(tmp_path / "proof.cert")
        write_table(dataset.table, tmp_path / "table.csv")
        said = check(str(tmp_path / "proof.cert"), str(tmp_path / "table.csv"))
        assert said.startswith("VERIFIED")
        several += 1
    assert several > 5


@pytest.mark.parametrize("largest", [1, 3])
def test_the_checker_takes_its_proofs(largest: int, tmp_path: Path) -> None:
    for seed in range(100, 106):
        bits, labels = rare_table(seed, rows=9)
        dataset = dataset_of(bits, labels)
        spine = make_spine(bits, labels, largest)
        least = climb(spine)
        tree = Tree.of(dataset, [Node(*node) for node in spine.tree()])
        proof = SpineProof(spine.proof(dataset.first_rows))
        certificate = make_certificate(Problem(dataset), tree, [proof])
        assert certificate.kind == SPINE
        certificate.save(tmp_path / "cert")
        write_table(dataset.table, tmp_path / "table.csv")
        said = check(str(tmp_path / "cert"), str(tmp_path / "table.csv"))
        assert f"no tree with fewer than {2 * least + 1} nodes" in said


def make_engines(bits: Any, labels: Any, count: int, **switches: Any) -> list[Engine]:
    """Engines that have joined; programs from the start."""
    chosen = Switches()
    for name, value in ({"proof": True, "spine_after": 0} | switches).items():
        setattr(chosen, name, value)
    engines = [make_engine(bits, labels, Goal(), chosen) for _ in range(count)]
    for engine in engines[1:]:
        engine.join(engines[0])
    return engines


def hard_table(seed: int) -> tuple[Any, ...]:
    return rare_table(seed, rows=45, columns=4, values=12)


def run_engine(seed: int, slice_: int = 100_000, *, spine: bool = True) -> tuple[Any, ...]:
    bits, labels = hard_table(seed)
    [engine] = make_engines(bits, labels, 1, spine=spine)
    while not engine.done:
        engine.run(slice_)
    return engine, engine.spine_text(np.arange(len(bits)))


def test_takes_part_in_a_run_and_can_be_switched_off() -> None:
    engine, text = run_engine(5)
    alone, no_text = run_engine(5, spine=False)
    assert text.startswith(b"spine ")
    assert not no_text
    assert engine.lower == alone.lower == len(engine.tree()) // 2 == len(alone.tree()) // 2


def test_slices_change_nothing() -> None:
    ends = [run_engine(4, slice_) for slice_ in (300, 10_000_000)]
    assert ends[0][1] == ends[1][1]
    assert ends[0][0].steps == ends[1][0].steps
    assert ends[0][0].tree() == ends[1][0].tree()


@pytest.mark.parametrize("seed", range(3))
def test_an_engine_that_comes_late(seed: int) -> None:
    """It works on the question that the others have got to, which is above its own bound, and may
    be the one who finds the tree."""
    bits, labels = hard_table(seed)
    [alone] = make_engines(bits, labels, 1)
    while not alone.done:
        alone.run(100_000)
    for ahead in (0.5, 0.7, 0.9):
        first, late = make_engines(bits, labels, 2)
        while first.steps < ahead * alone.steps:
            first.run(2000)
        assert not first.done

        def work(first: Engine, late: Engine) -> None:
            while not (first.done or late.done):
                late.run(100_000)
                first.run(1000)

        running = Thread(target=work, args=(first, late), daemon=True)
        running.start()
        running.join(60)
        assert not running.is_alive()
        best = max(first, late, key=lambda engine: engine.done)
        assert best.lower == alone.lower == len(best.tree()) // 2


def test_an_engine_that_gives_up_leaves_its_cases_to_others() -> None:
    bits, labels = hard_table(1)
    rows = np.arange(len(bits))
    [alone] = make_engines(bits, labels, 1)
    while not alone.done:
        alone.run(100_000)
    gave_up = 0
    for memory in (1_000_000, 10_000_000, 16_000_000):
        [small] = make_engines(bits, labels, 1, memory=memory)
        [other] = make_engines(bits, labels, 1)
        other.join(small)
        while not small.done and small.steps < 2 * alone.steps:
            small.run(100_000)
        gave_up += not small.done and small.spine_text(rows).startswith(b"spine ")
        while not other.done and other.steps < 3 * alone.steps:
            other.run(100_000)
        assert other.done
        assert other.lower == alone.lower == len(other.tree()) // 2
        assert other.spine_text(rows).startswith(b"spine ")
    assert gave_up


@pytest.mark.parametrize("improve", [False, True])
def test_an_engine_that_gives_up_goes_on_with_cores(improve: bool) -> None:
    bits, labels = rare_table(0, rows=24, columns=4, values=8)
    both = {"spine": False}, {"memory": 100_000, "improve": improve}
    sizes = []
    for switches in both:
        [engine] = make_engines(bits, labels, 1, **switches)
        while not engine.done:
            engine.run(100_000)
        assert 2 * engine.lower + 1 == len(engine.tree())
        assert not engine.spine_text(np.arange(len(bits)))
        sizes.append(engine.lower)
    assert sizes[0] == sizes[1]


@pytest.mark.parametrize("threads", [2, 4])
def test_engines_on_threads_prove_together(threads: int, tmp_path: Path) -> None:
    """Whoever refutes the last case, every engine has the whole proof."""
    for seed in range(3):
        bits, labels = hard_table(seed)
        dataset = dataset_of(bits, labels)
        engines = make_engines(bits, labels, threads)

        def work(engine: Engine) -> None:
            while not any(each.done for each in engines):  # noqa: B023
                engine.run(5000)

        running = [Thread(target=work, args=(engine,)) for engine in engines]
        for thread in running:
            thread.start()
        for thread in running:
            thread.join()
        best = max(engines, key=lambda engine: (engine.done, engine.lower))
        tree = Tree.of(dataset, [Node(*node) for node in best.tree()])
        text = best.spine_text(dataset.first_rows)
        assert text.startswith(b"spine ")
        certificate = make_certificate(Problem(dataset), tree, [SpineProof(text)])
        certificate.save(tmp_path / "cert")
        write_table(dataset.table, tmp_path / "table.csv")
        said = check(str(tmp_path / "cert"), str(tmp_path / "table.csv"))
        assert f"no tree with fewer than {tree.size} nodes" in said
        assert tree.size == 2 * best.lower + 1
