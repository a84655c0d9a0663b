"""A tree in Graphviz's language: `dot -Tsvg tree.dot` draws it."""

from __future__ import annotations

from collections.abc import Iterator

from dtfinder.report.text import leaf_text, printable, rows_text
from dtfinder.tree import Tree


def to_dot(tree: Tree) -> str:
    """The whole graph as text."""
    return "".join(f"{line}\n" for line in _lines(tree))


def _lines(tree: Tree) -> Iterator[str]:
    yield "digraph tree {"
    yield '  node [shape=box, style=rounded, fontname="Helvetica"];'
    yield '  edge [fontname="Helvetica"];'
    for number, node in enumerate(tree.nodes):
        rows = rows_text(tree, number)
        if node.feature < 0:
            words = _quoted(leaf_text(tree, number), rows)
            yield f'  n{number} [label={words}, style="rounded,filled", fillcolor="#eeeeee"];'
            continue
        yield f"  n{number} [label={_quoted(printable(tree.features[node.feature].name), rows)}];"
        yield f'  n{number} -> n{node.one} [label="yes"];'
        yield f'  n{number} -> n{node.zero} [label="no"];'
    yield "}"


def _quoted(*lines: str) -> str:
    """A string of DOT with one line for each of `lines`. Inside the quotes a backslash starts an
    escape, so it is doubled, and a quote would end the string."""
    inside = "\\n".join(line.replace("\\", "\\\\").replace('"', '\\"') for line in lines)
    return f'"{inside}"'
