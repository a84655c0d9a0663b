"""Files of text, good ones and all the bad ones a user may come with."""

from __future__ import annotations

import gzip
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dtfinder import find_tree
from dtfinder.certify.check import check
from dtfinder.data import Table, read_table
from dtfinder.errors import DataError


@pytest.fixture
def write(tmp_path: Path) -> Callable[..., Path]:
    def write_file(name: str, content: str | bytes) -> Path:
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return write_file


def message(source: object, **options: object) -> str:
    """What reading `source` says is wrong: one line, for people."""
    with pytest.raises(DataError) as caught:
        read_table(source, **options)  # type: ignore[arg-type]
    text = str(caught.value)
    assert "\n" not in text
    return text


def content(table: Table) -> dict[str, list[object]]:
    return {name: table.column(name).tolist() for name in table.names}


def test_csv_with_all_types(write: Callable[..., Path]) -> None:
    table = read_table(
        write("t.csv", "age,colour,member,play\n41,red,true,yes\n 2.5,blue,False,no\n")
    )
    assert content(table) == {
        "age": [41.0, 2.5],
        "colour": ["red", "blue"],
        "member": [True, False],
    }
    assert table.column("age").dtype == np.float64
    assert table.target is not None
    assert (table.target.tolist(), table.target_name) == (["yes", "no"], "play")


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("t.csv", "a,b,c\n1,x,0\n2,y,1\n"),
        ("t.csv", "a;b;c\n1;x;0\n2;y;1\n"),
        ("t.csv", "\n\na,b,c\r\n1,x,0\r\n\r\n2,y,1"),
        ("t.csv", "\ufeffa,b,c\n1,x,0\n2,y,1\n"),
        ("t.csv", 'a, b, "c"\n1, "x", 0\n2, y, 1\n'),
        ("t.tsv", "a\tb\tc\n1\tx\t0\n2\ty\t1\n"),
        ("t.tab", "a\tb\tc\n1\tx\t0\n2\ty\t1\n"),
        ("t.txt", "a|b|c\n1|x|0\n2|y|1\n"),
    ],
)
def test_separators_line_ends_and_marks(write: Callable[..., Path], name: str, text: str) -> None:
    for path in (write(name, text), write(name + ".gz", gzip.compress(text.encode()))):
        table = read_table(path)
        assert content(table) == {"a": [1.0, 2.0], "b": ["x", "y"]}
        assert table.target is not None
        assert table.target.tolist() == [0, 1]
        assert table.target_name == "c"


def test_a_tab_in_a_csv_header_does_not_make_it_one_column(write: Callable[..., Path]) -> None:
    assert read_table(write("t.tsv", "a,x\tb\n1\t2\n3\t4\n")).names == ("a,x",)


@pytest.mark.parametrize("word", ["", "?", "NA", "NaN", "nan", "null", "None", "  "])
def test_missing_words(write: Callable[..., Path], word: str) -> None:
    table = read_table(write("t.csv", f"n,s,y\n1,red,0\n{word},{word},1\n"))
    assert np.isnan(table.column("n")).tolist() == [False, True]
    assert table.column("s").tolist() == ["red", None]


def test_words_that_are_nearly_numbers_stay_words(write: Callable[..., Path]) -> None:
    table = read_table(write("t.csv", "a,b,y\n1_000,0x10,0\n2,3,1\n"))
    assert content(table) == {"a": ["1_000", "2"], "b": ["0x10", "3"]}


def test_blanks_around_words_do_not_matter(write: Callable[..., Path]) -> None:
    table = read_table(write("t.csv", "a,m,y\nx ,true ,0 \nx,true,0\n y ,false,1\n"))
    assert content(table) == {"a": ["x", "x", "y"], "m": [True, True, False]}
    assert table.target is not None
    assert table.target.tolist() == [0, 0, 1]


