from pathlib import Path
from typing import Any

from benchmarks.growth import DATASETS, METHODS, PERCENTS, hopeless, to_do, write
from benchmarks.results import Head, Results, Row


def row(dataset: str, method: str, percent: int, cpu: float = 0.1, **changes: Any) -> Row:
    facts: dict[str, Any] = {
        "seed": 0,
        "aim": "size",
        "examples": 4 * percent,
        "features": 42,
        "ended": "done",
    }
    facts |= {"status": "optimal", "nodes": 2 * percent + 1, "depth": 4, "lower_nodes": 3}
    facts |= {"lower_depth": 2, "wall": 1.1, "memory": 2 * 10**8}
    return Row(dataset=dataset, percent=percent, method=method, cpu=cpu, **(facts | changes))


def test_a_method_is_given_up_after_two_failures_in_a_row() -> None:
    lost: dict[str, Any] = {"status": "feasible", "ended": "time limit"}
    rows = [row("vote", "sat", 5, **lost), row("vote", "sat", 8), row("vote", "sat", 12, **lost)]
    assert not hopeless(rows, "vote", "sat", 20)
    rows.append(row("vote", "sat", 20, **lost))
    assert hopeless(rows, "vote", "sat", 35)
    assert not hopeless(rows, "vote", "sat", 20)  # what was begun is not undone
    assert not hopeless(rows, "vote", "cores", 35)
    assert not hopeless(rows, "monk1", "sat", 35)


def test_the_page_says_how_far_each_method_got(tmp_path: Path) -> None:
    rows = []
    for name in DATASETS:
        for number, method in enumerate(METHODS):
            for percent in PERCENTS:
                cpu = 0.001 * percent * 10**number
                lost = {"status": "feasible", "ended": "time limit"} if cpu > 1 else {}
                rows.append(row(name, method, percent, cpu, **lost))
    results = Results(tmp_path / "growth.jsonl", [Head(1.0, int(3e9), {"CPU": "any"})], rows)
    text = write(results, tmp_path).read_text()
    assert "Not finished" not in text
    begun = Results(results.path, results.heads, [r for r in rows if r.percent < 100])
    assert to_do(begun.rows, "cores") == [(name, 100, 0) for name in DATASETS]
    assert to_do(begun.rows, "pystreed") == []  # it has failed twice on each
    assert "at most: 8 of `cores`, 8 of `sat`." in write(begun, tmp_path).read_text()
    write(results, tmp_path)
    assert "| vote | all 400: 201 nodes, 100 ms | all 400: 201 nodes, 1 s | 32: 17 nodes," in text
    for name in ("growth-examples", "growth-size"):
        assert f"({name}.png)" in text
        assert (tmp_path / f"{name}.png").read_bytes().startswith(b"\x89PNG")
