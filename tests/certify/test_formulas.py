"""The checker makes formulas and templates again by itself: they must be those that were solved."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from dtfinder.certify import check_sat
from dtfinder.data.examples import Examples
from dtfinder.decide.by_topology import deepest
from dtfinder.decide.sat import Question
from dtfinder.encode.options import EncodingOptions
from dtfinder.encode.topologies import sized_templates, templates
from small import dataset_of, random_sets, random_table

SWITCHES = {
    "paths": [(), ("leaf_matches",), ("quasi_pure",), ("leaf_matches", "quasi_pure")],
    "nodes": [(), ("additional",), ("quasi_pure",), ("additional", "quasi_pure")],
}


def as_the_checker_sees(bits: Any, labels: Any) -> SimpleNamespace:
    masks = [
        sum(1 << row for row in range(len(bits)) if bits[row, f]) for f in range(bits.shape[1])
    ]
    if labels.ndim == 1:
        labels = labels[:, None] == np.arange(labels.max() + 1)
    sets = [tuple(np.flatnonzero(row).tolist()) for row in labels]
    kinds = sorted(set(sets))
    return SimpleNamespace(
        masks=masks,
        labels=[kinds.index(each) for each in sets],
        allowed=kinds,
        classes=range(labels.shape[1]),
    )


@pytest.mark.parametrize("several", [False, True])
@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("at_most", [False, True])
@pytest.mark.parametrize("encoding", ["paths", "nodes"])
def test_formulas_and_cubes_are_the_same(
    encoding: str, at_most: bool, classes: int, several: bool
) -> None:
    compared = 0
    for seed, names in enumerate(SWITCHES[encoding] * 2):
        make = random_sets if several else random_table
        bits, labels = make(seed, rows=9, features=4, classes=classes)
        if several and labels.all(axis=0).any():
            continue  # one leaf is enough, and nobody asks
        examples = Examples.of(dataset_of(bits, labels))
        on = {name: name in names for name in ("leaf_matches", "quasi_pure", "additional")}
        switches = EncodingOptions(path_bounds=False, **on)
        for paths in (2, 3, 5):
            for depth in (None, 1, 2, 3):
                question = Question(
                    examples,
                    paths,
                    depth,
                    at_most=at_most,
                    encoding=encoding,
                    switches=switches,
                    cardinality="seqcounter",
                )
                made = question.encode()
                ask = {"paths": paths, "depth": depth, "at_most": at_most, "switches": names}
                again = check_sat.Formula(as_the_checker_sees(bits, labels), ask)
                maker = {"paths": check_sat.paths_formula, "nodes": check_sat.nodes_formula}
                cube = maker[encoding](again)
                clauses = list(made.formula)
                assert again.long == [clause for clause in clauses if len(clause) > 1]
                assert again.units == [clause for clause in clauses if len(clause) == 1]
                assert again.top == made.formula.top
                sized = encoding == "paths"
                for cut in range(3):
                    shapes = check_sat.templates(2 * paths - 1, cut, again.steps, sized)
                    finder = sized_templates if sized else templates
                    assert shapes == finder(2 * paths - 1, cut, deepest(question))
                    if not at_most:
                        assert [cube(shape) for shape in shapes] == list(map(made.cube, shapes))
                        compared += len(shapes)
    assert at_most or compared > 100
