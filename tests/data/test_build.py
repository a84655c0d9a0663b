"""Merging rows and features loses nothing; a slow and simple program is the judge."""

from __future__ import annotations

import time
from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dtfinder.data import Dataset, Table, make_dataset, read_table
from dtfinder.data.binarise import SCHEMES, feature_count, levels_of, schemes_of
from dtfinder.errors import DataError, OptionError
from small import made_features

words = st.sampled_from(["a", "b", "c", "True", "true", "1"])
numbers = st.sampled_from([0.0, -0.0, 1.0, 2.0, 0.1, 0.1 + 2**-56, 1e300, -1e300, 5e-324])
columns = {
    "number": numbers,
    "number or none": st.one_of(st.none(), numbers),
    "word": words,
    "word or none": st.one_of(st.none(), words),
    "truth": st.booleans(),
}


@st.composite
def tables(draw: st.DrawFn, kinds: tuple[str, ...] = tuple(columns)) -> Table:
    rows = draw(st.integers(2, 12))
    chosen = draw(st.lists(st.sampled_from(kinds), min_size=1, max_size=4))
    made = []
    for kind in chosen:
        values = draw(st.lists(columns[kind], min_size=rows, max_size=rows))
        if "number" in kind:
            made.append(np.array([np.nan if v is None else v for v in values]))
        else:
            made.append(np.array([*values, None], dtype=object)[:-1])
    labels = draw(st.lists(st.integers(0, 2), min_size=rows, max_size=rows))
    names = tuple(f"c{number}" for number in range(len(made)))
    return Table(names, tuple(made), np.array(labels))


def rows_per_example(dataset: Dataset) -> list[int]:
    """How many rows of the table each example stands for."""
    counts = np.bincount(dataset.example_of_row[dataset.example_of_row >= 0])
    return [int(count) for count in counts]


def raw_rows(table: Table) -> list[tuple[Any, ...]]:
    """The rows with None for missing values, in which equal rows are equal tuples."""
    cells = [
        [None if value != value else value for value in column.tolist()] for column in table.columns
    ]
    return list(zip(*cells, strict=True))


def made(table: Table, binarise: str = "auto", contradictions: str = "majority") -> Dataset | None:
    """The data set, or None where there cannot be one."""
    try:
        return make_dataset(
            table,
            binarise=binarise,
            missing="value",
            contradictions=contradictions,
            one_class="allow",
        )
    except DataError as error:
        if "no order to put a threshold in" in str(error) or "leaves no rows" in str(error):
            return None
        raise


@given(tables(), st.sampled_from(SCHEMES), st.sampled_from(["majority", "drop"]))
def test_features_mean_what_their_bits_say(table: Table, scheme: str, contradictions: str) -> None:
    dataset = made(table, scheme, contradictions)
    if dataset is None:
        return
    kept = dataset.example_of_row >= 0
    bits = dataset.bits[dataset.example_of_row[kept]]
    every = made_features(dataset)
    for place, feature in enumerate(dataset.features):
        held = feature.holds(table.column(feature.column))
        assert held[kept].tolist() == bits[:, place].tolist(), feature
        for other, turned in every[place]:
            other_held = other.holds(table.column(other.column))
            assert (other_held ^ turned)[kept].tolist() == bits[:, place].tolist(), other


@given(tables(), st.sampled_from(SCHEMES), st.sampled_from(["majority", "drop"]))
def test_examples_are_the_distinct_rows(table: Table, scheme: str, contradictions: str) -> None:
    dataset = made(table, scheme, contradictions)
    if dataset is None:
        return
    rows, labels = raw_rows(table), table.target.tolist()  # type: ignore[union-attr]
    votes: dict[tuple[Any, ...], Counter[int]] = {}
    for row, label in zip(rows, labels, strict=True):
        votes.setdefault(row, Counter())[label] += 1
    if contradictions == "drop":
        votes = {row: count for row, count in votes.items() if len(count) == 1}
    order = list(votes)  # by first appearance
    assert dataset.n_examples == len(order)
    assert dataset.example_of_row.tolist() == [
        order.index(row) if row in votes else -1 for row in rows
    ]
    winners = [{k for k in count if count[k] == max(count.values())} for count in votes.values()]
    found = [{dataset.classes[k] for k in np.flatnonzero(row)} for row in dataset.sets]
    assert found == winners
    assert (dataset.allowed is None) == all(len(each) == 1 for each in winners)
    assert all(dataset.classes[k] in each for k, each in zip(dataset.labels, winners, strict=True))
    assert rows_per_example(dataset) == [count.total() for count in votes.values()]
    lost = sum(count.total() - max(count.values()) for count in votes.values())
    assert dataset.unavoidable_errors == lost
    assert dataset.classes == tuple(sorted(set(labels)))


