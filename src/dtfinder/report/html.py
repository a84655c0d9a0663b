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
from typing import Any

from dtfinder.advice import Audit
from dtfinder.proof import Reason
from dtfinder.report.page_data import Greedy, page_data
from dtfinder.report.page_front import front_data, start_of
from dtfinder.report.text import describe, front_text
from dtfinder.result import Front, Result

_SCRIPTS = ("dom.js", "layout.js", "tree.js", "route.js", "chart.js", "front.js", "page.js")


def report_page(result: Result, name: str, reason: Reason | None, greedy: Greedy | None) -> str:
    """The whole page as text: `name` is what the table is called, `reason` why no tree is better,
    and `greedy` a tree to compare, with the number of seeds that it is the median of."""
    return _page(page_data(result, name, reason, greedy), describe(result))


def front_page(front: Front, name: str, audit: Audit | None, greedy: Greedy | None) -> str:
    """The page of a front: one size is shown, and others can be chosen."""
    text = f"{front_text(front)}\n{describe(front[start_of(front)])}"
    return _page(front_data(front, name, audit, greedy), text)


def _page(data: dict[str, Any], text: str) -> str:
    parts = {
        "title": escape(f"{data['head']['headline']} – {data['kicker']}"),
        "style": _asset("page.css"),
        "text": escape(text),
        "data": _json_for_html(data),
        "script": "\n".join(_asset(script) for script in _SCRIPTS),
    }
    return re.sub(r"\{\{(\w+)\}\}", lambda found: parts[found[1]], _asset("page.html"))


def _asset(name: str) -> str:
    return (files("dtfinder.report") / "assets" / name).read_text(encoding="utf-8")


def _json_for_html(data: object) -> str:
    text = json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")
