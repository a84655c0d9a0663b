"""Certificates written down: one gzipped text, a line of JSON and then the proof, line by line.

The first line says what is claimed of which table: the columns and how they became features, the
features by their definitions, the tree, what is minimised and within which limits; or no tree, and
the limits that rule out all. The rest is the proof. docs/certificates.md has the format and the
reasons why each rule holds.

Pieces of proof by SAT solvers come gzipped, and gzip files may be joined end to end, so they are
never unpacked here.
"""

from __future__ import annotations

import csv
import gzip
import hashlib
import json
import re
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dtfinder._check import trim_lemmas
from dtfinder.certify.words import claim_in_words
from dtfinder.data.class_sets import has_sets
from dtfinder.data.columns import objects
from dtfinder.data.dataset import DATE, NUMBER, TRUTH, Dataset, Feature, Table, kind_of
from dtfinder.data.moments import DURATION, nanoseconds
from dtfinder.errors import WrongTreeError
from dtfinder.problem import DEPTH, Problem
from dtfinder.proof import (
    ERRORS,
    LEMMAS,
    LRAT,
    SPINE,
    Certificate,
    ErrorLemmas,
    Lemmas,
    Proof,
    Refutation,
    SpineProof,
)
from dtfinder.tree import Tree

VERSION = 1
FEW_EXAMPLES = 4096
_FAMILIES = {"unary": "values", "binary": "codes", "threshold": "thresholds", "both": "both"}


def is_lost(tree: Tree | None, pieces: Sequence[Proof]) -> bool:
    """Whether the engine gave up its lemmas for lack of memory: otherwise it has some, unless one
    leaf is the optimal tree, or spines prove all."""
    if any(isinstance(each, ErrorLemmas) for each in pieces):
        return any(isinstance(each, ErrorLemmas) and each.text is None for each in pieces)
    split = tree is None or tree.size > 1
    split = split and not any(isinstance(each, SpineProof) for each in pieces)
    return split and any(isinstance(each, Lemmas) and not each.text for each in pieces)


def make_certificate(problem: Problem, tree: Tree | None, pieces: Sequence[Proof]) -> Certificate:
    """The certificate that `tree` is optimal for `problem`, or, without one, that no tree is within
    its limits, out of the pieces of the proof."""
    errors = [piece for piece in pieces if isinstance(piece, ErrorLemmas)]
    if errors:
        head_of_tree = {"tree": None if tree is None else nested(tree, problem.dataset.features)}
        return _error_certificate(problem, errors[-1], head_of_tree, _error_claim(problem, tree))
    spines = [piece for piece in pieces if isinstance(piece, SpineProof)]
    lemmas = [piece for piece in pieces if isinstance(piece, Lemmas)]
    refutations = [piece for piece in pieces if isinstance(piece, Refutation)]
    kind = SPINE if spines else LEMMAS if lemmas else LRAT
    head = gzip.compress(json.dumps(_head(problem, tree, kind)).encode() + b"\n", 6, mtime=0)
    if kind == SPINE:  # it proves all that is claimed
        body = gzip.compress(spines[-1].text, 6, mtime=0)
    elif kind == LRAT:
        body = b"".join(piece.packed for piece in _needed(refutations))
    else:
        body = gzip.compress(_trimmed(problem.dataset, lemmas[-1].text), 2, mtime=0)
    return Certificate(head + body, kind)


def make_front_certificate(
    problem: Problem, points: Sequence[tuple[Tree, int, int]], pieces: Sequence[Proof]
) -> Certificate:
    """The certificate of a front: of trees of at most 1, 3, 5, … nodes the best tree, its errors
    and the errors that are proven to be needed."""
    claimed: list[list[int]] = []
    trees: list[Any] = []
    for inner, (tree, errors, bound) in enumerate(points):
        if claimed and claimed[-1][1:] == [errors, bound]:
            continue  # a point is about all sizes up to the next one
        claimed.append([2 * inner + 1, errors, bound])
        trees.append(nested(tree, problem.dataset.features))
    claim = {"minimise": "front", "points": claimed, **_limits(problem)}
    proof = next(each for each in pieces if isinstance(each, ErrorLemmas))
    return _error_certificate(problem, proof, {"tree": None, "trees": trees}, claim)


def _error_certificate(
    problem: Problem, proof: ErrorLemmas, trees: dict[str, Any], claim: dict[str, Any]
) -> Certificate:
    dataset = problem.dataset
    words = claim_in_words(claim, dataset.weights is not None)
    head = {"words": words, **_head(problem, None, ERRORS), **trees, "claim": claim}
    if dataset.weights is not None:
        head["weights"] = dataset.row_units.tolist()
    if proof.prices is not None and claim.get("minimise") != "cost":
        head["prices"] = proof.prices
    text = json.dumps(head).encode() + b"\n" + (proof.text or b"")
    return Certificate(gzip.compress(text, 6, mtime=0), ERRORS)


