"""Binary search on size, from the greedy tree's size downwards: search (1) of Janota and Morgado.

Each question is 'is there a tree with at most P leaves'. A tree lowers the upper bound to its own
size, which may be well below P; a refutation raises the lower bound above P. 'At most' matters:
with 'exactly P' the answers would not be monotone (see `encode.paths`), and the search could step
over the optimum.
"""

from __future__ import annotations

from collections.abc import Iterator

from dtfinder.problem import Event
from dtfinder.search.session import Session


def binary(session: Session) -> Iterator[Event]:
    """Events until the smallest tree is proven."""
    yield from session.start()
    while not session.done:
        least = session.least_leaves
        best = session.best
        # The smallest number of leaves that needs no question: known, or beyond the limits.
        known = session.most_leaves + 1 if best is None else (len(best) + 1) // 2
        if least >= known:
            yield from session.end()
            return
        middle = (least + known) // 2
        answer = session.ask(middle, at_most=True)
        if answer.nodes is None:
            yield session.raise_bounds(middle, stats=answer)
        else:
            yield session.take(answer)
