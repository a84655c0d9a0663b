"""Every rule ends a run for its own reason, and only then."""

import os
import signal
import threading
import time

import pytest

from dtfinder.stop import AboveMemory, AfterSeconds, FirstOf, Flag, Work, ctrl_c_sets


def test_after_seconds() -> None:
    assert AfterSeconds(60)() is None
    rule = AfterSeconds(0.01)
    time.sleep(0.02)
    assert rule() == "time limit"


def test_above_memory() -> None:
    used = [100]
    rule = AboveMemory(100, lambda: used[0])
    assert rule() is None
    used[0] = 101
    assert rule() == "memory limit"


def test_flag() -> None:
    flag = Flag()
    assert flag() is None
    flag.set()
    assert flag() == "interrupted"


def test_first_of() -> None:
    first, second = Flag("a"), Flag("b")
    rule = FirstOf(first, second)
    assert rule() is None
    second.set()
    assert rule() == "b"
    first.set()
    assert rule() == "a"


def test_work_counts_down() -> None:
    work = Work(10)
    work.spend(7)
    assert (work.left, work()) == (3, None)
    work.spend(7)
    assert (work.left, work.spent, work()) == (0, 14, "work limit")


def test_work_without_a_limit_only_counts() -> None:
    work = Work()
    work.spend(10**12)
    assert (work.left, work.spent, work()) == (None, 10**12, None)


def test_the_first_ctrl_c_sets_the_flag_and_the_second_interrupts() -> None:
    before = signal.getsignal(signal.SIGINT)
    flag = Flag()

    def press_twice() -> None:
        with ctrl_c_sets(flag):
            os.kill(os.getpid(), signal.SIGINT)
            assert flag() == "interrupted"
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(1)

    with pytest.raises(KeyboardInterrupt):
        press_twice()
    assert signal.getsignal(signal.SIGINT) is before


def test_ctrl_c_is_as_before_afterwards() -> None:
    before = signal.getsignal(signal.SIGINT)
    with ctrl_c_sets(Flag()):
        assert signal.getsignal(signal.SIGINT) is not before
    assert signal.getsignal(signal.SIGINT) is before


def test_other_threads_leave_signals_alone() -> None:
    seen = []

    def look() -> None:
        before = signal.getsignal(signal.SIGINT)
        with ctrl_c_sets(Flag()):
            seen.append(signal.getsignal(signal.SIGINT) is before)

    thread = threading.Thread(target=look)
    thread.start()
    thread.join()
    assert seen == [True]
