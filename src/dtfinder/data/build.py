"""From a table to a `Dataset`: distinct examples over distinct features, and the way back.

Rows are merged before they are binarised (see binarise.py for why that is right), by giving each
distinct row a number: column by column the number so far and the column's code are combined, and
renumbered whenever they would no longer fit 64 bits. Features are compared as packed bits, turned
so that the first bit is 0, which makes a feature and its complement equal. Both are exact and take
about linear time.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dtfinder.data.binarise import (
    Levels,
    capped,
    feature_count,
    features_of,
    levels_of,
    schemes_of,
)
from dtfinder.data.class_sets import first_several, has_sets, set_indices, shown
from dtfinder.data.columns import missing_in
from dtfinder.data.dataset import Bits, Dataset, Feature, Ints, Label, Table, Weights, labels_of
from dtfinder.data.table_warnings import warn_of_doubts
from dtfinder.data.weights import ClassWeight, make_weights
from dtfinder.errors import DataError, Option, OptionError

_log = logging.getLogger(__name__)

# Tables that would take more bytes than this as 0/1 features are refused before memory is gone.
MAX_BITS = 2_000_000_000


def make_dataset(
    table: Table,
    *,
    binarise: str = "auto",
    max_thresholds: int | None = None,
    missing: str = "error",
    contradictions: str = "majority",
    class_weight: ClassWeight = None,
    one_class: str = "error",
    warn: bool = True,
) -> Dataset:
    """The examples and features of `table`, which must have a target.

    All but `one_class` and `warn` are as in `Options`. A table of one class is an error unless
    `one_class` is "allow". What is doubtful is logged if `warn`. Once contradictions are settled
    or dropped, all examples may be of one class although the rows are not: then a single leaf is
    the answer.
    """
    _check_choice("missing", missing, ("error", "value", "drop"))
    _check_choice("contradictions", contradictions, ("majority", "drop", "error"))
    _check_choice("one_class", one_class, ("error", "allow"))
    if table.target is None:
        raise DataError(
            "the table has no class column; name it with ", Option("target"), ", or give y"
        )
    if not len(table.target):
        raise DataError("the table has no rows; add some")
    table, weights = _weighted(table, class_weight)
    assert table.target is not None
    if has_sets(table.target):
        classes, row_sets = set_indices(table.target)
        row_labels, sets = labels_of(row_sets)
    else:
        classes, row_labels = class_indices(table.target)
        sets = None
    if one_class == "error":
        refuse_one_class(classes, table.target_name)
    complete = _complete_rows(table) if missing == "drop" else np.arange(table.rows)
    row_labels = row_labels[complete]
    levels = levels_of(table if len(complete) == table.rows else table.at(complete), missing)
    schemes = schemes_of(levels, binarise)
    if warn:
        warn_of_doubts(levels)
    if max_thresholds is not None:
        levels = [
            capped(each, row_labels, max_thresholds) if scheme in ("threshold", "both") else each
            for each, scheme in zip(levels, schemes, strict=True)
        ]
        schemes = ["threshold" if each.cuts else s for each, s in zip(levels, schemes, strict=True)]
    groups = _merge_rows(levels, len(row_labels))
    units = np.ones(table.rows, dtype=np.int64) if weights is None else weights.units
    vote = _vote(groups, row_labels, sets, len(classes), units[complete], contradictions)
    if not len(vote.rows):
        raise DataError(
            "every row contradicts another one, so dropping them leaves no rows; use ",
            Option("contradictions", "majority"),
        )
    _check_blow_up(levels, schemes, len(vote.rows))
    distinct = _distinct_features(levels, schemes, vote.rows)
    example_of_row = np.full(table.rows, -1)
    example_of_row[complete] = vote.example_of_group[groups]
    if table.guessed and warn:
        name = table.target_name
        _log.info("class: %s, the last column; %s names another one", name, Option("target"))
    return Dataset(
        bits=distinct.unpack(len(vote.rows)),
        labels=vote.labels,
        allowed=vote.allowed,
        features=tuple(distinct.features),
        classes=classes,
        table=table,
        example_of_row=example_of_row,
        unavoidable_errors=vote.errors,
        binarise=binarise,
        contradictions=contradictions,
        missing=missing,
        max_thresholds=max_thresholds,
        weights=weights,
        questions={
            each.column: (scheme, each.cuts) for each, scheme in zip(levels, schemes, strict=True)
        },
    )


def _weighted(table: Table, class_weight: ClassWeight) -> tuple[Table, Weights | None]:
    """The table without rows of weight 0, which count as if they were not there, and the weights
    of the others."""
    if table.weights is not None:
        table = _without_zeros(table, table.weights)
    if table.weights is None and class_weight is None:
        return table, None
    assert table.target is not None
    classes: tuple[Label, ...]
    if has_sets(table.target):
        if class_weight is not None:
            row, several = first_several(table.target)
            raise OptionError(
                Option("class_weight"),
                f" weighs one class per row, and row {row} allows {shown(several)}; "
                "leave it out, or give rows weights",
            )
        classes, labels = ("any",), np.zeros(table.rows, dtype=np.int64)
    else:
        classes, labels = class_indices(table.target)
    weights = make_weights(table.weights, labels, classes, class_weight)
    assert weights is not None
    if weights.rounded:
        share = f"{weights.rounded:.1g}"
        _log.info("weights are rounded, by at most %s of their sum", share)
    table = _without_zeros(table, weights.units)
    return table, replace(weights, units=weights.units[weights.units > 0])


def _without_zeros(table: Table, weights: NDArray[Any]) -> Table:
    rows = np.flatnonzero(weights > 0)
    if len(rows) == table.rows:
        return table
    _log.info("left out %d of %d rows, whose weight is 0", table.rows - len(rows), table.rows)
    return table.at(rows)


def _complete_rows(table: Table) -> Ints:
    """The rows that have a value in every column."""
    gone = np.zeros(table.rows, dtype=bool)
    for column in table.columns:
        gone |= missing_in(column)
    if gone.all():
        raise DataError(
            "every row lacks a value in some column, so dropping them leaves no rows; leave out "
            "columns with ",
            Option("ignore"),
            ", or use ",
            Option("missing", "value"),
        )
    return np.flatnonzero(~gone)


def class_indices(target: NDArray[Any]) -> tuple[tuple[Label, ...], Ints]:
    """The classes in order, and the index of each row's class."""
    if target.dtype.kind != "O":
        values, codes = np.unique(target, return_inverse=True)
        return tuple(values.tolist()), codes.astype(np.int64)
    classes = sorted(set(target.tolist()))
    index = {label: number for number, label in enumerate(classes)}
    return tuple(classes), np.array([index[label] for label in target.tolist()], dtype=np.int64)


