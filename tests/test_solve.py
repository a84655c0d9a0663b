"""The recipe of a run, with searches made up for the purpose, and then with real ones."""

import os
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from dtfinder.data import Dataset, make_dataset, read_table
from dtfinder.errors import (
    DataError,
    InfeasibleError,
    NoTreeYetError,
    OptionError,
    WrongTreeError,
)
from dtfinder.nodes import Node, leaf
from dtfinder.options import Options
from dtfinder.problem import Event, Problem, Progress, Score
from dtfinder.report.files import refusal
from dtfinder.result import Result
from dtfinder.run.stop import Stop, Stopped, Work
from dtfinder.run.team import ALONE, Team
from dtfinder.solve import find_tree, solve


def flat(shape: Any) -> list[Node]:
    """Nodes from a nested (feature, zero side, one side), with a class index for a leaf."""
    if isinstance(shape, int):
        return [leaf(shape)]
    feature, zero, one = shape[0], flat(shape[1]), flat(shape[2])
    place = 1
    nodes = []
    for side in (zero, one):
        nodes += [
            Node(n.feature, n.zero + place, n.one + place, -1) if n.feature >= 0 else n
            for n in side
        ]
        place += len(side)
    return [Node(feature, 1, 1 + len(zero), -1), *nodes]


# The exclusive or of two bits, and the same with a question asked twice.
BEST = flat((0, (1, 0, 1), (1, 1, 0)))
WORSE = flat((0, (0, (1, 0, 1), 0), (1, 1, 0)))
WRONG = flat((0, 0, 1))

Steps = Callable[[Problem, Stop, Work], Iterator[Event]]
made_up = pytest.mark.uncertified("its search and the bounds it tells are made up")


@dataclass
class MadeUp:
    """A method whose search is written down in the test."""

    search: Steps
    minimise: str = "size"
    name: str = "made up"
    identity: str = "made up"
    setup: None = None
    exact: bool = True
    native: bool = False
    splits: bool = False

    def prepare(self) -> None:
        """It needs nothing."""


@pytest.fixture
def dataset() -> Dataset:
    X, y = np.array([[0, 0], [0, 1], [1, 0], [1, 1]]), np.array([0, 1, 1, 0])
    return make_dataset(read_table(X, y), binarise="unary")


@pytest.fixture
def run(dataset: Dataset, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Result]:
    """A function that runs a made-up search with the options given."""

    def run(steps: Steps, *, minimise: str = "size", **given: Any) -> Result:
        heard = {name: given.pop(name) for name in ("callback", "stop") if name in given}
        method = MadeUp(steps, minimise)
        monkeypatch.setattr("dtfinder.solve.pick_method", lambda _options: method)
        return solve(dataset, Options.of(**given), **heard)

    return run


def until_stopped(stop: Stop) -> None:
    """Be busy until a rule says why not to be; a test that waits in vain fails."""
    end = time.monotonic() + 20
    while time.monotonic() < end:
        if reason := stop():
            raise Stopped(reason)
        time.sleep(0.005)
    raise AssertionError("no rule stopped the search")


@made_up
def test_events_are_folded_into_a_result(run: Callable[..., Result]) -> None:
    def steps(*_: Any) -> Iterator[Event]:
        yield Event(Score(inner=1, depth=1), WORSE, stats={"calls": 1})
        yield Event(Score(inner=2, depth=2), stats={"calls": 2})
        yield Event(Score(inner=0, depth=0), BEST)
        yield Event(Score(inner=3, depth=2))

    seen: list[Progress] = []
    result = run(steps, callback=seen.append)
    assert (result.status, result.nodes, result.depth) == ("optimal", 7, 2)
    assert (result.lower_bound, result.stopped_by, result.errors) == (7, None, 0)
    assert result.stats == {"work": 0, "calls": 3}
    bounds = [(state.bounds.nodes, state.nodes) for state in seen]
    assert bounds == [(3, 9), (5, 9), (5, 7), (7, 7)]
    assert result.history == tuple(seen)
    assert [state.seconds for state in seen] == sorted(state.seconds for state in seen)
    assert result.seconds >= seen[-1].seconds


@made_up
def test_a_run_ends_when_the_bounds_meet(run: Callable[..., Result]) -> None:
    def steps(*_: Any) -> Iterator[Event]:
        yield Event(Score(inner=3, depth=2), BEST)
        raise AssertionError("the search was asked for more")

    assert run(steps).status == "optimal"


