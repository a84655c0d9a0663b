"""What people see of a run while it runs: both bounds, the gap, the seconds.

On a terminal one line is drawn again and again, with a bar whose two ends close on each other:

    ━━━━━━━╌╌╌╌╌━━━━━━  dtfinder  nodes 11 … 15  depth 3 … 4  gap 4  2.1 s

The left end is how far the proven bound has risen since the first tree, the right end how far the
best tree has shrunk. Anywhere else the same is written as plain lines, now and then, so that a log
of a long run tells how it went and a short run leaves none.

A search calls back when a bound moves; in between a thread lets the clock tick. A terminal or a
reader that is gone ends nothing: the run goes on unseen.

A run without a limit may take for ever. If a person is there to see it, on a terminal or in a
notebook, it says after a moment how to end it, and shows its bounds even if that was not asked for.
"""

from __future__ import annotations

import math
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from fractions import Fraction
from typing import IO

from dtfinder.options import Options
from dtfinder.problem import Callback, Progress
from dtfinder.report.text import amount

_EVERY = 0.1  # seconds between two drawings
_LINE_EVERY = 5.0  # seconds between two lines of a log
_BAR = 18  # characters
_MOMENT = 1.5  # seconds after which a person wants to know what is going on
ADVICE = (
    "no limit is set: interrupt the run to get the best tree so far, or set a limit such as "
    "time_limit=60 (--time-limit 60)"
)


def seen_by_a_person(stream: IO[str] | None) -> bool:
    """Whether the stream is a terminal or the output of a notebook."""
    in_notebook = type(stream).__module__.startswith("ipykernel")
    return stream is not None and (in_notebook or stream.isatty())


@contextmanager
def watched(
    verbose: bool | None, options: Options, callback: Callback | None
) -> Iterator[Callback | None]:
    """The callback that also shows a run on stderr, if it is to be shown. With None for `verbose`,
    it is if it has no limit, takes long, and a person is there to see it."""
    endless = options.time_limit is None and options.work_limit is None
    by_a_person = seen_by_a_person(sys.stderr)
    if not verbose and not (verbose is None and endless and by_a_person):
        yield callback
        return
    advice = ADVICE if endless and by_a_person else ""
    with watching(sys.stderr, late=not verbose, advice=advice) as show:

        def tell(state: Progress) -> None:
            for each in (show, callback):
                if each is not None:
                    each(state)

        yield tell


@contextmanager
def watching(
    stream: IO[str] | None, *, late: bool = False, advice: str = ""
) -> Iterator[Callback | None]:
    """The callback that shows a run on `stream`, or None if there is no stream. If `late`, nothing
    is shown of a run that ends within a moment. `advice` is written after that moment."""
    if stream is None:
        yield None
        return
    view: View = Live(stream) if stream.isatty() else Lines(stream)
    ended = threading.Event()
    clock = threading.Thread(target=_tick, args=(view, ended, late, advice), daemon=True)
    if not late:
        view.start()
    clock.start()
    try:
        yield view.moved
    finally:
        ended.set()
        clock.join()
        view.stop()


def _tick(view: View, ended: threading.Event, late: bool, advice: str) -> None:
    begin, waiting = time.monotonic(), late or bool(advice)
    while not ended.wait(_EVERY):
        if waiting and time.monotonic() - begin >= _MOMENT:
            waiting = False
            if late:
                view.start()
            if advice:
                view.say(advice)
        view.tick()


class View:
    """What shows a run: its last state, and when that began."""

    def __init__(self) -> None:
        self._begin = time.monotonic()
        self._state: Progress | None = None

    def start(self) -> None:
        """Begin to show something."""

    def stop(self) -> None:
        """Take away what must not stay."""

    def say(self, words: str) -> None:
        """Write the words."""

    def moved(self, state: Progress) -> None:
        """Take the new state of the run, and show it."""
        self._state = state
        self._begin = time.monotonic() - state.seconds  # the run's own clock, without the reading
        self.tick()

    def tick(self) -> None:
        """Show what is known if it is time."""


class Lines(View):
    """Plain lines, the first after a while, and then as bounds move, but not too often."""

    def __init__(self, stream: IO[str], every: float = _LINE_EVERY) -> None:
        super().__init__()
        self._stream, self._every, self._written = stream, every, self._begin

    def say(self, words: str) -> None:
        """Write the words, and what is known now."""
        with suppress(OSError):
            self._stream.write(f"{words}\n")
        self._written = -math.inf
        self.tick()

    def tick(self) -> None:
        """Write the line if it is time."""
        now = time.monotonic()
        if self._state is not None and now - self._written >= self._every:
            with suppress(OSError):
                self._stream.write(f"{live_line(self._state, now - self._begin)}\n")
                self._stream.flush()
            self._written, self._state = now, None


