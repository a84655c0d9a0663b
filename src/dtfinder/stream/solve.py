"""From a table in batches to a Result: survey it, count it, search the counts, check the tree."""

from __future__ import annotations

import logging
import time
from collections.abc import Collection
from contextlib import closing
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from dtfinder._core import CubeSearch
from dtfinder.errors import (
    DataError,
    InfeasibleError,
    NoTreeYetError,
    Option,
    OptionError,
    WrongTreeError,
)
from dtfinder.methods import COUNTING, METHODS
from dtfinder.nodes import Nodes
from dtfinder.options import Options
from dtfinder.problem import Callback, Problem, Progress, Score
from dtfinder.proof import Certificate
from dtfinder.result import Result
from dtfinder.run.cluster import ClusterPool
from dtfinder.run.pool import worker_count
from dtfinder.run.signals import signals_set
from dtfinder.run.stop import FirstOf, Flag, Stop, Stopped
from dtfinder.search.cubes import MOST_DEPTH, Limited, best_of, bounds_of, groups, least_memory
from dtfinder.solve import limits, problem_of
from dtfinder.stream.answer import (
    bare_tree,
    labelled,
    long_table,
    one_leaf,
    questions_text,
    say_what_is_left_out,
)
from dtfinder.stream.certificate import make_counts_certificate
from dtfinder.stream.cluster import OnCluster
from dtfinder.stream.counting import Checking, Counting, Surveying
from dtfinder.stream.dask_frame import is_dask_frame, open_frame
from dtfinder.stream.deeper import (
    LeafCounting,
    contradictions_in,
    deeper_bounds,
    grow,
    in_groups,
    opened,
)
from dtfinder.stream.passes import Pace, Pass, Threads
from dtfinder.stream.questions import Questions, questions_of
from dtfinder.stream.scope import check_options
from dtfinder.stream.source import Files, NotNumbers, Source, open_files, paths_of
from dtfinder.stream.survey import Survey
from dtfinder.tree import Tree

_log = logging.getLogger(__name__)
Sum = TypeVar("Sum")

METHOD = "cubes"
MEMORY = 4_000_000_000  # bytes that a run may use, unless a memory limit says otherwise
ON_CLUSTER = 500_000_000  # bytes for the cubes of one task


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


