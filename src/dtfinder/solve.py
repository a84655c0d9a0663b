"""From a table to a Result: the recipe that the estimator and the command line both follow."""

from __future__ import annotations

import logging
import time
from abc import ABC, abstractmethod
from collections.abc import Collection, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from fractions import Fraction
from itertools import chain
from typing import Any, Generic, TypeVar, Unpack

from dtfinder.certify.write import is_lost, make_certificate
from dtfinder.data import Dataset, make_dataset, read_table
from dtfinder.errors import InfeasibleError, NoTreeYetError, Option, OptionError, WrongTreeError
from dtfinder.methods import Method, pick_method, refuse_sets, warn_of_idle_options
from dtfinder.nodes import Nodes
from dtfinder.options import CV, GivenOptions, Options, with_documented_options
from dtfinder.problem import Callback, Event, Problem, Progress, Score
from dtfinder.proof import Certificate, Proof
from dtfinder.report.live import watched
from dtfinder.result import Result
from dtfinder.run.checkpoint import Checkpoint
from dtfinder.run.memory import bytes_in_use
from dtfinder.run.signals import signals_set
from dtfinder.run.stop import AboveMemory, AfterSeconds, FirstOf, Flag, Stop, Stopped, Work
from dtfinder.run.team import open_team
from dtfinder.tree import Tree

_log = logging.getLogger(__name__)

Answer = TypeVar("Answer")


@with_documented_options
def find_tree(
    X: Any,
    y: Any = None,
    *,
    target: str | None = None,
    ignore: Collection[str] = (),
    weights: Any = None,
    callback: Callback | None = None,
    verbose: bool | None = None,
    **options: Unpack[GivenOptions],
) -> Result:
    """Find the smallest (or shallowest) tree that classifies a table, with what is proven about it.

    Parameters
    ----------
    X : data frame, array, path, or name of an embedded data set
        The table. A directory, a pattern such as `parts/*.parquet`, a list of files, or a file of
        more than a gigabyte is read in batches; see 'Tables of any length'.
    y : array of classes, default None
        The class of each row; or leave it out and name the `target` column of X.
    target : str or None, default None
        The class column of X; by default `target` or `class`, or else the last one.
    ignore : collection of str, default ()
        Columns to leave out.
    weights : array of numbers, column of X, or None, default None
        What it costs to get each row wrong. Errors are then sums of weights.
    callback : callable or None, default None
        Called with a Progress whenever a bound moves.
    verbose : bool or None, default None
        Show the bounds on stderr, live on a terminal and as plain lines anywhere else. None shows
        them only on a terminal or in a notebook, for runs without a limit that take long.
    {options}

    Examples
    --------
    >>> from dtfinder import find_tree
    >>> result = find_tree("weather")
    >>> result.status, result.nodes, result.lower_bound
    ('optimal', 9, 9)
    """
    from dtfinder.stream.scope import is_in_batches

    checked = Options.of(**options)
    if y is None and is_in_batches(X, checked, weights):
        from dtfinder.stream.solve import find_in_batches

        with watched(verbose, checked, callback) as told:
            return find_in_batches(X, target, ignore, weights, checked, told)
    pick_method(checked)  # a wrong name is an error at once, not after a large table is read
    with watched(verbose, checked, callback) as told:
        dataset = read_dataset(X, y, target, ignore, checked, weights)
        return solve(dataset, checked, callback=told)


def read_dataset(
    X: Any,
    y: Any,
    target: str | None,
    ignore: Collection[str],
    options: Options,
    weights: Any = None,
) -> Dataset:
    """The examples of a table, as the options ask for them."""
    reading = options.of_group("reading")
    table = read_table(X, y, target=target, ignore=ignore, weights=weights, **reading)
    return make_dataset(table, **options.of_group("data"))


def solve(
    dataset: Dataset,
    options: Options,
    *,
    callback: Callback | None = None,
    stop: Stop | None = None,
    verbose: bool = False,
) -> Result:
    """Run the method that `options` name on `dataset` until it is done or a limit is met."""
    if verbose:
        with watched(verbose, options, callback) as told:
            return solve(dataset, options, callback=told, stop=stop)
    method = pick_method(options)
    warn_of_idle_options(options, method)
    refuse_sets(dataset, method)
    weighted = dataset.weights is not None and dataset.unavoidable_errors > 0
    if options.certify and method.exact and weighted:
        raise OptionError(
            Option("certify"),
            " needs rows that agree where rows have weights, and some contradict each other; use ",
            Option("method", "counting"),
            ", whose proofs are about errors",
        )
    if options.max_nodes == CV:
        from dtfinder.front.choose import choose_tree

        return choose_tree(dataset, options, callback, stop)
    run = Run(problem_of(dataset, options, method), method.name, callback, certify=options.certify)
    return run_search(run, method, options, stop)


