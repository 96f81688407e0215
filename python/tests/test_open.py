"""Opening traces: paths, options, errors, what a trace says of itself."""

from __future__ import annotations

import warnings
from pathlib import Path

import pytest

import tpq


def test_a_path_is_a_text_or_a_path(testdata):
    path = testdata / "sched.pftrace"
    for given in (path, str(path), [path], (str(path),)):
        with tpq.open(given, cache=False) as trace:
            assert trace.sql("SELECT count(*) FROM thread").scalar() == 6
            assert trace.paths == [path]


def test_several_traces_are_on_one_timeline(testdata):
    paths = [testdata / "sched.pftrace", testdata / "track_events.pftrace"]
    with tpq.open(paths, cache=False) as trace:
        assert trace.sql("SELECT count(*) FROM trace_file").scalar() == 2
        assert trace.sql("SELECT count(*) FROM slice").scalar() == 8
        assert trace.sql("SELECT count(*) FROM sched").scalar() == 8


def test_a_compressed_trace_has_the_same_rows(testdata):
    for name in ("track_events.pftrace", "track_events.pftrace.gz"):
        with tpq.open(testdata / name, cache=False) as trace:
            assert trace.sql("SELECT count(*) FROM slice").scalar() == 8


def test_the_summary_has_sizes_in_bytes(testdata):
    with tpq.open(testdata / "sched.pftrace.zst", cache=False) as trace:
        summary = trace.summary
    assert summary["format"] == "perfetto (zstd)"
    assert summary["trace_bytes"] == (testdata / "sched.pftrace").stat().st_size
    assert summary["file_bytes"] == (testdata / "sched.pftrace.zst").stat().st_size
    assert summary["packets"] > 0


def test_a_file_that_is_missing_or_no_trace_is_an_error(testdata):
    with pytest.raises(tpq.OpenError, match="no-such-file"):
        tpq.open("no-such-file.pftrace")
    with pytest.raises(tpq.OpenError):
        tpq.open(testdata / "corrupt" / "text.pftrace", cache=False)
    with pytest.raises(tpq.OpenError):
        tpq.open([])
    assert issubclass(tpq.OpenError, tpq.Error)


def test_options_are_checked(testdata):
    path = testdata / "sched.pftrace"
    for wrong in (
        {"memory_limit": "much"},
        {"memory_limit": -1},
        {"threads": 0},
        {"clock_interpolation": "cubic"},
        {"sql_packages": ["modules@a b"]},
    ):
        with pytest.raises(ValueError):
            tpq.open(path, cache=False, **wrong)
    with pytest.raises(tpq.OpenError, match="memory limit"):
        tpq.open(path, cache=False, memory_limit="1M")
    with pytest.raises(TypeError):
        tpq.open(path, memory_limit=1.5)


def test_options_reach_the_import(testdata):
    path = testdata / "sched.pftrace"
    with tpq.open(path, cache=False, memory_limit="64M", threads=1, full_sort=True) as trace:
        assert trace.sql("SELECT count(*) FROM ftrace_event").scalar() > 0
    with tpq.open(path, cache=False, ftrace_raw=False) as trace:
        assert trace.sql("SELECT count(*) FROM ftrace_event").scalar() == 0
    with pytest.raises(tpq.OpenError, match="not clean"):
        tpq.open(testdata / "losses.pftrace", cache=False, strict=True)


def test_functions_come_from_binaries(testdata, tmp_path):
    def message(field, *parts):
        inside = b"".join(parts)
        return bytes([field << 3 | 2, len(inside)]) + inside

    # A profile of pprof: address 9 of a mapping from offset 0x1000 of a library, without functions.
    build_id = b"0123456789abcdef0123456789abcdef01234567"
    strings = [b"", b"cpu", b"ns", b"/lib.so", build_id]
    profile = [
        message(1, b"\x08\x01\x10\x02"),
        message(2, b"\x0a\x01\x01\x10\x05"),
        message(3, b"\x08\x01\x18\x80\x40\x20\x80\x20\x28\x03\x30\x04"),
        message(4, b"\x08\x01\x10\x01\x18\x09"),
        *(message(6, string) for string in strings),
    ]
    path = tmp_path / "profile.pb"
    path.write_bytes(b"".join(profile))
    statement = "SELECT name FROM stack_profile_symbol ORDER BY id"
    folder = testdata / "binaries"
    for symbols in (folder, str(folder), [folder / "inlined.elf", folder / "inlined.debug"]):
        with tpq.open(path, cache=False, symbols=symbols) as trace:
            assert [row.name for row in trace.sql(statement)] == ["add", "work"]
    with tpq.open(path, cache=False) as trace:
        assert trace.sql(statement).rows() == []
    with pytest.raises(tpq.OpenError, match="no-such-folder"):
        tpq.open(path, cache=False, symbols="no-such-folder")


