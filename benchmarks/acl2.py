"""An outside judge: ACL2's verified LRAT checker on the proofs of all SAT methods.

`projects/sat/lrat` of the ACL2 books is a checker that is itself proven right, in ACL2. Debian has
it in the packages acl2 and acl2-books (some 3 GB installed). Where it is missing, this command says
so and exits with 0.

    python -m benchmarks.acl2 weather mux6
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from dtfinder import find_tree
from dtfinder.certify.export import export_lrat
from dtfinder.certify.write import write_table
from dtfinder.data import read_table
from dtfinder.methods import METHODS

_BOOK = '(include-book "projects/sat/lrat/stobj-based/run" :dir :system)'
_CHECK = """(mv-let (erp val state) (lrat::verify-lrat-proof-fn "{cnf}" "{lrat}" nil state)
  (pprogn (princ$ (if (and (null erp) (eq val t)) "JUDGED {name} VERIFIED" "JUDGED {name} FAILED")
                  *standard-co* state)
          (newline *standard-co* state) (mv nil :invisible state)))"""


def installed() -> bool:
    """Whether there is an ACL2 to ask."""
    return shutil.which("acl2") is not None


def judge(formulas: list[Path]) -> dict[str, bool]:
    """What ACL2 says of each formula and the .lrat beside it, by the formula's name."""
    lines = [_BOOK]
    for cnf in formulas:
        lines.append(_CHECK.format(cnf=cnf, lrat=cnf.with_suffix(".lrat"), name=cnf.stem))
    told = subprocess.run(
        ["acl2"], input="\n".join(lines) + "\n(quit)\n", capture_output=True, text=True, check=True
    ).stdout
    found = re.findall(r"JUDGED (\S+) (VERIFIED|FAILED)", told)
    verdicts = {name: verdict == "VERIFIED" for name, verdict in found}
    # An error inside ACL2 judges nothing, so what is missing did not pass.
    return {cnf.stem: verdicts.get(cnf.stem, False) for cnf in formulas}


def export(name: str, method: str, folder: Path) -> list[Path]:
    """The formulas and proofs that a SAT method leaves for an embedded data set."""
    minimise = "depth" if METHODS[method].minimise == "depth" else "size"
    table = read_table(name)
    result = find_tree(table, method=method, minimise=minimise, certify=True)
    assert result.certificate is not None
    folder.mkdir(parents=True, exist_ok=True)
    result.certificate.save(folder / "proof.cert")
    write_table(table, folder / "table.tsv")
    return export_lrat(folder / "proof.cert", folder / "table.tsv", folder)


def main() -> int:
    """Judge the proofs of all SAT methods for the data sets named; exit code 1 if any fails."""
    if not installed():
        print("skipped: acl2 is not installed; on Debian: apt install acl2 acl2-books")
        return 0
    failed = 0
    for name in sys.argv[1:] or ["weather"]:
        for method in (each for each in METHODS.values() if each.setup is not None):
            with tempfile.TemporaryDirectory() as folder:
                verdicts = judge(export(name, method.name, Path(folder)))
            wrong = [cnf for cnf, holds in verdicts.items() if not holds]
            failed += len(wrong)
            said = f"FAILED: {', '.join(wrong)}" if wrong else "all verified by ACL2"
            print(f"{name}, {method.name}: {len(verdicts)} proofs, {said}", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
