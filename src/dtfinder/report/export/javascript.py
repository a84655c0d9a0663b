"""The tree as a JavaScript file with one function, `classify(row)`, that needs nothing else.

It runs in a browser, where the function is global, and in Node, where `require` gives it.
"""

from __future__ import annotations

import json
import math

from dtfinder.data.dataset import Feature, Value
from dtfinder.report.export.clauses import clauses, in_seconds
from dtfinder.tree import Tree

_HEAD = """\
// A decision tree of {size} nodes and depth {depth}, written by dtfinder.
// `row` is an object with a value for each column; null, undefined and NaN are missing values.
"use strict";

function classify(row) {{
"""
_TAIL = """\
}

if (typeof module !== "undefined") module.exports = { classify };
"""


def to_javascript(tree: Tree) -> str:
    """The source of a script that defines `classify`."""
    tree = in_seconds(tree)
    lines = []
    for clause in clauses(tree):
        indent = "  " * (clause.level + 1)
        if clause.feature is None:
            lines.append(f"{indent}return {_literal(tree.classes[tree.nodes[clause.node].label])};")
            # The last clause of a block is always a return.
            lines += ["  " * clause.level + "}"] if clause.level else []
        else:
            test = _test(clause.feature)
            lines.append(f"{indent}if ({test if clause.sense else f'!({test})'}) {{")
    return _HEAD.format(size=tree.size, depth=tree.depth) + "\n".join(lines) + f"\n{_TAIL}"


def _test(feature: Feature) -> str:
    value = f"row[{_literal(feature.column)}]"
    bound = feature.bound
    if bound is not None:
        kind = "string" if isinstance(bound, str) else "number"
        return f'typeof {value} === "{kind}" && {value} <= {_literal(bound)}'
    tests = [
        f"{value} == null || Number.isNaN({value})"
        if each is None
        else f"{value} === {_literal(each)}"
        for each in feature.values
    ]
    return " || ".join(tests)


def _literal(value: Value) -> str:
    if isinstance(value, float) and math.isinf(value):
        return "Infinity" if value > 0 else "-Infinity"
    if isinstance(value, int) and abs(value) >= 2**53:
        return f"{value}n"  # no number of JavaScript's has as many digits
    return json.dumps(value).replace("<", "\\u003c")
