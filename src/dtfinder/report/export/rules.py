"""The tree as one rule per leaf, in words that people read and a program can read back.

A rule is `IF condition AND condition … THEN class (rows)`. All that a path asks about one column is
one condition, or two where that is shorter:

    160.5 < height <= 180.5        the bounds that count, of all that the path asks for
    colour = red                   and nothing about the colours that it is not
    colour not in {red, blue}
    x > 2.5 or missing             in a tree that asks for missing values, and then says so

A name or a value that is not one plain word is written as a JSON string, so every rule is one line
and none is ambiguous.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any

from dtfinder.data.dataset import Feature, Value, show_value
from dtfinder.data.moments import moment, sort_key
from dtfinder.tree import Tree

_PLAIN = re.compile(r"[^\W\d][\w.\-]*(?: [^\W\d][\w.\-]*)*")
_RESERVED = {"IF", "THEN", "AND", "ALWAYS", "in", "not", "or", "missing"}
_RESERVED |= {"True", "False", "inf", "nan"}
Answered = tuple[Feature, bool]  # a test with its answer


def to_rules(tree: Tree, sign: str = "<=") -> str:
    """The rules, one per line, leaves from left to right; `sign` is how 'at most' is written."""
    gaps = tree.asks_for_missing
    lines = []
    todo: list[tuple[int, tuple[Answered, ...]]] = [(0, ())]
    while todo:
        number, path = todo.pop()
        node = tree.nodes[number]
        if node.feature >= 0:
            test = tree.features[node.feature]
            todo += [(node.zero, (*path, (test, False))), (node.one, (*path, (test, True)))]
            continue
        by_column: dict[str, list[Answered]] = {}
        for test, answer in path:
            by_column.setdefault(test.column, []).append((test, answer))
        parts = [part for each in by_column.values() for part in _conditions(each, gaps, sign)]
        condition = f"IF {' AND '.join(parts)}" if parts else "ALWAYS"
        rows, right = sum(tree.counts[number]), tree.counts[number][node.label]
        noun = "row" if rows == 1 else "rows"
        count = f"{rows} {noun}" if right == rows else f"{right} of {rows} {noun}"
        lines.append(f"{condition} THEN {_word(tree.classes[node.label])} ({count})")
    return "\n".join(lines) + "\n"


def _conditions(path: Sequence[Answered], gaps: bool, sign: str) -> Iterator[str]:
    """What a path asks about one column. `gaps`: a value may be missing."""
    column = _word(path[0][0].column)
    within = [test for test, answer in path if answer and test.test == "<="]
    beyond = [test for test, answer in path if not answer and test.test == "<="]
    among = [test.values for test, answer in path if answer and test.test != "<="]
    not_among = [
        v for test, answer in path if not answer and test.test != "<=" for v in test.values
    ]
    # One of these is all there is to say, unless nothing is left of them.
    left = [
        value
        for value in (among[0] if among else ())
        if all(value in others for others in among)
        and value not in not_among
        and all(_holds(test, value) for test in within)
        and not any(_holds(test, value) for test in beyond)
    ]
    if left:
        yield _one_of(column, left, ("=", "in"))
        return
    for values in among:  # they contradict each other, or the rest
        yield _one_of(column, values, ("=", "in"))
    present = bool(within) or None in not_among
    if within or beyond:
        low = _word(max(beyond, key=_rank).values[-1]) if beyond else ""
        high = _word(min(within, key=_rank).values[-1]) if within else ""
        if high:
            yield f"{low} < {column} {sign} {high}" if low else f"{column} {sign} {high}"
        else:
            yield f"{column} > {low}" + (" or missing" if gaps and not present else "")
    others = [value for value in dict.fromkeys(not_among) if value is not None or not within]
    if None in others and beyond:
        others.remove(None)  # `x > 2.5` says it
    if others:
        yield _one_of(column, others, ("!=", "not in"))


def _holds(test: Feature, value: Value) -> bool:
    """Whether a test with `<=` is true of a value that an `=` test asks for."""
    if isinstance(test.value, tuple):
        return value in test.value
    if value is None or isinstance(value, str) != isinstance(test.value, str):
        return False
    return bool(_rank(Feature(test.column, "<=", value)) <= _rank(test))


def _rank(test: Feature) -> Any:
    """What to compare of two `<=` tests of one column."""
    if isinstance(test.value, tuple):
        return len(test.value)
    return sort_key(test.value) if isinstance(test.value, str) else test.value


def _one_of(column: str, values: Sequence[Value], signs: tuple[str, str]) -> str:
    if len(values) == 1:
        return f"{column} {signs[0]} {_word(values[0])}"
    return f"{column} {signs[1]} {{{', '.join(map(_word, values))}}}"


def _word(value: Value) -> str:
    if isinstance(value, str):
        plain = _PLAIN.fullmatch(value) and not _RESERVED & set(value.split())
        return value if plain or moment(value) else json.dumps(value, ensure_ascii=False)
    return show_value(value)
