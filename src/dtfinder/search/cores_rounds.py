"""The native engine on a cluster: rounds of slices, and facts that go round with them.

In every round each worker runs a slice of some seconds on an engine of its own. All engines search
the whole table from the root, so each by itself would find the optimum, and no worker that dies
takes anything along that another could not find. What makes them faster together: each takes other
parts of the search first (`src/core/exchange.hpp`), and the facts that took an engine most work
come back with its reply and go out to all others with the next round. So the number of workers may
change from round to round, and a lost reply costs one slice.

What moves over the network. Once for every worker: the examples. In a round, for every worker: at
most LETTER facts back, and out the KEPT costliest facts of all, shared as one piece of data that
workers get from each other. A fact is some hundred bytes for a hundred examples.

Certificates. Engines that record lemmas send those that their facts and bounds rest on, each once,
and only to this process. A lemma that rests on a fact from elsewhere cites its number. As lemmas
arrive only after all that they cite, the order of arrival is an order of proof. A checkpoint then
keeps every reply, and a run that goes on from it takes them again, in their order.
"""

from __future__ import annotations

import sys
import time
import uuid
from collections.abc import Generator, Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass, replace

import numpy as np

from dtfinder.errors import CheckpointError
from dtfinder.problem import SIZE, Event, Problem
from dtfinder.proof import Lemmas
from dtfinder.run.checkpoint import Entry, Journal
from dtfinder.run.pool import Blob, Piece, Pool
from dtfinder.run.stop import Stop, Stopped, Work
from dtfinder.search.cores import (
    STEPS_OF_WORK,
    goal_of,
    memory_for_facts,
    rows_of_examples,
)
from dtfinder.search.cores_round import Facts, Job, Order, Reply, forget, run_round
from dtfinder.search.cores_tally import Found, Tally
from dtfinder.search.greedy import allowed, greedy_tree
from dtfinder.tree import Node

FIRST_SECONDS, LONGEST_SECONDS = 0.25, 4.0  # of a slice; each is twice as long as the one before
KEPT = 10_000  # facts
FAREWELL_SECONDS = 2.0
NEVER = 1 << 62
NOTED = 1000  # facts that a round adds to a checkpoint
NOBODY = ""  # the sender of facts from a checkpoint


