"""Certificates about errors for small tables, to look into, to change and to check again."""

from __future__ import annotations

import gzip
import json
from dataclasses import dataclass
from math import inf
from pathlib import Path
from typing import Any

import numpy as np

from certify.error_prover import ErrorProver
from dtfinder.certify import check
from dtfinder.certify.compiled import check_compiled
from dtfinder.certify.write import _head, digest, write_table
from dtfinder.data import Table, make_dataset
from dtfinder.problem import Problem
from small import table_of

CHECKERS = (check.check, check_compiled)


@dataclass(frozen=True)
class ErrorCase:
    """A table with a certificate as its head and the lines of its proof."""

    table: Table
    head: dict[str, Any]
    body: tuple[str, ...]

    def verdicts(self, place: Path) -> list[str | None]:
        """Of each checker: None if it verifies the claim, else why it does not."""
        write_table(self.table, place / "table.csv")
        text = "\n".join([json.dumps(self.head), *self.body]) + "\n"
        (place / "proof.cert").write_bytes(gzip.compress(text.encode(), 1))
        found: list[str | None] = []
        for checker in CHECKERS:
            try:
                words = checker(str(place / "proof.cert"), str(place / "table.csv"))
                assert words.startswith("VERIFIED")
                found.append(None)
            except check.Rejected as error:
                found.append(str(error))
        return found

    def judge(self) -> ErrorProver:
        """Brute force on the table as it is."""
        claim = self.head["claim"]
        prices = None
        if claim.get("minimise") == "cost":
            prices = (claim["error_price"], claim["leaf_price"])
        return prover_of(self.table, self.head.get("weights"), prices)[0]

    def is_true(self) -> bool:
        """Whether the claim holds, by brute force."""
        claim, judge = self.head["claim"], self.judge()
        depth = inf if claim["max_depth"] is None else claim["max_depth"]
        inner = inf if claim["max_nodes"] is None else (claim["max_nodes"] - 1) // 2
        if claim.get("minimise") == "front":
            ends = [*((point[0] - 1) // 2 - 1 for point in claim["points"][1:]), inner]
            return all(
                self.measured(tree)[0] == point[1] and judge.errors(end, depth) >= point[2]
                for point, tree, end in zip(claim["points"], self.head["trees"], ends, strict=True)
            )
        if self.head["tree"] is None:
            return bool(judge.errors(inner, depth) > claim["max_errors"])
        errors, nodes, deep = self.measured(self.head["tree"])
        if [errors, nodes, deep] != [claim["errors"], claim["nodes"], claim["depth"]]:
            return False
        if nodes > 2 * inner + 1 or deep > depth:
            return False
        if claim["minimise"] == "cost":
            least = judge.cost(judge.all, depth)
            price, leaf = judge.prices
            above = price * (errors - judge.unavoidable) + leaf * (nodes // 2)
            cost = price * errors + leaf * (nodes // 2 + 1)
            return bool(above == least and claim["cost"] == cost)
        most = errors
        aim = claim["minimise"]
        if aim == "errors":
            if judge.errors(inner, depth) < errors:
                return False
            aim = claim["then"]
        else:
            most = claim["max_errors"]
            if errors > most:
                return False
        if aim == "nodes":
            return nodes == 1 or judge.errors(nodes // 2 - 1, depth) > most
        return (deep == 0 or judge.errors(inner, deep - 1) > most) and (
            nodes == 1 or judge.errors(nodes // 2 - 1, deep) > most
        )

    def measured(self, tree: Any) -> tuple[int, int, int]:
        """Errors, nodes and depth of a tree, row by row of the table."""
        weights = self.head.get("weights") or [1] * self.table.rows
        columns = dict(zip(self.table.names, self.table.columns, strict=True))
        errors = 0
        for row in range(self.table.rows):
            node = tree
            while not isinstance(node, int):
                name, test, value = self.head["features"][node[0]]
                cell = columns[name][row]
                node = node[2 if (cell <= value if test == "<=" else cell == value) else 1]
            assert self.table.target is not None
            errors += weights[row] * (self.head["classes"][node] != self.table.target[row])
        return errors, *_size(tree)


def _size(tree: Any) -> tuple[int, int]:
    if isinstance(tree, int):
        return 1, 0
    (a, b), (c, d) = _size(tree[1]), _size(tree[2])
    return 1 + a + c, 1 + max(b, d)


def prover_of(
    table: Table, weights: list[int] | None, prices: Any = None, seed: int = 0
) -> tuple[ErrorProver, Any]:
    """The prover for a table, and its dataset."""
    dataset = make_dataset(table, one_class="allow")
    of_class = np.zeros((dataset.n_examples, len(dataset.classes)), dtype=np.int64)
    given = [1] * table.rows if weights is None else weights
    for row, example in enumerate(dataset.example_of_row.tolist()):
        of_class[example, dataset.row_labels[row]] += given[row]
    rows = dataset.first_rows.tolist()
    return ErrorProver(dataset.bits, of_class, rows, prices, seed), dataset


def random_rows(seed: int, rows: int, features: int, classes: int) -> Table:
    """A noisy table, with rows that are repeated and rows that contradict each other."""
    random = np.random.RandomState(seed)
    bits = random.rand(rows, features) < 0.5
    bits[rows * 2 // 3 :] = bits[random.randint(rows * 2 // 3, size=rows - rows * 2 // 3)]
    labels = (bits[:, 0].astype(int) + bits[:, 1]) % classes
    labels = np.where(random.rand(rows) < 0.3, random.randint(classes, size=rows), labels)
    labels[:classes] = np.arange(classes)
    return table_of(bits, labels)


def proven(kind: str, seed: int, rows: int = 14, features: int = 5) -> ErrorCase:
    """A true claim of the kind, with a proof by the plain prover."""
    random = np.random.RandomState(seed)
    table = random_rows(seed, rows, features, 2 + seed % 3)
    weights = random.randint(0, 9, size=rows).tolist() if seed % 4 == 3 else None
    prices = (int(random.choice([1, 3, 10])), int(random.choice([1, 2, 7, 20])))
    prover, dataset = prover_of(table, weights, prices if kind == "cost" else None, seed)
    depth = [None, 2, 3, 4][random.randint(4)]
    nodes = [None, 3, 7, 10][random.randint(4)]
    limit = inf if depth is None else depth
    inner = min(inf if nodes is None else (nodes - 1) // 2, prover.n - 1, 2 ** min(limit, 9) - 1)
    inner = int(inner)
    everything = prover.all
    limits = {"max_depth": depth, "max_nodes": nodes}
    head = _head(Problem(dataset), None, "errors")
    if weights is not None:
        head["weights"] = weights

    def show(n: int, d: float, errors: int) -> None:
        errors -= prover.unavoidable
        n = int(min(n, prover.n - 1, 2 ** min(d, 9) - 1))
        if errors > 0 and n >= 0:
            prover.prove(everything, n, d, errors)

    def sized(tree: Any, extra: dict[str, Any]) -> None:
        errors, size, deep = ErrorCase(table, head, ()).measured(tree)
        head["tree"] = tree
        head["claim"] = {**extra, "errors": errors, "nodes": size, "depth": deep, **limits}

    def smallest(most: int) -> int:
        """The fewest inner nodes with at most so many errors."""
        return next(n for n in range(inner + 1) if prover.errors(n, limit) <= most)

    least = prover.errors(inner, limit)
    if kind == "errors":
        n = smallest(least)
        sized(prover.tree(everything, n, limit), {"minimise": "errors", "then": "nodes"})
        show(inner, limit, least)
        show(n - 1, limit, least + 1)
    elif kind == "size":
        most = least + random.randint(4)
        n = smallest(most)
        sized(prover.tree(everything, n, limit), {"minimise": "nodes", "max_errors": most})
        show(n - 1, limit, most + 1)
    elif kind == "depth":
        most = least + random.randint(3)
        deep = next(d for d in range(inner + 1) if prover.errors(inner, d) <= most)
        n = next(n for n in range(inner + 1) if prover.errors(n, deep) <= most)
        sized(prover.tree(everything, n, deep), {"minimise": "depth", "max_errors": most})
        if deep:
            show(inner, deep - 1, most + 1)
        show(n - 1, deep, most + 1)
    elif kind == "none":
        if least == 0:
            return proven(kind, seed + 1000, rows, features)
        show(inner, limit, least)
        head["claim"] = {"max_errors": least - 1, **limits}
    elif kind == "cost":
        limits["max_nodes"] = None
        tree = prover.tree(everything, prover.n, limit, priced=True)
        sized(tree, {"minimise": "cost", "error_price": prices[0], "leaf_price": prices[1]})
        claim = head["claim"]
        claim["cost"] = prices[0] * claim["errors"] + prices[1] * (claim["nodes"] // 2 + 1)
        cost = prover.cost(everything, limit)
        if cost > 0:
            prover.prove_cost(everything, limit, cost)
    else:
        points: list[Any] = []
        trees: list[Any] = []
        for n in range(inner + 1):
            errors = prover.errors(n, limit)
            if not points or errors < points[-1][1]:
                if points:
                    show(n - 1, limit, points[-1][1])
                points.append([2 * n + 1, errors, errors])
                trees.append(prover.tree(everything, n, limit))
        show(inner, limit, points[-1][1])
        head |= {"trees": trees, "claim": {"minimise": "front", "points": points, **limits}}
    return ErrorCase(table, head, tuple(prover.lines))


def with_table(case: ErrorCase, table: Table) -> ErrorCase:
    """The same for another table, as if it had been about that one all along."""
    return ErrorCase(table, {**case.head, "digest": digest(table)}, case.body)
