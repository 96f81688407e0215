"""Threads, Ctrl-C, and what stops a statement."""

from __future__ import annotations

import os
import signal
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from conftest import LONG_STATEMENT

import tpq

#: A stop takes less than this, in seconds, also on a busy machine.
SOON = 20.0


@pytest.fixture
def ctrl_c():
    """Sends an interrupt to this process, half a second later."""
    # Where a shell started the tests in the background, Python ignores interrupts.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    timer = threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT))
    timer.start()
    yield
    timer.cancel()
    timer.join()
    signal.signal(signal.SIGINT, before)


def test_ctrl_c_stops_a_statement(track_events, ctrl_c):
    start = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        track_events.sql(LONG_STATEMENT).rows()
    assert time.monotonic() - start < SOON
    # The trace is as usable as before.
    assert track_events.sql("SELECT count(*) FROM slice").scalar() == 8


def test_ctrl_c_stops_a_consumer_of_the_stream(track_events, ctrl_c):
    pa = pytest.importorskip("pyarrow")
    start = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        try:
            pa.table(track_events.sql(LONG_STATEMENT))
        except pa.ArrowException:
            # The exception of Ctrl-C comes as soon as Python looks for signals.
            for _ in range(1000):
                pass
    assert time.monotonic() - start < SOON


def test_ctrl_c_stops_what_a_statement_creates(track_events, ctrl_c):
    with pytest.raises(KeyboardInterrupt):
        track_events.sql(f"CREATE PERFETTO TABLE counted AS {LONG_STATEMENT}")
    assert "counted" not in track_events.tables()


def test_reading_an_interrupted_result_again_runs_it_again(track_events):
    result = track_events.sql("SELECT value FROM generate_series(1, 1000000)")
    batches = result.batches()
    next(batches)
    track_events.interrupt()
    with pytest.raises(tpq.SqlError) as caught:
        for _ in batches:
            pass
    assert caught.value.kind == "cancelled"
    assert len(result) == 1_000_000


def test_another_thread_interrupts(track_events):
    timer = threading.Timer(0.5, track_events.interrupt)
    timer.start()
    with pytest.raises(tpq.SqlError) as caught:
        track_events.sql(LONG_STATEMENT).rows()
    timer.join()
    assert caught.value.kind == "cancelled"


def test_closing_a_trace_stops_its_statements(testdata):
    trace = tpq.open(testdata / "track_events.pftrace", cache=False)
    timer = threading.Timer(0.5, trace.close)
    timer.start()
    with pytest.raises(tpq.Error):
        trace.sql(LONG_STATEMENT).rows()
    timer.join()


def test_other_threads_run_during_a_statement(track_events):
    turns, stop = 0, threading.Event()

    def count():
        nonlocal turns
        while not stop.is_set():
            turns += 1
            time.sleep(0.001)

    thread = threading.Thread(target=count)
    thread.start()
    before = turns
    timer = threading.Timer(1.0, track_events.interrupt)
    timer.start()
    with pytest.raises(tpq.SqlError):
        track_events.sql(LONG_STATEMENT).rows()
    during = turns - before
    stop.set()
    thread.join()
    timer.join()
    assert during > 20


def test_threads_share_a_trace(track_events):
    def work(number):
        fixed = track_events.sql("SELECT count(*) FROM slice").scalar()
        given = track_events.sql("SELECT $n * 2", n=number).scalar()
        total = sum(
            row.value for row in track_events.sql("SELECT value FROM generate_series(1, $n)", n=number)
        )
        return fixed, given, total

    numbers = range(1, 41)
    with ThreadPoolExecutor(8) as pool:
        for number, found in zip(numbers, pool.map(work, numbers)):
            assert found == (8, number * 2, number * (number + 1) // 2)


@pytest.mark.filterwarnings("ignore::tpq.DataLossWarning")
def test_traces_are_opened_at_the_same_time(testdata):
    names = ["sched", "track_events", "processes", "clocks", "atrace"] * 4

    def work(name):
        with tpq.open(testdata / f"{name}.pftrace", cache=False, threads=2) as trace:
            return trace.sql("SELECT count(*) FROM trace_file").scalar()

    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(work, names)) == [1] * len(names)


def test_rows_are_read_by_one_thread_at_a_time(track_events):
    result = track_events.sql("SELECT value FROM generate_series(1, 100000)")
    rows = result._take()
    stream = rows.__arrow_c_stream__()
    with pytest.raises(tpq.Error, match="elsewhere"):
        rows.next_batch()
    del stream


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
def test_a_forked_process_opens_traces(testdata, track_events):
    assert track_events.sql("SELECT 1").scalar() == 1
    child = os.fork()
    if child == 0:
        with tpq.open(testdata / "sched.pftrace", cache=False) as trace:
            os._exit(trace.sql("SELECT count(*) FROM thread").scalar())
    _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) == 6
