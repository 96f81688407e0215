"""The examples of the package's documentation, with paths of small traces.

Each test is one example; only the path of the trace, the binary and names of tables that the trace
has not are changed.
"""

from __future__ import annotations

import io

import pytest
from perfetto.batch_trace_processor.api import BatchTraceProcessor, BatchTraceProcessorConfig
from perfetto.trace_processor import TraceProcessor
from perfetto.trace_processor.api import SqlPackage, TraceProcessorConfig

NAMES = {"Load page", "fetch", "Parse", "tick", "Post", "Handle", "marker", "Unfinished"}


def test_querying_slices(config, trace_path, capsys):
    tp = TraceProcessor(trace=trace_path, config=config)

    qr_it = tp.query("SELECT name FROM slice")
    for row in qr_it:
        print(row.name)
    tp.close()

    assert set(capsys.readouterr().out.splitlines()) == NAMES


def test_querying_as_a_pandas_data_frame(config, trace_path):
    tp = TraceProcessor(trace=trace_path, config=config)

    qr_it = tp.query("SELECT ts, name FROM slice ORDER BY ts")
    qr_df = qr_it.as_pandas_dataframe()
    assert "Load page" in qr_df.to_string()
    tp.close()

    assert list(qr_df.columns) == ["ts", "name"]
    assert qr_df["ts"].tolist() == [1000, 1050, 1100, 1200, 1500, 1700, 1800, 2100]


def test_a_file_like_object(config, trace_path):
    with open(trace_path, "rb") as file:
        file_obj = io.BytesIO(file.read())
    with TraceProcessor(trace=file_obj, config=config) as tp:
        assert next(tp.query("SELECT count(*) AS n FROM slice")).n == 8


def test_a_generator_of_bytes(config, trace_path):
    def byte_generator():
        with open(trace_path, "rb") as file:
            while chunk := file.read(100):
                yield chunk

    with TraceProcessor(trace=byte_generator(), config=config) as tp:
        assert next(tp.query("SELECT count(*) AS n FROM slice")).n == 8


def test_connecting_to_a_running_instance(address):
    with TraceProcessor(addr=address) as tp:
        assert next(tp.query("SELECT count(*) AS n FROM slice")).n == 8
    # The server goes on.
    with TraceProcessor(addr=address) as tp:
        assert next(tp.query("SELECT count(*) AS n FROM slice")).n == 8


def test_connecting_and_loading_another_trace(address, testdata):
    with TraceProcessor(trace=str(testdata / "sched.pftrace"), addr=address) as tp:
        assert next(tp.query("SELECT count(*) AS n FROM sched")).n == 8
        assert next(tp.query("SELECT count(*) AS n FROM slice")).n == 0


def test_connecting_through_a_socket(socket_path):
    with TraceProcessor(remote=socket_path) as tp:
        assert next(tp.query("SELECT count(*) AS n FROM slice")).n == 8


def test_the_configuration(binary, trace_path, tmp_path):
    module = "-- A number.\nCREATE PERFETTO FUNCTION {0}()\n-- It.\nRETURNS LONG AS SELECT 7;\n"
    for folder, name in (("modules", "one"), ("other", "two")):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "numbers.sql").write_text(module.format(name))
    config = TraceProcessorConfig(
        bin_path=binary,
        verbose=True,
        ingest_ftrace_in_raw=True,
        enable_dev_features=True,
        add_sql_packages=[
            str(tmp_path / "modules"),
            SqlPackage(str(tmp_path / "other"), package="custom.pkg"),
        ],
    )
    with TraceProcessor(trace=trace_path, config=config) as tp:
        tp.query("INCLUDE PERFETTO MODULE modules.numbers")
        tp.query("INCLUDE PERFETTO MODULE custom.pkg.numbers")
        row = next(tp.query("SELECT one() AS one, two() AS two"))
        assert (row.one, row.two) == (7, 7)


def test_rows_have_their_columns(tp, capsys):
    qr_it = tp.query("SELECT ts, dur, name FROM slice")
    for row in qr_it:
        print(row.ts, row.dur, row.name)
    assert "1000 1000 Load page\n" in capsys.readouterr().out


