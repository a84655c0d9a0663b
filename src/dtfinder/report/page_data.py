"""What the report page shows, as one plain object; the page's own script does the rest.

A page has one *view* or several: each is a result with what is said about it, and one is shown at a
time. The page of a single result has one view, that of a front one for each size.
"""

from __future__ import annotations

import re
from typing import Any

from dtfinder.data.dataset import show_value
from dtfinder.proof import Reason
from dtfinder.report.cut import MOST_LINES, cut
from dtfinder.report.export.rules import to_rules
from dtfinder.report.page_table import plain_value, rows_of, shares_of, summary_of
from dtfinder.report.page_words import Head, bounds_of, compared, head_of, proof_of
from dtfinder.report.text import amount, drawn, hidden_text, printable, rows_text
from dtfinder.result import Result
from dtfinder.tree import Tree
from dtfinder.version import __version__

_MOST_RULES = 1_000

Greedy = tuple[Tree, int]  # a tree to compare, and of how many seeds it is the median


def page_data(
    result: Result, name: str = "", reason: Reason | None = None, greedy: Greedy | None = None
) -> dict[str, Any]:
    """The page of one result: `name` is what the table is called, `reason` why none is better."""
    return whole_page([result], name, [view_of(result, reason, greedy)], head_of(result), greedy)


def view_of(result: Result, reason: Reason | None, greedy: Greedy | None) -> dict[str, Any]:
    """What is said about one result, except its tree."""
    return {
        "bounds": bounds_of(result),
        "compared": compared(result, *greedy) if greedy else "",
        "proof": proof_of(result, reason),
    }


def whole_page(
    results: list[Result],
    name: str,
    views: list[dict[str, Any]],
    head: Head,
    greedy: Greedy | None,
) -> dict[str, Any]:
    """The page of these results, each with its view. Results may share a tree."""
    first = results[0]
    target = printable(first.tree.target)
    other = greedy[0] if greedy else None
    trees = list(dict.fromkeys(result.tree for result in results))
    return {
        "kicker": f"{name}, predicting {target}" if name else f"Predicting {target}",
        "head": head,
        "target": target,
        "views": [
            view | {"tree": trees.index(result.tree)}
            for view, result in zip(views, results, strict=True)
        ],
        "trees": [
            _tree(tree) | {"rules": _rules(tree), "shares": shares_of(tree)} for tree in trees
        ],
        "greedy": _tree(other) if other else None,
        "table": rows_of(first.dataset, trees + ([other] if other else [])),
        "data": summary_of(first.dataset, trees),
        "file": _file_name(name, target),
        "footer": f"Written by dtfinder {__version__}. This file is complete: it needs no network.",
    }


def _rules(tree: Tree) -> str:
    lines = to_rules(tree, "≤").splitlines()
    if len(lines) > _MOST_RULES:
        more = f"… and {len(lines) - _MOST_RULES:,} more rules"
        lines = [*lines[:_MOST_RULES], f"{more}: `dtfinder export --to rules` writes all"]
    return "\n".join(lines) + "\n"


def _file_name(name: str, target: str) -> str:
    """What a picture of the tree is called, without its suffix."""
    plain = re.sub(r"[^\w.-]+", "-", f"{name.partition('.')[0]} {target}").strip("-.")
    return plain[:80] or "tree"


def _tree(whole: Tree) -> dict[str, Any]:
    """A tree, or the top of a very large one: a node with `more` stands for that many nodes."""
    top = cut(whole, MOST_LINES)
    tree = top.tree
    return {
        "size": whole.size,
        "cut": hidden_text(top) if top.hidden else "",
        "classes": [printable(show_value(label)) for label in tree.classes],
        "depth": whole.depth,
        "features": [
            {
                "column": feature.column,
                "name": drawn(feature),
                "test": "in" if feature.bound is None else "<=",
                "values": [plain_value(value) for value in feature.values],
            }
            for feature in tree.features
        ],
        "nodes": [
            {
                "feature": node.feature,
                "zero": node.zero,
                "one": node.one,
                "label": node.label,
                "counts": counts,
                "more": top.below.get(number, 0),
                "rows": amount(sum(counts), "row")
                if number in top.below
                else rows_text(tree, number),
            }
            for number, (node, counts) in enumerate(zip(tree.nodes, tree.counts, strict=True))
        ],
    }
