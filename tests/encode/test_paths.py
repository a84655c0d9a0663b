"""The path encoding: the paper's worked example, the switches, the size of the formula."""

from __future__ import annotations

import time
import tracemalloc

import numpy as np
import pytest

from dtfinder.bound.path_length import PathBounds
from dtfinder.encode.options import EncodingOptions
from dtfinder.encode.paths import encode_paths
from dtfinder.nodes import Node, leaf
from encode.models import CARDINALITIES, examples_of, model_of

OFF = EncodingOptions(
    leaf_matches=False,
    pure_features=False,
    quasi_pure=False,
    path_bounds=False,
    additional=False,
)


def test_figure_1_of_the_paper() -> None:
    """The tree f1 ? (f3 ? F : T) : (f2 ? F : T), found from all eight examples."""
    bits = np.array([[q >> 2 & 1, q >> 1 & 1, q & 1] for q in range(8)])
    labels = np.where(bits[:, 0] == 0, bits[:, 1] == 0, bits[:, 2] == 0).astype(int)
    encoding = encode_paths(examples_of(bits, labels), 4, depth=2)
    model = model_of(encoding)
    assert model is not None
    value = {abs(literal): int(literal > 0) for literal in model}
    topology = [value[variable] for variable in encoding.topology.tolist()]
    g, t, e = np.split(np.array(topology), [8, 8 + 12])
    assert g.reshape(4, 2).tolist() == [[0, 0], [0, 1], [1, 0], [1, 1]]
    assert t.reshape(4, 3).tolist() == [[0, 0, 1]] * 4
    assert e.reshape(3, 3).tolist() == [[1, 1, 0], [1, 0, 0], [1, 1, 0]]
    assert encoding.decode(model) == [
        Node(0, 1, 4, -1),
        Node(1, 2, 3, -1),
        leaf(1),
        leaf(0),
        Node(2, 5, 6, -1),
        leaf(1),
        leaf(0),
    ]


# The class is the first of three bits: two leaves do, and any leaf more has no example of its own
# or repeats its sibling.
COPY = examples_of([[q >> 2 & 1, q >> 1 & 1, q & 1] for q in range(8)], [0, 0, 0, 0, 1, 1, 1, 1])


@pytest.mark.parametrize(("paths", "possible"), [(2, 1), (3, 0), (4, 1), (5, 0), (6, 1), (7, 0)])
def test_exactly_p_is_not_monotone_but_at_most_p_is(paths: int, possible: int) -> None:
    switches = EncodingOptions(path_bounds=False)
    assert (model_of(encode_paths(COPY, paths, switches=switches)) is not None) == possible
    at_most = encode_paths(COPY, paths, switches=switches, at_most=True)
    model = model_of(at_most)
    assert model is not None
    assert len(at_most.decode(model)) in range(3, 2 * paths, 2)


def test_quasi_pure_ends_a_path_where_one_class_is_left() -> None:
    # f0 = 1 occurs in class 1 only. A tree of 3 leaves that asks f0 below f1 need not end at once.
    examples = examples_of([[0, 0], [0, 1], [1, 1]], [0, 1, 1])
    assert set(examples.quasi_pure()) == {(0, 1, 1), (1, 0, 0), (1, 1, 1)}
    free = encode_paths(examples, 3, switches=OFF)
    assert model_of(free) is not None
    strict = encode_paths(
        examples, 3, switches=EncodingOptions(leaf_matches=False, path_bounds=False)
    )
    # With f1 = 0 → class 0 and f1 = 1 → class 1 both sure, three leaves must start with f0.
    model = model_of(strict)
    assert model is not None
    assert strict.decode(model)[0].feature == 0


def test_pure_features_are_left_out_and_keep_their_numbers() -> None:
    examples = examples_of([[1, 0], [1, 1]], [0, 1])
    with_constant = encode_paths(examples, 2, switches=OFF)
    without = encode_paths(examples, 2)
    assert without.formula.top < with_constant.formula.top
    model = model_of(without)
    assert model is not None
    assert without.decode(model) == [Node(1, 1, 2, -1), leaf(0), leaf(1)]


@pytest.mark.parametrize("at_most", [False, True])
def test_path_bounds_make_paths_long(at_most: bool) -> None:
    xor = examples_of([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0])
    for bounds, possible in [
        (PathBounds(2, 2, 2), True),
        (PathBounds(3, 2, 2), False),
        (PathBounds(2, 3, 2), False),
        (PathBounds(2, 2, 3), False),
    ]:
        encoding = encode_paths(xor, 4, bounds=bounds, at_most=at_most)
        assert (model_of(encoding) is not None) == possible


def test_the_bound_on_middle_paths_spares_the_last_one() -> None:
    # At most 4 leaves where 2 do: the second path is the last real one, and may be short.
    encoding = encode_paths(COPY, 4, at_most=True, bounds=PathBounds(1, 1, 3))
    model = model_of(encoding)
    assert model is not None
    assert len(encoding.decode(model)) == 3


@pytest.mark.parametrize("cardinality", CARDINALITIES)
def test_every_cardinality_encoding_gives_the_same_answers(cardinality: str) -> None:
    xor = examples_of([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0])
    assert model_of(encode_paths(xor, 3, cardinality=cardinality)) is None
    assert model_of(encode_paths(xor, 4, cardinality=cardinality)) is not None


def test_a_question_without_sense_is_refused() -> None:
    with pytest.raises(ValueError, match="no tree"):
        encode_paths(COPY, 4, depth=0)


def test_a_large_table_is_encoded_quickly_in_little_memory() -> None:
    random = np.random.RandomState(0)
    bits, labels = random.rand(138, 429) < 0.3, random.randint(2, size=138)
    examples = examples_of(bits, labels)
    encode_paths(COPY, 4)  # imports and first templates
    tracemalloc.start()
    begin = time.process_time()
    encoding = encode_paths(examples, 10)
    seconds = time.process_time() - begin
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert encoding.formula.n_clauses > 1_000_000
    assert seconds < 1.5
    assert peak < 600e6
