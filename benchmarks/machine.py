"""The machine that a campaign ran on, in words that name neither the host nor any path."""

from __future__ import annotations

import os
import platform
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

PACKAGES = (
    "dtfinder",
    "python-sat",
    "scikit-learn",
    "numpy",
    "pystreed",
    "pycontree",
    "gosdt",
    "pydl8.5",
)


def describe() -> dict[str, str]:
    """CPU, cores, memory, system, and the version of everything that was compared."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    about = {
        "CPU": _cpu(),
        "cores": str(os.cpu_count()),
        "memory": f"{memory / 1e9:.0f} GB",
        "system": f"{platform.system()} {platform.machine()}",
        "Python": platform.python_version(),
    }
    for package in PACKAGES:
        try:
            about[package] = version(package)
        except PackageNotFoundError:
            continue
    return about


def _cpu() -> str:
    """The model as the kernel names it, with its clock where that is told."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor() or "unknown"
    facts = dict(line.split(":", 1) for line in lines if ":" in line)
    told = {key.strip(): value.strip() for key, value in facts.items()}
    clock = f" at {float(told['cpu MHz']) / 1000:.1f} GHz" if "cpu MHz" in told else ""
    return told.get("model name", "unknown") + clock
