"""The questions that trees may ask of a table that is read in batches, made from a survey.

Columns that have an order, numbers, dates and so on, are asked for thresholds: the same that a
table in memory would have with `max_thresholds`, if the sample holds every row, and otherwise those
of the sample. A threshold is a question about any value, so none can fall outside the bins. Any
other column is asked for its most frequent values; the rest is one level without a question.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dtfinder.data.binarise import Levels, capped, levels_of, refuse_missing, threshold_of
from dtfinder.data.build import class_indices, refuse_one_class
from dtfinder.data.columns import Column, objects, text_column, typed_column
from dtfinder.data.dataset import Feature, Ints, Label, Table, Value
from dtfinder.errors import DataError
from dtfinder.search.cubes import CubeColumn
from dtfinder.stream.batch import Batch, Floats, Words
from dtfinder.stream.survey import Survey

MOST_THRESHOLDS = 32  # unless `max_thresholds` says otherwise
MOST_LEVELS = 1 << 16


@dataclass(frozen=True)
class Asked:
    """One column: how its cells become levels, and the questions about these."""

    name: str
    ordered: bool
    levels: int
    features: tuple[Feature, ...]
    flipped: bool = False  # whether the last feature is the opposite of the last question
    first: int = 0
    cuts: Floats | None = None  # of a column of numbers
    codes: dict[Any, int] | None = None  # of the words of any other column
    values: dict[Any, Value] | None = None  # what these words mean
    rest: int = 0  # values that have no question of their own

    def level(self, cells: Floats | Words) -> Ints:
        """The level of every row."""
        if isinstance(cells, Words):
            assert self.codes is not None
            codes = [self.codes.get(word, -1) for word in cells.values]
            return np.array(codes, dtype=np.int64)[cells.codes]
        assert self.cuts is not None
        found = np.searchsorted(self.cuts, cells, side="left")
        if self.flipped:
            found[np.isnan(cells)] = len(self.cuts) + 1
        return found

    def raw(self, cells: Floats | Words) -> NDArray[Any]:
        """The cells as a `Feature` reads them."""
        if not isinstance(cells, Words):
            return cells
        assert self.values is not None
        known = [self.values.get(word) for word in cells.values]
        numeric = all(value is None or type(value) is float for value in self.values.values())
        if numeric and self.ordered:
            return np.array([np.nan if v is None else v for v in known], dtype=float)[cells.codes]
        return objects(known)[cells.codes]


@dataclass(frozen=True)
class Questions:
    """All questions, the classes, and how many rows they are asked of."""

    columns: tuple[Asked, ...]
    classes: tuple[Label, ...]
    class_codes: dict[Any, int]  # by the cell of the class column
    target: str
    rows: int
    sampled: int  # rows that the thresholds were made of
    max_thresholds: int
    drop_missing: bool = False

    @property
    def features(self) -> tuple[Feature, ...]:
        """All of them, in the order of the columns."""
        return tuple(feature for each in self.columns for feature in each.features)

    def cube_columns(self) -> list[CubeColumn]:
        """The columns as cubes know them."""
        made, start = [], 0
        for each in self.columns:
            numbers = tuple(range(start, start + len(each.features)))
            made.append(CubeColumn(each.levels, each.ordered, numbers, each.first))
            start += len(numbers)
        return made

    def flipped(self) -> set[int]:
        """The features that are the opposite of the question that cubes asked."""
        ends = np.cumsum([len(each.features) for each in self.columns]).tolist()
        return {end - 1 for end, each in zip(ends, self.columns, strict=True) if each.flipped}

    def sample_levels(self, survey: Survey) -> NDArray[np.int64]:
        """The levels of the rows of the sample: columns × rows."""
        rows = np.arange(len(survey.hashes))
        made = []
        for each in self.columns:
            cells = survey.sample[each.name]
            by_word = cells.dtype.kind == "O"
            made.append(each.level(Words(tuple(cells.tolist()), rows) if by_word else cells))
        return np.array(made, dtype=np.int64).reshape(len(made), len(rows))

    def labels(self, batch: Batch) -> NDArray[np.uint16]:
        """The class of every row."""
        codes = [self.class_codes.get(value, -1) for value in batch.classes.values]
        found = np.array(codes, dtype=np.int64)[batch.classes.codes]
        _refuse_new(found)
        return found.astype(np.uint16)

    def codes(self, batch: Batch) -> NDArray[np.uint8] | NDArray[np.uint16]:
        """The level of every row in every column: columns × rows."""
        narrow = all(each.levels <= 1 << 8 for each in self.columns)
        table = np.zeros((len(self.columns), batch.rows), np.uint8 if narrow else np.uint16)
        for place, each in enumerate(self.columns):
            found = each.level(batch.columns[each.name])
            _refuse_new(found)
            table[place] = found
        return table


def _refuse_new(codes: Ints) -> None:
    if len(codes) and int(codes.min()) < 0:
        raise DataError(
            "the table changed while it was read: it has a value that was not there before; wait "
            "until nobody writes to it, and start again"
        )


def questions_of(
    survey: Survey,
    names: tuple[str, ...],
    target: str,
    *,
    text: bool,
    max_thresholds: int | None,
    missing: str,
) -> Questions:
    """The questions about the columns called `names`, from the survey of all rows. `text` says that
    words were read from a text file, where they may stand for numbers."""
    if not survey.rows:
        raise DataError("the table has no rows; add some")
    if missing == "error":
        words = {name: known[None] for name, known in survey.words.items()}
        refuse_missing(dict(sorted({**survey.missing, **words}.items())), survey.rows)
    classes, class_codes = _classes(survey, target, text)
    most = MOST_THRESHOLDS if max_thresholds is None else max_thresholds
    labels = np.array([class_codes[value] for value in survey.sample[""].tolist()], dtype=np.int64)
    asked = [
        _about_words(name, survey, labels, most, text)
        if name in survey.words
        else _about_numbers(name, survey, labels, most)
        for name in names
        if name != target
    ]
    largest = max(asked, key=lambda each: each.levels, default=None)
    if largest is not None and largest.levels > MOST_LEVELS:
        raise DataError(
            f"column {largest.name!r} has {largest.levels} levels; use fewer thresholds"
        )
    return Questions(
        tuple(asked),
        classes,
        class_codes,
        target,
        survey.rows,
        int(survey.counts.sum()),
        most,
        missing == "drop",
    )


def _column(words: list[Any], text: bool) -> Column:
    """A column that has each of the words once, read as a whole column would be."""
    if text:
        written = ["" if word is None else word for word in words]
        return text_column(written, np.arange(len(words)))
    return typed_column(objects(words))


def _classes(survey: Survey, target: str, text: bool) -> tuple[tuple[Label, ...], dict[Any, int]]:
    if survey.classes[None]:
        raise DataError(
            f"the class column {target!r} has no value in {survey.classes[None]} of {survey.rows} "
            "rows; remove those rows, or give their class a name"
        )
    values = sorted(survey.classes, key=lambda value: (type(value).__name__, value))
    classes, indices = class_indices(_column(values, text).labels(target))
    refuse_one_class(classes, target)
    return classes, dict(zip(values, indices.tolist(), strict=True))


def _levels(name: str, column: NDArray[Any]) -> Levels:
    return levels_of(Table((name,), (column,)), "value")[0]


def _thresholds(levels: Levels) -> list[Feature]:
    known = len(levels.values) - levels.has_missing
    return [Feature(levels.column, "<=", threshold_of(levels, code)) for code in range(known - 1)]


def _about_numbers(name: str, survey: Survey, labels: Ints, most: int) -> Asked:
    present = ~np.isnan(survey.sample[name])
    gone = survey.missing[name] > 0
    features: list[Feature] = []
    if present.any():
        levels = _levels(name, survey.sample[name][present])
        features = _thresholds(capped(levels, labels[present], most, survey.counts[present]))
    cuts = np.array([feature.value for feature in features], dtype=np.float64)
    if gone:
        features.append(Feature(name, "=", None))
    return Asked(name, True, len(features) + 1, tuple(features), flipped=gone, cuts=cuts)


def _about_words(name: str, survey: Survey, labels: Ints, most: int, text: bool) -> Asked:
    counts: Counter[Any] = survey.words[name]
    words = sorted((word for word in counts if word is not None), key=str)
    words += [None] if counts[None] else []
    meaning = _column(words, text).values(name)
    values = dict(zip(words, _plain(meaning), strict=True))
    levels = _levels(name, meaning)
    if not levels.ordered:
        return _about_values(levels, words, values, counts, most)
    # The rows of the sample, and every word once without weight, so that it gets its level.
    of_word = dict(zip(words, levels.codes.tolist(), strict=True))
    rows = np.array([of_word[word] for word in survey.sample[name].tolist()], dtype=np.int64)
    spread = replace(levels, codes=np.concatenate([rows, levels.codes]))
    units = np.concatenate([survey.counts, np.zeros(len(words), dtype=np.int64)])
    known = np.concatenate([labels, np.zeros(len(words), dtype=np.int64)])
    fewer = capped(spread, known, most, units)
    codes = dict(zip(words, fewer.codes[len(rows) :].tolist(), strict=True))
    features = _thresholds(fewer)
    if levels.has_missing:
        features.append(Feature(name, "=", None))
    count = len(features) + 1
    flipped = levels.has_missing and count > 1
    return Asked(name, True, count, tuple(features), flipped, codes=codes, values=values)


def _plain(values: NDArray[Any]) -> list[Value]:
    return [None if value != value else value for value in values.tolist()]


def _about_values(
    levels: Levels, words: list[Any], values: dict[Any, Value], counts: Counter[Any], most: int
) -> Asked:
    """The most frequent values, in order, and all others as one level."""
    weights = np.zeros(len(levels.values), dtype=np.int64)
    np.add.at(weights, levels.codes, [counts[word] for word in words])
    kept = np.sort(np.argsort(-weights, kind="stable")[: max(1, most)])
    place = np.full(len(levels.values), len(kept), dtype=np.int64)
    place[kept] = np.arange(len(kept))
    rest = len(levels.values) - len(kept)
    codes = dict(zip(words, place[levels.codes].tolist(), strict=True))
    features = [Feature(levels.column, "=", levels.values[code]) for code in kept.tolist()]
    first = 0
    if len(levels.values) < 2:
        features = []
    elif len(features) == 2 and not rest:  # a column of two values needs only the larger one
        features, first = features[1:], 1
    return Asked(
        levels.column,
        False,
        len(kept) + (rest > 0),
        tuple(features),
        first=first,
        codes=codes,
        values=values,
        rest=rest,
    )
