"""The report: one self-contained HTML file that opens from disk and needs no network.

The template, the style and the scripts are files of their own in `assets`, put into one page here.
Whatever comes from the table enters as JSON in which no `<` is left, so that a column called
`</script>` is only a name; the scripts put it on the page as text, never as markup.
"""

from __future__ import annotations

import json
import re
from html import escape
from importlib.resources import files

from dtfinder.proof import Reason
from dtfinder.report.page_data import page_data
from dtfinder.report.text import describe
from dtfinder.result import Result
from dtfinder.tree import Tree

_SCRIPTS = ("dom.js", "layout.js", "tree.js", "route.js", "chart.js", "page.js")


def report_page(
    result: Result, name: str, reason: Reason | None, greedy: tuple[Tree, int] | None
) -> str:
    """The whole page as text: `name` is what the table is called, `reason` why no tree is better,
    and `greedy` a tree to compare, the median of so many."""
    data = page_data(result, name, reason, greedy)
    parts = {
        "title": escape(f"{data['headline']} – {data['kicker']}"),
        "style": _asset("page.css"),
        "text": escape(describe(result)),
        "data": _json_for_html(data),
        "script": "\n".join(_asset(script) for script in _SCRIPTS),
    }
    return re.sub(r"\{\{(\w+)\}\}", lambda found: parts[found[1]], _asset("page.html"))


def _asset(name: str) -> str:
    return (files("dtfinder.report") / "assets" / name).read_text(encoding="utf-8")


def _json_for_html(data: object) -> str:
    text = json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")
