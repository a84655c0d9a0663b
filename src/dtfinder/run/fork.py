"""Run a function in a fork of this process: a copy of all that is loaded, at the cost of a fork.

Only where `worker.may_fork()`: solver processes have one thread and nobody's handles.
"""

from __future__ import annotations

import os
import pickle
import signal
from collections.abc import Callable
from typing import TypeVar

from dtfinder.run import worker
from dtfinder.run.stop import Stopped

Answer = TypeVar("Answer")


def in_a_fork(function: Callable[..., Answer], *arguments: object) -> Answer:
    """`function(*arguments)`, computed by a child that sees this process as it is now. The answer
    must pickle. Raises Killed if the child was killed, and Stopped if it failed."""
    reading, writing = os.pipe()
    parent = os.getpid()
    child = os.fork()
    if child == 0:
        code = 1
        try:
            worker.die_with_parent(parent)
            with os.fdopen(writing, "wb") as pipe:
                pickle.dump(function(*arguments), pipe)
            code = 0
        finally:
            os._exit(code)
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        sent = pipe.read()
    _, status = os.waitpid(child, 0)
    if status != 0:
        if os.waitstatus_to_exitcode(status) == -signal.SIGKILL:
            raise worker.Killed
        raise Stopped(f"a solver process ended with status {status}")
    answer: Answer = pickle.loads(sent)
    return answer