def test_a_worse_tree_does_not_replace_a_better_one(run: Callable[..., Result]) -> None:
    result = run(lambda *_: iter([Event(Score(), BEST), Event(Score(), WORSE)]))
    assert result.nodes == 7
    assert (result.status, result.stopped_by) == ("feasible", "method")


def test_nothing_new_is_no_news(run: Callable[..., Result]) -> None:
    seen: list[Progress] = []
    run(lambda *_: iter([Event(Score(), BEST)] * 3), callback=seen.append)
    assert len(seen) == 1


@made_up
def test_depth_needs_both_bounds(run: Callable[..., Result]) -> None:
    events = [Event(Score(inner=3, depth=0), BEST)]
    assert run(lambda *_: iter(events), minimise="depth").status == "optimal"
    events = [Event(Score(inner=1, depth=1), BEST)]
    assert run(lambda *_: iter(events), minimise="depth").status == "feasible"


def test_a_wrong_tree_never_comes_out(run: Callable[..., Result]) -> None:
    with pytest.raises(WrongTreeError, match="please report"):
        run(lambda *_: iter([Event(Score(), WRONG)]))


@made_up
def test_infeasible_is_an_error_that_names_the_limits(run: Callable[..., Result]) -> None:
    with pytest.raises(InfeasibleError) as error:
        run(
            lambda *_: iter([Event(Score(inner=3, depth=2), infeasible=True)]),
            max_depth=1,
            max_nodes=5,
        )
    assert str(error.value) == (
        "it is proven that no tree with max_depth=1 and max_nodes=5 classifies all examples "
        "(at least 7 nodes and depth 2 are needed); allow a larger tree"
    )


@made_up
@pytest.mark.parametrize(
    ("limit", "needed"),
    [
        ({"max_depth": 1}, "at least 5 nodes and depth 2"),
        ({"max_nodes": 5}, "at least 7 nodes and depth 2"),
        ({"max_nodes": 6}, "at least 7 nodes and depth 2"),
    ],
)
def test_infeasible_says_what_the_broken_limit_means(
    run: Callable[..., Result], limit: dict[str, int], needed: str
) -> None:
    with pytest.raises(InfeasibleError, match=needed):
        run(lambda *_: iter([Event(Score(inner=1, depth=1), infeasible=True)]), **limit)


def test_a_tree_beyond_the_limits_does_not_count(run: Callable[..., Result]) -> None:
    with pytest.raises(NoTreeYetError) as error:
        run(lambda *_: iter([Event(Score(inner=1, depth=1), WORSE)]), max_nodes=7)
    assert error.value.reason == "method"
    assert "with max_nodes=7" in str(error.value)


def _waits(_problem: Problem, stop: Stop, *_: Any) -> Iterator[Event]:
    yield Event(Score(inner=2, depth=2), BEST)
    until_stopped(stop)


def test_the_time_limit_returns_the_best_tree_so_far(run: Callable[..., Result]) -> None:
    begin = time.monotonic()
    result = run(_waits, time_limit=0.2)
    assert 0.2 <= time.monotonic() - begin < 1.2
    assert (result.status, result.nodes, result.lower_bound) == ("feasible", 7, 5)
    assert result.stopped_by == "time limit"


def test_the_memory_limit(run: Callable[..., Result]) -> None:
    assert run(_waits, memory_limit=0.001).stopped_by == "memory limit"


def test_running_out_of_memory_is_a_memory_limit(run: Callable[..., Result]) -> None:
    def steps(*_: Any) -> Iterator[Event]:
        yield Event(Score(inner=2, depth=2), BEST)
        raise MemoryError

    assert run(steps).stopped_by == "memory limit"


def test_the_work_limit_is_counted_by_the_search(run: Callable[..., Result]) -> None:
    def steps(_problem: Problem, stop: Stop, work: Work, *_: Any) -> Iterator[Event]:
        yield Event(Score(inner=2, depth=2), BEST)
        work.spend(100)
        until_stopped(stop)

    result = run(steps, work_limit=100)
    assert (result.stopped_by, result.stats["work"]) == ("work limit", 100)


def test_a_rule_of_ones_own(run: Callable[..., Result]) -> None:
    assert run(_waits, stop=lambda: "had enough").stopped_by == "had enough"


def test_ctrl_c_returns_the_best_tree_so_far(run: Callable[..., Result]) -> None:
    def steps(_problem: Problem, stop: Stop, *_: Any) -> Iterator[Event]:
        yield Event(Score(inner=2, depth=2), BEST)
        os.kill(os.getpid(), signal.SIGINT)
        until_stopped(stop)

    result = run(steps)
    assert (result.status, result.stopped_by, result.nodes) == ("feasible", "interrupted", 7)


