"""Who works on a run besides this process, and where it writes down what is proven."""

from __future__ import annotations

from dataclasses import dataclass

from dtfinder.run.checkpoint import Journal
from dtfinder.run.pool import Pool


@dataclass(frozen=True)
class Team:
    """`pool` runs pieces: those of SAT methods, which without one run one after the other, and on a
    cluster those of the native engine, which without one has threads."""

    workers: int = 1
    pool: Pool | None = None
    journal: Journal | None = None


ALONE = Team()
