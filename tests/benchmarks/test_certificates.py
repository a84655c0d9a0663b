import json
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest
from benchmarks.certificates import Cost, cases, cost_of, page, read
from benchmarks.results import Results, Row

from dtfinder.data import make_dataset, read_table

SOME = Cost(
    *("vote", 20, 0, "cores", 13, 4),
    plain=2.0,
    certified=2.2,
    plain_work=100,
    certified_work=100,
    check=0.5,
    compiled=0.02,
    steps=1234,
    bytes=56_000,
)
ANY_TIME = (0.0, 60.0)


@pytest.mark.uncertified("without a proof SAT methods trace none, and those with one are checked")
@pytest.mark.parametrize("method", ["cores", "cores-depth", "sat", "dtfinder-T"])
def test_a_run_is_measured_with_a_proof_and_without(method: str) -> None:
    dataset = make_dataset(read_table("weather"))
    found = cost_of(dataset, ("weather", 100, 0), method, ANY_TIME, repeat=1)
    assert found is not None
    assert found.nodes == 9
    assert found.same_search
    assert (found.compiled is None) == (not method.startswith("cores"))
    assert min(found.plain, found.certified, found.check, found.steps, found.bytes) > 0


def test_what_is_quicker_than_the_limit_is_left_out() -> None:
    dataset = make_dataset(read_table("weather"))
    assert cost_of(dataset, ("weather", 100, 0), "cores", (50.0, 60.0), repeat=1) is None


def test_the_cost_is_that_of_equal_work() -> None:
    assert SOME.cost == pytest.approx(0.1)
    assert SOME.share == pytest.approx(1 / 11)
    assert replace(SOME, certified_work=110).cost == pytest.approx(0.0)


def test_the_instances_are_those_that_campaigns_solved_in_time(tmp_path: Path) -> None:
    facts: dict[str, Any] = {
        "seed": 0,
        "aim": "size",
        "examples": 9,
        "features": 9,
        "nodes": 9,
        "depth": 3,
    }
    facts |= {"lower_nodes": 9, "lower_depth": 2, "wall": 1.0, "memory": 1, "ended": "done"}
    rows = [
        Row("vote", 20, method="cores", cpu=2.0, status="optimal", **facts),
        Row("vote", 20, method="sat", cpu=2.0, status="optimal", **facts),
        Row("vote", 50, method="cores", cpu=0.1, status="optimal", **facts),
        Row("chess", 50, method="cores", cpu=5.0, status="feasible", **facts),
    ]
    file = tmp_path / "results.jsonl"
    file.write_text("".join(json.dumps({"kind": "row", **asdict(row)}) + "\n" for row in rows))
    assert len(Results.read(file).rows) == 4
    assert list(cases(["cores"], [], [file], (1.0, 60.0))) == [(("vote", 20, 0), "cores")]


def test_the_page_has_every_figure(tmp_path: Path) -> None:
    file = tmp_path / "certificates.jsonl"
    sat = replace(SOME, method="sat", compiled=None, certified_work=101)
    file.write_text("".join(json.dumps(asdict(each)) + "\n" for each in (SOME, sat)))
    text = page(read(file))
    assert "| vote 20% | `cores` | 13 | 4 | 2.00 | 2.20 | 10% | 9% | 0.50 | 0.020 |" in text
    assert "| vote 20% | `sat` | 13 | 4 | 2.00 | 2.20 | 9%* | 8% | 0.50 |  | 1,234 |" in text
    assert "10% at most (vote 20%, `cores`). The Python checker takes at most 0.25" in text
    assert "The compiled one takes at most 0.010" in text
