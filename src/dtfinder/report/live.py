"""The line that shows a run while it runs: both bounds, the gap, the seconds. Only on a terminal.

    dtfinder  nodes 11 … 15  depth 3 … 4  gap 4  2.1 s

It is drawn from two sides, without a thread: a search calls back when a bound moves, and it asks
its stop rules often; `Live` is such a rule, which never stops anything and lets the clock tick.
"""

from __future__ import annotations

import time
from types import TracebackType
from typing import IO

from dtfinder.problem import DEPTH, Progress

_EVERY = 0.1  # seconds between two drawings


class Live:
    """A context manager; inside, `moved` is the callback and the object itself the stop rule."""

    def __init__(self, stream: IO[str]) -> None:
        from rich.console import Console
        from rich.live import Live as RichLive

        self._console = Console(file=stream)
        self._live = RichLive(console=self._console, auto_refresh=False, transient=True)
        self._begin = self._drawn = time.monotonic()
        self._state: Progress | None = None

    def __enter__(self) -> Live:
        self._live.start()
        self._draw()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._live.stop()

    def moved(self, state: Progress) -> None:
        """Take and show the new state of the run."""
        self._state = state
        self._draw()

    def __call__(self) -> str | None:
        if time.monotonic() - self._drawn >= _EVERY:
            self._draw()
        return None

    def _draw(self) -> None:
        from rich.text import Text

        self._drawn = time.monotonic()
        line = live_line(self._state, self._drawn - self._begin)
        text = Text(line, style="bold", no_wrap=True, overflow="ellipsis")
        self._live.update(text, refresh=True)


def live_line(state: Progress | None, seconds: float) -> str:
    """What the line says; the bounds that close on each other come first."""
    if state is None:
        return f"reading the table  {seconds:.1f} s"
    nodes = f"nodes {state.bounds.nodes} … {'?' if state.nodes is None else state.nodes}"
    depth = f"depth {state.bounds.depth} … {'?' if state.depth is None else state.depth}"
    parts = [depth, nodes] if state.minimise == DEPTH else [nodes, depth]
    if state.nodes is not None and state.depth is not None:
        gaps = {
            "nodes": state.nodes - state.bounds.nodes,
            "depth": state.depth - state.bounds.depth,
        }
        parts.append(f"gap {gaps['depth' if state.minimise == DEPTH else 'nodes']}")
    return "  ".join([state.method, *parts, f"{seconds:.1f} s"])