def test_a_polars_data_frame(tp):
    polars = pytest.importorskip("polars")
    qr_it = tp.query("SELECT ts, dur, name FROM slice ORDER BY ts")
    qr_df = qr_it.as_polars_dataframe()
    assert isinstance(qr_df, polars.DataFrame) and qr_df.shape == (8, 3)
    assert qr_df["name"][0] == "Load page"


def test_a_counter_to_plot(tp):
    import numpy as np

    qr_it = tp.query("SELECT ts, value FROM counter WHERE track_id = "
                     "(SELECT id FROM track WHERE name = 'memory') ORDER BY ts")
    qr_df = qr_it.as_pandas_dataframe()
    qr_df = qr_df.replace(np.nan, 0)
    values = qr_df.set_index("ts")["value"]
    assert values.to_dict() == {1000: 100.0, 1500: 250.0, 2000: 50.0}


SPEC = """
metric_spec {
  id: "slice_time"
  dimensions: "name"
  value: "total"
  query: {
    table: { table_name: "slice" }
    filters: { column_name: "dur", op: GREATER_THAN, int64_rhs: 150 }
    group_by: {
      column_names: "name"
      aggregates: { column_name: "dur", op: SUM, result_column_name: "total" }
    }
  }
}
query {
  id: "about"
  sql { sql: "SELECT 'slices' AS key, count(*) AS value FROM slice" }
}
"""


def totals(summary):
    (metrics,) = summary.metric_bundles
    return {row.dimension[0].string_value: row.values[0].double_value for row in metrics.row}


EXPECTED_TOTALS = {"Load page": 1000.0, "fetch": 300.0, "Parse": 300.0, "Handle": 200.0}


def test_trace_summary(tp):
    summary = tp.trace_summary(specs=[SPEC])
    assert totals(summary) == EXPECTED_TOTALS


def test_trace_summary_with_the_names_of_metrics_and_metadata(tp):
    summary = tp.trace_summary(
        specs=[SPEC], metric_ids=["slice_time"], metadata_query_id="about"
    )
    assert totals(summary) == EXPECTED_TOTALS
    assert [(entry.key, entry.value) for entry in summary.metadata] == [("slices", "8")]


def test_trace_summary_of_a_binary_specification(tp):
    from google.protobuf import text_format

    spec = text_format.Parse(SPEC, tp.protos.TraceSummarySpec())
    summary = tp.trace_summary(specs=[spec.SerializeToString()], metric_ids=["slice_time"])
    assert totals(summary) == EXPECTED_TOTALS


def test_metatracing(tp, config, tmp_path):
    tp.enable_metatrace()
    tp.query("select * from slice")
    tp.query("select * from slice")
    metatrace_bytes = tp.disable_and_read_metatrace()

    path = tmp_path / "tp_metatrace.pftrace"
    path.write_bytes(metatrace_bytes)
    with TraceProcessor(trace=str(path), config=config) as tp_meta:
        assert next(tp_meta.query("select count(*) as n from slice")).n > 0


def test_batch_query(config, testdata):
    files = [str(testdata / "sched.pftrace"), str(testdata / "track_events.pftrace")]
    with BatchTraceProcessor(files, config=BatchTraceProcessorConfig(config)) as btp:
        frames = btp.query("select count(1) from slice")
        assert [frame.iloc[0, 0] for frame in frames] == [0, 8]


def test_sharing_computations_between_one_trace_and_many(config, testdata, trace_path):
    def some_complex_calculation(tp):
        res = tp.query("SELECT dur FROM slice").as_pandas_dataframe()
        return int(res["dur"].sum())

    with TraceProcessor(trace=trace_path, config=config) as tp:
        alone = some_complex_calculation(tp)
    with BatchTraceProcessor([trace_path] * 3, config=BatchTraceProcessorConfig(config)) as btp:
        [a, b, c] = btp.execute(some_complex_calculation)
    assert a == b == c == alone
