"""The tree as a C99 file with one function, `classify`, over a struct with a field per column.

A column becomes a field whose name starts with `c_`, so that it is never a keyword or a macro; a
comment gives the column's own name. Numbers and truth values are doubles, text is UTF-8. Doubles
are written in hexadecimal, which is exact even where a compiler computes with more digits than a
double has; the decimal is in a comment.
"""

from __future__ import annotations

import json
import math
import re

from dtfinder.data.dataset import TEXT, TRUTH, Feature, show_value
from dtfinder.errors import DataError
from dtfinder.report.export.clauses import Input, clauses, fresh, in_seconds, inputs_of, same_kind
from dtfinder.tree import Tree

_HEAD = """\
/* A decision tree of {size} nodes and depth {depth}, written by dtfinder.
 * Fill in a struct row and call classify(&row): it returns the index of the row's class, whose name
 * is class_names[index]. A missing number is NAN, a missing text is NULL; texts are UTF-8. */
#include <math.h>
#include <string.h>

#ifdef __FAST_MATH__
#error "missing values are NaN, which -ffast-math does not know"
#endif

"""


_EQUAL = """\
static int equal(const char *text, const char *other)
{
    return text != NULL && strcmp(text, other) == 0;
}

"""


def to_c(tree: Tree) -> str:
    """The source of a C file that defines `struct row`, `class_names` and `classify`."""
    tree = in_seconds(tree)
    inputs = inputs_of(tree)
    fields, kinds = _field_names(inputs), {each.column: each.kind for each in inputs}
    names = ",\n".join(f"    {_string(show_value(label))}" for label in tree.classes)
    lines = []
    for clause in clauses(tree):
        indent = "    " * (clause.level + 1)
        if clause.feature is None:
            label = tree.nodes[clause.node].label
            note = _comment(show_value(tree.classes[label]))
            lines.append(f"{indent}return {label}; /* {note} */\n")
            # The last clause of a block is always a return.
            lines += ["    " * clause.level + "}\n"] if clause.level else []
        else:
            name = clause.feature.column
            test = _test(clause.feature, f"row->{fields[name]}", kinds[name])
            lines.append(f"{indent}if ({test if clause.sense else f'!({test})'}) {{\n")
    return (
        _HEAD.format(size=tree.size, depth=tree.depth)
        + _struct(inputs, fields)
        + f"const char *const class_names[] = {{\n{names}\n}};\n\n"
        + (_EQUAL if any("equal(" in line for line in lines) else "")
        + "int classify(const struct row *row)\n{\n"
        + ("" if inputs else "    (void)row;\n")
        + "".join(lines)
        + "}\n"
    )


def _struct(inputs: list[Input], fields: dict[str, str]) -> str:
    lines = []
    for each in inputs:
        kind = "const char *" if each.kind == TEXT else "double "
        note = ", 1 for true, 0 for false" if each.kind == TRUTH else ""
        lines.append(f"    {kind}{fields[each.column]}; /* {_comment(each.column)}{note} */\n")
    nothing = "    char unused; /* the tree is one leaf and asks nothing */\n"
    return f"struct row {{\n{''.join(lines) or nothing}}};\n\n"


def _field_names(inputs: list[Input]) -> dict[str, str]:
    taken: set[str] = set()
    names = {}
    for each in inputs:
        plain = re.sub(r"[^0-9A-Za-z]+", "_", each.column).strip("_")
        names[each.column] = fresh(f"c_{plain[:50]}", taken)  # the longest that all compilers keep
    return names


def _test(feature: Feature, field: str, kind: str) -> str:
    if isinstance(feature.bound, str):
        return f"{field} != NULL && strcmp({field}, {_string(feature.bound)}) <= 0"
    if feature.bound is not None:
        return f"{field} <= {_number(feature.bound)}"
    tests = []
    for value in feature.values:
        if value is None:
            tests.append(f"{field} == NULL" if kind == TEXT else f"isnan({field})")
        elif not same_kind(value, kind):
            tests.append("0")
        elif isinstance(value, str):
            tests.append(f"equal({field}, {_string(value)})")
        else:
            tests.append(f"{field} == {_number(float(value))}")
    return " || ".join(tests)


def _number(value: float) -> str:
    if math.isinf(value):
        return "INFINITY" if value > 0 else "-INFINITY"
    if value == int(value) and abs(value) < 2**53:
        return f"{value:.1f}"
    return f"{value.hex()} /* {value!r} */"


def _string(text: str) -> str:
    """A C string literal of printable ASCII. Octal escapes have a fixed length, so no digit that
    follows is taken for a part of one; `?` is escaped because of trigraphs."""
    if "\0" in text:
        raise DataError(f"{text!r} has a NUL character, at which a C string ends")
    pieces = []
    for byte in text.encode():
        letter = chr(byte)
        if letter in '"\\?':
            pieces.append("\\" + letter)
        elif 32 <= byte < 127:
            pieces.append(letter)
        else:
            pieces.append(f"\\{byte:03o}")
    return f'"{"".join(pieces)}"'


def _comment(text: str) -> str:
    """The text in quotes, in ASCII on one line, unable to end or open a comment."""
    return json.dumps(text).replace("*/", "*\\/").replace("/*", "/\\*").replace("??", "?\\?")
