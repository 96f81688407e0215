"""`tpq serve --flight-sql`, by ADBC."""

from __future__ import annotations

import pytest

flight_sql = pytest.importorskip("adbc_driver_flightsql.dbapi")
pyarrow = pytest.importorskip("pyarrow")
from adbc_driver_flightsql import DatabaseOptions  # noqa: E402

#: The first two slices of the trace: begin, duration, name.
SLICES = [(1000, 1000, "Load page"), (1050, 300, "fetch")]


def connect(wires, token):
    header = DatabaseOptions.AUTHORIZATION_HEADER.value
    return flight_sql.connect(wires.flight_sql, db_kwargs={header: f"Bearer {token}"})


@pytest.fixture
def cursor(wires):
    with connect(wires, wires.token) as connection, connection.cursor() as cursor:
        yield cursor


def test_rows_are_arrow_data(cursor):
    cursor.execute("SELECT 1 AS a, 0.5 AS b, 'ä' AS c, x'00ff' AS d UNION ALL"
                   " SELECT NULL, NULL, NULL, NULL")
    table = cursor.fetch_arrow_table()
    types = [pyarrow.int64(), pyarrow.float64(), pyarrow.string(), pyarrow.binary()]
    assert table.schema.types == types
    assert table.to_pydict() == {
        "a": [1, None], "b": [0.5, None], "c": ["ä", None], "d": [b"\x00\xff", None],
    }


def test_slices_are_rows(cursor):
    cursor.execute("SELECT ts, dur, name FROM slice ORDER BY ts, id LIMIT 2")
    assert cursor.fetchall() == SLICES


def test_parameters_are_values(cursor):
    sql = "SELECT $1 + 1, $2, $3 IS NULL"
    cursor.execute(sql, parameters=(41, "it's", None))
    assert cursor.fetchall() == [(42, "it's", 1)]
    cursor.execute(sql, parameters=(-1, "", None))
    assert cursor.fetchall() == [(0, "", 1)]


def test_rows_are_streamed(cursor):
    cursor.execute("SELECT x FROM generate_series(1, 100000) AS a(x)")
    batches = [batch.num_rows for batch in cursor.fetch_record_batch()]
    assert len(batches) > 1 and sum(batches) == 100000


@pytest.mark.parametrize("sql, part", [
    ("SELECT nmae FROM slice", "did you mean `name`?"),
    ("CREATE TABLE a AS SELECT 1", "only reads"),
    ("SELECT * FROM read_csv('a.csv')", "may not read files"),
])
def test_errors_say_what_is_wrong(cursor, sql, part):
    with pytest.raises(flight_sql.Error, match=part.replace("?", r"\?")):
        cursor.execute(sql)
        cursor.fetchall()


def test_tables_are_described(cursor):
    connection = cursor.connection
    objects = connection.adbc_get_objects(depth="columns", table_name_filter="trace_bounds")
    (catalog,) = objects.read_all().to_pylist()
    assert catalog["catalog_name"] == "tpq"
    (schema,) = catalog["catalog_db_schemas"]
    (table,) = schema["db_schema_tables"]
    columns = [column["column_name"] for column in table["table_columns"]]
    assert columns == ["start_ts", "end_ts"]
    assert connection.adbc_get_table_schema("trace_bounds").names == columns
    assert connection.adbc_get_info()["vendor_name"] == "tpq"


def test_the_password_of_any_user_is_the_token(wires):
    options = {"username": "me", "password": wires.token}
    with flight_sql.connect(wires.flight_sql, db_kwargs=options) as connection:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
            assert cursor.fetchone() == (1,)


def test_a_wrong_token_is_refused(wires):
    with pytest.raises(flight_sql.Error, match="token"):
        with connect(wires, "wrong-wrong") as connection, connection.cursor() as cursor:
            cursor.execute("SELECT 1")
            cursor.fetchone()
