"""The tree as PMML 4.4, the XML in which models are exchanged.

A node has its `yes` side as first child, with the test as predicate, and its `no` side as second,
with <True/>. A test of a missing value is unknown, and with missingValueStrategy="none" an unknown
predicate counts as false, so that a missing value takes the `no` side, as it does in the tree.
Values that no row of the table had are taken as they are.

Numbers are doubles, text is string, truth values are boolean; columns that are compared with dates
or times are of PMML's own types for them. Durations are numbers of seconds.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from xml.sax.saxutils import quoteattr

from dtfinder.data.dataset import TEXT, TRUTH, Feature, Label, Value, show_value
from dtfinder.data.moments import moment
from dtfinder.errors import DataError
from dtfinder.report.export.clauses import fresh, in_seconds, inputs_of, same_kind
from dtfinder.tree import Tree
from dtfinder.version import __version__

_NOT_IN_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_TYPES = {bool: "boolean", int: "integer", float: "double"}


def to_pmml(tree: Tree) -> str:
    """The whole document."""
    tree = in_seconds(tree)
    return "".join(f"{line}\n" for line in _lines(tree))


def _lines(tree: Tree) -> Iterator[str]:
    types = _types(tree)
    target = fresh(tree.target, set(types))
    kinds = {type(label) for label in tree.classes}
    label_type = _TYPES.get(kinds.pop(), "string") if len(kinds) == 1 else "string"
    yield '<?xml version="1.0" encoding="UTF-8"?>'
    yield '<PMML xmlns="http://www.dmg.org/PMML-4_4" version="4.4">'
    about = f"A decision tree of {tree.size} nodes and depth {tree.depth}."
    yield f"<Header description={_quoted(about)}>"
    yield f'<Application name="dtfinder" version={_quoted(__version__)}/>'
    yield "</Header>"
    yield f'<DataDictionary numberOfFields="{len(types) + 1}">'
    for name, data_type in types.items():
        optype = "categorical" if data_type in ("string", "boolean") else "continuous"
        yield f'<DataField name={_quoted(name)} optype="{optype}" dataType="{data_type}"/>'
    yield f'<DataField name={_quoted(target)} optype="categorical" dataType="{label_type}">'
    yield from (f"<Value value={_quoted(_label(label))}/>" for label in tree.classes)
    yield "</DataField>"
    yield "</DataDictionary>"
    yield (
        '<TreeModel functionName="classification" splitCharacteristic="binarySplit" '
        'missingValueStrategy="none" noTrueChildStrategy="returnNullPrediction">'
    )
    yield "<MiningSchema>"
    yield f'<MiningField name={_quoted(target)} usageType="target"/>'
    yield from (
        f'<MiningField name={_quoted(name)} invalidValueTreatment="asIs"/>' for name in types
    )
    yield "</MiningSchema>"
    yield from _nodes(tree, types)
    yield "</TreeModel>"
    yield "</PMML>"


def _types(tree: Tree) -> dict[str, str]:
    """The type of each column that the tree asks about."""
    types = {}
    if "" in tree.columns:
        raise DataError("PMML needs a name for every column; give the nameless one a name")
    for each in inputs_of(tree):
        types[each.column] = {TEXT: "string", TRUTH: "boolean"}.get(each.kind, "double")
    for feature in tree.features:
        if isinstance(feature.bound, str):
            types[feature.column] = _date_type(tree, feature)
    return types


def _date_type(tree: Tree, feature: Feature) -> str:
    of_column = (each for each in tree.features if each.column == feature.column)
    values = [value for each in of_column for value in each.values if isinstance(value, str)]
    forms = {known[0] for known in map(moment, values) if known}
    if forms == {"time"}:
        return "time"
    if forms != {"date"}:
        raise DataError(f"PMML cannot compare as the test {feature.name!r} does; fit on numbers")
    return "dateTime" if any("T" in value for value in values) else "date"


def _nodes(tree: Tree, types: dict[str, str]) -> Iterator[str]:
    """The nodes, each inside its parent. What is to be written is on a stack of our own."""
    todo: list[tuple[int, str] | str] = [(0, "<True/>")]
    while todo:
        step = todo.pop()
        if isinstance(step, str):
            yield step
            continue
        number, predicate = step
        node, counts = tree.nodes[number], tree.counts[number]
        if node.feature < 0:
            score = _quoted(_label(tree.classes[node.label]))
            yield f'<Node id="{number}" score={score} recordCount="{sum(counts)}">'
            yield predicate
            for label, count in zip(tree.classes, counts, strict=True):
                value = _quoted(_label(label))
                yield f'<ScoreDistribution value={value} recordCount="{count}"/>'
            yield "</Node>"
            continue
        yield f'<Node id="{number}" recordCount="{sum(counts)}">'
        yield predicate
        feature = tree.features[node.feature]
        test = _predicate(feature, types[feature.column])
        todo += ["</Node>", (node.zero, "<True/>"), (node.one, test)]


def _predicate(feature: Feature, data_type: str) -> str:
    column = _quoted(feature.column)
    if feature.bound is not None:
        bound = _quoted(_written(feature.bound, data_type))
        return f'<SimplePredicate field={column} operator="lessOrEqual" value={bound}/>'
    tests = []
    for value in feature.values:
        if value is None:
            tests.append(f'<SimplePredicate field={column} operator="isMissing"/>')
        elif same_kind(value, "number" if data_type in ("double", "boolean") else TEXT):
            text = _quoted(_written(value, data_type))
            tests.append(f'<SimplePredicate field={column} operator="equal" value={text}/>')
        else:
            tests.append("<False/>")
    if len(tests) == 1:
        return tests[0]
    inside = "".join(tests)
    return f'<CompoundPredicate booleanOperator="or">{inside}</CompoundPredicate>'


def _written(value: Value, data_type: str) -> str:
    if data_type == "dateTime" and isinstance(value, str) and "T" not in value:
        return f"{value}T00:00:00"
    if data_type == "boolean":
        return "true" if value else "false"
    return repr(value) if isinstance(value, float) else str(value)


def _label(label: Label) -> str:
    return str(label).lower() if isinstance(label, bool) else show_value(label)


def _quoted(text: str) -> str:
    """The text as an attribute; XML has no way to write some control characters."""
    if _NOT_IN_XML.search(text):
        raise DataError(f"{text!r:.80} has a character that XML cannot hold")
    return quoteattr(text, {"\n": "&#10;", "\r": "&#13;", "\t": "&#9;"})
