"""What certificates cost: writing, checking, and their size, over the instances of `optima.csv`.

Each instance is solved without and with a proof, in turns, as often as `--repeat` says, and the
least CPU time of each counts, all of it of this process. A SAT method runs without a proof as it
does with one, with the same solver and the same formulas, so that both search alike; only nothing
is traced, trimmed and packed. Then the certificate is checked by the Python checker and, if it is
one of lemmas, by the compiled one. A certificate that is rejected ends the run with exit code 1.

    python -m benchmarks.certificates --seconds 30 --least 1 --out build/certificates.csv
    python -m benchmarks.certificates --methods dtfinder dtfinder-DT1-T --seconds 30 --least 1
"""

from __future__ import annotations

import argparse
import csv
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any
from unittest.mock import patch

from benchmarks.instances import Optimum, instance, read_optima, shared_folder
from dtfinder.certify import check
from dtfinder.certify.compiled import check_compiled
from dtfinder.certify.write import write_table
from dtfinder.data import Dataset
from dtfinder.decide import worker
from dtfinder.methods import METHODS
from dtfinder.options import Options
from dtfinder.problem import Result
from dtfinder.solve import solve

COLUMNS = (
    "instance",
    "method",
    "minimise",
    "nodes",
    "depth",
    "prove",
    "prove_and_write",
    "cost",
    "check",
    "check_compiled",
    "steps",
    "bytes",
)


def main() -> int:
    """Write one line for each instance and objective that is proven within the limit."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--methods", nargs="+", default=["cores"])
    parser.add_argument("--minimise", nargs="+", default=["size", "depth"])
    parser.add_argument("--datasets", nargs="+", help="only those of these names")
    parser.add_argument("--seconds", type=float, default=30.0, help="time limit of a run")
    parser.add_argument("--least", type=float, default=0.0, help="leave out runs below this")
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--out", type=Path, default=Path("build/certificates.csv"))
    asked = parser.parse_args()
    if not (shared_folder() / "optima.csv").exists():
        print(f"there is no {shared_folder() / 'optima.csv'}: set DTFINDER_SHARED")
        return 2
    asked.out.parent.mkdir(parents=True, exist_ok=True)
    rejected = 0
    with asked.out.open("w", newline="") as stream:
        writer = csv.DictWriter(stream, COLUMNS, lineterminator="\n")
        writer.writeheader()
        for optimum, options in cases(asked):
            try:
                line = measure(optimum, options, asked.least, asked.repeat)
            except check.Rejected as error:
                print(f"REJECTED: {optimum.dataset} {optimum.percent} {options}: {error}")
                rejected += 1
                continue
            if line is not None:
                writer.writerow(line)
                stream.flush()
                print(" ".join(str(line[name]) for name in COLUMNS), flush=True)
    return 1 if rejected else 0


def cases(asked: argparse.Namespace) -> Iterator[tuple[Optimum, dict[str, Any]]]:
    """The instances with the options of each run."""
    for optimum in read_optima():
        if asked.datasets and optimum.dataset not in asked.datasets:
            continue
        for method in asked.methods:
            for minimise in asked.minimise:
                if minimise in METHODS[method].minimises:
                    given = {"method": method, "minimise": minimise, "time_limit": asked.seconds}
                    yield optimum, given


def measure(
    optimum: Optimum, options: dict[str, Any], least: float, repeat: int
) -> dict[str, Any] | None:
    """The costs of one instance; None if it is not proven within the limit, or below `least`."""
    dataset = instance(optimum.dataset, optimum.percent, optimum.seed)
    prove, write = float("inf"), float("inf")
    for _ in range(repeat):
        seconds, plain = timed(lambda: run(dataset, options, prove=False))
        prove = min(prove, seconds)
        if plain.status != "optimal" or prove < least:
            return None
        seconds, result = timed(lambda: run(dataset, options, prove=True))
        write = min(write, seconds)
        if result.certificate is None:
            return None
    quick, lemmas = 0.0, options["method"] == "cores"
    with tempfile.TemporaryDirectory() as folder:
        proof, table = Path(folder) / "proof.cert", Path(folder) / "table.tsv"
        result.certificate.save(proof)
        write_table(dataset.table, table)
        slow, words = timed(lambda: check.check(str(proof), str(table)))
        if lemmas:
            quick, words = timed(lambda: check_compiled(str(proof), str(table)))
    return {
        "instance": f"{optimum.dataset}-{optimum.percent}",
        "method": options["method"],
        "minimise": options["minimise"],
        "nodes": result.nodes,
        "depth": result.depth,
        "prove": f"{prove:.3f}",
        "prove_and_write": f"{write:.3f}",
        "cost": f"{write / prove - 1:.3f}",
        "check": f"{slow:.3f}",
        "check_compiled": f"{quick:.3f}" if lemmas else "",
        "steps": words.rsplit("; ", 1)[1].split(" ")[0 if lemmas else 3],
        "bytes": len(result.certificate.data),
    }


def run(dataset: Dataset, options: dict[str, Any], *, prove: bool) -> Result:
    """Solve here, where CPU time is counted, with or without a proof."""
    sat = METHODS[options["method"]].setup is not None
    with worker.in_this_process(), nullcontext() if prove or not sat else untraced():
        return solve(dataset, Options.of(certify=prove or sat, **options))


def untraced() -> AbstractContextManager[Any]:
    """While inside, SAT solvers are set up as for a proof, but none is traced."""

    def only_set_up(made: Any) -> None:
        made.solver.configure({"factor": 0})

    return patch("dtfinder.decide.solver.ProofLog", only_set_up)


def timed(run: Callable[[], Any]) -> tuple[float, Any]:
    """The CPU seconds that a call takes, and what it returns."""
    begin = time.process_time()
    found = run()
    return time.process_time() - begin, found


if __name__ == "__main__":
    sys.exit(main())
