"""The node encoding DT1: decoding, depth, switches, and that it allows what paths allow."""

from __future__ import annotations

import numpy as np
import pytest

from dtfinder.data.examples import Examples
from dtfinder.encode.nodes import encode_nodes
from dtfinder.encode.options import EncodingOptions
from dtfinder.nodes import Node, leaf
from encode.models import examples_of, model_of

PLAIN = EncodingOptions(quasi_pure=False, additional=False, pure_features=False)


XOR = examples_of([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0])
CHAIN = examples_of([[1, 0, 0], [0, 1, 0], [0, 0, 1], [0, 0, 0]], [0, 1, 2, 0])


@pytest.mark.parametrize("switches", [EncodingOptions(), PLAIN])
@pytest.mark.parametrize("at_most", [False, True])
def test_xor_needs_four_leaves(switches: EncodingOptions, at_most: bool) -> None:
    assert model_of(encode_nodes(XOR, 3, switches=switches, at_most=at_most)) is None
    encoding = encode_nodes(XOR, 4, switches=switches, at_most=at_most)
    model = model_of(encoding)
    assert model is not None
    nodes = encoding.decode(model)
    assert [node.feature < 0 for node in nodes] == [False, False, False, True, True, True, True]
    assert [(node.zero, node.one) for node in nodes[:3]] == [(1, 2), (3, 4), (5, 6)]
    assert {nodes[1].feature, nodes[2].feature} == {1 - nodes[0].feature}


@pytest.mark.parametrize("switches", [EncodingOptions(), PLAIN])
def test_three_classes_and_unused_nodes(switches: EncodingOptions) -> None:
    for paths, at_most in [(3, False), (3, True), (5, True)]:
        encoding = encode_nodes(CHAIN, paths, switches=switches, at_most=at_most)
        model = model_of(encoding)
        assert model is not None
        nodes = encoding.decode(model)
        assert len(nodes) <= 2 * paths - 1
        assert {node.label for node in nodes if node.feature < 0} == {0, 1, 2}
    assert model_of(encode_nodes(CHAIN, 2, switches=switches)) is None


def test_a_depth_limit_is_obeyed() -> None:
    # Three singletons to cut off one by one: four leaves in a row, or not at all.
    bits = np.eye(4, 3, dtype=bool)
    row = examples_of(bits, [1, 1, 1, 0])
    assert model_of(encode_nodes(row, 4, depth=3)) is not None
    assert model_of(encode_nodes(row, 4, depth=2)) is None


def test_classes_and_features_keep_their_numbers() -> None:
    bits = np.array([[1, 0], [1, 1]], dtype=bool)
    examples = Examples(bits, np.array([0, 1]), np.array([4, 7]), np.array([2, 5]))
    encoding = encode_nodes(examples, 2)
    model = model_of(encoding)
    assert model is not None
    assert encoding.decode(model) == [Node(7, 1, 2, -1), leaf(2), leaf(5)]


def test_a_question_without_sense_is_refused() -> None:
    with pytest.raises(ValueError, match="no tree"):
        encode_nodes(XOR, 1)
