"""What is asked and what is known: bounds that imply each other, trees that beat each other."""

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dtfinder.data import Feature, make_dataset, read_table
from dtfinder.nodes import Node, leaf
from dtfinder.problem import DEPTH, SIZE, Problem, Score
from dtfinder.result import Result
from dtfinder.tree import Tree

ANY = make_dataset(read_table("weather"))  # what it holds does not matter


def chain(depth: int) -> Tree:
    """The thinnest tree of this depth."""
    nodes = [leaf(0)] * (2 * depth + 1)
    for level in range(depth):
        nodes[2 * level] = Node(0, 2 * level + 1, 2 * level + 2, -1)
    return Tree(tuple(nodes), (Feature("x", "<=", 0.5),), ("a", "b"), ((1, 0),) * len(nodes))


def full(depth: int) -> Tree:
    """The bushiest tree of this depth, in preorder."""
    nodes: list[Node] = []

    def build(left: int) -> int:
        number = len(nodes)
        nodes.append(leaf(0))
        if left:
            zero, one = build(left - 1), build(left - 1)
            nodes[number] = Node(0, zero, one, -1)
        return number

    build(depth)
    return Tree(tuple(nodes), (Feature("x", "<=", 0.5),), ("a", "b"), ((1, 0),) * len(nodes))


def score(tree: Tree, errors: int = 0) -> Score:
    """What the tree is measured by."""
    return Score.of(tree.nodes, errors)


@given(nodes=st.integers(0, 30).map(lambda half: 2 * half + 1), depth=st.integers(0, 30))
def test_bounds_on_nodes_and_depth_imply_each_other(nodes: int, depth: int) -> None:
    raised = Score().raised(nodes // 2, depth)
    assert raised.nodes == max(nodes, 2 * depth + 1)
    assert raised.depth >= max(depth, math.ceil(math.log2((nodes + 1) / 2)))
    # Never more than what a tree of that size or depth has.
    assert raised.depth <= max(depth, math.ceil(math.log2((raised.nodes + 1) / 2)))
    assert raised.raised() == raised


def test_bounds_never_fall() -> None:
    assert Score(inner=4, depth=3).raised(2, 1) == Score(inner=4, depth=3)


def test_bounds_met_by_a_tree() -> None:
    assert Problem(ANY).met(score(chain(3)), Score(inner=3, depth=2))
    assert not Problem(ANY, DEPTH).met(score(chain(3)), Score(inner=3, depth=2))
    assert Problem(ANY, DEPTH).met(score(full(2)), Score(inner=3, depth=2))
    assert not Problem(ANY).met(score(full(2)), Score(inner=2, depth=2))


def test_limits_allow_or_refuse_a_tree() -> None:
    assert Problem(ANY).allows(score(chain(9)))
    assert not Problem(ANY, max_depth=2).allows(score(chain(3)))
    assert not Problem(ANY, max_nodes=5).allows(score(full(2)))
    assert Problem(ANY, max_depth=2, max_nodes=7).allows(score(full(2)))


@pytest.mark.parametrize(
    ("minimise", "better", "worse"),
    [
        (SIZE, chain(2), full(2)),
        (SIZE, full(2), chain(3)),  # as many nodes, less deep
        (DEPTH, full(2), chain(3)),
        (DEPTH, chain(2), full(2)),  # as deep, fewer nodes
        (DEPTH, full(3), chain(4)),  # less deep although more nodes
        (SIZE, chain(4), full(3)),
    ],
)
def test_which_tree_is_better(minimise: str, better: Tree, worse: Tree) -> None:
    problem = Problem(ANY, minimise)
    assert problem.better(score(better), score(worse))
    assert not problem.better(score(worse), score(better))
    assert not problem.better(score(better), score(better))
    assert problem.better(score(worse), None)


def test_a_tree_beyond_the_limits_is_never_better() -> None:
    assert not Problem(ANY, max_nodes=3).better(score(chain(2)), None)


@pytest.fixture
def result() -> Result:
    return Result(
        status="feasible",
        tree=chain(2),
        bounds=Score(inner=1, depth=1),
        errors=0,
        unavoidable_errors=0,
        method="m",
        minimise=SIZE,
        seconds=1.23456789,
        stopped_by="time limit",
        stats={"work": 3},
    )


def test_a_result_prints_its_tree_and_shows_itself_in_short(result: Result) -> None:
    assert str(result).splitlines() == [*str(result.tree).splitlines(), "", result.summary()]
    assert repr(result) == f"<Result: {result.summary()}>"


def test_a_result_as_json(result: Result) -> None:
    data = json.loads(json.dumps(result.to_json()))
    expected = {"status", "nodes", "depth", "lower_bound", "errors", "unavoidable_errors"}
    expected |= {"seconds", "method", "tree"}
    assert expected <= set(data)
    assert (data["nodes"], data["depth"], data["lower_bound"]) == (5, 2, 3)
    assert data["depth_lower_bound"] == 1
    assert Tree.from_json(data["tree"]) == result.tree
