"""The tree as a Python module with one function, `classify(row)`, that needs nothing else."""

from __future__ import annotations

import math

from dtfinder.data.dataset import Feature, Value
from dtfinder.report.export.clauses import clauses, in_seconds
from dtfinder.tree import Tree

_HEAD = '''"""A decision tree of {size} nodes and depth {depth}, written by dtfinder."""


def classify(row):
    """The class of `row`, a mapping from the names of the columns to their values.

    A value that is None or NaN is missing.
    """
'''


def to_python(tree: Tree) -> str:
    """The source of a module with the function `classify`."""
    tree = in_seconds(tree)
    lines = []
    for clause in clauses(tree):
        indent = "    " * (clause.level + 1)
        if clause.feature is None:
            label = tree.classes[tree.nodes[clause.node].label]
            lines.append(f"{indent}return {_literal(label)}")
        else:
            lines.append(f"{indent}if {_test(clause.feature, clause.sense)}:")
    return _HEAD.format(size=tree.size, depth=tree.depth) + "\n".join(lines) + "\n"


def _literal(value: Value) -> str:
    if isinstance(value, float) and not math.isfinite(value):
        return f'float("{value}")'
    return ascii(value)


def _test(feature: Feature, sense: bool) -> str:
    """The test or its negation. A NaN equals nothing, not even itself, and is less than nothing."""
    value = f"row[{feature.column!a}]"
    wanted = feature.values
    if feature.bound is None and len(wanted) == 1 and wanted != (None,):
        return f"{value} {'==' if sense else '!='} {_literal(wanted[0])}"
    if feature.bound is not None:
        text = isinstance(feature.bound, str)
        there = f"isinstance({value}, str)" if text else f"{value} is not None"
        test = f"{there} and {value} <= {_literal(feature.bound)}"
    else:
        tests = [f"{value} is None or {value} != {value}"] if None in wanted else []
        present = [_literal(each) for each in wanted if each is not None]
        tests += [f"{value} in ({', '.join(present)},)"] if present else []
        test = " or ".join(tests)
    return test if sense else f"not ({test})"
