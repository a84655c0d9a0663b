"""Hints about columns that look like a mistake: numbers and dates that count as text, and columns
that only name or number the rows.

Such a table can be used as it is, so nothing is refused, but its smallest tree may not be one that
anybody wants: `patient = P0046` tells one row from all others, and a decimal comma in one cell
makes a hundred words of a hundred measurements. A line in the log says so, with the cure.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator
from typing import Any

import numpy as np

from dtfinder.data.binarise import Levels

_log = logging.getLogger(__name__)

# Fewer rows or values than these say little about what a column is.
_FEWEST_ROWS, _FEW = 10, 3
_MOST_SAID = 3
_COMMA = re.compile(r"[-+]?\d[\d.' ]*,\d+|[-+]?\d{1,3}(,\d{3})+(\.\d*)?")
_DATE = re.compile(r"\d{4}-\d\d?-\d\d?([T ].*)?|\d\d?[./]\d\d?[./]\d{2,4}( .*)?")


def warn_of_doubts(levels: list[Levels]) -> None:
    """Log what is doubtful about the columns, the first few in full."""
    said = list(_doubts(levels))
    for name, doubt in said[:_MOST_SAID]:
        _log.warning("column %r %s", name, doubt)
    if more := [name for name, _ in said[_MOST_SAID:]]:
        some = ", ".join(map(repr, more[:8])) + (", ..." if len(more) > 8 else "")
        _log.warning("the same may hold for these columns: %s", some)


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


def _doubts(levels: list[Levels]) -> Iterator[tuple[str, str]]:
    """The names of doubtful columns, each with what is the matter."""
    for each in levels:
        doubt = _of_numbers(each) if each.numeric else _of_words(each)
        if doubt and len(levels) > 1:  # a single column is all there is to ask about
            yield each.column, doubt


def _of_numbers(levels: Levels) -> str | None:
    rows = len(levels.codes)
    if rows < _FEWEST_ROWS or len(levels.values) != rows or levels.has_missing:
        return None
    first, last = levels.values[0], levels.values[-1]
    assert isinstance(first, float)
    assert isinstance(last, float)
    in_order = bool((np.diff(levels.codes) == 1).all())
    if not in_order or last - first != rows - 1 or not first.is_integer():
        return None
    return "numbers the rows; unless their order means something, leave it out with --ignore"


def _of_words(levels: Levels) -> str | None:
    words = [value for value in levels.values if isinstance(value, str)]
    if len(words) < _FEW or len(words) + levels.has_missing < len(levels.values):
        return None  # all but nothing, or truth values
    rows_of = np.bincount(levels.codes, minlength=len(levels.values))[: len(words)]
    if all(map(_DATE.fullmatch, words)):
        return (
            "has dates, which count as words, so that no tree can ask for earlier or later; give "
            "a number such as the year, or leave it out with --ignore"
        )
    not_numbers = [place for place, word in enumerate(words) if not _is_number(word)]
    commas = [place for place in not_numbers if _COMMA.fullmatch(words[place])]
    odd = sorted(set(not_numbers) - set(commas))
    mostly_numbers = 2 * rows_of[odd].sum() < rows_of.sum() and len(words) - len(odd) >= _FEW
    if commas and mostly_numbers:
        word = words[commas[0]]
        return f"counts as text because of {word!r}; write numbers as 1234.5, without commas"
    if odd and mostly_numbers:
        return (
            f"counts as text because of {words[odd[0]]!r} among its numbers; correct it, or leave "
            'the cell empty and use --missing value, or missing="value"'
        )
    if len(words) == rows_of.sum() >= _FEWEST_ROWS:
        return (
            f"has a different word in each of {len(words)} rows; if it only names them, leave it "
            "out with --ignore"
        )
    return None


def _is_number(word: str) -> bool:
    try:
        float(word)
    except ValueError:
        return False
    return True
