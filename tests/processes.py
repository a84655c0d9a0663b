"""What tests ask about other processes."""

from __future__ import annotations

from pathlib import Path


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
