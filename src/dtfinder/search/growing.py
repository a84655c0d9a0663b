"""Growing size: refute one size after the other until a tree is found.

Every refuted size raises the proven lower bound by two nodes, and the first tree found is optimal.
All formulas but the last are unsatisfiable and none is larger than the optimum, so memory stays
low. With topologies this is search (2) of Janota and Morgado; without, it is the one of Narodytska
et al.
"""

from __future__ import annotations

from collections.abc import Iterator

from dtfinder.problem import Event
from dtfinder.search.session import Session


def growing(session: Session) -> Iterator[Event]:
    """Events until the smallest tree is proven."""
    yield from session.start()
    while not session.done:
        if session.least_leaves > _most(session):
            yield from session.end()
            return
        paths = session.least_leaves
        answer = session.ask(paths)
        if answer.nodes is None:
            yield session.raise_bounds(paths, stats=answer)
        else:
            yield session.take(answer)
            yield from session.end()


def _most(session: Session) -> int:
    """The largest number of leaves worth asking about: fewer than the best tree has."""
    best = session.best
    return session.most_leaves if best is None else (len(best) + 1) // 2 - 1