def problem_of(dataset: Dataset, options: Options, method: Method) -> Problem:
    """What the options ask of the method."""
    assert not isinstance(options.max_nodes, str), "the size is still to be chosen"
    problem = Problem(dataset, method.minimise, options.max_depth, options.max_nodes)
    if method.exact:
        return problem.as_exact()
    penalty = None if options.leaf_penalty is None else Fraction(str(options.leaf_penalty))
    errors = options.max_errors
    if isinstance(errors, str):
        errors = int(Fraction(errors.removesuffix("%")) * dataset.total_weight / 100)
    elif errors is not None and dataset.weights is not None:
        errors = int(errors / dataset.weights.unit)
    return replace(problem, max_errors=errors, leaf_penalty=penalty)


class Following(ABC, Generic[Answer]):
    """Follows the events of a search; has the clock and the reason why it ended."""

    def __init__(self, problem: Problem, method: str, callback: Callback | None) -> None:
        self.problem, self._method, self._callback = problem, method, callback
        self._pieces: list[Proof] = []
        self._checkpoint: Checkpoint | None = None
        self._begin = time.perf_counter()
        self.stopped_by: str | None = None

    def begin(self, checkpoint: Checkpoint | None = None, at: float | None = None) -> None:
        """Start the clock, or say when it was started."""
        self._checkpoint, self._begin = checkpoint, time.perf_counter() if at is None else at

    @property
    def seconds(self) -> float:
        """How long it has run."""
        return time.perf_counter() - self._begin

    def follow(self, events: Iterator[Event]) -> None:
        """Take every event until the search ends, or until nothing is left to find out."""
        try:
            for event in events:
                if event.proof is not None:
                    self._pieces.append(event.proof)
                self.take(event)
                if self.settled:
                    break
        except (Stopped, MemoryError) as reason:
            self.stopped_by = str(reason) or "memory limit"

    @abstractmethod
    def take(self, event: Event) -> None:
        """Add what an event brings."""

    @property
    def settled(self) -> bool:
        """Whether nothing is left to find out."""
        return False

    def is_lost(self, tree: Tree | None) -> bool:
        """Whether there was no memory for the proof; then it says so."""
        lost = is_lost(tree, self._pieces)
        if lost:
            _log.warning("the proof did not fit in memory: there is no certificate")
        return lost

    @abstractmethod
    def result(self, work: Work, interrupted: Flag) -> Answer:
        """The end of the run."""


def limits(options: Options, seconds: float = 0.0) -> list[Stop]:
    """The rules for the limits on time and memory, `seconds` after the start."""
    rules: list[Stop] = []
    if options.time_limit is not None:
        rules.append(AfterSeconds(max(0.0, options.time_limit - seconds)))
    if options.memory_limit is not None:
        rules.append(AboveMemory(int(options.memory_limit * 1e9), bytes_in_use))
    return rules


def run_search(
    run: Following[Answer], method: Method, options: Options, stop: Stop | None = None
) -> Answer:
    """Let `run` follow the method's search until it is done or a limit is met."""
    method.prepare()
    work, interrupted = Work(options.work_limit), Flag()
    rules = [interrupted, *(() if stop is None else (stop,)), *limits(options)]
    rules.append(work)  # last: the first tree waits for no work, but for all others
    with ExitStack() as closing:
        opened = open_team(
            options,
            run.problem,
            name=method.name,
            identity=method.identity,
            native=method.native,
            splits=method.splits,
        )
        team = closing.enter_context(opened)
        run.begin(team.checkpoint)
        with signals_set(interrupted):
            with _cut_short_after(interrupted):
                run.follow(method.search(run.problem, FirstOf(*rules), work, team))
            with _cut_short_after(interrupted):
                closing.close()
            return run.result(work, interrupted)


@contextmanager
def _cut_short_after(interrupted: Flag) -> Iterator[None]:
    """Once a Ctrl-C has set the flag, another one ends what is inside and nothing else: what the
    run has found is not lost."""
    try:
        yield
    except KeyboardInterrupt:
        if not interrupted():
            raise


