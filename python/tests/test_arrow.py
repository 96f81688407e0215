"""Results as Arrow data: streams, schemas, and that nothing is copied."""

from __future__ import annotations

import pytest

import tpq

pa = pytest.importorskip("pyarrow")

#: More rows than are kept after a reading.
MANY = "SELECT value, value * 0.5 AS half FROM generate_series(1, 200000)"


def addresses(array):
    """The addresses of the buffers of an array."""
    return [buffer.address for buffer in array.buffers() if buffer is not None]


def test_a_result_is_a_table(track_events):
    table = track_events.sql("SELECT ts, name, arg_set_id FROM slice ORDER BY ts").to_arrow()
    assert table.schema.names == ["ts", "name", "arg_set_id"]
    assert table.schema.field("ts").type == pa.int64()
    assert table.schema.field("name").type == pa.string_view()
    assert table.column("name").to_pylist()[:3] == ["Load page", "fetch", "Parse"]
    assert table.num_rows == 8
    table.validate(full=True)


def test_a_consumer_reads_the_stream_lazily(track_events):
    result = track_events.sql("SELECT value FROM generate_series(1, 1000000000)")
    reader = pa.RecordBatchReader.from_stream(result)
    first = reader.read_next_batch()
    assert first.column(0)[0].as_py() == 1
    assert first.num_rows < 1_000_000
    reader.close()


def test_a_stream_has_all_rows_in_order(track_events):
    table = pa.table(track_events.sql(MANY))
    values = table.column("value").to_pylist()
    assert values == list(range(1, 200_001))
    assert table.column("half")[-1].as_py() == 100_000.0


def test_a_result_can_be_read_again(track_events):
    for sql in (MANY, "SELECT name FROM slice ORDER BY id"):
        result = track_events.sql(sql)
        first = result.to_arrow()
        assert result.to_arrow().equals(first)
        assert pa.table(result).equals(first)
        assert len(result) == first.num_rows


def test_the_schema_comes_without_rows(track_events):
    result = track_events.sql(MANY)
    schema = pa.schema(result)
    assert schema.names == result.columns == ["value", "half"]
    assert schema.types == [pa.int64(), pa.float64()]


def test_batches_share_their_buffers(track_events):
    result = track_events.sql("SELECT ts, name FROM slice ORDER BY ts")
    (batch,) = result.batches()
    first, second = pa.record_batch(batch), pa.record_batch(batch)
    assert first.num_rows == len(batch) == 8
    for column in range(2):
        assert addresses(first.column(column)) == addresses(second.column(column))
    # The rows were kept after they were read, so a table has the same buffers.
    table = result.to_arrow()
    assert addresses(table.column("ts").chunk(0)) == addresses(first.column(0))
    assert addresses(table.column("name").chunk(0)) == addresses(first.column(1))


def test_data_outlives_its_trace(testdata):
    with tpq.open(testdata / "track_events.pftrace", cache=False) as trace:
        table = trace.sql("SELECT name, dur FROM slice ORDER BY ts").to_arrow()
    assert table.column("name")[0].as_py() == "Load page"
    assert table.column("dur").to_pylist()[-1] == -1


def test_a_stream_without_a_consumer_is_released(track_events):
    result = track_events.sql(MANY)
    capsule = result.__arrow_c_stream__()
    del capsule
    # The trace is as usable as before.
    assert len(result) == 200_000


def test_an_error_passes_through_a_consumer(track_events):
    result = track_events.sql(
        "SELECT CASE WHEN value = 90000 THEN abs(-9223372036854775807 - 1) ELSE value END AS v"
        " FROM generate_series(1, 100000)"
    )
    with pytest.raises(pa.ArrowException, match="overflow"):
        pa.table(result)
    with pytest.raises(tpq.SqlError):
        result.to_arrow()


def test_a_result_without_columns_is_an_empty_table(track_events):
    table = track_events.sql("CREATE PERFETTO VIEW v AS SELECT 1 AS one").to_arrow()
    assert table.num_columns == 0


def test_duckdb_reads_a_result(track_events):
    duckdb = pytest.importorskip("duckdb")
    rows = pa.RecordBatchReader.from_stream(track_events.sql(MANY))
    assert duckdb.sql("SELECT max(value), count(*) FROM rows").fetchall() == [(200_000, 200_000)]


def test_columns_of_every_type_are_exported(track_events, tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet")
    import datetime
    import decimal

    moment = datetime.datetime(2024, 5, 6, 7, 8, 9, tzinfo=datetime.timezone.utc)
    table = pa.table({
        "flag": pa.array([True, None, False, True]),
        "small": pa.array([1, None, -3, 4], pa.int8()),
        "real": pa.array([0.5, None, 1.5, 2.5], pa.float32()),
        "text": pa.array(["a", None, "a text longer than twelve bytes", ""]),
        "bytes": pa.array([b"a", None, b"", b"\x00"], pa.binary()),
        "day": pa.array([moment.date(), None, moment.date(), moment.date()]),
        "moment": pa.array([moment, None, moment, moment], pa.timestamp("us", "UTC")),
        "price": pa.array([decimal.Decimal("1.25"), None] * 2, pa.decimal128(10, 2)),
        "list": pa.array([[1, 2], None, [], [3]], pa.list_(pa.int64())),
        "struct": pa.array([{"x": 1, "y": "a"}, None] * 2),
        "word": pa.array(["a", None, "b", "a"]).dictionary_encode(),
    })
    parquet.write_table(table, tmp_path / "types.parquet")
    with tpq.open(track_events.paths[0], cache=False, allow_files=True) as trace:
        result = trace.sql(f"SELECT * FROM '{tmp_path / 'types.parquet'}'")
        (batch,) = result.batches()
        found = result.to_arrow()
        found.validate(full=True)
        expected = table.to_pydict()
        for name, values in expected.items():
            assert found.column(name).to_pylist() == values, name
        # A part of a batch has values and validity that begin within a byte.
        for rows in (1, 3):
            part = pa.record_batch(batch.head(rows))
            part.validate(full=True)
            assert part.column(0).to_pylist() == expected["flag"][:rows]
        assert trace.sql(
            f"SELECT flag, list FROM '{tmp_path / 'types.parquet'}'"
        ).rows() == list(zip(expected["flag"], expected["list"]))


def test_a_column_of_nulls_is_exported(track_events):
    table = track_events.sql("SELECT NULL AS nothing FROM slice").to_arrow()
    table.validate(full=True)
    assert table.column("nothing").null_count == table.num_rows == 8


def test_booleans_of_an_offset_batch_are_right(track_events):
    result = track_events.sql(
        "SELECT value, nullif(value % 3, 0) = 1 AS flag FROM generate_series(1, 100)"
        " ORDER BY value LIMIT 50 OFFSET 13"
    )
    table = result.to_arrow()
    table.validate(full=True)
    wanted = [None if n % 3 == 0 else n % 3 == 1 for n in range(14, 64)]
    assert [None if v is None else bool(v) for v in table.column("flag").to_pylist()] == wanted
    assert [row.flag for row in result] == wanted
