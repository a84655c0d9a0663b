"""What the report page says about one result: headline, facts, proof, and the comparison."""

from __future__ import annotations

from hashlib import sha256
from typing import Any

from dtfinder.problem import DEPTH, Progress
from dtfinder.proof import Reason
from dtfinder.report.text import (
    amount,
    claim_text,
    errors_text,
    limits_text,
    preferred_text,
    stop_text,
    within,
)
from dtfinder.report.why import errors_sentence, forcing_columns, group_sentence, sentence
from dtfinder.result import Result
from dtfinder.tree import Tree

Head = dict[str, Any]  # headline, lead, and facts as pairs


def head_of(result: Result) -> Head:
    """What matters most, first."""
    headline, lead = _erring(result) if result.may_err else _exact(result)
    if preferred := preferred_text(result):
        lead += f" {preferred[0].upper()}{preferred[1:]}."
    return {"headline": headline, "lead": lead, "facts": _facts(result)}


def _exact(result: Result) -> tuple[str, str]:
    nodes, depth = amount(result.nodes, "node"), f"depth {result.depth}"
    wrong = result.errors if result.weight_unit is None else result.wrong_rows
    several = result.dataset is not None and result.dataset.row_sets is not None
    its, their = "its class", "their class"
    if several:
        its, their = "a class that it allows", "a class that they allow"
    fits = f"Every row of the table ends in a leaf of {its}."
    if wrong:
        fits = (
            f"All but {wrong} of the rows of the table end in a leaf of {their}, the rest "
            "contradict rows that are equal in everything else."
        )
    limits = within(result)
    if result.status != "optimal":
        if result.minimise == DEPTH:
            head = f"A tree of {depth} and {nodes}; depth {result.depth_lower_bound} is needed"
        else:
            head = f"A tree of {nodes}; at least {result.lower_bound} are needed{limits}"
        return head, f"{fits} The search ended before the gap was closed ({stop_text(result)})."
    if result.minimise == DEPTH:
        return f"The shallowest tree has {depth} and {nodes}", (
            f"{fits} It is proven that no tree{limits} is shallower, and none as deep is smaller."
        )
    return f"The smallest tree has {nodes}", (
        f"{fits} It is proven that no smaller tree{limits} does this."
    )


def _erring(result: Result) -> tuple[str, str]:
    """The same for a tree that may err: what it was asked for, and how well it does that."""
    nodes, errors = amount(result.nodes, "node"), errors_text(result, result.errors)
    right = f"It is right on {result.rows - result.wrong_rows:,} of {result.rows:,} rows."
    optimal = result.status == "optimal"
    if result.leaf_penalty is not None:
        head = f"A tree of {nodes} and {errors}, which cost {result.cost:.4g}"
        if optimal:
            head = f"The tree of least cost has {nodes} and {errors}"
    elif result.max_errors is not None:
        most = errors_text(result, result.max_errors)
        head = f"A tree of {nodes}; at least {result.lower_bound} are needed"
        if optimal:
            head = f"The smallest tree with at most {most} has {nodes}"
    else:
        head = f"A tree of {nodes} with {errors}"
        few = result.weight(result.errors_lower_bound)
        head += f"; {few:g} may be possible"
        if optimal:
            head = f"A tree of {nodes} with {errors}, the fewest possible"
            if result.weight_unit is not None:
                head = f"A tree of {nodes} with {errors}, the least possible"
    if not optimal:
        return head, f"{right} The search ended before the gap was closed ({stop_text(result)})."
    than = "" if result.leaf_penalty is None else f" than {result.cost:.6g}"
    return head, f"{right} It is proven that {claim_text(result)}{than}."


def _facts(result: Result) -> list[tuple[str, str]]:
    status = "✓ optimal" if result.status == "optimal" else "○ feasible"
    facts = [
        ("status", status),
        ("nodes", f"{result.nodes:,}"),
        ("depth", f"{result.depth:,}"),
        ("leaves", f"{result.tree.leaves:,}"),
    ]
    if result.status != "optimal" and not result.may_err:
        facts.append(("gap in nodes", f"{result.nodes - result.lower_bound:,}"))
    facts += [("rows", f"{result.rows:,}"), error_fact(result)]
    if (size := result.held_out) is not None:
        facts.append(("right on rows held out", accuracy(size.accuracy, size.standard_error)))
    return [*facts, ("time", f"{result.seconds:.2f} s"), ("method", result.method)]


def error_fact(result: Result) -> tuple[str, str]:
    """The errors, or what they weigh."""
    if result.weight_unit is None:
        return "errors", f"{result.errors:,}"
    return "error weight", f"{result.error_weight:g}"


def accuracy(share: float, error: float) -> str:
    """A cross-validated accuracy with its standard error."""
    return f"{100 * share:.1f}% ± {100 * error:.1f}"


