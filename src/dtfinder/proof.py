"""What a run leaves behind as proof: a certificate to check, and the parts that it is made from.

A search that was asked to `certify` hands over pieces of proof with its events. Which pieces are
needed in the end, and how they are written down, is up to `dtfinder.certify`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

LEMMAS, LRAT, SPINE, ERRORS, COUNTS = "lemmas", "lrat", "spine", "errors", "counts"


@dataclass(frozen=True)
class Refutation:
    """'No tree has this many paths and this depth', proven by a SAT solver. `packed` is its part
    of the certificate, gzipped: the question, then an LRAT proof for every cube."""

    paths: int
    depth: int | None
    at_most: bool
    packed: bytes

    def implies(self, other: Refutation) -> bool:
        """Whether this one makes `other` superfluous."""
        paths = self.paths == other.paths or (self.at_most and self.paths > other.paths)
        depth = self.depth is None or (other.depth is not None and other.depth <= self.depth)
        return paths and depth


@dataclass(frozen=True)
class Lemmas:
    """The lemmas of the exact engine that its last ones need, one per line, as text."""

    text: bytes


@dataclass(frozen=True)
class SpineProof:
    """The case distinction over spines that shows that no tree is smaller, as text."""

    text: bytes


@dataclass(frozen=True)
class ErrorLemmas:
    """The lemmas about errors that the counting engine's bounds rest on, as text, one per line;
    None if there was no memory for them. `prices` are those of an error and an inner node, if
    lemmas are about costs."""

    text: bytes | None
    prices: tuple[int, int] | None = None


Proof = Refutation | Lemmas | SpineProof | ErrorLemmas


@dataclass(frozen=True)
class Certificate:
    """The proof that a tree is optimal, or that none is within the limits, as `dtfinder check`
    reads it. docs/certificates.md has the format."""

    data: bytes = field(repr=False)
    kind: str  # LEMMAS, LRAT, SPINE, ERRORS or COUNTS

    def save(self, path: str | Path) -> None:
        """Write it to a file."""
        Path(path).write_bytes(self.data)


@dataclass(frozen=True)
class Forcing:
    """Rows that alone force a size or a depth: no smaller tree classifies just them."""

    rows: tuple[int, ...]  # of the table, counted from 0
    nodes: int | None = None  # the least size of a tree for these rows
    depth: int | None = None  # the least depth, where that is what they force
    within_depth: int | None = None  # the limit under which they force the size
    minimal: bool = False  # whether no row can be left out
    errors: int | None = None  # what they weigh, or how many equal rows each stands for, at least


@dataclass(frozen=True)
class NodeNeed:
    """Why an inner node is there: without it, if its place was taken by its zero side, `row_one`
    would get a wrong class, and if it was taken by its one side, `row_zero` would."""

    node: int
    row_zero: int
    row_one: int


@dataclass(frozen=True)
class Reason:
    """Why there is no better tree, and what each node of this one is for. `print` shows it in words
    and rows of the table, as `dtfinder why` does."""

    forcing: tuple[Forcing, ...]
    needs: tuple[NodeNeed, ...]
    n_rows: int  # of the table
    seconds: float
    # For trees that may err, the groups in `forcing` have no row in common. Together they force
    # `forced` of the `errors` that the tree makes, or that every smaller tree makes.
    forced: int | None = None
    errors: int | None = None
    text: str = field(default="", repr=False, compare=False)

    def __str__(self) -> str:
        return self.text or repr(self)
