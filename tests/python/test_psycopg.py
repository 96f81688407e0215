"""`tpq serve --postgres`, by psycopg."""

from __future__ import annotations

import pytest

psycopg = pytest.importorskip("psycopg")
from psycopg import errors  # noqa: E402

#: The first two slices of the trace: begin, duration, name.
SLICES = [(1000, 1000, "Load page"), (1050, 300, "fetch")]


@pytest.fixture
def connection(wires):
    with psycopg.connect(wires.postgres) as connection:
        yield connection


def raises(kind, connection, sql):
    with pytest.raises(kind) as raised:
        connection.execute(sql)
    connection.rollback()
    return raised.value


@pytest.mark.parametrize("as_binary", [False, True])
def test_values_have_their_types(connection, as_binary):
    with connection.cursor(binary=as_binary) as cursor:
        cursor.execute(
            "SELECT 1 AS one, 0.5, 'ä', x'00ff', NULL, 9223372036854775807, 5000000000"
        )
        assert cursor.fetchone() == (1, 0.5, "ä", b"\x00\xff", None, 2**63 - 1, 5 * 10**9)
        assert cursor.description[0].name == "one"


def test_slices_are_rows(connection):
    rows = connection.execute("SELECT ts, dur, name FROM slice ORDER BY ts, id LIMIT 2").fetchall()
    assert rows == SLICES


def test_parameters_are_values(connection):
    sql = "SELECT name FROM slice WHERE dur = %s AND name <> %s"
    (_, dur, name) = SLICES[0]
    # After five times psycopg prepares a statement.
    for _ in range(8):
        assert connection.execute(sql, (dur, "it's")).fetchall() == [(name,)]
        assert connection.execute(sql, (dur, name)).fetchall() == []
    row = connection.execute(
        "SELECT %s + 1, %s, %s IS NULL, %t, %b + 1", (2**40, 1.5, None, "it's", 41)
    ).fetchone()
    assert row == (2**40 + 1, 1.5, 1, "it's", 42)


def test_errors_have_their_class(connection):
    error = raises(errors.UndefinedColumn, connection, "SELECT nmae FROM slice")
    assert error.diag.message_hint == "did you mean `name`?"
    raises(errors.UndefinedTable, connection, "SELECT * FROM nothing")
    raises(errors.ReadOnlySqlTransaction, connection, "CREATE TABLE a AS SELECT 1")
    raises(errors.ReadOnlySqlTransaction, connection, "DROP TABLE slice")
    with pytest.raises(errors.UndefinedColumn):
        connection.execute("SELECT nothing")
    with pytest.raises(errors.InFailedSqlTransaction):
        connection.execute("SELECT 1")
    connection.rollback()
    assert connection.execute("SELECT 1").fetchone() == (1,)


def test_rows_are_streamed(connection):
    with connection.cursor() as cursor:
        rows = cursor.stream("SELECT x FROM generate_series(1, 50000) AS a(x)")
        assert sum(value for (value,) in rows) == 50000 * 50001 // 2


def test_a_cursor_of_the_server_is_read_in_parts(connection):
    with connection.cursor(name="C 1") as cursor:
        cursor.itersize = 1000
        cursor.execute("SELECT x FROM generate_series(%s, 5000) AS a(x)", (1,))
        assert [column.name for column in cursor.description] == ["x"]
        assert cursor.fetchmany(2) == [(1,), (2,)]
        assert sum(value for (value,) in cursor) == 5000 * 5001 // 2 - 3


def test_statements_are_sent_together(connection):
    with connection.pipeline():
        first = connection.execute("SELECT 1")
        second = connection.execute("SELECT 2")
        assert (first.fetchone(), second.fetchone()) == ((1,), (2,))


def test_a_query_is_cancelled(connection):
    import threading

    timer = threading.Timer(0.5, connection.cancel)
    timer.start()
    endless = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT max(x) FROM n"
    raises(errors.QueryCanceled, connection, endless)
    assert connection.execute("SELECT 1").fetchone() == (1,)


def test_a_wrong_password_is_refused(wires):
    with pytest.raises(psycopg.OperationalError, match="the password is not the token"):
        psycopg.connect(wires.postgres, password="wrong-wrong")
