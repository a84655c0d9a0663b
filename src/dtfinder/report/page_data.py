"""What the report page shows, as one plain object; the page's own script does the rest."""

from __future__ import annotations

import math
import re
from hashlib import sha256
from typing import Any

from numpy.typing import NDArray

from dtfinder.data.columns import missing_in
from dtfinder.data.dataset import DATE, NUMBER, TRUTH, Dataset, Value, kind_of, show_value
from dtfinder.data.order import DURATION, sort_key
from dtfinder.problem import DEPTH
from dtfinder.proof import Reason
from dtfinder.report.cut import MOST_LINES, cut
from dtfinder.report.export.clauses import inputs_of
from dtfinder.report.export.rules import to_rules
from dtfinder.report.text import (
    amount,
    drawn,
    hidden_text,
    printable,
    questions,
    rows_text,
    stop_text,
)
from dtfinder.report.why import forcing_columns, sentence
from dtfinder.result import Result
from dtfinder.tree import Tree
from dtfinder.version import __version__

_MOST_ROWS = 5_000  # in the file, for the routes of rows and the rows at a node
_MOST_RULES = 1_000
_MOST_COLUMNS = 200  # in the summary of the data


def page_data(
    result: Result,
    name: str = "",
    reason: Reason | None = None,
    greedy: tuple[Tree, int] | None = None,
) -> dict[str, Any]:
    """Everything on the page: `name` is what the table is called, `reason` why no tree is better,
    and `greedy` a tree to compare, the median of so many."""
    other = greedy[0] if greedy else None
    target = printable(result.tree.target)
    headline, lead = _headline(result)
    return {
        "kicker": f"{name}, predicting {target}" if name else f"Predicting {target}",
        "headline": headline,
        "lead": lead,
        "facts": _facts(result),
        "target": target,
        "minimise": result.minimise,
        "seconds": result.seconds,
        "history": [
            {
                "seconds": state.seconds,
                "lower": state.bounds.nodes,
                "nodes": state.nodes,
                "depth_lower": state.bounds.depth,
                "depth": state.depth,
            }
            for state in result.history
        ],
        "tree": _tree(result.tree),
        "greedy": _tree(other) if other else None,
        "compared": _compared(result, *greedy) if greedy else "",
        "table": _table(result.dataset, [result.tree] + ([other] if other else [])),
        "proof": _proof(result, reason),
        "data": _data(result.dataset, result.tree),
        "rules": _rules(result.tree),
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


def _headline(result: Result) -> tuple[str, str]:
    nodes, depth = amount(result.nodes, "node"), f"depth {result.depth}"
    wrong = f"All but {result.errors} of the rows" if result.errors else "Every row"
    why = ", the rest contradict rows that are equal in everything else" if result.errors else ""
    fits = f"{wrong} of the table ends in a leaf of its class{why}."
    fits = fits.replace("rows of the table ends", "rows of the table end")
    limits = _limits(result)
    if result.status != "optimal":
        if result.minimise == DEPTH:
            head = f"A tree of {depth} and {nodes}; depth {result.depth_lower_bound} is needed"
        else:
            head = f"A tree of {nodes}; at least {result.lower_bound} are needed{limits}"
        return head, f"{fits} The search ended before the gap was closed ({stop_text(result)})."
    if result.minimise == DEPTH:
        return f"The shallowest tree has {depth} and {nodes}", (
            f"{fits} It is proven that no tree{limits} is less deep, and none as deep is smaller."
        )
    return f"The smallest tree has {nodes}", (
        f"{fits} It is proven that no smaller tree{limits} does this."
    )


def _limits(result: Result) -> str:
    if result.minimise == DEPTH:
        return f" of at most {result.max_nodes} nodes" if result.max_nodes is not None else ""
    return f" of depth at most {result.max_depth}" if result.max_depth is not None else ""


def _facts(result: Result) -> list[tuple[str, str]]:
    status = "✓ optimal" if result.status == "optimal" else "○ feasible"
    facts = [
        ("status", status),
        ("nodes", f"{result.nodes:,}"),
        ("depth", f"{result.depth:,}"),
        ("leaves", f"{result.tree.leaves:,}"),
    ]
    if result.status != "optimal":
        facts.append(("gap in nodes", f"{result.nodes - result.lower_bound:,}"))
    rows = sum(result.tree.counts[0])
    facts += [("rows", f"{rows:,}"), ("errors", f"{result.errors:,}")]
    return [*facts, ("time", f"{result.seconds:.2f} s"), ("method", result.method)]


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
                "values": [_plain(value) for value in feature.values],
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


def _plain(value: Value) -> Any:
    """The value as JSON: NaN is missing, and an infinite number, which JSON has not, is named."""
    if isinstance(value, float) and not math.isfinite(value):
        return None if math.isnan(value) else {"number": "Infinity" if value > 0 else "-Infinity"}
    return value


def _compared(result: Result, greedy: Tree, seeds: int) -> str:
    made = f"the median of {seeds} seeds" if seeds > 1 else "one seed"
    made = f"scikit-learn's greedy tree of the same table ({made}; words one-hot)"
    more, deeper = greedy.size - result.nodes, greedy.depth - result.depth
    if result.may_err:
        leaves = [
            pair for pair in zip(greedy.nodes, greedy.counts, strict=True) if pair[0].label >= 0
        ]
        wrong = sum(sum(counts) - counts[node.label] for node, counts in leaves)
        size = f"{amount(greedy.size, 'node')} and depth {greedy.depth}"
        return f"{made[0].upper()}{made[1:]} has {size}, and {amount(wrong, 'error')}."
    if not more and not deeper:
        new = "; what is new is the proof" if result.status == "optimal" else ""
        return f"{made[0].upper()}{made[1:]} is as small and as shallow as this one{new}."
    size = f"{amount(abs(more), 'node')} {'more' if more > 0 else 'fewer'}" if more else ""
    depth = f"{amount(abs(deeper), 'level')} {'more' if deeper > 0 else 'fewer'}" if deeper else ""
    both = " and ".join(part for part in (size, depth) if part)
    return f"{made[0].upper()}{made[1:]} needs {both} to classify the same rows."


def _table(dataset: Dataset | None, trees: list[Tree]) -> dict[str, Any]:
    """The columns that the trees ask about, each as its distinct values and a code for each row."""
    if dataset is None:
        return {"total": 0, "shown": 0, "columns": _asked_only(trees), "labels": [], "kept": []}
    table, shown = dataset.table, min(dataset.table.rows, _MOST_ROWS)
    used = {feature.column for tree in trees for feature in tree.features}
    columns = []
    for name, values in zip(table.names, table.columns, strict=True):
        if name in used:
            distinct, codes = _coded(values[:shown])
            gone = bool(missing_in(values).any()) or _asks_missing(name, trees)
            columns.append(
                {
                    "name": name,
                    "kind": kind_of(values),
                    "missing": gone,
                    "values": [_plain(value) for value in distinct],
                    "codes": codes,
                }
            )
    return {
        "total": table.rows,
        "shown": shown,
        "columns": columns,
        "labels": dataset.row_labels[:shown].tolist(),
        "kept": (dataset.example_of_row[:shown] >= 0).tolist(),
    }


def _asked_only(trees: list[Tree]) -> list[dict[str, Any]]:
    """Without the table: the columns as far as the trees tell."""
    found = {each.column: each.kind for tree in trees for each in inputs_of(tree)}
    return [
        {
            "name": name,
            "kind": kind,
            "missing": _asks_missing(name, trees),
            "values": [],
            "codes": [],
        }
        for name, kind in found.items()
    ]


def _asks_missing(column: str, trees: list[Tree]) -> bool:
    asked = [feature for tree in trees for feature in tree.features if feature.column == column]
    return any(None in feature.values for feature in asked)


def _coded(values: NDArray[Any]) -> tuple[list[Value], list[int]]:
    places: dict[Value, int] = {}
    plain = [None if value != value else value for value in values.tolist()]
    codes = [places.setdefault(value, len(places)) for value in plain]
    return list(places), codes


def _key(kind: str) -> Any:
    return sort_key if kind == DURATION else None


def _proof(result: Result, reason: Reason | None) -> dict[str, Any]:
    """What is proven and why, with the rows that force it and the certificate where they exist."""
    optimal = result.status == "optimal"
    thing = "the depth first and then the size" if result.minimise == DEPTH else "the size"
    words = (
        f"The method {result.method} minimised {thing}. It proved that every tree that classifies "
        f"the rows as well has at least {amount(result.lower_bound, 'node')} and depth "
        f"{result.depth_lower_bound}{_limits(result)}."
    )
    forced = []
    for forcing in reason.forcing if reason else ():
        assert reason is not None
        columns, more = forcing_columns(result, forcing)
        heads, *rows = zip(*columns, strict=True)
        note = f"and {amount(more, 'more column')} in which they differ" if more else ""
        about = {"words": sentence(forcing, reason.n_rows), "heads": heads, "rows": rows}
        forced.append({**about, "note": note})
    return {
        "title": "Why no smaller tree" if optimal else "What is proven",
        "words": words,
        "forced": forced,
        "certificate": _certificate(result),
    }


def _certificate(result: Result) -> list[str]:
    """What to compare a certificate with, or how to get one; the digest stands apart."""
    if result.certificate is not None:
        size = amount(len(result.certificate.data), "byte")
        return [f"Certificate ({size}), SHA-256", sha256(result.certificate.data).hexdigest()]
    if result.status == "optimal":
        return ["With --certificate FILE the run writes a proof that others can check.", ""]
    return ["", ""]


def _data(dataset: Dataset | None, tree: Tree) -> dict[str, Any]:
    counts = tree.counts[0]
    classes = [
        (printable(show_value(label)), count)
        for label, count in zip(tree.classes, counts, strict=True)
    ]
    if dataset is None:
        return {"words": [], "classes": classes, "columns": []}
    table = dataset.table
    dropped = int((dataset.example_of_row < 0).sum())
    words = [
        f"{amount(table.rows, 'row')} and {amount(len(table.names), 'column')} became "
        f"{amount(dataset.n_examples, 'distinct example')} over "
        f"{amount(dataset.n_features, 'distinct yes/no feature')}.",
        f"Trees may ask {questions(dataset).replace('<=', '≤')}; what is proven holds among these.",
    ]
    if dropped:
        why = "have missing values or contradict others"
        if dataset.missing != "drop":
            why = "contradict others"
        elif dataset.contradictions != "drop":
            why = "have missing values"
        words.append(f"{amount(dropped, 'row')} that {why} were dropped.")
    if dataset.unavoidable_errors:
        words.append(
            f"{amount(dataset.unavoidable_errors, 'row')} cannot be right in any tree: other rows "
            "with the same features have another class."
        )
    if len(table.names) > _MOST_COLUMNS:
        words.append(
            f"Below are the columns of the tree and the first others, {_MOST_COLUMNS} in all."
        )
    weights = _weights(tree)
    order = sorted(table.names, key=lambda name: -weights.get(name, -1.0))[:_MOST_COLUMNS]
    return {
        "words": words,
        "classes": classes,
        "columns": [_column(name, table.column(name), weights.get(name)) for name in order],
    }


def _weights(tree: Tree) -> dict[str, float]:
    """How many of the answers that rows give on their way are about each column, as shares of 1."""
    asked: dict[str, int] = dict.fromkeys(tree.columns, 0)
    for node, counts in zip(tree.nodes, tree.counts, strict=True):
        if node.feature >= 0:
            asked[tree.features[node.feature].column] += sum(counts)
    whole = sum(asked.values())
    return {column: rows / whole if whole else 0.0 for column, rows in asked.items()}


def _column(name: str, values: NDArray[Any], weight: float | None) -> dict[str, Any]:
    gone, kind = missing_in(values), kind_of(values)
    present = values[~gone].tolist()
    distinct = dict.fromkeys(present)
    if kind in (NUMBER, DATE, DURATION) and present:
        first, last = (pick(distinct, key=_key(kind)) for pick in (min, max))
        about = f"{show_value(first)} … {show_value(last)}"
    else:
        some = sorted(distinct, key=str)[:6]
        about = ", ".join(printable(show_value(value)) for value in some)
        about = about[:120] + (", …" if len(distinct) > len(some) else "")
    return {
        "name": printable(name),
        "kind": "true or false" if kind == TRUTH else kind,
        "distinct": len(distinct),
        "missing": int(gone.sum()),
        "values": about,
        "weight": weight,
    }