def _check_choice(name: str, value: str, choices: tuple[str, ...]) -> None:
    if value not in choices:
        raise OptionError(f"{name} must be one of {', '.join(choices)}, not {value!r}")


def refuse_one_class(classes: tuple[Label, ...], name: str) -> None:
    """Raise if all rows have the same class."""
    if len(classes) == 1:
        raise DataError(
            f"every row has the class {classes[0]!r} in column {name!r}, so a single leaf is "
            "enough; give rows of two or more classes, or name another column with ",
            Option("target"),
        )


def _merge_rows(levels: list[Levels], rows: int) -> Ints:
    """The number of the group of equal rows that each row is in, by first appearance."""
    number, known = np.zeros(rows, dtype=np.int64), 1
    for each in levels:
        size = len(each.values)
        if size < 2:
            continue
        if known > (1 << 62) // size:
            number, known = _renumber(number)
        number = number * size + each.codes
        known *= size
    _, first, codes = np.unique(number, return_index=True, return_inverse=True)
    place = np.empty(len(first), dtype=np.int64)
    place[np.argsort(first)] = np.arange(len(first))
    return place[codes]


def _renumber(number: Ints) -> tuple[Ints, int]:
    values, codes = np.unique(number, return_inverse=True)
    return codes.astype(np.int64), len(values)


@dataclass(frozen=True)
class _Vote:
    """The classes of each group of equal rows that is kept."""

    rows: Ints  # the first row of each example
    labels: Ints
    allowed: Bits | None  # by class, if any example allows several
    example_of_group: Ints  # -1 where a group was dropped
    errors: int


