import os
import signal
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from benchmarks.guard import Record, Verdict, compare, instances, measure, read, write

from dtfinder.data import make_dataset, read_table

OLD = Record("optimal", 13, 4, 13, 3, {"steps": 10_000, "bytes": 500})


def verdict(new: Record, aim: str = "size", old: Record = OLD) -> Verdict:
    return compare({f"vote, {aim}": old}, {f"vote, {aim}": new})


def test_the_same_is_neither_worse_nor_better() -> None:
    same = verdict(OLD)
    assert (same.wrong, same.worse, same.better, same.compared) == ([], [], [], 1)


@pytest.mark.parametrize(
    ("new", "aim"),
    [
        (replace(OLD, nodes=15, lower_nodes=15), "size"),
        (replace(OLD, nodes=11, lower_nodes=11), "size"),
        (replace(OLD, depth=3), "depth"),
        (replace(OLD, status="feasible", nodes=11, lower_nodes=3), "size"),
        (replace(OLD, status="feasible", nodes=15, lower_nodes=15), "size"),
        (replace(OLD, status="feasible", depth=5, lower_depth=5), "depth"),
    ],
)
def test_another_optimum_is_wrong(new: Record, aim: str) -> None:
    found = verdict(new, aim)
    assert len(found.wrong) == 1
    assert found.wrong[0].startswith(f"vote, {aim}: ")


def test_another_depth_of_a_smallest_tree_is_not_wrong() -> None:
    assert verdict(replace(OLD, depth=5)).wrong == []


def test_a_lost_proof_is_worse_and_a_new_one_better() -> None:
    lost = replace(OLD, status="feasible", lower_nodes=11)
    assert verdict(lost).worse == [
        "vote, size: was optimal with 13 nodes, depth 4, is feasible with 13 nodes, depth 4"
    ]
    assert len(verdict(OLD, old=lost).better) == 1


@pytest.mark.parametrize(
    ("steps", "worse", "better"),
    [(12_000, 0, 0), (13_000, 1, 0), (8_500, 0, 0), (7_000, 0, 1), (100, 0, 1)],
)
def test_counters_may_change_a_little(steps: int, worse: int, better: int) -> None:
    found = verdict(replace(OLD, counts={"steps": steps, "bytes": 1_900}))
    assert (len(found.worse), len(found.better)) == (worse, better)
    assert all("steps 10000 →" in line for line in found.worse + found.better)


@pytest.mark.parametrize(
    ("lower", "nodes", "worse", "better"),
    [(21, 31, 0, 0), (20, 31, 0, 0), (11, 31, 1, 0), (21, 37, 1, 0), (27, 31, 0, 1)],
)
def test_bounds_at_the_work_limit_may_move_a_little(
    lower: int, nodes: int, worse: int, better: int
) -> None:
    old = replace(OLD, status="feasible", nodes=31, lower_nodes=21, counts={"work": 500_000})
    found = verdict(replace(old, nodes=nodes, lower_nodes=lower), old=old)
    assert (len(found.worse), len(found.better)) == (worse, better)
    assert found.wrong == []


@pytest.mark.parametrize(
    ("new", "worse", "better"),
    [
        ({}, 0, 0),
        ({"depth": 8}, 1, 0),
        ({"lower_depth": 4}, 1, 0),
        ({"lower_depth": 6}, 0, 1),
        ({"depth": 6, "nodes": 99}, 0, 1),  # shallower and larger
        ({"depth": 8, "nodes": 25}, 1, 0),  # smaller and deeper
        ({"nodes": 99}, 1, 0),
        ({"lower_nodes": 29}, 0, 1),
    ],
)
def test_gaps_in_depth_count_before_gaps_in_nodes(
    new: dict[str, Any], worse: int, better: int
) -> None:
    old = replace(OLD, status="feasible", nodes=31, lower_nodes=15, depth=7, lower_depth=5)
    found = verdict(replace(old, **new), "depth", old)
    assert (len(found.worse), len(found.better)) == (worse, better)
    what = "depth 5..7 →" if {"depth", "lower_depth"} & new.keys() else "nodes 15..31 →"
    assert all(f"vote, depth: {what}" in line for line in found.worse + found.better)


def test_no_gap_in_depth_opens_unseen() -> None:
    old = replace(OLD, status="feasible", lower_nodes=9, lower_depth=4)
    assert len(verdict(replace(old, lower_depth=3), "depth", old).worse) == 1


def test_depth_is_not_compared_where_it_is_not_minimised() -> None:
    old = replace(OLD, status="feasible", lower_nodes=9)
    found = verdict(replace(old, depth=9), "size", old)
    assert (found.worse, found.better) == ([], [])


def test_a_baseline_comes_back_as_it_went(tmp_path: Path) -> None:
    records = {"vote, size": OLD, "vote, depth": replace(OLD, depth=3)}
    write(tmp_path / "baseline.json", records)
    assert read(tmp_path / "baseline.json") == records


def test_a_run_gives_the_same_counts_twice() -> None:
    loaders = dict(instances())
    first = measure(loaders["weather 100%"], "dtfinder", "size")
    assert (first.status, first.nodes, first.lower_nodes) == ("optimal", 9, 9)
    assert first.counts
    assert measure(loaders["weather 100%"], "dtfinder", "size") == first


def test_ctrl_c_is_for_the_guard_and_not_for_one_run_of_it(monkeypatch: pytest.MonkeyPatch) -> None:
    dataset = make_dataset(read_table("mux6"))
    pressed: list[int] = []

    def press(_: Any) -> None:
        if not pressed:
            pressed.append(signal.SIGINT)
            os.kill(os.getpid(), signal.SIGINT)

    monkeypatch.setattr("dtfinder.run.stop.Work.__call__", press)
    with pytest.raises(KeyboardInterrupt):
        measure(lambda: dataset, "cores", "size")
