"""The native engine with whoever is there to work on it: one thread, several, or a cluster."""

from __future__ import annotations

from collections.abc import Iterator

from dtfinder.problem import Event, Problem
from dtfinder.search import cores
from dtfinder.search.cores_rounds import search_in_rounds
from dtfinder.search.cores_together import search_together
from dtfinder.search.team import ALONE, Team
from dtfinder.stop import Stop, Work


def search_cores(
    problem: Problem,
    stop: Stop,
    work: Work,
    team: Team = ALONE,
    *,
    certify: bool = False,
    memory_limit: float | None = None,
) -> Iterator[Event]:
    """Events until the optimum is proven, or it is proven that there is no tree."""
    if team.pool is not None:
        return search_in_rounds(
            team.pool,
            problem,
            stop,
            work,
            journal=team.journal,
            certify=certify,
            memory_limit=memory_limit,
        )
    if team.workers > 1 or team.journal is not None:
        return search_together(
            problem, stop, work, team, certify=certify, memory_limit=memory_limit
        )
    return cores.search(problem, stop, work, certify=certify, memory_limit=memory_limit)
