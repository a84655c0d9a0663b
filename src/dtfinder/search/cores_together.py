"""The native engine on several threads: one search, split as it goes.

Each thread runs an engine of its own on the same table, without the GIL. The engines share what
they prove and stay out of each other's way by themselves; `src/core/exchange.hpp` has the how and
why. The first engine also looks for better trees, the others only raise the lower bound.

What is proven is the same for any number of threads: the size, or depth and size, of the optimum.
Among several smallest trees, another may be found, and how much work it takes varies from run to
run, since it depends on which thread is faster. So a work limit with more than one thread ends a
run at about that much work in all, not at a fixed point.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from dtfinder._core import Engine, Switches, make_engine
from dtfinder.problem import SIZE, Bounds, Event, Problem
from dtfinder.proof import Lemmas
from dtfinder.search.cores import (
    MEMORY,
    SLICE,
    STEPS_OF_WORK,
    closes,
    event_of,
    goal_of,
    rows_of_examples,
)
from dtfinder.search.greedy import first_bounds
from dtfinder.stop import Stop, Stopped, Work
from dtfinder.tree import Node, depth_of

POLL_SECONDS = 0.02


@dataclass(frozen=True)
class _News:
    """What a thread says after a slice: its steps, and an event if anything has changed."""

    steps: int = 0
    event: Event | None = None
    tree: tuple[Node, ...] = ()
    lower: int = 0  # inner nodes that its lemmas prove
    done: bool = False
    started: bool = False
    failure: BaseException | None = None


def search_together(
    workers: int,
    problem: Problem,
    stop: Stop,
    work: Work,
    *,
    certify: bool = False,
    memory_limit: float | None = None,
) -> Iterator[Event]:
    """Events until the optimum is proven, or it is proven that there is no tree."""
    engines = _make(workers, problem, certify, memory_limit)
    news: queue.SimpleQueue[_News] = queue.SimpleQueue()
    ended = threading.Event()
    first = first_bounds(problem.dataset)
    threads = [
        threading.Thread(target=_run, args=(engine, first, news, ended), daemon=True)
        for engine in engines
    ]
    for thread in threads:
        thread.start()
    try:
        for event, done in _follow(news, problem, stop, work, certify):
            if done and certify:
                _end(ended, threads)  # the lemmas are read when nobody writes any more
                event = replace(event, proof=_lemmas(engines, problem))
            yield event
    finally:
        _end(ended, threads)


def _make(
    workers: int, problem: Problem, certify: bool, memory_limit: float | None
) -> list[Engine]:
    dataset = problem.dataset
    bits = np.ascontiguousarray(dataset.bits)
    labels = np.ascontiguousarray(dataset.labels, dtype=np.int64)
    engines: list[Engine] = []
    for number in range(workers):
        switches = Switches()
        switches.proof = certify
        switches.improve = number == 0
        switches.memory = min(MEMORY, int((memory_limit or 10) * 5e8)) // workers
        engine = make_engine(bits, labels, goal_of(problem), switches)
        if engines:
            engine.join(engines[0])
        engines.append(engine)
    return engines


def _run(
    engine: Engine, first: Bounds, news: queue.SimpleQueue[_News], ended: threading.Event
) -> None:
    """What a thread does: slice after slice, and a word about each."""
    seen, steps = -1, 0
    try:
        while not ended.is_set():
            event: Event | None = None
            tree: tuple[Node, ...] = ()
            # Before it has started it knows nothing.
            if engine.version != seen and (engine.started or engine.done):
                seen = engine.version
                tree = tuple(Node(*node) for node in engine.tree())
                event = event_of(engine, first, list(tree) or None)
            done = engine.done
            told = _News(engine.steps - steps, event, tree, engine.lower, done, engine.started)
            news.put(told)
            steps = engine.steps
            if done:
                return
            engine.run(SLICE)
    except BaseException as error:
        news.put(_News(failure=error))


def _follow(
    news: queue.SimpleQueue[_News], problem: Problem, stop: Stop, work: Work, certify: bool
) -> Iterator[tuple[Event, bool]]:
    """Events, each with whether it is the last. With `certify`, one that closes the gap before the
    lemmas do is held back. The lemmas of a least size are complete when any engine's bound meets
    the tree of any other, those of a least depth when an engine is done."""
    bounds = Bounds()
    best: tuple[Node, ...] = ()
    spent, lower, started = 0, 0, False
    while True:
        # The first greedy tree is there before any limit: a run never ends with nothing in hand.
        if started and (reason := stop()):
            raise Stopped(reason)
        try:
            told = news.get(timeout=POLL_SECONDS)
        except queue.Empty:
            continue
        if told.failure is not None:
            raise told.failure
        started = started or told.started
        work.spend((spent + told.steps) // STEPS_OF_WORK - spent // STEPS_OF_WORK)
        spent += told.steps
        if told.event is None:
            continue
        bounds = bounds.raised(told.event.bounds.nodes, told.event.bounds.depth)
        if told.tree and (not best or _rank(told.tree, problem) < _rank(best, problem)):
            best = told.tree
        lower = max(lower, told.lower)
        done = told.done or (problem.minimise == SIZE and 2 * lower + 1 == len(best))
        if done or not certify or not closes(bounds, list(best), problem):
            nodes = list(best) or None
            yield replace(told.event, bounds=bounds, nodes=nodes), done
        if done:
            return


def _rank(tree: tuple[Node, ...], problem: Problem) -> tuple[int, int]:
    size, depth = len(tree), depth_of(tree)
    return (size, depth) if problem.minimise == SIZE else (depth, size)


def _lemmas(engines: list[Engine], problem: Problem) -> Lemmas:
    if problem.minimise == SIZE:  # whoever has the bound, not whoever has the tree
        engine = max(engines, key=lambda each: each.lower)
    else:
        engine = next(each for each in engines if each.done)
    return Lemmas(engine.lemma_text(rows_of_examples(problem.dataset)), engine.lemma_count)


def _end(ended: threading.Event, threads: list[threading.Thread]) -> None:
    ended.set()
    for thread in threads:
        thread.join()
