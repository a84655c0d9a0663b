"""Every tool of the campaign behind one shape: a dataset in, a tree and what is proven of it out.

An adapter gives the tool's tree as nodes over the dataset's features. Nobody's word is taken for
its size or its rightness: `Tree.of` rebuilds it and the campaign classifies all examples with it.
A peer's proof that its tree is smallest among trees of depth D is a proof for all trees if D is as
deep as any smaller tree could be: a tree of n nodes is at most (n - 1) / 2 deep, and never deeper
than there are features.

Peers get no time limit of their own, since theirs count wall-clock time and the campaign counts CPU
time; all of them are ended from outside. How each is asked for the smallest tree with no error:
with a cost of 1/N² a leaf or node, N examples, all leaves together cost less than one error.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from importlib.util import find_spec
from typing import Any

import numpy as np

from benchmarks.isolate import Limits, cpu_seconds
from dtfinder.data import Dataset
from dtfinder.errors import WrongTreeError
from dtfinder.methods import METHODS as OUR_METHODS
from dtfinder.nodes import Node, leaf
from dtfinder.options import Options
from dtfinder.problem import Progress
from dtfinder.run.worker import in_this_process
from dtfinder.solve import solve
from dtfinder.tree import Tree

SIZE, DEPTH_SIZE, DEPTH, NOTHING = "size", "depth then size", "depth", "nothing"
FOREVER = 1e6
DEEPEST = 20  # the largest depth that pystreed and pycontree take
MISSES_TREES = "its claim is not believed: it misses trees"
TOO_DEEP = "a smaller tree could be deeper than it searched"


@dataclass(frozen=True)
class Answer:
    """A tree, or none, with the bounds that the tool claims to have proven. `optimal` claims that
    the tree is best at what the tool minimises."""

    tree: Tree | None
    optimal: bool
    ended: str = "done"
    lower_nodes: int = 1
    lower_depth: int = 0
    stats: dict[str, float] = field(default_factory=dict)


OnProgress = Callable[[Progress], None]


@dataclass(frozen=True)
class Method:
    """A tool of the campaign. `package` is what must be installed for it."""

    name: str
    kind: str  # "paper", "sat" (ours, past the paper's), "engine" or "peer"
    aim: str
    run: Callable[[Dataset, Limits, OnProgress], Answer]
    package: str = "dtfinder"

    @property
    def installed(self) -> bool:
        """Whether it can be run here."""
        if self.package == "dtfinder":
            return self.name.removesuffix("-depth") in OUR_METHODS
        return find_spec(self.package) is not None


class _AfterCpu:
    """A stop rule in CPU time: on a shared machine, wall-clock time says little."""

    def __init__(self, seconds: float) -> None:
        self._end = cpu_seconds() + seconds

    def __call__(self) -> str | None:
        return "time limit" if cpu_seconds() >= self._end else None


def _ours(**options: Any) -> Callable[[Dataset, Limits, OnProgress], Answer]:
    """A method of dtfinder's own, solved in this process: one process is what is measured."""

    def run(dataset: Dataset, limits: Limits, progress: OnProgress) -> Answer:
        checked = Options(memory_limit=limits.memory / 1e9, **options)
        with in_this_process(forks=True):  # each run is a process of its own, with one thread
            result = solve(dataset, checked, callback=progress, stop=_AfterCpu(limits.seconds))
        return Answer(
            result.tree,
            result.status == "optimal",
            "done" if result.stopped_by in (None, "method") else str(result.stopped_by),
            result.lower_bound,
            result.depth_lower_bound,
            result.stats,
        )

    return run


def _flat(root: Any, look: Callable[[Any], tuple[int, Any, Any] | int]) -> list[Node]:
    """A tool's tree as nodes; `look` gives a leaf's class or (feature, zero side, one side)."""
    nodes: list[Node] = []

    def visit(node: Any) -> int:
        number, seen = len(nodes), look(node)
        if not isinstance(seen, tuple):
            nodes.append(leaf(int(seen)))
            return number
        nodes.append(leaf(0))
        zero, one = visit(seen[1]), visit(seen[2])
        nodes[number] = Node(int(seen[0]), zero, one, -1)
        return number

    visit(root)
    return nodes


