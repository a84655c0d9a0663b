"""Text that has an order: dates, times, months, quarters, weeks and durations.

Each is brought into one way of writing, so that the same moment is the same text wherever it comes
from. For all but durations the order of the text is then the order in time, if the column has one
form throughout and one time zone; a column that mixes them is plain text.

    date       2024-02-11, 2024-02-11T13:00:00.5, 2024-02-11T13:00:00+02:00 (midnight is left out)
    time       13:00:00
    month      2024-02        quarter  2024Q1        week  2024-02-05/2024-02-11
    duration   0 days 02:30:00, -1 days +23:30:00 (as pandas writes them)
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import UTC, date, datetime, time, timedelta
from typing import Any

_CLOCK = r"(\d\d:\d\d)(?::(\d\d)(?:\.(\d+))?)?"
_DATE = re.compile(rf"(?a)(\d{{4}}-\d\d-\d\d)(?:[T ]{_CLOCK}(Z|[+-]\d\d:\d\d)?)?")
_TIME = re.compile(f"(?a){_CLOCK}")
_DURATION = re.compile(r"(?a)(-?\d{1,9}) days? \+?(\d\d):(\d\d):(\d\d)(?:\.(\d{1,9}))?")
_FORMS = {
    "month": re.compile(r"(?a)\d{4}-(0[1-9]|1[0-2])"),
    "quarter": re.compile(r"(?a)\d{4}-?Q[1-4]"),
    "week": re.compile(r"(?a)\d{4}-\d\d-\d\d/\d{4}-\d\d-\d\d"),
}
DURATION = "duration"


def moment(word: str) -> tuple[str, str] | None:
    """The form of the word, with its time zone, and the one way to write it; None for any other
    word."""
    try:
        if found := _DATE.fullmatch(word):
            day, clock, second, fraction, zone = found.groups()
            date.fromisoformat(day)
            clock = _clock(clock, second, fraction) if clock else ""
            zone = {None: "", "Z": "+00:00"}.get(zone, zone)
            shown = clock and not (clock == "00:00:00" and not zone)
            return f"date{zone}", f"{day}T{clock}{zone}" if shown else day
        if found := _TIME.fullmatch(word):
            return "time", _clock(*found.groups())
    except ValueError:  # no such day or hour
        return None
    if _DURATION.fullmatch(word):
        return DURATION, duration_text(nanoseconds(word))
    form = next((name for name, pattern in _FORMS.items() if pattern.fullmatch(word)), None)
    return (form, word) if form else None


def _clock(minutes: str, second: str | None, fraction: str | None) -> str:
    time.fromisoformat(f"{minutes}:{second or '00'}")
    return f"{minutes}:{second or '00'}" + f".{fraction or ''}".rstrip("0").rstrip(".")


def moments(words: Iterable[str]) -> dict[str, str] | None:
    """The one way to write each of the words, if all have the same form; otherwise None."""
    found: dict[str, str] = {}
    forms: set[str] = set()
    for word in words:
        known = moment(word)
        if known is None or len(forms | {known[0]}) > 1:
            return None
        forms.add(known[0])
        found[word] = known[1]
    return found or None


def sort_key(text: str) -> Any:
    """What to compare of a text in the one way of writing."""
    return nanoseconds(text) if _DURATION.fullmatch(text) else text


def nanoseconds(text: str) -> int:
    """The length of a duration."""
    found = _DURATION.fullmatch(text)
    assert found is not None
    days, hours, minutes, seconds = map(int, found.groups()[:4])
    whole = ((days * 24 + hours) * 60 + minutes) * 60 + seconds
    return whole * 10**9 + int((found[5] or "").ljust(9, "0"))


def duration_text(length: int) -> str:
    """The text of a duration in nanoseconds."""
    seconds, fraction = divmod(length, 10**9)
    days, seconds = divmod(seconds, 86400)
    clock = f"{seconds // 3600:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d}"
    sign = "+" if days < 0 else ""
    return f"{days} days {sign}{clock}" + f".{fraction:09d}".rstrip("0").rstrip(".")


def moment_text(value: Any) -> str:
    """The text of a Python date, time or duration, and of any other object what `str` makes of it.
    Dates of one time zone keep it; `utc` brings those of several to one."""
    if isinstance(value, timedelta):
        fine = getattr(value, "value", None)  # pandas counts nanoseconds
        if isinstance(fine, int):
            return duration_text(fine)
        return duration_text(value // timedelta(microseconds=1) * 1000)
    text = value.isoformat() if isinstance(value, (date, time)) else str(value)
    known = moment(text)
    return known[1] if known else text


def utc(values: list[Any]) -> list[Any]:
    """Dates of several time zones as dates of one."""
    aware = [isinstance(value, datetime) and value.tzinfo is not None for value in values]
    if (
        len({value.utcoffset() for value, is_aware in zip(values, aware, strict=True) if is_aware})
        < 2
    ):
        return values
    return [
        value.astimezone(UTC) if is_aware else value
        for value, is_aware in zip(values, aware, strict=True)
    ]
