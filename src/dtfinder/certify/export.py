"""The SAT part of a certificate as files for any checker of LRAT proofs.

Every cube of every refutation becomes a formula in DIMACS form and a proof, copied from the
certificate. The clauses of a formula are numbered from 1, and those of the proof follow.
"""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from dtfinder.certify import check, check_sat
from dtfinder.errors import DataError

_DAMAGED = (AttributeError, check.TooLarge, EOFError, RecursionError, zlib.error, gzip.BadGzipFile)


def export_lrat(certificate: str | Path, table: str | Path, folder: str | Path) -> list[Path]:
    """Write NAME.cnf and NAME.lrat for every cube; returns the paths of the formulas. The formulas
    are made from the table, as the checker makes them."""
    try:
        return _export(str(certificate), str(table), Path(folder))
    except DataError:
        raise
    except (*check.MALFORMED, *_DAMAGED) as error:
        why = str(error)
    raise DataError(
        f"{str(certificate)!r} is not a certificate of that table ({why:.200}); write it again "
        "with `dtfinder fit --certificate`"
    )


def _export(certificate: str, table: str, place: Path) -> list[Path]:
    head, lines, data = _opened(certificate, table)
    if head["proof"] != "lrat":
        has = "a spine proof" if head["proof"] == "spine" else "lemmas"
        raise DataError(
            f"{certificate!r} has {has}, which no checker of LRAT proofs reads; write one "
            "with a SAT method, e.g. --method dtfinder"
        )
    place.mkdir(parents=True, exist_ok=True)
    written: list[Path] = []
    for ask, template, proof in _proofs(lines):
        most = check_sat.most_literals(data, ask, sum(map(len, proof)))
        formula = check_sat.Formula(data, ask, most)
        make = {"paths": check_sat.paths_formula, "nodes": check_sat.nodes_formula}
        cube = make[ask["encoding"]](formula)
        clauses = formula.long + formula.units
        if template is not None:
            clauses = clauses + [[literal] for literal in cube(template)]
        depth = "any" if ask["depth"] is None else ask["depth"]
        path = place / f"paths{ask['paths']}-depth{depth}-{len(written)}.cnf"
        path.write_text(_dimacs(clauses, formula.top))
        path.with_suffix(".lrat").write_text("".join(line + "\n" for line in proof))
        written.append(path)
    return written


def _opened(certificate: str, table: str) -> tuple[dict[str, Any], list[str], check.Examples]:
    """The head of a certificate, the lines of its proof, and the examples of its table."""
    try:
        head, lines, data = check.opened(certificate, table)
        return head, list(lines), data
    except OSError as error:
        if error.filename is None:  # what it holds is wrong, not where it is
            raise
        raise DataError(f"cannot read {error.filename!r}: {error.strerror}") from None


def _proofs(lines: list[str]) -> Iterator[tuple[dict[str, Any], Any, list[str]]]:
    """Question, template and proof lines, cube after cube."""
    ask: dict[str, Any] = {}
    starts = [n for n, line in enumerate(lines) if not line[0].isdigit()]
    for start, end in zip(starts, [*starts[1:], len(lines)], strict=True):
        word, _, rest = lines[start].partition(" ")
        if word == "refute":
            ask = json.loads(rest)
        else:
            yield ask, _tuples(json.loads(rest)), lines[start + 1 : end]


def _tuples(template: Any) -> Any:
    return tuple(map(_tuples, template)) if isinstance(template, list) else template


def _dimacs(clauses: list[list[int]], top: int) -> str:
    rows = (" ".join(map(str, [*clause, 0])) + "\n" for clause in clauses)
    return f"p cnf {top} {len(clauses)}\n" + "".join(rows)
