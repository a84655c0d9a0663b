"""How much memory a run uses: this process and the solver process that works for it."""

from __future__ import annotations

import mmap
import os
import sys
from pathlib import Path

# Process ids of solver processes that belong to this one; worker.py keeps it up to date.
helpers: set[int] = set()


def bytes_in_use() -> int:
    """The resident memory of this process, its helpers and what they forked, in bytes."""
    families = [pid for helper in helpers for pid in (helper, *_children(helper))]
    return sum(_resident(pid) for pid in (os.getpid(), *families))


def _children(pid: int) -> list[int]:
    """What a solver process forked. Pages that it still shares with it are counted twice."""
    try:
        return [
            int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
        ]
    except OSError:
        return []


def _resident(pid: int) -> int:
    try:
        # Asked after every slice of a search, so without the detour of a Path.
        with open(f"/proc/{pid}/statm", "rb", buffering=0) as stream:
            return int(stream.read().split()[1]) * mmap.PAGESIZE
    except (OSError, IndexError, ValueError):
        pass
    if pid != os.getpid() or sys.platform == "win32":  # there a memory limit ends no run
        return 0
    import resource

    # Without /proc the peak is the best that the standard library knows.
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024
