"""The tree as an ONNX model of plain operators, which every ONNX runtime has.

Each column the tree asks about is an input of shape (rows, 1), named as the column: doubles for
numbers and truth values (1 for yes, 0 for no), where NaN is a missing value, and strings for text.
ONNX has no missing string, so a special string stands for it; the model's metadata give it under
`missing_text`, and under `columns` the kinds of all inputs.

The idea: compute the truth of all features at once as a 0/1 matrix B (rows × features). For leaf l
let W[f, l] be 1 where its path asks for f = 1, -1 where it asks for f = 0, and 0 elsewhere. Then
(B W)[r, l] is at most the number of ones that the path asks for, with equality just where row r
meets every test on the path. Exactly one leaf is met, and it gives the class and the shares of the
classes among the rows of the training table that reached it. Thresholds are compared as doubles,
and the products are small whole numbers, so nothing is rounded.

Outputs: `label` (rows), whole numbers or strings, and `probabilities` (rows × classes).
"""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from dtfinder.data.dataset import TEXT, Feature, show_value
from dtfinder.errors import DataError, optional_package
from dtfinder.report.export.clauses import Input, fresh, in_seconds, inputs_of, same_kind
from dtfinder.tree import Tree

_OPSET, _IR_VERSION = 19, 9  # the first with Equal of strings; runtimes since 2023 read both


def to_onnx(tree: Tree) -> bytes:
    """The serialised model."""
    onnx = optional_package("onnx", "ONNX models need the package onnx", "export")
    tree = in_seconds(tree)
    graph = _Graph(onnx, tree)
    model = onnx.helper.make_model(
        graph.build(),
        opset_imports=[onnx.helper.make_opsetid("", _OPSET)],
        ir_version=_IR_VERSION,
        producer_name="dtfinder",
        doc_string=f"A decision tree of {tree.size} nodes and depth {tree.depth}.",
    )
    about = {
        "columns": json.dumps({graph.names[c.column]: c.kind for c in graph.inputs}),
        "classes": json.dumps(list(tree.classes)),
        "missing_text": graph.missing_text,
    }
    onnx.helper.set_model_props(model, about)
    onnx.checker.check_model(model)
    return bytes(model.SerializeToString())


