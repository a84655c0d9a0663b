import json
from pathlib import Path

import pytest
from benchmarks.frontier import Open, Published, measure, read, text_of
from benchmarks.isolate import Limits

from benchmarks import frontier


def sample(
    name: str, cpu: float | None, lower: int, upper: int | None, part: str = "witty"
) -> Open:
    ended = "time limit" if cpu is None else "done"
    return Open(part, name, 100, 30, cpu, lower, upper, (lower - 2, upper), ended, 10**8)


ROWS = [
    sample("vote", 0.5, 39, 39, "dl85"),
    sample("yeast", None, 11, 41, "dl85"),
    sample("iris_0.2_0", 0.5, 5, 5),
    sample("bupa_0.2_0", None, 15, 20),
    sample("bupa_0.5_0", 2.0, 9, 9),
]
WITTY = {
    "iris_0.2_0": Published(50.0, 5),
    "bupa_0.2_0": Published(3600.0, None),
    "bupa_0.5_0": Published(3600.0, None),
}


def test_the_page_says_what_is_proven_and_what_is_open() -> None:
    text = text_of(ROWS, WITTY, 60.0, {"CPU": "any"})
    assert "1 of 2 are proven. Of the 1 that are not proven, the gap" in text
    assert "78% in the mean after 10 s, and 73% in the end" in text
    assert "| yeast | 100 | 30 | 11..41 | – |" in text
    assert "| 20% | 2 | 1 | 1 | 1 | 1 | 100× (1) |" in text
    assert "| 50% | 1 | 0 | 1 | 1 | 0 | 1800× (1) |" in text
    assert "| bupa_0.2_0 | 100 | 30 | 15..20 | – | 3600 | – |" in text
    assert "- CPU: any" in text


def test_sizes_that_differ_make_no_page() -> None:
    wrong = WITTY | {"iris_0.2_0": Published(50.0, 7)}
    with pytest.raises(ValueError, match=r"iris_0\.2_0: 5 nodes here, 7 published"):
        text_of(ROWS, wrong, 60.0, {})


def test_a_run_goes_on_where_its_file_ends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tables = tmp_path / "dl85"
    tables.mkdir()
    rows = [f"{a ^ b} {a} {b} {c}" for a in (0, 1) for b in (0, 1) for c in (0, 1)]
    (tables / "xor.txt").write_text("\n".join(rows) + "\n")
    monkeypatch.setattr(frontier, "shared_folder", lambda: tmp_path)
    monkeypatch.setitem(frontier.ENDINGS, "dl85", ".txt")
    file = tmp_path / "frontier.jsonl"
    (found,) = measure(["dl85"], Limits(60.0, 10**9), file)
    assert (found.name, found.examples, found.lower, found.upper) == ("xor", 8, 7, 7)
    assert found.cpu is not None
    before = file.read_text()
    assert measure(["dl85"], Limits(60.0, 10**9), file) == read(file) == [found]
    assert file.read_text() == before
    assert "limit" in json.loads(before.splitlines()[0])
