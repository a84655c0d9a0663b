"""How long tables of any length take: made up, counted here or on a LocalCluster, a worker killed.

    python -m benchmarks.long_tables --rows 10000000 --folder DIR   Parquet files in DIR, made first
    python -m benchmarks.long_tables --rows 100000000 --cluster     a generator on two Dask workers
    python -m benchmarks.long_tables --rows 100000000               the same rows, here

With `--cluster` one of the workers is killed half-way through counting. Each run prints a line with
its wall time, CPU time (its own, not that of Dask's workers), peak memory, and a digest of all of
its result but the time: equal digests mean equal trees, counts and bounds.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib
import json
import logging
import os
import resource
import signal
import sys
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np

from dtfinder import find_tree
from dtfinder.problem import Progress

PART = 1_000_000  # rows


def make_part(number: int, columns: int = 10, rows: int = PART) -> Any:
    """Part `number` of the table: uniform numbers, a rule over three columns, and noise."""
    import pandas

    random = np.random.default_rng(number)
    X = random.random((columns, rows))
    rule = (X[0] > 0.6) ^ (X[1] + 0.2 * X[2] > 0.5) ^ (random.random(rows) < 0.15)
    frame = pandas.DataFrame({f"x{place}": values for place, values in enumerate(X)})
    return frame.assign(y=np.where(rule, "yes", "no"))


def write_parts(folder: Path, parts: int) -> str:
    """The table as Parquet files; those that are there stay."""
    folder.mkdir(parents=True, exist_ok=True)
    for number in range(parts):
        path = folder / f"{number:05}.parquet"
        if not path.exists():
            make_part(number).to_parquet(path, index=False)
    return str(folder / "*.parquet")


def digest(result: Any) -> str:
    """Of everything but the time."""
    text = json.dumps(result.to_json() | {"seconds": 0}, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


class Killer:
    """Shows how a run goes, and kills one worker half-way through counting."""

    def __init__(self, client: Any) -> None:
        self._client, self.killed, self._said = client, 0, 0.0

    def __call__(self, state: Progress) -> None:
        if time.monotonic() - self._said > 20:
            self._said = time.monotonic()
            print(f"  {state.seconds:.0f} s  {state.doing}", file=sys.stderr, flush=True)
        name, _, rest = state.doing.partition(": ")
        words = rest.replace(",", "").split()
        if self._client is None or self.killed or name != "counting" or words[1:2] != ["of"]:
            return
        if 2 * int(words[0]) >= int(words[2]):
            self.killed = next(iter(self._client.run(os.getpid).values()))
            os.kill(self.killed, signal.SIGKILL)
            print(f"  killed worker {self.killed}", file=sys.stderr, flush=True)


def run(given: argparse.Namespace, client: Any = None) -> None:
    """One run, and its line."""
    parts = given.rows // PART
    source: Any
    if given.folder is not None:
        source = write_parts(given.folder, parts)
    else:
        frames: Any = importlib.import_module("dask.dataframe")

        meta = make_part(0, rows=1).iloc[:0]
        source = frames.from_map(make_part, range(parts), meta=meta)
    killer = Killer(client)
    begin, used = time.perf_counter(), time.process_time()
    result = find_tree(
        source,
        max_depth=3,
        max_thresholds=32,
        workers=given.workers,
        cluster=client,
        memory_limit=given.memory,
        callback=killer,
    )
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e6
    print(
        f"{result.rows:,} rows: {result.status}, {result.errors:,} errors, {result.nodes} nodes, "
        f"{time.perf_counter() - begin:.1f} s, {time.process_time() - used:.1f} CPU s, "
        f"{peak:.0f} MB, killed {1 if killer.killed else 0} workers, digest {digest(result)}"
    )


def main() -> int:
    """Run what was asked for."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--memory", type=float, default=2.0)
    parser.add_argument("--cluster", action="store_true")
    given = parser.parse_args()
    if not given.cluster:
        run(given)
        return 0
    distributed: Any = importlib.import_module("distributed")

    logging.getLogger("distributed").setLevel(logging.CRITICAL)
    warnings.simplefilter("ignore")
    with (
        distributed.LocalCluster(2, threads_per_worker=1, dashboard_address=None) as cluster,
        distributed.Client(cluster, set_as_default=False) as client,
    ):
        run(given, client)
    return 0


if __name__ == "__main__":
    sys.exit(main())
