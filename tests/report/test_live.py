import io
import re
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from fractions import Fraction
from typing import IO, Any

import pytest

from dtfinder import OptimalTreeClassifier, find_front, find_tree
from dtfinder.problem import Progress, Score
from dtfinder.report.live import ADVICE, Lines, Live, bar_parts, live_line, watching

DEPTH = ("depth", "nodes")
ERRORS = ("errors", "nodes")


def test_the_line_shows_both_bounds_and_the_gap() -> None:
    state = Progress(1.0, Score(inner=5, depth=3), Score(inner=7, depth=4), "dtfinder", ("nodes",))
    assert live_line(state, 2.13) == "dtfinder  nodes 11 … 15  depth 3 … 4  gap 4  2.1 s"


def test_depth_comes_first_when_depth_is_minimised() -> None:
    state = Progress(1.0, Score(inner=5, depth=3), Score(inner=7, depth=4), "d-dtfinder", DEPTH)
    assert live_line(state, 2.0) == "d-dtfinder  depth 3 … 4  nodes 11 … 15  gap 1  2.0 s"


def test_errors_come_first_where_trees_may_err() -> None:
    tree = Score(errors=3, inner=25, depth=5)
    state = Progress(1.0, Score(errors=1), tree, "counting", ERRORS)
    line = "counting  errors 1 … 3  nodes 1 … 51  depth 0 … 5  gap 2  2.0 s"
    assert live_line(state, 2.0) == line
    known = Progress(1.0, Score(errors=3, inner=20), tree, "counting", ERRORS)
    line = "counting  errors 3 … 3  nodes 41 … 51  depth 0 … 5  gap 10  2.0 s"
    assert live_line(known, 2.0) == line
    assert bar_parts(state, state) == (0, 18, 0)
    assert bar_parts(state, Progress(1.0, Score(errors=2), tree, "m", ERRORS)) == (9, 9, 0)


def test_errors_of_weighted_rows_are_shown_as_their_weight() -> None:
    tree, unit = Score(errors=30, inner=1, depth=1), Fraction(1, 4)
    state = Progress(1.0, Score(errors=10), tree, "counting", ERRORS, weight_unit=unit)
    line = "counting  error weight 2.5 … 7.5  nodes 1 … 3  depth 0 … 1  gap 5  2.0 s"
    assert live_line(state, 2.0) == line
    assert live_line(replace(state, at=0), 2.0) == "counting  1 node  error weight 2.5 … 7.5  2.0 s"
    seen: list[Progress] = []
    X, y, weights = [[0], [1], [2]], [0, 1, 0], [0.5, 1, 1]
    find_tree(X, y, weights=weights, max_nodes=3, callback=seen.append)
    find_front(X, y, weights=weights, callback=seen.append)
    assert {state.weight_unit for state in seen} == {Fraction(1, 2)}


def test_a_cost_is_shown_as_a_share() -> None:
    tree, bounds = Score(errors=66, inner=3, depth=3), Score(cost=Fraction(1, 7))
    state = Progress(1.0, bounds, tree, "counting", ("cost",), cost=Fraction(1, 4))
    line = "counting  cost 0.1429 … 0.2500  nodes 1 … 7  depth 0 … 3  gap 0.1071  2.0 s"
    assert live_line(state, 2.0) == line
    assert bar_parts(state, state) == (0, 18, 0)


def test_no_tree_yet() -> None:
    assert "?" in live_line(Progress(0.1, Score(inner=1, depth=1), None, "m"), 0.1)
    assert live_line(None, 0.5) == "reading the table  0.5 s"


class _Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@contextmanager
def drawing(stream: IO[str]) -> Iterator[Live]:
    live = Live(stream)
    live.start()
    yield live
    live.stop()


def test_it_draws_over_itself_and_leaves_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    stream = _Terminal()
    with drawing(stream) as live:
        live.moved(
            Progress(1.0, Score(inner=5, depth=3), Score(inner=7, depth=4), "dtfinder", ("nodes",))
        )
        live.tick()
    drawn = stream.getvalue()
    assert "nodes 11 … 15" in drawn
    assert "\x1b[2K" in drawn.rsplit("nodes 11 … 15", 1)[1], "the line is erased at the end"


