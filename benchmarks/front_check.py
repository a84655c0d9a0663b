"""Whether the rows of `benchmarks/front.py` contradict each other, or the reference values.

The least errors of a table within a depth or a number of inner nodes are known for many limits
(`fronts.csv` beside the tables). What any tool proves has to be the same, and two tools that prove
the least cost have to agree. Bounds of a front that is open have to hold.
"""

from __future__ import annotations

import csv
import math
from collections.abc import Iterator
from pathlib import Path

from benchmarks.front import Row

Key = tuple[str, int | None, int | None]  # table, depth, inner nodes; None: no limit
Known = dict[Key, int]


def reference(file: Path) -> Known:
    """The least errors by table and limits."""
    with file.open(newline="") as stream:
        return {
            (line["table"], _limit(line["max_depth"]), _limit(line["max_inner"])): int(
                line["errors"]
            )
            for line in csv.DictReader(stream)
        }


def check(rows: list[Row], known: Known) -> tuple[int, int]:
    """How many values are as in the reference, and how many tools agree with another one; the first
    that does not raises a ValueError."""
    as_known = 0
    proven: dict[Key, tuple[str, int]] = {}
    agreeing = 0
    for row in rows:
        for key, lower, upper in _bounds(row):
            if key in known and not lower <= known[key] <= upper:
                raise ValueError(
                    f"{row['tool']}: {lower}..{upper} errors for {key}, not {known[key]}"
                )
            as_known += key in known and lower == upper
            if lower == upper:
                tool, errors = proven.setdefault(key, (row["tool"], upper))
                if errors != upper:
                    raise ValueError(f"{tool}: {errors} errors for {key}; {row['tool']}: {upper}")
                agreeing += tool != row["tool"]
    return as_known, agreeing + _same_costs(rows)


def _limit(cell: str) -> int | None:
    return int(cell) if cell else None


def _bounds(row: Row) -> Iterator[tuple[Key, int, int]]:
    """What a row says of the least errors: both bounds, by key."""
    if row["kind"] == "depth" and row["solved"]:
        yield (row["table"], row["depth"], None), row["errors"], row["errors"]
    elif row["kind"] == "nodes" and row["solved"]:
        yield (row["table"], None, row["inner"]), row["errors"], row["errors"]
    elif row["kind"] == "front" and "lower" in row:
        for inner, (lower, upper) in enumerate(zip(row["lower"], row["errors"], strict=True)):
            yield (row["table"], None, inner), lower, upper


def _same_costs(rows: list[Row]) -> int:
    costs: dict[tuple[str, float], tuple[str, float]] = {}
    agreeing = 0
    for row in rows:
        if row["kind"] != "penalty" or not row["solved"]:
            continue
        key = (row["table"], row["penalty"])
        tool, cost = costs.setdefault(key, (row["tool"], row["cost"]))
        if not math.isclose(cost, row["cost"], abs_tol=1e-6):
            raise ValueError(f"{tool}: cost {cost} for {key}; {row['tool']}: {row['cost']}")
        agreeing += tool != row["tool"]
    return agreeing