@dataclass
class Run:
    """One search: what it has found so far, and the clock."""

    source: Source
    options: Options
    callback: Callback | None
    pool: ClusterPool | None = None

    def __post_init__(self) -> None:
        self._begin = time.perf_counter()
        self._workers = worker_count(self.options.workers)
        self._interrupted = Flag()
        self._passes = self._contradictions = 0
        self._stopped_by: str | None = None

    def result(self) -> Result:
        """Survey the table, count it, search the counts, check the tree."""
        survey, counted = None, True
        try:
            with signals_set(self._interrupted):
                survey = self._survey()
                asked = questions_of(
                    survey,
                    self.source.names,
                    self.source.target,
                    text=self.source.text,
                    max_thresholds=self.options.max_thresholds,
                    missing=self.options.missing,
                )
                say_what_is_left_out(asked)
                problem = problem_of(long_table(asked), self.options, self._method())
                found = self._search(asked, problem)
                if found is not None and not Limited.of(problem).decided:
                    found = self._deeper(asked, problem, *found)
                    self._contradictions = contradictions_in(survey, asked)
                tree = None if found is None else self._checked(asked, *found)
        except Stopped as reason:
            self._stopped_by, counted = str(reason), False
            tree = None if survey is None else one_leaf(asked, survey)
            if tree is None or not problem.allows(Score.of(tree.nodes, tree.wrong_rows)):
                raise NoTreeYetError(
                    f"the run ended ({reason}) before all rows were counted", reason=str(reason)
                ) from None
        if tree is None:
            raise InfeasibleError(
                "it is proven that no tree within the limits has at most ",
                Option("max_errors", self.options.max_errors),
                " errors; allow more errors or a larger tree",
            )
        return self._made(asked, problem, tree, counted)

    def _method(self) -> Any:
        return replace(METHODS[COUNTING], minimise=self.options.minimise)

    def _survey(self) -> Survey:
        while True:
            try:
                work = Surveying(self.options.missing == "drop")
                return self._pass("reading", work, self.source.rows)
            except NotNumbers as error:
                assert isinstance(self.source, Files)
                self.source = self.source.with_words(error.column)

    def _search(self, asked: Questions, problem: Problem) -> tuple[Score, Nodes] | None:
        """The best tree by all cubes, in as many passes as memory requires."""
        within = Limited.of(problem)
        columns = asked.cube_columns()
        needed = least_memory(columns, len(asked.classes), within.depth)
        if needed > self._memory():
            raise OptionError(
                Option("max_thresholds", asked.max_thresholds),
                f" needs {needed / 1e9:.1f} GB; use fewer, or a larger ",
                Option("memory_limit"),
            )
        counting = Counting(asked, within.depth)
        search = self._cubes = CubeSearch(counting.layout)
        batches = list(groups(counting.layout, self._memory_for_cubes()))
        for number, (begin, end) in enumerate(batches, start=1):
            name = "counting" if len(batches) == 1 else f"counting {number} of {len(batches)}"
            search.take(self._pass(name, replace(counting, begin=begin, end=end), asked.rows))
        return best_of(search, problem, within)

    def _deeper(
        self, asked: Questions, problem: Problem, score: Score, nodes: Nodes
    ) -> tuple[Score, Nodes]:
        """A deeper tree, level by level, for as long as leaves err and have room."""
        counting = Counting(asked, MOST_DEPTH)
        counting = replace(counting, end=counting.layout.triples)
        tree = opened(nodes, set(range(len(nodes))), problem.max_depth, score.errors)
        while tree.open and tree.errors:
            batches = in_groups(list(tree.open), counting.layout.cells, self._memory_for_cubes())
            before = len(tree.nodes)
            for number, leaves in enumerate(batches, start=1):
                work = LeafCounting(counting, tree.nodes, tuple(leaves))
                searches = {}
                try:
                    grown = self._pass("growing", work, asked.rows)
                except Stopped as reason:
                    self._stopped_by = str(reason)
                    return Score.of(tree.nodes, tree.errors), tree.nodes
                for leaf, counts in grown.items():
                    searches[leaf] = CubeSearch(counting.layout)
                    searches[leaf].take(counts)
                tree = grow(tree, searches, problem, final=number == len(batches))
            if len(tree.nodes) == before:
                break
        return Score.of(tree.nodes, tree.errors), tree.nodes

    def _memory_for_cubes(self) -> int:
        """Bytes for each thread, or for each task on a cluster, where two sums may meet."""
        if self.pool is not None:
            return min(ON_CLUSTER, self._memory() // 4)
        return self._memory() // 2 // self._workers

    def _memory(self) -> int:
        """Bytes that the run may use."""
        given = self.options.memory_limit
        return MEMORY if given is None else int(given * 1e9)

    def _checked(self, asked: Questions, score: Score, nodes: Nodes) -> Tree:
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
        rules: list[Stop] = [self._interrupted, *limits(self.options, self._seconds)]
        if self._stopped_by is not None:  # the tree so far is checked all the same
            rules = []
        if self.pool is not None:
            cluster = OnCluster(self.source, work, self.pool)
            return cluster.run(name, total, self._tell, FirstOf(*rules))
        threads = Threads(self.source, work, self._workers)
        return threads.run(name, total, self._tell, FirstOf(*rules))

    @property
    def _seconds(self) -> float:
        return time.perf_counter() - self._begin

    def _tell(self, pace: Pace) -> None:
        if self.callback is not None:
            self.callback(Progress(self._seconds, Score(), method=METHOD, doing=pace.text))

    def _certificate(self, asked: Questions, problem: Problem, tree: Tree) -> Certificate | None:
        if not self.options.certify:
            return None
        made = make_counts_certificate(asked, problem, tree)
        if made is None:
            _log.warning("two values are written the same way: there is no certificate")
        return made

    def _made(self, asked: Questions, problem: Problem, tree: Tree, counted: bool) -> Result:
        score = Score.of(tree.nodes, tree.wrong_rows)
        within = Limited.of(problem)
        decided, bounds = within.decided and counted, Score()
        if decided:
            bounds = bounds_of(problem, score)
            assert problem.met(score, bounds)
        elif counted:
            bounds = deeper_bounds(self._cubes, score, self._contradictions, within.depth)
        seconds = self._seconds
        return Result.of(
            problem,
            tree,
            score,
            bounds,
            complete=True,
            method=METHOD,
            seconds=seconds,
            stopped_by=self._stopped_by,
            stats={"rows": asked.rows, "passes": self._passes},
            history=(Progress(seconds, bounds, score, METHOD, problem.aims, tree),),
            questions=questions_text(asked),
            certificate=self._certificate(asked, problem, tree) if decided else None,
        )
