"""The native engine in rounds, as on a cluster: the same optimum, facts that travel, proofs."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from certify.forge import read_case
from dtfinder.certify.write import make_certificate
from dtfinder.data import make_dataset
from dtfinder.problem import Event, Problem
from dtfinder.run.local_pool import local_pool
from dtfinder.run.memory import helpers
from dtfinder.run.pool import Blob, Pool, Shelf
from dtfinder.run.stop import Stopped, Work
from dtfinder.search import cores_rounds
from dtfinder.search.cores_round import Order, Reply, forget, run_round
from dtfinder.search.cores_rounds import Library, search_in_rounds
from dtfinder.search.cores_tally import Found
from dtfinder.tree import Tree
from oracle import Oracle
from small import dataset_of, random_table, table_of


@pytest.fixture(scope="module")
def pool() -> Iterator[Pool]:
    made = local_pool(2)
    yield made
    made.close()


@pytest.fixture
def short_rounds(monkeypatch: pytest.MonkeyPatch) -> None:
    """Many rounds even for small tables."""
    monkeypatch.setattr(cores_rounds, "FIRST_SECONDS", 0.02)
    monkeypatch.setattr(cores_rounds, "LONGEST_SECONDS", 0.02)


def never() -> None:
    """No reason to stop."""


def last_of(events: Iterator[Event]) -> Event:
    return list(events)[-1]


@pytest.mark.parametrize("minimise", ["size", "depth"])
@pytest.mark.parametrize("seed", range(3))
def test_rounds_agree_with_brute_force(pool: Pool, seed: int, minimise: str) -> None:
    bits, labels = random_table(seed, rows=9, features=5, classes=2 + seed % 2)
    judge = Oracle(bits, labels)
    problem = Problem(dataset_of(bits, labels), minimise)
    last = last_of(search_in_rounds(pool, problem, never, Work()))
    assert last.nodes is not None
    tree = Tree.of(problem.dataset, last.nodes)
    if minimise == "size":
        assert tree.size == last.bounds.nodes == judge.size()
    else:
        assert (tree.depth, tree.size) == judge.depth_then_size()


@pytest.mark.usefixtures("short_rounds")
@pytest.mark.parametrize("minimise", ["size", "depth"])
def test_proofs_rest_on_lemmas_of_several_engines(
    pool: Pool, minimise: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    replies: list[Reply] = []
    take = Library.take

    def note(self: Library, reply: Reply, problem: Problem) -> None:
        replies.append(reply)
        take(self, reply, problem)

    monkeypatch.setattr(Library, "take", note)
    table = table_of(*random_table(5, rows=100, features=14))
    problem = Problem(make_dataset(table), minimise)
    for _ in range(10):  # on a busy machine one engine may be through before the other has news
        replies.clear()
        last = last_of(search_in_rounds(pool, problem, never, Work(), certify=True))
        if any(" @" in reply.lemmas for reply in replies):
            break
    assert len({reply.sender for reply in replies}) == 2
    assert any(" @" in reply.lemmas for reply in replies)  # one cites what another has found
    assert last.nodes is not None
    assert last.proof is not None
    tree = Tree.of(problem.dataset, last.nodes)
    case = read_case(make_certificate(problem, tree, [last.proof]), table)
    assert case.verdict(tmp_path) is None


@pytest.mark.usefixtures("short_rounds")
def test_a_solver_process_that_dies_costs_nothing_but_time(pool: Pool) -> None:
    problem = Problem(dataset_of(*random_table(5, rows=100, features=14)))

    def kill_one() -> None:
        end = time.monotonic() + 30
        while not helpers and time.monotonic() < end:
            time.sleep(0.01)
        os.kill(next(iter(helpers)), signal.SIGKILL)

    alone = last_of(search_in_rounds(pool, problem, never, Work()))
    timer = threading.Timer(0.1, kill_one)
    timer.start()
    last = last_of(search_in_rounds(pool, problem, never, Work()))
    timer.join()
    assert last.bounds == alone.bounds
    assert last.nodes is not None
    assert len(last.nodes) == last.bounds.nodes


def test_limits_end_a_run(pool: Pool) -> None:
    problem = Problem(dataset_of(*random_table(1, rows=400, features=40)))
    work = Work(2_000_000)
    events: list[Event] = []
    with pytest.raises(Stopped, match="work limit"):
        events.extend(search_in_rounds(pool, problem, work, work))
    begin = time.monotonic()
    with pytest.raises(Stopped, match="time"):
        events.extend(search_in_rounds(pool, problem, lambda: _after(begin + 2), Work()))
    assert time.monotonic() - begin < 15
    assert events[-1].nodes is not None
    assert 1 < events[-1].bounds.nodes < len(events[-1].nodes)


def _after(end: float) -> str | None:
    return "time" if time.monotonic() > end else None


def test_an_engine_whose_reply_got_lost_is_made_anew() -> None:
    problem = Problem(dataset_of(*random_table(5, rows=60, features=10)))
    shelf = Shelf()
    job = shelf.store(Blob.of(cores_rounds._job(problem, True, None)))
    facts = shelf.store(Blob.of(Library().facts()))

    def ask(heard: dict[str, int]) -> Reply:
        return run_round(job, facts, Order(0, 1, 0.0, 1, 1 << 30, heard))

    first = ask({})
    second = ask({first.sender: 1})
    third = ask({first.sender: 1})  # the second got lost
    forget(job)
    shelf.close()
    assert (second.sender, second.number) == (first.sender, 2)
    assert third.sender != first.sender
    assert third.number == 1


def test_only_the_costliest_facts_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cores_rounds, "KEPT", 3)
    library = Library()
    found = Found(1, 1, (), done=False, infeasible=False)
    letter = "".join(f"{work} - rest\n" for work in (5, 30, 10, 20, 1))
    library.take(Reply("a", 1, found, 0, letter, ""), Problem(dataset_of(*random_table(1))))
    library.close_round()
    assert library.heard == {"a": 1}
    assert library.facts().lines == ["30 1 rest\n", "10 2 rest\n", "20 3 rest\n"]
