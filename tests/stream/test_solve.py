"""Tables in batches: the same optimum as in memory, and one clear line for bad input."""

from __future__ import annotations

import gzip
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas
import pyarrow
import pyarrow.parquet
import pytest

from dtfinder import find_front, find_tree
from dtfinder.errors import DataError, InfeasibleError, NoTreeYetError, OptionError
from dtfinder.problem import Progress
from dtfinder.run.stop import Stopped
from dtfinder.stream import source, survey
from dtfinder.stream.solve import Run


def make(seed: int, rows: int = 240) -> pandas.DataFrame:
    """Numbers, words, truth values and dates, with a rule and noise; some cells are missing."""
    random = np.random.default_rng(seed)
    days = np.datetime64("2024-01-01") + random.integers(0, 60, rows)
    frame = pandas.DataFrame(
        {
            "number": random.normal(size=rows).round(2),
            "whole": random.integers(0, 6, rows),
            "word": random.choice(["red", "green", "blue"], rows),
            "truth": random.random(rows) < 0.5,
            "day": days.astype(str),
        }
    )
    rule = (frame["number"] > 0.2) ^ (frame["word"] == "red") ^ (frame["whole"] > 3)
    classes = random.integers(2, 4)
    frame["class"] = np.where(random.random(rows) < 0.2, random.integers(0, classes, rows), rule)
    if seed % 3 == 0:
        frame.loc[random.random(rows) < 0.1, "number"] = np.nan
        frame.loc[random.random(rows) < 0.1, "word"] = None
    return frame


def write_parquet(frame: pandas.DataFrame, folder: Path, parts: int = 3) -> str:
    for number, rows in enumerate(np.array_split(np.arange(len(frame)), parts)):
        table = pyarrow.Table.from_pandas(frame.iloc[rows], preserve_index=False)
        pyarrow.parquet.write_table(table, folder / f"{number}.parquet", row_group_size=50)
    return str(folder / "*.parquet")


def write_csv(frame: pandas.DataFrame, folder: Path, parts: int = 3) -> str:
    for number, rows in enumerate(np.array_split(np.arange(len(frame)), parts)):
        text = frame.iloc[rows].to_csv(index=False)
        if number == 1:
            (folder / f"{number}.csv.gz").write_bytes(gzip.compress(text.encode()))
        else:
            (folder / f"{number}.csv").write_text(text)
    return str(folder)


@pytest.mark.parametrize("write", [write_parquet, write_csv])
@pytest.mark.parametrize("seed", range(6))
def test_the_same_tree_as_in_memory(seed: int, write: Callable[..., str], tmp_path: Path) -> None:
    frame = make(seed)
    place = write(frame, tmp_path)
    if write is write_csv:  # as one file in memory, so that words are read the same way
        frame.to_csv(tmp_path.parent / f"{tmp_path.name}.csv", index=False)
    memory: Any = frame if write is write_parquet else tmp_path.parent / f"{tmp_path.name}.csv"
    asked: dict[str, Any]
    for asked in (
        {"max_depth": 3},
        {"max_depth": 2, "max_nodes": 5},
        {"max_nodes": 7, "minimise": "depth"},
        {"max_depth": 3, "leaf_penalty": 0.02},
        {"max_depth": 3, "max_errors": "30%"},
    ):
        missing = ("value", "drop")[seed % 2]
        options: dict[str, Any] = {"max_thresholds": 8, "missing": missing, **asked}
        ours = find_tree(place, **options)
        theirs = find_tree(memory, target="class", **options)
        assert (ours.status, ours.method) == ("optimal", "cubes")
        assert theirs.status == "optimal"
        assert ours.rows == theirs.rows
        assert ours.tree.classes == theirs.tree.classes
        if "leaf_penalty" in asked:
            assert ours.cost == pytest.approx(theirs.cost)
        else:
            assert (ours.lower_bound, ours.nodes) == (theirs.lower_bound, theirs.nodes)
        if "max_errors" not in asked and "leaf_penalty" not in asked:
            assert ours.errors == theirs.errors == ours.errors_lower_bound
        assert ours.tree.errors_on(theirs.dataset) == ours.errors  # type: ignore[arg-type]


def test_threads_batches_and_groups_of_cubes_change_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = write_parquet(make(3, rows=600), tmp_path)
    options: dict[str, Any] = {"max_depth": 3, "missing": "value"}
    plain = find_tree(place, **options).to_json() | {"seconds": 0}
    assert find_tree(place, workers=3, **options).to_json() | {"seconds": 0} == plain
    monkeypatch.setattr(source, "CELLS", 1)
    monkeypatch.setattr(Run, "_memory_for_cubes", lambda _: 50_000)
    small = find_tree(place, workers=2, **options).to_json() | {"seconds": 0}
    assert small["stats"].pop("passes") > plain["stats"].pop("passes")
    assert small == plain


