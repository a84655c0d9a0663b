"""From a table in batches to a Result: survey it, count it, search the counts, check the tree."""

from __future__ import annotations

import logging
import time
from collections.abc import Collection, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import numpy as np

from dtfinder._core import CubeSearch
from dtfinder.data.dataset import Dataset, Table
from dtfinder.errors import (
    DataError,
    InfeasibleError,
    NoTreeYetError,
    Option,
    OptionError,
    WrongTreeError,
)
from dtfinder.methods import COUNTING, METHODS
from dtfinder.options import Options
from dtfinder.problem import Problem, Progress, Score
from dtfinder.proof import Certificate
from dtfinder.result import Result
from dtfinder.run.cluster import ClusterPool
from dtfinder.run.memory import bytes_in_use
from dtfinder.run.pool import worker_count
from dtfinder.run.signals import signals_set
from dtfinder.run.stop import AboveMemory, AfterSeconds, FirstOf, Flag, Stop, Stopped
from dtfinder.search.cubes import Limited, best_of, bounds_of, groups
from dtfinder.solve import Callback, problem_of
from dtfinder.stream.certificate import make_counts_certificate
from dtfinder.stream.cluster import OnCluster
from dtfinder.stream.counting import Checking, Counting, Surveying
from dtfinder.stream.dask_frame import is_dask_frame, open_frame
from dtfinder.stream.passes import Pace, Pass, Source, Threads
from dtfinder.stream.questions import Questions, questions_of
from dtfinder.stream.source import NotNumbers, open_files, paths_of
from dtfinder.stream.survey import Survey
from dtfinder.tree import Node, Nodes, Tree

_log = logging.getLogger(__name__)
Sum = TypeVar("Sum")

METHOD = "cubes"
MEMORY = 4_000_000_000  # bytes that a run may use, unless a memory limit says otherwise
ON_CLUSTER = 500_000_000  # bytes for the cubes of one task
_IDLE = ("checkpoint", "class_weight", "work_limit")


@dataclass(frozen=True)
class LongTable(Dataset):
    """A table that is never in memory: its questions and its classes, and how many rows it has."""

    rows: int = 0

    @property
    def n_rows(self) -> int:
        """The number of rows."""
        return self.rows

    @property
    def total_weight(self) -> int:
        """Every row weighs one."""
        return self.rows


def is_in_batches(source: Any) -> bool:
    """Whether a table is one to read in batches."""
    return is_dask_frame(source) or paths_of(source) is not None


def open_source(source: Any, target: str | None, ignore: Collection[str], decimal: str) -> Source:
    """The table, ready to be read in batches."""
    if is_dask_frame(source):
        return open_frame(source, target, ignore)
    return open_files(paths_of(source) or [], target, ignore, decimal)


def find_in_batches(
    source: Any,
    target: str | None,
    ignore: Collection[str],
    weights: Any,
    options: Options,
    callback: Callback | None,
) -> Result:
    """The best tree for a table that is read in batches."""
    check_options(options, weights)
    opened = open_source(source, target, ignore, options.decimal)
    if options.cluster is None:
        return Run(opened, options, callback).result()
    pool = ClusterPool.of(options.cluster)
    with closing(pool):
        return Run(opened, options, callback, pool).result()


def check_options(options: Options, weights: Any = None) -> None:
    """Raise an OptionError for what cannot be done with a table in batches."""
    batches = " cannot be used with a table that is read in batches"
    if weights is not None:
        raise OptionError(Option("weights"), batches, "; leave it out")
    if options.method not in ("auto", COUNTING):
        raise OptionError(Option("method", options.method), batches, "; leave it out")
    if options.binarise != "auto":
        raise OptionError(Option("binarise", options.binarise), batches, "; leave it out")
    if options.contradictions != "majority":
        raise OptionError(Option("contradictions"), batches, "; leave it out")
    for name in _IDLE:
        if getattr(options, name):
            raise OptionError(Option(name), batches, "; leave it out")
    for name in ("max_errors", "leaf_penalty"):
        if options.certify and getattr(options, name) is not None:
            raise OptionError(
                Option("certify"), " is for the fewest errors; leave out ", Option(name)
            )
    depth, nodes = options.max_depth, options.max_nodes
    shallow = depth is not None and depth <= 3
    if not (shallow or (isinstance(nodes, int) and nodes <= 7)) or isinstance(nodes, str):
        raise OptionError(
            "a table that is read in batches has proven trees up to depth 3, or 7 nodes; use ",
            Option("max_depth", 3),
        )


