"""What the SAT searches share: how they start, what they know, and how they ask.

A session belongs to one run. It offers the greedy tree before any slow step, keeps the range of
leaves that is still open, puts questions to the solver process and counts their work.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, field, replace
from functools import partial

from dtfinder.bound.path_length import NOTHING_PROVEN, PathBounds, path_bounds
from dtfinder.data.examples import Examples
from dtfinder.decide.by_topology import decide_by_topology, template_of
from dtfinder.decide.sat import Answer, Question, decide
from dtfinder.nodes import Node
from dtfinder.problem import Event, Problem, Score
from dtfinder.run import worker
from dtfinder.run.checkpoint import Checkpoint
from dtfinder.run.local_pool import InlinePool
from dtfinder.run.stop import Stop, Stopped, Work
from dtfinder.run.team import ALONE, Team
from dtfinder.search.greedy import greedy_tree
from dtfinder.search.sat_setup import Setup


@dataclass
class Session:
    """The state of one SAT search."""

    setup: Setup
    problem: Problem
    stop: Stop
    work: Work
    team: Team = ALONE
    examples: Examples = field(init=False)
    bounds: Score = field(init=False)  # of every optimal tree within the limits
    free_bounds: Score = field(init=False)  # of every tree, within the limits or not
    path_bounds: PathBounds = field(init=False, default=NOTHING_PROVEN)
    greedy: list[Node] = field(init=False)
    best: list[Node] | None = field(init=False, default=None)
    done: bool = field(init=False, default=False)

    def start(self) -> Iterator[Event]:
        """The greedy tree with the bounds that cost nothing, then those by MaxSAT."""
        self.problem = self.problem.as_exact()
        self.examples = Examples.of(self.problem.dataset)
        self.bounds = self.free_bounds = self.problem.first_bounds()
        if self.examples.n_classes > 1:
            worker.prepare()
        self.greedy = greedy_tree(self.problem.dataset, self.stop)
        if self.problem.allows(self._score(self.greedy)):
            self.best = self.greedy
        yield Event(self.bounds, self.best)
        if self.setup.switches.pure_features:
            self.examples = self.examples.without_constants()
        if self._settled():
            yield from self.end()
        elif self.setup.switches.path_bounds:
            self.path_bounds = proven = self._prove_path_bounds()
            self.free_bounds = self.bounds.raised(proven.leaves - 1, proven.depth)
            yield self.raise_bounds(self.free_bounds.inner, self.free_bounds.depth)
            if self._settled():
                yield from self.end()
        if not self.done and self.team.checkpoint is not None:
            yield self._resume(self.team.checkpoint)
            if self._settled():
                yield from self.end()

    def _prove_path_bounds(self) -> PathBounds:
        """By MaxSAT, or as a run before this one noted them."""
        checkpoint = self.team.checkpoint
        if checkpoint is not None and checkpoint.paths is not None:
            known = checkpoint.paths
            return PathBounds(known["left"], known["right"], known["general"])
        proven = worker.call(path_bounds, self.examples, stop=self.stop)
        self.work.spend(proven.work)
        if checkpoint is not None:
            checkpoint.note("paths", left=proven.left, right=proven.right, general=proven.general)
        return proven

    def _resume(self, checkpoint: Checkpoint) -> Event:
        """The event that says what a run before this one has found and proven."""
        if checkpoint.nodes is not None:
            self.best = list(checkpoint.nodes)
        self.bounds = self.bounds.joined(checkpoint.bounds)
        return Event(self.bounds, self.best)

    def _settled(self) -> bool:
        """Whether the best tree meets the bounds, or the limits are below them."""
        if self.best is not None:
            return self.problem.met(self._score(self.best), self.bounds)
        return self.least_leaves > self.most_leaves or self.bounds.depth > self.most_depth

    def _score(self, nodes: list[Node]) -> Score:
        return Score.of(nodes, self.problem.dataset.unavoidable_errors)

    @property
    def least_leaves(self) -> int:
        """Every optimal tree is proven to have at least this many leaves."""
        return self.bounds.inner + 1

    @property
    def most_leaves(self) -> int:
        """No tree within the limits that is worth having has more leaves: one per example is
        enough, and a tree of this depth has room for 2^depth."""
        most = self.examples.n_examples
        if self.problem.max_inner is not None:
            most = min(most, self.problem.max_inner + 1)
        return leaves_within(most, self.problem.max_depth)

    @property
    def most_depth(self) -> int:
        """No tree within the limits that is worth having is deeper: no feature is asked twice, and
        every level has a leaf."""
        most = min(self.examples.n_features, self.most_leaves - 1)
        return most if self.problem.max_depth is None else min(most, self.problem.max_depth)

    def ask(self, paths: int, depth: int | None = None, *, at_most: bool = False) -> Answer:
        """Is there a tree with `paths` leaves and this depth (or the problem's)? Raises Stopped
        when a limit is met first."""
        depth = self.problem.max_depth if depth is None else depth
        question = Question(
            self.examples,
            paths,
            depth,
            at_most=at_most,
            encoding=self.setup.encoding,
            switches=self.setup.switches,
            bounds=self.path_bounds,
            solver=self.setup.solver,
            cardinality=self.setup.cardinality,
            prove=self.setup.prove,
        )
        checkpoint = self.team.checkpoint
        if checkpoint is not None and not at_most and checkpoint.refuted(paths, depth):
            return Answer(None, True, 0)
        answer = self._answer(question)
        self.work.spend(answer.work)
        if not answer.finished:
            raise Stopped(self.stop() or "work limit")
        if checkpoint is not None and not at_most and answer.nodes is None:
            checkpoint.note("refuted", paths=paths, depth=depth)
        return answer

    def _answer(self, question: Question) -> Answer:
        """From the solver process, or, split by topologies, from the pool."""
        splitting, budget = self.setup.splitting, self.work.left
        if splitting is None:
            return worker.call(decide, question, budget, stop=self.stop)
        if splitting.ordered:
            splitting = replace(splitting, close_to=self.greedy)
        ask = partial(decide_by_topology, question, splitting, self.stop, budget=budget)
        pool = self.team.pool
        if pool is None:
            with closing(InlinePool()) as pool:
                return ask(pool)
        checkpoint, paths, depth = self.team.checkpoint, question.paths, question.depth
        if checkpoint is None:
            return ask(pool)
        return ask(
            pool,
            refuted=[template_of(each) for each in checkpoint.templates(paths, depth)],
            note=lambda part: checkpoint.note("template", paths=paths, depth=depth, template=part),
        )

    def raise_bounds(self, inner: int = 0, depth: int = 0, stats: Answer | None = None) -> Event:
        """The event that says what is proven now."""
        self.bounds = self.bounds.raised(inner, depth)
        if stats is None:
            return Event(self.bounds)
        return Event(self.bounds, stats=stats.stats, proof=stats.proof)

    def take(self, answer: Answer) -> Event:
        """The event that brings the tree of an answer."""
        self.best = answer.nodes
        return Event(self.bounds, answer.nodes, stats=answer.stats)

    def end(self) -> Iterator[Event]:
        """No better tree is left: the best one is optimal, or there is none within the limits."""
        self.done = True
        if self.best is not None:
            yield self.raise_bounds(len(self.best) // 2)
            return
        # What this says about trees outside of the limits depends on which limit it is due to.
        proven = self.free_bounds
        if self.problem.max_depth is None:
            proven = proven.raised(inner=self.most_leaves)
        elif self.most_leaves == leaves_within(self.examples.n_examples, self.problem.max_depth):
            proven = proven.raised(depth=self.problem.max_depth + 1)
        yield Event(proven, infeasible=True)


def leaves_within(most: int, depth: int | None) -> int:
    """`most`, or as many leaves as a tree of this depth can have if those are fewer."""
    return most if depth is None else min(most, 1 << min(depth, 62))
