from typing import Any

from benchmarks.engine import page
from benchmarks.instances import Optimum
from benchmarks.results import Head, Row

HEAD = Head(60.0, int(3e9), {"CPU": "Some CPU"})


def row(dataset: str, method: str, cpu: float, percent: int = 20, **changes: Any) -> Row:
    facts: dict[str, Any] = {
        "seed": 0,
        "aim": "size",
        "examples": 79,
        "features": 42,
        "status": "optimal",
    }
    facts |= {"ended": "done", "nodes": 13, "depth": 4, "lower_nodes": 13, "lower_depth": 3}
    facts |= {"wall": 1.1, "memory": 2 * 10**8}
    return Row(dataset=dataset, percent=percent, method=method, cpu=cpu, **(facts | changes))


def test_the_page_says_what_was_proven_and_how_much_faster() -> None:
    unsolved: dict[str, Any] = {
        "status": "feasible",
        "ended": "time limit",
        "lower_nodes": 7,
        "nodes": 25,
    }
    rows = [
        row("vote", "cores", 0.01),
        row("vote", "pystreed", 0.6),
        row("spect", "cores", 0.1),
        row("spect", "pystreed", 61.0, **unsolved),
        row("monk1", "cores", 0.02, percent=100),
        row("monk1", "pystreed", 61.0, percent=100, **unsolved),
        row("chess", "cores", 60.1, percent=100, memory=10**9, **unsolved),
    ]
    optima = [
        Optimum("vote", 20, 0, 79, 42, 13, None, None),
        Optimum("spect", 20, 0, 79, 42, None, None, None),
    ]
    depths = {("spect", 20): (4, 4), ("other", 20): (1, None)}
    text = page(rows, HEAD, optima, depths).replace("\N{NO-BREAK SPACE}", " ")
    assert "| cores | 2 of 2 (1) | 55 ms | 31.6 ms | 200 MB |" in text
    assert "| pystreed | 1 of 2 (1) | 600 ms | 6 s | 200 MB |" in text
    assert "| pystreed | cores | 2 | 1 | 190× (2) | 190× (2) | 60× (1) |" in text
    assert "| table | examples | features | smallest | cores | pystreed |" in text
    assert "| chess | 79 | 42 | 7..25 | 7..25, 1000 MB |  |" in text
    assert "| monk1 | 79 | 42 | 13 | 20 ms, 200 MB | 7..25, 200 MB |" in text
    assert "| spect | 20 | 79 | 42 | 13 | 4 | 100 ms | – |" in text
    assert "- CPU: Some CPU" in text
