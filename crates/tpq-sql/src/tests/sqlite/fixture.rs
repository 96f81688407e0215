//! The same small trace in tpq's tables and in a SQLite database.

use std::sync::Arc;

use rusqlite::{Connection, params};
use tpq_tables::table::*;
use tpq_tables::{ArgSetNumber, StringId, Tables};

use crate::{Session, SessionOptions};

/// ts, dur, track, name, depth, parent: nested slices of three tracks, with instants, one slice
/// that was never closed, and one without a name.
type Slice = (i64, i64, u32, Option<&'static str>, u32, Option<u32>);
const SLICES: &[Slice] = &[
    (1_000, 50, 0, Some("app"), 0, None),
    (1_010, 20, 0, Some("render"), 1, Some(0)),
    (1_012, 5, 0, Some("Choreographer#doFrame 7"), 2, Some(1)),
    (1_020, 100, 1, Some("worker"), 0, None),
    (1_030, 0, 1, Some("app"), 1, Some(3)),
    (1_040, 7, 1, Some("render"), 1, Some(3)),
    (1_060, 12, 2, None, 0, None),
    (1_065, 0, 2, Some("render"), 1, Some(6)),
    (1_100, 33, 2, Some("app_start"), 0, None),
    (1_200, -1, 0, Some("Binder:12_3"), 0, None),
];

/// tid, name, process.
const THREADS: &[(i64, Option<&str>, Option<u32>)] = &[
    (100, Some("app"), Some(0)),
    (101, Some("worker"), Some(0)),
    (200, Some("Render"), Some(1)),
    (0, None, None),
];

const PROCESSES: &[(i64, &str)] = &[(100, "com.app"), (200, "com.render")];

/// ts, dur, cpu, thread, state at the end.
const SCHED: &[(i64, i64, u32, u32, Option<&str>)] = &[
    (1_000, 40, 0, 0, Some("S")),
    (1_005, 15, 1, 1, Some("R")),
    (1_020, 50, 1, 2, Some("S")),
    (1_040, 10, 0, 1, Some("R+")),
    (1_050, 25, 0, 0, None),
];

/// ts, track, value.
const COUNTERS: &[(i64, u32, f64)] =
    &[(1_000, 0, 1.0), (1_015, 0, 2.5), (1_030, 1, 0.0), (1_045, 1, -3.75), (1_110, 0, 100.0)];

/// set, key, type, then the value as integer, text or real.
type Arg = (u32, &'static str, &'static str, Option<i64>, Option<&'static str>, Option<f64>);
const ARGS: &[Arg] = &[
    (0, "count", "int", Some(7), None, None),
    (0, "count_text", "string", None, Some("7"), None),
    (1, "url", "string", None, Some("http://a"), None),
    (1, "ratio", "real", None, None, Some(0.25)),
    (2, "mixed", "int", Some(3), None, None),
    (3, "mixed", "string", None, Some("three"), None),
];

/// snapshot, ts, clock, what it read.
const CLOCKS: &[(u32, i64, &str, i64)] = &[
    (0, 1_000, "REALTIME", 1_700_000_000_000_000_000),
    (0, 1_000, "MONOTONIC", 500),
    (1, 1_100, "REALTIME", 1_700_000_000_000_000_200),
];

/// A session on the trace.
pub(in super::super) fn session() -> Session {
    let mut tables = Tables::default();
    for cpu in 0..2 {
        tables.cpu.push(CpuRow { cpu: Some(cpu), ..CpuRow::default() });
    }
    for &(pid, name) in PROCESSES {
        let name = tables.strings.intern(name);
        tables.process.push(ProcessRow { pid, name, ..ProcessRow::default() });
    }
    for &(tid, name, upid) in THREADS {
        let name = name.map_or(StringId::NULL, |name| tables.strings.intern(name));
        tables.thread.push(ThreadRow { tid, name, upid, ..ThreadRow::default() });
    }
    for &(ts, dur, track_id, name, depth, parent_id) in SLICES {
        let name = name.map_or(StringId::NULL, |name| tables.strings.intern(name));
        let arg_set_id = (depth == 0).then_some(ArgSetNumber(track_id));
        let row = SliceRow {
            ts,
            dur,
            track_id,
            name,
            depth,
            parent_id,
            arg_set_id,
            ..SliceRow::default()
        };
        tables.slice.push(row);
    }
    for &(ts, dur, ucpu, utid, state) in SCHED {
        let end_state = state.map_or(StringId::NULL, |state| tables.strings.intern(state));
        tables.sched_slice.push(SchedSliceRow { ts, dur, utid, end_state, priority: 120, ucpu });
    }
    for &(ts, track_id, value) in COUNTERS {
        tables.counter.push(CounterRow { ts, track_id, value, arg_set_id: None });
    }
    for &(arg_set_id, key, kind, int_value, text, real_value) in ARGS {
        let [key, value_type] = [key, kind].map(|text| tables.strings.intern(text));
        let string_value = text.map_or(StringId::NULL, |text| tables.strings.intern(text));
        let row = ArgsRow {
            arg_set_id,
            flat_key: key,
            key,
            int_value,
            string_value,
            real_value,
            value_type,
        };
        tables.args.push(row);
    }
    for &(snapshot_id, ts, clock, clock_value) in CLOCKS {
        let clock_name = tables.strings.intern(clock);
        let row = ClockSnapshotRow {
            ts,
            clock_name,
            clock_value,
            snapshot_id,
            ..ClockSnapshotRow::default()
        };
        tables.clock_snapshot.push(row);
    }
    tables.trace_bounds.push(TraceBoundsRow { start_ts: 1_000, end_ts: 1_200 });
    let options = SessionOptions { threads: Some(2), ..SessionOptions::default() };
    Session::new(Arc::new(tables.finish()), &options).unwrap()
}

/// The columns of the trace that statements of the table use, in SQLite.
pub(super) fn database() -> Connection {
    let database = Connection::open_in_memory().unwrap();
    database.execute_batch(
        "CREATE TABLE slice(id INTEGER PRIMARY KEY, ts INT, dur INT, track_id INT, name TEXT,
                            depth INT, parent_id INT, arg_set_id INT);
         CREATE TABLE thread(id INTEGER PRIMARY KEY, utid INT, tid INT, name TEXT, upid INT);
         CREATE TABLE process(id INTEGER PRIMARY KEY, upid INT, pid INT, name TEXT);
         CREATE TABLE sched(id INTEGER PRIMARY KEY, ts INT, dur INT, cpu INT, utid INT, end_state TEXT);
         CREATE TABLE counter(id INTEGER PRIMARY KEY, ts INT, track_id INT, value REAL);
         CREATE TABLE args(id INTEGER PRIMARY KEY, arg_set_id INT, flat_key TEXT, key TEXT,
                           int_value INT, string_value TEXT, real_value REAL, value_type TEXT);",
    ).unwrap();
    for (id, &(ts, dur, track, name, depth, parent)) in SLICES.iter().enumerate() {
        let args = (depth == 0).then_some(track);
        let row = params![id as i64, ts, dur, track, name, depth, parent, args];
        database.execute("INSERT INTO slice VALUES (?, ?, ?, ?, ?, ?, ?, ?)", row).unwrap();
    }
    for (id, &(tid, name, upid)) in THREADS.iter().enumerate() {
        let row = params![id as i64, id as i64, tid, name, upid];
        database.execute("INSERT INTO thread VALUES (?, ?, ?, ?, ?)", row).unwrap();
    }
    for (id, &(pid, name)) in PROCESSES.iter().enumerate() {
        let row = params![id as i64, id as i64, pid, name];
        database.execute("INSERT INTO process VALUES (?, ?, ?, ?)", row).unwrap();
    }
    for (id, &(ts, dur, cpu, utid, state)) in SCHED.iter().enumerate() {
        let row = params![id as i64, ts, dur, cpu, utid, state];
        database.execute("INSERT INTO sched VALUES (?, ?, ?, ?, ?, ?)", row).unwrap();
    }
    for (id, &(ts, track, value)) in COUNTERS.iter().enumerate() {
        let row = params![id as i64, ts, track, value];
        database.execute("INSERT INTO counter VALUES (?, ?, ?, ?)", row).unwrap();
    }
    for (id, &(set, key, kind, int, text, real)) in ARGS.iter().enumerate() {
        let row = params![id as i64, set, key, key, int, text, real, kind];
        database.execute("INSERT INTO args VALUES (?, ?, ?, ?, ?, ?, ?, ?)", row).unwrap();
    }
    database
}
