"""Trees that may err, against pystreed, on the 22 tables of the field: `make bench-front`.

Each run has a process of its own and one CPU; times are CPU times of the search alone, without
imports and reading. Three questions:

* depth 4 and depth 5: the fewest errors within the depth;
* the front without a limit on depth: how far it is proven within the limit, and how far pystreed
  gets with one size at a time, by the same limit for its last size alone;
* a penalty for each leaf, without a limit on depth (pystreed: depth 20).

    python -m benchmarks front --time-limit 60 --results build/front.jsonl --out docs/results

It continues where its results file ends.
"""

from __future__ import annotations

import json
import math
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import machine, tables

PENALTIES = (0.001, 0.01, 0.1)
GRACE = 20.0  # seconds for imports and reading, and for tools that overrun their limit
Row = dict[str, Any]


def load(path: Path) -> tuple[np.ndarray, np.ndarray]:
    """The features and the class of a table: class first, then 0/1 features."""
    data = np.loadtxt(path, dtype=np.int64, ndmin=2)
    return data[:, 1:], data[:, 0]


def ours(X: np.ndarray, y: np.ndarray, ask: Row, seconds: float) -> Row:
    """What dtfinder answers. The clock starts once the table is read."""
    from dtfinder import find_front, find_tree

    find_tree(X[:8], y[:8] if len(set(y[:8])) > 1 else np.arange(8) % 2, max_nodes=3)
    begin = time.process_time()
    if ask["kind"] == "front":
        front = find_front(X, y, time_limit=seconds)
        return {
            "solved": front.stopped_by is None,
            "seconds": time.process_time() - begin,
            "proven": front.proven,
            "errors": [result.errors for result in front],
            "lower": [result.errors_lower_bound for result in front],
        }
    limits = {"max_depth": ask["depth"]} if ask["kind"] == "depth" else {}
    if ask["kind"] == "penalty":
        limits = {"leaf_penalty": ask["penalty"]}
    if ask["kind"] == "nodes":
        limits = {"max_nodes": 2 * ask["inner"] + 1}
    result = find_tree(X, y, time_limit=seconds, **limits)
    return {
        "solved": result.status == "optimal",
        "seconds": time.process_time() - begin,
        "errors": result.errors,
        "size": result.nodes // 2,
    }


def pystreed(X: np.ndarray, y: np.ndarray, ask: Row, seconds: float) -> Row:
    """What pystreed answers; labels must be 0, 1, …"""
    from pystreed import STreeDClassifier

    y = np.unique(y, return_inverse=True)[1]
    if ask["kind"] == "depth":
        model = STreeDClassifier("accuracy", max_depth=ask["depth"], time_limit=seconds)
    elif ask["kind"] == "nodes":
        depth = min(20, ask["inner"])
        model = STreeDClassifier(
            "accuracy", max_depth=depth, max_num_nodes=ask["inner"], time_limit=seconds
        )
    else:
        model = STreeDClassifier(
            "cost-complex-accuracy",
            max_depth=20,
            cost_complexity=ask["penalty"],
            time_limit=seconds,
        )
    begin = time.process_time()
    model.fit(X, y)
    spent = time.process_time() - begin
    wrong = int((model.predict(X) != y).sum())
    return {
        "solved": bool(model.fit_result.is_optimal()),
        "seconds": spent,
        "errors": wrong,
        "size": model.get_n_leaves() - 1,
    }


TOOLS = {"dtfinder": ours, "pystreed": pystreed}


def asks(table: str) -> Iterator[Row]:
    """Everything that is asked of both tools about a table, in order."""
    for depth in (4, 5):
        yield {"table": table, "kind": "depth", "depth": depth}
    for penalty in PENALTIES:
        yield {"table": table, "kind": "penalty", "penalty": penalty}


def measure(folder: Path, seconds: float, out: Path, names: Iterable[str] = ()) -> list[Row]:
    """All runs, one after the other; those in the file are not run again."""
    rows = [json.loads(line) for line in out.read_text().splitlines()] if out.exists() else []
    known = {_key(row) for row in rows}
    out.parent.mkdir(parents=True, exist_ok=True)

    def run(tool: str, ask: Row) -> Row:
        key = _key({**ask, "tool": tool, "limit": seconds})
        if key in known:
            return next(row for row in rows if _key(row) == key)
        row = {**ask, "tool": tool, "limit": seconds, **_in_a_process(tool, ask, folder, seconds)}
        rows.append(row)
        with out.open("a") as file:
            file.write(json.dumps(row) + "\n")
        return row

    for path in sorted(folder.glob("*.txt.gz")):
        table = path.name.removesuffix(".txt.gz")
        if names and table not in names:
            continue
        for ask in asks(table):
            for tool in TOOLS:
                run(tool, ask)
        run("dtfinder", {"table": table, "kind": "front"})
        for inner in range(3, 40):  # one size at a time, until one is not solved
            if not run("pystreed", {"table": table, "kind": "nodes", "inner": inner})["solved"]:
                break
    return rows


