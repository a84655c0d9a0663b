import math
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from benchmarks.adapters import METHODS
from benchmarks.report import FIGURE_4, best_of_the_paper, encoding_share, unfinished, write
from benchmarks.results import Head, Results, Row

from benchmarks import paper, tables

LIMIT = 5.0
HEAD = Head(LIMIT, int(3e9), {"CPU": "Some CPU", "Python": "3.11"})
OPTIMAL = ["BP = 1", ["CORE = 2", "A", "S"], ["SURF = 0", "S", "A"]]
GREEDY = ["BP = 1", ["CORE = 2", "A", "S"], ["SURF = 0", ["BP = 2", "S", "A"], "A"]]


def row(method: str, dataset: str = "vote", percent: int = 20, **changes: Any) -> Row:
    facts: dict[str, Any] = {"seed": 0, "aim": METHODS[method].aim, "examples": 79, "features": 42}
    facts |= {"status": "optimal", "ended": "done", "nodes": 13, "depth": 4, "lower_nodes": 13}
    facts |= {"lower_depth": 3, "cpu": 1.0, "wall": 1.1, "memory": 2 * 10**8}
    return Row(dataset=dataset, percent=percent, method=method, **(facts | changes))


def campaign() -> list[Row]:
    """Every method on thirty made-up instances; slower methods fail on the larger ones."""
    rows = []
    for number, method in enumerate(METHODS):
        for instance in range(30):
            place: dict[str, Any] = {
                "dataset": f"table-{instance:02}",
                "percent": 20 if instance % 2 else 50,
            }
            if instance == 8:
                place = {"dataset": FIGURE_4[0], "percent": FIGURE_4[1]}
            cpu = 0.0004 * math.exp(instance * (0.08 + 0.035 * number) + (instance * 7 % 5) / 4)
            greedy = METHODS[method].aim == "nothing"
            place |= {"nodes": 3 + 2 * instance + 6 * greedy, "cpu": cpu, "lower_nodes": 3}
            place |= {"examples": 10 + 9 * instance, "features": 5 + instance * instance % 90}
            place |= {"depth": 2 + instance // 4, "lower_depth": 2}
            if greedy:
                place |= {"status": "feasible", "tree": GREEDY}
            elif cpu > LIMIT:
                place |= {"status": "none", "ended": "time limit", "nodes": None, "depth": None}
                place["cpu"] = LIMIT
            elif "depth" in METHODS[method].aim:
                place["tree"] = OPTIMAL
            rows.append(row(method, **place))
    return rows


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page of that campaign, with two crashes and one contradiction."""
    rows = campaign()
    gone: dict[str, Any] = {
        "ended": "crash: SIGSEGV",
        "status": "none",
        "nodes": None,
        "depth": None,
    }
    rows += [row("gosdt", name, **gone) for name in ("odd", "even")]
    rows.append(row("gosdt", "large", **(gone | {"ended": "memory limit"})))
    rows += [row("cores", "wrong", nodes=13), row("dtfinder", "wrong", nodes=11)]
    out = tmp_path_factory.mktemp("docs")
    return write(Results(out / "results.jsonl", [HEAD], rows), out)


def test_table_1_has_the_averages_of_the_solved() -> None:
    rows = [
        row("mindt", "a", nodes=7, depth=2, cpu=0.2),
        row("mindt", "b", nodes=9, depth=4, cpu=0.4),
        row("mindt", "c", status="feasible", ended="time limit", nodes=99, depth=20, cpu=5.0),
        row("d-dtfinder", "c", nodes=31, depth=5, cpu=3.0),
        row("d-dtfinder", "b", nodes=11, depth=3, cpu=0.1),
        row("cores", "b", percent=50, nodes=9, cpu=0.01),
    ]
    blocks, lines = tables.summary(rows)
    assert blocks == {20: paper.Block(42, 79, 3), 50: paper.Block(42, 79, 1)}
    nodes, depth, cpu, solved = lines["mindt"][20]
    assert (nodes, depth, solved) == (8, 3, 2)
    assert cpu == pytest.approx(0.3)
    vbs = lines["vbs"][20]  # a by mindt, b and c by d-dtfinder
    assert vbs.nodes == pytest.approx(49 / 3)
    assert (vbs.depth, vbs.solved) == (None, 3)
    assert vbs.cpu == pytest.approx(1.1)
    assert lines["vbs"][50].solved is None
    assert lines["vbs of all"][50].solved == 1
    assert list(lines) == ["mindt", "d-dtfinder", "vbs", "cores", "vbs of all"]
    page = tables.table_1(blocks, lines)
    assert "<tr><th>mindt</th><td>8</td><td>3</td><td>0.3</td><td><b>2</b></td>" in page
    assert "<th colspan=4>0.2</th><th colspan=4>0.5</th>" in page


def test_a_speed_up_is_a_geometric_mean_with_unsolved_at_the_limit() -> None:
    rows = [row("cores", name, cpu=0.1) for name in "abc"]
    rows += [row("pystreed", "a", cpu=0.4), row("pystreed", "b", cpu=0.1)]
    rows += [row("pystreed", "c", status="none", ended="time limit", cpu=5.6)]
    rows += [row(name, "d", status="none", cpu=5.1) for name in ("cores", "pystreed")]
    rows += [row("pystreed", "e")]  # the engine was not run on it
    facts = tables.compare(rows, "cores", "pystreed", LIMIT)
    assert facts is not None
    assert (facts.by_one, facts.by_other) == (3, 2)
    assert facts.all == pytest.approx([4, 1, 50, 1])
    assert facts.either == pytest.approx([4, 1, 50])
    assert facts.both == pytest.approx([4, 1])
    assert tables.factor(facts.both) == "2× (2)"
    line = f"| pystreed | cores | 3 | 2 | {200**0.25:.3g}× (4) | {200 ** (1 / 3):.3g}× (3) |"
    assert line in tables.comparisons(rows, LIMIT)
    assert tables.compare(rows, "cores", "gosdt", LIMIT) is None


def test_the_overview_counts_an_unsolved_run_as_its_limit() -> None:
    rows = [row("cores", "a", cpu=0.05), row("cores", "b", status="feasible", cpu=5.2)]
    line = "| cores | 1 of 2 (1) | 50 ms | 500 ms | 200 MB |"
    assert line in tables.overview(rows, LIMIT, {("a", 20, 0), ("c", 20, 0)})


def test_a_greedy_tree_that_happens_to_be_smallest_is_not_solved() -> None:
    rows = [row("sklearn", nodes=3, depth=1), row("mindt", nodes=3, depth=1, cpu=2.0)]
    _, lines = tables.summary(rows)
    assert lines["sklearn"][20] == paper.Cell(3, 1, 1.0, None)
    assert lines["vbs"][20].cpu == 2.0
    assert "sklearn" not in tables.overview(rows, LIMIT)


def test_bounds_are_shown_where_nothing_is_proven() -> None:
    known: dict[str, Any] = {"status": "feasible", "ended": "time limit"}
    rows = [
        row("dtfinder", nodes=25, depth=6, lower_nodes=9, lower_depth=4, **known),
        row("mindt", nodes=21, depth=7, lower_nodes=11, lower_depth=4, **known),
    ]
    page = tables.per_instance(rows, ["dtfinder"])
    assert "| vote | 20 | 79 | 42 | 11..21 | 4..6 | – |" in page


def test_the_best_of_the_paper_solves_most_then_fastest() -> None:
    rows = [row("mindt", "a"), row("mindt", "b"), row("dtfinder", "a"), row("dtfinder", "b")]
    assert best_of_the_paper([*rows, row("mindt", "c")]) == "mindt"
    assert best_of_the_paper([*rows, row("dtfinder-T", "a", cpu=0.1)]) in ("mindt", "dtfinder")
    assert best_of_the_paper([row("cores")]) is None


def test_the_share_of_encoding_is_of_solved_runs() -> None:
    parts = {"encode_seconds": 0.25, "load_seconds": 0.25, "solve_seconds": 1.5}
    lost = row("dtfinder", "b", status="feasible", stats={"encode_seconds": 9.0})
    assert encoding_share([row("dtfinder", stats=parts), lost, row("cores")]) == 0.25
    assert encoding_share([row("cores")]) is None


def test_a_method_that_was_not_run_on_everything_is_named() -> None:
    rows = [row("cores", "a"), row("cores", "b"), row("mindt", "b")]
    assert unfinished(rows) == ["`mindt` (1 of 2)"]
    assert unfinished(rows[:2]) == []


def test_the_page_has_everything(page: Path) -> None:
    text = page.read_text()
    for name in ("cactus", "scatter", "sizes", "trees", "growth", "greedy"):
        assert f"({name}.png)" in text
        assert (page.parent / f"{name}.png").read_bytes().startswith(b"\x89PNG")
    assert "<td>447/136</td>" in text.replace(" colspan=4 align=center", "")
    assert "--suite optima --percent 20 50 --seeds 0 --time-limit 5 --memory-limit 3GB" in text
    assert "- CPU: Some CPU" in text
    assert "| pystreed | cores |" in text


def test_the_page_does_not_hide_what_went_wrong(page: Path) -> None:
    text = page.read_text()
    assert "- `gosdt` on odd 20%, even 20%: crash: SIGSEGV\n" in text
    assert "- `gosdt` on large 20%: out of memory\n" in text
    assert "contradict each other:**" in text
    assert "cores claims at least 13 nodes" in text


def test_the_command_makes_the_page_even_of_few_rows(tmp_path: Path) -> None:
    found = Results.open(tmp_path / "few.jsonl")
    found.begin(HEAD)
    found.add(row("dtfinder"))
    command = [sys.executable, "-m", "benchmarks", "report", str(found.path)]
    done = subprocess.run([*command, "--out", str(tmp_path / "docs")], capture_output=True)
    assert done.returncode == 0, done.stderr
    text = (tmp_path / "docs" / "index.md").read_text()
    assert "The engine was not part of this run." in text
    assert "No two answers contradict each other." in text
    assert "Nothing: every run ended within its limits." in text


def test_an_empty_file_has_no_page(tmp_path: Path) -> None:
    with pytest.raises(
        ValueError, match=r"there is no file '.*none\.jsonl'; make one with `run --out`"
    ):
        write(Results.open(tmp_path / "none.jsonl"), tmp_path / "docs")
    (tmp_path / "empty.jsonl").touch()
    with pytest.raises(ValueError, match="has no rows"):
        write(Results.open(tmp_path / "empty.jsonl"), tmp_path / "docs")


def test_a_campaign_that_solved_nothing_has_a_page(tmp_path: Path) -> None:
    facts: dict[str, Any] = {"status": "none", "ended": "time limit", "nodes": None, "depth": None}
    for rows in ([row("mindt", **facts)], [row("sklearn", status="feasible")]):
        page = write(Results(tmp_path / "results.jsonl", [HEAD], rows), tmp_path)
        assert rows[0].method in page.read_text()
