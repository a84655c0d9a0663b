"""The facts and lemmas of all engines of a cluster, in the order in which they arrived.

Engines that record lemmas send those that their facts and bounds rest on, each once, and only to
this process. A proof by linear programs comes as a whole. A lemma that rests on a fact from
elsewhere cites its number. As lemmas arrive only after all that they cite, the order of arrival is
an order of proof.
"""

from __future__ import annotations

from dataclasses import dataclass

from dtfinder.data.dataset import Ints
from dtfinder.problem import SIZE
from dtfinder.proof import Lemmas, SpineProof
from dtfinder.search.rounds_worker import Facts, Reply

KEPT = 10_000  # facts


@dataclass(frozen=True)
class _Fact:
    work: int
    number: int
    sender: str
    line: str


class FactLog:
    """All facts and lemmas that have arrived."""

    def __init__(self, minimise: str) -> None:
        self.heard: dict[str, int] = {}  # by sender: replies
        self._minimise = minimise
        self._facts: list[_Fact] = []
        self._count = self._noted = 0
        self._lemma_of: dict[int, int] = {}  # by number of a fact: its lemma
        self._place: dict[str, dict[str, int]] = {}  # by sender and its name for it: a lemma
        self._lemmas: list[tuple[str, tuple[int, ...], str]] = []  # head, cited lemmas, examples
        self._best: tuple[tuple[bool, int], list[int]] = ((False, -1), [])
        self._refutation = ""  # that proves the best bound, unless lemmas do

    def facts(self) -> Facts:
        """What to tell the workers."""
        facts = self._facts
        numbers, senders = [each.number for each in facts], [each.sender for each in facts]
        return Facts(numbers, senders, [each.line for each in facts])

    def take(self, reply: Reply) -> None:
        """Keep what a worker found."""
        self.heard[reply.sender] = reply.number
        places = self._place.setdefault(reply.sender, {})
        for line in reply.lemmas.splitlines():
            head, _, examples = line.partition(" |")
            if line.startswith("goals"):
                self._take_goals(reply, head.split()[1:], places)
                continue
            name, kind, bound, *cited = head.split()
            places[name] = len(self._lemmas)
            lemmas = tuple(self._find(places, each) for each in cited)
            self._lemmas.append((f"{kind} {bound}", lemmas, examples))
        self.take_facts(reply.sender, reply.facts, proven=reply.lemmas != "")

    def _take_goals(self, reply: Reply, goals: list[str], places: dict[str, int]) -> None:
        """Keep the lemmas that state the bound, if it is the best so far."""
        state = reply.state
        last = state.infeasible or (state.final and self._minimise != SIZE)
        rank = (last, state.found[-1].bounds.inner)
        if rank > self._best[0]:  # without memory for lemmas, goals have none
            proven = [] if "-" in goals else [self._find(places, name) for name in goals]
            self._best = (rank, proven)
            self._refutation = reply.refutation

    def take_facts(self, sender: str, facts: str, *, proven: bool = False) -> None:
        """Keep facts. Those that are `proven` have lemmas, which have arrived."""
        for line in facts.splitlines(keepends=True):
            spent, lemma, rest = line.split(" ", 2)
            if proven:
                if lemma == "-":
                    continue  # of no use to those who record proofs
                self._lemma_of[self._count] = self._find(self._place[sender], lemma)
            line = f"{spent} {self._count} {rest}"
            self._facts.append(_Fact(int(spent), self._count, sender, line))
            self._count += 1

    def fresh(self, most: int) -> str:
        """The costliest facts since the last time, as text."""
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

    def proof(self, rows: Ints) -> Lemmas | SpineProof:
        """What the best bound rests on, as certificates have it: lemmas, or a refutation."""
        if self._refutation:
            return SpineProof(self._refutation.encode())
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
