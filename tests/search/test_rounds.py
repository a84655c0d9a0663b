"""The exact engine in rounds, as on a cluster: the same optimum, facts that travel, proofs."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

import pytest

from certify.forge import read_case
from dtfinder.certify.write import make_certificate
from dtfinder.data import make_dataset
from dtfinder.problem import Event, Problem, Score
from dtfinder.proof import SpineProof
from dtfinder.run.local_pool import LocalPool
from dtfinder.run.pool import Blob, BlobFiles, Pool
from dtfinder.run.stop import Stopped, Work
from dtfinder.run.team import Team
from dtfinder.search import fact_log, rounds
from dtfinder.search.cores import exact_job, search_cores
from dtfinder.search.engine import Found, Job, Role, State
from dtfinder.search.fact_log import FactLog
from dtfinder.search.rounds import _read_again
from dtfinder.search.rounds_worker import Facts, Order, Reply, _Slices, forget, run_slice
from dtfinder.tree import Tree
from oracle import Oracle
from processes import kill_a_solver
from small import dataset_of, random_table, rare_table, table_of


@pytest.fixture(scope="module")
def pool() -> Iterator[Pool]:
    made = LocalPool(2)
    yield made
    made.close()


@pytest.fixture
def short_rounds(monkeypatch: pytest.MonkeyPatch) -> None:
    """Many rounds even for small tables."""
    monkeypatch.setattr(rounds, "FIRST_SECONDS", 0.02)
    monkeypatch.setattr(rounds, "LONGEST_SECONDS", 0.02)


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
    last = last_of(search_cores(problem, never, Work(), Team(pool=pool)))
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
    take = FactLog.take

    def note(self: FactLog, reply: Reply) -> None:
        replies.append(reply)
        take(self, reply)

    monkeypatch.setattr(FactLog, "take", note)
    rows = {"size": 240, "depth": 300}[minimise]  # enough for both engines to find something
    table = table_of(*random_table(5, rows=rows, features=14))
    problem = Problem(make_dataset(table), minimise)
    for _ in range(10):  # on a busy machine one engine may be through before the other has news
        replies.clear()
        last = last_of(search_cores(problem, never, Work(), Team(pool=pool), certify=True))
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

    alone = last_of(search_cores(problem, never, Work(), Team(pool=pool)))
    timer = threading.Timer(0.1, kill_a_solver)
    timer.start()
    last = last_of(search_cores(problem, never, Work(), Team(pool=pool)))
    timer.join()
    assert last.bounds == alone.bounds
    assert last.nodes is not None
    assert len(last.nodes) == last.bounds.nodes


def test_limits_end_a_run(pool: Pool) -> None:
    problem = Problem(dataset_of(*random_table(1, rows=400, features=40)))
    work = Work(2_000_000)
    events: list[Event] = []
    with pytest.raises(Stopped, match="work limit"):
        events.extend(search_cores(problem, work, work, Team(pool=pool)))
    begin = time.monotonic()
    with pytest.raises(Stopped, match="time"):
        events.extend(search_cores(problem, lambda: _after(begin + 2), Work(), Team(pool=pool)))
    assert time.monotonic() - begin < 15
    assert events[-1].nodes is not None
    assert 1 < events[-1].bounds.nodes < len(events[-1].nodes)


def _after(end: float) -> str | None:
    return "time" if time.monotonic() > end else None


def test_an_engine_whose_reply_got_lost_is_made_anew() -> None:
    problem = Problem(dataset_of(*random_table(5, rows=60, features=10)))
    files = BlobFiles()
    job = files.store(Blob.of(exact_job(problem, certify=True)))
    facts = files.store(Blob.of(FactLog("size").facts()))

    def ask(heard: dict[str, int]) -> Reply:
        return run_slice(job, facts, Order(0, 1, 0.0, 1, 1 << 30, heard))

    first = ask({})
    second = ask({first.sender: 1})
    third = ask({first.sender: 1})  # the second got lost
    forget(job)
    files.close()
    assert (second.sender, second.number) == (first.sender, 2)
    assert third.sender != first.sender
    assert third.number == 1


def test_only_the_costliest_facts_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fact_log, "KEPT", 3)
    log = FactLog("size")
    state = State((Found(Score(inner=1, depth=1)),))
    facts = "".join(f"{work} - rest\n" for work in (5, 30, 10, 20, 1))
    log.take(Reply("a", 1, state, 0, facts, ""))
    log.close_round()
    assert log.heard == {"a": 1}
    assert log.facts().lines == ["30 1 rest\n", "10 2 rest\n", "20 3 rest\n"]


def by_programs(seed: int, **more: bool) -> tuple[Problem, Job]:
    """A table that linear programs prove, from the first step on."""
    bits, labels = rare_table(seed, rows=45, columns=4, values=12)
    problem = Problem(dataset_of(bits, labels))
    return problem, exact_job(problem, switches={"spine_after": 0}, **more)


def test_a_refutation_by_linear_programs_comes_with_its_proof(tmp_path: Path) -> None:
    problem, job = by_programs(5, certify=True)
    worker, log = _Slices("digest", job, 0), FactLog(problem.minimise)
    order = Order(0, 2, 0.05, 1 << 40, 1 << 40, {})
    while True:
        reply = worker.work(Facts([], [], []), order)
        log.take(
            _read_again(json.loads(json.dumps(asdict(reply), default=str)))
        )  # as through a checkpoint
        if reply.state.final:
            break
    proof = log.proof(problem.dataset.first_rows)
    assert isinstance(proof, SpineProof)
    tree = Tree.of(problem.dataset, list(reply.state.found[0].tree))
    case = read_case(make_certificate(problem, tree, [proof]), problem.dataset.table)
    assert case.verdict(tmp_path) is None


def senders_of(word: str, job: Job, steps: int) -> set[int]:
    """Which of two engines that share facts, and prove what one alone does, tell of the word."""
    alone = job.engine()
    while not alone.done:
        alone.run(100_000)
    engines = [job.engine(Role(number, remote=True)) for number in range(2)]
    for number, engine in enumerate(engines):
        engine.share(number, 2)
    senders = set()
    while not any(engine.done for engine in engines):
        for number, engine in enumerate(engines):
            engine.run(steps)
            facts = engine.write_facts(1000)
            senders |= {number} if word in facts else set()
            engines[1 - number].read_facts(facts)
    best = max(engine.state().found[0].bounds.inner for engine in engines)
    assert best == alone.state().found[0].bounds.inner
    return senders


def test_classes_of_spines_travel_as_facts() -> None:
    """Each of two engines begins with another class, and takes that of the other from its facts."""
    _, job = by_programs(4)
    assert senders_of(" spine ", job, 20_000) == {0, 1}


def test_wrong_facts_about_spines_are_refused() -> None:
    _, job = by_programs(4)
    engine = job.engine(Role(0, remote=True))
    engine.share(0, 2)
    engine.read_facts("1 - spine 3 1\n")
    for words in ("3", "3 1 1", "-1 0", "3 45", "44 0", "x 1", ""):
        with pytest.raises(ValueError, match="not a fact"):
            engine.read_facts(f"1 - spine {words}\n")


def test_ground_sets_travel_as_facts() -> None:
    """Engines in two processes come to work on the same few examples."""
    bits, labels = random_table(3, rows=60, features=14)
    job = exact_job(Problem(dataset_of(bits, labels)), switches={"ground_after": 0})
    assert senders_of(" ground ", job, 5_000) == {0, 1}


def test_wrong_ground_sets_are_refused() -> None:
    bits, labels = random_table(3, rows=10, features=5)
    engine = exact_job(Problem(dataset_of(bits, labels))).engine(Role(0, remote=True))
    engine.share(0, 2)
    engine.read_facts("1 - ground ff0\n")
    for words in ("ff", "ff00", "ff4", "fx0", "ff0 1", ""):
        with pytest.raises(ValueError, match="not a fact"):
            engine.read_facts(f"1 - ground {words}\n")
