"""Why are there so many errors? Because groups of rows force one each.

A group is a set of rows that alone needs more questions than a tree may ask, so every such tree
gets one of them wrong. Groups that have no row in common force an error each: as many errors as
there are groups, or what the lightest rows of the groups weigh. Where that is as much as the tree
errs, a person can see that no tree does better. Else the groups show a part of it, and the rest is
left to the certificate.

Groups are taken one after the other, each as small as leaving out rows can make it, until what is
left needs no more questions than allowed. Another order of leaving out gives other groups; as long
as they do not reach the errors of the tree, a number of orders is tried and the best kept.
"""

from __future__ import annotations

import time

import numpy as np

from dtfinder._core import NO_LIMIT
from dtfinder.data.dataset import Dataset, Ints, margins
from dtfinder.problem import DEPTH
from dtfinder.proof import Forcing, Reason
from dtfinder.result import Result
from dtfinder.search.forcing import Claim, minimise, warm_test

ORDERS = 12  # of leaving out

Group = tuple[Ints, bool]  # examples, and whether none of them can be left out


def error_reason(result: Result, seconds: float) -> Reason:
    """Groups of rows that force the errors of an optimal tree, or of all smaller ones."""
    begin = time.monotonic()
    dataset = result.dataset
    assert dataset is not None
    claim, target = _claim(result)
    groups: list[Group] = []
    weights = margins(dataset.class_weights)
    if claim is not None:
        wanted = target - dataset.unavoidable_errors
        groups = _pack(dataset, claim, wanted, weights, begin + seconds)
    rows, inner = dataset.first_rows, None if claim is None or claim.depth else claim.bound
    forcing = tuple(
        Forcing(
            tuple(rows[examples].tolist()),
            nodes=None if inner is None else 2 * inner + 1,
            depth=claim.bound if claim is not None and claim.depth else None,
            within_depth=result.max_depth if inner is not None else None,
            minimal=minimal,
            errors=int(weights[examples].min()),
        )
        for examples, minimal in groups
    )
    forced = dataset.unavoidable_errors + sum(int(weights[each].min()) for each, _ in groups)
    kept = int((dataset.example_of_row >= 0).sum())
    return Reason(forcing, (), kept, time.monotonic() - begin, forced=forced, errors=target)


def _claim(result: Result) -> tuple[Claim | None, int]:
    """What a group must need, and the errors to be forced. None where trees of any size are
    allowed, or no tree is smaller."""
    inner, depth = result.nodes // 2, result.max_depth
    limit = NO_LIMIT if depth is None else min(depth, NO_LIMIT)
    if result.max_errors is not None:  # what is smaller errs more
        target = result.max_errors + 1
        if result.minimise == DEPTH and result.depth and result.max_nodes is None:
            return Claim(result.depth, depth=True), target
        return (Claim(inner, limit) if inner else None), target
    if result.leaf_penalty is not None:
        return Claim(inner + 1, limit), result.errors
    if result.max_nodes is not None:
        return Claim((result.max_nodes - 1) // 2 + 1, limit), result.errors
    return (None if depth is None else Claim(depth + 1, depth=True)), result.errors


def _pack(dataset: Dataset, claim: Claim, wanted: int, weights: Ints, end: float) -> list[Group]:
    """Groups without a common example whose lightest ones weigh `wanted` together, or as much as
    was found."""
    best: list[Group] = []
    most, random = 0, np.random.RandomState(0)
    everything = np.flatnonzero(weights > 0)
    test = warm_test(dataset, everything, claim, end)
    for order in range(ORDERS):
        groups: list[Group] = []
        rest, reached = everything, 0
        try:
            while reached < wanted and (core := test(rest)) is not None:
                mixed = core if order == 0 else random.permutation(rest if order % 2 else core)
                group, minimal = minimise(mixed, test)
                groups.append((np.sort(group), minimal))
                reached += int(weights[group].min())
                rest = np.setdiff1d(rest, group)
        except TimeoutError:
            pass
        if reached > most:
            best, most = groups, reached
        if most >= wanted or time.monotonic() > end:
            break
    return best