def test_a_sample_decides_the_thresholds_of_a_long_table(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    frame = make(1, rows=3000)
    monkeypatch.setattr(survey, "SAMPLE", 500)
    found = []
    for parts in (1, 4):
        folder = tmp_path / str(parts)
        folder.mkdir()
        frame = frame.sample(frac=1, random_state=parts)  # another order, and other parts
        found.append(find_tree(write_parquet(frame, folder, parts), max_depth=3, workers=parts))
    assert found[0].tree == found[1].tree
    assert found[0].questions == found[1].questions
    assert " a sample of 50" in found[0].summary()
    assert found[0].rows == 3000
    # The proof is about these questions; with all thresholds there may be a better tree.
    best = find_tree(frame, max_depth=3, target="class")
    assert best.errors <= found[0].errors <= best.errors + 150


def test_rare_values_are_one_group_and_that_is_said(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    random = np.random.default_rng(0)
    words = [f"w{n}" for n in np.minimum(random.geometric(0.2, 500), 20)]
    frame = pandas.DataFrame({"word": words, "class": [word in ("w1", "w3") for word in words]})
    result = find_tree(write_parquet(frame, tmp_path), max_depth=2, max_thresholds=5)
    assert (result.errors, result.nodes) == (0, 5)
    assert "trees may ask for the 5 most frequent values; " in caplog.text
    assert "x = v for 5 values" in result.summary()


def test_a_large_file_is_read_in_batches_if_that_answers_the_question(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(source, "LARGE", 100)
    path = tmp_path / "table.csv"
    make(1, rows=60).to_csv(path, index=False)
    assert find_tree(path, max_depth=2).method == "cubes"
    assert find_tree(path, max_depth=2, weights="whole").method == "counting"
    assert find_tree(path, max_depth=4, max_thresholds=3).method == "counting"


def test_a_result_of_batches_can_be_written_and_shown(tmp_path: Path) -> None:
    result = find_tree(write_parquet(make(1), tmp_path), max_depth=2)
    assert "among trees that ask x &lt;= t at" in result.to_html("parts")
    assert result.to_json()["questions"] == result.questions
    assert result.reason is None
    assert result._repr_html_()


def test_rows_are_told_while_they_are_read(tmp_path: Path) -> None:
    seen: list[Progress] = []
    find_tree(write_parquet(make(1), tmp_path), max_depth=2, callback=seen.append)
    told = [state.doing for state in seen]
    for name in ("reading", "counting", "checking"):
        assert f"{name}: 240 of 240 rows, 0 s left" in told


def test_rows_are_told_if_threads_are_through_before_anybody_looks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Quick(threading.Thread):
        def start(self) -> None:
            super().start()
            self.join()

    monkeypatch.setattr("dtfinder.stream.passes.threading.Thread", Quick)
    seen: list[Progress] = []
    find_tree(write_parquet(make(1), tmp_path), max_depth=2, callback=seen.append)
    assert "reading: 240 of 240 rows, 0 s left" in [state.doing for state in seen]


def test_a_column_that_turns_out_to_be_words_is_read_again(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("x,class\n" + "1,no\n2,yes\n" * 50)
    (tmp_path / "b.csv").write_text("x,class\n" + "many,yes\n1,no\n" * 50)
    result = find_tree(tmp_path, max_depth=2)
    assert (result.errors, result.nodes) == (0, 3)
    assert result.tree.features[0].name == "x = 1"


def test_a_class_that_only_the_last_part_has(tmp_path: Path) -> None:
    frame = pandas.DataFrame({"x": np.arange(90.0), "class": ["a"] * 60 + ["b"] * 30})
    result = find_tree(write_parquet(frame, tmp_path), max_depth=1)
    assert result.tree.classes == ("a", "b")
    assert (result.errors, result.rows) == (0, 90)


def test_values_beyond_the_sample_lose_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(survey, "SAMPLE", 10)
    x = np.concatenate([np.linspace(0, 1, 500), [1e9, -1e9]])
    frame = pandas.DataFrame({"x": x, "class": x > 0.5})
    result = find_tree(write_parquet(frame, tmp_path), max_depth=3)
    assert result.rows == 502


def test_an_empty_part_is_left_out(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    frame = make(1)
    place = write_parquet(frame, tmp_path)
    write_parquet(frame.iloc[:0], tmp_path, 1)  # part 0: names, but no rows
    (tmp_path / "9.parquet").write_bytes(b"")
    result = find_tree(place, max_depth=2)
    assert result.rows == 160
    assert "9.parquet' is empty and is left out" in caplog.text


def test_a_part_that_vanishes(tmp_path: Path) -> None:
    place = write_parquet(make(1), tmp_path)

    def remove(state: Progress) -> None:
        if state.doing.startswith("reading: 240"):
            (tmp_path / "2.parquet").unlink(missing_ok=True)

    with pytest.raises(DataError, match=r"2.parquet' vanished while the table was read; put it"):
        find_tree(place, max_depth=2, callback=remove)


def test_a_part_that_changes(tmp_path: Path) -> None:
    place = write_parquet(make(1), tmp_path)

    def change(state: Progress) -> None:
        if state.doing.startswith("reading: 240"):
            write_parquet(make(2).assign(word="violet"), tmp_path)

    with pytest.raises(DataError, match="the table changed while it was read"):
        find_tree(place, max_depth=2, callback=change)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda f: f.drop(columns="whole"), r"1.parquet' has no column 'whole', which .*0.parq"),
        (lambda f: f.assign(more=1), r"1.parquet' has a column 'more', which .* does not have"),
        (
            lambda f: f.assign(whole=f["whole"].astype(str)),
            r"column 'whole' has numbers in .*0.parquet' and no numbers in .*1.parquet'",
        ),
        (lambda f: f.assign(number=np.inf), "column 'number' has an infinite value"),
        (lambda f: f.assign(**{"class": None}), "'class' has no value in 240 of 480 rows"),
        (lambda f: f.assign(word=None), "column 'word' has no value in 240 of 480 rows"),
    ],
)
def test_parts_that_do_not_fit(
    change: Callable[[pandas.DataFrame], pandas.DataFrame], message: str, tmp_path: Path
) -> None:
    frame = make(1).astype({"class": "Int64"})
    other = change(frame)
    if "word" in other and other["word"].isna().all():
        other = other.astype({"word": "str"})
    write_parquet(frame, tmp_path, 1)
    other.astype({"class": "Int64"}).to_parquet(tmp_path / "1.parquet")
    with pytest.raises(DataError, match=message) as caught:
        find_tree(tmp_path, max_depth=2)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"max_depth": 3, "method": "cores"}, "method='cores' cannot be used"),
        ({"max_depth": 3, "binarise": "binary"}, "binarise='binary' cannot be used"),
        ({"max_depth": 3, "weights": "number"}, "weights cannot be used"),
    ],
)
def test_options_that_do_not_fit(options: dict[str, Any], message: str, tmp_path: Path) -> None:
    place = write_parquet(make(1), tmp_path)
    with pytest.raises(OptionError, match=message):
        find_tree(place, **options)