def _vote(
    groups: Ints,
    row_labels: Ints,
    sets: Bits | None,
    n_classes: int,
    units: Ints,
    contradictions: str,
) -> _Vote:
    """Let each group of equal rows take the class that most of them allow, by weight, or all such
    classes if several tie. Labels of rows are classes, or the rows of `sets`."""
    n_groups = int(groups.max()) + 1
    allowing, labels, weighing = groups, row_labels, units
    if sets is not None:  # a row counts for each class that it allows
        row, labels = np.nonzero(sets[row_labels])
        allowing, weighing = groups[row], units[row]
    pairs, places = np.unique(allowing * n_classes + labels, return_inverse=True)
    counts = np.zeros(len(pairs), dtype=np.int64)
    np.add.at(counts, places, weighing)
    of_group, label = pairs // n_classes, pairs % n_classes
    most = np.zeros(n_groups, dtype=np.int64)
    np.maximum.at(most, of_group, counts)
    winners = counts == most[of_group]
    weights = np.zeros(n_groups, dtype=np.int64)
    np.add.at(weights, groups, units)
    rows = np.flatnonzero(np.diff(np.maximum.accumulate(groups), prepend=-1))
    agreed = most == weights
    if contradictions == "error" and not agreed.all():
        group = int(np.argmin(agreed))
        first = int(rows[group])
        other = int(np.argmax((groups == group) & (row_labels != row_labels[first])))
        raise DataError(
            f"rows {first + 1} and {other + 1} differ only in their class; correct one, or use ",
            Option("contradictions", "majority"),
        )
    kept = agreed if contradictions == "drop" else np.ones(n_groups, dtype=bool)
    place = np.where(kept, np.cumsum(kept) - 1, -1)
    errors = int((weights - most)[kept].sum())
    winners &= kept[of_group]
    of_group, label = of_group[winners], label[winners]
    order = np.lexsort((label, -np.bincount(label, minlength=n_classes)[label], of_group))
    best = order[np.flatnonzero(np.diff(of_group[order], prepend=-1))]
    allowed = None
    if len(best) < len(label):
        allowed = np.zeros((int(kept.sum()), n_classes), dtype=bool)
        allowed[place[of_group], label] = True
    return _Vote(rows[kept], label[best], allowed, place, errors)


def _check_blow_up(levels: list[Levels], schemes: list[str], examples: int) -> None:
    counts = [feature_count(each, scheme) for each, scheme in zip(levels, schemes, strict=True)]
    if sum(counts) * examples > MAX_BITS:
        worst = int(np.argmax(counts))
        raise DataError(
            f"{examples} distinct rows would become {sum(counts)} features, {counts[worst]} of "
            f"them from column {levels[worst].column!r}; use ",
            Option("max_thresholds", 50),
            " or the like, leave it out, or use ",
            Option("binarise", "binary"),
        )


class _DistinctFeatures:
    """The distinct features so far, their bits packed."""

    def __init__(self) -> None:
        self.features: list[Feature] = []
        self._packed: list[bytes] = []
        self._turned: list[bool] = []
        self._known: set[bytes] = set()

    def add(self, features: list[Feature], bits: Bits) -> None:
        """Take the features, one per line of `bits`, that are new and not constant."""
        varies = bits.any(axis=1) & ~bits.all(axis=1)
        turned = bits[:, 0].copy()
        packed = np.packbits(bits ^ turned[:, None], axis=1)
        for line in np.flatnonzero(varies).tolist():
            key = packed[line].tobytes()
            if key not in self._known:
                self._known.add(key)
                self.features.append(features[line])
                self._packed.append(key)
                self._turned.append(bool(turned[line]))

    def unpack(self, examples: int) -> Bits:
        """The bits of the distinct features, one feature per column."""
        out = np.zeros((examples, len(self.features)), dtype=bool)
        step = max(1, (1 << 24) // max(1, examples))
        for start in range(0, len(self.features), step):
            block = np.frombuffer(b"".join(self._packed[start : start + step]), dtype=np.uint8)
            lines = block.reshape(len(self._packed[start : start + step]), -1)
            bits = np.unpackbits(lines, axis=1, count=examples).astype(bool)
            turned = np.array(self._turned[start : start + step], dtype=bool)
            out[:, start : start + step] = (bits ^ turned[:, None]).T
        return out


def _distinct_features(levels: list[Levels], schemes: list[str], rows: Ints) -> _DistinctFeatures:
    distinct = _DistinctFeatures()
    for each, scheme in zip(levels, schemes, strict=True):
        for features, bits in features_of(each, scheme, rows):
            distinct.add(features, bits)
    return distinct
