"""A job on a cluster: rounds of slices, and facts that go round with them.

In every round each worker runs a slice of some seconds on an engine of its own. All engines search
the whole table from the root, so each by itself would find the optimum, and a worker that dies
takes nothing with it that another could not find. What makes them faster together: each takes other
parts of the search first, and the facts that took an engine most work come back with its reply and
go out to all others with the next round. So the number of workers may change from round to round,
and a lost reply costs one slice.

What moves over the network. Once for every worker: the examples. In a round, for every worker: at
most SENT facts come back, and the KEPT costliest of all go out, shared as one piece of data that
workers get from each other. A fact is some hundred bytes for a hundred examples.

With a checkpoint, a run that certifies keeps every reply, and one that goes on from it takes them
again, in their order; any other run keeps the facts.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from fractions import Fraction

from dtfinder.errors import CheckpointError
from dtfinder.nodes import Node
from dtfinder.problem import SIZE, Problem, Score
from dtfinder.proof import Lemmas, SpineProof
from dtfinder.run.checkpoint import Checkpoint, Entry
from dtfinder.run.pool import Blob, Piece, Pool
from dtfinder.run.stop import AfterSeconds, Stop, Stopped, Work
from dtfinder.search.engine import STEPS_OF_WORK, Found, Job, Report, State
from dtfinder.search.fact_log import FactLog
from dtfinder.search.greedy import greedy_tree
from dtfinder.search.rounds_worker import Order, Reply, forget, run_slice

FIRST_SECONDS, LONGEST_SECONDS = 0.25, 4.0  # of a slice; each is twice as long as the one before
FAREWELL_SECONDS = 2.0
NEVER = 1 << 62
NOTED = 1000  # facts that a round adds to a checkpoint
NOBODY = ""  # the sender of facts from a checkpoint


@dataclass
class Rounds:
    """Engines on the workers of a pool."""

    job: Job
    problem: Problem
    pool: Pool
    checkpoint: Checkpoint | None
    stop: Stop
    work: Work
    several = True

    def __post_init__(self) -> None:
        self._log = FactLog(self.problem.minimise)
        self._upper = NEVER  # inner nodes of the best tree, where a bound that meets it is the end
        self._shared: object = None  # the job, once workers have it

    def reports(self) -> Iterator[Report]:
        """The greedy tree, what a checkpoint keeps, then round after round."""
        dataset = self.problem.dataset
        first = tuple(greedy_tree(dataset, self.stop))
        if self.problem.allows(Score.of(first, dataset.unavoidable_errors)):
            yield self._seen(State((Found(Score(), first, dataset.unavoidable_errors),)))
        yield from self._before()
        self._shared = self.pool.share(Blob.of(self.job))
        seconds = FIRST_SECONDS
        while True:
            yield from self._round(seconds)
            if reason := self.stop():
                raise Stopped(reason)
            self._log.close_round()
            seconds = min(2 * seconds, LONGEST_SECONDS)

    def _before(self) -> Iterator[Report]:
        """What a run before this one wrote to the checkpoint."""
        if self.checkpoint is None:
            return
        for facts in self.checkpoint.facts:
            with _read_from_checkpoint():
                self._log.take_facts(NOBODY, facts)
        self._log.fresh(0)  # they are in the checkpoint already
        for entry in self.checkpoint.replies:
            with _read_from_checkpoint():
                reply = _read_again(entry)
                self._log.take(reply)
            yield self._seen(reply.state)

    def _round(self, seconds: float) -> Iterator[Report]:
        with self.pool.run(self._pieces(seconds), self._shared, self.stop) as run:
            for _, reply in run:
                self._log.take(reply)
                if self.checkpoint is not None and self.job.certify:
                    self.checkpoint.note_reply(asdict(reply))
                yield self._seen(reply.state, reply.steps)
        if self.checkpoint is not None and not self.job.certify:
            self.checkpoint.note_facts(self._log.fresh(NOTED))

    def _pieces(self, seconds: float) -> Iterator[Piece]:
        owners = max(1, self.pool.workers())
        facts = self.pool.share(Blob.of(self._log.facts()))
        left = self.work.left
        steps = NEVER if left is None else left * STEPS_OF_WORK // owners + 1
        for owner in range(owners):
            order = Order(owner, owners, seconds, steps, self._upper, dict(self._log.heard))
            yield Piece(owner, run_slice, (facts, order))

    def _seen(self, state: State, steps: int = 0) -> Report:
        tree = state.found[-1].tree
        if tree and self.problem.minimise == SIZE and self.problem.labelled:
            self._upper = min(self._upper, len(tree) // 2)
        return Report(steps, state)

    def proof(self) -> Lemmas | SpineProof:
        """What the best bound rests on."""
        return self._log.proof(self.problem.dataset.first_rows)

    def close(self) -> None:
        """Let the workers forget their engines, if they can be reached and nobody is in a hurry."""
        if self._shared is None or isinstance(sys.exception(), KeyboardInterrupt):
            return
        pieces = [Piece(number, forget) for number in range(self.pool.workers())]
        with suppress(Exception):
            self.pool.watch()  # raises if nobody is there any more
            with self.pool.run(pieces, self._shared, AfterSeconds(FAREWELL_SECONDS)) as run:
                for _ in run:
                    pass


def _score(bounds: Entry) -> Score:
    errors, inner, depth = (int(bounds[name]) for name in ("errors", "inner", "depth"))
    return Score(errors, inner, depth, Fraction(bounds["cost"]))


@contextmanager
def _read_from_checkpoint() -> Iterator[None]:
    """Inside, whatever is wrong is the checkpoint's fault."""
    try:
        yield
    except (KeyError, IndexError, TypeError, ValueError, AttributeError) as error:
        raise CheckpointError(f"the checkpoint has a wrong reply or fact: {error}") from error


def _read_again(entry: Entry) -> Reply:
    """A reply that went through a checkpoint."""
    state = entry["state"]
    found = tuple(
        Found(
            _score(each["bounds"]),
            tuple(Node(*node) for node in each["tree"]),
            each["errors"],
            each["at"],
        )
        for each in state["found"]
    )
    return Reply(**{**entry, "state": State(found, state["final"], state["infeasible"])})