def _key(row: Row) -> tuple[Any, ...]:
    names = ("table", "kind", "depth", "inner" if row["kind"] == "nodes" else "", "penalty")
    return (row["tool"], row["limit"], *(row.get(name) for name in names))


def _in_a_process(tool: str, ask: Row, folder: Path, seconds: float) -> Row:
    asked = json.dumps({"tool": tool, "ask": ask, "folder": str(folder), "seconds": seconds})
    try:
        done = subprocess.run(
            [sys.executable, "-m", "benchmarks.front", asked],
            capture_output=True,
            text=True,
            timeout=3 * seconds + GRACE,
        )
    except subprocess.TimeoutExpired:
        return {"solved": False, "seconds": seconds, "note": "killed"}
    if done.returncode:
        return {"solved": False, "seconds": seconds, "note": done.stderr.strip()[-200:]}
    answer: Row = json.loads(done.stdout.splitlines()[-1])
    return answer


def page(rows: list[Row], limit: float) -> str:
    """Everything as Markdown."""
    names = sorted({row["table"] for row in rows})
    parts = [_TEXT.format(limit=f"{limit:g}", count=len(names), machine=_machine())]
    for depth in (4, 5):
        parts += [f"## Depth {depth}\n", _versus(rows, names, limit, depth)]
    parts += ["## The front\n", _FRONT_TEXT.format(limit=f"{limit:g}"), _fronts(rows, names)]
    parts += ["## A penalty for each leaf\n", _penalties(rows, names)]
    return "\n".join(parts)


_TEXT = """\
# Trees that may err, against pystreed

{count} tables on which DL8.5, MurTree and STreeD are measured, {limit} s per run, one CPU, CPU
times of the search alone. `dtfinder` also proves that no smaller tree makes as few errors, which
pystreed does not do. An unsolved run counts as {limit} s in the geometric mean. `make bench-front`
does it again. {machine}
"""
_FRONT_TEXT = """\
The largest number of inner nodes up to which *all* sizes are proven by dtfinder in {limit} s, the
errors there, and the largest that pystreed solves *by itself* in {limit} s, with its CPU time for
that size alone.
"""


def _machine() -> str:
    about = machine.describe()
    return "Machine: " + ", ".join(f"{name} {value}" for name, value in about.items()) + "."


def _pick(rows: list[Row], **wanted: Any) -> Row | None:
    found = [row for row in rows if all(row.get(name) == value for name, value in wanted.items())]
    return found[-1] if found else None


def _cell(row: Row | None) -> str:
    if row is None:
        return ""
    return f"{row['seconds']:.2f}" if row["solved"] else "–"


def _versus(rows: list[Row], names: list[str], limit: float, depth: int) -> str:
    lines, ratios = [], []
    for name in names:
        both = [_pick(rows, table=name, kind="depth", depth=depth, tool=tool) for tool in TOOLS]
        if None not in both:
            counted = [row["seconds"] if row["solved"] else limit for row in both if row]
            ratios.append(counted[1] / max(counted[0], 1e-3))
        errors = next((str(row["errors"]) for row in both if row and row["solved"]), "")
        lines.append([name, errors, *map(_cell, both)])
    mean = math.exp(sum(map(math.log, ratios)) / len(ratios)) if ratios else math.nan
    table = tables.markdown(["table", "errors", "dtfinder, s", "pystreed, s"], lines)
    return f"{table}\npystreed / dtfinder, geometric mean of {len(ratios)}: **{mean:.1f}**\n"


def _fronts(rows: list[Row], names: list[str]) -> str:
    lines = []
    for name in names:
        front = _pick(rows, table=name, kind="front", tool="dtfinder")
        solved = [
            row for row in rows if row["table"] == name and row["kind"] == "nodes" and row["solved"]
        ]
        peer = max(solved, key=lambda row: int(row["inner"]), default=None)
        lines.append(
            [
                name,
                str(front["proven"] - 1) if front and "proven" in front else "",
                str(front["errors"][front["proven"] - 1]) if front and front.get("proven") else "",
                f"{front['seconds']:.1f}" if front else "",
                "yes" if front and front["solved"] else "",
                str(peer["inner"]) if peer else "",
                f"{peer['seconds']:.1f}" if peer else "",
            ]
        )
    head = ["table", "inner nodes", "errors", "CPU s", "whole front", "pystreed, inner nodes"]
    return tables.markdown([*head, "its CPU s"], lines)


def _penalties(rows: list[Row], names: list[str]) -> str:
    lines = []
    for penalty in PENALTIES:
        counts = [
            sum(
                bool(row and row["solved"])
                for name in names
                for row in [_pick(rows, table=name, kind="penalty", penalty=penalty, tool=tool)]
            )
            for tool in TOOLS
        ]
        lines.append([f"{penalty:g}", *map(str, counts)])
    return tables.markdown(["penalty", "dtfinder proves", "pystreed proves"], lines)


if __name__ == "__main__":
    told = json.loads(sys.argv[1])
    here = Path(told["folder"]) / f"{told['ask']['table']}.txt.gz"
    found = TOOLS[told["tool"]](*load(here), told["ask"], told["seconds"])
    print(json.dumps(found))