def _depth_to_search(dataset: Dataset, nodes: list[Node]) -> int:
    """The depth that a tree smaller than `nodes` could have: a proof must have looked there."""
    return min(dataset.n_features, max(0, (len(nodes) - 3) // 2))


def _wrong(tree: Tree, dataset: Dataset) -> bool:
    try:
        return tree.check(dataset) > dataset.unavoidable_errors
    except WrongTreeError:
        return True


def _pystreed(dataset: Dataset, _limits: Limits, _progress: OnProgress) -> Answer:
    from pystreed import STreeDClassifier

    depth, cost = min(DEEPEST, dataset.n_features), 1 / dataset.n_examples**2
    model = STreeDClassifier(
        "cost-complex-accuracy", max_depth=depth, cost_complexity=cost, time_limit=FOREVER
    )
    model.fit(dataset.bits, dataset.labels)
    nodes = _flat(model.get_tree(), _streed_node)
    proven = model.fit_result.is_optimal() and depth >= _depth_to_search(dataset, nodes)
    return Answer(Tree.of(dataset, nodes), proven, "done" if proven else TOO_DEEP)


def _streed_node(node: Any) -> tuple[int, Any, Any] | int:
    if node.is_leaf_node():
        return int(node.label)
    return node.feature, node.left_child, node.right_child


def _pystreed_depth(dataset: Dataset, _limits: Limits, _progress: OnProgress) -> Answer:
    """Depth 0, 1, … until no example is wrong."""
    from pystreed import STreeDClassifier

    for depth in range(min(DEEPEST, dataset.n_features) + 1):
        model = STreeDClassifier("accuracy", max_depth=depth, upper_bound=1, time_limit=FOREVER)
        try:
            model.fit(dataset.bits, dataset.labels)
        except UserWarning:
            continue
        if model.is_fitted() and (model.predict(dataset.bits) == dataset.labels).all():
            tree = Tree.of(dataset, _flat(model.get_tree(), _streed_node))
            return Answer(tree, tree.depth == depth, lower_depth=depth)
    return Answer(None, False, TOO_DEEP, lower_depth=DEEPEST + 1)


def _pycontree(dataset: Dataset, _limits: Limits, _progress: OnProgress) -> Answer:
    """Depth 0, 1, … until no example is wrong, then as deep as a smaller tree could be: it is far
    slower if the depth is more than it needs."""
    from pycontree import ConTree

    cost, bits, depth = 1 / dataset.n_examples**2, dataset.bits.astype(float), 0

    def look(node: Any) -> tuple[int, Any, Any] | int:
        if node.is_leaf_node():
            return int(node.get_label())
        return node.get_split_feature(), node.get_left(), node.get_right()

    while True:
        model = ConTree(max_depth=depth, complexity_cost=cost, time_limit=FOREVER)
        model.fit(bits, dataset.labels)
        nodes = _flat(model.get_tree(), look)
        tree, needed = Tree.of(dataset, nodes), depth + 1
        if not _wrong(tree, dataset):
            needed = _depth_to_search(dataset, nodes)
            if depth >= needed:
                return Answer(tree, True)
        if depth >= min(DEEPEST, dataset.n_features):
            return Answer(tree, False, TOO_DEEP)
        depth = min(needed, DEEPEST)


def _gosdt(dataset: Dataset, _limits: Limits, _progress: OnProgress) -> Answer:
    from gosdt import GOSDTClassifier, Status

    cost = 1 / dataset.n_examples**2
    model: Any = GOSDTClassifier(regularization=cost, allow_small_reg=True, time_limit=int(FOREVER))
    model.fit(dataset.bits, dataset.labels)

    def look(node: Any) -> tuple[int, Any, Any] | int:
        if "prediction" in node:
            return int(model.classes_[node["prediction"]])
        return node["feature"], node["false"], node["true"]

    nodes = _flat(json.loads(model.result_.model)[0], look)
    proven = model.result_.status == Status.CONVERGED
    return Answer(Tree.of(dataset, nodes), proven)


def _pydl85(dataset: Dataset, _limits: Limits, _progress: OnProgress) -> Answer:
    """Depth 1, 2, … until no example is wrong; it knows no tree of depth 0. It misses trees: on
    parity5 20% it finds none of depth 3, where there is one. So what it claims is not believed."""
    from pydl85 import DL85Classifier

    if len(np.unique(dataset.labels)) == 1:
        return Answer(Tree.of(dataset, [leaf(int(dataset.labels[0]))]), True)

    def look(node: Any) -> tuple[int, Any, Any] | int:
        if "value" in node:
            return int(node["value"])
        return node["feat"], node["right"], node["left"]

    for depth in range(1, dataset.n_features + 1):
        model = DL85Classifier(
            max_depth=depth,
            min_sup=1,
            max_error=1,
            stop_after_better=True,
            time_limit=int(FOREVER),
        )
        model.fit(dataset.bits.astype(int), dataset.labels)
        if model.error_ == 0:
            tree = Tree.of(dataset, _flat(model.tree_, look))
            return Answer(tree, False, MISSES_TREES)
    return Answer(None, False, "wrong tree")


def _table() -> dict[str, Method]:
    methods = [
        Method("cores", "engine", SIZE, _ours(method="cores")),
        Method("cores-depth", "engine", DEPTH_SIZE, _ours(method="cores", minimise="depth")),
        Method("pystreed", "peer", SIZE, _pystreed, "pystreed"),
        Method("pystreed-depth", "peer", DEPTH, _pystreed_depth, "pystreed"),
        Method("pycontree", "peer", SIZE, _pycontree, "pycontree"),
        Method("gosdt", "peer", SIZE, _gosdt, "gosdt"),
        Method("pydl8.5", "peer", DEPTH, _pydl85, "pydl85"),
    ]
    for name in ("mindt", "dtfinder-DT1", "dtfinder-DT1-T", "dtfinder-DT1-T-O"):
        methods.append(Method(name, "paper", SIZE, _ours(method=name)))
    for name in ("dtfinder", "dtfinder-T", "dtfinder-T-O"):
        methods.append(Method(name, "paper", SIZE, _ours(method=name)))
    for name in ("d-dtfinder", "d-dtfinder-T-O"):
        methods.append(Method(name, "paper", DEPTH_SIZE, _ours(method=name)))
    methods.append(Method("sat", "sat", SIZE, _ours(method="sat")))
    methods.append(Method("d-sat", "sat", DEPTH_SIZE, _ours(method="d-sat")))
    methods.append(Method("sklearn", "paper", NOTHING, _ours(method="sklearn")))
    return {method.name: method for method in methods}


METHODS = _table()
