"""The tree as one SQL expression: nested CASEs that give the class of a row.

The expression is plain SQL, with nothing that a common dialect lacks but the words TRUE and FALSE
for columns of truth values, and is run in SQLite and DuckDB by the tests. A test of a missing
(NULL) value is unknown, and CASE then goes on as if it were false, as the tree does. The NOT of it
is unknown, too, so that NULL is asked for where a test is not to hold.

Decimal literals are not exact everywhere: SQLite computes them in a floating-point format that may
round twice, and so can miss the nearest double by one bit. A literal is therefore written only if
its decimal value lies so clearly on one side of all such roundings that one with 64 bits, or one
with 53, cannot miss; any other number is written as a quotient of whole numbers, which is exact.
"""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction

from dtfinder.data.dataset import Feature, Label, show_value
from dtfinder.errors import DataError
from dtfinder.report.export.clauses import clauses, in_seconds
from dtfinder.tree import Tree

_LARGEST_POWER_OF_TEN = 22  # the largest that is exact as a double
_FACTOR = 62  # 2 to this power fits in a 64-bit integer
_MAX = math.nextafter(math.inf, 0)


def to_sql(tree: Tree) -> str:
    """A comment and a CASE expression over the tree's columns."""
    tree = in_seconds(tree)
    same = len({type(label) for label in tree.classes}) == 1
    lines = [
        f"-- A decision tree of {tree.size} nodes and depth {tree.depth}, written by dtfinder.",
        "-- Put it where a column may stand: SELECT *, <this> AS prediction FROM your_table",
    ]

    def class_of(number: int) -> str:
        label = tree.classes[tree.nodes[number].label]
        return _label(label if same else show_value(label))

    level = 0  # of the innermost CASE that is open
    lines.append("CASE" if tree.size > 1 else class_of(0))
    for clause in clauses(tree) if tree.size > 1 else ():
        if clause.level > level:
            lines[-1] += " THEN CASE" if clause.feature else f" THEN {class_of(clause.node)}"
            level += 1 if clause.feature else 0
            if clause.feature is None:
                continue
        indent = "  " * (level + 1)
        if clause.feature is None:
            lines.append(f"{indent}ELSE {class_of(clause.node)}")
            lines.append(f"{'  ' * level}END")
            level -= 1
        else:
            test = _test(clause.feature) if clause.sense else _not(clause.feature)
            lines.append(f"{indent}WHEN {test}")
    return "\n".join(lines) + "\n"


def _not(feature: Feature) -> str:
    """That the test is false or unknown. `IS NOT TRUE` would say it, but not in every dialect."""
    known = None in feature.values or feature.value == math.inf  # they ask for NULL themselves
    or_null = "" if known else f" OR {_identifier(feature.column)} IS NULL"
    return f"NOT ({_test(feature)}){or_null}"


def _test(feature: Feature) -> str:
    column = _identifier(feature.column)
    bound = feature.bound
    if isinstance(bound, str):
        return f"{column} <= {_string(bound)}"
    if bound is not None:
        if math.isinf(bound):
            return f"{column} IS NOT NULL" if bound > 0 else f"{column} < {_number(-_MAX)}"
        return f"{column} <= {_number(bound)}"
    tests = []
    for value in feature.values:
        if value is None:
            tests.append(f"{column} IS NULL")
        elif isinstance(value, float) and math.isinf(value):
            tests.append(
                f"{column} {'>' if value > 0 else '<'} {_number(math.copysign(_MAX, value))}"
            )
        else:
            tests.append(f"{column} = {_label(value)}")
    return " OR ".join(tests)


def _label(value: Label) -> str:
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, int):
        return str(value)
    return _string(value) if isinstance(value, str) else _number(value)


def _identifier(name: str) -> str:
    return '"' + _whole(name).replace('"', '""') + '"'


def _string(text: str) -> str:
    return "'" + _whole(text).replace("'", "''") + "'"


def _whole(text: str) -> str:
    if "\0" in text:
        raise DataError(f"{text!r} has a NUL character, at which SQL ends")
    return text


def _number(value: float) -> str:
    if value.is_integer() and abs(value) < 2**53:
        return str(int(value))
    return repr(value) if _literal_is_exact(value) else f"{_quotient(value)} /* {value!r} */"


def _literal_is_exact(value: float) -> bool:
    """Whether digits × 10^exponent, or digits / 10^-exponent, computed with 53 bits or with 64 and
    then rounded to 53, must give `value`."""
    _, digits, exponent = Decimal(repr(value)).as_tuple()
    assert isinstance(exponent, int)
    whole = int("".join(map(str, digits)))
    if whole >= 2**53 or abs(exponent) > _LARGEST_POWER_OF_TEN:
        return False
    written = Fraction(whole) * Fraction(10) ** exponent
    size = abs(value)
    if written == Fraction(size):
        return True
    above, below = Fraction(math.nextafter(size, math.inf)), Fraction(math.nextafter(size, 0))
    limits = [(Fraction(size) + other) / 2 for other in (above, below)]
    return min(abs(written - limit) for limit in limits) > written / 2**62


def _quotient(value: float) -> str:
    """`value` as whole numbers multiplied or divided, each exact as a double, and so are all steps
    from left to right."""
    top, bottom = value.as_integer_ratio()
    operators = ""
    shift = 0 if bottom > 1 else max(0, abs(top).bit_length() - 53)
    steps = bottom.bit_length() - 1 if bottom > 1 else shift
    operator = "/" if bottom > 1 else "*"
    while steps > 0:
        step = min(steps, _FACTOR)
        operators += f" {operator} {_double(2**step)}"
        steps -= step
    sign = "-" if top < 0 else ""
    return f"({sign}{_double(abs(top) >> shift)}{operators})"


def _double(whole: int) -> str:
    return f"CAST({whole} AS DOUBLE PRECISION)"
