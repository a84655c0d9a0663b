"""Tables of one letter per cell are read as slices, which gives what the general way gives."""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
import pytest

from dtfinder.certify import check

PLAIN = ["a,b,c\n0,1,x\n1,0,y\n", "a;b\n1;2\n", "a\tb\n1\t0", " a , b \n1,0\n", "a\n1\n2\n"]
GENERAL = [
    "a,b\n0,1\n\n1,0\n",  # a blank line
    "a,b\r\n0,1\r\n",
    'a,"b"\n0,1\n',
    "a,b\n0,?\n",
    "a,b\n0,é\n",
    "a,b\n0, \n",
    "a,b\n0,\n1,1\n",
    "a,b\n10,1\n",
    "a,b\n0;1\n",
    "a,\n0,1\n",  # a nameless column
    "1 0 1\n0 1 0\n",  # a class and features, without names
    "\na,b\n0,1\n",
]


@pytest.mark.parametrize("text", PLAIN + GENERAL)
@pytest.mark.parametrize("name", ["t.csv", "t.tsv", "t.csv.gz"])
def test_both_ways_read_the_same(
    text: str, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = str(tmp_path / name)
    data = text.encode()
    Path(path).write_bytes(gzip.compress(data) if name.endswith("gz") else data)
    if name != "t.tsv":
        assert (check.letter_columns(path, text) is not None) == (text in PLAIN)
    read = _read(path)
    monkeypatch.setattr(check, "letter_columns", lambda *_: None)
    assert read == _read(path)


def _read(path: str) -> dict[str, list[str]] | str:
    try:
        return {name: list(words) for name, words in check.read_table(path).items()}
    except check.Rejected as error:
        return str(error)
    except ValueError as error:
        return type(error).__name__


@pytest.mark.parametrize("kind", ["number", "text", "date"])
@pytest.mark.parametrize("letters", ["01", "0123456789", "aXz", "7"])
def test_a_column_of_letters_is_the_same_column(kind: str, letters: str) -> None:
    if kind == "number" and not letters.isdigit():
        return
    words = "".join(np.random.RandomState(0).choice(list(letters), size=100))
    one, other = (check.read_column("x", kind, each) for each in (words, list(words)))
    assert one.line == other.line
    assert [one.values[place] for place in one.places] == [
        other.values[place] for place in other.places
    ]
