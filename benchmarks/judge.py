"""Do the answers contradict each other?

Every answer is a claim from below (no tree is smaller than this) and a tree from above, which was
checked on all examples. Two proven optima that differ always show as a tree that somebody else's
claim forbids, so that is the one thing to look for. Claims come in three kinds: about the nodes of
all trees, about the depth of all trees, and about the nodes of trees of the least depth.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from benchmarks.adapters import DEPTH, DEPTH_SIZE, SIZE
from benchmarks.instances import Optimum
from benchmarks.results import Instance, Row


@dataclass(frozen=True)
class Claim:
    """`who` says that no tree has fewer nodes or less depth than these; `within`: that among trees
    of at most that depth none has fewer nodes."""

    who: str
    nodes: int = 1
    depth: int = 0
    within: int | None = None

    def forbids(self, nodes: int, depth: int) -> bool:
        """Whether a tree of this size and depth cannot be, if the claim is right."""
        counts = self.within is None or depth <= self.within
        return depth < self.depth or (counts and nodes < self.nodes)


def claim_of(row: Row) -> Claim:
    """What a row says from below."""
    proven = row.solved and row.nodes is not None and row.depth is not None
    if row.aim == SIZE:
        nodes = max(row.lower_nodes, row.nodes or 1) if proven else row.lower_nodes
        return Claim(row.method, nodes, row.lower_depth)
    if row.aim in (DEPTH_SIZE, DEPTH):
        depth = max(row.lower_depth, row.depth or 0) if proven else row.lower_depth
        nodes = (row.nodes or 1) if proven and row.aim == DEPTH_SIZE else 1
        return Claim(row.method, nodes, depth, within=depth)
    return Claim(row.method)


def contradictions(rows: Iterable[Row], optima: Iterable[Optimum] = ()) -> list[str]:
    """One line for each tree that a claim about its instance forbids."""
    claims: dict[Instance, list[Claim]] = defaultdict(list)
    trees: dict[Instance, list[tuple[str, int, int]]] = defaultdict(list)
    for known in optima:
        _take_known(known, claims, trees)
    for row in rows:
        claims[row.instance].append(claim_of(row))
        if row.nodes is not None and row.depth is not None:
            trees[row.instance].append((row.method, row.nodes, row.depth))
    found = []
    for instance, said in claims.items():
        for who, nodes, depth in trees[instance]:
            for claim in said:
                if claim.forbids(nodes, depth):
                    found.append(_report(instance, claim, who, nodes, depth))
    return found


def _take_known(
    known: Optimum,
    claims: dict[Instance, list[Claim]],
    trees: dict[Instance, list[tuple[str, int, int]]],
) -> None:
    """A listed optimum claims from below, and stands for a tree: of unknown depth, if only its size
    is listed, so deeper than any claim."""
    instance = (known.dataset, known.percent, known.seed)
    if known.nodes is not None:
        claims[instance].append(Claim("the list", known.nodes))
        trees[instance].append(("the list", known.nodes, (known.nodes - 1) // 2))
    if known.least_depth is not None and known.nodes_at_least_depth is not None:
        nodes, depth = known.nodes_at_least_depth, known.least_depth
        claims[instance].append(Claim("the list", nodes, depth, within=depth))
        trees[instance].append(("the list", nodes, depth))


def _report(instance: Instance, claim: Claim, who: str, nodes: int, depth: int) -> str:
    name, percent, seed = instance
    scope = "" if claim.within is None else f" at depth {claim.within}"
    return (
        f"{name} {percent}% seed {seed}: {claim.who} claims at least {claim.nodes} nodes{scope} "
        f"and depth {claim.depth}, but {who} has a tree of {nodes} nodes and depth {depth}"
    )
