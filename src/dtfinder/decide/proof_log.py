"""The proof that a solver writes while it refutes a formula.

CaDiCaL 3 traces every clause that it learns as a step of LRAT: the clause, and the clauses from
which it follows by unit propagation alone (bounded variable addition, which would need more, is
off). A clause that is loaded after units is shortened at once, which takes steps, so units come
last (`Formula.put_units_last`).

About half of what tracing costs on top of solving is the solver's own: it has to remember what
follows from what. The steps come in binary, which is half as long as text, and only those that the
empty clause needs become text and are packed (`trim_lrat`), with the formula's clauses as 1, 2, …
and the steps numbered after them.

A fork of the solver's process writes on where its parent stopped, in the same file; so if it
flushes before it ends, the parent finds the proof of the fork there. What was traced before the
fork belongs to the proofs of all forks.
"""

from __future__ import annotations

import ctypes
import json
import os
import sys
import tempfile
import zlib
from collections.abc import Iterable, Sequence
from typing import Any

from dtfinder._check import trim_lrat
from dtfinder.proof import Refutation

SOLVER, CARDINALITY = "cadical300", "seqcounter"
_GZIP = 31  # the window bits that make zlib write a gzip header
_FULLY = 0  # _IOFBF of glibc


class ProofLog:
    """The growing proof of one solver."""

    def __init__(self, solver: Any) -> None:
        """Trace the PySAT solver, which must be a new `cadical300` without clauses."""
        import pysolvers

        inside = solver.solver
        inside.configure({"factor": 0, "lrat": 1, "binary": 1})
        # PySAT closes both when the solver is deleted.
        inside.prfile = tempfile.TemporaryFile()  # noqa: SIM115
        inside.prfp = pysolvers.cadical300_tracepr(inside.cadical, inside.prfile)
        self._flush, self._stream = pysolvers.flushpr, inside.prfp
        _buffer_fully(inside.prfp)
        self._file = inside.prfile.fileno()
        self._place, self._shared = 0, b""

    def flush(self) -> None:
        """Bring all that was traced into the file: before a fork, and at its end."""
        self._flush(self._stream)

    def share(self) -> None:
        """Let what was traced so far be a part of all proofs to come."""
        self._shared += self._read()

    def take(self, clauses: int) -> list[bytes]:
        """The proof that this many clauses have no model, as lines of LRAT: what the empty clause
        needs of what is shared and of what was traced since the last time; in pieces."""
        return trim_lrat(self._shared + self._read(), clauses)

    def drop(self) -> None:
        """Forget what was traced since the last time: it led to no refutation."""
        self.flush()
        self._place = os.fstat(self._file).st_size

    def _read(self) -> bytes:
        self.flush()
        end = os.fstat(self._file).st_size
        parts = []
        while self._place < end:
            part = os.pread(self._file, end - self._place, self._place)
            parts.append(part)
            self._place += len(part)
        return b"".join(parts)


def _buffer_fully(stream: Any) -> None:
    """PySAT makes the stream write at the end of each line. Among the bytes of a binary proof there
    are line ends everywhere, so that was a system call for every hundred of them."""
    if sys.platform == "linux":
        pointer = ctypes.pythonapi.PyCapsule_GetPointer
        pointer.restype, pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
        set_buffer = ctypes.CDLL(None).setvbuf
        set_buffer.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int, ctypes.c_size_t]
        set_buffer(pointer(stream, None), None, _FULLY, 4096)


class Proofs:
    """The proofs of one formula under one cube after the other, packed as they come."""

    def __init__(self, question: dict[str, Any], digest: str) -> None:
        """`question` as docs/certificates.md has it, and the digest of its formula."""
        self._question = question
        self._packer = zlib.compressobj(1, zlib.DEFLATED, _GZIP)
        line = json.dumps({**question, "digest": digest})
        self._parts = [self._packer.compress(f"refute {line}\n".encode())]

    def add(self, template: Any, proof: Iterable[bytes]) -> None:
        """The proof, in pieces, under the cube of `template`, or under none if it is None."""
        self._parts.append(self._packer.compress(f"cube {json.dumps(template)}\n".encode()))
        self._parts.extend(map(self._packer.compress, proof))

    def refutation(self) -> Refutation:
        """All of it, once every cube is refuted."""
        packed = b"".join([*self._parts, self._packer.flush()])
        question = self._question
        return Refutation(question["paths"], question["depth"], question["at_most"], packed)


def switch_names(encoding: str, switches: Any) -> Sequence[str]:
    """The switches that are on and matter for the formula of an encoding."""
    names = ("leaf_matches", "quasi_pure") if encoding == "paths" else ("additional", "quasi_pure")
    return [name for name in names if getattr(switches, name)]
