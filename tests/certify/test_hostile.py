"""Certificates made to hurt whoever checks them: each ends in one line, soon and in little memory.

All of them are checked by one process that forks for each, so that its time and memory can be read.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from certify.forge import Case, proven_case
from dtfinder.certify.write import write_table

SECONDS, MEGABYTES = 2.5, 500  # one second on a quiet machine
RUNNER = """
import json, os, resource, sys
from dtfinder.certify import check
from dtfinder.certify.compiled import check_compiled
out = []
for line in sys.stdin:
    certificate, table, compiled = json.loads(line)
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        resource.setrlimit(resource.RLIMIT_CPU, (20, 20))
        resource.setrlimit(resource.RLIMIT_AS, (4 * 2**30, 4 * 2**30))
        os.dup2(write, 1)
        os.dup2(write, 2)
        by = check_compiled if compiled else check.check
        code = check.main([certificate, "--data", table], by)
        sys.stdout.flush()
        os._exit(code)
    os.close(write)
    said = os.fdopen(read, errors="replace").read()
    _, status, used = os.wait4(child, 0)
    code = os.waitstatus_to_exitcode(status)
    out.append([code, said, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024])
print(json.dumps(out))
"""


def small_case(rows: int = 12, features: int = 6) -> Case:
    random = np.random.RandomState(1)
    bits = np.unique(random.rand(rows, features) < 0.5, axis=0)
    labels = np.arange(len(bits)) % 2
    case = proven_case(bits, labels) if rows <= 12 else None
    if case is None:  # no proof is needed
        few = proven_case(bits[:6], labels[:6])
        assert few is not None
        case = few
    return case


def packed(head: bytes, part: bytes, times: int) -> bytes:
    """The head and then the part so many times over, each as a gzip member of its own."""
    return gzip.compress(head, mtime=0) + gzip.compress(part, mtime=0) * times


def head_with(case: Case, **changes: Any) -> bytes:
    return json.dumps({**case.head, **changes}).encode() + b"\n"


def lines(*text: str) -> bytes:
    return "".join(line + "\n" for line in text).encode()


def refutation(case: Case, extra: str = "", **ask: Any) -> bytes:
    claim = {"max_depth": None, "max_nodes": 5}
    head = head_with(case, proof="lrat", tree=None, claim=claim)
    ask = {
        "encoding": "paths",
        "paths": 3,
        "depth": None,
        "at_most": False,
        "switches": [],
        "cut": None,
        "digest": "",
    } | ask
    return head + lines("refute " + json.dumps(ask), "cube null", "9 0 1 0" + extra)


def errors(case: Case, *proof: str, **changes: Any) -> bytes:
    """A claim about errors."""
    claim = {"max_errors": 3, "max_depth": None, "max_nodes": 1}
    head = {"proof": "errors", "tree": None, "claim": claim, **changes}
    return head_with(case, **head) + lines(*proof)


def text_table(rows: int, columns: int) -> str:
    """Numbers that are all different, so that thresholds abound."""
    names = ",".join(f"x{c}" for c in range(columns))
    body = "".join(
        ",".join(str((r * (2 * c + 1)) % rows) for c in range(columns)) + f",{'AB'[r % 2]}\n"
        for r in range(rows)
    )
    return f"{names},class\n{body}"


def rare_spine(case: Case, proof: bytes) -> bytes:
    return (
        head_with(case, proof="spine", tree=None, claim={"max_depth": None, "max_nodes": 5}) + proof
    )


def deep(levels: int) -> str:
    return "[0,0," * levels + "0" + "]" * levels


MILLION = 10**6
# By name: the certificate, whether it is gzipped already, and words of the answer.
HOSTILE: dict[str, tuple[Callable[[Case], bytes], str]] = {
    "paths": (lambda case: refutation(case, paths=10**9), "its paths are 1000000000"),
    "paths of nodes": (
        lambda case: refutation(case, paths=10**9, encoding="nodes"),
        "its paths are 1000000000",
    ),
    "depth": (lambda case: refutation(case, depth=10**30), "it is another formula"),
    "classes": (
        lambda case: head_with(case, classes=case.head["classes"] * 200_000),
        "each class of the table once",
    ),
    "features": (
        lambda case: head_with(case, features=case.head["features"] * 20_000),
        "more features are defined than there are",
    ),
    "values of a test": (
        lambda case: head_with(case, features=[["f0", "in", [0] * MILLION]]),
        "too many values",
    ),
    "columns": (
        lambda case: head_with(case, columns=case.head["columns"] * 20_000),
        "names a column twice",
    ),
    "deep tree": (
        lambda case: head_with(case, tree=deep(100_000)).replace(b'"[', b"[").replace(b']"', b"]"),
        "nested too deeply",
    ),
    "deep head": (
        lambda case: b'{"format": "dtfinder certificate", "a": ' + b"[" * MILLION + b"\n",
        "nested too deeply",
    ),
    "deep refutation": (
        lambda case: refutation(case).replace(b'"cut": null', b'"cut": ' + b"[" * MILLION),
        "nested too deeply",
    ),
    "long number in the head": (
        lambda case: head_with(case).replace(b'"version": 1', b'"version": ' + b"1" * MILLION),
        "",
    ),
    "long number in the claim": (
        lambda case: head_with(
            case, tree=None, claim={"max_depth": 10**4000, "max_nodes": 10**4000}
        ),
        "",
    ),
    "long number in a lemma": (lambda case: head_with(case) + b"s " + b"1" * MILLION, "lemma 0"),
    "long number in a step": (lambda case: refutation(case, " " + "1" * MILLION), ""),
    "long line": (lambda case: head_with(case) + b"s 1" + b" 0" * 10**7 + b"\n", "a line has more"),
    "long head": (lambda case: head_with(case, more="x" * 10**7), "a line has more"),
    "repeated lemma": (lambda case: head_with(case) + b"s 0 0 1 " + b"0 " * MILLION, "lemma 0"),
    "bomb of zeros": (
        lambda case: packed(head_with(case), bytes(2**20), 2000),
        "16 times its size",
    ),
    "bomb of blank lines": (
        lambda case: packed(head_with(case), b"\n" * 2**20, 2000),
        "16 times its size",
    ),
    "bomb of lemmas": (
        lambda case: packed(head_with(case), b"s 1 0 1\n" * 2**17, 200),
        "16 times its size",
    ),
    "bomb for a head": (lambda case: packed(b"", bytes(2**20), 2000), "16 times its size"),
    "plain zeros": (lambda case: head_with(case) + bytes(10**8), "a line has more"),
    "plain blank lines": (lambda case: head_with(case) + b"\n" * 10**8, "lemma 0 ()"),
    "cut off": (lambda case: packed(head_with(case), b"", 1)[:-30], "a gzipped file is cut short"),
    "empty rules of a spine": (
        lambda case: rare_spine(case, lines("spine 5 16", "C 0", *["R"] * 60_000, "C 1")),
        "steps to check",
    ),
    "errors with long numbers": (
        lambda case: errors(case, "c 0 " + "1" * MILLION + " 1"),
        "line 0 of the proof",
    ),
    "errors with much room": (
        lambda case: errors(case, *["s 0 999999999/999999999 0"] * 2000, "s 0 * 99"),
        "of the proof",
    ),
    "errors with parts": (
        lambda case: errors(case, "c 0 0 1", "p 0 0 9" + " -1*999999999" * 1000),
        "count too often",
    ),
    "errors with weights": (
        lambda case: errors(case, weights=[1] * MILLION),
        "there is not a weight for each row",
    ),
    "errors with heavy weights": (
        lambda case: errors(case, weights=[10**17] * case.table.rows),
        "the weights come to more than",
    ),
    "errors with trees": (
        lambda case: errors(
            case,
            trees=[0] * MILLION,
            claim={"minimise": "front", "points": [], "max_depth": None, "max_nodes": None},
        ),
        "it has more trees than there are examples",
    ),
    "endless": (lambda case: b"", "more than 268435456 bytes"),
}
LARGE = {  # for a table with many features, or groups
    "templates": "is left out",
    "deep templates": "is left out",
    "formula": "literals",
    "formula of nodes": "literals",
    "large groups": "steps to check",
}


def large_certificates(table: str) -> dict[str, bytes]:
    """For a table of numbers, whose head is made here by hand."""
    rows = [line.split(",") for line in table.splitlines()]
    names = rows[0]
    columns = {name: [row[place] for row in rows[1:]] for place, name in enumerate(names)}
    digest = hashlib.sha256()
    for name in sorted(names):
        cells: list[Any] = columns[name]
        kind = "text" if name == "class" else "number"
        if kind == "number":
            cells = [float(cell) for cell in cells]
        digest.update(json.dumps([name, kind, cells]).encode() + b"\n")
    seen: set[tuple[bool, ...]] = set()
    features = []
    for name in names[:-1]:
        cells = [float(cell) for cell in columns[name]]
        for low in sorted(set(cells))[:-1]:
            mask = tuple(cell <= low for cell in cells)
            plain = tuple(bit != mask[0] for bit in mask)
            if plain not in seen:
                seen.add(plain)
                features.append([name, "<=", low])
    head = {
        "format": "dtfinder certificate",
        "version": 1,
        "digest": digest.hexdigest(),
        "columns": [[name, "number", "thresholds"] for name in names[:-1]],
        "target": ["class", "text"],
        "classes": ["A", "B"],
        "contradictions": "error",
        "features": features,
        "tree": None,
        "claim": {"max_depth": None, "max_nodes": 5},
        "proof": "lrat",
    }
    case = Case(None, head, ())  # type: ignore[arg-type]
    weights = " ".join(f"y{f} -1" for f in range(len(features)))
    return {
        "templates": refutation(case, paths=100, cut=20),
        "deep templates": refutation(case, paths=100, cut=10**9),
        "formula": refutation(case, paths=200),
        "formula of nodes": refutation(case, paths=200, encoding="nodes", switches=["additional"]),
        "large groups": rare_spine(case, lines("spine 5 16", "C 0", "L " + weights, "C 1")),
    }


@pytest.fixture(scope="module")
def answers(tmp_path_factory: pytest.TempPathFactory) -> dict[tuple[str, bool], Any]:
    """By name and checker: exit code, what was said, seconds and megabytes."""
    place = tmp_path_factory.mktemp("hostile")
    case = small_case()
    write_table(case.table, place / "table.csv")
    (place / "large.csv").write_text(text_table(200, 5))
    files = {name: (make(case), "table.csv") for name, (make, _) in HOSTILE.items()}
    large = large_certificates((place / "large.csv").read_text())
    files |= {name: (text, "large.csv") for name, text in large.items()}
    asked = []
    for name, (text, table) in files.items():
        path = place / name
        path.write_bytes(text)
        if name == "endless":
            path = Path("/dev/zero")
        for compiled in (False, True):
            asked.append((name, compiled, [str(path), str(place / table), compiled]))
    done = subprocess.run(
        [sys.executable, "-c", RUNNER],
        input="".join(json.dumps(words) + "\n" for *_, words in asked),
        capture_output=True,
        text=True,
        check=True,
    )
    found = json.loads(done.stdout)
    return {(name, by): answer for (name, by, _), answer in zip(asked, found, strict=True)}


@pytest.mark.parametrize("compiled", [False, True])
@pytest.mark.parametrize("name", [*HOSTILE, *LARGE])
def test_ends_in_one_line_soon(
    name: str, compiled: bool, answers: dict[tuple[str, bool], Any]
) -> None:
    code, said, seconds, megabytes = answers[name, compiled]
    assert code in (1, 2)
    assert said.startswith("REJECTED: " if code == 1 else ("could not check: ", "cannot read: "))
    assert said.endswith("\n")
    assert said.removesuffix("\n").isprintable()
    assert len(said) < 1100
    assert (HOSTILE[name][1] if name in HOSTILE else LARGE[name]) in said
    assert seconds < SECONDS
    assert megabytes < MEGABYTES


STARVED = """
import resource, sys
from dtfinder.certify import check
from dtfinder.certify.compiled import check_compiled
pages = int(open("/proc/self/statm").read().split()[0])
room = pages * resource.getpagesize() + int(sys.argv[4]) * 2**20
resource.setrlimit(resource.RLIMIT_AS, (room, room))
by = check_compiled if sys.argv[3] == "compiled" else check.check
sys.exit(check.main([sys.argv[1], "--data", sys.argv[2]], by))
"""


@pytest.mark.skipif(not os.path.exists("/proc/self/statm"), reason="memory is read from /proc")
@pytest.mark.parametrize("room", [8, 14, 15, 16, 17])  # in megabytes
@pytest.mark.parametrize("checker", ["python", "compiled"])
def test_out_of_memory_is_not_a_verdict(checker: str, room: int, tmp_path: Path) -> None:
    case = small_case()
    write_table(case.table, tmp_path / "table.csv")
    assert case.table.target is not None
    classes = case.table.target.tolist()
    other = next(row for row, label in enumerate(classes) if label != classes[0])
    many = f"s 1 0 {other}\n".encode() * 400_000
    (tmp_path / "cert").write_bytes(head_with(case) + many + lines(*case.body))
    done = subprocess.run(
        [
            *(sys.executable, "-c", STARVED, tmp_path / "cert", tmp_path / "table.csv"),
            *(checker, str(room)),
        ],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "could not check: out of memory\n"
