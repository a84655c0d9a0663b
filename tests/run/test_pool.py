"""The pool: order, retries, the stop signal, and the same answer for any number of workers."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from certify.forge import read_case
from dtfinder import find_tree
from dtfinder.data import make_dataset, read_table
from dtfinder.data.examples import Examples
from dtfinder.decide.by_topology import Splitting, decide_by_topology
from dtfinder.decide.sat import Question
from dtfinder.options import Options
from dtfinder.run import memory
from dtfinder.run.local_pool import InlinePool, LocalPool
from dtfinder.run.pool import (
    Blob,
    BlobFiles,
    Piece,
    Pool,
    PoolLost,
    Stored,
    WorkerDied,
    cpus,
    worker_count,
)
from dtfinder.run.stop import AfterSeconds, Flag, Stopped
from dtfinder.solve import solve
from processes import alive


def never() -> None:
    return None


def in_a_thread(function: Any, shared: Any, arguments: Any, signal: Any, rank: float) -> Any:
    return function(shared, *arguments)


class ThreadPool(Pool):
    """The threads of an executor, without solver processes."""

    def __init__(
        self, executor: Executor, workers: int, perform: Any, share: Any = lambda blob: blob
    ) -> None:
        super().__init__(executor, perform)
        self._workers, self._share = workers, share

    def workers(self) -> int:
        return self._workers

    def share(self, blob: Blob) -> Any:
        return self._share(blob)

    def close(self) -> None:
        pass


@pytest.fixture
def threads() -> Iterator[Pool]:
    with ThreadPoolExecutor(2) as executor:
        yield ThreadPool(executor, 2, in_a_thread, lambda blob: blob.content)


@pytest.fixture(scope="module")
def pool() -> Iterator[Pool]:
    made = LocalPool(2)
    yield made
    made.close()


# What pieces of the tests do; they run in threads or in solver processes.


def add(shared: Any, a: int, b: int) -> int:
    return a + b


def sleep_or_answer(shared: Any, seconds: float) -> float:
    time.sleep(seconds)
    return seconds


def answer_once_told(shared: Any, mark: str) -> float:
    """Waits for the file."""
    while not os.path.exists(mark):
        time.sleep(0.01)
    return 0.0


def die_first(shared: Any, mark: str) -> int:
    """Ends its process at the first call."""
    if not os.path.exists(mark):
        Path(mark).touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return os.getpid()


def die(shared: Any) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def digest_and_pid(shared: Stored) -> tuple[int, int]:
    return len(shared.value()), os.getpid()


def test_every_piece_is_answered_once_on_any_executor(threads: Pool) -> None:
    pieces = [Piece(number, add, (number, 1)) for number in range(50)]
    with threads.run(pieces, None, never) as run:
        found = {int(piece.rank): answer for piece, answer in run}
    assert found == {number: number + 1 for number in range(50)}


def test_pieces_start_in_the_order_of_their_rank_and_few_are_in_flight() -> None:
    started: list[int] = []
    most = 0

    class Watched(ThreadPoolExecutor):
        def submit(self, *arguments: Any, **named: Any) -> Any:
            nonlocal most
            most = max(most, len(started) - done)
            return super().submit(*arguments, **named)

    def note(shared: Any, number: int) -> None:
        started.append(number)

    done = 0
    with Watched(1) as executor:
        alone = ThreadPool(executor, 1, in_a_thread)
        numbers = [(number * 37) % 100 for number in range(100)]
        pieces = [Piece(number, note, (number,)) for number in numbers]
        with alone.run(pieces, None, never) as run:
            for _ in run:
                done += 1
    assert started == sorted(numbers)
    assert most <= 2


def test_an_error_of_a_piece_is_the_callers(threads: Pool) -> None:
    def fail(shared: Any) -> None:
        raise ZeroDivisionError("at once")

    with pytest.raises(ZeroDivisionError), threads.run([Piece(0, fail)], None, never) as run:
        list(run)


def test_a_piece_whose_worker_died_is_asked_again(threads: Pool) -> None:
    tried: list[int] = []

    def third_time(shared: Any, number: int) -> int:
        tried.append(number)
        if tried.count(number) < 3:
            raise WorkerDied("gone")
        return number

    pieces = [Piece(number, third_time, (number,)) for number in range(4)]
    with threads.run(pieces, None, never) as run:
        assert sorted(answer for _, answer in run) == [0, 1, 2, 3]
    assert sorted(tried) == sorted([0, 1, 2, 3] * 3)


def test_a_lost_executor_ends_the_run(threads: Pool) -> None:
    def lose(shared: Any) -> None:
        raise PoolLost("all gone")

    with threads.run([Piece(0, lose)], None, never) as run, pytest.raises(Stopped, match="all g"):
        list(run)
    threads.executor.shutdown()
    with threads.run([Piece(0, lose)], None, never) as run, pytest.raises(Stopped, match="gone"):
        list(run)


def test_a_killed_process_loses_no_piece(pool: Pool, tmp_path: Path) -> None:
    pieces = [Piece(number, die_first, (str(tmp_path / str(number)),)) for number in range(3)]
    with pool.run(pieces, None, never) as run:
        answers = [answer for _, answer in run]
    assert len(answers) == 3
    assert os.getpid() not in answers


def test_a_piece_that_kills_worker_after_worker_ends_the_run(pool: Pool) -> None:
    with (
        pool.run([Piece(0, die)], None, never) as run,
        pytest.raises(Stopped, match="ended its worker 3 times"),
    ):
        list(run)


def test_shared_values_are_read_once_by_each_process(pool: Pool) -> None:
    shared = pool.share(Blob.of(list(range(1000))))
    with pool.run([Piece(n, digest_and_pid) for n in range(20)], shared, never) as run:
        answers = {answer for _, answer in run}
    assert {length for length, _ in answers} == {1000}
    assert 1 <= len({pid for _, pid in answers}) <= 2


def test_a_shelf_keeps_one_file_for_equal_values() -> None:
    files = BlobFiles()
    first, second = files.store(Blob.of([1, 2])), files.store(Blob.of([1, 2]))
    assert first == second
    assert first.value() == [1, 2]
    files.close()
    assert not Path(first.path).exists()


def test_the_first_answer_that_is_wanted_stops_the_rest_within_a_second(pool: Pool) -> None:
    pieces = [Piece(0, sleep_or_answer, (0.1,))]
    pieces += [Piece(number, sleep_or_answer, (60.0,)) for number in range(1, 5)]
    with pool.run(pieces, None, never) as run:
        for piece, answer in run:
            assert (piece.rank, answer) == (0, 0.1)
            begin = time.monotonic()
            run.drop_above(0)
    assert time.monotonic() - begin < 1


def test_dropping_later_pieces_leaves_earlier_ones_alone(pool: Pool, tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    pieces = [Piece(0, answer_once_told, (str(mark),)), Piece(1, sleep_or_answer, (0.1,))]
    pieces += [Piece(number, sleep_or_answer, (60.0,)) for number in (2, 3)]
    seen = []
    with pool.run(pieces, None, never) as run:
        for piece, _ in run:
            seen.append(piece.rank)
            run.drop_above(1)
            mark.touch()
    assert seen == [1, 0]


def test_a_stop_rule_ends_everything_at_once(pool: Pool) -> None:
    begin = time.monotonic()
    with (
        pytest.raises(Stopped, match="time limit"),
        pool.run(
            [Piece(n, sleep_or_answer, (60.0,)) for n in range(4)], None, AfterSeconds(0.2)
        ) as run,
    ):
        list(run)
    assert time.monotonic() - begin < 2


def test_closing_a_pool_leaves_no_process() -> None:
    before = set(memory.helpers)
    crew = LocalPool(2)
    with crew.run([Piece(n, sleep_or_answer, (0.2,)) for n in range(2)], None, never) as run:
        list(run)
    mine = memory.helpers - before
    assert len(mine) == 2
    crew.close()
    assert not any(alive(pid) for pid in mine)


def question(name: str, paths: int, depth: int | None = None) -> Question:
    return Question(Examples.of(make_dataset(read_table(name))), paths, depth)


@pytest.mark.parametrize("paths", [4, 5])
@pytest.mark.parametrize("many", [500, 1])
def test_templates_on_a_pool_give_the_answer_of_one_process(
    pool: Pool, paths: int, many: int
) -> None:
    asked = question("weather", paths)
    splitting = Splitting(incremental_above=many)
    with closing(InlinePool()) as inline:
        alone = decide_by_topology(asked, splitting, never, inline)
    answer = decide_by_topology(asked, splitting, never, pool)
    assert answer.finished
    assert (answer.nodes is None) == (alone.nodes is None) == (paths == 4)
    assert (answer.nodes, answer.work) == (alone.nodes, alone.work)


def test_a_work_limit_ends_at_the_same_point_as_with_one_process(pool: Pool) -> None:
    asked = question("monk1", 5)
    whole = decide_by_topology(asked, Splitting(), never, pool)
    assert whole.finished
    assert whole.nodes is None
    refuted: list[Any] = []
    part = decide_by_topology(
        asked, Splitting(), never, pool, budget=whole.work // 2, note=refuted.append
    )
    assert not part.finished
    assert part.nodes is None
    assert whole.work // 2 <= part.work < whole.work
    again = decide_by_topology(asked, Splitting(), never, pool, budget=whole.work // 2)
    assert (again.finished, again.work) == (part.finished, part.work)
    rest = decide_by_topology(asked, Splitting(), never, pool, refuted=refuted)
    assert rest.finished
    assert rest.nodes is None
    assert rest.work < whole.work


@pytest.mark.parametrize("method", ["dtfinder-T-O", "d-dtfinder-T-O", "dtfinder-DT1-T"])
def test_sizes_depths_and_status_do_not_depend_on_the_number_of_workers(method: str) -> None:
    results = [find_tree("weather", method=method, workers=workers) for workers in (1, 2, 3)]
    told = {(r.status, r.nodes, r.depth, r.lower_bound, r.stats["work"]) for r in results}
    assert len(told) == 1
    assert results[0].status == "optimal"


def test_certificates_of_parallel_runs_are_verified(tmp_path: Path) -> None:
    table = read_table("weather")
    result = solve(make_dataset(table), Options.of(method="dtfinder-T-O", workers=2, certify=True))
    assert result.certificate is not None
    case = read_case(result.certificate, table)
    assert len(case.body) > 0
    assert case.verdict(tmp_path) is None


def test_a_time_limit_with_workers_keeps_the_bounds() -> None:
    before = set(memory.helpers)
    result = find_tree("monk2", method="dtfinder-T", workers=2, time_limit=4)
    assert (result.status, result.stopped_by) == ("feasible", "time limit")
    assert 1 < result.lower_bound < result.nodes
    assert not any(alive(pid) for pid in memory.helpers - before)


SCRIPT = """
import sys, threading, time
from dtfinder import find_tree; from dtfinder.run import memory, pool