@pytest.mark.parametrize(
    ("words", "labels"),
    [
        (["0", "1"], [0, 1]),
        (["-1", "1"], [-1, 1]),
        (["1.0", "2.0"], [1.0, 2.0]),
        (["True", "False"], [True, False]),
        (["01", "1"], ["01", "1"]),
        (["1", "one"], ["1", "one"]),
        (["99999999999999999999", "1"], [99999999999999999999, 1]),
    ],
)
def test_labels_have_the_type_of_their_words(
    write: Callable[..., Path], words: list[str], labels: list[object]
) -> None:
    table = read_table(write("t.csv", "x,y\n" + "".join(f"3,{word}\n" for word in words)))
    assert table.target is not None
    found = table.target.tolist()
    assert found == labels
    assert list(map(type, found)) == list(map(type, labels))


@pytest.mark.parametrize("text", ["1 0 1\n0 1 1\n", "1,0,1\n0,1,1\n", " 1\t0  1 \n\n0 1 1"])
def test_rows_of_0_and_1_have_the_class_first(write: Callable[..., Path], text: str) -> None:
    table = read_table(write("t.csv", text))
    assert content(table) == {"x0": [0.0, 1.0], "x1": [1.0, 1.0]}
    assert table.target is not None
    assert (table.target.tolist(), table.target_name) == ([1, 0], "class")


def test_rows_of_0_and_1_may_have_more_classes(write: Callable[..., Path]) -> None:
    table = read_table(write("t.txt", "2 0 1\n0 1 1\n1 0 0\n"))
    assert table.target is not None
    assert table.target.tolist() == [2, 0, 1]


def test_a_target_elsewhere_in_rows_of_0_and_1(write: Callable[..., Path]) -> None:
    table = read_table(write("t.txt", "1 0 1\n0 1 1\n"), target="x1")
    assert table.names == ("class", "x0")


def test_text_that_looks_like_numbers_can_stay_text(write: Callable[..., Path]) -> None:
    path = write("t.csv", "zip,y\n01234,a\n?,b\n")
    assert read_table(path).column("zip").tolist()[0] == 1234.0
    assert read_table(path, text={"zip"}).column("zip").tolist() == ["01234", None]


def test_a_pipe_can_be_read(write: Callable[..., Path]) -> None:
    code = "from dtfinder.data import read_table; assert read_table('/dev/stdin').names == ('a',)"
    if not os.path.exists("/dev/stdin"):
        pytest.skip("this system has no /dev/stdin")
    for data in (b"a,b\n1,2\n3,4\n", gzip.compress(b"a,b\n1,2\n3,4\n")):
        subprocess.run([sys.executable, "-c", code], input=data, check=True, timeout=60)


