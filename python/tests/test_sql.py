"""Statements: values, types, parameters, scripts, errors."""

from __future__ import annotations

import copy
import pickle

import pytest

import tpq


def test_rows_are_named_tuples(track_events):
    result = track_events.sql("SELECT ts, dur, name FROM slice WHERE dur > 150 ORDER BY ts")
    rows = list(result)
    assert rows == [
        (1000, 1000, "Load page"),
        (1050, 300, "fetch"),
        (1100, 300, "Parse"),
        (1700, 200, "Handle"),
    ]
    assert (rows[0].ts, rows[0].name) == (1000, "Load page")
    assert result.columns == ["ts", "dur", "name"]
    assert result.types == ["Int64", "Int64", "Utf8View"]
    assert result.rows() == rows
    assert len(result) == 4


def test_rows_as_dicts(track_events):
    rows = track_events.sql("SELECT name, dur FROM slice ORDER BY dur DESC LIMIT 2").dicts()
    assert list(rows) == [{"name": "Load page", "dur": 1000}, {"name": "fetch", "dur": 300}]


def test_values_have_the_types_of_python(track_events):
    row = track_events.sql(
        "SELECT 1 AS i, 9223372036854775807 AS most, 0.5 AS f, 'é' AS s, x'00ff' AS b, NULL AS n"
    ).rows()[0]
    assert row == (1, 2**63 - 1, 0.5, "é", b"\x00\xff", None)
    assert [type(value) for value in row] == [int, int, float, str, bytes, type(None)]


def test_names_of_columns_may_repeat_or_be_no_identifiers(track_events):
    result = track_events.sql("SELECT 1 AS a, 2 AS a, 3 AS \"b c\", 4 AS class")
    assert result.columns == ["a", "a", "b c", "class"]
    row = result.rows()[0]
    assert row == (1, 2, 3, 4)
    assert row._fields == ("a", "_1", "_2", "_3")


def test_scalar_wants_one_value(track_events):
    assert track_events.sql("SELECT count(*) FROM slice").scalar() == 8
    for statement in ("SELECT 1, 2", "SELECT name FROM slice", "SELECT 1 WHERE 0"):
        with pytest.raises(ValueError):
            track_events.sql(statement).scalar()


def test_parameters_are_values(track_events):
    sql = "SELECT $value AS value"
    for value in (None, 5, -(2**63), 2.5, "it's; DROP TABLE slice --", "", "5"):
        assert track_events.sql(sql, value=value).scalar() == value
    assert track_events.sql(sql, value=True).scalar() == 1
    found = track_events.sql("SELECT name FROM slice WHERE dur = :dur AND name > $least",
                             dur=300, least="a")
    assert found.scalar() == "fetch"
    # Names like those of the arguments are free.
    assert track_events.sql("SELECT $sql + $self", sql=1, self=2).scalar() == 3


def test_parameters_end_with_their_statement(track_events):
    assert track_events.sql("SELECT $a", a=1).scalar() == 1
    with pytest.raises(tpq.SqlError):
        track_events.sql("SELECT $a").scalar()
    # A wrong statement leaves none behind.
    with pytest.raises(tpq.SqlError):
        track_events.sql("SELECT $a FROM nowhere", a=1)
    with pytest.raises(tpq.SqlError):
        track_events.sql("SELECT $a").scalar()


def test_a_result_that_is_read_again_keeps_its_parameters(track_events):
    result = track_events.sql("SELECT value FROM generate_series(1, $n)", n=100_000)
    assert len(result) == 100_000
    assert sum(row.value for row in result) == 5_000_050_000


def test_parameters_of_other_types_are_errors(track_events):
    with pytest.raises(TypeError, match="parameter a .*list"):
        track_events.sql("SELECT $a", a=[1])
    with pytest.raises(OverflowError, match="parameter a"):
        track_events.sql("SELECT $a", a=2**63)


def test_numpy_numbers_are_parameters(track_events):
    numpy = pytest.importorskip("numpy")
    assert track_events.sql("SELECT $a", a=numpy.int64(2**62)).scalar() == 2**62
    assert track_events.sql("SELECT $a", a=numpy.float32(0.5)).scalar() == 0.5


def test_a_script_gives_the_rows_of_its_last_statement(track_events):
    assert track_events.sql(
        "CREATE PERFETTO TABLE long_slice AS SELECT * FROM slice WHERE dur >= $dur;"
        "SELECT count(*) FROM long_slice;",
        dur=300,
    ).scalar() == 3
    # What a statement creates stays.
    assert track_events.sql("SELECT count(*) FROM long_slice").scalar() == 3
    assert "long_slice" in track_events.tables()


def test_a_statement_without_rows_gives_an_empty_result(track_events):
    result = track_events.sql("CREATE PERFETTO VIEW v AS SELECT 1 AS one")
    assert result.columns == [] and len(result) == 0 and result.rows() == []
    with pytest.raises(tpq.SqlError, match="found several"):
        track_events.sql("SELECT 1; SELECT 2")
    for nothing in ("", "  -- nothing\n;"):
        with pytest.raises(tpq.SqlError, match="found none"):
            track_events.sql(nothing)


def test_a_file_of_statements_is_run(track_events, tmp_path):
    path = tmp_path / "report.sql"
    path.write_text("-- é\nSELECT name FROM slice WHERE dur = $dur;\n", encoding="utf-8")
    assert track_events.query_file(path, dur=100).scalar() == "Post"
    with pytest.raises(OSError):
        track_events.query_file(tmp_path / "none.sql")


def test_an_error_names_the_place_and_a_suggestion(track_events):
    with pytest.raises(tpq.SqlError) as caught:
        track_events.sql("SELECT *\nFROM slices2")
    error = caught.value
    assert error.kind == "unknown_table"
    assert error.message == "no table or view is called `slices2`"
    assert (error.line, error.column, error.width, error.module) == (2, 6, 7, None)
    assert str(error) == error.report
    assert "^^^^^^^" in error.report and "did you mean `slices`?" in error.report
    for same in (copy.copy(error), pickle.loads(pickle.dumps(error))):
        assert (same.message, same.line, str(same)) == (error.message, 2, str(error))
    assert issubclass(tpq.SqlError, tpq.Error)


def test_kinds_of_errors(track_events):
    for statement, kind in (
        ("SELEC 1", "syntax"),
        ("SELECT nothing FROM slice", "unknown_column"),
        ("SELECT nothing(1)", "unknown_function"),
    ):
        with pytest.raises(tpq.SqlError) as caught:
            track_events.sql(statement)
        assert caught.value.kind == kind, statement


def test_a_statement_may_fail_while_it_is_read(track_events):
    result = track_events.sql(
        "SELECT CASE WHEN value = 90000 THEN abs(-9223372036854775807 - 1) ELSE value END AS v"
        " FROM generate_series(1, 100000)"
    )
    with pytest.raises(tpq.SqlError) as caught:
        result.rows()
    assert caught.value.kind == "execution"


def test_results_without_rows_keep_their_columns(track_events):
    result = track_events.sql("SELECT name, dur FROM slice WHERE 0")
    assert result.columns == ["name", "dur"]
    assert result.rows() == [] and len(result) == 0
    assert bool(result)
    assert repr(result) == "<tpq.Result name, dur, 0 rows>"
