"""Under a tight `ulimit -v`: report that there is not enough memory instead of hanging.

OpenBLAS, which comes with numpy and again with scipy, asks for its buffers while it is imported.
Where there is no room for them it may try for ever and ignore signals. So a command looks for room
before it imports one of the two.
"""

from __future__ import annotations

import mmap
import sys
from importlib.machinery import ModuleSpec

# Bytes of address space that a package takes with what is imported together with it, rounded up.
NEEDED = {"numpy": 100_000_000, "scipy": 420_000_000}


class _Guard:
    """Asked by Python before every import; finds nothing itself."""

    def find_spec(self, name: str, *_: object) -> ModuleSpec | None:
        if name in NEEDED and not _room(NEEDED[name]):
            raise MemoryError
        return None


def guard_imports() -> None:
    """From now on, importing numpy or scipy without room for it raises MemoryError."""
    if limited() and not any(isinstance(each, _Guard) for each in sys.meta_path):
        sys.meta_path.insert(0, _Guard())


def limited() -> bool:
    """Whether the address space of this process has a limit."""
    try:
        import resource
    except ImportError:  # on Windows
        return False
    return resource.getrlimit(resource.RLIMIT_AS)[0] != resource.RLIM_INFINITY


def _room(needed: int) -> bool:
    """Whether this many bytes could be had; none of them is used."""
    try:
        mmap.mmap(-1, needed).close()
    except (OSError, MemoryError):
        return False
    return True
