"""What tests ask about other processes, and of them."""

from __future__ import annotations

import os
import signal
import time
from dataclasses import replace
from pathlib import Path

import pytest

from dtfinder.methods import METHODS
from dtfinder.run.memory import helpers


def alive(pid: int) -> bool:
    """Whether a process is there and not just waiting to be forgotten."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


def children(pid: int) -> list[int]:
    """What the main thread of a process has started, if that is still there."""
    try:
        return [int(each) for each in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    except FileNotFoundError:
        return []


def fork_always(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a method that splits by topology fork for each template, be the formula ever so small."""
    method = METHODS[name]
    assert method.setup is not None
    assert method.setup.splitting is not None
    setup = replace(method.setup, splitting=replace(method.setup.splitting, fork_above=0))
    monkeypatch.setitem(METHODS, name, replace(method, setup=setup))


def kill_a_solver() -> None:
    """Kill one of the solver processes of this one, once there is any."""
    end = time.monotonic() + 30
    while not helpers and time.monotonic() < end:
        time.sleep(0.01)
    os.kill(next(iter(helpers)), signal.SIGKILL)
