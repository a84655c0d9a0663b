"""Bounds on errors from cores: the errors of a tree hit every core that is too large for it.

A core is a set of examples that needs more than n inner nodes. A tree with n inner nodes gets at
least one example of each such core wrong, so its errors weigh at least as much as the lightest set
of examples that hits all of them: a hitting set. And where a hitting set leaves a table that n
inner nodes classify, the bound is reached. So cores are collected until one of two things happens:
the lightest hitting set weighs as much as the errors of the best tree known, or what it leaves has
a tree. Cores for n serve every smaller size.

This is strong where few errors are left, at the right end of a front, and weak beyond a handful;
there, counting is strong. The hitting sets are found by MaxSAT (`hitting_set.py`), the questions
about subsets are answered by the exact engine, which keeps what it learns from one to the next.

For a certificate the exact engine keeps its lemmas, and a bound is raised only once it is clear how
cores show it (`hitting_proof.py`).

An example allows the classes that most of its rows have, several if they tie. It weighs what a
wrong class for it costs beyond the unavoidable errors: the rows of such a class less those of the
most frequent other one. If no class is wrong for it, it weighs nothing, and is left out of every
question. Certificates leave out all examples that tie.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator

import numpy as np

from dtfinder._core import NO_LIMIT, FrontEngine, Goal, Switches, make_engine, make_questions
from dtfinder.data.dataset import Bits, Ints, margins
from dtfinder.search.hitting_proof import ProvenBound, ProvenCore, counts, lines_of
from dtfinder.search.hitting_set import HittingSet

MEMORY = 200_000_000  # bytes for what the engine learns about subsets
FEWEST = 4  # inner nodes: smaller trees are counted in no time
MOST = 8  # examples in a hitting set: beyond, counting is the better way
SLICE = 20_000  # steps, a millisecond
HITTING = 20_000  # steps that a hitting set counts for
MOST_CERTIFIED = 10_000  # examples: checkers keep a set of examples for each lemma
TREE_STEPS = 20_000_000  # to build the tree that a hitting set leaves


class HittingSets:
    """Raises the bounds of a counting engine from the right end of its front."""

    def __init__(
        self,
        bits: Bits,
        labels: Ints,
        weights: Ints,
        max_depth: int | None,
        size: int,
        *,
        allowed: Bits | None = None,
        certify: bool = False,
    ) -> None:
        """`weights` are those of each class for each example. Labels are classes or rows of
        `allowed`. No tree of `size` inner nodes or fewer is without avoidable errors."""
        if certify:  # examples that tie are left out, and the others have one class each
            labels, allowed = weights.argmax(axis=1), None
        self._bits, self._labels = bits, np.ascontiguousarray(labels, dtype=np.int64)
        self._allowed, self._right = allowed, weights == weights.max(axis=1, keepdims=True)
        self._unavoidable = int((weights.sum(axis=1) - weights.max(axis=1)).sum())
        self._weights = margins(weights)
        if certify:
            self._weights = np.where(self._right.sum(axis=1) > 1, 0, self._weights)
        self._limit = NO_LIMIT if max_depth is None else min(max_depth, NO_LIMIT)
        self._questions = make_questions(bits, self._labels, self._limit, MEMORY, certify, allowed)
        self._certify = certify
        self._proven: list[ProvenCore] = []
        self._shown: list[ProvenBound] = []
        # Where contradictory rows have several classes, sums of cores would have to count more.
        most, least = weights.max(axis=1), weights.min(axis=1)
        spare = weights.sum(axis=1) - most - (weights.shape[1] - 1) * least
        self.done = certify and (bool(spare.any()) or len(bits) > MOST_CERTIFIED)
        self._cores = HittingSet(self._weights)
        self._size, self._spent = size, 0
        self._work: Iterator[None] | None = None

    def run(self, steps: int, counting: FrontEngine) -> None:
        """Work for about `steps` steps, always for the same engine."""
        if self._work is None:
            self._work = self._search(counting)
        end = self._spent + steps
        while not self.done and self._spent < end:
            self.done = next(self._work, _END) is _END

    def _search(self, counting: FrontEngine) -> Iterator[None]:
        """Close one size after the other, from the largest that is open, as long as hitting sets
        are small. Cores for one size serve all smaller ones. What the tree of the next size gets
        wrong is tried first."""
        weighing = np.flatnonzero(self._weights > 0)
        hit, tried = np.array([], dtype=np.int64), self._size
        while self._size >= FEWEST and len(hit) <= MOST:
            points = {inner: (lower, upper) for inner, lower, upper in counting.points()}
            lower, upper = points.get(self._size, (0, 0))
            errors = self._unavoidable + int(self._weights[hit].sum())
            if lower < errors:
                if self._certify and len(hit) and not self._show(errors - self._unavoidable):
                    return
                counting.raise_lower(self._size, errors)
            if max(lower, errors) >= upper:
                self._size -= 1
                continue
            wrong = hit
            if tried > self._size:
                tried, wrong = self._size, self._wrong(counting.tree(self._size + 1))
                if self._unavoidable + int(self._weights[wrong].sum()) >= upper:
                    wrong = hit
            rest = np.setdiff1d(weighing, wrong)
            core = yield from self._core_of(rest)
            if core is None:
                yield from self._build_tree(rest, counting)
                self._size -= wrong is hit
                continue
            self._cores.add(core)
            if self._certify:
                lemma = self._questions.lemma
                if lemma is None or self._questions.lemma_bytes > MEMORY:
                    return
                self._proven.append(ProvenCore(lemma, self._size, np.array(core)))
            lightest = self._cores.lightest()
            if lightest is None:
                return
            hit = np.array(lightest, dtype=np.int64)
            self._spent += HITTING * max(1, self._cores.found_cores)
            yield

    def _show(self, errors: int) -> bool:
        """Keep how cores show that trees of this size have as many errors, if they do."""
        cores = np.zeros((len(self._proven), len(self._labels)), dtype=bool)
        for core, proven in zip(cores, self._proven, strict=True):
            core[proven.examples] = True
        times = counts(cores, self._weights, errors)
        if times is None:
            return False
        self._shown = [
            each for each in self._shown if each.size > self._size or each.errors > errors
        ]
        self._shown.append(ProvenBound(self._size, errors, times))
        return True

    @property
    def shown(self) -> list[tuple[int, int]]:
        """Sizes and errors that `proof` shows."""
        return [(each.size, each.errors + self._unavoidable) for each in self._shown]

    def proof(self, row_of_example: Ints) -> bytes:
        """Lines that show them."""
        if not self._shown:
            return b""
        return lines_of(
            self._shown,
            self._proven,
            self._limit,
            self._questions,
            row_of_example,
        )

    def _wrong(self, tree: list[list[int]]) -> Ints:
        """The examples that a tree gets wrong."""
        at = np.zeros(len(self._labels), dtype=np.int64)
        feature, zero, one, label = np.array(tree).T
        while (inner := np.flatnonzero(feature[at] >= 0)).size:
            node = at[inner]
            at[inner] = np.where(self._bits[inner, feature[node]], one[node], zero[node])
        return np.flatnonzero(~self._right[np.arange(len(at)), label[at]])

    def _core_of(self, examples: Ints) -> Generator[None, None, list[int] | None]:
        """Some of the examples that need more than the size; None if all of them do not."""
        questions = self._questions
        questions.ask(examples.tolist(), self._size + 1, self._limit, False)
        while True:
            before = questions.steps
            answer = questions.run(SLICE)
            self._spent += questions.steps - before + 1
            if answer is not None:
                return questions.core() if answer else None
            yield

    def _build_tree(self, rest: Ints, counting: FrontEngine) -> Iterator[None]:
        """A hitting set left this, which has a tree of the size: as good as one can be. The
        counting engine gives it leaves of its own."""
        goal = Goal()
        goal.max_inner, goal.max_depth = self._size, min(goal.max_depth, self._limit)
        kept, labels = np.unique(self._labels[rest], return_inverse=True)
        sets = None if self._allowed is None else np.ascontiguousarray(self._allowed[kept])
        bits, labels = np.ascontiguousarray(self._bits[rest]), labels.astype(np.int64)
        engine = make_engine(bits, labels, goal, Switches(), sets)
        while not engine.tree() and not engine.done and engine.steps < TREE_STEPS:
            engine.run(SLICE)
            self._spent += SLICE
            yield
        if tree := engine.tree():
            counting.offer(tree)


_END = object()
