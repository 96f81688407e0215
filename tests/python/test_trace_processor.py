"""What programs rely on beyond the examples: types, errors, state, files, processes."""

from __future__ import annotations

import io
import os
import subprocess
import tarfile
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from perfetto.batch_trace_processor.api import (
    BatchTraceProcessor,
    BatchTraceProcessorConfig,
    FailureHandling,
)
from perfetto.trace_processor import TraceProcessor
from perfetto.trace_processor.api import TraceProcessorConfig, TraceProcessorException
from perfetto.trace_uri_resolver.path import PathUriResolver
from perfetto.trace_uri_resolver.registry import ResolverRegistry
from perfetto.trace_uri_resolver.resolver import TraceUriResolver


def test_values_have_the_types_of_sqlite(tp):
    row = next(tp.query(
        "SELECT 1 AS i, -9223372036854775808 AS least, 0.5 AS f, 'é' AS s, x'00ff' AS b, NULL AS n,"
        " 1 = 1 AS yes"
    ))
    values = (row.i, row.least, row.f, row.s, row.b, row.n, row.yes)
    assert values == (1, -(2**63), 0.5, "é", b"\x00\xff", None, 1)
    assert [type(value) for value in values] == [int, int, float, str, bytes, type(None), int]


def test_a_result_without_rows_has_its_columns(tp):
    result = tp.query("SELECT ts, name FROM slice WHERE 0")
    assert result.column_names == ["ts", "name"]
    assert len(result) == 0
    assert list(result.as_pandas_dataframe().columns) == ["ts", "name"]


def test_a_result_of_many_batches_is_whole(tp):
    result = tp.query("SELECT value, 'row ' || value AS name FROM generate_series(1, 100000)")
    assert len(result) == 100_000
    for number, row in enumerate(result, 1):
        assert (row.value, row.name) == (number, f"row {number}")


def test_wrong_statements_are_exceptions(tp):
    for statement in ("SELEC 1", "SELECT * FROM slices2", "SELECT nothing FROM slice"):
        with pytest.raises(TraceProcessorException):
            tp.query(statement)
    with pytest.raises(TraceProcessorException, match="slices2"):
        tp.query("SELECT * FROM slices2")
    # The next statement is answered.
    assert next(tp.query("SELECT 1 AS one")).one == 1


def test_a_statement_that_fails_late_is_an_exception(tp):
    with pytest.raises(TraceProcessorException):
        tp.query(
            "SELECT CASE WHEN value = 90000 THEN abs(-9223372036854775807 - 1) ELSE value END"
            " FROM generate_series(1, 100000)"
        )


def test_what_statements_create_stays(tp):
    tp.query("CREATE PERFETTO TABLE long_slice AS SELECT * FROM slice WHERE dur >= 300")
    tp.query("CREATE PERFETTO FUNCTION twice(x LONG) RETURNS LONG AS SELECT $x * 2")
    tp.query("CREATE VIEW names AS SELECT name FROM long_slice")
    row = next(tp.query("SELECT count(*) AS n, twice(count(*)) AS double FROM names"))
    assert (row.n, row.double) == (3, 6)


def test_a_script_gives_the_result_of_its_last_statement(tp):
    result = tp.query("SELECT 1 AS a; CREATE PERFETTO TABLE t AS SELECT 5 AS five; SELECT * FROM t")
    assert [row.five for row in result] == [5]


def test_metadata_of_a_trace(config, testdata):
    with TraceProcessor(trace=str(testdata / "sched.pftrace"), config=config) as tp:
        # Of the resolver of paths.
        assert tp.metadata == {"_path": str(testdata / "sched.pftrace")}
        rows = tp.query("SELECT str_value FROM metadata WHERE name = 'system_name'")
        assert [row.str_value for row in rows] == ["Linux"]


def test_metrics_of_the_first_version_are_refused_with_an_error(tp):
    with pytest.raises(TraceProcessorException):
        tp.metric(["android_cpu"])


def test_wrong_specifications_are_exceptions(tp):
    with pytest.raises(TraceProcessorException):
        tp.trace_summary(specs=["metric_spec { ident: 'x' }"])
    with pytest.raises(TraceProcessorException):
        tp.trace_summary(specs=["metric_spec { id: 'a' value: 'v' }"], metric_ids=["b"])


def test_an_export_is_a_tar_of_arrow_files(tp, tmp_path):
    pa = pytest.importorskip("pyarrow")
    path = tmp_path / "tables.tar"
    tp.export(str(path), "arrow_tar")
    if path.stat().st_size == 0:
        pytest.skip("this tpq does not export")
    with tarfile.open(path) as archive:
        names = [name for name in archive.getnames() if "slice" in os.path.basename(name)]
        assert names
        content = archive.extractfile(names[0]).read()
    assert pa.ipc.open_file(io.BytesIO(content)).read_all().num_rows > 0