pool.cpus = lambda: 2

def tell():
    while len(memory.helpers) < 2:
        time.sleep(0.05)
    print(*memory.helpers, flush=True)

threading.Thread(target=tell, daemon=True).start()
result = find_tree("monk2", method="dtfinder-T", workers=2, path_bounds=False)
print(result.status, result.stopped_by, flush=True)
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_no_process_is_left_behind(number: int) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", SCRIPT], stdout=subprocess.PIPE, text=True
    ) as parent:
        assert parent.stdout is not None
        children = [int(word) for word in parent.stdout.readline().split()]
        assert len(children) == 2
        time.sleep(0.5)
        parent.send_signal(number)
        rest = parent.stdout.read()
        parent.wait(20)
    assert rest.split() == (["feasible", "interrupted"] if number == signal.SIGINT else [])
    end = time.monotonic() + 10
    while any(map(alive, children)) and time.monotonic() < end:
        time.sleep(0.05)
    assert not any(map(alive, children))


def test_two_runs_in_two_threads_do_not_disturb_each_other() -> None:
    found: dict[str, int] = {}

    def fit(method: str) -> None:
        found[method] = find_tree("weather", method=method, workers=2).nodes

    both = [threading.Thread(target=fit, args=(name,)) for name in ("dtfinder-T", "dtfinder-T-O")]
    for thread in both:
        thread.start()
    for thread in both:
        thread.join()
    assert found == {"dtfinder-T": 9, "dtfinder-T-O": 9}


