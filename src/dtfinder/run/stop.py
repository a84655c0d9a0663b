"""Rules that end a run early, each a small callable that says why, or None to go on. A reason is
what can follow `stopped:`.

Seconds, memory and Ctrl-C depend on the machine. Work does not: it is counted in solver steps, so a
run that ends by its work limit ends at the same point, with the same tree, wherever it runs.
"""

from __future__ import annotations

import time
from collections.abc import Callable

# Asked often, from the main thread, while something else does the work. The answer is the reason to
# stop, or None.
Stop = Callable[[], str | None]


class AfterSeconds:
    """Stop once `seconds` have passed since this rule was made."""

    def __init__(self, seconds: float) -> None:
        self._end = time.monotonic() + seconds

    def __call__(self) -> str | None:
        return "time limit" if time.monotonic() >= self._end else None


class AboveMemory:
    """Stop once `used()`, the bytes in use by the run, is over `limit`."""

    def __init__(self, limit: int, used: Callable[[], int]) -> None:
        self._limit, self._used = limit, used

    def __call__(self) -> str | None:
        return "memory limit" if self._used() > self._limit else None


class Flag:
    """Stop once `set` was called, e.g. by the handler of Ctrl-C or by another thread."""

    def __init__(self) -> None:
        self._reason: str | None = None

    def set(self, reason: str = "interrupted") -> None:
        """Ask the run to stop; the first reason stands."""
        self._reason = self._reason or reason

    def __call__(self) -> str | None:
        return self._reason


class FirstOf:
    """Stop as soon as one of `rules` says so."""

    def __init__(self, *rules: Stop) -> None:
        self._rules = rules

    def __call__(self) -> str | None:
        return next((reason for rule in self._rules if (reason := rule())), None)


class Work:
    """A deterministic budget of solver steps; with `limit` None it only counts."""

    def __init__(self, limit: int | None = None) -> None:
        self.limit, self.spent = limit, 0

    @property
    def left(self) -> int | None:
        """The steps left, or None without a limit."""
        return None if self.limit is None else max(0, self.limit - self.spent)

    def spend(self, steps: int) -> None:
        """Count `steps` as done."""
        self.spent += steps

    def __call__(self) -> str | None:
        return "work limit" if self.limit is not None and self.spent >= self.limit else None


class Stopped(Exception):
    """Raised inside a search when a stop rule fired; carries the reason."""