def bounds_of(result: Result) -> dict[str, Any]:
    """How the bounds closed: a chart of each measure that was proven, and all of it as a table."""
    measures = {"nodes": "number of nodes", "depth": "depth"}
    if result.may_err and result.max_errors is None:
        measures = {"errors": "errors" if result.weight_unit is None else "error weight"}
    names = [name if name != "errors" else measures[name] for name in measures]
    first = "depth" if result.minimise == DEPTH else "nodes"
    shown = [name for name in measures if name in (first, "nodes", "errors")]
    shown.sort(key=lambda name: name != first)
    # A cost is not a whole number, and the measures that make it up are not bounded one by one.
    states = result.history if result.leaf_penalty is None else ()
    return {
        "seconds": result.seconds,
        "charts": [
            {"thing": measures[name], "points": [_point(result, state, name) for state in states]}
            for name in shown
            if states
        ],
        "heads": ["after", *(f"{name}: {what}" for name in names for what in _BOUNDS)],
        "rows": [
            [state.seconds, *(n for name in measures for n in _both(result, state, name))]
            for state in states
        ],
    }


_BOUNDS = ("proven at least", "best tree")


def _point(result: Result, state: Progress, measure: str) -> dict[str, Any]:
    lower, upper = _both(result, state, measure)
    return {"time": state.seconds, "lower": lower, "upper": upper}


def _both(result: Result, state: Progress, measure: str) -> list[float | None]:
    """The bound and what the best tree has; errors as they weigh, where rows have weights."""
    both = list(state.both(measure))
    if measure != "errors" or result.weight_unit is None:
        return both
    return [None if each is None else float(f"{result.weight(int(each)):.12g}") for each in both]


def compared(result: Result, greedy: Tree, seeds: int) -> str:
    """This tree beside the greedy one, which is the median over `seeds` seeds."""
    made = f"the median of {seeds} seeds" if seeds > 1 else "one seed"
    made = f"Scikit-learn's greedy tree of the same table ({made}; words one-hot)"
    more, deeper = greedy.size - result.nodes, greedy.depth - result.depth
    if result.may_err:
        size = f"{amount(greedy.size, 'node')} and depth {greedy.depth}"
        return f"{made} has {size}, and {amount(greedy.wrong_rows, 'error')}."
    if not more and not deeper:
        new = "; what is new is the proof" if result.status == "optimal" else ""
        return f"{made} is as small and as shallow as this one{new}."
    size = f"{amount(abs(more), 'node')} {'more' if more > 0 else 'fewer'}" if more else ""
    depth = f"{amount(abs(deeper), 'level')} {'more' if deeper > 0 else 'fewer'}" if deeper else ""
    both = " and ".join(part for part in (size, depth) if part)
    return f"{made} needs {both} to classify the same rows."


def proof_of(result: Result, reason: Reason | None) -> dict[str, Any]:
    """What is proven and why, with the rows that force it and the certificate where they exist."""
    title = "Why no better tree" if result.may_err else "Why no smaller tree"
    words = _proof_words(result)
    if reason is not None and reason.forced is not None:
        words += f" {errors_sentence(result, reason)}"
    forced = []
    for number, forcing in enumerate(reason.forcing if reason else (), 1):
        assert reason is not None
        columns, more = forcing_columns(result, forcing)
        heads, *rows = zip(*columns, strict=True)
        note = f"and {amount(more, 'more column')} in which they differ" if more else ""
        said = sentence(forcing, reason.n_rows)
        if reason.forced is not None:
            said = group_sentence(number, forcing, result)
        about = {"words": said, "heads": heads, "rows": rows}
        forced.append({**about, "note": note})
    return {
        "title": title if result.status == "optimal" else "What is proven",
        "words": words,
        "forced": forced,
        "certificate": _certificate(result),
    }


def _proof_words(result: Result) -> str:
    thing = "the depth first and then the size" if result.minimise == DEPTH else "the size"
    if not result.may_err:
        return (
            f"The method {result.method} minimised {thing}. It proved that every tree"
            f"{within(result)} without avoidable errors has at least "
            f"{amount(result.lower_bound, 'node')} and depth {result.depth_lower_bound}."
        )
    limits = limits_text(result)
    if result.leaf_penalty is not None:
        return (
            f"The method {result.method} minimised the share of wrong rows plus "
            f"{float(result.leaf_penalty):g} for each leaf. It proved that every tree{limits} "
            f"costs at least {result.cost_lower_bound:.6g}; this one costs {result.cost:.6g}."
        )
    if result.max_errors is not None:
        most = errors_text(result, result.max_errors)
        return (
            f"The method {result.method} minimised {thing}. It proved that every tree{limits} with "
            f"at most {most} has at least {amount(result.lower_bound, 'node')}."
        )
    least = errors_text(result, result.errors_lower_bound)
    makes = "makes at least" if result.weight_unit is None else "has at least"
    words = f"The method {result.method} minimised the errors. It proved that every tree{limits} "
    words += f"{makes} {least}"
    if result.status == "optimal":
        return f"{words}, as this one does."
    return f"{words}; this one has {errors_text(result, result.errors)}."


def _certificate(result: Result) -> list[str]:
    """What to compare a certificate with, or how to get one; the digest stands apart."""
    if result.certificate is not None:
        size = amount(len(result.certificate.data), "byte")
        return [f"Certificate ({size}), SHA-256", sha256(result.certificate.data).hexdigest()]
    if result.status == "optimal":
        return ["With --certificate FILE, dtfinder writes a proof that others can check.", ""]
    return ["", ""]
