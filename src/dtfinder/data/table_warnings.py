"""Hints about columns that look like a mistake: numbers and dates that count as text, and columns
that only name or number the rows.

Such a table can be used as it is, so nothing is refused, but its smallest tree may be of no use:
`patient = P0046` tells one row from all others, and a decimal comma in one cell makes a hundred
words of a hundred measurements. A line in the log says so, with the cure.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from dtfinder.data.binarise import Levels
from dtfinder.data.dataset import NUMBER
from dtfinder.errors import Option

_log = logging.getLogger(__name__)

# Fewer rows or values than these say little about what a column is.
_FEWEST_ROWS, _FEW = 10, 3
_MOST_NAMED = 8
_DIGITS = r"\d{1,3}(?:,\d{3})+(?:\.\d*)?|\d+(?:[.,]\d*)?"
_OTHER_DATE = re.compile(r"(?a)\d\d?[./]\d\d?[./]\d{2,4}( .*)?|\d{4}[-/.]\d\d?[-/.]\d\d?.*")
_Cure = str | tuple[str, Option]  # what to do; the option that does it comes last
# How numbers are written that count as text, each with the cure.
_CURES: dict[re.Pattern[str], _Cure] = {
    re.compile(rf"(?a)[-+]?\s*(?:{_DIGITS})\s*%"): "leave out the % sign",
    re.compile(rf"(?a)[-+]?[$€£¥]\s*(?:{_DIGITS})|[-+]?(?:{_DIGITS})\s*[$€£¥]"): (
        "leave out the currency sign"
    ),
    re.compile(r"(?a)\d{1,2}:\d\d(:\d\d)?"): "write times as 09:30 or 09:30:00",
    re.compile(r"(?a)[-+]?\d{1,3}(,\d{3})+(\.\d*)?"): "write numbers as 1234.5, without commas",
    re.compile(r"(?a)[-+]?(\d{1,3}([.' ]\d{3})+|\d+),\d+"): (
        "write numbers as 1234.5, or use ",
        Option("decimal", ","),
    ),
}


class _Doubt(NamedTuple):
    """What is odd about a column, and what to do. The verb is for one column, and for several."""

    verbs: tuple[str, str]
    what: str
    cure: _Cure


def warn_of_doubts(levels: list[Levels]) -> None:
    """Log what is doubtful about the columns: one line per cure, with the names of all columns."""
    found: dict[_Cure, list[tuple[str, _Doubt]]] = {}
    for name, doubt in _doubts(levels):
        found.setdefault(doubt.cure, []).append((name, doubt))
    for cure, doubted in found.items():
        what, option = (cure, "") if isinstance(cure, str) else cure
        names = [repr(name) for name, _ in doubted]
        shown = ", ".join(names[:_MOST_NAMED])
        if len(names) > _MOST_NAMED:
            shown += f" and {len(names) - _MOST_NAMED} more"
        doubt, several = doubted[0][1], len(names) > 1
        column = "columns" if several else "column"
        _log.warning(
            "%s %s %s %s; %s%s", column, shown, doubt.verbs[several], doubt.what, what, option
        )


def warn_of_order(X: Any, y: Any) -> None:
    """Log that X and y have the same rows in another order, by the index that pandas gives them:
    rows are matched by their place, as in scikit-learn."""
    rows: Any = getattr(X, "index", None)
    labels: Any = getattr(y, "index", None)
    if not (hasattr(rows, "difference") and hasattr(labels, "difference")):
        return  # not of pandas
    if len(rows) != len(labels) or rows.equals(labels) or not rows.is_unique:
        return
    if rows.difference(labels, sort=False).empty:
        _log.warning(
            "X and y have the same index in another order, and are matched by their place; if that "
            "is not meant, give y.loc[X.index]"
        )


def _doubts(levels: list[Levels]) -> Iterator[tuple[str, _Doubt]]:
    """The names of doubtful columns, each with what is the matter."""
    for each in levels:
        doubt = _of_numbers(each) if each.kind == NUMBER else _of_words(each)
        if doubt and len(levels) > 1:  # a single column is all there is to ask about
            yield each.column, doubt


def _of_numbers(levels: Levels) -> _Doubt | None:
    rows = len(levels.codes)
    if rows < _FEWEST_ROWS or len(levels.values) != rows:
        return None
    first, last = levels.values[0], levels.values[-1]
    if not isinstance(first, float) or not isinstance(last, float):
        return None
    in_order = bool((np.diff(levels.codes) == 1).all())
    if not in_order or last - first != rows - 1 or not first.is_integer():
        return None
    cure = ("unless their order means something, leave it out with ", Option("ignore"))
    return _Doubt(("numbers", "number"), "the rows", cure)


def _of_words(levels: Levels) -> _Doubt | None:
    words = [value for value in levels.values if isinstance(value, str)]
    if levels.ordered or len(words) < _FEW or len(words) + levels.has_missing < len(levels.values):
        return None  # words that have an order, hardly any, or truth values
    rows_of = np.bincount(levels.codes, minlength=len(levels.values))[: len(words)]
    if all(map(_OTHER_DATE.fullmatch, words)):
        cure: _Cure = "write dates as 2024-02-11, so that a tree can ask for earlier or later"
        return _Doubt(("has", "have"), "dates that count as words", cure)
    odd = [place for place, word in enumerate(words) if not _is_number(word)]
    counts = ("counts", "count")
    for pattern, cure in _CURES.items():
        like = [place for place in odd if pattern.fullmatch(words[place])]
        rest = sorted(set(odd) - set(like))
        mostly = 2 * rows_of[rest].sum() < rows_of.sum() and len(words) - len(rest) >= _FEW
        if like and mostly:
            return _Doubt(counts, f"as text because of {words[like[0]]!r}", cure)
    if odd and 2 * rows_of[odd].sum() < rows_of.sum() and len(words) - len(odd) >= _FEW:
        cure = ("correct it, or leave the cell empty and use ", Option("missing", "value"))
        return _Doubt(counts, f"as text because of {words[odd[0]]!r} among its numbers", cure)
    if len(words) == rows_of.sum() >= _FEWEST_ROWS:
        cure = ("if it only names them, leave it out with ", Option("ignore"))
        return _Doubt(("has", "have"), f"a different word in each of {len(words)} rows", cure)
    return None


def _is_number(word: str) -> bool:
    try:
        float(word)
    except ValueError:
        return False
    return True
