"""Trees that may err against pystreed and GOSDT on the 22 tables of the field: `make bench-front`.

Each run has a process of its own and one CPU. Times and limits are CPU times, without imports and a
first run on a tiny table; of three runs below a second the least. They are those of the thread, as
Linux counts those of a process with a limit on them by the tick. What a tool does before it
searches (`reading`: checks, and its own form of the table) is told apart; for pystreed it is a run
at depth 1. Three questions:

* depth 4 and depth 5: the fewest errors within the depth;
* the front without a limit on depth: when each size was proven, and how far pystreed gets with one
  size at a time, by the same limit for its last size alone;
* a penalty for each leaf, without a limit on depth (pystreed: depth 20).

    python -m benchmarks front --time-limit 60 --results build/front.jsonl --out docs/results

`--peer-limit` gives the other tools less, `--parts` and `--tools` choose what to run. It continues
where its results file ends; `front_page.py` makes the page.
"""

from __future__ import annotations

import json
import multiprocessing
import resource
import time
from collections.abc import Iterable, Iterator
from functools import cache
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import numpy as np

PARTS = ("depth", "front", "penalty")
PENALTIES = (0.001, 0.01, 0.1)
PENALTY_SECONDS = 10.0  # at most, for any tool: these are nine runs for a table
SHORT = 1.0  # seconds: of three runs that take less, the quickest counts
GRACE = 30  # seconds for reading, and for the last slice
FORK = multiprocessing.get_context("fork")
WALL = 100_000  # the limit of other tools, in seconds of the clock: CPU time ends them before
Row = dict[str, Any]


def load(path: Path) -> tuple[np.ndarray, np.ndarray]:
    """The features and the class of a table: class first, then 0/1 features."""
    data = np.loadtxt(path, dtype=np.int64, ndmin=2)
    return data[:, 1:], data[:, 0]


class AfterCpuSeconds:
    """A stop rule: so much CPU time from now on."""

    def __init__(self, seconds: float) -> None:
        self._end = time.thread_time() + seconds

    def __call__(self) -> str | None:
        return "time limit" if time.thread_time() >= self._end else None


