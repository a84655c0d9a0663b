from typing import Any

import pytest
from benchmarks.instances import Optimum
from benchmarks.judge import contradictions
from benchmarks.results import Row


def row(
    method: str,
    aim: str,
    nodes: int | None,
    depth: int | None,
    *,
    status: str = "optimal",
    lower_nodes: int = 1,
    lower_depth: int = 0,
) -> Row:
    return Row(
        *("vote", 20, 0),
        method=method,
        aim=aim,
        examples=79,
        features=42,
        status=status,
        ended="done",
        nodes=nodes,
        depth=depth,
        lower_nodes=lower_nodes,
        lower_depth=lower_depth,
        cpu=0.1,
        wall=0.1,
        memory=1,
    )


SMALLEST = row("dtfinder", "size", 13, 4)
SHALLOWEST = row("d-dtfinder", "depth then size", 15, 3)


def test_right_answers_agree() -> None:
    greedy = row("sklearn", "nothing", 25, 6, status="feasible")
    least_depth = row("pydl8.5", "depth", 15, 3)
    known = Optimum("vote", 20, 0, 79, 42, 13, 3, 15)
    rows = [SMALLEST, SHALLOWEST, greedy, least_depth, row("cores", "size", 13, 5)]
    assert contradictions(rows, [known]) == []


@pytest.mark.parametrize(
    "wrong",
    [
        row("other", "size", 11, 4),
        row("other", "size", 15, 4),
        row("other", "size", 11, 4, status="feasible"),
        row("other", "size", None, None, status="none", lower_nodes=15),
        row("other", "depth then size", 13, 3),
        row("other", "depth then size", 17, 3),
        row("other", "depth", 31, 4),
        row("other", "depth", 15, 2),
        row("other", "nothing", 15, 2, status="feasible"),
        row("other", "depth", None, None, status="none", lower_depth=4),
    ],
)
def test_one_wrong_answer_is_named(wrong: Any) -> None:
    found = contradictions([SMALLEST, SHALLOWEST, wrong])
    assert found
    assert all("vote 20% seed 0" in line and "other" in line for line in found)


@pytest.mark.parametrize(
    "known",
    [
        Optimum("vote", 20, 0, 79, 42, 11, None, None),
        Optimum("vote", 20, 0, 79, 42, 15, None, None),
        Optimum("vote", 20, 0, 79, 42, None, 3, 17),
        Optimum("vote", 20, 0, 79, 42, None, 4, 15),
    ],
)
def test_a_listed_optimum_counts_as_an_answer(known: Any) -> None:
    assert contradictions([SMALLEST, SHALLOWEST], [known])


def test_other_instances_do_not_count() -> None:
    other = Optimum("vote", 50, 0, 79, 42, 11, None, None)
    assert contradictions([SMALLEST, SHALLOWEST], [other]) == []
