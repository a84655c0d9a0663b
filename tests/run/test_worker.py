"""The solver process: it answers, obeys stop rules at once, survives being killed, and never
outlives its parent."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest

from dtfinder import find_tree
from dtfinder.run import memory, worker
from dtfinder.run.fork import in_a_fork
from dtfinder.run.signals import REASONS
from dtfinder.run.stop import AfterSeconds, Flag, Stopped
from processes import alive, children, fork_always


def never() -> None:
    return None


def until(condition: object, seconds: float = 5.0) -> bool:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():  # type: ignore[operator]
            return True
        time.sleep(0.02)
    return False


def test_answers_come_from_another_process_that_is_kept() -> None:
    first = worker.call(os.getpid, stop=never)
    assert first != os.getpid()
    assert worker.call(os.getpid, stop=never) == first
    assert first in memory.helpers


def test_large_questions_and_answers_pass_through() -> None:
    big = np.arange(1_000_000)
    assert np.array_equal(worker.call(np.negative, big, stop=never), -big)


def test_errors_of_the_function_are_raised_here_and_the_worker_stays() -> None:
    before = worker.call(os.getpid, stop=never)
    with pytest.raises(ZeroDivisionError):
        worker.call(divmod, 1, 0, stop=never)
    assert worker.call(os.getpid, stop=never) == before


def test_a_stop_rule_ends_the_worker_at_once_and_the_next_call_starts_another() -> None:
    before = worker.call(os.getpid, stop=never)
    begin = time.monotonic()
    with pytest.raises(Stopped, match="time limit"):
        worker.call(time.sleep, 60, stop=AfterSeconds(0.1))
    assert time.monotonic() - begin < 1.1  # usually 0.15
    assert not alive(before)
    assert before not in memory.helpers
    assert worker.call(os.getpid, stop=never) != before


def test_a_reason_that_is_there_already_starts_nothing() -> None:
    flag = Flag()
    flag.set()
    with pytest.raises(Stopped, match="interrupted"):
        worker.call(os.getpid, stop=flag)


def die_unless(path: str) -> str:
    """Kill this process at the first call."""
    if not os.path.exists(path):
        Path(path).touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return "survived"


def die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def fork_and_die() -> str:
    try:
        in_a_fork(die)
    except worker.Killed:
        return "killed"
    return "no"


def test_a_worker_that_is_killed_is_asked_again(tmp_path: Path) -> None:
    pid = worker.call(os.getpid, stop=never)
    assert worker.call(die_unless, str(tmp_path / "once"), stop=never) == "survived"
    assert worker.call(os.getpid, stop=never) != pid


def test_a_question_that_kills_worker_after_worker_is_not_called_a_memory_limit() -> None:
    with pytest.raises(Stopped, match="was killed 3 times, perhaps for lack of memory"):
        worker.call(die, stop=never)


def test_a_fork_that_is_killed_says_so() -> None:
    assert worker.call(fork_and_die, stop=never) == "killed"


@pytest.mark.parametrize("method", ["sat", "dtfinder-T"])
def test_a_run_survives_a_solver_that_is_killed(
    method: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The process itself, or for templates of large formulas the fork of it that solves one."""
    if method == "dtfinder-T":
        fork_always(method, monkeypatch)
    killed: list[int] = []
    ended = threading.Event()

    def kill() -> None:
        while not ended.is_set() and len(killed) < 2:
            for helper in list(memory.helpers):
                below = children(helper)
                for pid in below if method == "dtfinder-T" else [helper]:
                    with suppress(ProcessLookupError):
                        os.kill(pid, signal.SIGKILL)
                        killed.append(pid)
            time.sleep(0.001)

    thread = threading.Thread(target=kill)
    thread.start()
    try:
        result = find_tree("weather", method=method, certify=True)
    finally:
        ended.set()
        thread.join()
    assert (result.status, result.nodes) == ("optimal", 9)
    assert result.certificate is not None
    assert killed


def test_a_worker_that_crashes_says_so() -> None:
    with pytest.raises(Stopped, match="code 3"):
        worker.call(os._exit, 3, stop=never)


def test_signals_to_the_whole_job_are_for_the_parent_alone() -> None:
    pid = worker.call(os.getpid, stop=never)
    for number in REASONS:
        os.kill(pid, number)
    assert worker.call(os.getpid, stop=never) == pid
    assert not signal.pthread_sigmask(signal.SIG_BLOCK, ()) & set(REASONS)  # but here they count


def test_every_thread_has_its_own_worker_that_ends_with_it() -> None:
    found: list[int] = []
    thread = threading.Thread(target=lambda: found.append(worker.call(os.getpid, stop=never)))
    thread.start()
    thread.join()
    assert found[0] != worker.call(os.getpid, stop=never)
    assert until(lambda: not alive(found[0]))


def test_in_this_process_means_just_that() -> None:
    with worker.in_this_process():
        assert worker.call(os.getpid, stop=never) == os.getpid()


SCRIPT = """
import os, sys, time
from dtfinder.run import worker
print(worker.call(os.getpid, stop=lambda: None), flush=True)
worker.call(time.sleep, 60, stop=lambda: None)
"""


def test_no_orphan_is_left_when_the_parent_is_killed() -> None:
    with subprocess.Popen([sys.executable, "-c", SCRIPT], stdout=subprocess.PIPE) as parent:
        assert parent.stdout is not None
        child = int(parent.stdout.readline())
        assert alive(child)
        parent.kill()
    assert until(lambda: not alive(child))


def test_a_script_without_main_guard_runs_once_and_prints_nothing_more() -> None:
    code = "print('here')\n" + SCRIPT.replace("time.sleep, 60", "print, 'noise'")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0
    assert done.stderr == ""
    assert done.stdout.splitlines()[0] == "here"
    assert len(done.stdout.splitlines()) == 2