def ours(X: np.ndarray, y: np.ndarray, ask: Row, seconds: float) -> Row:
    """What dtfinder answers. The clock starts once the table is read."""
    from dtfinder.front.find import front_of
    from dtfinder.options import Options
    from dtfinder.problem import Progress
    from dtfinder.solve import read_dataset, solve

    limits: dict[str, Any] = {}
    if ask["kind"] == "depth":
        limits = {"max_depth": ask["depth"]}
    elif ask["kind"] == "penalty":
        limits = {"leaf_penalty": ask["penalty"]}
    options = Options.of(**limits)
    begin = time.thread_time()
    dataset = read_dataset(X, y, None, (), options)
    reading = time.thread_time() - begin
    stop = AfterCpuSeconds(seconds)
    if ask["kind"] != "front":
        known: list[float] = []  # when it was proven that no tree makes fewer errors

        def look(state: Progress) -> None:
            if not known and state.errors == state.bounds.errors:
                known.append(time.thread_time() - begin)

        result = solve(dataset, options, callback=look, stop=stop)
        spent = time.thread_time() - begin
        return {
            "solved": result.status == "optimal",
            "seconds": spent,
            "reading": reading,
            "fewest_errors": known[0] if known else spent,
            "errors": result.errors,
            "size": result.nodes // 2,
            **_cost(ask, result.errors / len(y), result.nodes // 2),
        }
    reached: list[float] = []  # by inner nodes: when all sizes up to it were proven
    proven: set[int] = set()

    def watch(state: Progress) -> None:
        if state.at is not None and state.errors == state.bounds.errors:
            proven.add(state.at)
        while len(reached) in proven:
            reached.append(round(time.thread_time() - begin, 3))

    front = front_of(dataset, options, watch, stop)
    return {
        "solved": front.stopped_by is None,
        "seconds": time.thread_time() - begin,
        "reached": reached[: front.proven],
        "errors": [result.errors for result in front],
        "lower": [result.errors_lower_bound for result in front],
    }


def pystreed(X: np.ndarray, y: np.ndarray, ask: Row, seconds: float) -> Row:
    """What pystreed answers; labels must be 0, 1, …"""
    from pystreed import STreeDClassifier

    y = np.unique(y, return_inverse=True)[1]
    if ask["kind"] == "depth":
        model = STreeDClassifier("accuracy", max_depth=ask["depth"], time_limit=WALL)
    elif ask["kind"] == "reading":
        model = STreeDClassifier("accuracy", max_depth=1, time_limit=WALL)
    elif ask["kind"] == "nodes":
        model = STreeDClassifier(
            "accuracy",
            max_depth=min(20, ask["inner"]),
            max_num_nodes=ask["inner"],
            time_limit=WALL,
        )
    else:
        model = STreeDClassifier(
            "cost-complex-accuracy",
            max_depth=20,
            cost_complexity=ask["penalty"],
            time_limit=WALL,
        )
    begin = time.thread_time()
    model.fit(X, y)
    spent = time.thread_time() - begin
    errors, size = int((model.predict(X) != y).sum()), model.get_n_leaves() - 1
    return {
        "solved": bool(model.fit_result.is_optimal()) and spent <= seconds,
        "seconds": spent,
        "errors": errors,
        "size": size,
        **_cost(ask, errors / len(y), size),
    }


def _cost(ask: Row, share: float, size: int) -> Row:
    """What a tree costs where a penalty is asked for: its share of errors, and its leaves."""
    return {"cost": share + ask["penalty"] * (size + 1)} if ask["kind"] == "penalty" else {}


def gosdt(X: np.ndarray, y: np.ndarray, ask: Row, seconds: float) -> Row:
    """What GOSDT answers for a penalty."""
    from gosdt import GOSDTClassifier, Status

    model = GOSDTClassifier(regularization=ask["penalty"], allow_small_reg=True, time_limit=WALL)
    begin = time.thread_time()
    model.fit(X, y)  # type: ignore[no-untyped-call,unused-ignore]
    spent = time.thread_time() - begin
    return {
        "solved": model.result_.status == Status.CONVERGED and spent <= seconds,
        "seconds": spent,
        "cost": float(model.result_.upperbound),
    }


TOOLS = {"dtfinder": ours, "pystreed": pystreed, "gosdt": gosdt}


def asks(table: str, part: str) -> Iterator[tuple[str, Row]]:
    """Everything of one part that is asked about a table, in order: a tool and what it is asked."""
    if part == "depth":
        yield "pystreed", {"table": table, "kind": "reading"}
        for depth in (4, 5):
            for tool in ("dtfinder", "pystreed"):
                yield tool, {"table": table, "kind": "depth", "depth": depth}
    elif part == "front":
        yield "dtfinder", {"table": table, "kind": "front"}
        for inner in range(3, 40):
            yield "pystreed", {"table": table, "kind": "nodes", "inner": inner}
    else:
        for penalty in PENALTIES:
            for tool in TOOLS:
                yield tool, {"table": table, "kind": "penalty", "penalty": penalty}


def measure(
    folder: Path,
    seconds: float,
    peers: float,
    out: Path,
    names: Iterable[str] = (),
    parts: Iterable[str] = (),
    tools: Iterable[str] = (),
) -> list[Row]:
    """All runs, one after the other; those in the file are not run again."""
    rows = [json.loads(line) for line in out.read_text().splitlines()] if out.exists() else []
    known = {_key(row): row for row in rows}
    out.parent.mkdir(parents=True, exist_ok=True)
    tables = [path.name.removesuffix(".txt.gz") for path in sorted(folder.glob("*.txt.gz"))]
    for part in parts or PARTS:
        for table in tables:
            if names and table not in names:
                continue
            for tool, ask in asks(table, part):
                if tool not in (tools or TOOLS):
                    continue
                limit = seconds if tool == "dtfinder" else peers
                if part == "penalty":
                    limit = min(limit, PENALTY_SECONDS)
                row = {**ask, "tool": tool, "limit": limit}
                if _key(row) not in known:
                    row |= _in_a_process(tool, ask, folder, limit)
                    known[_key(row)] = row
                    with out.open("a") as file:
                        file.write(json.dumps(row) + "\n")
                # One size at a time, until one is not solved.
                if ask["kind"] == "nodes" and not known[_key(row)]["solved"]:
                    break
    return list(known.values())


def _key(row: Row) -> tuple[Any, ...]:
    names = ("tool", "limit", "table", "kind", "depth", "inner", "penalty")
    return tuple(row.get(name) for name in names)


def _in_a_process(tool: str, ask: Row, folder: Path, seconds: float) -> Row:
    """The answer of a forked process, with all imports done, so that many short runs are cheap."""
    warm_up(tool)
    receiver, sender = FORK.Pipe(duplex=False)
    process = FORK.Process(target=_answer, args=(sender, tool, ask, folder, seconds))
    process.start()
    sender.close()
    try:
        answer: Row = receiver.recv()
    except EOFError:
        answer = {"solved": False, "seconds": seconds, "note": "killed"}
    process.join()
    return answer


def _answer(sender: Connection, tool: str, ask: Row, folder: Path, seconds: float) -> None:
    tiny_run(tool)  # its memory is its own before the clock starts
    # A tool that overruns its limit is killed; dtfinder is to end by itself.
    hard = int(time.process_time() + seconds) + (GRACE if tool == "dtfinder" else 2)
    resource.setrlimit(resource.RLIMIT_CPU, (hard, hard))
    try:
        X, y = load(folder / f"{ask['table']}.txt.gz")
        found = TOOLS[tool](X, y, ask, seconds)
        for _ in range(2 if found["seconds"] < SHORT else 0):
            found = min(found, TOOLS[tool](X, y, ask, seconds), key=lambda row: row["seconds"])
    except Exception as error:
        found = {"solved": False, "seconds": seconds, "note": f"{error}"[-200:]}
    found["megabytes"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    sender.send(found)


@cache
def warm_up(tool: str) -> None:
    """Import a tool, and whatever it imports late."""
    tiny_run(tool)


def tiny_run(tool: str) -> None:
    """Answer a question about a tiny table."""
    corners, labels = np.array([[0, 0], [0, 1], [1, 0], [1, 1]]), np.array([0, 1, 1, 0])
    if tool == "dtfinder":
        from dtfinder import find_front, find_tree

        find_tree(corners, labels, max_depth=4)
        find_tree(corners, labels, leaf_penalty=0.1)
        find_front(corners, labels)
    elif tool == "pystreed":
        from pystreed import STreeDClassifier

        STreeDClassifier("accuracy", max_depth=4).fit(corners, labels)
    else:
        import gosdt  # noqa: F401
