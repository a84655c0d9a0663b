"""The front: brute force at every size, what a stop leaves, and what can be read off it."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pandas as pd
import pytest

from dtfinder import find_front, find_tree
from dtfinder.cli.app import run
from dtfinder.errors import OptionError
from dtfinder.front.find import front_of
from dtfinder.options import Options
from dtfinder.result import Front
from errors_oracle import ErrorsOracle
from search.test_counting import judged


def judged_front(seed: int, **options: object) -> tuple[Front, ErrorsOracle]:
    dataset, judge = judged(seed)
    return front_of(dataset, Options.of(**options)), judge


@pytest.mark.parametrize("depth", [None, 2, 3])
def test_fronts_agree_with_brute_force(depth: int | None) -> None:
    for seed in range(60):
        front, judge = judged_front(seed, max_depth=depth)
        errors = [judge.errors(inner, depth) for inner in range(len(front))]
        assert [result.errors for result in front] == errors
        assert [result.errors_lower_bound for result in front] == errors
        assert {result.status for result in front} == {"optimal"}
        for inner, result in enumerate(front):
            assert result.nodes <= 2 * inner + 1
            assert result.nodes // 2 == judge.size(result.errors, depth)
        # It ends where more nodes no longer help.
        assert judge.errors(judge.rows, depth) == front[-1].errors


def test_a_stop_leaves_bounds_on_both_sides() -> None:
    random = np.random.RandomState(2)
    rows = pd.DataFrame(random.randint(2, size=(200, 25)), columns=[f"f{i}" for i in range(25)])
    front = find_front(rows, random.randint(2, size=200), time_limit=0.3)
    assert front.stopped_by == "time limit"
    assert front.proven < len(front)
    errors = [result.errors for result in front]
    lowers = [result.errors_lower_bound for result in front]
    assert errors == sorted(errors, reverse=True)
    assert lowers == sorted(lowers, reverse=True)
    assert all(low <= high for low, high in zip(lowers, errors, strict=True))


def test_callbacks_hear_of_every_size() -> None:
    seen = []
    find_front("weather", callback=lambda state: seen.append((state.at, state.errors)))
    assert {at for at, _ in seen} == {0, 1, 2, 3, 4}
    assert (4, 0) in seen


def test_what_can_be_read_off_it() -> None:
    front = find_front("weather")
    assert len(front) == front.proven == 5
    assert front.within(max_nodes=6).errors == 2
    assert front.within(max_errors=3).nodes == 5
    assert front.best(leaf_penalty=0.2).nodes == 1
    assert front.best(leaf_penalty=0.01).nodes == 9
    with pytest.raises(OptionError, match="max_errors=-1"):
        front.within(max_errors=-1)
    with pytest.raises(OptionError, match="max_nodes must be at least 1, not 0"):
        front.within(max_nodes=0)
    for penalty in (0, -0.1, 1.5, float("nan")):
        with pytest.raises(OptionError, match="leaf_penalty must be greater than 0 and at most 1"):
            front.best(leaf_penalty=penalty)
    assert repr(front).startswith("<Front: 5 of 5 sizes proven, from 5 errors to 0 at 9 nodes")
    assert "    5       2  yes         2" in str(front)


def test_errors_are_read_off_in_the_weights_that_were_given() -> None:
    front = find_front("weather", weights=[0.5] * 14)
    assert front.within(max_errors=1).nodes == find_tree("weather", max_errors=2).nodes == 5
    assert front.within(max_errors=2.5).nodes == 1
    with pytest.raises(OptionError, match=r"max_errors=0\.9 is fewer .* the fewest are 1"):
        front.within(max_nodes=5, max_errors=0.9)


def test_max_nodes_ends_it_early() -> None:
    assert [result.errors for result in find_front("weather", max_nodes=5)] == [5, 4, 2]


@pytest.mark.parametrize("given", [{"max_errors": 1}, {"leaf_penalty": 0.1}, {"method": "cores"}])
def test_what_asks_for_one_tree_is_refused(given: dict[str, Any]) -> None:
    with pytest.raises(OptionError):
        find_front("weather", **given)


def test_the_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["front", "weather", "--quiet", "--json", "-"]) == 0
    made = json.loads(capsys.readouterr().out)
    assert [(point["nodes"], point["errors"]) for point in made["front"]] == [
        (1, 5),
        (3, 4),
        (5, 2),
        (7, 2),
        (9, 0),
    ]
    first = made["front"][0]
    assert set(first) == {"nodes", "errors", "errors_lower_bound", "depth", "status", "tree"}
    assert run(["front", "weather", "--quiet", "--max-errors", "2"]) == 2
    assert "--max-errors asks for one tree" in capsys.readouterr().err
