"""The SQL runs in SQLite and in DuckDB."""

from __future__ import annotations

import math
import sqlite3
import struct
from collections.abc import Callable
from random import Random
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from dtfinder.data.dataset import Feature
from dtfinder.errors import DataError
from dtfinder.nodes import Node, leaf
from dtfinder.report.export.sql import _number, to_sql
from dtfinder.tree import Tree

if TYPE_CHECKING:
    from report.export.conftest import Case


def _create(case: Case) -> str:
    """The table, its column types read off the values."""
    kinds = {str: "VARCHAR", bool: "BOOLEAN", float: "DOUBLE PRECISION"}
    columns = []
    for name, column in zip(case.table.names, case.table.columns, strict=True):
        kind = next(kinds[type(v)] for v in column.tolist() if v is not None)
        columns.append('"' + name.replace('"', '""') + f'" {kind}')
    return f"CREATE TABLE data ({', '.join(columns)})"


def _predictions(connection: Any, case: Case, many: Callable[..., Any]) -> list[Any]:
    """Insert the rows, which come back in their order, and classify them."""
    connection.execute(_create(case))
    marks = ", ".join("?" * len(case.table.names))
    many(f"INSERT INTO data VALUES ({marks})", [list(row.values()) for row in case.rows()])
    query = f"SELECT {to_sql(case.tree)} AS prediction FROM data ORDER BY rowid"
    return [value for (value,) in connection.execute(query).fetchall()]


def test_agrees_with_predict_in_sqlite(case: Case) -> None:
    connection = sqlite3.connect(":memory:")
    try:
        found = _predictions(connection, case, connection.executemany)
    finally:
        connection.close()
    assert found == case.tree.predict(case.table)


def test_agrees_with_predict_in_duckdb(case: Case) -> None:
    duckdb = pytest.importorskip("duckdb")
    if "" in case.table.names:
        pytest.skip("DuckDB has no columns without a name")
    with duckdb.connect() as connection:
        found = _predictions(connection, case, connection.executemany)
    assert found == case.tree.predict(case.table)


@settings(max_examples=300, deadline=None)
@given(st.floats(allow_nan=False, allow_infinity=False))
@example(0.35)
@example(5e-324)
@example(1.7976931348623157e308)
@example(-123456789.12345679)
def test_numbers_are_exact_in_sqlite(value: float) -> None:
    with sqlite3.connect(":memory:") as connection:
        (found,) = connection.execute(f"SELECT CAST({_number(value)} AS REAL)").fetchone()
    connection.close()
    assert found == value


def test_numbers_are_exact_in_duckdb() -> None:
    duckdb = pytest.importorskip("duckdb")
    random = Random(0)
    values = [struct.unpack("d", random.randbytes(8))[0] for _ in range(400)]
    values = [v for v in values if math.isfinite(v)] + [random.random() for _ in range(400)]
    values += [round(random.random() * 1000, 3) for _ in range(200)]
    with duckdb.connect() as connection:
        parts = ", ".join(f"CAST({_number(value)} AS DOUBLE)" for value in values)
        assert list(connection.execute(f"SELECT {parts}").fetchone()) == values


def test_numbers_that_are_short_stay_readable() -> None:
    assert [_number(x) for x in (41.5, 0.35, -7.0, 1e-5)] == ["41.5", "0.35", "-7", "1e-05"]


def test_refuses_a_text_that_sql_cannot_hold() -> None:
    features = (Feature("a\0b", "<=", 1.0),)
    tree = Tree((Node(0, 1, 2, -1), leaf(0), leaf(1)), features, (0, 1), ((1, 1),) * 3)
    with pytest.raises(DataError, match="NUL"):
        to_sql(tree)


@pytest.mark.parametrize("missing", [False, True])
def test_a_test_that_is_not_so_is_said_in_every_dialect(missing: bool) -> None:
    value = (None, "C") if missing else "C"
    features = (Feature("grade", "in" if missing else "=", value),)
    tree = Tree(
        (Node(0, 1, 2, -1), leaf(0), Node(0, 3, 4, -1), leaf(0), leaf(1)), features, (0, 1), ()
    )
    text = to_sql(tree)
    assert ('OR "grade" IS NULL THEN' in text) is not missing
    assert "IS NOT TRUE" not in text
    with sqlite3.connect(":memory:") as connection:
        query = (
            f"SELECT {text} FROM (SELECT 'C' AS grade UNION ALL SELECT 'D' UNION ALL SELECT NULL)"
        )
        found = [value for (value,) in connection.execute(query).fetchall()]
    connection.close()
    assert found == [1, 0, int(missing)]