def search_in_rounds(
    pool: Pool,
    problem: Problem,
    stop: Stop,
    work: Work,
    *,
    journal: Journal | None = None,
    certify: bool = False,
    memory_limit: float | None = None,
) -> Generator[Event, None, None]:
    """Events until the optimum is proven, or it is proven that there is no tree."""
    tally, library = Tally(problem, certify), Library()
    for letter in journal.letters if journal is not None else ():
        library.take_facts(NOBODY, letter)
    library.news(0)  # they are in the checkpoint already
    tree = greedy_tree(problem.dataset)
    if allowed(problem, tree):
        first = tally.take(Found(0, 0, tuple(tree), done=False, infeasible=False))
        if first is not None:
            yield replace(first, proof=library.proof(problem)) if tally.ended and certify else first
    for entry in journal.replies if journal is not None and not tally.ended else ():
        reply = _read_again(entry)
        library.take(reply, problem)
        event = tally.take(reply.found)
        if event is not None:
            yield replace(event, proof=library.proof(problem)) if tally.ended else event
        if tally.ended:
            return
    job = pool.share(Blob.of(_job(problem, certify, memory_limit)))
    seconds, spent = FIRST_SECONDS, 0
    try:
        while not tally.ended:
            with pool.run(_pieces(pool, problem, library, tally, seconds, work), job, stop) as run:
                for _, reply in run:
                    work.spend((spent + reply.steps) // STEPS_OF_WORK - spent // STEPS_OF_WORK)
                    spent += reply.steps
                    library.take(reply, problem)
                    if journal is not None and certify:
                        journal.note_reply(asdict(reply))
                    event = tally.take(reply.found)
                    if event is not None and tally.ended and certify:
                        event = replace(event, proof=library.proof(problem))
                    if event is not None:
                        yield event
                    if tally.ended:
                        break
            if not tally.ended and (reason := stop()):
                raise Stopped(reason)
            if journal is not None and not certify:
                journal.note_letter(library.news(NOTED))
            library.close_round()
            seconds = min(2 * seconds, LONGEST_SECONDS)
    finally:
        _say_goodbye(pool, job)


def _read_again(entry: Entry) -> Reply:
    """A reply that went through a checkpoint."""
    try:
        found = entry["found"]
        tree = tuple(Node(*node) for node in found["tree"])
        return Reply(**{**entry, "found": Found(**{**found, "tree": tree})})
    except (KeyError, TypeError, ValueError) as error:
        raise CheckpointError(f"the checkpoint has a wrong reply: {error}") from error


def _job(problem: Problem, certify: bool, memory_limit: float | None) -> Job:
    goal = goal_of(problem)
    return Job(
        run=uuid.uuid4().hex,
        bits=np.ascontiguousarray(problem.dataset.bits),
        labels=np.ascontiguousarray(problem.dataset.labels, dtype=np.int64),
        depth_first=goal.depth_first,
        max_depth=goal.max_depth,
        max_inner=goal.max_inner,
        certify=certify,
        memory=memory_for_facts(memory_limit, certify),
    )


def _pieces(
    pool: Pool, problem: Problem, library: Library, tally: Tally, seconds: float, work: Work
) -> Iterator[Piece]:
    owners = max(1, pool.workers())
    facts = pool.share(Blob.of(library.facts()))
    steps = NEVER if work.left is None else work.left * STEPS_OF_WORK // owners + 1
    upper = len(tally.best) // 2 if tally.best and problem.minimise == SIZE else NEVER
    for owner in range(owners):
        order = Order(owner, owners, seconds, steps, upper, dict(library.heard))
        yield Piece(owner, run_round, (facts, order))


def _say_goodbye(pool: Pool, job: object) -> None:
    """Let the workers forget their engines, if they can be reached and nobody is in a hurry."""
    if isinstance(sys.exception(), KeyboardInterrupt):
        return
    end = time.monotonic() + FAREWELL_SECONDS
    pieces = [Piece(number, forget) for number in range(pool.workers())]
    with suppress(Exception):
        pool.watch()  # raises if nobody is there any more
        with pool.run(pieces, job, lambda: _late(end)) as run:
            for _ in run:
                pass


def _late(end: float) -> str | None:
    return "time" if time.monotonic() > end else None


@dataclass(frozen=True)
class _Fact:
    work: int
    number: int
    sender: str
    line: str


class Library:
    """All facts and lemmas that have arrived."""

    def __init__(self) -> None:
        self.heard: dict[str, int] = {}  # by sender: replies
        self._facts: list[_Fact] = []
        self._count = self._noted = 0
        self._lemma_of: dict[int, int] = {}  # by number of a fact: its lemma
        self._place: dict[str, dict[str, int]] = {}  # by sender and its name for it: a lemma
        self._lemmas: list[tuple[str, tuple[int, ...], str]] = []  # head, cited lemmas, examples
        self._best: tuple[tuple[bool, int], list[int]] = ((False, -1), [])

    def facts(self) -> Facts:
        """What to tell the workers."""
        facts = self._facts
        numbers, senders = [each.number for each in facts], [each.sender for each in facts]
        return Facts(numbers, senders, [each.line for each in facts])

    def take(self, reply: Reply, problem: Problem) -> None:
        """Keep what a worker found."""
        self.heard[reply.sender] = reply.number
        places = self._place.setdefault(reply.sender, {})
        for line in reply.lemmas.splitlines():
            head, _, examples = line.partition(" |")
            if line.startswith("goals"):
                found = reply.found
                last = found.infeasible or (found.done and problem.minimise != SIZE)
                rank = (last, found.lower)
                goals = head.split()[1:]
                if rank > self._best[0]:  # without memory for lemmas, goals have none
                    proven = [] if "-" in goals else [self._find(places, name) for name in goals]
                    self._best = (rank, proven)
                continue
            name, kind, bound, *cited = head.split()
            places[name] = len(self._lemmas)
            lemmas = tuple(self._find(places, each) for each in cited)
            self._lemmas.append((f"{kind} {bound}", lemmas, examples))
        self.take_facts(reply.sender, reply.letter, proven=reply.lemmas != "")

    def take_facts(self, sender: str, letter: str, *, proven: bool = False) -> None:
        """Keep the facts of a letter. Those that are `proven` have lemmas, which have arrived."""
        for line in letter.splitlines(keepends=True):
            spent, lemma, rest = line.split(" ", 2)
            if proven:
                if lemma == "-":
                    continue  # of no use to those who record proofs
                self._lemma_of[self._count] = self._find(self._place[sender], lemma)
            line = f"{spent} {self._count} {rest}"
            self._facts.append(_Fact(int(spent), self._count, sender, line))
            self._count += 1

    def news(self, most: int) -> str:
        """The costliest facts since the last time, as a letter."""
        fresh = [each for each in self._facts if each.number >= self._noted]
        self._noted = self._count
        fresh.sort(key=lambda each: -each.work)
        return "".join(each.line for each in fresh[:most])

    def _find(self, places: dict[str, int], name: str) -> int:
        return self._lemma_of[int(name[1:])] if name.startswith("@") else places[name]

    def close_round(self) -> None:
        """Keep the facts that took most work."""
        if len(self._facts) > KEPT:
            self._facts.sort(key=lambda each: -each.work)
            self._facts = sorted(self._facts[:KEPT], key=lambda each: each.number)

    def proof(self, problem: Problem) -> Lemmas:
        """The lemmas that the best bound rests on, as certificates have them."""
        rows = rows_of_examples(problem.dataset)
        goals = self._best[1]
        needed = set(goals)
        for index in range(max(goals, default=-1), -1, -1):
            if index in needed:
                needed.update(self._lemmas[index][1])
        place: dict[int, int] = {}
        lines = []
        for index in sorted(needed):
            head, cited, examples = self._lemmas[index]
            place[index] = len(place)
            back = [f"-{place[index] - place[each]}" for each in cited]
            words = [word.partition("*") for word in examples.split()]  # `7*3`: 7, 3 times
            own = [f"{rows[int(example)]}{star}{times}" for example, star, times in words]
            lines.append(" ".join([head, *back, *own]) + "\n")
        return Lemmas("".join(lines).encode())
