"""The file of a campaign: one JSON object per line, appended as runs end.

A line is a `head` (the machine, the versions and the limits that the following lines were made
with) or a `row` (one method on one instance). A campaign that was killed leaves at most its last
line torn; `Results.open` cuts such a line off, so the run it belonged to is done again and every
other one is kept.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

Instance = tuple[str, int, int]  # data set, percent, seed
Key = tuple[str, int, int, str]
Nested = list[Any] | str  # [feature, zero side, one side], or the class of a leaf


@dataclass(frozen=True)
class Row:
    """One method on one instance: what it answered, how that was proven, what it cost."""

    dataset: str
    percent: int
    seed: int
    method: str
    aim: str  # what the method minimises: "size", "depth then size", "depth" or "nothing"
    examples: int
    features: int
    status: str  # "optimal", "feasible" or "none": what is known of the tree below
    ended: str  # "done", "time limit", "memory limit", "work limit", "wrong tree", "crash: …"
    nodes: int | None  # of a tree that was checked on all examples, here and below
    depth: int | None
    lower_nodes: int  # no tree (for "depth then size": of that depth) has fewer nodes
    lower_depth: int
    cpu: float  # seconds of the method alone, without loading the data
    wall: float
    memory: int  # bytes at the peak, the whole process
    stats: dict[str, float] = field(default_factory=dict)
    tree: Nested | None = None

    @property
    def key(self) -> Key:
        """What makes a run the same run."""
        return (self.dataset, self.percent, self.seed, self.method)

    @property
    def instance(self) -> Instance:
        """The data set, the percentage and the seed."""
        return (self.dataset, self.percent, self.seed)

    @property
    def solved(self) -> bool:
        """Whether the method proved what it aims at within the limits. A greedy method does not
        aim at a proof: its tree may be as small as the bound that all trees start with."""
        return self.status == "optimal" and self.aim != "nothing"


@dataclass(frozen=True)
class Head:
    """With what the rows after it were made. `machine` names no host and no path."""

    time_limit: float
    memory_limit: int
    machine: dict[str, str]
    suite: str = "optima"

    def limits(self) -> tuple[float, int]:
        """What must be the same in all of one file."""
        return (self.time_limit, self.memory_limit)

    def place(self) -> tuple[str, ...]:
        """What machine it was, whatever its clock and the versions of packages were just then."""
        model = self.machine.get("CPU", "").partition(" at ")[0]
        return (model, *(self.machine.get(key, "") for key in ("cores", "system")))


_OPENING = b'{"kind":"head"'  # how every results file begins


class WrongFileError(ValueError):
    """A results file holds a line that no campaign wrote."""


class Results:
    """The lines of a results file, and the way to add to them."""

    def __init__(self, path: Path, heads: list[Head], rows: list[Row]) -> None:
        self.path, self.heads, self.rows = path, heads, rows

    @classmethod
    def open(cls, path: Path) -> Results:
        """What `path` holds, repaired to be added to; nothing if there is no such file."""
        found = cls.read(path)  # what is not ours is refused before anything is cut off
        if path.exists():
            text = path.read_bytes()
            if not text.startswith(_OPENING[: len(text)]):
                raise WrongFileError(
                    f"{path.name} is not a results file of a campaign; give another file with --out"
                )
            if len(whole := _whole_lines(text)) < len(text):
                with path.open("r+b") as stream:
                    stream.truncate(len(whole))
        return found

    @classmethod
    def read(cls, path: Path) -> Results:
        """The same, but the file is left alone: a campaign may be adding to it."""
        if not path.exists():
            return cls(path, [], [])
        return cls._parse(path, _whole_lines(path.read_bytes()).decode())

    @classmethod
    def _parse(cls, path: Path, text: str) -> Results:
        heads, rows = [], []
        for number, line in enumerate(text.splitlines(), 1):
            try:
                data = json.loads(line)
                kind = data.pop("kind")
                if kind == "head":
                    heads.append(Head(**data))
                else:
                    rows.append(Row(**data))
            except (ValueError, TypeError, KeyError, AttributeError) as error:
                raise WrongFileError(
                    f"{path.name}, line {number} is not a row of a campaign ({error}); "
                    "give another file with --out"
                ) from error
        latest = {row.key: row for row in rows}  # of a run that was done again, the last counts
        return cls(path, heads, list(latest.values()))

    def done(self) -> set[Key]:
        """The runs that need not be done again: all but those that never got their data."""
        return {row.key for row in self.rows if row.examples or not row.ended.startswith("crash")}

    @classmethod
    def merged(cls, paths: Sequence[Path], out: Path, *, without: Sequence[str] = ()) -> Results:
        """Write the rows of several files, all of the same limits and machine, into `out`, which
        may be one of them. Of a run that several hold, the last counts; rows of the methods
        `without` are left out, so that they can be measured anew."""
        for path in paths:
            if not path.exists():
                raise WrongFileError(f"there is no file {path}")
        parts = [cls.read(path) for path in paths]
        heads = [head for part in parts for head in part.heads]
        if len(machines := {head.place() for head in heads}) > 1:
            raise WrongFileError(f"times of different machines cannot be compared: {machines}")
        new = out.with_name(out.name + ".new")
        new.unlink(missing_ok=True)
        merged = cls(new, [], [])
        for head in heads:
            merged.begin(head)
        latest = {row.key: row for part in parts for row in part.rows}
        for row in latest.values():
            if row.method not in without:
                merged.add(row)
        new.replace(out)
        return cls(out, merged.heads, merged.rows)

    def begin(self, head: Head) -> None:
        """Note with what the next rows are made, unless it is what the last ones were."""
        if self.heads and self.heads[-1].limits() != head.limits():
            raise WrongFileError(
                f"{self.path.name} was made with --time-limit {self.heads[-1].time_limit:g} and "
                f"{self.heads[-1].memory_limit / 1e9:g} GB; use these or another --out"
            )
        if not self.heads or self.heads[-1] != head:
            self._append({"kind": "head", **asdict(head)})
            self.heads.append(head)

    def add(self, row: Row) -> None:
        """Write `row` down for good."""
        self._append({"kind": "row", **asdict(row)})
        self.rows.append(row)

    def _append(self, data: dict[str, Any]) -> None:
        line = json.dumps(data, ensure_ascii=False, separators=(",", ":")) + "\n"
        with self.path.open("ab") as stream:
            stream.write(line.encode())


def _whole_lines(text: bytes) -> bytes:
    return text[: text.rfind(b"\n") + 1]