class _Graph:
    """The graph under construction: nodes, constants, and names that are still free."""

    def __init__(self, onnx: Any, tree: Tree) -> None:
        self._helper, self._types, self._tree = onnx.helper, onnx.TensorProto, tree
        self.inputs = inputs_of(tree)
        # An empty name means "no input" in ONNX.
        taken = {"", "label", "probabilities"}
        self.names = {c.column: fresh(c.column or "column", taken) for c in self.inputs}
        self._taken = taken
        texts = {v for f in tree.features for v in f.values if isinstance(v, str)}
        self.missing_text = fresh("<missing>", texts)
        self._paths = _paths(tree)
        self._nodes: list[Any] = []
        self._constants: list[Any] = []

    def build(self) -> Any:
        """All of it, from the inputs to the class."""
        kinds = {each.column: each.kind for each in self.inputs}
        if self._tree.features:
            bits = [self._bit(feature, kinds[feature.column]) for feature in self._tree.features]
            leaf = self._leaf(self._do("Concat", *bits, axis=1))
        else:
            leaf = self._constant(np.zeros(1, dtype=np.int64))
        label_type = self._outcomes(leaf)
        doubles = self._types.DOUBLE
        inputs = [self._input(each) for each in self.inputs]
        outputs = [
            self._helper.make_tensor_value_info("label", label_type, ["rows"]),
            self._helper.make_tensor_value_info(
                "probabilities", doubles, ["rows", len(self._tree.classes)]
            ),
        ]
        return self._helper.make_graph(self._nodes, "tree", inputs, outputs, self._constants)

    def _input(self, given: Input) -> Any:
        kind = self._types.STRING if given.kind == TEXT else self._types.DOUBLE
        return self._helper.make_tensor_value_info(self.names[given.column], kind, ["rows", 1])

    def _bit(self, feature: Feature, kind: str) -> str:
        """The truth of one feature, as 0.0 or 1.0."""
        given = self.names[feature.column]
        if isinstance(feature.bound, str):
            raise DataError(
                f"ONNX cannot compare text, as the test {feature.name!r} does; fit the tree on "
                "numbers, such as the days since some date"
            )
        if feature.bound is not None:
            bound = self._constant(np.array([feature.bound]))
            return self._number(self._do("LessOrEqual", given, bound))
        tests = [self._equal(given, value, kind) for value in feature.values]
        truth = tests[0]
        for other in tests[1:]:
            truth = self._do("Or", truth, other)
        return self._number(truth)

    def _equal(self, given: str, value: Any, kind: str) -> str:
        if value is None and kind != TEXT:
            return self._do("IsNaN", given)
        if value is not None and not same_kind(value, kind):
            same = self._do("Equal", given, given)  # a shape to be false in
            return self._do("And", same, self._constant(np.array([False])))
        text = self.missing_text if value is None else value
        wanted = np.array([text], dtype=object) if kind == TEXT else np.array([float(value)])
        return self._do("Equal", given, self._constant(wanted))

    def _number(self, truth: str) -> str:
        return self._do("Cast", truth, to=self._types.FLOAT)

    def _leaf(self, bits: str) -> str:
        """The index of the leaf that each row meets, counted from the left."""
        weights = np.zeros((len(self._tree.features), len(self._paths)), dtype=np.float32)
        ones = np.zeros(len(self._paths), dtype=np.float32)
        for leaf, (_, path) in enumerate(self._paths):
            for feature, side in path.items():
                weights[feature, leaf] = 1 if side else -1
                ones[leaf] += side
        score = self._do("MatMul", bits, self._constant(weights))
        met = self._number(self._do("Equal", score, self._constant(ones)))
        return self._do("ArgMax", met, axis=1, keepdims=0)

    def _outcomes(self, leaf: str) -> int:
        """The outputs, looked up by the leaf; returns the type of the labels."""
        tree = self._tree
        leaves = [number for number, _ in self._paths]
        labels = [tree.classes[tree.nodes[number].label] for number in leaves]
        if all(isinstance(label, int) and not isinstance(label, bool) for label in tree.classes):
            kind, table = self._types.INT64, np.array(labels, dtype=np.int64)
        else:
            kind, table = self._types.STRING, np.array(list(map(show_value, labels)), dtype=object)
        counts = np.array([tree.counts[number] for number in leaves], dtype=np.float64)
        shares = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)
        self._do("Gather", self._constant(table), leaf, name="label", axis=0)
        self._do("Gather", self._constant(shares), leaf, name="probabilities", axis=0)
        return int(kind)

    def _do(self, operator: str, *given: str, name: str = "", **attributes: Any) -> str:
        name = name or fresh(operator.lower(), self._taken)
        self._nodes.append(self._helper.make_node(operator, list(given), [name], **attributes))
        return name

    def _constant(self, array: Any) -> str:
        name = fresh("constant", self._taken)
        if array.dtype == object:
            texts = [text.encode() for text in array.tolist()]
            tensor = self._helper.make_tensor(name, self._types.STRING, array.shape, texts)
        else:
            kind = self._helper.np_dtype_to_tensor_dtype(array.dtype)
            tensor = self._helper.make_tensor(name, kind, array.shape, array.ravel().tolist())
        self._constants.append(tensor)
        return name


def _paths(tree: Tree) -> list[tuple[int, dict[int, bool]]]:
    """The leaves that rows can reach, from left to right, with what their paths ask for. Where a
    path asks a second time for the same feature, only one side can be reached."""
    paths: list[tuple[int, dict[int, bool]]] = []
    todo: list[tuple[int, dict[int, bool]]] = [(0, {})]
    while todo:
        number, path = todo.pop()
        node = tree.nodes[number]
        if node.feature < 0:
            paths.append((number, path))
            continue
        for child, side in ((node.one, True), (node.zero, False)):
            if path.get(node.feature, side) == side:
                todo.append((child, path | {node.feature: side}))
    return paths
