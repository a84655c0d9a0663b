"""Trees that may err against pystreed and GOSDT on the 22 tables of the field: `make bench-front`.

Each run has a process of its own and one CPU. Times and limits are CPU times of the search, without
imports and reading. Three questions:

* depth 4 and depth 5: the fewest errors within the depth;
* the front without a limit on depth: when each size was proven, and how far pystreed gets with one
  size at a time, by the same limit for its last size alone;
* a penalty for each leaf, without a limit on depth (pystreed: depth 20).

    python -m benchmarks front --time-limit 60 --results build/front.jsonl --out docs/results

`--peer-limit` gives the other tools less. It continues where its results file ends; `front_page.py`
makes the page.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

PARTS = ("depth", "front", "penalty")
PENALTIES = (0.001, 0.01, 0.1)
GRACE = 30.0  # seconds for imports and reading
WALL = 100_000  # the limit of other tools, in seconds of the clock: CPU time ends them before
Row = dict[str, Any]


def load(path: Path) -> tuple[np.ndarray, np.ndarray]:
    """The features and the class of a table: class first, then 0/1 features."""
    data = np.loadtxt(path, dtype=np.int64, ndmin=2)
    return data[:, 1:], data[:, 0]


class AfterCpuSeconds:
    """A stop rule: so much CPU time from now on."""

    def __init__(self, seconds: float) -> None:
        self._end = time.process_time() + seconds

    def __call__(self) -> str | None:
        return "time limit" if time.process_time() >= self._end else None


def ours(X: np.ndarray, y: np.ndarray, ask: Row, seconds: float) -> Row:
    """What dtfinder answers. The clock starts once the table is read."""
    from dtfinder import find_tree
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
    corners = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
    find_tree(corners, [0, 1, 1, 0], max_depth=1)  # whatever is imported late
    begin = time.process_time()
    dataset = read_dataset(X, y, None, (), options)
    stop = AfterCpuSeconds(seconds)
    if ask["kind"] != "front":
        result = solve(dataset, options, stop=stop)
        return {
            "solved": result.status == "optimal",
            "seconds": time.process_time() - begin,
            "errors": result.errors,
            "size": result.nodes // 2,
        }
    reached: list[float] = []  # by inner nodes: when all sizes up to it were proven
    proven: set[int] = set()

    def watch(state: Progress) -> None:
        if state.at is not None and state.errors == state.bounds.errors:
            proven.add(state.at)
        while len(reached) in proven:
            reached.append(round(time.process_time() - begin, 3))

    front = front_of(dataset, options, watch, stop)
    return {
        "solved": front.stopped_by is None,
        "seconds": time.process_time() - begin,
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
    begin = time.process_time()
    model.fit(X, y)
    spent = time.process_time() - begin
    return {
        "solved": bool(model.fit_result.is_optimal()) and spent <= seconds,
        "seconds": spent,
        "errors": int((model.predict(X) != y).sum()),
        "size": model.get_n_leaves() - 1,
    }


def gosdt(X: np.ndarray, y: np.ndarray, ask: Row, seconds: float) -> Row:
    """What GOSDT answers for a penalty."""
    from gosdt import GOSDTClassifier, Status

    model = GOSDTClassifier(regularization=ask["penalty"], allow_small_reg=True, time_limit=WALL)
    begin = time.process_time()
    model.fit(X, y)  # type: ignore[no-untyped-call,unused-ignore]
    spent = time.process_time() - begin
    return {
        "solved": model.result_.status == Status.CONVERGED and spent <= seconds,
        "seconds": spent,
        "cost": float(model.result_.upperbound),
    }


TOOLS = {"dtfinder": ours, "pystreed": pystreed, "gosdt": gosdt}


def asks(table: str, part: str) -> Iterator[tuple[str, Row]]:
    """Everything of one part that is asked about a table, in order: a tool and what it is asked."""
    if part == "depth":
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
    folder: Path, seconds: float, peers: float, out: Path, names: Iterable[str] = ()
) -> list[Row]:
    """All runs, one after the other; those in the file are not run again."""
    rows = [json.loads(line) for line in out.read_text().splitlines()] if out.exists() else []
    known = {_key(row): row for row in rows}
    out.parent.mkdir(parents=True, exist_ok=True)
    tables = [path.name.removesuffix(".txt.gz") for path in sorted(folder.glob("*.txt.gz"))]
    for part in PARTS:
        for table in tables:
            if names and table not in names:
                continue
            for tool, ask in asks(table, part):
                limit = seconds if tool == "dtfinder" else peers
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
    asked = json.dumps({"tool": tool, "ask": ask, "folder": str(folder), "seconds": seconds})
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.front", asked], capture_output=True, text=True
    )
    if done.returncode:
        return {"solved": False, "seconds": seconds, "note": done.stderr.strip()[-200:] or "killed"}
    answer: Row = json.loads(done.stdout.splitlines()[-1])
    return answer


if __name__ == "__main__":
    told = json.loads(sys.argv[1])
    # A tool that overruns its limit is killed; dtfinder is to end by itself.
    hard = int(told["seconds"] + GRACE)
    resource.setrlimit(resource.RLIMIT_CPU, (hard, hard))
    here = Path(told["folder"]) / f"{told['ask']['table']}.txt.gz"
    table = load(here)
    if told["tool"] != "dtfinder":
        hard = int(time.process_time() + told["seconds"] + 3)
        resource.setrlimit(resource.RLIMIT_CPU, (hard, hard))
    found = TOOLS[told["tool"]](*table, told["ask"], told["seconds"])
    found["megabytes"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    print(json.dumps(found))
