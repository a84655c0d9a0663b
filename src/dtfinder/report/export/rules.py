"""The tree as one rule per leaf, in words that people read and a program can read back.

A rule is `IF test AND NOT test … THEN class (rows)`. A name or a value that is not one plain word
is written as a JSON string, so every rule is one line and none is ambiguous.
"""

from __future__ import annotations

import json
import re

from dtfinder.data.dataset import Feature, Value, show_value
from dtfinder.tree import Tree

_PLAIN = re.compile(r"[^\W\d][\w.\-]*(?: [^\W\d][\w.\-]*)*")
_RESERVED = {"IF", "THEN", "AND", "NOT", "ALWAYS", "in", "missing", "True", "False", "inf", "nan"}


def to_rules(tree: Tree) -> str:
    """The rules, one per line, leaves from left to right."""
    lines = []
    todo: list[tuple[int, tuple[str, ...]]] = [(0, ())]
    while todo:
        number, path = todo.pop()
        node = tree.nodes[number]
        if node.feature >= 0:
            test = _test(tree.features[node.feature])
            todo += [(node.zero, (*path, f"NOT {test}")), (node.one, (*path, test))]
            continue
        condition = f"IF {' AND '.join(path)}" if path else "ALWAYS"
        rows, right = sum(tree.counts[number]), tree.counts[number][node.label]
        noun = "row" if rows == 1 else "rows"
        count = f"{rows} {noun}" if right == rows else f"{right} of {rows} {noun}"
        lines.append(f"{condition} THEN {_word(tree.classes[node.label])} ({count})")
    return "\n".join(lines) + "\n"


def _test(feature: Feature) -> str:
    column = _word(feature.column)
    if feature.bound is None and feature.test != "=":
        return f"{column} in {{{', '.join(_word(value) for value in feature.values)}}}"
    return f"{column} {feature.test} {_word(feature.values[-1])}"


def _word(value: Value) -> str:
    if isinstance(value, str):
        plain = _PLAIN.fullmatch(value) and not _RESERVED & set(value.split())
        return value if plain else json.dumps(value, ensure_ascii=False)
    return show_value(value)