def test_large_tables_are_read_in_blocks(
    write: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("dtfinder.data.text._CELLS_AT_ONCE", 7)
    rows = [(number % 5, "abc"[number % 3], number % 2) for number in range(50)]
    table = read_table(write("t.csv", "n,s,y\n" + "".join(f"{n},{s},{y}\n" for n, s, y in rows)))
    assert table.column("n").tolist() == [n for n, _, _ in rows]
    assert table.column("s").tolist() == [s for _, s, _ in rows]
    assert table.target is not None
    assert table.target.tolist() == [y for _, _, y in rows]


# Bad input: each message names what is wrong, and what to do.


@pytest.mark.parametrize("text", ["", "\n\n", "  \r\n", "\ufeff"])
def test_empty_file(write: Callable[..., Path], text: str) -> None:
    assert "t.csv' is empty; a table needs a line of names" in message(write("t.csv", text))


def test_header_only(write: Callable[..., Path]) -> None:
    assert "has names but no rows; add some" in message(write("t.csv", "a,b,c\n"))


def test_one_column(write: Callable[..., Path]) -> None:
    found = message(write("t.csv", "a\n1\n2\n"))
    assert "only the column 'a'" in found
    assert "check the separators" in found


def test_no_such_target(write: Callable[..., Path]) -> None:
    path = write("t.csv", "age,colour,play\n1,2,3\n4,5,6\n")
    found = message(path, target="colours")
    assert found == "the table has no column 'colours' to be the target; did you mean 'colour'?"
    assert "it has age, colour, play" in message(path, target="zzz")


def test_ragged_rows(write: Callable[..., Path]) -> None:
    path = write("t.csv", "\na,b,c\n1,2,3\n\n1,2\n")
    found = message(path)
    assert f"line 5 of {str(path)!r} has 2 values where the first line has 3" in found
    assert "make the lines equally long" in found
    assert "line 2 of" in message(write("t.txt", "0 1 1\n0 1\n"))


def test_other_values_below_rows_of_0_and_1(write: Callable[..., Path]) -> None:
    found = message(write("t.csv", "0,1,1\n0,1,7\n"))
    assert "line 2" in found
    assert "first line of names" in found


def test_two_columns_of_one_name(write: Callable[..., Path]) -> None:
    assert "2 columns are called 'a'; give every column its own name" in message(
        write("t.csv", "a,b,a\n1,2,3\n")
    )


def test_numbers_where_names_should_be(write: Callable[..., Path]) -> None:
    found = message(write("t.csv", "5.1,3.5,setosa\n4.9,3.0,setosa\n"))
    assert "number 5.1 where the name of column 1 should be; put a line of names" in found


def test_not_utf8(write: Callable[..., Path]) -> None:
    found = message(write("t.csv", "a,b\nstra\xdfe,1\n".encode("latin-1")))
    assert "is not text: byte 0xdf is not valid UTF-8; save it as UTF-8" in found


@pytest.mark.parametrize("name", ["t.csv", "t.bin"])
def test_binary_junk(write: Callable[..., Path], name: str) -> None:
    junk = np.random.default_rng(0).bytes(10_000)
    assert "is not text" in message(write(name, junk))
    assert "is not text: it has NUL bytes" in message(write(name, b"a,b\n\0\0\0\n"))
    workbook = message(write(name, b"PK\3\4\0\0\0"))
    assert "is not text: an Excel workbook or another archive; save its sheet as CSV" in workbook


def test_broken_gzip(write: Callable[..., Path]) -> None:
    packed = gzip.compress(b"a,b\n" + b"1,2\n" * 10_000)
    assert "cannot be unpacked" in message(write("t.csv.gz", packed[: len(packed) // 2]))
    assert "cannot be unpacked" in message(write("t.csv.gz", b"\x1f\x8bjunk"))


def test_an_open_quote(write: Callable[..., Path]) -> None:
    found = message(write("t.csv", 'a,b\n"1,2\n' + "3,4\n" * 100_000))
    assert "check its quotes" in found


def test_a_header_of_a_million_columns(write: Callable[..., Path]) -> None:
    header = ",".join(f"c{number}" for number in range(1_000_000))
    row = ",".join(["1"] * 1_000_000)
    path = write("t.csv", f"{header}\n{row}\n{row}\n")
    begin = time.process_time()
    found = message(path)
    assert time.process_time() - begin < 3
    assert "has 1000000 columns, but at most 100000 are supported; keep the columns" in found
    assert "has 1000000 columns" in message(write("u.txt", row))


def test_many_columns_are_read_in_time(write: Callable[..., Path]) -> None:
    names = [*(f"c{number}" for number in range(20_000)), "c19999"]
    path = write("t.csv", ",".join(names) + "\n" + ",".join(["1"] * len(names)) + "\n")
    begin = time.process_time()
    assert "2 columns are called 'c19999'" in message(path)
    assert time.process_time() - begin < 3


def test_a_name_without_end(write: Callable[..., Path]) -> None:
    found = message(write("t.csv", "x" * 5000 + ",y\n1,2\n"))
    assert "a column has a name of 5000 characters, 'xxx" in found
    assert "check the separators and quotes" in found
    assert len(found) < 250


def test_numbers_without_end(write: Callable[..., Path]) -> None:
    table = read_table(write("t.csv", "x,y\n" + "9" * 5000 + ",0\n1,1\n"))
    assert np.isinf(table.column("x")).tolist() == [True, False]
    assert "has the value inf" in message(write("u.csv", "x,y\n1,2\n1," + "9" * 5000 + "\n"))


SNIPPETS = (
    *(b"a", b"1", b"0", b"2.5", b",", b",", b"\n", b"\n", b" ", b"\t", b";", b'"', b"?", b"NA"),
    *(b"inf", b"nan", b"1e400", b"-", b"true", b"False", b"\r", b"\xff", b"\0", b"|", b"_"),
    *(b"9" * 20, b"target", b"class", b"\x1f\x8b", "\ufeff".encode(), "٣".encode()),
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.sampled_from(SNIPPETS), max_size=40).map(b"".join), st.booleans())
def test_any_bytes_are_a_table_or_an_error(
    write: Callable[..., Path], data: bytes, packed: bool
) -> None:
    path = write("t.csv", gzip.compress(data) if packed else data)
    try:
        table = read_table(path)
    except DataError as error:
        told = str(error)
    else:
        told = f"a table of {table.rows} rows"
        assert all(len(column) == table.rows > 0 for column in table.columns)
    assert "\n" not in told
    assert len(told) < 400


def test_no_such_file(tmp_path: Path) -> None:
    found = message(str(tmp_path / "absent.csv"))
    assert "there is no file" in found
    assert "`dtfinder datasets` lists them" in found


def test_close_names_are_suggested() -> None:
    assert "did you mean monk1, monk2, monk3?" in message("monk")
    assert "did you mean threeOf9?" in message("threeof9")


@pytest.mark.parametrize("name", ["", "x" * 5000, "a\0b", "a,b\n1,2\n"])
def test_what_is_no_path_at_all(name: str) -> None:
    found = message(name)
    assert "there is no file" in found
    assert len(found) < 250


def test_a_directory(tmp_path: Path) -> None:
    assert "is a directory; give a file" in message(tmp_path)


def test_a_file_that_may_not_be_read(
    write: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write("t.csv", "a,b\n1,2\n")

    def refuse(*_args: object, **_options: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "open", refuse)
    assert f"cannot read {str(path)!r}: Permission denied; check" in message(path)


def test_a_file_wins_over_an_embedded_name(
    write: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write("mux6", "a,b\n1,2\n3,4\n")
    monkeypatch.chdir(path.parent)
    assert read_table("mux6").names == ("a",)
    path.unlink()
    path.mkdir()
    assert read_table("mux6").rows == 64


@pytest.mark.parametrize(("words", "first"), [("1,\n1,\n2,a\n", 1), ("1,a\n2,?\n3,None\n", 2)])
def test_rows_without_a_class(write: Callable[..., Path], words: str, first: int) -> None:
    found = message(write("t.csv", "x,y\n" + words))
    assert "class column 'y' has no value (or `?`, NA, null, None) in 2 of 3 rows" in found
    assert f"first in row {first}; remove" in found


@pytest.mark.parametrize("word", ["2.5", "1e-3", "inf"])
def test_measurements_are_no_classes(write: Callable[..., Path], word: str) -> None:
    found = message(write("t.csv", f"x,y\n1,7\n2,{word}\n"))
    assert f"class column 'y' has the value {float(word)}" in found
    assert "name another column with target" in found


def test_whole_numbers_that_floats_confuse(write: Callable[..., Path]) -> None:
    found = message(write("t.csv", "id,y\n9007199254740993,0\n9007199254740992,1\n"))
    assert "'id' has 9007199254740992 and 9007199254740993, which are equal as" in found
    assert read_table(write("u.csv", "id,y\n9007199254740993,0\n7,1\n")).rows == 2


def test_a_decimal_comma(tmp_path: Path) -> None:
    lines = ["price;size;class", "19,99;1.234,5;a", "5;-1.000;b", ";12;b", "7,5;,5;a"]
    path = tmp_path / "t.csv"
    path.write_text("\n".join(lines) + "\n")
    table = read_table(path, decimal=",")
    assert np.array_equal(table.column("price"), [19.99, 5, np.nan, 7.5], equal_nan=True)
    assert table.column("size").tolist() == [1234.5, -1000, 12, 0.5]
    assert read_table(path).column("price").tolist() == ["19,99", "5", None, "7,5"]
    path.write_text("\n".join([*lines, "1.5;1;a"]) + "\n")
    assert read_table(path, decimal=",").kind("price") == "text"


def test_a_tree_of_a_file_with_decimal_commas(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text(
        "price;class\n" + "".join(f"{n},5;{'a' if n < 6 else 'b'}\n" for n in range(12))
    )
    result = find_tree(path, decimal=",", certify=True)
    assert [feature.name for feature in result.tree.features] == ["price <= 6"]
    assert result.certificate is not None
    result.certificate.save(tmp_path / "c")
    assert "VERIFIED" in check(str(tmp_path / "c"), str(path))