class Run:
    """One search: what it has found so far, and the clock."""

    def __init__(
        self,
        source: Source,
        options: Options,
        callback: Callback | None,
        pool: ClusterPool | None = None,
    ) -> None:
        self._source, self._options, self._callback = source, options, callback
        self._pool = pool
        self._begin = time.perf_counter()
        self._workers = worker_count(options.workers)
        self._interrupted = Flag()
        self._passes = 0

    def result(self) -> Result:
        """Survey the table, count it, search the counts, check the tree."""
        try:
            with signals_set(self._interrupted):
                survey = self._survey()
                asked = questions_of(
                    survey,
                    self._source.names,
                    self._source.target,
                    text=self._source.text,
                    max_thresholds=self._options.max_thresholds,
                    missing=self._options.missing,
                )
                _say_what_is_left_out(asked)
                problem = problem_of(long_table(asked), self._options, self._method())
                found = self._search(asked, problem)
                tree = None if found is None else self._checked(asked, problem, *found)
        except Stopped as reason:
            raise NoTreeYetError(
                f"the run ended ({reason}) before all rows were counted", reason=str(reason)
            ) from None
        if tree is None:
            raise InfeasibleError(
                "it is proven that no tree within the limits has at most ",
                Option("max_errors", self._options.max_errors),
                " errors; allow a larger tree",
            )
        return self._made(asked, problem, tree)

    def _method(self) -> Any:
        return replace(METHODS[COUNTING], minimise=self._options.minimise)

    def _survey(self) -> Survey:
        while True:
            try:
                work = Surveying(self._options.missing == "drop")
                return self._pass("reading", work, self._source.rows)
            except NotNumbers as error:
                self._source = self._source.with_words(error.column)

    def _search(self, asked: Questions, problem: Problem) -> tuple[Score, Nodes] | None:
        """The best tree by all cubes, in as many passes as memory asks for."""
        within = Limited.of(problem)
        counting = Counting(asked, within.depth)
        search = CubeSearch(counting.layout)
        batches = list(groups(counting.layout, self._memory_for_cubes()))
        for number, (begin, end) in enumerate(batches, start=1):
            name = "counting" if len(batches) == 1 else f"counting {number} of {len(batches)}"
            search.take(self._pass(name, replace(counting, begin=begin, end=end), asked.rows))
        return best_of(search, problem, within)

    def _memory_for_cubes(self) -> int:
        """Bytes for each thread, or for each task on a cluster, where two sums may meet."""
        given = self._options.memory_limit
        if self._pool is not None:
            return ON_CLUSTER if given is None else min(ON_CLUSTER, int(given * 2.5e8))
        return int((given or MEMORY / 1e9) * 5e8) // self._workers

    def _checked(self, asked: Questions, problem: Problem, score: Score, nodes: Nodes) -> Tree:
        """The tree with its classes and counts, from a pass over the rows themselves."""
        bare = bare_tree(asked, nodes)
        sums = self._pass("checking", Checking(asked, bare), asked.rows)
        tree = labelled(bare, sums)
        errors = int(sums.sum() - sums.max(axis=1).sum())
        if errors != score.errors or int(sums.sum()) != asked.rows:
            if int(sums.sum()) != asked.rows:
                raise DataError("the table changed while it was read; start again")
            raise WrongTreeError(
                f"a tree of {tree.size} nodes makes {errors} errors where {score.errors} were "
                "counted; please report this"
            )
        return tree

    def _pass(self, name: str, work: Pass[Sum], total: int | None) -> Sum:
        self._passes += 1
        rules: list[Stop] = [self._interrupted]
        if self._options.time_limit is not None:
            left = self._options.time_limit - (time.perf_counter() - self._begin)
            rules.append(AfterSeconds(max(0.0, left)))
        if self._options.memory_limit is not None:
            rules.append(AboveMemory(int(self._options.memory_limit * 1e9), bytes_in_use))
        runner: Threads[Sum] | OnCluster[Sum] = Threads(self._source, work, self._workers)
        if self._pool is not None:
            runner = OnCluster(self._source, work, self._pool)
        return runner.run(name, total, self._tell, FirstOf(*rules))

    def _tell(self, pace: Pace) -> None:
        if self._callback is not None:
            seconds = time.perf_counter() - self._begin
            self._callback(Progress(seconds, Score(), method=METHOD, doing=pace.text))

    def _certificate(self, asked: Questions, problem: Problem, tree: Tree) -> Certificate | None:
        if not self._options.certify:
            return None
        made = make_counts_certificate(asked, problem, tree)
        if made is None:
            _log.warning("two values are written the same way: there is no certificate")
        return made

    def _made(self, asked: Questions, problem: Problem, tree: Tree) -> Result:
        score = Score.of(tree.nodes, errors_of(tree))
        bounds = bounds_of(problem, score)
        assert problem.met(score, bounds)
        seconds = time.perf_counter() - self._begin
        return Result(
            status="optimal",
            tree=tree,
            bounds=bounds,
            errors=score.errors,
            unavoidable_errors=0,
            method=METHOD,
            minimise=problem.minimise,
            seconds=seconds,
            max_depth=problem.max_depth,
            max_nodes=problem.max_nodes,
            max_errors=problem.max_errors,
            leaf_penalty=problem.leaf_penalty,
            stats={"rows": asked.rows, "passes": self._passes},
            history=(Progress(seconds, bounds, score, METHOD, problem.minimise, tree),),
            questions=questions_text(asked),
            certificate=self._certificate(asked, problem, tree),
        )