@given(tables(), st.sampled_from(SCHEMES))
def test_no_two_examples_and_no_two_features_are_equal(table: Table, scheme: str) -> None:
    dataset = made(table, scheme)
    if dataset is None:
        return
    bits = dataset.bits
    assert len({row.tobytes() for row in bits}) == dataset.n_examples
    up_to_sign = {(column ^ column[0]).tobytes() for column in bits.T}
    assert len(up_to_sign) == dataset.n_features
    assert not any(column.all() or not column.any() for column in bits.T)
    levels = levels_of(table, "value")
    made_of_all = sum(map(feature_count, levels, schemes_of(levels, scheme)))
    assert sum(map(len, made_features(dataset))) == made_of_all
    assert bits.flags.c_contiguous
    assert bits.shape == (dataset.n_examples, dataset.n_features)


@given(tables(), st.sampled_from(SCHEMES), st.randoms(use_true_random=False))
def test_order_and_copies_of_rows_do_not_matter(table: Table, scheme: str, random: Any) -> None:
    order = [*range(table.rows), *range(table.rows)]
    random.shuffle(order)
    twice = Table(
        table.names,
        tuple(column[order] for column in table.columns),
        table.target[order],  # type: ignore[index]
    )
    one, two = made(table, scheme), made(twice, scheme)
    if one is None or two is None:
        assert one is two
        return

    def summary(dataset: Dataset) -> tuple[Any, ...]:
        """Examples as the set of what holds for them, and features with all their meanings."""
        meanings = [{other.name for other, _ in every} for every in made_features(dataset)]
        examples = sorted(zip(dataset.bits.tolist(), dataset.labels.tolist(), strict=True))
        return (meanings, examples, dataset.classes)

    assert summary(one) == summary(two)
    assert (sum(rows_per_example(one)) * 2, one.unavoidable_errors * 2) == (
        sum(rows_per_example(two)),
        two.unavoidable_errors,
    )


def test_ties_allow_all_their_classes() -> None:
    dataset = make_dataset(read_table([[1], [1], [2], [2], [2]], ["b", "a", "b", "a", "b"]))
    assert dataset.classes == ("a", "b")
    assert dataset.sets.tolist() == [[True, True], [False, True]]
    assert [dataset.classes[label] for label in dataset.labels] == ["b", "b"]  # one is enough
    assert dataset.unavoidable_errors == 2
    assert rows_per_example(dataset) == [2, 3]


def test_contradictions_may_be_errors() -> None:
    table = read_table([[1], [2], [3], [2]], ["a", "b", "a", "c"])
    with pytest.raises(DataError) as caught:
        make_dataset(table, contradictions="error")
    assert str(caught.value) == (
        "rows 2 and 4 differ only in their class; correct one, or use contradictions='majority'"
    )
    fine = read_table([[1], [2], [1]], ["a", "b", "a"])
    assert make_dataset(fine, contradictions="error").n_examples == 2


def test_dropping_may_leave_one_class_or_nothing() -> None:
    dataset = make_dataset(read_table([[1], [2], [2]], [0, 0, 1]), contradictions="drop")
    assert (dataset.n_examples, dataset.n_features, dataset.classes) == (1, 0, (0, 1))
    assert dataset.example_of_row.tolist() == [0, -1, -1]
    with pytest.raises(
        DataError, match="dropping them leaves no rows; use contradictions='majority'"
    ):
        make_dataset(read_table([[1], [1]], [0, 1]), contradictions="drop")


def test_one_class_is_an_error_unless_allowed() -> None:
    table = read_table([[1], [2]], ["a", "a"])
    with pytest.raises(DataError, match=r"every row has the class 'a' .* a single leaf is enough"):
        make_dataset(table)
    assert make_dataset(table, one_class="allow").classes == ("a",)


def test_without_any_useful_column() -> None:
    dataset = make_dataset(read_table([[1], [1], [1]], [0, 1, 1]))
    assert (dataset.bits.shape, dataset.labels.tolist()) == ((1, 0), [1])
    assert dataset.unavoidable_errors == 1


def test_a_table_without_classes() -> None:
    with pytest.raises(DataError, match="no class column; name it with target, or give y"):
        make_dataset(read_table("weather", need_target=False, target="zzz"))