def _error_claim(problem: Problem, tree: Tree | None) -> dict[str, Any]:
    """What is claimed of a tree that may err, or that there is none."""
    limits, dataset = _limits(problem), problem.dataset
    if tree is None:
        return {"max_errors": problem.max_errors, **limits}
    errors = tree.errors_on(dataset)
    found = {"errors": errors, "nodes": tree.size, "depth": tree.depth}
    aim = "depth" if problem.minimise == DEPTH else "nodes"
    if problem.leaf_penalty is not None:
        error, leaf = problem.leaf_penalty.as_integer_ratio()[::-1]
        leaf *= dataset.total_weight
        cost = error * errors + leaf * tree.leaves
        prices = {"error_price": error, "leaf_price": leaf, "cost": cost}
        penalty = {"leaf_penalty": str(problem.leaf_penalty)}
        return {"minimise": "cost", **found, **prices, **penalty, **limits}
    if problem.max_errors is not None:
        return {"minimise": aim, "max_errors": problem.max_errors, **found, **limits}
    return {"minimise": "errors", "then": aim, **found, **limits}


def _limits(problem: Problem) -> dict[str, int | None]:
    return {"max_depth": problem.max_depth, "max_nodes": problem.max_nodes}


def _trimmed(dataset: Dataset, text: bytes) -> bytes:
    """The lemmas without those that can be spared, checked on the way. Of a large table, only the
    examples that they name are looked at."""
    cited = np.arange(dataset.n_examples)
    if len(cited) > FEW_EXAMPLES:
        rows = np.unique([0, *map(int, re.findall(rb" (\d+)", text))])
        found = dataset.example_of_row[rows[rows < len(dataset.example_of_row)]]
        cited = np.unique(found[found >= 0])
    place = np.full(dataset.n_examples + 1, -1, dtype=np.int64)  # the last for dropped rows
    place[cited] = np.arange(len(cited))
    labels, allowed = dataset.set_labels
    try:
        return trim_lemmas(
            np.ascontiguousarray(dataset.bits[cited]),
            np.ascontiguousarray(labels[cited], dtype=np.int64),
            place[dataset.example_of_row],
            np.ascontiguousarray(dataset.first_rows[cited]),
            text,
            allowed,
        )
    except ValueError as error:
        raise WrongTreeError(f"a proof failed its own check, {error}; please report this") from None


def _needed(refutations: Sequence[Refutation]) -> list[Refutation]:
    """The refutations that no other one implies."""
    kept: list[Refutation] = []
    for each in sorted(refutations, key=lambda r: (not r.at_most, -r.paths, -(r.depth or 0))):
        if not any(other.implies(each) for other in kept):
            kept.append(each)
    return sorted(kept, key=lambda r: (r.depth is None, r.depth or 0, r.paths))


def _head(problem: Problem, tree: Tree | None, kind: str) -> dict[str, Any]:
    dataset = problem.dataset
    table = dataset.table
    assert table.target is not None
    best: dict[str, Any] = {}
    if tree is not None:
        best = {"minimise": problem.minimise, "nodes": tree.size, "depth": tree.depth}
    return {
        "format": "dtfinder certificate",
        "version": VERSION,
        "digest": digest(table),
        "columns": [
            [name, _kind(table.kind(name)), *_family(dataset, name)] for name in table.names
        ],
        "target": [table.target_name, _target_kind(table.target)],
        "classes": list(dataset.classes),
        "contradictions": dataset.contradictions,
        **({"missing": "drop"} if dataset.missing == "drop" else {}),
        **({"decimal": table.decimal} if table.decimal != "." else {}),
        **({"separator": table.separator} if has_sets(table.target) else {}),
        "features": [_definition(f, table.kind(f.column)) for f in dataset.features],
        "tree": None if tree is None else nested(tree, dataset.features),
        "claim": {**best, **_limits(problem)},
        "proof": kind,
    }


def _kind(kind: str) -> str:
    """The kind of a column as certificates name it."""
    return "bool" if kind == TRUTH else kind


def _target_kind(target: NDArray[Any]) -> str:
    if has_sets(target):
        target = objects(label for row in target.tolist() for label in row)
    kind = kind_of(target)
    return "text" if kind in (DATE, DURATION) else _kind(kind)


def _family(dataset: Dataset, name: str) -> list[Any]:
    """The tests that a column has: the name of the family, and the words in their order or the
    only thresholds, if the family has such."""
    kind, words = dataset.table.kind(name), dataset.table.orders.get(name)
    ordered = kind in (NUMBER, DATE, DURATION) or words is not None
    scheme, cuts = dataset.questions.get(name, ("threshold" if ordered else "unary", None))
    detail: dict[str, Any] = {}
    if words is not None and scheme != "unary":
        detail["order"] = words
    if cuts is not None:
        detail["cuts"] = [_plain(cut, kind) for cut in cuts]
    return [_FAMILIES[scheme], *([detail] if detail else [])]


