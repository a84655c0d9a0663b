"""Trees deeper than three for a table in batches: grown from proven parts, with a bound that holds.

The first three levels are those of the best tree of depth three. Then, pass by pass, cubes are
counted for the rows of each leaf that still errs, all leaves in one pass if memory allows, and each
leaf is replaced by the best tree of depth three for its own rows, or less where a limit says so.
Under a limit on nodes these are dealt out where they save most errors. Every part is the best for
its rows; the whole need not be, so the result is `feasible` unless a bound says more:

* rows of the sample with the same levels and different classes: no tree that asks these questions
  gets all of them right;
* a tree with fewer errors than the best one of depth three, or of three inner nodes, is deeper, or
  larger.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from dtfinder._core import CubeCounts, CubeSearch
from dtfinder.data.dataset import Bits, Ints
from dtfinder.nodes import Node, Nodes, leaves_reached, levels_of
from dtfinder.problem import Problem, Score
from dtfinder.search.cubes import MOST_DEPTH, MOST_INNER, Codes
from dtfinder.stream.batch import Batch
from dtfinder.stream.counting import Counting
from dtfinder.stream.passes import Pass
from dtfinder.stream.questions import Questions
from dtfinder.stream.survey import Survey


@dataclass(frozen=True)
class LeafCounting(Pass[dict[int, CubeCounts]]):
    """The pass for the cubes of the rows in some leaves of a tree."""

    counting: Counting
    nodes: tuple[Node, ...]
    leaves: tuple[int, ...]

    def start(self) -> dict[int, CubeCounts]:
        """Nothing counted."""
        return {leaf: self.counting.start() for leaf in self.leaves}

    def add(self, known: dict[int, CubeCounts], batch: Batch) -> None:
        """Count a batch, leaf by leaf."""
        questions, layout = self.counting.questions, self.counting.layout
        rows = batch.kept(questions.drop_missing)
        codes, labels = questions.codes(rows), questions.labels(rows)
        reached = leaves_reached(*_asked(self.nodes, questions, codes))
        for leaf, counts in known.items():
            inside = reached == leaf
            part: Codes = codes[:, inside].copy()
            counts.add(layout, part, labels[inside], None)

    def merge(self, known: dict[int, CubeCounts], other: dict[int, CubeCounts]) -> None:
        """Both together."""
        for leaf, counts in known.items():
            counts.merge(other[leaf])

    def pack(self, known: dict[int, CubeCounts]) -> dict[int, Ints]:
        """The plain counts."""
        return {leaf: self.counting.pack(counts) for leaf, counts in known.items()}

    def unpack(self, packed: dict[int, Ints]) -> dict[int, CubeCounts]:
        """Cubes with these counts."""
        return {leaf: self.counting.unpack(counts) for leaf, counts in packed.items()}


def _asked(nodes: Nodes, questions: Questions, codes: Codes) -> tuple[list[Node], Bits]:
    """The nodes over the few questions that they ask, and the answers of the rows."""
    used = sorted({node.feature for node in nodes if node.feature >= 0})
    bits: Bits = np.zeros((codes.shape[1], len(used)), dtype=bool)
    for place, (column, shape) in enumerate(zip(codes, questions.cube_columns(), strict=True)):
        for number, feature in enumerate(shape.features):
            if feature in used:
                level = shape.first + number
                held = codes[place] <= level if shape.ordered else column == level
                bits[:, used.index(feature)] = held
    moved = [n if n.feature < 0 else n._replace(feature=used.index(n.feature)) for n in nodes]
    return moved, bits


@dataclass(frozen=True)
class Grown:
    """A tree that is not done: its nodes, what each open leaf gets wrong, and how deep it is."""

    nodes: tuple[Node, ...]
    open: dict[int, int]  # leaves that err, with their depth
    errors: int


def opened(nodes: Nodes, fresh: set[int], max_depth: int | None, errors: int) -> Grown:
    """The leaves among `fresh` that may grow."""
    depth = levels_of(nodes)
    leaves = [n for n in sorted(fresh) if nodes[n].feature < 0]
    return Grown(
        tuple(nodes),
        {n: depth[n] for n in leaves if max_depth is None or depth[n] < max_depth},
        errors,
    )


def grow(tree: Grown, searches: dict[int, CubeSearch], problem: Problem, final: bool) -> Grown:
    """Replace leaves by the best trees for their rows, within the nodes that are left. `searches`
    are those of some open leaves; `final` says that no leaf waits for its turn."""
    spare = None
    if problem.max_inner is not None:
        spare = problem.max_inner - len(tree.nodes) // 2
    values: dict[int, list[int]] = {}
    rooms: dict[int, int] = {}
    for leaf, search in searches.items():
        room = MOST_DEPTH
        if problem.max_depth is not None:
            room = min(room, problem.max_depth - tree.open[leaf])
        rooms[leaf] = room
        most = (1 << room) - 1 if spare is None else min(spare, (1 << room) - 1)
        values[leaf] = [search.errors(room, inner) for inner in range(most + 1)]
    chosen = dealt(values, spare)
    nodes, fresh, errors = list(tree.nodes), set[int](), tree.errors
    for leaf, inner in chosen.items():
        errors += values[leaf][inner] - values[leaf][0]
        if inner == 0:
            continue
        part = [Node(*node) for node in searches[leaf].tree(rooms[leaf], inner)]
        base = len(nodes) - 1
        moved = [
            n if n.feature < 0 else n._replace(zero=n.zero + base, one=n.one + base) for n in part
        ]
        nodes[leaf] = moved[0]
        nodes += moved[1:]
        fresh |= set(range(base + 1, len(nodes)))
    waiting = set() if final else set(tree.open) - set(searches)
    return opened(nodes, fresh | waiting, problem.max_depth, errors)


def dealt(values: dict[int, list[int]], spare: int | None) -> dict[int, int]:
    """How many inner nodes each leaf gets so that all together err least, and among equals have
    the fewest nodes; `values` are its errors by inner nodes, `spare` is how many there are."""
    if spare is None:
        return {leaf: errors.index(min(errors)) for leaf, errors in values.items()}
    best: list[tuple[int, dict[int, int]]] = [(0, {}) for _ in range(spare + 1)]
    for leaf, errors in values.items():
        best = [
            min(
                (
                    (best[room - inner][0] + lost, best[room - inner][1] | {leaf: inner})
                    for inner, lost in enumerate(errors[: room + 1])
                ),
                key=lambda each: (each[0], sum(each[1].values())),
            )
            for room in range(spare + 1)
        ]
    return min(best, key=lambda each: (each[0], sum(each[1].values())))[1]


def deeper_bounds(search: CubeSearch, score: Score, contradictions: int, depth: int) -> Score:
    """What is proven of every tree with as few errors as this one, or fewer: `search` knows all
    trees up to `depth`, and of up to three inner nodes."""
    shallow = [d for d in range(depth + 1) if search.errors(d, MOST_INNER) <= score.errors]
    small = [n for n in range(depth + 1) if search.errors(depth, n) <= score.errors]
    return Score(contradictions).raised(
        min(small, default=depth + 1), min(shallow, default=depth + 1)
    )


def contradictions_in(survey: Survey, asked: Questions) -> int:
    """Errors that no tree avoids, by the rows of the sample: those with equal levels."""
    rows = asked.sample_levels(survey)
    labels = np.array([asked.class_codes[cell] for cell in survey.sample[""].tolist()])
    _, groups = np.unique(rows, axis=1, return_inverse=True)
    sums = np.zeros((int(groups.max()) + 1, len(asked.classes)), dtype=np.int64)
    np.add.at(sums, (groups, labels), survey.counts)
    return int(sums.sum() - sums.max(axis=1).sum())


def in_groups(leaves: Sequence[int], cells: int, memory: int) -> list[list[int]]:
    """The leaves whose cubes fit into memory together."""
    size = max(1, memory // (8 * max(1, cells)))
    return [list(leaves[i : i + size]) for i in range(0, len(leaves), size)]