def test_modules_of_the_user_can_be_included(testdata, tmp_path):
    (tmp_path / "numbers.sql").write_text(
        "-- A number.\nCREATE PERFETTO FUNCTION two()\n-- Two.\nRETURNS LONG AS SELECT 2;\n"
    )
    package = f"{tmp_path}@mine"
    with tpq.open(testdata / "sched.pftrace", cache=False, sql_packages=[package]) as trace:
        assert "mine.numbers" in trace.modules()
        two = trace.sql("INCLUDE PERFETTO MODULE mine.numbers; SELECT two()").scalar()
        assert two == 2


def test_files_are_read_only_when_allowed(testdata, tmp_path):
    path = tmp_path / "devices.csv"
    path.write_text("id,name\n1,phone\n")
    statement = f"SELECT name FROM '{path}'"
    with tpq.open(testdata / "sched.pftrace", cache=False) as trace:
        with pytest.raises(tpq.SqlError):
            trace.sql(statement).rows()
    with tpq.open(testdata / "sched.pftrace", cache=False, allow_files=True) as trace:
        assert trace.sql(statement).scalar() == "phone"


def test_lost_data_is_a_warning_and_a_list(testdata, losses):
    with pytest.warns(tpq.DataLossWarning, match="lost data: .*check") as caught:
        tpq.open(testdata / "losses.pftrace", cache=False).close()
    assert Path(caught[0].filename) == Path(__file__)
    found = losses.check()
    assert found.columns == ["kind", "what", "remedy", "ts", "ts_end", "amount", "unit"]
    assert len(found) > 1
    assert all(row.severity in ("data_loss", "error") for row in losses.stats())


def test_a_whole_trace_has_no_warning(testdata):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with tpq.open(testdata / "sched.pftrace", cache=False) as trace:
            assert len(trace.check()) == 0
            assert len(trace.stats()) == 0


def test_progress_is_reported_in_bytes(testdata):
    path, reports = testdata / "sched.pftrace", []
    tpq.open(path, cache=False, progress=lambda *report: reports.append(report)).close()
    stage, done, total = reports[-1]
    assert isinstance(stage, str)
    assert done == total == path.stat().st_size


def test_an_exception_of_progress_is_raised(testdata):
    def fail(stage, done, total):
        raise KeyError("stop")

    with pytest.raises(KeyError, match="stop"):
        tpq.open(testdata / "sched.pftrace", cache=False, progress=fail)


def test_tables_are_listed_and_described(track_events):
    names = track_events.tables()
    assert names == sorted(names)
    assert {"slice", "thread", "counter"} <= set(names)
    table = track_events.describe("slice")
    assert table.name == "slice" and table.doc
    ts = next(column for column in table.columns if column.name == "ts")
    assert ts.type == "TIMESTAMP" and "ns" in ts.doc
    with pytest.raises(KeyError, match="slices2"):
        track_events.describe("slices2")


def test_tables_are_cached_in_a_folder(testdata, tmp_path):
    # Traces of this size are not cached; the folder is accepted, and stays empty.
    with tpq.open(testdata / "sched.pftrace", cache=tmp_path) as trace:
        assert trace.sql("SELECT 1").scalar() == 1
    assert list(tmp_path.glob("*.tables")) == []


def test_the_cache_size_of_the_environment_is_checked(testdata, monkeypatch):
    monkeypatch.setenv("TPQ_CACHE_SIZE", "lots")
    with pytest.raises(tpq.Error, match="TPQ_CACHE_SIZE"):
        tpq.open(testdata / "sched.pftrace")
    monkeypatch.setenv("TPQ_CACHE_SIZE", "0")
    tpq.open(testdata / "sched.pftrace").close()


def test_a_closed_trace_raises_errors(testdata):
    trace = tpq.open(testdata / "sched.pftrace", cache=False)
    kept = trace.sql("SELECT tid FROM thread ORDER BY tid")
    assert kept.rows()[0] == (0,)
    assert "sched.pftrace" in repr(trace)
    trace.close()
    trace.close()
    assert trace.closed and "closed" in repr(trace)
    with pytest.raises(tpq.Error, match="closed"):
        trace.sql("SELECT 1")
    # What was read stays.
    assert kept.rows()[1] == (1,)
