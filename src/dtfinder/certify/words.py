"""What a certificate about errors claims, in words, for its head.

The checkers find their own words for what they have proven, and compare: words that claim anything
else are rejected.
"""

from __future__ import annotations

from typing import Any


def claim_in_words(claim: dict[str, Any], weighted: bool) -> str:
    """The claim as one sentence, without its full stop."""
    aim, within = claim.get("minimise"), _within(claim)
    if aim == "front":
        points = [
            f"{nodes}: {errors}" if bound == errors else f"{nodes}: {bound} to {errors}"
            for nodes, errors, bound in claim["points"]
        ]
        return f"the fewest errors{within} from each number of nodes on are {', '.join(points)}"
    if aim is None:
        return f"no tree{within} makes at most {_errors(claim['max_errors'], weighted)}"
    size = f"{claim['nodes']} nodes and depth {claim['depth']}"
    said = f"the tree of {size} makes {_errors(claim['errors'], weighted)}; no tree"
    if aim == "cost":
        prices = f"{claim['error_price']} times errors and {claim['leaf_price']} times leaves"
        said += f"{within} has less than {prices}, {claim['cost']}"
        return said + f" (leaf_penalty {claim['leaf_penalty']})"
    most = claim.get("max_errors", claim["errors"])
    if aim == "errors":
        said += f"{within} makes less; no tree"
    said += f" with at most {_errors(most, weighted)}{within}"
    fewer = f"with fewer than {claim['nodes']} nodes"
    if claim.get("then", aim) == "nodes":
        return f"{said} is one {fewer}"
    return f"{said} has less depth, or this depth {fewer}"


def _errors(number: int, weighted: bool) -> str:
    if weighted:
        return f"errors of weight {number}"
    return f"{number} error" + ("" if number == 1 else "s")


def _within(claim: dict[str, Any]) -> str:
    limits = [
        f"{name} {claim[name]}" for name in ("max_depth", "max_nodes") if claim[name] is not None
    ]
    return " within " + " and ".join(limits) if limits else ""
