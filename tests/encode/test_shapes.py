"""Model counts: the shapes that a formula allows are exactly the binary trees, each once."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import Any

import numpy as np
import pytest
from pysat.solvers import Solver

from dtfinder.data.examples import Examples
from dtfinder.encode.cnf import Encoding
from dtfinder.encode.nodes import encode_nodes
from dtfinder.encode.options import EncodingOptions
from dtfinder.encode.paths import encode_paths
from dtfinder.encode.topologies import sized_templates, templates

CATALAN = {2: 1, 3: 2, 4: 5, 5: 14, 6: 42, 7: 132}
FREE = EncodingOptions(leaf_matches=False, quasi_pure=False)
PLAIN = EncodingOptions(leaf_matches=False, quasi_pure=False, path_bounds=False, additional=False)


def any_shape(features: int) -> Examples:
    """Two examples that every feature separates: every tree shape has a correct tree."""
    bits = np.array([[False] * features, [True] * features])
    return Examples(bits, np.array([0, 1]), np.arange(features), np.arange(2))


def shapes(encoding: Encoding, cube: Iterable[int] = ()) -> set[tuple[int, ...]]:
    """All values of the topology variables in models under the cube; none may come twice."""
    found: set[tuple[int, ...]] = set()
    with Solver(name="glucose4", bootstrap_with=list(encoding.formula)) as solver:
        for literal in cube:
            solver.add_clause([literal])
        while solver.solve():
            model = solver.get_model()
            shape = tuple(model[variable - 1] for variable in encoding.topology.tolist())
            assert shape not in found
            found.add(shape)
            solver.add_clause([-literal for literal in shape])
    return found


@cache
def trees(leaves: int, depth: int) -> int:
    """The number of binary trees with so many leaves and at most this depth."""
    if leaves == 1:
        return 1
    if depth == 0:
        return 0
    return sum(trees(i, depth - 1) * trees(leaves - i, depth - 1) for i in range(1, leaves))


def encodings(paths: int, **more: Any) -> dict[str, Encoding]:
    examples = any_shape(max(1, paths - 1))
    return {
        "paths": encode_paths(examples, paths, switches=FREE, **more),
        "paths, plain": encode_paths(examples, paths, switches=PLAIN, **more),
        "nodes": encode_nodes(examples, paths, switches=FREE, **more),
        "nodes, plain": encode_nodes(examples, paths, switches=PLAIN, **more),
    }


@pytest.mark.parametrize(("paths", "count"), CATALAN.items())
def test_the_shapes_are_the_catalan_numbers(paths: int, count: int) -> None:
    for name, encoding in encodings(paths).items():
        assert len(shapes(encoding)) == count, name


@pytest.mark.parametrize("paths", [2, 4, 6])
def test_at_most_allows_all_smaller_trees_too(paths: int) -> None:
    wanted = sum(CATALAN[fewer] for fewer in range(2, paths + 1))
    for name, encoding in encodings(paths, at_most=True).items():
        assert len(shapes(encoding)) == wanted, name


@pytest.mark.parametrize(("paths", "depth"), [(4, 2), (5, 2), (5, 3), (6, 3), (7, 3), (7, 4)])
def test_a_depth_limit_leaves_the_shallow_trees(paths: int, depth: int) -> None:
    for name, encoding in encodings(paths, depth=depth).items():
        assert len(shapes(encoding)) == trees(paths, depth), name


@pytest.mark.parametrize("paths", [2, 3, 4, 5, 6])
@pytest.mark.parametrize("kind", ["paths", "nodes"])
def test_templates_partition_the_shapes(kind: str, paths: int) -> None:
    examples = any_shape(max(1, paths - 1))
    encode = {"paths": encode_paths, "nodes": encode_nodes}[kind]
    enumerate_ = {"paths": sized_templates, "nodes": templates}[kind]
    encoding = encode(examples, paths, switches=FREE)
    everything = shapes(encoding)
    for cut in range(paths):
        parts = [shapes(encoding, encoding.cube(t)) for t in enumerate_(2 * paths - 1, cut)]
        assert all(parts)
        assert sum(map(len, parts)) == len(everything)
        assert set().union(*parts) == everything


@pytest.mark.parametrize("kind", ["paths", "nodes"])
def test_templates_partition_the_shapes_of_seven_leaves(kind: str) -> None:
    encode = {"paths": encode_paths, "nodes": encode_nodes}[kind]
    enumerate_ = {"paths": sized_templates, "nodes": templates}[kind]
    encoding = encode(any_shape(6), 7, switches=FREE)
    for cut in (1, 2, 6):
        parts = [shapes(encoding, encoding.cube(t)) for t in enumerate_(13, cut)]
        assert sum(map(len, parts)) == len(set().union(*parts)) == CATALAN[7]
