"""Certificates as text, to look into, to change, and to check again."""

from __future__ import annotations

import gzip
import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from certify.prover import Prover
from dtfinder.certify import check
from dtfinder.certify.write import digest, make_certificate, write_table
from dtfinder.data import Dataset, Table, make_dataset
from dtfinder.nodes import Node, leaf
from dtfinder.problem import DEPTH, Problem
from dtfinder.proof import Certificate, Lemmas
from dtfinder.tree import Tree
from small import table_of


@dataclass(frozen=True)
class Case:
    """A table with a certificate as its head and the lines of its proof."""

    table: Table
    head: dict[str, Any]
    body: tuple[str, ...]

    def verdict(self, place: Path) -> str | None:
        """None if the checker verifies it, else why it does not."""
        write_table(self.table, place / "table.csv")
        text = "\n".join([json.dumps(self.head), *self.body]) + "\n"
        (place / "proof.cert").write_bytes(gzip.compress(text.encode(), 1))
        try:
            words = check.check(str(place / "proof.cert"), str(place / "table.csv"))
        except check.Rejected as error:
            return str(error)
        assert words.startswith("VERIFIED")
        return None

    def is_true(self) -> bool:
        """Whether the claim holds, by brute force over the table as the claim sees it."""
        table = self.table
        dataset = make_dataset(table, contradictions=self.head["contradictions"], one_class="allow")
        claim = self.head["claim"]
        judge = Prover(dataset.bits, dataset.sets)
        everything = frozenset(range(dataset.n_examples))
        limit = np.inf if claim["max_depth"] is None else claim["max_depth"]
        if self.head["tree"] is None:
            most = np.inf if claim["max_nodes"] is None else claim["max_nodes"]
            least = 2 * judge.cost(everything, limit) + 1
            return bool(least > most or least == np.inf)
        if claim["minimise"] == DEPTH:
            depths = range(dataset.n_features + 1)
            limit = next(d for d in depths if judge.cost(everything, d) < np.inf)
            if limit != claim["depth"]:
                return False
        if 2 * judge.cost(everything, limit) + 1 != claim["nodes"]:
            return False
        return self._tree_is_right(dataset)

    def _tree_is_right(self, dataset: Dataset) -> bool:
        columns = dict(zip(*_parts(self.table), strict=True))
        for row in np.flatnonzero(dataset.example_of_row >= 0).tolist():
            node = self.head["tree"]
            while not isinstance(node, int):
                name, test, value = self.head["features"][node[0]]
                cell = columns[name][row]
                holds = cell <= value if test == "<=" else cell == value
                node = node[2 if holds else 1]
            if not dataset.sets[dataset.example_of_row[row], node]:
                return False
        return True

    def with_table(self, table: Table) -> Case:
        """The same for another table, as if it had been about that one all along."""
        return replace(self, table=table, head={**self.head, "digest": digest(table)})


def _parts(table: Table) -> tuple[list[str], list[Any]]:
    return list(table.names), [column.tolist() for column in table.columns]


def read_case(certificate: Certificate, table: Table) -> Case:
    """The certificate as text."""
    head, *body = gzip.decompress(certificate.data).decode().splitlines()
    return Case(table, json.loads(head), tuple(body))


def proven_case(
    bits: Any, labels: Any, minimise: str = "size", max_depth: int | None = None, seed: int = 0
) -> Case | None:
    """What the plain prover certifies for a table; None if no tree is within the limit."""
    table = table_of(np.asarray(bits), np.asarray(labels))
    dataset = make_dataset(table, one_class="allow")
    prover = Prover(dataset.bits, dataset.sets, seed)
    inner, limit = prover.prove_all(minimise, max_depth)
    if inner == np.inf:
        return None
    nodes = flat(prover.tree(frozenset(range(dataset.n_examples)), limit))
    lemmas = Lemmas("".join(line + "\n" for line in prover.lines).encode())
    problem = Problem(dataset, minimise, max_depth)
    return read_case(make_certificate(problem, Tree.of(dataset, nodes), [lemmas]), table)


def flat(nested: Any) -> list[Node]:
    """The nodes of a nested tree, root first."""
    if isinstance(nested, int):
        return [leaf(nested)]
    feature, zero, one = nested
    left, right = flat(zero), flat(one)
    return [
        Node(feature, 1, 1 + len(left), -1),
        *(_moved(node, 1) for node in left),
        *(_moved(node, 1 + len(left)) for node in right),
    ]


def _moved(node: Node, by: int) -> Node:
    return node if node.feature < 0 else Node(node.feature, node.zero + by, node.one + by, -1)
