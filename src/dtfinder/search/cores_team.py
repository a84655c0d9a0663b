"""The native engine with whoever is there to work on it: one thread, several, or a cluster.

Least depth under a limit on nodes is searched depth by depth, and each depth by itself is much
harder to rule out than all of them together: facts without a depth are stronger. So it is first
asked for any tree within the limits. Mostly a greedy tree is, and nothing is lost; where none is,
the answer comes in seconds instead of hours.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from contextlib import closing
from dataclasses import replace

from dtfinder.problem import DEPTH, SIZE, Event, Problem
from dtfinder.run.stop import Stop, Work
from dtfinder.run.team import ALONE, Team
from dtfinder.search import cores
from dtfinder.search.cores_rounds import search_in_rounds
from dtfinder.search.cores_together import search_together


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

    def search(asked: Problem) -> Generator[Event, None, None]:
        if team.pool is not None:
            return search_in_rounds(
                team.pool,
                asked,
                stop,
                work,
                journal=team.journal,
                certify=certify,
                memory_limit=memory_limit,
            )
        if team.workers > 1 or team.journal is not None:
            return search_together(
                asked, stop, work, team, certify=certify, memory_limit=memory_limit
            )
        return cores.search(asked, stop, work, certify=certify, memory_limit=memory_limit)

    # A checkpoint has the facts of one search, and rounds keep theirs with the workers.
    one_search = team.pool is not None or team.journal is not None
    if problem.minimise == DEPTH and problem.max_nodes is not None and not one_search:
        return _any_tree_first(search, problem, certify)
    return search(problem)


def _any_tree_first(
    search: Callable[[Problem], Generator[Event, None, None]], problem: Problem, certify: bool
) -> Iterator[Event]:
    """Look for the least size until a tree is within the limits, then for the least depth."""
    with closing(search(replace(problem, minimise=SIZE))) as events:
        for event in events:
            if event.infeasible:
                yield event
                return
            if event.nodes is not None:
                break
            if not certify:  # a bound without its proof is of no use to a certificate
                yield Event(event.bounds)
    yield from search(problem)
