"""Console blocks of pages: `$ dtfinder …` and what is printed below, run for real."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path


def commands(block: str) -> list[tuple[str, str]]:
    """Each command of a console block with what is printed below it."""
    parts = re.split(r"^\$ (.*)\n", block, flags=re.MULTILINE)[1:]
    return list(zip(parts[::2], parts[1::2], strict=True))


def run(command: str, folder: Path | None = None) -> subprocess.CompletedProcess[str]:
    """Run a command of a console block, in `folder` or where we are."""
    name, *arguments = shlex.split(command, comments=True)
    assert name == "dtfinder"
    return subprocess.run(
        [sys.executable, "-m", "dtfinder", *arguments],
        capture_output=True,
        encoding="utf-8",
        env={**os.environ, "PYTHONIOENCODING": "utf-8"},
        cwd=folder,
    )


def what_counts(output: str) -> tuple[int, str]:
    """The number of lines and the last one, without the time and the method: another tree of the
    same size would do as well."""
    lines = output.splitlines() or [""]
    return len(lines), re.sub(r"[\d.]+ s, method .*", "", lines[-1])
