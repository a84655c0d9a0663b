"""The SAT part of a certificate as files that any checker of LRAT proofs reads.

Every cube of every refutation becomes a formula in DIMACS form and a proof. In a certificate the
clauses of a formula have the numbers that no line of the proof has; everywhere else they are
numbered first, so lines and hints are renumbered here. Lines that only delete come without what
they would not find.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Any

from dtfinder.certify import check, check_sat
from dtfinder.errors import DataError


def export_lrat(certificate: str | Path, table: str | Path, folder: str | Path) -> list[Path]:
    """Write NAME.cnf and NAME.lrat for every cube; returns the paths of the formulas. The formulas
    are made from the table, as the checker makes them."""
    lines = gzip.decompress(Path(certificate).read_bytes()).decode().splitlines()
    head = json.loads(lines[0])
    if head["proof"] != "lrat":
        raise DataError(
            f"{str(certificate)!r} has lemmas, which no checker of LRAT proofs reads; write one "
            "with a SAT method, e.g. --method dtfinder"
        )
    data = check.Examples(head, check.read_table(str(table)))
    place = Path(folder)
    place.mkdir(parents=True, exist_ok=True)
    written: list[Path] = []
    for ask, template, proof in _proofs(lines[1:]):
        formula = check_sat.Formula(data, ask)
        make = {"paths": check_sat.paths_formula, "nodes": check_sat.nodes_formula}
        cube = make[ask["encoding"]](formula)
        clauses = formula.long + formula.units
        if template is not None:
            clauses = clauses + [[literal] for literal in cube(template)]
        depth = "any" if ask["depth"] is None else ask["depth"]
        path = place / f"paths{ask['paths']}-depth{depth}-{len(written)}.cnf"
        path.write_text(_dimacs(clauses, formula.top))
        path.with_suffix(".lrat").write_text("".join(_renumbered(proof, len(clauses))))
        written.append(path)
    return written


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


def _renumbered(lines: list[str], inputs: int) -> Iterator[str]:
    """The proof with the formula's clauses as 1..inputs and its lines after them."""
    steps = [line.split() for line in lines]
    own = {int(words[0]) for words in steps if words[1] != "d"}
    free = (number for number in count(1) if number not in own)
    place = {next(free): number for number in range(1, inputs + 1)}
    last = inputs
    for words in steps:
        if words[1] == "d":
            gone = [str(place.pop(int(word))) for word in words[2:-1] if int(word) in place]
            if gone:
                yield " ".join([str(last), "d", *gone, "0"]) + "\n"
            continue
        end = words.index("0", 1)
        hints = [str(place[int(word)]) for word in words[end + 1 : -1]]
        last += 1
        place[int(words[0])] = last
        yield " ".join([str(last), *words[1 : end + 1], *hints, "0"]) + "\n"
        if end == 1:
            return
