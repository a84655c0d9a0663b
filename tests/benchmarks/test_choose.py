"""The comparison of ways to choose a tree: splits are not fitted twice, and the table adds up."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import numpy as np
import pytest

from benchmarks import choose, flipped


@pytest.fixture
def data(tmp_path: Path) -> Path:
    folder = tmp_path / "tiny"
    folder.mkdir()
    rows = [f"{n % 2}\t{n % 3}\t{n % 2}" for n in range(40)]
    text = "\n".join(["a\tb\ttarget", *rows]) + "\n"
    (folder / "tiny.tsv.gz").write_bytes(gzip.compress(text.encode()))
    return tmp_path


def test_every_learner_is_judged_once_on_every_split(
    data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    learners = {name: choose.LEARNERS[name] for name in ("exact", "cv", "depth", "alpha")}
    monkeypatch.setattr(choose, "LEARNERS", learners)
    out = data / "choose.jsonl"
    arguments = ["run", "--data", str(data), "--repeats", "1", "--tables", "tiny"]
    choose.main([*arguments, "--out", str(out)])
    lines = [json.loads(line) for line in out.read_text().splitlines()]
    assert len(lines) == 20
    assert {(line["accuracy"], line["nodes"]) for line in lines} == {(1.0, 3)}
    choose.main([*arguments, "--out", str(out)])
    assert len(out.read_text().splitlines()) == 20
    table = choose.report(out, data)
    assert "| tiny | " + " | ".join(["1.000 ± 0.000, 3.0"] * 4) + " |" in table
    assert (data / "choose.png").exists()
    other = [line | {"table": "other"} for line in lines]
    other = [line | {"accuracy": 0.5 if line["learner"] == "depth" else 1.0} for line in other]
    out.write_text("".join(json.dumps(line) + "\n" for line in lines + other))
    last = choose.report(out, data).splitlines()[-1]
    cells = ["+0.000 ± 0.000", "+0.000 ± 0.000", "+0.250 ± 0.250", "+0.000 ± 0.000"]
    assert last == "| **cv is better by** | " + " | ".join(cells) + " |"


def test_a_learner_that_fails_is_a_line(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: object) -> choose.Learned:
        raise RuntimeError("no")

    monkeypatch.setattr(choose, "LEARNERS", {"fails": fails})
    out = data / "choose.jsonl"
    choose.run(data, out, 1, 1.0, ["tiny"])
    assert json.loads(out.read_text().splitlines()[0])["error"] == "RuntimeError: no"


def test_the_rule_is_found_where_nothing_is_flipped() -> None:
    found = flipped.trial(0, 0, 20.0)
    assert (found["exact"]["accuracy"], found["exact"]["nodes"]) == (1.0, 19)
    X, y = flipped.rows_of(200, np.random.default_rng(0))
    assert X.shape == (200, 15)
    assert 0.2 < y.mean() < 0.8
