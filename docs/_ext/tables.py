"""Tables of the documentation that are made from the tables of the code, and so never grow old:
`{options}`, `{methods}`, `{datasets}` and `{targets}`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import fields
from itertools import groupby
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from dtfinder.cli.options import flag
from dtfinder.data import describe, embedded_names
from dtfinder.methods import describe as describe_methods
from dtfinder.options import Options
from dtfinder.report.export import TARGETS

Rows = Sequence[Sequence[str]]


def option_tables() -> Iterator[tuple[str, Rows]]:
    """For each group of options, its name and its table."""
    by_group = groupby(fields(Options), key=lambda each: each.metadata["group"])
    for group, options in by_group:
        rows = [
            ["`" + each.name + "`", "`" + flag(each.name) + "`", *_about(each)] for each in options
        ]
        yield group, [["in Python", "to type", "default", "values", "what it does"], *rows]


def _about(option: Any) -> list[str]:
    about, default = option.metadata, option.default
    if about["choices"]:
        values = " ".join(f"`{choice}`" for choice in about["choices"])
    else:
        words = {"above": "more than", "least": "at least", "most": "at most"}
        limits = [f"{word} {about[key]:g}" for key, word in words.items() if about[key] is not None]
        values = ", ".join(limits)
    return ["–" if default is None else f"`{default}`", values, about["help"]]


def method_table() -> Rows:
    """The named methods."""
    return [["name", "minimises", "how"], *([f"`{n}`", m, how] for n, m, how in describe_methods())]


def dataset_table() -> Rows:
    """The embedded data sets."""
    return [["name", "what it is"], *([f"`{name}`", describe(name)] for name in embedded_names())]


def target_table() -> Rows:
    """What a tree can be exported to."""
    return [["`--to`", "what is written"], *([f"`{t.name}`", t.help] for t in TARGETS.values())]


def _directive(tables: Callable[[], Iterator[tuple[str, Rows]]]) -> type[SphinxDirective]:
    class Tables(SphinxDirective):
        """Writes the tables, each under its name if it has one."""

        def run(self) -> list[nodes.Node]:
            made: list[nodes.Node] = []
            for name, rows in tables():
                if name:
                    made.append(nodes.rubric("", name.capitalize()))
                made.append(self._table(rows))
            return made

        def _table(self, rows: Rows) -> nodes.table:
            group = nodes.tgroup(cols=len(rows[0]))
            group += [nodes.colspec(colwidth=1) for _ in rows[0]]
            head, body = nodes.thead(), nodes.tbody()
            for number, row in enumerate(rows):
                line = nodes.row()
                for cell in row:
                    line += nodes.entry("", _paragraph(cell))
                (body if number else head).append(line)
            group += [head, body]
            return nodes.table("", group)

    return Tables


def _paragraph(words: str) -> nodes.paragraph:
    """Text in which `names` are code."""
    made = nodes.paragraph()
    for place, part in enumerate(words.split("`")):
        if part:
            made += nodes.literal("", part) if place % 2 else nodes.Text(part)
    return made


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the directives."""
    app.add_directive("options", _directive(option_tables))
    for name, table in (
        ("methods", method_table),
        ("datasets", dataset_table),
        ("targets", target_table),
    ):
        app.add_directive(name, _directive(lambda table=table: iter([("", table())])))
    return {"parallel_read_safe": True, "version": "1"}
