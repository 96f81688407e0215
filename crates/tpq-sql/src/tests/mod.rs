//! Tests of whole statements, on a small trace made here.

mod aggregates;
mod cancelling;
mod deep;
mod dense_aggregates;
mod early_aggregates;
mod early_distinct;
mod early_sums;
mod empty_inputs;
mod engine_dialect;
mod errors;
mod files;
mod functions;
mod graph_scans;
mod habits;
mod library;
mod limits;
mod listings;
mod memory;
mod memory_guards;
mod names;
mod own_tables;
mod partition_top_n;
mod plans;
mod pointers;
mod reading;
mod self_joins;
mod shared_plans;
mod slices;
mod small_joins;
mod sqlite;
mod statements;
mod subqueries;
mod text_filters;
mod total_windows;
mod trace_lookups;
mod value_filters;
mod values;
mod virtual_tables;

use std::sync::Arc;

use datafusion::arrow::util::pretty::pretty_format_batches;
use tpq_tables::table::*;
use tpq_tables::{Tables, TraceTables};

use crate::{Session, SessionOptions, SqlError};

/// Rows of `sched_slice`: three chunks, so that there is something to skip.
const SCHED_ROWS: i64 = 150_000;

/// Two CPUs, two threads of one process, and a switch every 10 ns.
fn trace() -> TraceTables {
    let mut tables = Tables::default();
    let names = ["app", "worker", "S", "R"].map(|text| tables.strings.intern(text));
    let [app, worker, sleeping, runnable] = names;
    for cpu in 0..2 {
        tables.cpu.push(CpuRow { cpu: Some(cpu), ..CpuRow::default() });
    }
    tables.process.push(ProcessRow { pid: 100, name: app, ..ProcessRow::default() });
    for (tid, name) in [(100, app), (101, worker)] {
        tables.thread.push(ThreadRow { tid, name, upid: Some(0), ..ThreadRow::default() });
    }
    for row in 0..SCHED_ROWS {
        let odd = u32::from(row % 2 == 1);
        tables.sched_slice.push(SchedSliceRow {
            ts: 1_000 + row * 10,
            dur: row % 10,
            utid: odd,
            end_state: if odd == 1 { sleeping } else { runnable },
            priority: 120,
            ucpu: odd,
        });
    }
    for (utid, is_counter) in [(Some(0), 0), (Some(1), 0), (None, 1)] {
        tables.track.push(TrackRow { name: app, utid, is_counter, ..TrackRow::default() });
    }
    for (ts, dur, name) in [(1_000, 50, app), (1_010, 0, worker), (1_020, -1, app)] {
        tables.slice.push(SliceRow { ts, dur, name, ..SliceRow::default() });
    }
    tables.trace_bounds.push(TraceBoundsRow { start_ts: 1_000, end_ts: 1_501_000 });
    tables.finish()
}

fn session() -> Session {
    let options = SessionOptions { threads: Some(2), ..SessionOptions::default() };
    Session::new(Arc::new(trace()), &options).unwrap()
}

/// The rows of a statement as a table.
async fn rows(session: &Session, sql: &str) -> Result<String, SqlError> {
    let batches = session.query(sql).await?.collect().await?;
    Ok(pretty_format_batches(&batches).unwrap().to_string())
}

/// The rows of a table that [`rows`] gives, a line each, columns separated by blanks.
fn cells(table: &str) -> Vec<String> {
    let lines = table.lines().skip(3).filter(|line| line.starts_with('|'));
    let cells = lines.map(|line| line.trim_matches('|').split('|').map(str::trim));
    cells.map(|cells| cells.collect::<Vec<_>>().join(" ").trim().to_owned()).collect()
}

/// The first value of the last statement's first row, as text.
async fn value(session: &Session, sql: &str) -> String {
    match rows(session, sql).await {
        Ok(table) => {
            let line = table.lines().nth(3).unwrap_or_default();
            line.trim_matches('|').split('|').next().unwrap_or_default().trim().to_owned()
        }
        Err(error) => error.report(),
    }
}

/// The error of a wrong script.
async fn said(session: &Session, sql: &str) -> String {
    match rows(session, sql).await {
        Ok(table) => table,
        Err(error) => error.report(),
    }
}
