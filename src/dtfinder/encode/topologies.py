"""Topology templates: the upper part of a tree's shape, to split the search by (Janota and Morgado,
SAT 2020, Section 4).

A template is a tree whose ends are leaves or unknown subtrees. It is written as nested pairs:

    (left, right)   an inner node
    1               a leaf
    0               △: a subtree of unknown size, at least 3 (Algorithm 1, for the node encoding)
    k = 3, 5, …     #k: a subtree of exactly k nodes (Algorithm 2, for the path encoding)

Cut at depth d, every tree with n nodes has exactly one template, so the templates of n and d
partition the trees: a formula has a model if and only if it has one under some template's cube.

Different splits of n give the same template with △, so templates are collected as sets, in the
order in which they are first met. That covers the special cases of the paper's Algorithm 1 for
d = 1. Both algorithms split n into i and n − i − 1 for odd i in 1..n−2.

Under a limit on the depth, templates without room for their nodes are left out. So are those with a
leaf above the least length of its path, where the MaxSAT bounds are known: unit propagation would
refute their formulas, but they would have to be loaded first, and they are often most of all.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from math import inf
from typing import Any

from dtfinder.bound.path_length import PathBounds
from dtfinder.nodes import Nodes, sizes_of

Template = int | tuple[Any, Any]  # nested pairs
SUBTREE = 0


def templates(n: int, cut: int, depth: int | None = None) -> list[Template]:
    """Algorithm 1: all templates with △ of trees with `n` nodes, cut at depth `cut`."""
    return _enumerate(n, cut, depth, sized=False)


def sized_templates(n: int, cut: int, depth: int | None = None) -> list[Template]:
    """Algorithm 2: the same with #k in place of △."""
    return _enumerate(n, cut, depth, sized=True)


def _enumerate(n: int, cut: int, depth: int | None, *, sized: bool) -> list[Template]:
    known: dict[tuple[int, int], list[Template]] = {}

    def grow(n: int, cut: int, room: float) -> list[Template]:
        if (n + 1) / 2 > 2**room:
            return []
        if n == 1:
            return [1]
        if cut == 0:
            return [n if sized else SUBTREE]
        # On one level, the rest of the cut and the room below shrink alike.
        if (n, cut) not in known:
            known[n, cut] = list(
                dict.fromkeys(
                    (left, right)
                    for i in range(1, n - 1, 2)
                    for left in grow(i, cut - 1, room - 1)
                    for right in grow(n - i - 1, cut - 1, room - 1)
                )
            )
        return known[n, cut]

    return grow(n, cut, inf if depth is None else depth)


def best_cut(n: int, most: int, *, sized: bool) -> int:
    """The largest cut-off depth with at most `most` templates; a depth limit leaves even fewer."""
    count = _count_sized if sized else _count
    cut = 0
    while cut < (n - 1) // 2 and count(n, cut + 1) <= most:
        cut += 1
    return cut


@lru_cache(maxsize=4096)
def _count_sized(n: int, cut: int) -> int:
    if n == 1 or cut == 0:
        return 1
    return sum(
        _count_sized(i, cut - 1) * _count_sized(n - i - 1, cut - 1) for i in range(1, n - 1, 2)
    )


def _count(n: int, cut: int) -> int:
    """The number of templates with △. Those with `l` leaves and `u` subtrees all fit the same n:
    u = 0 needs n = 2l − 1, otherwise each △ takes two leaves or more."""
    leaves = (n + 1) // 2
    return sum(
        number
        for (sure, open_), number in _shapes(leaves, cut).items()
        if (sure == leaves if open_ == 0 else sure + 2 * open_ <= leaves)
    )


@lru_cache(maxsize=1024)
def _shapes(most: int, cut: int) -> dict[tuple[int, int], int]:
    """How many templates of any n have a given number of leaves and subtrees, up to `most`."""
    if cut == 0:
        return {(1, 0): 1, (0, 1): 1}
    below = _shapes(most, cut - 1)
    found = {(1, 0): 1}
    for (a, b), number in below.items():
        for (c, d), other in below.items():
            if a + c + 2 * (b + d) <= most:
                found[a + c, b + d] = found.get((a + c, b + d), 0) + number * other
    return found


def is_long_enough(template: Template, bounds: PathBounds) -> bool:
    """Whether no leaf of the template ends a path that is shorter than is proven."""
    ends = _ends(template)
    least = [bounds.left, *[bounds.general] * (len(ends) - 2), bounds.right]
    return all(end != 1 or depth >= n for (end, depth), n in zip(ends, least, strict=False))


def difference(template: Template, nodes: Nodes, n: int, decay: float) -> float:
    """Algorithm 3: how different a template of trees with `n` nodes is from a given tree. Where one
    of the two has a subtree and the other has nothing, its size counts, less by the factor `decay`
    with every level. Of an unknown subtree only the size is known (for △ an equal share of the
    nodes that the template leaves open), so the difference in size counts."""
    sizes = sizes_of(nodes)
    ends = [end for end, _ in _ends(template)]
    known = 2 * len(ends) - 1 - ends.count(SUBTREE)
    share = (n - known) / max(1, ends.count(SUBTREE))

    def compare(part: Template | None, at: int | None, weight: float) -> float:
        here = 0 if at is None else sizes[at]
        if part is None:
            return weight * here
        if not isinstance(part, tuple) and part != 1:
            return weight * abs((part or share) - here)
        if at is None:
            return weight * _size(part, share)
        left, right = part if isinstance(part, tuple) else (None, None)
        inner = nodes[at].feature >= 0
        zero, one = (nodes[at].zero, nodes[at].one) if inner else (None, None)
        return compare(left, zero, weight * decay) + compare(right, one, weight * decay)

    return compare(template, 0, 1.0)


def by_difference(found: Sequence[Template], nodes: Nodes, n: int, decay: float) -> list[Template]:
    """The templates, those that most resemble the given tree first."""
    return sorted(found, key=lambda template: difference(template, nodes, n, decay))


def _ends(template: Template, depth: int = 0) -> list[tuple[int, int]]:
    """The ends of a template with their depths, from left to right."""
    if isinstance(template, tuple):
        return _ends(template[0], depth + 1) + _ends(template[1], depth + 1)
    return [(template, depth)]


def _size(template: Template, share: float) -> float:
    """The number of nodes of a template."""
    if isinstance(template, tuple):
        return 1 + _size(template[0], share) + _size(template[1], share)
    return template or share
