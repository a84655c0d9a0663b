"""What certificates of trees that err cost: to write, to check, and their size.

On the tables of DL8.5: fewest errors within a depth, and fronts. Each is run without and with a
proof, and the certificate is checked by both checkers; what counts is CPU time of this process, the
least of two runs. A run is what `find_tree` does from the file on, a check what the checker does
from its two files on. The Python checker gets a limit in seconds, or 90 times the run if that is
more. Results are added to a file, line by line; what it has is not measured again.

    python -m benchmarks error-certificates
"""

from __future__ import annotations

import gzip
import json
import logging
import signal
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import machine, tables
from benchmarks.instances import shared_folder
from dtfinder import find_front, find_tree
from dtfinder.certify import check
from dtfinder.certify.compiled import check_compiled
from dtfinder.proof import Certificate

FRONTS = ("hepatitis", "vote")
DEPTH = 4
LIMIT_TIMES = 90  # how many times the run the Python checker may take

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Cost:
    """One table. Times are CPU seconds; `check` is None if the Python checker met its limit."""

    table: str
    asked: str
    errors: int
    nodes: int
    search: float  # the part of `plain` that is neither reading nor preparing
    plain: float
    certified: float
    compiled: float
    check: float | None
    limit: float
    lines: int
    bytes: int

    @property
    def key(self) -> tuple[str, str]:
        """What makes it the same measurement."""
        return self.table, self.asked


def measure(names: Sequence[str], limit: float, results: Path) -> list[Cost]:
    """Measure what is missing, and return all."""
    found: list[Cost] = []
    if results.exists():
        found = [Cost(**json.loads(line)) for line in results.read_text().splitlines()]
    folder = shared_folder() / "dl85"
    known = names or sorted(path.name.split(".")[0] for path in folder.glob("*.txt.gz"))
    wanted = [(name, f"depth {DEPTH}") for name in known]
    wanted += [(name, "front") for name in FRONTS if name in known]
    for name, asked in wanted:
        if (name, asked) in {each.key for each in found}:
            continue
        with tempfile.TemporaryDirectory() as place:
            cost = _cost(folder / f"{name}.txt.gz", name, asked, limit, Path(place))
        log.info("%s", cost)
        found.append(cost)
        with results.open("a") as stream:
            stream.write(json.dumps(asdict(cost)) + "\n")
    return found


def _cost(source: Path, name: str, asked: str, limit: float, place: Path) -> Cost:
    table, proof = place / "table.csv", place / "proof.cert"
    with gzip.open(source) as stream:
        rows = np.loadtxt(stream, dtype=np.int64)
    names = [f"f{number}" for number in range(rows.shape[1] - 1)]
    np.savetxt(table, rows, "%d", ",", header=",".join(["label", *names]), comments="")

    def run(certify: bool) -> tuple[Any, Certificate | None]:
        asking: dict[str, Any] = {"target": "label", "certify": certify, "verbose": False}
        if asked == "front":
            front = find_front(str(table), **asking)
            return front[-1], front.certificate
        result = find_tree(str(table), max_depth=DEPTH, **asking)
        return result, result.certificate

    (best, _), plain = _least(lambda: run(False))
    (_, certificate), certified = _least(lambda: run(True))
    assert certificate is not None
    certificate.save(proof)
    said, compiled = _least(lambda: check_compiled(str(proof), str(table)))
    if not said.startswith("VERIFIED"):
        raise ValueError(f"{name}, {asked}: {said}")
    limit = max(limit, LIMIT_TIMES * plain)
    slow: float | None = None
    try:
        with _cpu_limit(limit):
            _, slow = _timed(lambda: check.check(str(proof), str(table)))
    except TimeoutError:
        log.info("the Python checker met its limit")
    lines = gzip.decompress(certificate.data).count(b"\n") - 1
    return Cost(
        name,
        asked,
        best.errors,
        best.nodes,
        best.seconds,
        plain,
        certified,
        compiled,
        slow,
        limit,
        lines,
        len(certificate.data),
    )


def _timed(act: Callable[[], Any]) -> tuple[Any, float]:
    begin = time.process_time()
    made = act()
    return made, time.process_time() - begin


def _least(act: Callable[[], Any]) -> tuple[Any, float]:
    made, first = _timed(act)
    if first > 10:
        return made, first
    return made, min(first, _timed(act)[1])


@contextmanager
def _cpu_limit(seconds: float) -> Iterator[None]:
    def stop(*_: Any) -> None:
        raise TimeoutError

    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def write(costs: Sequence[Cost], out: Path) -> Path:
    """Write the page."""
    out.mkdir(parents=True, exist_ok=True)
    file = out / "error_certificates.md"
    adds = [each.certified / each.plain - 1 for each in costs]
    compiled = [each.compiled / each.plain for each in costs]
    checked = [each.check / each.plain for each in costs if each.check is not None]
    late = sum(each.check is None for each in costs)
    summary = (
        f"Writing adds {100 * float(np.median(adds)):.0f}% in the median of {len(costs)} runs, "
        f"{100 * max(adds):.0f}% at most. The compiled check takes {max(compiled):.2f} times the "
        f"run at most, the Python check {max(checked):.1f} times where it ended; it met its limit "
        f"in {late} runs. Tables that are not listed were not measured.\n"
    )
    head = ["table", "asked", "errors", "nodes", "plain", "certified", "compiled", "check"]
    head += ["lines", "size"]
    lines = [
        [
            each.table,
            each.asked,
            str(each.errors),
            str(each.nodes),
            f"{each.plain:.3f}",
            f"{each.certified:.3f}",
            f"{each.compiled:.3f}",
            f"> {each.limit:.0f}" if each.check is None else f"{each.check:.2f}",
            f"{each.lines:,}",
            f"{each.bytes:,} B",
        ]
        for each in sorted(costs, key=lambda each: (each.asked, each.table))
    ]
    about = "\n".join(f"- {key}: {value}" for key, value in machine.describe().items())
    text = [_TEXT, summary, tables.markdown(head, lines, words=2), "## The machine\n", about]
    text.append("\nEvery figure is in [error_certificates.jsonl](error_certificates.jsonl).\n")
    file.write_text("\n".join(text), encoding="utf-8")
    return file


_TEXT = f"""\
# What certificates of errors cost

CPU seconds of finding the tree with the fewest errors within depth {DEPTH}, or a whole front, from
the file on, without (*plain*) and with a certificate (*certified*), the least of two runs; of
checking it against the table with the compiled checker and with the Python one; the lines of the
proof, and the size of the file, its head with all features included. The machine was not idle. Made
by `python -m benchmarks error-certificates`.
"""
