"""How much more workers help: measured speed-up, overhead per piece of work, and a simulation.

    python -m benchmarks.scale speedup --method cores      1 and 2 workers on instances of 5-60 s
    python -m benchmarks.scale overhead                    10,000 pieces that do nothing
    python -m benchmarks.scale simulate                    1 to 1,000 workers, from measured pieces

The simulation measures how long every template of a question takes on one CPU, and then deals
the templates out, in order, to workers that are always free at once and share nothing. So it leaves
out what a network costs, and is a bound on what a real cluster can do, not a measurement of one.
"""

from __future__ import annotations

import argparse
import heapq
import operator
import os
import time
from statistics import geometric_mean

from benchmarks.instances import instance, read_optima
from dtfinder.data.examples import Examples
from dtfinder.decide.by_topology import Splitting, deepest, solve_templates, split
from dtfinder.decide.sat import Question
from dtfinder.options import Options
from dtfinder.result import Result
from dtfinder.run.local_pool import LocalPool
from dtfinder.run.pool import Blob, Piece, Pool
from dtfinder.solve import solve

# Instances that took about 5 to 60 s, or near it, when they were last looked for: those of the
# list of optima first. What is out of range on this machine is not counted. `--all` tries the
# whole list.
LONG_ENOUGH = {
    "cores": (
        ("hepatitis", 50),
        ("breast-cancer", 50),
        ("colic", 20),
        ("hypothyroid", 20),
        ("tic-tac-toe", 75),
        ("tic-tac-toe", 100),
        ("chess", 75),
        ("chess", 100),
        ("hepatitis", 60),
        ("breast-cancer", 40),
    ),
    "dtfinder-T": (
        ("mux6", 50),
        ("monk1", 50),
        ("vote", 20),
        ("vote", 50),
        ("analcatdata_boxing1", 20),
        ("analcatdata_lawsuit", 50),
        ("promoters", 50),
        ("monk1", 100),
        ("mux6", 100),
    ),
}
HARD = (("spect", 20, 8), ("monk3", 20, 8), ("monk2", 20, 8))  # data set, percent, leaves
WORKERS = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1000)


def never() -> None:
    """No reason to stop."""


def speedup(method: str, least: float, most: float, names: list[str], everything: bool) -> None:
    """Wall seconds with one worker and with two, one right after the other."""
    known = {(each.dataset, each.percent): each.nodes for each in read_optima() if each.seed == 0}
    chosen = list(known) if everything else list(LONG_ENOUGH.get(method, known))
    gains = []
    for name, percent in chosen:
        if names and name not in names:
            continue
        dataset = instance(name, percent, 0)
        label = f"{name}-{percent}{'' if (name, percent) in known else ' (not of the list)'}"
        seconds: list[float] = []
        results: list[Result] = []
        for workers in (1, 2):
            begin = time.perf_counter()
            options = Options.of(method=method, workers=workers, time_limit=1.5 * most)
            results.append(solve(dataset, options))
            seconds.append(time.perf_counter() - begin)
            if not least <= seconds[0] <= most or results[0].status != "optimal":
                break
        if len(seconds) < 2:
            print(f"{label}: {results[0].status} after {seconds[0]:.2f} s, not counted", flush=True)
            continue
        same = {(r.status, r.nodes, r.lower_bound) for r in results}
        assert same == {("optimal", results[0].nodes, results[0].nodes)}, (label, same)
        assert known.get((name, percent)) in (None, results[0].nodes), (label, same)
        gains.append(seconds[0] / seconds[1])
        print(
            f"{label}: {seconds[0]:.2f} s, {seconds[1]:.2f} s, {gains[-1]:.2f}x "
            f"(load {os.getloadavg()[0]:.1f})",
            flush=True,
        )
    if gains:
        print(f"{method}: geometric mean {geometric_mean(gains):.2f}x over {len(gains)}")


def overhead(pieces: int) -> None:
    """Milliseconds a piece that the pool, the pipes and the processes cost."""
    pool = LocalPool(2)
    try:
        _time_pieces(pool, 10)  # start the processes
        begin = time.perf_counter()
        _time_pieces(pool, pieces)
        milliseconds = (time.perf_counter() - begin) * 1000 / pieces
    finally:
        pool.close()
    print(f"{pieces} pieces: {milliseconds:.2f} ms each (load {os.getloadavg()[0]:.1f})")


def _time_pieces(pool: Pool, count: int) -> None:
    with pool.run([Piece(n, operator.not_) for n in range(count)], None, never) as run:
        for _ in run:
            pass


def simulate(limit: float) -> None:
    """Work, span and speed-up by list scheduling, from the measured CPU seconds of templates."""
    pool = LocalPool(1)
    try:
        for name, percent, paths in HARD:
            examples = Examples.of(instance(name, percent, 0)).without_constants()
            question = Question(examples, paths)
            load, pieces = _measure(pool, question, limit)
            work, span = load + sum(pieces), load + max(pieces)
            print(
                f"{name}-{percent}, {2 * paths - 1} nodes: {len(pieces)} templates, formula "
                f"{load:.3f} s, work {work:.2f} s, span {span:.2f} s"
            )
            for workers in WORKERS:
                took = makespan(pieces, workers, load)
                print(f"  {workers:5d} workers: {took:8.3f} s, {work / took:7.1f}x")
    finally:
        pool.close()


def _measure(pool: Pool, question: Question, limit: float) -> tuple[float, list[float]]:
    """CPU seconds to make and load the formula, and of every template."""
    splitting = Splitting()
    parts = split(question, splitting, deepest(question))
    shared = pool.share(Blob.of(question))
    load, pieces = 0.0, []
    end = time.monotonic() + limit
    work = [Piece(n, solve_templates, ((part,), False, None)) for n, part in enumerate(parts)]
    with pool.run(work, shared, lambda: "time" if time.monotonic() > end else None) as run:
        for _, outcomes in run:
            stats = outcomes[0].stats
            load += stats.get("encode_seconds", 0) + stats.get("load_seconds", 0)
            pieces.append(stats["solve_seconds"])
    return load, pieces


def makespan(pieces: list[float], workers: int, load: float) -> float:
    """Seconds until all are done, dealt in order to whoever is free; each worker loads first."""
    free = [load] * min(workers, len(pieces))
    for seconds in pieces:
        heapq.heapreplace(free, free[0] + seconds)
    return max(free)


def main() -> None:
    """Read the command and run it."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("command", choices=("speedup", "overhead", "simulate"))
    parser.add_argument("--method", default="cores")
    parser.add_argument("--least", type=float, default=5.0)
    parser.add_argument("--most", type=float, default=60.0)
    parser.add_argument("--pieces", type=int, default=10_000)
    parser.add_argument("--limit", type=float, default=600.0)
    parser.add_argument("--all", action="store_true", help="the whole list of optima")
    parser.add_argument("names", nargs="*")
    given = parser.parse_args()
    if given.command == "speedup":
        speedup(given.method, given.least, given.most, given.names, given.all)
    elif given.command == "overhead":
        overhead(given.pieces)
    else:
        simulate(given.limit)


if __name__ == "__main__":
    main()