def test_more_questions_than_memory_has_room_for(tmp_path: Path) -> None:
    frame = pandas.DataFrame(np.random.default_rng(0).random((2000, 3)), columns=[*"abc"])
    place = write_parquet(frame.assign(**{"class": frame["a"] > frame["b"]}), tmp_path)
    with pytest.raises(OptionError, match=r"max_thresholds=1000 needs 6.\d GB; use fewer"):
        find_tree(place, max_depth=3, max_thresholds=1000, memory_limit=2)
    assert find_tree(place, max_depth=1, max_thresholds=100, memory_limit=2).status == "optimal"


def test_names_that_lead_nowhere(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="no file matches"):
        find_tree(str(tmp_path / "*.parquet"), max_depth=2)
    with pytest.raises(DataError, match="a directory without Parquet, CSV or TSV files"):
        find_tree(tmp_path, max_depth=2)
    (tmp_path / "a.txt").write_text("x")
    with pytest.raises(DataError, match=r"a.txt' is neither a Parquet nor a CSV"):
        find_tree(str(tmp_path / "*"), max_depth=2)


@pytest.mark.parametrize(
    ("at", "depth", "nodes"), [("counting", 2, 1), ("counting", 5, 1), ("growing", 5, 15)]
)
def test_a_run_that_is_stopped_gives_its_best_tree(
    at: str, depth: int, nodes: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    passes = Run._pass

    def stopped(run: Run, name: str, *rest: Any) -> Any:
        if name == at:
            raise Stopped("time limit")
        return passes(run, name, *rest)

    monkeypatch.setattr(Run, "_pass", stopped)
    frame = make(1)
    result = find_tree(write_parquet(frame, tmp_path), max_depth=depth)
    assert (result.status, result.stopped_by) == ("feasible", "time limit")
    assert result.nodes == nodes
    assert result.errors == (frame["class"].to_numpy() != result.tree.predict(frame)).sum()
    assert result.errors_lower_bound <= result.errors


def test_a_front_is_found_in_memory(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="read in batches, and a front needs all of it in memory"):
        find_front(write_parquet(make(1), tmp_path))


def test_a_time_limit_and_a_limit_that_no_tree_meets(tmp_path: Path) -> None:
    place = write_parquet(make(1), tmp_path)
    with pytest.raises(NoTreeYetError, match=r"time limit\) before all rows were counted"):
        find_tree(place, max_depth=2, time_limit=1e-6)
    with pytest.raises(InfeasibleError, match="no tree within the limits has at most"):
        find_tree(place, max_depth=2, max_errors=0)
