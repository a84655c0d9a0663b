"""Depth 3 on large tables: a million rows of 100 binary features; `adult` and `magic` of PMLB with
at most 32 thresholds per column.

    python -m benchmarks.front_large ../shared/pmlb

Prints a line of JSON for each: CPU seconds of the search and of all, and the peak of memory. One
process per table, so that peaks do not mix.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np


def made_up(rows: int = 1_000_000, features: int = 100) -> tuple[np.ndarray, np.ndarray]:
    """Random bits, a rule of five of them, and a tenth of the labels wrong."""
    random = np.random.default_rng(0)
    X = random.integers(0, 2, (rows, features), dtype=np.int8)
    rule = np.where(X[:, 0] == 1, X[:, 1] & X[:, 2], X[:, 3] | X[:, 4])
    return X, rule ^ (random.random(rows) < 0.1)


def measure(name: str, folder: Path) -> dict[str, Any]:
    """One table; the clock starts with the table in memory as numpy or as rows of the file."""
    from dtfinder.data import read_table
    from dtfinder.options import Options
    from dtfinder.solve import read_dataset, solve

    options = Options.of(max_depth=3, max_thresholds=None if name == "made up" else 32)
    X, y = made_up() if name == "made up" else (read_table(next((folder / name).iterdir())), None)
    begin = time.process_time()
    dataset = read_dataset(X, y, None, (), options)
    read = time.process_time()
    result = solve(dataset, options)
    return {
        "table": name,
        "rows": len(dataset.example_of_row),
        "examples": dataset.n_examples,
        "features": dataset.n_features,
        "status": result.status,
        "errors": result.errors,
        "nodes": result.nodes,
        "encoding": round(read - begin, 2),
        "search": round(time.process_time() - read, 2),
        "megabytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
    }


if __name__ == "__main__":
    if len(sys.argv) > 2:
        print(json.dumps(measure(sys.argv[2], Path(sys.argv[1]))))
    else:
        for each in ("magic", "adult", "made up"):
            subprocess.run([sys.executable, "-m", "benchmarks.front_large", sys.argv[1], each])
