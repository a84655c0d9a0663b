"""What certificates cost: writing, checking, and their size, over the instances of `optima.csv`.

Each instance is solved twice, without and with a proof (CPU seconds of this process, which is where
the native engine runs), then the certificate is checked by the Python checker and by the compiled
one. A certificate that is rejected ends the run with exit code 1.

    python -m benchmarks.certificates --seconds 30 --out docs/results/certificates.csv
"""

from __future__ import annotations

import argparse
import csv
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.instances import Optimum, instance, read_optima, shared_folder
from dtfinder.certify import check
from dtfinder.certify.compiled import check_compiled
from dtfinder.certify.write import write_table
from dtfinder.options import Options
from dtfinder.solve import solve

COLUMNS = (
    "instance",
    "minimise",
    "nodes",
    "depth",
    "prove",
    "prove_and_write",
    "check",
    "check_compiled",
    "lemmas",
    "bytes",
)


def main() -> int:
    """Write one line for each instance and objective that is proven within the limit."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=30.0, help="time limit of a run")
    parser.add_argument("--minimise", default="size,depth")
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
        for optimum in read_optima():
            for minimise in asked.minimise.split(","):
                try:
                    line = measure(optimum, minimise, asked.seconds)
                except check.Rejected as error:
                    print(f"REJECTED: {optimum.dataset} {optimum.percent} {minimise}: {error}")
                    rejected += 1
                    continue
                if line is not None:
                    writer.writerow(line)
                    stream.flush()
                    print(" ".join(str(line[name]) for name in COLUMNS), flush=True)
    return 1 if rejected else 0


def measure(optimum: Optimum, minimise: str, seconds: float) -> dict[str, Any] | None:
    """The costs of one instance; None if it is not proven within the limit."""
    dataset = instance(optimum.dataset, optimum.percent, optimum.seed)
    options = {"minimise": minimise, "time_limit": seconds}
    prove, plain = timed(lambda: solve(dataset, Options.of(**options)))
    if plain.status != "optimal":
        return None
    write, result = timed(lambda: solve(dataset, Options.of(certify=True, **options)))
    if result.certificate is None:
        return None
    with tempfile.TemporaryDirectory() as folder:
        proof, table = Path(folder) / "proof.cert", Path(folder) / "table.tsv"
        result.certificate.save(proof)
        write_table(dataset.table, table)
        slow, _ = timed(lambda: check.check(str(proof), str(table)))
        quick, words = timed(lambda: check_compiled(str(proof), str(table)))
    return {
        "instance": f"{optimum.dataset}-{optimum.percent}",
        "minimise": minimise,
        "nodes": result.nodes,
        "depth": result.depth,
        "prove": f"{prove:.3f}",
        "prove_and_write": f"{write:.3f}",
        "check": f"{slow:.3f}",
        "check_compiled": f"{quick:.3f}",
        "lemmas": words.rsplit("; ", 1)[1].split()[0],
        "bytes": len(result.certificate.data),
    }


def timed(run: Callable[[], Any]) -> tuple[float, Any]:
    """The CPU seconds that a call takes, and what it returns."""
    begin = time.process_time()
    found = run()
    return time.process_time() - begin, found


if __name__ == "__main__":
    sys.exit(main())
