"""Signals end a run once, in the main thread, where the program wants them to."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator

import pytest

from dtfinder.run import signals
from dtfinder.run.signals import (
    exit_code,
    reason_of,
    signals_interrupt,
    signals_set,
)
from dtfinder.run.stop import Flag


@pytest.fixture(autouse=True)
def as_before() -> Iterator[None]:
    """Every test leaves all handlers as they were."""
    before = {number: signal.getsignal(number) for number in signals.REASONS}
    yield
    assert {number: signal.getsignal(number) for number in signals.REASONS} == before


def send(number: int) -> None:
    os.kill(os.getpid(), number)


def interrupted_by(number: int) -> str:
    """The reason of the KeyboardInterrupt that a signal raises."""
    with pytest.raises(KeyboardInterrupt) as error:
        send(number)
    return reason_of(error.value)


def test_the_first_ctrl_c_sets_the_flag_and_the_second_interrupts() -> None:
    flag = Flag()
    with signals_set(flag):
        send(signal.SIGINT)
        assert flag() == "interrupted"
        assert interrupted_by(signal.SIGINT) == "interrupted"


def test_a_ctrl_c_right_after_that_of_another_run_is_for_the_loop_around_them() -> None:
    first, second, later = Flag(), Flag(), Flag()
    with signals_set(first):
        send(signal.SIGINT)
    with signals_set(second):
        assert interrupted_by(signal.SIGINT) == "interrupted"
    assert (first(), second()) == ("interrupted", None)
    signals._pressed -= signals.AGAIN_SECONDS
    with signals_set(later):
        send(signal.SIGINT)
    assert later() == "interrupted"


@pytest.mark.parametrize("number", sorted(signals.ENDING))
def test_other_signals_set_the_flag_once_where_the_program_says_so(number: int) -> None:
    flag = Flag()
    with signals_interrupt():
        with signals_set(flag):
            for _ in range(3):
                send(number)
        send(number)  # while the result is written
        send(signal.SIGTERM)
    assert exit_code(flag()) == 128 + number


def test_outside_of_a_run_they_interrupt() -> None:
    with signals_interrupt():
        assert exit_code(interrupted_by(signal.SIGTERM)) == 143


def test_a_run_that_was_not_stopped_leaves_them_for_what_follows() -> None:
    with signals_interrupt():
        with signals_set(Flag()):
            pass
        assert interrupted_by(signal.SIGHUP) == "hung up"


def test_a_program_may_exit_at_once_and_a_run_in_it_does_not() -> None:
    program = """
import os, signal
from dtfinder.run.signals import signals_exit, signals_interrupt, signals_set
from dtfinder.run.stop import Flag
with signals_exit():
    with signals_interrupt():
        try:
            os.kill(os.getpid(), signal.SIGHUP)
        except KeyboardInterrupt as error:
            print(error, flush=True)
    with signals_set(flag := Flag()):
        os.kill(os.getpid(), signal.SIGXCPU)
    print(flag(), flush=True)
    os.kill(os.getpid(), signal.SIGXCPU)  # it counts once
with signals_exit():
    try:
        os.kill(os.getpid(), signal.SIGTERM)
    except BaseException:
        print("never")
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 143
    assert done.stdout == "hung up\nout of CPU time\n"
    assert done.stderr == "error: terminated\n"


def test_a_library_leaves_other_signals_alone() -> None:
    before = signal.getsignal(signal.SIGTERM)
    with signals_set(Flag()):
        assert signal.getsignal(signal.SIGTERM) is before


@pytest.mark.parametrize("number", sorted(signals.REASONS))
def test_what_is_ignored_stays_ignored(number: int) -> None:
    before = signal.signal(number, signal.SIG_IGN)
    flag = Flag()
    try:
        with signals_interrupt(), signals_set(flag):
            send(number)
        assert signal.getsignal(number) is signal.SIG_IGN
    finally:
        signal.signal(number, before)
    assert flag() is None


def test_other_threads_leave_signals_alone() -> None:
    seen = []

    def look() -> None:
        before = signal.getsignal(signal.SIGINT)
        with signals_interrupt(), signals_set(Flag()):
            seen.append(signal.getsignal(signal.SIGINT) is before)

    thread = threading.Thread(target=look)
    thread.start()
    thread.join()
    assert seen == [True]


def test_reasons_that_are_no_signals_have_no_exit_code() -> None:
    assert exit_code("time limit") is None
    assert exit_code(None) is None
