"""Includes of the native code go one way, as `src/core/README.md` says, and it lists every file."""

from __future__ import annotations

import re
from fnmatch import fnmatch
from pathlib import Path

CORE = Path(__file__).resolve().parents[2] / "src" / "core"
MAY_INCLUDE = {
    "shared": {"shared"},
    "spine": {"spine", "shared"},
    "front": {"front", "shared"},
    "cubes": {"cubes", "shared"},
    "exact": {"exact", "shared", "spine"},
    "check": {"check"},
}
SOURCES = sorted(
    path.relative_to(CORE).as_posix()
    for folder in MAY_INCLUDE
    for path in (CORE / folder).iterdir()
    if "bindings" not in path.name
)


def listed() -> list[str]:
    """What the tables of the page name, in their order; a name may have a star."""
    names, folder = [], ""
    for line in (CORE / "README.md").read_text().splitlines():
        if heading := re.match(r"## (\w+):", line):
            folder = heading[1]
        elif line.startswith("| `"):
            names += [f"{folder}/{name}" for name in re.findall(r"`([^`]+)`", line.split("|")[1])]
    return names


def places(names: list[str]) -> dict[str, int]:
    """The place of every file in the list; -1 if it is not there."""
    return {
        file: next((n for n, name in enumerate(names) if fnmatch(file, name)), -1)
        for file in SOURCES
    }


def test_every_file_is_listed_and_every_listed_file_exists() -> None:
    names = listed()
    assert [file for file, place in places(names).items() if place < 0] == []
    assert [name for name in names if not any(fnmatch(file, name) for file in SOURCES)] == []


def test_files_include_only_what_is_above_them() -> None:
    place = places(listed())
    wrong = []
    for file in SOURCES:
        folder = file.split("/")[0]
        for included in re.findall(r'#include "([^"]+)"', (CORE / file).read_text()):
            known = included in place and included.split("/")[0] in MAY_INCLUDE[folder]
            below = known and included.startswith(folder) and place[included] >= place[file]
            if not known or below:
                wrong.append(f"{file} includes {included}")
    assert wrong == []
