"""What the report page shows of a front: the figure, a view for each size, and the audit."""

from __future__ import annotations

from typing import Any

from dtfinder.advice import Audit
from dtfinder.report.audit import (
    STEP,
    SUSPECT,
    contradicting_text,
    step_rows,
    suspect_rows,
    trade_text,
)
from dtfinder.report.page_data import Greedy, view_of, whole_page
from dtfinder.report.page_words import Head, accuracy, error_fact, head_of
from dtfinder.report.pruned import pruned_greedy
from dtfinder.report.text import amount, errors_text
from dtfinder.result import Front, Result

_MOST_SIZES = 150  # in the file
_MOST_SUSPECTS = 100

Pruned = list[tuple[int, float]]


def front_data(
    front: Front, name: str = "", audit: Audit | None = None, greedy: Greedy | None = None
) -> dict[str, Any]:
    """The page of a front: `name` is what the table is called."""
    results = list(front[:_MOST_SIZES])
    most = 2 * len(results) - 1
    pruned = pruned_greedy(results[0].dataset, most) if results[0].dataset is not None else []
    views = []
    for inner, result in enumerate(results):
        view = view_of(result, None, greedy)
        view["head"] = _head(result)
        view["compared"] += _beside_pruned(result, 2 * inner + 1, pruned)
        views.append(view)
    page = whole_page(results, name, views, _front_head(front), greedy)
    return page | {"front": _figure(front, results, pruned), "audit": audit and _audit(audit)}


def start_of(front: Front) -> int:
    """The place of the size that is shown first: the one that was chosen, or the last proven."""
    nodes = 2 * front.proven - 1 if front.choice is None else front.choice.nodes
    return min(max(nodes // 2, 0), len(front) - 1, _MOST_SIZES - 1)


def _front_head(front: Front) -> Head:
    first, last = front[0], front[-1]
    sizes = amount(len(front), "size")
    proven = f"For all {sizes} it is proven that no tree of that size does better."
    if front.proven < len(front):
        proven = f"For {front.proven} of {sizes} it is proven that no tree of that size does better"
        proven += "; for the others the figure shows what is still open."
    start, end = errors_text(first, first.errors), errors_text(last, last.errors)
    headline = f"From {start} with 1 node to {end} with {last.nodes}"
    lead = f"Choose a size to see its tree. {proven}"
    choice = front.choice
    if choice is not None:
        chosen, best = choice.chosen, choice.best
        weight = "" if first.weight_unit is None else "weight of "
        headline = f"Cross-validation chose {amount(choice.nodes, 'node')}"
        lead = (
            f"Trees of that size are right on {accuracy(chosen.accuracy, chosen.standard_error)} "
            f"of the {weight}rows held out in {choice.folds} folds"
        )
        if chosen != best:
            at = accuracy(best.accuracy, best.standard_error)
            lead += "; it is the smallest size within one standard error of the best, "
            lead += f"{amount(best.nodes, 'node')} with {at}"
        lead += f". {proven}"
    facts = [
        ("sizes", f"{len(front):,}"),
        ("proven", f"{front.proven:,}"),
        ("rows", f"{first.rows:,}"),
        ("time", f"{front.seconds:.2f} s"),
        ("method", front.method),
    ]
    if choice is not None:
        facts.insert(0, ("chosen", amount(choice.nodes, "node")))
    if front.stopped_by is not None:
        facts.append(("stopped by", front.stopped_by))
    return {"headline": headline, "lead": lead, "facts": facts}


def _head(result: Result) -> Head:
    """What is said about a size, for which time and method are those of the front."""
    head = head_of(result)
    proven = "✓ proven" if result.status == "optimal" else "○ open"
    facts = [("nodes", f"{result.nodes:,}"), error_fact(result), ("errors proven", proven)]
    facts += [("depth", f"{result.depth:,}"), ("leaves", f"{result.tree.leaves:,}")]
    facts.append(("right on the table", f"{100 * (1 - _share(result)):.1f}%"))
    if (size := result.held_out) is not None:
        facts.append(("right on rows held out", accuracy(size.accuracy, size.standard_error)))
    return head | {"facts": facts}


def _share(result: Result, errors: int | None = None) -> float:
    """The share of wrong rows, or of their weight."""
    return (result.errors if errors is None else errors) / max(1, result.tree.total)


def _beside_pruned(result: Result, nodes: int, pruned: Pruned) -> str:
    fits = [(share, size) for size, share in pruned if size <= nodes]
    if not fits:
        return ""
    share, size = min(fits)
    errors = errors_text(result, round(share * result.tree.total))
    return f" Pruned to {amount(size, 'node')}, on the same questions, it makes {errors}."


def _figure(front: Front, results: list[Result], pruned: Pruned) -> dict[str, Any]:
    """The points and lines of the figure, as shares in percent."""
    choice = front.choice
    held = choice.sizes[: len(results)] if choice is not None else ()
    hidden = len(front) - len(results)
    return {
        "thing": "wrong rows" if results[0].weight_unit is None else "weight of wrong rows",
        "start": start_of(front),
        "points": [
            {
                "nodes": 2 * inner + 1,
                "errors": errors_text(result, result.errors),
                "share": 100 * _share(result),
                "lower": 100 * _share(result, result.errors_lower_bound),
                "proven": result.status == "optimal",
                "least": errors_text(result, result.errors_lower_bound),
            }
            for inner, result in enumerate(results)
        ],
        "greedy": [{"nodes": nodes, "share": 100 * share} for nodes, share in pruned],
        "held": [
            {
                "nodes": each.nodes,
                "share": 100 - 100 * each.accuracy,
                "error": 100 * each.standard_error,
            }
            for each in held
        ],
        "folds": choice.folds if choice is not None else 0,
        "chosen": choice.nodes if choice is not None else None,
        "note": f"The front goes on to {2 * len(front) - 1} nodes." if hidden else "",
    }


def _audit(audit: Audit) -> dict[str, Any]:
    """The rows to look at again, counted from 1."""
    return {
        "words": trade_text(audit),
        "contradicting": contradicting_text(audit) if audit.contradicting else "",
        "steps": {"heads": STEP, "rows": step_rows(audit)},
        "suspects": {"heads": SUSPECT, "rows": suspect_rows(audit, _MOST_SUSPECTS)},
        "hidden": max(0, len(audit.suspects) - _MOST_SUSPECTS),
    }
