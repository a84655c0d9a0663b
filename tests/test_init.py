"""The public names: what completion offers is what can be imported."""

from __future__ import annotations

import subprocess
import sys

import dtfinder


def test_completion_offers_the_public_names_before_they_are_imported() -> None:
    code = "import dtfinder; print(*dir(dtfinder))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == sorted(dtfinder.__all__)
    for name in dtfinder.__all__:
        assert getattr(dtfinder, name) is not None
