"""Every rule ends a run for its own reason, and only then."""

import time

from dtfinder.run.stop import AboveMemory, AfterSeconds, FirstOf, Flag, Work


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
    flag.set("a")
    flag.set()
    assert flag() == "a"


def test_first_of() -> None:
    first, second = Flag(), Flag()
    rule = FirstOf(first, second)
    assert rule() is None
    second.set("b")
    assert rule() == "b"
    first.set("a")
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