class Live(View):
    """A line that is drawn again and again, from `start` to `stop`."""

    def __init__(self, stream: IO[str]) -> None:
        from rich.console import Console
        from rich.live import Live as RichLive

        self._console = Console(file=stream)
        self._live = RichLive(console=self._console, auto_refresh=False, transient=True)
        super().__init__()
        self._drawn = self._begin
        self._first: Progress | None = None  # with a tree

    def start(self) -> None:
        """Draw the line for the first time."""
        with suppress(OSError):
            self._live.start()
        self._draw()

    def stop(self) -> None:
        """Erase the line."""
        with suppress(OSError):
            self._live.stop()

    def say(self, words: str) -> None:
        """Write the words above the line."""
        with suppress(OSError):
            self._console.print(words, style="dim", highlight=False, markup=False)

    def moved(self, state: Progress) -> None:
        """Take the new state of the run, and draw it at once."""
        if self._first is None and state.nodes is not None:
            self._first = state
        self._drawn = -math.inf
        super().moved(state)

    def tick(self) -> None:
        """Draw the line if it is time."""
        if time.monotonic() - self._drawn >= _EVERY:
            self._draw()

    def _draw(self) -> None:
        from rich.text import Text

        if not self._live.is_started:
            return
        self._drawn = time.monotonic()
        line = live_line(self._state, self._drawn - self._begin)
        risen, gap, shrunk = bar_parts(self._first, self._state)
        utf = self._console.encoding.lower().startswith("utf")
        solid, dotted = ("━", "╌") if utf else ("=", ".")
        text = Text.assemble(
            (solid * risen, "green"),
            (dotted * gap, "dim"),
            (solid * shrunk, "cyan"),
            "  " if self._state else "",
            (line, "bold"),
            no_wrap=True,
            overflow="ellipsis",
        )
        with suppress(OSError):
            self._live.update(text, refresh=True)


def bar_parts(first: Progress | None, state: Progress | None) -> tuple[int, int, int]:
    """The lengths of the bar's left end, its gap and its right end. A bar is full only when the
    bounds have met."""
    if state is None:
        return 0, 0, 0
    if first is None:
        return 0, _BAR, 0
    aim = _open_aim(state)
    low, high = first.both(aim)
    lower, upper = state.both(aim)
    assert high is not None
    assert upper is not None
    if upper <= lower:
        left = round(_BAR * (lower - low) / (high - low)) if high > low else _BAR
        left = min(left, _BAR)
        return left, 0, _BAR - left
    span = max(high - low, upper - lower)
    left, right = int(_BAR * (lower - low) / span), max(0, int(_BAR * (high - upper) / span))
    gap = max(_BAR - left - right, 1)
    return _BAR - gap - right, gap, right


def _open_aim(state: Progress) -> str:
    """What the search is at, of a state with a tree: the first aim whose bounds have not met."""
    for aim in state.aims:
        lower, upper = state.both(aim)
        if upper is not None and lower < upper:
            return aim
    return state.aims[-1]


def live_line(state: Progress | None, seconds: float) -> str:
    """What the line says; the bounds that close on each other come first."""
    if state is None:
        return f"reading the table  {seconds:.1f} s"
    if state.doing:
        return "  ".join([state.method, state.doing, f"{seconds:.1f} s"])
    if state.at is not None:
        size = amount(2 * state.at + 1, "node")
        return "  ".join([state.method, size, _range("errors", state), f"{seconds:.1f} s"])
    measures = [*state.aims, *(name for name in ("nodes", "depth") if name not in state.aims)]
    parts = [_range(name, state) for name in measures]
    if state.score is not None:
        aim = _open_aim(state)
        lower, upper = state.both(aim)
        assert upper is not None
        parts.append(f"gap {_number(upper - lower, _unit(aim, state))}")
    return "  ".join([state.method, *parts, f"{seconds:.1f} s"])


def _range(measure: str, state: Progress) -> str:
    """Both bounds on a measure."""
    lower, upper = state.both(measure)
    unit = _unit(measure, state)
    name = measure if unit is None else "error weight"
    return f"{name} {_number(lower, unit)} … {'?' if upper is None else _number(upper, unit)}"


def _unit(measure: str, state: Progress) -> Fraction | None:
    """What an error weighs, where rows have weights and the measure is that of errors."""
    return state.weight_unit if measure == "errors" else None


def _number(value: float, unit: Fraction | None) -> str:
    """A whole number, a cost, or a weight."""
    if unit is not None:
        return f"{float(value * unit):g}"
    return str(value) if isinstance(value, int) else f"{float(value):.4f}"
