"""The watch over all other tests: does it catch what is wrongly called optimal, or impossible?"""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

import dtfinder.solve as solving
from dtfinder import find_tree
from dtfinder.errors import InfeasibleError
from dtfinder.result import Result
from proven import Watch

Doctor = Callable[[Result], Result]

pytestmark = pytest.mark.uncertified("the results are made wrong, and another watch sees them")


def watched(monkeypatch: pytest.MonkeyPatch, doctor: Doctor, table: str, **options: Any) -> Watch:
    """A watch that has seen one run, whose result went through `doctor`, as all to come will."""
    made = solving.Run.result
    monkeypatch.setattr(solving.Run, "result", lambda *given: doctor(made(*given)))
    watch = Watch()
    watch.start()
    try:
        find_tree(table, **options)
    finally:
        watch.stop()
    return watch


def with_head(change: Callable[[dict[str, Any]], None], result: Result) -> Result:
    """The result with another first line in its certificate."""
    assert result.certificate is not None
    line, _, proof = gzip.decompress(result.certificate.data).partition(b"\n")
    head = json.loads(line)
    change(head)
    data = gzip.compress(json.dumps(head).encode() + b"\n" + proof)
    return replace(result, certificate=replace(result.certificate, data=data))


def without_last_lemmas(result: Result) -> Result:
    assert result.certificate is not None
    lines = gzip.decompress(result.certificate.data).splitlines(keepends=True)
    data = gzip.compress(b"".join(lines[: 1 + len(lines) // 2]))
    return replace(result, certificate=replace(result.certificate, data=data))


def flip_leaves(head: dict[str, Any]) -> None:
    def flipped(node: Any) -> Any:
        return 1 - node if isinstance(node, int) else [node[0], *map(flipped, node[1:])]

    head["tree"] = flipped(head["tree"])


def claim_less(head: dict[str, Any]) -> None:
    head["claim"]["nodes"] -= 2


def called_optimal(result: Result) -> Result:
    return replace(result, status="optimal")


@pytest.mark.parametrize("certify", [True, False])
def test_an_honest_result_passes(monkeypatch: pytest.MonkeyPatch, certify: bool) -> None:
    watch = watched(monkeypatch, lambda result: result, "mux6", certify=certify)
    watch.settle()
    assert watch.counts["verified"] == watch.counts["certificates"] == 1


@pytest.mark.parametrize(
    ("doctor", "options", "caught"),
    [
        (called_optimal, {"work_limit": 1}, "not optimal, 9 nodes will do"),
        (called_optimal, {"work_limit": 1, "minimise": "depth"}, "not optimal, 9 nodes will do"),
        (lambda result: replace(result, certificate=None), {"certify": True}, "no certificate"),
        (without_last_lemmas, {"certify": True}, "rejected: only . nodes are shown"),
        (lambda result: with_head(flip_leaves, result), {"certify": True}, "rejected: the tree"),
        (lambda result: with_head(claim_less, result), {"certify": True}, "has 9 nodes"),
    ],
)
def test_a_wrong_one_is_caught(
    monkeypatch: pytest.MonkeyPatch, doctor: Doctor, options: dict[str, Any], caught: str
) -> None:
    watch = watched(monkeypatch, doctor, "weather", **options)
    with pytest.raises(AssertionError, match=caught):
        watch.settle()
    assert watch.counts["verified"] == 0


@pytest.mark.parametrize("marker", [None, pytest.mark.uncertified])
def test_it_is_caught_at_the_end_of_a_test_that_has_no_excuse(
    monkeypatch: pytest.MonkeyPatch, marker: object
) -> None:
    options = {"work_limit": 1, "minimise": "depth"}
    watch = watched(monkeypatch, called_optimal, "monk3", **options)
    item: Any = SimpleNamespace(get_closest_marker={"uncertified": marker}.get)
    teardown = watch.pytest_runtest_teardown(item)
    next(teardown)
    if marker is None:
        with pytest.raises(AssertionError, match="not optimal, depth 3 will do"):
            next(teardown)
    else:
        assert list(teardown) == []
        assert watch.counts["excused"] == 1


def test_a_certificate_of_another_table_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    other = find_tree("corral", certify=True).certificate
    swapped: Doctor = lambda result: replace(result, certificate=other)  # noqa: E731
    watch = watched(monkeypatch, swapped, "weather", certify=True)
    with pytest.raises(AssertionError, match="the certificate is rejected"):
        watch.settle()


def watched_refusal(monkeypatch: pytest.MonkeyPatch, certificate: Any, **options: Any) -> Watch:
    """A watch that has seen one run end with 'no tree is within the limits', true or not."""
    honest, lies = solving.Run.result, [InfeasibleError("no tree", certificate=certificate)]

    def result(*given: Any) -> Result:
        if lies:
            raise lies.pop()
        return honest(*given)

    monkeypatch.setattr(solving.Run, "result", result)
    watch = Watch()
    watch.start()
    try:
        with pytest.raises(InfeasibleError):
            find_tree("weather", method="cores", **options)
    finally:
        watch.stop()
    return watch


def refusal_of(**options: Any) -> Any:
    with pytest.raises(InfeasibleError) as error:
        find_tree("weather", method="cores", certify=True, **options)
    return error.value.certificate


def test_impossible_limits_pass_with_their_own_certificate_or_with_another_run(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for own in (refusal_of(max_nodes=7), None):
        watch = watched_refusal(monkeypatch, own, max_nodes=7)
        watch.settle()
        assert watch.counts["impossible limits"] == watch.counts["certificates"] == 1
        assert watch.counts["optimal results"] == 0


def test_limits_that_are_wrongly_called_impossible_are_caught(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    lie = watched_refusal(monkeypatch, None, max_nodes=9)
    with pytest.raises(AssertionError, match="not impossible, 9 nodes will do"):
        lie.settle()
    other = watched_refusal(monkeypatch, refusal_of(max_nodes=5), max_nodes=7)
    with pytest.raises(AssertionError, match=r"speaks of something else: .* within max_nodes 5"):
        other.settle()
    best = watched_refusal(monkeypatch, find_tree("weather", certify=True).certificate, max_nodes=7)
    with pytest.raises(AssertionError, match="speaks of something else: VERIFIED: the tree"):
        best.settle()
    assert lie.counts["verified"] == other.counts["verified"] == best.counts["verified"] == 0
