"""Do counting by columns and counting by bits agree? The two share no code below `Problem`.

    python -m benchmarks.cubes                     all tables of dl85 and pmlb, and 300 random ones
    python -m benchmarks.cubes --names iris magic  some of them

Each table is asked for the fewest errors, and then the fewest nodes, at depth 2 and 3. Numbers
have at most 32 thresholds per column, unless `--thresholds` says otherwise, and 8 in tables of more
than 25 columns. It prints CPU times, and ends with an exit code of 1 if the two differ anywhere.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator
from typing import Any

import numpy as np

from benchmarks.instances import shared_folder
from dtfinder.data import Dataset, make_dataset, read_table
from dtfinder.problem import Problem, Score
from dtfinder.run.stop import Work
from dtfinder.search.counting import search_counting
from dtfinder.search.cubes import columns_of, search_cubes

WIDE = 25  # columns


def random_table(seed: int) -> tuple[Any, Any]:
    """Up to 200 rows of up to seven columns, numbers or words, with a rule and noise."""
    import pandas

    random = np.random.default_rng(seed)
    rows, width = int(random.integers(5, 200)), int(random.integers(1, 8))
    cells = random.integers(0, random.integers(2, 12), (width, rows))
    frame = pandas.DataFrame(
        {
            f"c{place}": values
            if random.integers(2)
            else np.array([f"w{value}" for value in values], dtype=object)
            for place, values in enumerate(cells)
        }
    )
    rule = sum(frame[name].astype("category").cat.codes for name in frame)
    y = (rule % random.integers(2, 5) + random.integers(0, 2, rows)) % random.integers(2, 5)
    return frame, [f"k{label}" for label in y]


def datasets(names: list[str], thresholds: int) -> Iterator[tuple[str, Dataset]]:
    """The tables to compare on."""
    for seed in range(0 if names else 300):
        frame, y = random_table(seed)
        yield f"random {seed}", make_dataset(read_table(frame, y), one_class="allow", warn=False)
    shared = shared_folder()
    paths = [*sorted(shared.glob("dl85/*.txt.gz")), *sorted(shared.glob("pmlb/*/*.tsv.gz"))]
    for path in paths:
        name = path.name.partition(".")[0]
        if names and name not in names:
            continue
        table = read_table(path)
        most = thresholds if len(table.names) <= WIDE else min(thresholds, 8)
        yield name, make_dataset(table, max_thresholds=most, missing="value", warn=False)


def settled(dataset: Dataset, depth: int, by_columns: bool) -> tuple[Score, float]:
    """The proven score at a depth, and the CPU seconds that it took."""
    problem = Problem(dataset, max_depth=depth)
    begin = time.process_time()
    events = search_cubes(problem, _go_on) if by_columns else _by_bits(problem)
    *_, last = events
    return last.bounds, time.process_time() - begin


def _by_bits(problem: Problem) -> Iterator[Any]:
    return search_counting(problem, _go_on, Work(), columns=False)


def _go_on() -> None:
    return None


def main() -> int:
    """Compare, and print a line for each table that is not random."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--names", nargs="*", default=[])
    parser.add_argument("--thresholds", type=int, default=32)
    given = parser.parse_args()
    compared = wrong = 0
    for name, dataset in datasets(given.names, given.thresholds):
        for depth in (2, 3):
            (cubes, columns_time), (bits, bits_time) = (
                settled(dataset, depth, by_columns) for by_columns in (True, False)
            )
            same = (cubes.errors, cubes.inner) == (bits.errors, bits.inner)
            compared += 1
            wrong += not same
            if not same or not name.startswith("random"):
                size = f"{dataset.n_examples:6} rows {dataset.n_features:4} features"
                columns = len(columns_of(dataset)[0])
                found = f"{cubes.errors:5} errors {cubes.nodes:2} nodes"
                times = f"columns {columns_time:8.3f} s  bits {bits_time:8.3f} s"
                mark = "" if same else f"  WRONG: bits say {bits}"
                print(
                    f"{name:30} {size} {columns:3} columns depth {depth} {found}  {times}{mark}",
                    flush=True,
                )
    print(f"{compared} comparisons, {wrong} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