def _press(times: int = 1) -> None:
    for _ in range(times):
        os.kill(os.getpid(), signal.SIGINT)
    time.sleep(20)  # what takes too long


def test_another_ctrl_c_cuts_a_farewell_short_and_loses_nothing(run: Callable[..., Result]) -> None:
    def steps(_problem: Problem, stop: Stop, *_: Any) -> Iterator[Event]:
        yield Event(Score(inner=2, depth=2), BEST)
        os.kill(os.getpid(), signal.SIGINT)
        try:
            until_stopped(stop)
        finally:
            _press()

    result = run(steps)
    assert (result.status, result.stopped_by, result.nodes) == ("feasible", "interrupted", 7)
    assert result.seconds < 10


def test_nor_is_anything_lost_while_the_workers_are_sent_home(
    run: Callable[..., Result], monkeypatch: pytest.MonkeyPatch
) -> None:
    @contextmanager
    def slow_to_close(*_: Any, **__: Any) -> Iterator[Team]:
        yield ALONE
        _press(times=2)

    monkeypatch.setattr("dtfinder.solve.open_team", slow_to_close)
    result = run(_waits, time_limit=0.01)
    assert (result.status, result.stopped_by, result.nodes) == ("feasible", "time limit", 7)
    assert result.seconds < 10


def test_two_ctrl_c_leave_out_a_certificate_that_takes_long(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("dtfinder.solve.make_certificate", lambda *_: _press(times=2))
    result = find_tree("weather", certify=True)
    assert (result.status, result.certificate, result.stopped_by) == (
        "optimal",
        None,
        "interrupted",
    )


def test_two_ctrl_c_leave_out_the_certificate_that_there_is_no_tree(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("dtfinder.solve.make_certificate", lambda *_: _press(times=2))
    with pytest.raises(InfeasibleError, match="no tree with max_nodes=7") as error:
        find_tree("weather", method="cores", max_nodes=7, certify=True)
    assert (error.value.certificate, error.value.stopped_by) == (None, "interrupted")
    with pytest.raises(OptionError, match="interrupted before the proof was written"):
        refusal(error.value)


def test_ctrl_c_before_any_tree(run: Callable[..., Result]) -> None:
    def steps(_problem: Problem, stop: Stop, *_: Any) -> Iterator[Event]:
        os.kill(os.getpid(), signal.SIGINT)
        until_stopped(stop)
        yield Event(Score())

    with pytest.raises(NoTreeYetError, match=r"ended \(interrupted\)") as error:
        run(steps)
    assert error.value.reason == "interrupted"


@made_up
def test_limits_are_kept_in_the_result(run: Callable[..., Result]) -> None:
    result = run(lambda *_: iter([Event(Score(inner=3, depth=2), BEST)]), max_depth=2, max_nodes=9)
    assert (result.max_depth, result.max_nodes) == (2, 9)


# With real methods.


def test_find_tree_by_name() -> None:
    result = find_tree("weather")
    assert (result.status, result.nodes, result.lower_bound) == ("optimal", 9, 9)
    table = read_table("weather")
    assert table.target is not None
    assert result.tree.predict(table) == table.target.tolist()


def test_find_tree_of_arrays_and_of_a_named_column(tmp_path: Any) -> None:
    X, y = np.array([[0, 0], [0, 1], [1, 0], [1, 1]]), np.array([0, 1, 1, 0])
    assert find_tree(X, y).nodes == 7
    path = tmp_path / "xor.csv"
    path.write_text("odd,a,b\nno,0,0\nyes,0,1\nyes,1,0\nno,1,1\n")
    result = find_tree(path, target="odd", minimise="depth")
    assert (result.status, result.nodes, result.depth) == ("optimal", 7, 2)
    assert result.tree.classes == ("no", "yes")


def test_find_tree_says_what_is_wrong() -> None:
    wrong: dict[str, Any] = {"minimize": "size"}
    with pytest.raises(OptionError, match="did you mean 'minimise'"):
        find_tree("weather", **wrong)
    with pytest.raises(OptionError, match="there is no method 'dtfnder'; did you mean 'dtfinder'"):
        find_tree("weather", method="dtfnder")
    with pytest.raises(DataError, match="no file 'wether'"):
        find_tree("wether")
    with pytest.raises(InfeasibleError, match="no tree with max_depth=2"):
        find_tree("weather", method="cores", max_depth=2)
