"""dtfinder imports and runs where POSIX ends: Windows has no `fcntl`, `resource` and SIGHUP."""

from __future__ import annotations

import subprocess
import sys

HIDE = """
import signal, sys
sys.modules["fcntl"] = sys.modules["resource"] = None
del signal.SIGHUP, signal.SIGXCPU
"""
FIND = """
from dtfinder import find_tree
import dtfinder.cli.app
print(find_tree("weather", memory_limit=3.0).nodes)
"""


def test_the_native_engine_needs_nothing_of_posix() -> None:
    done = subprocess.run([sys.executable, "-c", HIDE + FIND], capture_output=True, text=True)
    assert (done.stdout, done.returncode) == ("9\n", 0), done.stderr
