"""Temporary folders are gone after a run, or after the next one."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
from contextlib import closing
from pathlib import Path

import pytest

from dtfinder.run import scratch
from dtfinder.run.scratch import LOCK, PREFIX, Scratch, clean_up

HOLD = "from dtfinder.run.scratch import Scratch; s = Scratch(); print(s.path, flush=True); input()"


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of temporary folders; nothing is too young to be removed."""
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(scratch, "YOUNG_SECONDS", -1)
    scratch._clean_up_once.cache_clear()
    return tmp_path


def other_run() -> tuple[subprocess.Popen[str], Path]:
    child = subprocess.Popen(
        [sys.executable, "-c", HOLD], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert child.stdout is not None
    return child, Path(child.stdout.readline().strip())


def test_a_folder_is_removed_when_it_is_closed(place: Path) -> None:
    with closing(Scratch()) as folder:
        (folder.path / "file").write_text("something")
        assert list(place.iterdir()) == [folder.path]
    assert list(place.iterdir()) == []


def test_the_next_run_removes_what_a_killed_one_left() -> None:
    child, left = other_run()
    (left / "file").write_text("something")
    clean_up(left.parent)
    assert left.exists()  # it is in use
    os.kill(child.pid, signal.SIGKILL)
    child.communicate()
    assert left.exists()
    with closing(Scratch()):
        assert not left.exists()


def test_young_folders_and_those_of_others_stay(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (place / f"{PREFIX}other").mkdir()  # without a lock: not one of ours
    (place / "something").mkdir()
    young = place / f"{PREFIX}young"
    young.mkdir()
    (young / LOCK).touch()
    monkeypatch.setattr(scratch, "YOUNG_SECONDS", 60)
    clean_up(place)
    assert young.exists()
    monkeypatch.setattr(scratch, "YOUNG_SECONDS", -1)
    clean_up(place)
    assert sorted(path.name for path in place.iterdir()) == [f"{PREFIX}other", "something"]
