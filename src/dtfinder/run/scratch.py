"""Folders for temporary files that do not outlive their run for long, even if it was killed.

A run that ends by itself removes its folder. One that is killed cannot, so the next run does it. To
know which folders are still in use, every run holds a lock on a file in its own, which the system
lets go of when the process is gone, however that came about.
"""

from __future__ import annotations

import shutil
import tempfile
import time
from contextlib import suppress
from functools import cache
from pathlib import Path

PREFIX = "dtfinder-"
LOCK = "in-use"
YOUNG_SECONDS = 60.0  # a folder is left alone until its owner has had time to lock it


class Scratch:
    """A folder for temporary files; close it to remove it."""

    def __init__(self) -> None:
        _clean_up_once(tempfile.gettempdir())
        self._folder = tempfile.TemporaryDirectory(prefix=PREFIX)
        self.path = Path(self._folder.name)
        self._lock = (self.path / LOCK).open("wb")
        _lock(self._lock.fileno())

    def close(self) -> None:
        """Remove the folder."""
        self._lock.close()
        self._folder.cleanup()


@cache
def _clean_up_once(place: str) -> None:
    clean_up(Path(place))


def clean_up(place: Path) -> None:
    """Remove the folders of runs that are gone. Those of other users cannot be opened, and stay."""
    for folder in place.glob(f"{PREFIX}*"):
        with suppress(OSError):
            if time.time() - folder.stat().st_mtime > YOUNG_SECONDS:
                with (folder / LOCK).open("r+b") as file:
                    if _lock(file.fileno()):
                        shutil.rmtree(folder)


def _lock(descriptor: int) -> bool:
    """Lock an open file; whether that was possible."""
    try:
        import fcntl
    except ImportError:  # no such locks on this system, so nobody's folder is ever removed
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True
