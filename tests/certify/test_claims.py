"""Every claim over a grid of trees, aims and limits, with all proofs of a table joined into one:
what is verified is true, and what is true is verified."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import product
from math import inf
from pathlib import Path
from typing import Any

import pytest

from certify.forge import Case, read_case
from dtfinder.certify import check
from dtfinder.certify.write import write_table
from dtfinder.data import make_dataset
from dtfinder.errors import InfeasibleError
from oracle import Oracle
from small import random_table, solve_here, table_of


def certified(table: Any, judge: Oracle, methods: dict[str, str]) -> Iterator[Case]:
    """Certificates for limits at, below and above what the table needs."""
    depth, size = judge.depth_then_size()[0], judge.size()
    assert size is not None
    limits = [{}, {"max_nodes": size - 1}, *({"max_depth": depth + more} for more in (-1, 0, 1))]
    for (aim, method), within in product(methods.items(), limits):
        options = {"method": method, "minimise": aim, "certify": True, **within}
        try:
            made = solve_here(make_dataset(table), **options).certificate
        except InfeasibleError as error:
            made = error.certificate
        assert made is not None
        yield read_case(made, table)


def measured(tree: Any) -> tuple[int, int]:
    """The nodes and the depth of a nested tree."""
    if isinstance(tree, int):
        return 1, 0
    (left, down), (right, down_too) = measured(tree[1]), measured(tree[2])
    return 1 + left + right, 1 + max(down, down_too)


def deeper(tree: Any) -> Any:
    """The tree with a question too many."""
    return [0, tree, tree] if isinstance(tree, int) else [tree[0], deeper(tree[1]), tree[2]]


def claims(trees: list[Any]) -> Iterator[tuple[Any, dict[str, Any]]]:
    """All of them."""
    limits = product((None, *range(6)), (None, *range(18)))
    for (max_depth, max_nodes), tree in product(limits, [None, *trees]):
        claim = {"max_depth": max_depth, "max_nodes": max_nodes}
        if tree is None:
            yield None, claim
            continue
        nodes, depth = measured(tree)
        for aim in ("size", "depth"):
            yield tree, {"minimise": aim, "nodes": nodes, "depth": depth, **claim}


def is_true(judge: Oracle, tree: Any, claim: dict[str, Any]) -> bool:
    """By brute force."""

    def is_ruled_out(limit: int | None) -> bool:
        found = judge.size(limit)
        return found is None or found > most

    most: float = inf if claim["max_nodes"] is None else claim["max_nodes"]
    limit = claim["max_depth"]
    if tree is None:
        return is_ruled_out(limit)
    nodes, depth = claim["nodes"], claim["depth"]
    if nodes > most or (limit is not None and depth > limit):
        return False
    if claim["minimise"] == "size":
        return bool(judge.size(limit) == nodes)
    return judge.size(depth) == nodes and (depth == 0 or is_ruled_out(depth - 1))


@pytest.mark.parametrize(
    "methods",
    [{"size": "cores", "depth": "cores"}, {"size": "dtfinder-DT1-T", "depth": "d-dtfinder"}],
)
def test_what_is_true_is_verified_and_nothing_else(methods: dict[str, str], tmp_path: Path) -> None:
    found: Counter[tuple[bool, bool, bool]] = Counter()
    for seed in (1, 2, 3):
        table = table_of(*random_table(seed, rows=9, features=5, classes=2 + seed % 2))
        dataset = make_dataset(table)
        judge = Oracle(dataset.bits, dataset.labels)
        cases = list(certified(table, judge, methods))
        head = cases[0].head
        write_table(table, tmp_path / "table.csv")
        data = check.Examples(head, check.read_table(str(tmp_path / "table.csv")))
        proof: Any = check.Lemmas(data)
        if head["proof"] == "lrat":
            proof = check.part("lrat")(data)
        proof.read([line for case in cases for line in case.body])
        trees = [case.head["tree"] for case in cases if case.head["tree"] is not None]
        for tree, claim in claims([*trees, *map(deeper, trees[:2])]):
            made = {**head, "tree": tree, "claim": claim}
            try:
                if tree is not None:
                    check.check_tree(made, data)
                verified = check.check_claim(made, data, proof).startswith("VERIFIED")
            except check.Rejected:
                verified = False
            true = is_true(judge, tree, claim)
            assert verified == true, (seed, tree, claim)
            found[tree is None, verified, true] += 1
    assert min(found.values()) > 100
    assert len(found) == 4
