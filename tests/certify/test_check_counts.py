"""The checker of counts: it accepts what holds, and nothing else."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas
import pytest

from core.test_cubes import Case, make_case
from dtfinder import find_tree
from dtfinder.certify import check_counts
from dtfinder.certify.check_counts import Claim, Counts, Trees, Wrong, check
from dtfinder.cli.app import run
from dtfinder.errors import OptionError
from errors_oracle import ErrorsOracle


def claim_of(case: Case) -> dict[str, Any]:
    """A certificate with the questions of a case, and a single leaf as the tree."""
    return {
        "format": check_counts.FORMAT,
        "version": 1,
        "target": "class",
        "classes": {str(number): number for number in range(case.classes)},
        "columns": [
            {
                "name": f"c{place}",
                "words": {str(level): level for level in range(levels)},
                "levels": levels,
                "ordered": ordered,
                "first": first,
                "questions": count,
            }
            for place, (levels, ordered, first, count) in enumerate(case.columns)
        ],
        "tree": 0,
        "claim": {
            "rows": len(case.labels),
            "errors": int((case.labels != 0).sum()),
            "minimise": "size",
            "max_depth": 3,
            "max_nodes": None,
        },
    }


def rows_of(case: Case) -> list[tuple[int, ...]]:
    return list(zip(*case.codes.tolist(), case.labels.tolist(), strict=True))


@pytest.mark.parametrize("seed", range(200, 260))
def test_it_tries_all_trees(seed: int) -> None:
    case = make_case(seed)
    counts = Counts(Claim(claim_of(case)))
    counts.read(rows_of(case))
    found = Trees(counts).least()
    weights = np.zeros((len(case.labels), case.classes), dtype=np.int64)
    weights[np.arange(len(case.labels)), case.labels] = 1
    oracle = ErrorsOracle(case.bits, weights)
    for depth in range(4):
        for inner in range(8):
            fits = [e for (d, n), e in found.items() if d <= depth and n <= inner]
            assert min(fits) == oracle.errors(inner, depth)


@pytest.fixture
def table(tmp_path: Path) -> Path:
    random = np.random.default_rng(3)
    frame = pandas.DataFrame(
        {
            "a": random.normal(size=150).round(1),
            "b": random.choice(["red", "green", "blue"], 150),
            "c": np.where(random.random(150) < 0.2, np.nan, random.integers(0, 5, 150)),
        }
    )
    noise = random.random(150) < 0.1
    frame["class"] = np.where((frame["a"] > 0) ^ (frame["b"] == "red") ^ noise, "yes", "no")
    folder = tmp_path / "parts"
    folder.mkdir()
    for number, rows in enumerate(np.array_split(np.arange(150), 2)):
        frame.iloc[rows].to_csv(folder / f"{number}.csv", index=False)
    return folder


def certified(table: Path, **options: Any) -> dict[str, Any]:
    asked = {"max_depth": 3, "max_thresholds": 6, "missing": "value", **options}
    certificate = find_tree(table, certify=True, **asked).certificate
    assert certificate is not None
    assert certificate.kind == "counts"
    data: dict[str, Any] = json.loads(gzip.decompress(certificate.data))
    return data


def verdict(data: dict[str, Any], table: Path) -> str:
    paths = sorted(map(str, table.iterdir()))
    return check(data, lambda claim: check_counts.text_rows(paths, claim))


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"max_depth": 2},
        {"max_depth": None, "max_nodes": 7},
        {"minimise": "depth"},
        {"missing": "drop"},
    ],
    ids=str,
)
def test_what_a_run_proves_is_verified(options: dict[str, Any], table: Path) -> None:
    assert verdict(certified(table, **options), table).startswith("VERIFIED: ")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda d: d["claim"].update(errors=d["claim"]["errors"] - 1), "the tree makes"),
        (lambda d: d["claim"].update(rows=149), "the table has 150 rows, not 149"),
        (lambda d: d.update(tree=0), "the tree makes"),
        (lambda d: d["claim"].update(max_depth=4), "do not decide such large trees"),
        (lambda d: d["claim"].update(max_depth=1), "the tree is too large"),
        (lambda d: d["classes"].pop("no"), "the class 'no' is not in the certificate"),
        (lambda d: d["columns"][1]["words"].pop("red"), "'red' in column 'b' is not in"),
        (lambda d: d["columns"][0]["cuts"].reverse(), "are in disorder"),
        (lambda d: d["columns"][1].update(questions=4), "impossible questions"),
        (lambda d: d["columns"][0].update(name="z"), "does not have the columns"),
        (lambda d: d["columns"][2].update(missing=False), "missing value|no such question"),
        (lambda d: d.pop("claim"), "damaged"),
        (lambda d: d["claim"].update(errors="many"), "damaged"),
        (lambda d: d["columns"][0]["cuts"].append(float("nan")), "not finite"),
        (lambda d: d["columns"][1].update(levels=10**12), "too many levels"),
        (lambda d: d.update(tree=[0, 0, [99, 0, 1]]), "no such question"),
        (lambda d: d.update(tree=[0, 0]), "a node is"),
        (lambda d: d.update(format="other"), "not a certificate of counts"),
    ],
)
def test_forged_ones_are_rejected(
    change: Callable[[dict[str, Any]], Any], message: str, table: Path
) -> None:
    data = certified(table)
    change(data)
    with pytest.raises(Wrong, match=message):
        verdict(data, table)


def test_a_tree_that_is_not_the_best_is_rejected(table: Path) -> None:
    small = certified(table, max_depth=2)
    small["claim"]["max_depth"] = 3
    with pytest.raises(Wrong, match=r"a tree of .* nodes makes only"):
        verdict(small, table)


def test_a_tree_that_is_larger_than_it_needs_to_be_is_rejected(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("x,class\n" + "1,no\n2,yes\n3,yes\n" * 5)
    data = certified(tmp_path, max_depth=2)
    assert (data["tree"], data["claim"]["errors"]) == ([0, 1, 0], 0)
    data["tree"] = [0, [1, 1, 1], 0]
    with pytest.raises(Wrong, match="a tree of 3 nodes makes only 0 errors"):
        verdict(data, tmp_path)


def test_another_table_is_rejected(table: Path) -> None:
    data = certified(table)
    text = (table / "0.csv").read_text().splitlines()
    flip = {"yes": "no", "no": "yes"}
    lines = [f"{line.rpartition(',')[0]},{flip[line.rpartition(',')[2]]}" for line in text[1:]]
    (table / "0.csv").write_text("\n".join([text[0], *lines]) + "\n")
    with pytest.raises(Wrong):
        verdict(data, table)


def test_the_command_line(table: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    parts = map(pandas.read_csv, sorted(table.glob("*.csv")))
    frame = pandas.concat(parts, ignore_index=True)
    (tmp_path / "pq").mkdir()
    frame.to_parquet(tmp_path / "pq" / "all.parquet")
    place = str(tmp_path / "c")
    ask = ["--max-depth", "2", "--max-thresholds", "5", "--missing", "value"]
    for source in (table, tmp_path / "pq"):
        assert run(["fit", str(source), *ask, "--certificate", place, "--quiet"]) == 0
        assert run(["check", place, "--data", str(source)]) == 0
        assert capsys.readouterr().out.startswith("VERIFIED: ")
    frame.to_csv(tmp_path / "all.csv", index=False)
    assert run(["check", place, "--data", str(tmp_path / "all.csv")]) == 0
    texts = sorted(map(str, table.iterdir()))
    assert check_counts.main([place, "--data", *texts]) == 0
    assert check_counts.main([place, "--data", texts[0]]) == 1
    assert check_counts.main([place, "--data", "nosuch.csv"]) == 2
    assert check_counts.main([place]) == 2
    assert "REJECTED: the table has 75 rows, not 150" in capsys.readouterr().out


def test_only_the_fewest_errors_are_certified(table: Path) -> None:
    with pytest.raises(OptionError, match="is for the fewest errors; leave out max_errors"):
        certified(table, max_errors=10)