def test_a_flag_from_another_thread_stops_a_pool(pool: Pool) -> None:
    flag = Flag()
    threading.Timer(0.3, flag.set, ("enough",)).start()
    with (
        pytest.raises(Stopped, match="enough"),
        pool.run([Piece(0, sleep_or_answer, (60.0,))], None, flag) as run,
    ):
        list(run)


def test_another_ctrl_c_waits_for_no_farewell() -> None:
    asked: list[float] = []

    def press() -> None:
        asked.append(time.monotonic())
        if len(asked) > 1:  # the piece is under way
            raise KeyboardInterrupt

    ended = threading.Event()
    with ThreadPoolExecutor(1) as executor:
        slow = ThreadPool(executor, 1, lambda *_: ended.wait(10))
        with (
            pytest.raises(KeyboardInterrupt),
            slow.run([Piece(0, sleep_or_answer)], None, press) as run,
        ):
            list(run)
        waited = time.monotonic() - asked[-1]
        ended.set()
    assert waited < 2


def test_there_are_no_more_workers_than_cpus(caplog: pytest.LogCaptureFixture) -> None:
    assert [worker_count(asked) for asked in (0, 1, 2, 3)] == [3, 1, 2, 3]
    assert caplog.messages == []
    assert worker_count(1000) == 3
    assert caplog.messages == ["1000 workers are more than the CPUs that this run may use; using 3"]


def test_cpus_are_those_of_this_process() -> None:
    assert 1 <= cpus() <= len(os.sched_getaffinity(0))