class Run(Following[Result]):
    """What is known so far: folds a search's events into the best tree and the best bounds."""

    def __init__(
        self,
        problem: Problem,
        method: str,
        callback: Callback | None,
        *,
        certify: bool = False,
    ) -> None:
        super().__init__(problem, method, callback)
        self._certify = certify
        self.bounds, self._tree = Score(), None
        self._nodes: Nodes | None = None  # of the tree, over the dataset's features
        self.score: Score | None = None  # with the errors that it makes on the user's own table
        self._stats: dict[str, float] = {}
        self._history: list[Progress] = []
        self._refusal: tuple[str | Option, ...] | None = None  # that no tree is within the limits

    _tree: Tree | None

    def follow(self, events: Iterator[Event]) -> None:
        """Take what was known before, too."""
        super().follow(chain(self._known_before(), events))

    @property
    def settled(self) -> bool:
        """Whether the bounds meet, or no tree is within the limits."""
        return self._refusal is not None or self._optimal()

    def _known_before(self) -> Iterator[Event]:
        """What a run before this one wrote to the checkpoint. Bounds come without a proof."""
        if self._checkpoint is not None:
            bounds = Score() if self._certify else self._checkpoint.bounds
            yield Event(bounds, self._checkpoint.nodes)

    def _optimal(self) -> bool:
        return self.score is not None and self.problem.met(self.score, self.bounds)

    def take(self, event: Event) -> None:
        """Add what an event brings."""
        for name, amount in event.stats.items():
            self._stats[name] = self._stats.get(name, 0) + amount
        if event.infeasible:
            needed = event.bounds.joined(self.problem.beyond_limits())
            trusted = self._checkpoint is not None and self._checkpoint.trusted
            by = "by bounds taken from the checkpoint" if trusted else "it is proven that"
            limits = self._limits(f"{by} no tree", needed)
            cure = "a larger tree" if self.problem.labelled else "more errors or a larger tree"
            self._refusal = (*limits, f"; allow {cure}")
            return
        before = (self.bounds, self._tree)
        self.bounds = self.bounds.joined(event.bounds)
        if event.nodes is not None and event.nodes != self._nodes:
            tree = Tree.of(self.problem.dataset, event.nodes)
            score = Score(self._errors_of(tree), tree.size // 2, tree.depth)
            if self.problem.better(score, self.score):
                self._tree, self._nodes, self.score = tree, event.nodes, score
        if (self.bounds, self._tree) != before:
            self._note()
            self._tell()

    def _errors_of(self, tree: Tree) -> int:
        """The errors of a tree on the user's own table; raises if they contradict what is known."""
        dataset = self.problem.dataset
        if self.problem.labelled:
            return tree.check(dataset)
        errors = tree.errors_on(dataset)
        if errors < self.bounds.errors and self.problem.allows(Score.of(tree.nodes, errors)):
            raise WrongTreeError(
                f"a tree of {tree.size} nodes makes {errors} errors where {self.bounds.errors} "
                "were proven to be needed; please report this"
            )
        return errors

    def _note(self) -> None:
        """Write what is known now to the checkpoint, if there is one."""
        if self._checkpoint is not None:
            self._checkpoint.note_bounds(self.bounds)
            if self._nodes is not None:
                self._checkpoint.note_tree(list(self._nodes))

    def _tell(self) -> None:
        problem = self.problem
        cost = None
        if problem.leaf_penalty is not None and self.score is not None:
            cost = problem.cost(self.score)
        state = Progress(
            self.seconds,
            self.bounds,
            self.score,
            self._method,
            problem.aims,
            self._tree,
            cost,
            weight_unit=None if problem.dataset.weights is None else problem.dataset.weights.unit,
        )
        self._history.append(state)
        if self._callback:
            self._callback(state)

    def _limits(self, start: str, bounds: Score) -> tuple[str | Option, ...]:
        names: dict[str, float | None] = {
            "max_depth": self.problem.max_depth,
            "max_nodes": self.problem.max_nodes,
        }
        errors, unavoidable = self.problem.max_errors, self.problem.dataset.unavoidable_errors
        weights = self.problem.dataset.weights
        unit = 1 if weights is None else float(weights.unit)
        needed = f"(at least {bounds.nodes} nodes and depth {bounds.depth} are needed)"
        if not self.problem.labelled and errors is not None:
            names["max_errors"] = errors * unit
            if errors < unavoidable:
                needed = f"(contradictory rows make {unavoidable * unit:g} unavoidable)"
        given = [Option(name, value) for name, value in names.items() if value is not None]
        joined = [piece for each in given for piece in (" and ", each)]
        return (
            start,
            *([" with ", *joined[1:]] if given else []),
            f" {'classifies all examples' if self.problem.labelled else 'exists'} {needed}",
        )

    def _certificate(self, tree: Tree | None, interrupted: Flag) -> tuple[Certificate | None, bool]:
        """The certificate that the tree is optimal, or that there is none, if one was asked for;
        and whether it was finished."""
        if not self._certify:
            return None, True
        if self.is_lost(tree):
            return None, True
        certificate = None
        with _cut_short_after(interrupted):
            certificate = make_certificate(self.problem, tree, self._pieces)
        return certificate, certificate is not None

    def result(self, work: Work, interrupted: Flag) -> Result:
        """The end of the run; its tree was checked on every row of the table when it came."""
        if self._refusal is not None:
            certificate, complete = self._certificate(None, interrupted)
            stopped_by = None if complete else interrupted()
            raise InfeasibleError(*self._refusal, certificate=certificate, stopped_by=stopped_by)
        if self._tree is None or self.score is None:
            reason = self.stopped_by or interrupted() or "method"
            start = f"the run ended ({reason}) before a tree was found that"
            raise NoTreeYetError(*self._limits(start, self.bounds), reason=reason)
        certificate, complete = None, False
        if self._optimal():
            certificate, complete = self._certificate(self._tree, interrupted)
        return Result.of(
            self.problem,
            self._tree,
            self.score,
            self.bounds,
            complete,
            method=self._method,
            seconds=self.seconds,
            stopped_by=self.stopped_by or interrupted(),
            from_checkpoint=self._checkpoint is not None and self._checkpoint.trusted,
            stats={"work": work.spent, **self._stats},
            history=tuple(self._history),
            dataset=self.problem.dataset,
            certificate=certificate,
        )
