"""Growing depth, and growing size within each depth: search (3) of Janota and Morgado.

It finds the smallest tree among the shallowest ones: the optimum of (depth, size) in this order.
For each depth, sizes are refuted one after the other up to the most leaves that the depth has room
for, 2^depth, or one leaf per example. A refuted depth raises the bound on the depth. A refuted size
raises the bound on the nodes only if it is known that some tree has this depth: otherwise the
optimum may be deeper, and then smaller.
"""

from __future__ import annotations

from collections.abc import Iterator

from dtfinder.nodes import depth_of
from dtfinder.problem import Event
from dtfinder.search.session import Session, leaves_within


def depth_then_size(session: Session) -> Iterator[Event]:
    """Events until the smallest of the shallowest trees is proven."""
    yield from session.start()
    while not session.done:
        depth = session.bounds.depth
        if depth > session.most_depth:
            yield from session.end()
            return
        yield from _at_depth(session, depth)


def _at_depth(session: Session, depth: int) -> Iterator[Event]:
    """Find the smallest tree of this least possible depth, or prove that there is none."""
    reached = session.best is not None and depth_of(session.best) == depth
    most = leaves_within(session.most_leaves, depth)
    if reached and session.best is not None:
        most = (len(session.best) + 1) // 2 - 1
    for paths in range(session.least_leaves, most + 1):
        answer = session.ask(paths, depth)
        if answer.nodes is not None:
            yield session.take(answer)
            yield from session.end()
            return
        inner = paths if reached else 0
        yield session.raise_bounds(inner, stats=answer)
    if reached:
        yield from session.end()
    else:
        yield session.raise_bounds(depth=depth + 1)