@pytest.mark.parametrize("option", ["missing", "contradictions", "one_class"])
def test_unknown_choices(option: str) -> None:
    wrong: dict[str, Any] = {option: "maybe"}
    with pytest.raises(OptionError, match=f"{option} must be one of .*, not 'maybe'"):
        make_dataset(read_table("weather"), **wrong)


def test_classes_are_sorted() -> None:
    for labels in (["b", "a"], [1, -1], [True, False], [2.0, 1.0], [10, 9], [2**70, 1]):
        dataset = make_dataset(read_table([[1], [2]], labels))
        assert dataset.classes == tuple(sorted(labels))
        assert dataset.labels.tolist() == [1, 0]
        assert dataset.row_labels.tolist() == [1, 0]
        assert set(map(type, dataset.classes)) == {type(labels[0])}


def test_equal_and_complementary_columns_are_merged_and_remembered() -> None:
    x = [[0, 1, "p", 7], [1, 0, "q", 7], [1, 0, "q", 8]]
    dataset = make_dataset(read_table(x, [0, 1, 0]), binarise="unary")
    assert [f.name for f in dataset.features] == ["x0 = 1", "x3 = 8"]
    assert [(f.name, turned) for f, turned in made_features(dataset)[0]] == [
        ("x0 = 1", False),
        ("x1 = 1", True),
        ("x2 = q", False),
    ]
    assert sum(map(len, made_features(dataset))) == 4


def test_many_columns_are_told_apart() -> None:
    """More codes than 64 bits hold: rows differ in one of the first or of the last columns."""
    rows = np.zeros((5, 200))
    rows[1, 0], rows[2, 199], rows[3, 100] = 1, 1, 1
    dataset = make_dataset(read_table(rows, [0, 1, 2, 3, 0]))
    assert dataset.example_of_row.tolist() == [0, 1, 2, 3, 0]
    many = np.arange(3000).reshape(30, 100) % 29
    assert make_dataset(read_table(many, np.arange(30) % 2)).n_examples == 29


def test_a_large_table_takes_little_time() -> None:
    random = np.random.default_rng(0)
    values = random.integers(0, 2, (100_000, 200), dtype=np.int8)
    table = read_table(values, values[:, 0] ^ values[:, 1])
    begin = time.process_time()
    dataset = make_dataset(table)
    assert time.process_time() - begin < 2
    assert dataset.bits.shape == (100_000, 200)


def test_many_duplicates_of_many_values_take_little_memory() -> None:
    """A column of many values is cheap as long as there are few distinct rows."""
    values = np.tile(np.arange(1000.0), 300)[:, None]
    begin = time.process_time()
    dataset = make_dataset(read_table(values, (values[:, 0] > 500).astype(int)))
    assert time.process_time() - begin < 2
    assert dataset.bits.shape == (1000, 999)
    assert rows_per_example(dataset) == [300] * 1000


def test_too_many_features_are_refused_before_memory_is_gone() -> None:
    values = np.stack([np.arange(60_000.0), np.arange(60_000) % 7], axis=1)
    begin = time.process_time()
    with pytest.raises(DataError) as caught:
        make_dataset(read_table(values, np.arange(60_000) % 2))
    assert time.process_time() - begin < 2
    assert str(caught.value) == (
        "60000 distinct rows would become 60005 features, 59999 of them from column 'x0'; use "
        "max_thresholds=50 or the like, leave it out, or use binarise='binary'"
    )
    dataset = make_dataset(read_table(values, np.arange(60_000) % 2), binarise="binary")
    assert dataset.n_features == 16 + 3


@settings(max_examples=25)
@given(tables(("number", "word", "truth")))
def test_a_table_survives_a_file(tmp_path_factory: pytest.TempPathFactory, table: Table) -> None:
    path = tmp_path_factory.mktemp("round") / "t.csv"
    lines = [",".join([*table.names, "target"])]
    for row, label in zip(raw_rows(table), table.target.tolist(), strict=True):  # type: ignore[union-attr]
        lines.append(",".join([*map(repr_cell, row), str(label)]))
    path.write_text("\n".join(lines))
    back = read_table(path, text={n for n in table.names if isinstance(table.column(n)[0], str)})
    assert raw_rows(back) == raw_rows(table)
    assert back.target is not None
    assert back.target.tolist() == table.target.tolist()  # type: ignore[union-attr]


def repr_cell(value: object) -> str:
    return value if isinstance(value, str) else repr(value)