def long_table(asked: Questions) -> LongTable:
    """The table as a `Problem` knows it."""
    return LongTable(
        bits=np.zeros((0, len(asked.features)), dtype=bool),
        labels=np.zeros(0, dtype=np.int64),
        features=asked.features,
        classes=asked.classes,
        table=Table((), (), None, asked.target),
        example_of_row=np.zeros(0, dtype=np.int64),
        max_thresholds=asked.max_thresholds,
        rows=asked.rows,
    )


def questions_text(asked: Questions) -> str:
    """Which questions the proof is about."""
    thresholds = sum(feature.test == "<=" for feature in asked.features)
    parts = []
    if thresholds:
        of = "all rows" if asked.sampled == asked.rows else f"a sample of {asked.sampled:,} rows"
        parts.append(
            f"x <= t at {thresholds} thresholds, at most {asked.max_thresholds} per column, from "
            f"the quantiles of {of}"
        )
    values = len(asked.features) - thresholds
    if values:
        parts.append(f"x = v for {values} values")
    return " and ".join(parts) or "nothing"


def _say_what_is_left_out(asked: Questions) -> None:
    for each in asked.columns:
        if each.rest:
            _log.warning(
                "column %r: the %d most frequent values are asked for; %d rarer ones are one group",
                each.name,
                asked.max_thresholds,
                each.rest,
            )


def bare_tree(asked: Questions, nodes: Nodes) -> Tree:
    """The tree over the questions that it asks, numbered in preorder, without counts and classes.
    Where a feature is the opposite of what cubes asked, yes and no change places."""
    flipped = asked.flipped()
    used: dict[int, int] = {}
    flat: list[Node] = []

    def copy(number: int) -> int:
        place, node = len(flat), nodes[number]
        flat.append(Node(-1, -1, -1, 0))
        if node.feature >= 0:
            feature = used.setdefault(node.feature, len(used))
            zero, one = (node.zero, node.one)
            if node.feature in flipped:
                zero, one = one, zero
            flat[place] = Node(feature, copy(zero), copy(one), -1)
        return place

    copy(0)
    features = asked.features
    return Tree(tuple(flat), tuple(features[f] for f in used), asked.classes, (), asked.target)


def labelled(tree: Tree, sums: Any) -> Tree:
    """The tree with the heaviest class in each leaf, the first of equals, and all counts."""
    counts: list[Sequence[int]] = sums.tolist()
    nodes = list(tree.nodes)
    for number in range(tree.size - 1, -1, -1):
        node = nodes[number]
        if node.feature < 0:
            nodes[number] = node._replace(label=int(np.argmax(counts[number])))
        else:
            pairs = zip(counts[node.zero], counts[node.one], strict=True)
            counts[number] = [a + b for a, b in pairs]
    return replace(tree, nodes=tuple(nodes), counts=tuple(map(tuple, counts)))


def errors_of(tree: Tree) -> int:
    """The rows that the leaves get wrong, by the tree's own counts."""
    leaves = [number for number, node in enumerate(tree.nodes) if node.feature < 0]
    return sum(sum(tree.counts[n]) - tree.counts[n][tree.nodes[n].label] for n in leaves)
