"""Do all methods of the paper give the known optima, and where does their time go?

Runs every method on every instance of `optima.csv` with a time limit each, compares what is proven
optimal with the file, and reports per method how many were solved, how long that took, and which
share of it was encoding and loading. Each run is one JSON line, and runs that are in the output
file already are not repeated: an interrupted campaign goes on where it stopped.

    python -m benchmarks.optima --seconds 30 --methods dtfinder,d-dtfinder --most-nodes 15
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from benchmarks.instances import ROOT, Optimum, instance, read_optima, shared_folder
from dtfinder.methods import METHODS, PAPER
from dtfinder.options import Options
from dtfinder.solve import solve

Run = dict[str, Any]


def main() -> int:
    """Run what is missing, then report; exit code 1 if any optimum is wrong."""
    asked = _arguments().parse_args()
    if not (shared_folder() / "optima.csv").exists():
        print(f"there is no {shared_folder() / 'optima.csv'}: set DTFINDER_SHARED")
        return 2
    asked.out.parent.mkdir(parents=True, exist_ok=True)
    runs = _read(asked.out)
    done = {(run["instance"], run["method"], run["limit"]) for run in runs}
    wanted = [one for one in read_optima() if _wanted(one, asked)]
    for optimum in wanted:
        for method in asked.methods.split(","):
            if (_name(optimum), method, asked.seconds) not in done:
                run = run_one(optimum, method, asked.seconds, asked.memory)
                runs.append(run)
                with asked.out.open("a") as stream:
                    stream.write(json.dumps(run) + "\n")
                print(_line(run), flush=True)
    names = {_name(optimum) for optimum in wanted}
    chosen = [run for run in runs if run["limit"] == asked.seconds and run["instance"] in names]
    print(report(chosen))
    return 1 if any(run["wrong"] for run in chosen) else 0


def run_one(optimum: Optimum, method: str, seconds: float, memory: float = 3.0) -> Run:
    """One method on one instance; `wrong` tells what contradicts the file."""
    dataset = instance(optimum.dataset, optimum.percent, optimum.seed)
    begin = time.perf_counter()
    options = Options.of(method=method, time_limit=seconds, memory_limit=memory)
    result = solve(dataset, options)
    return {
        "instance": _name(optimum),
        "method": method,
        "limit": seconds,
        "status": result.status,
        "stopped_by": result.stopped_by,
        "nodes": result.nodes,
        "depth": result.depth,
        "lower_bound": result.lower_bound,
        "depth_lower_bound": result.depth_lower_bound,
        "seconds": round(time.perf_counter() - begin, 3),
        "stats": result.stats,
        "wrong": contradictions(optimum, result),
    }


def contradictions(optimum: Optimum, result: Any) -> list[str]:
    """What a result says that cannot be, if the file is right."""
    depth_first = result.minimise == "depth"
    nodes = optimum.nodes_at_least_depth if depth_first else optimum.nodes
    found = []
    if result.errors:
        found.append(f"{result.errors} errors")
    if nodes is not None and result.status == "optimal" and result.nodes != nodes:
        found.append(f"{result.nodes} nodes, not {nodes}")
    if optimum.nodes is not None and result.nodes < optimum.nodes:
        found.append(f"{result.nodes} nodes, below the optimum {optimum.nodes}")
    if not depth_first and optimum.nodes is not None and result.lower_bound > optimum.nodes:
        found.append(f"a lower bound of {result.lower_bound} above {optimum.nodes}")
    least = optimum.least_depth
    if least is not None and result.depth_lower_bound > least and depth_first:
        found.append(f"a lower bound on the depth of {result.depth_lower_bound} above {least}")
    if least is not None and depth_first and result.status == "optimal" and result.depth != least:
        found.append(f"depth {result.depth}, not {least}")
    return found


def report(runs: Iterable[Run]) -> str:
    """Per method: solved, wrong, seconds, and the share of encoding and loading."""
    runs = list(runs)
    lines = [f"{'method':<18}{'solved':>9}{'wrong':>7}{'mean s':>9}{'encode+load':>13}"]
    everything = {"encode": 0.0, "load": 0.0, "solve": 0.0}
    for method in sorted({run["method"] for run in runs}, key=list(METHODS).index):
        mine = [run for run in runs if run["method"] == method]
        solved = [run for run in mine if run["status"] == "optimal"]
        spent = {
            part: sum(run["stats"].get(f"{part}_seconds", 0.0) for run in solved)
            for part in everything
        }
        for part, seconds in spent.items():
            everything[part] += seconds
        mean = sum(run["seconds"] for run in solved) / max(1, len(solved))
        lines.append(
            f"{method:<18}{len(solved):>5}/{len(mine):<3}{sum(bool(r['wrong']) for r in mine):>7}"
            f"{mean:>9.2f}{_share(spent):>13.1%}"
        )
    lines.append(f"over all instances solved, encoding and loading take {_share(everything):.1%}")
    lines += [
        f"WRONG {run['instance']} {run['method']}: {run['wrong']}" for run in runs if run["wrong"]
    ]
    return "\n".join(lines)


def _share(spent: dict[str, float]) -> float:
    return (spent["encode"] + spent["load"]) / max(1e-9, sum(spent.values()))


def _name(optimum: Optimum) -> str:
    return f"{optimum.dataset}/{optimum.percent}/{optimum.seed}"


def _line(run: Run) -> str:
    mark = "WRONG" if run["wrong"] else run["status"]
    return (
        f"{run['instance']:<45} {run['method']:<18} {mark:<9} {run['lower_bound']:>4}.."
        f"{run['nodes']:<4} depth {run['depth']:<3} {run['seconds']:>7.2f} s"
    )


def _wanted(optimum: Optimum, asked: argparse.Namespace) -> bool:
    known = optimum.nodes is not None and optimum.nodes <= asked.most_nodes
    named = not asked.datasets or optimum.dataset in asked.datasets.split(",")
    return known and named and (asked.percent is None or optimum.percent == asked.percent)


def _read(path: Path) -> list[Run]:
    if not path.exists():
        return []
    return [json.loads(line) for line in path.read_text().splitlines() if line.strip()]


def _arguments() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=30.0, help="time limit of each run")
    parser.add_argument("--memory", type=float, default=3.0, help="memory limit in gigabytes")
    parser.add_argument("--methods", default=",".join(PAPER), help="names, with commas between")
    parser.add_argument("--datasets", default="", help="only these, with commas between")
    parser.add_argument("--percent", type=int, help="only samples of this many percent")
    parser.add_argument("--most-nodes", type=int, default=10**6, help="only optima up to this")
    default = Path(os.environ.get("DTFINDER_RESULTS", ROOT / "build")) / "optima.jsonl"
    parser.add_argument("--out", type=Path, default=default, help="JSON lines, added to")
    return parser


if __name__ == "__main__":
    sys.exit(main())