def test_a_trace_that_is_none_is_an_exception(config):
    with pytest.raises(TraceProcessorException):
        with TraceProcessor(trace=io.BytesIO(b"no trace at all\n"), config=config) as tp:
            tp.query("SELECT count(*) FROM slice")


def test_a_damaged_trace_has_the_rows_before_the_damage(config, testdata):
    path = str(testdata / "corrupt" / "truncated.pftrace")
    with TraceProcessor(trace=path, config=config) as tp:
        assert next(tp.query("SELECT count(*) AS n FROM slice")).n > 0
        assert next(tp.query("SELECT count(*) AS n FROM stats WHERE value > 0")).n > 0


def test_the_process_ends_with_its_client(config, trace_path):
    tp = TraceProcessor(trace=trace_path, config=config)
    process = tp.subprocess
    assert process.poll() is None
    tp.close()
    process.wait(10)


def test_a_second_instance_has_a_port_of_its_own(config, testdata):
    with TraceProcessor(trace=str(testdata / "sched.pftrace"), config=config) as one:
        with TraceProcessor(trace=str(testdata / "track_events.pftrace"), config=config) as two:
            assert next(one.query("SELECT count(*) AS n FROM slice")).n == 0
            assert next(two.query("SELECT count(*) AS n FROM slice")).n == 8


def test_a_busy_port_is_an_error_at_once(binary, address):
    port = address.split(":")[1]
    start = time.monotonic()
    done = subprocess.run(
        [binary, "-D", "--http-port", port],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode != 0 and port in done.stderr
    assert time.monotonic() - start < 30


def test_files_are_read_only_when_allowed(binary, trace_path, tmp_path):
    path = tmp_path / "devices.csv"
    path.write_text("id,name\n1,phone\n")
    statement = f"SELECT name FROM read_csv('{path}')"
    for allowed in (False, True):
        config = TraceProcessorConfig(bin_path=binary, enable_sql_file_access=allowed)
        with TraceProcessor(trace=trace_path, config=config) as tp:
            if allowed:
                assert next(tp.query(statement)).name == "phone"
            else:
                with pytest.raises(TraceProcessorException):
                    tp.query(statement)


def test_clients_of_one_server_share_what_they_create(address):
    with TraceProcessor(addr=address) as one, TraceProcessor(addr=address) as two:
        one.query("CREATE PERFETTO TABLE shared AS SELECT 3 AS three")
        assert next(two.query("SELECT three FROM shared")).three == 3


def test_clients_query_at_the_same_time(address):
    def work(number):
        with TraceProcessor(addr=address) as tp:
            rows = tp.query(f"SELECT sum(value) AS total FROM generate_series(1, {number})")
            return next(rows).total

    with ThreadPoolExecutor(8) as pool:
        totals = list(pool.map(work, range(1, 33)))
    assert totals == [number * (number + 1) // 2 for number in range(1, 33)]


def test_ten_traces_at_once(config, testdata):
    names = ["sched", "track_events", "processes", "clocks", "atrace"] * 2
    files = [str(testdata / f"{name}.pftrace") for name in names]
    with BatchTraceProcessor(files, config=BatchTraceProcessorConfig(config)) as btp:
        counts = btp.query_single_result("SELECT count(*) FROM slice")
        assert counts[:2] == [0, 8] and counts[:5] == counts[5:]
        frame = btp.query_and_flatten("SELECT count(*) AS n FROM slice")
        assert frame["n"].tolist() == counts
        assert frame["_path"].tolist() == files
        with pytest.raises(TraceProcessorException, match="slices2"):
            btp.query("SELECT * FROM slices2")


def test_a_trace_of_many_that_fails_is_counted(config, testdata):
    files = [str(testdata / "sched.pftrace"), str(testdata / "corrupt" / "text.pftrace")]
    settings = BatchTraceProcessorConfig(
        config,
        load_failure_handling=FailureHandling.INCREMENT_STAT,
        execute_failure_handling=FailureHandling.INCREMENT_STAT,
    )
    with BatchTraceProcessor(files, config=settings) as btp:
        frames = btp.query("SELECT count(*) AS n FROM sched")
        failures = btp.stats().load_failures + btp.stats().execute_failures
        # A trace that is refused only by its first query has an empty frame.
        assert failures == 1
        assert [frame["n"].tolist() for frame in frames if not frame.empty] == [[8]]


def test_resolvers_name_traces(binary, testdata):
    class FolderResolver(TraceUriResolver):
        PREFIX = "folder"

        def __init__(self, name: str):
            self.name = name

        def resolve(self):
            path = str(testdata / f"{self.name}.pftrace")
            return [TraceUriResolver.Result(trace=path, metadata={"trace": self.name})]

    config = TraceProcessorConfig(
        bin_path=binary, resolver_registry=ResolverRegistry(resolvers=[FolderResolver, PathUriResolver])
    )
    with TraceProcessor(trace="folder:name=sched", config=config) as tp:
        assert next(tp.query("SELECT count(*) AS n FROM sched")).n == 8
        assert tp.metadata["trace"] == "sched"
