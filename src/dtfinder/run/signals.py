"""Signals that end a run, and how it ends well: with the best tree so far and what is proven of it.

Ctrl-C is for everybody. While `solve` runs in the main thread, the first one asks the search to
stop; another one cuts short whatever that takes, a farewell to a cluster for example, and loses
nothing that was found. In a loop over runs, such as a grid search, each run would take its Ctrl-C
and the loop would go on, so one that follows another of an earlier run closely leaves the loop.

The others are sent by batch schedulers, containers and `timeout` (SIGTERM), by a terminal that is
closed (SIGHUP) and by the kernel for `ulimit -t` (SIGXCPU). What they do is up to the program, so a
run follows them only where the program has said so, as the command line has: by `signals_exit` as
long as there is nothing to lose, by `signals_interrupt` where something can still be saved. They
come from machines, some of which send them twice, so only the first counts.

A signal that is ignored, as under `nohup` or in the background of a script, stays so.
"""

from __future__ import annotations

import math
import os
import signal
import threading
import time
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager, suppress
from types import FrameType
from typing import Any, NoReturn

from dtfinder.run.stop import Flag

Handler = Callable[[int, FrameType | None], None]

AGAIN_SECONDS = 3.0  # a Ctrl-C so soon after one of an earlier run is meant for the loop around
# What each does to a run: `stopped: …`, `… before a tree was found`.
_WORDS = {
    "SIGINT": "interrupted",
    "SIGTERM": "terminated",
    "SIGHUP": "hung up",
    "SIGXCPU": "out of CPU time",
}
# Windows has only the first two.
REASONS: dict[signal.Signals, str] = {
    getattr(signal, name): words for name, words in _WORDS.items() if hasattr(signal, name)
}
ENDING = frozenset(REASONS) - {signal.SIGINT}

_pressed = -math.inf  # when a Ctrl-C last ended a run


def exit_code(reason: str | None) -> int | None:
    """What a program that ended for this reason exits with, as shells have it; None if the reason
    is not a signal."""
    return next((128 + number for number, each in REASONS.items() if each == reason), None)


def reason_of(error: KeyboardInterrupt) -> str:
    """Which of the reasons an interrupt stands for."""
    return next((each for each in REASONS.values() if each in error.args), REASONS[signal.SIGINT])


@contextmanager
def signals_exit() -> Iterator[None]:
    """While inside, the signals that end programs end this one at once, with a line on stderr and
    their exit code, or end a run that is under way. For programs, not for libraries.

    An exception would not do: one that is raised during an import may be lost there, or come out as
    another one, and Python may exit with the code of Ctrl-C after it."""
    with _handled_by(_exit, {signal.SIG_DFL}):
        yield


@contextmanager
def signals_interrupt() -> Iterator[None]:
    """While inside, the signals that end programs raise KeyboardInterrupt, as Ctrl-C does, or end a
    run that is under way. For programs, not for libraries."""
    with _handled_by(_interrupt, {signal.SIG_DFL, _exit}):
        yield


@contextmanager
def _handled_by(handler: Handler, instead_of: Collection[Any]) -> Iterator[None]:
    """Only in the main thread: Python has others not handle signals."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {number: signal.getsignal(number) for number in ENDING}
    taken = {number: each for number, each in before.items() if each in instead_of}
    for number in taken:
        signal.signal(number, handler)
    try:
        yield
    finally:
        for number, each in taken.items():
            signal.signal(number, each)


def _exit(number: int, _frame: FrameType | None) -> NoReturn:
    reason = REASONS[signal.Signals(number)]
    with suppress(OSError):
        # A live line may have hidden the cursor of the terminal.
        erase = "\r\x1b[2K\x1b[?25h" if os.isatty(2) else ""
        os.write(2, f"{erase}error: {reason}\n".encode())
    os._exit(128 + number)


def _interrupt(number: int, _frame: FrameType | None) -> NoReturn:
    _take_no_more(_interrupt)
    raise KeyboardInterrupt(REASONS[signal.Signals(number)])


def _take_no_more(handler: Handler) -> None:
    for number in ENDING:
        if signal.getsignal(number) is handler:
            signal.signal(number, signal.SIG_IGN)


@contextmanager
def signals_set(flag: Flag) -> Iterator[None]:
    """While inside, the first Ctrl-C sets `flag`, and so do signals that the program has said to
    follow; another Ctrl-C interrupts as usual. Does nothing outside of the main thread, where
    Python delivers no signals."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    ctrl_c = signal.getsignal(signal.SIGINT)
    # None is a handler that Python knows nothing of and could not put back.
    follows_ctrl_c = ctrl_c is not None and ctrl_c is not signal.SIG_IGN
    before = {number: signal.getsignal(number) for number in ENDING}
    ending = [number for number, each in before.items() if each in (_interrupt, _exit)]

    def press(number: int, _frame: FrameType | None) -> None:
        global _pressed
        before, _pressed = _pressed, time.monotonic()
        signal.signal(number, ctrl_c)
        if _pressed - before > AGAIN_SECONDS:
            flag.set(REASONS[signal.SIGINT])
        else:
            signal.raise_signal(number)

    def end(number: int, _frame: FrameType | None) -> None:
        _take_no_more(end)
        flag.set(REASONS[signal.Signals(number)])

    if follows_ctrl_c:
        signal.signal(signal.SIGINT, press)
    for each in ending:
        signal.signal(each, end)
    try:
        yield
    finally:
        if follows_ctrl_c:
            signal.signal(signal.SIGINT, ctrl_c)
        for each in ending:
            if signal.getsignal(each) is end:
                signal.signal(each, before[each])