@pytest.mark.parametrize("terminal", [True, False])
def test_nobody_to_see_it_ends_no_run(terminal: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(Lines.__init__, "__defaults__", (0.0,))
    tried = []

    def write(text: str) -> int:
        tried.append(text)
        raise OSError("closed")

    stream = _Terminal() if terminal else io.StringIO()
    with watching(stream) as watcher:
        monkeypatch.setattr(stream, "write", write)
        assert watcher is not None
        watcher(
            Progress(1.0, Score(inner=5, depth=3), Score(inner=7, depth=4), "dtfinder", ("nodes",))
        )
    assert any("nodes 11 … 15" in text for text in tried)


def _state(
    lower: int,
    upper: int | None,
    aims: tuple[str, ...] = ("nodes",),
    depths: tuple[int, int] = (3, 4),
) -> Progress:
    score = None if upper is None else Score(inner=upper // 2, depth=depths[1])
    return Progress(1.0, Score(inner=lower // 2, depth=depths[0]), score, "m", aims)


@pytest.mark.parametrize(
    ("first", "state", "parts"),
    [
        (None, None, (0, 0, 0)),
        (None, _state(3, None), (0, 18, 0)),
        (_state(3, 21), _state(3, 21), (0, 18, 0)),
        (_state(3, 21), _state(9, 21), (6, 12, 0)),
        (_state(3, 21), _state(9, 15), (6, 6, 6)),
        (_state(3, 21), _state(15, 15), (12, 0, 6)),
        (_state(15, 15), _state(15, 15), (18, 0, 0)),
        (_state(3, 2001), _state(1999, 2001), (17, 1, 0)),
        # Depth until depth is settled, then size; a shallower tree may be larger.
        (_state(3, 21, DEPTH, (2, 8)), _state(9, 21, DEPTH, (5, 8)), (9, 9, 0)),
        (_state(3, 21, DEPTH, (2, 8)), _state(9, 23, DEPTH, (5, 5)), (6, 12, 0)),
    ],
)
def test_the_bar_closes_from_both_ends(first: Any, state: Any, parts: tuple[int, int, int]) -> None:
    assert bar_parts(first, state) == parts
    assert sum(parts) in (0, 18)


def test_the_bar_is_drawn_in_what_the_terminal_can_show(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    stream = _Terminal()
    with drawing(stream) as live:
        live.moved(_state(3, 21))
        live.moved(_state(9, 15))
    assert "━━━━━━" in stream.getvalue()
    raw = io.BytesIO()
    ascii_terminal = io.TextIOWrapper(raw, encoding="ascii", errors="backslashreplace")
    monkeypatch.setattr(ascii_terminal, "isatty", lambda: True)
    with drawing(ascii_terminal) as live:
        live.moved(_state(3, 21))
        live.moved(_state(9, 15))
    assert b"======" in raw.getvalue()


def test_lines_are_written_now_and_then() -> None:
    stream = io.StringIO()
    lines = Lines(stream, every=0.0)
    lines.moved(_state(3, 21))
    lines.tick()
    lines.moved(_state(9, 15))
    written = stream.getvalue().splitlines()
    assert [line.rsplit("  ", 1)[0] for line in written] == [
        "m  nodes 3 … 21  depth 3 … 4  gap 18",
        "m  nodes 9 … 15  depth 3 … 4  gap 6",
    ]
    patient = Lines(stream, every=1000.0)
    patient.moved(_state(9, 15))
    assert len(stream.getvalue().splitlines()) == 2


def test_nobody_watches_where_there_is_no_stream() -> None:
    with watching(None) as watcher:
        assert watcher is None


def test_verbose_shows_the_bounds_and_quiet_is_quiet(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(Lines.__init__, "__defaults__", (0.0,))
    seen: list[Progress] = []
    find_tree("weather", method="sklearn", verbose=True, callback=seen.append)
    assert "nodes 3 … 13" in capsys.readouterr().err
    assert [state.nodes for state in seen] == [13]
    find_tree("weather", method="sklearn")
    assert capsys.readouterr() == ("", "")


def test_the_estimator_is_verbose_and_calls_back_too(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(Lines.__init__, "__defaults__", (0.0,))
    seen: list[Progress] = []
    rows, labels = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0]
    model = OptimalTreeClassifier(verbose=True)
    model.fit(rows, labels, callback=seen.append)
    assert "nodes" in capsys.readouterr().err
    assert seen[-1].nodes == model.upper_bound_ == 7
    OptimalTreeClassifier().fit(rows, labels)
    assert capsys.readouterr() == ("", "")


def test_a_fitted_estimator_shows_its_tree_in_a_notebook() -> None:
    model = OptimalTreeClassifier()
    assert "dtf-box" not in model._repr_mimebundle_()["text/html"]
    model.fit([[0], [1]], ["no", "yes"])
    for shown in (model._repr_mimebundle_()["text/html"], model._repr_html_()):
        assert shown.count('class="dtf-box') == 3
        assert "OptimalTreeClassifier" in shown


def test_the_seconds_are_those_of_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = io.StringIO()
    lines = Lines(stream, every=0.0)
    lines.moved(Progress(7.04, Score(inner=5, depth=3), Score(inner=7, depth=4), "m", ("nodes",)))
    assert stream.getvalue().endswith("  7.0 s\n")
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "120")
    terminal = _Terminal()
    with drawing(terminal) as live:
        live.moved(
            Progress(7.04, Score(inner=5, depth=3), Score(inner=7, depth=4), "m", ("nodes",))
        )
    assert "7.0 s" in terminal.getvalue()


class _Notebook(io.StringIO):
    """What ipykernel has for stderr: no terminal, but somebody reads it."""


_Notebook.__module__ = "ipykernel.iostream"


def _slow(state: Progress) -> None:
    """A callback that makes any run take longer than a moment."""
    time.sleep(0.2)


@pytest.mark.parametrize("stream", [_Terminal(), _Notebook()], ids=["terminal", "notebook"])
def test_a_run_without_a_limit_says_how_to_set_one(
    stream: io.StringIO, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "300")
    monkeypatch.setattr("dtfinder.report.live._MOMENT", 0.1)
    monkeypatch.setattr(sys, "stderr", stream)
    find_tree("weather", callback=_slow)
    assert ADVICE in stream.getvalue()
    assert re.search(r"nodes \d+ … \d+", stream.getvalue())


@pytest.mark.parametrize(
    ("stream", "given"),
    [
        (_Terminal(), {"time_limit": 60}),
        (_Terminal(), {"work_limit": 10**9}),
        (_Terminal(), {"verbose": False}),
        (io.StringIO(), {}),  # a log
    ],
)
def test_it_says_nothing_where_nobody_needs_it(
    stream: io.StringIO, given: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("dtfinder.report.live._MOMENT", 0.1)
    monkeypatch.setattr(sys, "stderr", stream)
    find_tree("weather", callback=_slow, **given)
    assert stream.getvalue() == ""


def test_a_short_run_says_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", stream := _Terminal())
    find_tree("weather")
    assert stream.getvalue() == ""