def _definition(feature: Feature, kind: str) -> list[Any]:
    """The feature as [column, test, value]."""
    test = "in" if isinstance(feature.value, tuple) else feature.test
    return [feature.column, test, _plain(feature.value, kind)]


def _plain(value: Any, kind: str) -> Any:
    """A value as certificates have it: a duration is its number of nanoseconds."""
    if isinstance(value, tuple):
        return [_plain(each, kind) for each in value]
    return nanoseconds(value) if kind == DURATION and value is not None else value


def nested(tree: Tree, features: Sequence[Feature], turned: Collection[int] = ()) -> Any:
    """The tree as [number of a feature, zero side, one side], and a class number for a leaf; for
    features that are `turned`, the sides change places."""
    place = {feature: number for number, feature in enumerate(features)}
    made: list[Any] = [None] * tree.size
    for number in range(tree.size - 1, -1, -1):  # children come after their parent
        node = tree.nodes[number]
        if node.feature < 0:
            made[number] = node.label
        else:
            feature = place[tree.features[node.feature]]
            sides = [made[node.zero], made[node.one]]
            made[number] = [feature, *(reversed(sides) if feature in turned else sides)]
    return made[0]


def digest(table: Table) -> str:
    """The SHA-256 of the table's values, whatever file they come from."""
    assert table.target is not None
    columns = dict(zip(table.names, table.columns, strict=True))
    columns[table.target_name] = table.target
    made = hashlib.sha256()
    for name in sorted(columns):
        kind = _kind(table.kind(name)) if name in table.names else _target_kind(columns[name])
        head = json.dumps([name, kind]).removesuffix("]")
        made.update(f"{head}, {_as_json(columns[name], kind)}]\n".encode())
    return made.hexdigest()


def _as_json(column: NDArray[Any], kind: str) -> str:
    if has_sets(column):
        as_float = kind == NUMBER
        return json.dumps([[float(v) if as_float else v for v in row] for row in column.tolist()])
    if kind != NUMBER:
        return json.dumps([_plain(value, kind) for value in column.tolist()])
    numbers = column.astype(np.float64)
    with np.errstate(invalid="ignore"):  # NaN has no digit
        digits = numbers.astype(np.uint8)
    single = len(digits) and np.all(digits == numbers) and digits.max() < 10
    if single and not np.signbit(numbers).any():
        return _digits_as_json(digits)
    # Each number is written once, as large tables repeat few of them; told apart by their bits, as
    # 0.0 and -0.0 are equal but written differently.
    bits = numbers.view(np.int64).tolist()
    distinct = list(set(bits))
    values = np.array(distinct, dtype=np.int64).view(np.float64).tolist()
    known = [None if value != value else value for value in values]
    words = dict(zip(distinct, json.dumps(known)[1:-1].split(", "), strict=False))
    return f"[{', '.join(map(words.__getitem__, bits))}]"


def _digits_as_json(digits: NDArray[np.uint8]) -> str:
    """Numbers from 0 to 9, which most tables are full of, as `[0.0, 1.0]`."""
    text = np.empty((len(digits), 5), dtype=np.uint8)
    text[:] = np.frombuffer(b"0.0, ", dtype=np.uint8)
    text[:, 0] += digits
    return f"[{text.tobytes()[:-2].decode()}]"


def _values(column: NDArray[Any], kind: str) -> list[Any]:
    values: list[Any] = column.tolist()
    if kind == NUMBER:
        return [None if value is None or value != value else float(value) for value in values]
    return values


def write_table(table: Table, path: str | Path) -> None:
    """Write the table as CSV (TSV if the name ends in .tsv), for the checker to read."""
    assert table.target is not None
    columns = [_values(column, kind_of(column)) for column in table.columns]
    if has_sets(table.target):
        rows = table.target.tolist()
        columns.append([table.separator.join(_word(v, ".") for v in row) for row in rows])
    else:
        columns.append(_values(table.target, kind_of(table.target)))
    with Path(path).open("w", newline="", encoding="utf-8") as file:
        delimiter = "\t" if Path(path).suffix == ".tsv" else ","
        writer = csv.writer(file, delimiter=delimiter, lineterminator="\n")
        writer.writerow([*table.names, table.target_name])
        for row in zip(*columns, strict=True):
            writer.writerow(["" if value is None else _word(value, table.decimal) for value in row])


def _word(value: Any, decimal: str) -> str:
    if isinstance(value, float):
        whole = value.is_integer() and abs(value) < 2**53 and repr(value) != "-0.0"
        return repr(int(value)) if whole else repr(value).replace(".", decimal)
    return str(value)
