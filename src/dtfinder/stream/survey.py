"""The first pass: what the columns hold, which classes there are, and a sample of the rows.

Everything here is a sum, a set or a minimum, so surveys of parts of a table merge to the survey of
the whole, in whatever order the parts are read and wherever: one machine and a cluster get the same
questions, and so the same tree.

The sample is the `SAMPLE` rows with the least hash, a hash of all that a row holds. It does not
depend on where a row stands. Equal rows have equal hashes and are kept once, with their number, so
a table with no more distinct rows than `SAMPLE` is known exactly; of a longer one the sample is as
good as random, and a quantile of a column is off by about 0.15 % of the rows.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dtfinder.errors import DataError, Option
from dtfinder.stream.batch import Batch, Words, spread

SAMPLE = 1 << 17  # rows
MOST_WORDS = 100_000  # distinct ones in a column
MOST_CLASSES = 1000

Hashes = NDArray[np.uint64]


@dataclass
class Survey:
    """What is known of the rows seen so far."""

    rows: int = 0
    classes: Counter[Any] = field(default_factory=Counter)
    words: dict[str, Counter[Any]] = field(default_factory=dict)  # of columns that are not numbers
    missing: Counter[str] = field(default_factory=Counter)  # of columns of numbers
    hashes: Hashes = field(default_factory=lambda: np.zeros(0, dtype=np.uint64))
    counts: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    sample: dict[str, NDArray[Any]] = field(default_factory=dict)  # and the classes, as ""
    _digests: dict[Any, int] = field(default_factory=dict)

    def add(self, batch: Batch) -> None:
        """Take the rows of a batch."""
        if not batch.rows:
            return
        self.rows += batch.rows
        _count(self.classes, batch.classes)
        if len(self.classes) > MOST_CLASSES:
            raise DataError(
                f"there are more than {MOST_CLASSES} classes; name the class column with ",
                Option("target"),
            )
        for name, cells in batch.columns.items():
            if isinstance(cells, Words):
                _count(known := self.words.setdefault(name, Counter()), cells)
                if len(known) > MOST_WORDS:
                    raise DataError(
                        f"column {name!r} has more than {MOST_WORDS} different values that are not "
                        "numbers; leave it out with ",
                        Option("ignore"),
                        ", or write it as a number",
                    )
                continue
            if np.isinf(cells).any():
                raise DataError(f"column {name!r} has an infinite value; put a finite number there")
            self.missing[name] += int(np.isnan(cells).sum())
        self._take_sample(batch)

    def merge(self, other: Survey) -> None:
        """Add what another survey has seen, of other rows of the same table."""
        self.rows += other.rows
        self.classes += other.classes
        self.missing += other.missing
        for name, known in other.words.items():
            self.words.setdefault(name, Counter()).update(known)
        self._join(other.hashes, other.counts, other.sample)

    def _take_sample(self, batch: Batch) -> None:
        hashes = self._hashes(batch)
        if len(self.hashes) >= SAMPLE:
            (places,) = np.nonzero(hashes <= self.hashes[SAMPLE - 1])
        else:
            places = np.arange(batch.rows)
        if not len(places):
            return
        # Equal rows once, before words become objects.
        hashes, first, counts = np.unique(hashes[places], return_index=True, return_counts=True)
        hashes, places, counts = hashes[:SAMPLE], places[first[:SAMPLE]], counts[:SAMPLE]
        rows = {
            name: spread(cells.values, cells.at(places))
            if isinstance(cells, Words)
            else cells[places]
            for name, cells in [*batch.columns.items(), ("", batch.classes)]
        }
        self._join(hashes, counts.astype(np.int64), rows)

    def _join(
        self, hashes: Hashes, counts: NDArray[np.int64], rows: dict[str, NDArray[Any]]
    ) -> None:
        """Merge rows into the sample, and keep those with the least hashes."""
        if not len(hashes):
            return
        both = np.concatenate([self.hashes, hashes])
        order = np.argsort(both, kind="stable")
        starts = np.flatnonzero(np.diff(both[order], prepend=np.uint64(0)) != 0)
        if not len(starts) or starts[0] != 0:  # the least hash may be 0 itself
            starts = np.concatenate([[0], starts])
        sums = np.add.reduceat(np.concatenate([self.counts, counts])[order], starts)
        kept = order[starts][:SAMPLE]
        self.hashes, self.counts = both[kept], sums[:SAMPLE]
        self.sample = {
            name: np.concatenate([self.sample[name], cells])[kept] if self.sample else cells[kept]
            for name, cells in rows.items()
        }

    def _hashes(self, batch: Batch) -> Hashes:
        """A hash of everything that a row holds, by the columns in the order of their names."""
        mixed = np.zeros(batch.rows, dtype=np.uint64)
        cells: Any
        for name, cells in sorted([*batch.columns.items(), ("", batch.classes)]):
            if isinstance(cells, Words):
                digests = [self._digest(value) for value in cells.values]
                bits = np.array(digests, dtype=np.uint64)[cells.codes]
            else:
                # One zero and one NaN, whatever their bits were.
                bits = np.where(np.isnan(cells), np.nan, cells + 0.0).view(np.uint64)
            mixed ^= bits + np.uint64(self._digest(name))
            mixed *= np.uint64(0x9E3779B97F4A7C15)
            mixed ^= mixed >> np.uint64(29)
            mixed *= np.uint64(0xBF58476D1CE4E5B9)
            mixed ^= mixed >> np.uint64(32)
        return mixed

    def _digest(self, value: Any) -> int:
        """A number for a word, the same in every process."""
        key = (type(value).__name__, value)
        found = self._digests.get(key)
        if found is None:
            digest = hashlib.blake2b(repr(key).encode(), digest_size=8).digest()
            found = self._digests[key] = int.from_bytes(digest, "little")
        return found


def _count(counter: Counter[Any], words: Words) -> None:
    counts = np.bincount(words.codes, minlength=len(words.values)).tolist()
    for value, count in zip(words.values, counts, strict=True):
        if count:
            counter[value] += count
