"""The certificate for a table in batches: the questions, the tree, and what is claimed of it.

It holds no proof beside these, since anyone who has the table can count: `certify/check_counts.py`
does.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterable
from typing import Any

from dtfinder.certify.check_counts import FORMAT, VERSION, Claim, Row
from dtfinder.certify.write import nested
from dtfinder.problem import Problem
from dtfinder.proof import COUNTS, Certificate
from dtfinder.stream.batch import Words
from dtfinder.stream.questions import Asked, Questions
from dtfinder.stream.source import Source
from dtfinder.tree import Tree


def make_counts_certificate(asked: Questions, problem: Problem, tree: Tree) -> Certificate | None:
    """The certificate that the tree is the best; None if two values of a column are written the
    same way, so that a text could not tell them apart."""
    columns = [_column(each) for each in asked.columns]
    classes = {_text(cell): code for cell, code in asked.class_codes.items()}
    written = [classes, *(each["words"] for each in columns if "words" in each)]
    known = [asked.class_codes, *(each.codes for each in asked.columns if each.codes is not None)]
    if list(map(len, written)) != list(map(len, known)):
        return None
    data = {
        "format": FORMAT,
        "version": VERSION,
        "target": asked.target,
        "classes": classes,
        "names": list(map(str, asked.classes)),
        "columns": columns,
        "questions": [feature.name for feature in asked.features],
        "missing": "drop" if asked.drop_missing else "value",
        "tree": nested(tree, asked.features, asked.flipped()),
        "claim": {
            "rows": asked.rows,
            "errors": tree.wrong_rows,
            "nodes": tree.size,
            "depth": tree.depth,
            "minimise": problem.minimise,
            "max_depth": problem.max_depth,
            "max_nodes": problem.max_nodes,
        },
    }
    return Certificate(gzip.compress(json.dumps(data).encode(), 6, mtime=0), COUNTS)


def _column(each: Asked) -> dict[str, Any]:
    if each.cuts is not None:
        return {"name": each.name, "cuts": each.cuts.tolist(), "missing": each.flipped}
    assert each.codes is not None
    return {
        "name": each.name,
        "words": {_text(word): code for word, code in each.codes.items()},
        "levels": each.levels,
        "ordered": each.ordered,
        "first": each.first,
        "questions": len(each.features),
    }


def _text(cell: Any) -> str:
    return "" if cell is None else str(cell)


def rows_for_checking(source: Source, claim: Claim) -> Iterable[Row]:
    """The rows of a table as the checker wants them, for files that it cannot read itself."""
    names = [column.name for column in claim.columns]
    for part in source.parts:
        for batch in source.batches(part):
            lists = [_cells(batch.columns[name]) for name in names]
            yield from zip(*lists, _cells(batch.classes), strict=True)


def _cells(cells: Any) -> list[Any]:
    if isinstance(cells, Words):
        return [cells.values[code] for code in cells.codes.tolist()]
    return [None if value != value else value for value in cells.tolist()]
