//! A session on a trace of a lake has the rows of the trace.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::compute::concat_batches;
use datafusion::arrow::util::pretty::pretty_format_batches;
use futures::StreamExt;
use tpq::{ImportOptions, IngestOptions, Lake, Trace, ingest};

/// Rows of a table that are compared.
const ROWS: usize = 2000;

/// Recordings of other kinds: scheduling, memory, frames, call stacks, browsers, JSON.
const RECORDINGS: [&str; 5] = [
    "android12_cpu_sched_stacks.pftrace",
    "android_basic_memory.pftrace",
    "android_nowinandroid_frames.pftrace",
    "linux_sched_basic.pftrace",
    "cat_android_systrace.txt",
];

/// Modules with tables, views and functions over many tables.
const MODULES: [(&str, &[&str]); 14] = [
    ("slices.with_context", &["thread_slice", "process_slice"]),
    ("slices.flat_slices", &["_slice_flattened"]),
    ("sched.states", &[]),
    ("sched.runnable", &["sched_previous_runnable_on_thread"]),
    ("sched.thread_level_parallelism", &["sched_active_cpu_count"]),
    ("linux.cpu.frequency", &["cpu_frequency_counters"]),
    ("linux.cpu.idle", &["cpu_idle_counters"]),
    ("linux.memory.process", &["memory_rss_and_swap_per_process"]),
    ("counters.intervals", &[]),
    ("android.binder", &["android_binder_txns"]),
    ("android.startup.startups", &["android_startups"]),
    ("android.frames.timeline", &["android_frames"]),
    ("stacks.cpu_profiling", &["cpu_profiling_samples"]),
    ("wattson.device_infos", &[]),
];

/// Statements with functions that look up rows of the trace. Each states the order of its rows.
const STATEMENTS: [&str; 8] = [
    "SELECT trace_start(), trace_end(), trace_dur(), to_realtime(trace_start())",
    "SELECT id, extract_arg(arg_set_id, (SELECT min(key) FROM args)) AS value FROM slice \
     ORDER BY id",
    "SELECT s.id, a.id AS ancestor, a.depth FROM slice s JOIN ancestor_slice(s.id) a ORDER BY 1, 2",
    "SELECT utid, count(*) AS n, sum(dur) AS dur FROM thread_state GROUP BY utid ORDER BY utid",
    "SELECT name, count(*) AS n FROM slice GROUP BY name ORDER BY n DESC, name LIMIT 50",
    "SELECT ts, dur, name FROM slice ORDER BY dur DESC, ts, id LIMIT 20",
    "SELECT * FROM sched WHERE dur > 1000000 ORDER BY id LIMIT 30",
    "SELECT name, idx, severity, value FROM stats WHERE value != 0 ORDER BY name, idx",
];

#[test]
fn tables_views_and_modules_have_the_rows_of_the_trace() {
    let folder = Path::new(crate::ROOT).join("../shared/traces");
    let paths: Vec<PathBuf> = RECORDINGS.iter().map(|name| folder.join(name)).collect();
    if !paths.iter().all(|path| path.is_file()) {
        eprintln!("skipped: there are no recordings in {}", folder.display());
        return;
    }
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let place = tempfile::tempdir().unwrap();
        let lake = lake_of(place.path(), paths.clone()).await;
        let traces = lake.traces(None).await.unwrap();
        assert_eq!(traces.len(), paths.len());
        for entry in traces {
            let own = Trace::open(&[&entry.facts.path], ImportOptions::default()).await.unwrap();
            let stored = Trace::in_lake(&lake, &entry, &ImportOptions::default()).unwrap();
            let mut compared = 0;
            for sql in statements(&own).await {
                compared += usize::from(compare(&own, &stored, &sql).await);
            }
            for (module, relations) in MODULES {
                let include = format!("INCLUDE PERFETTO MODULE {module}");
                for trace in [&own, &stored] {
                    for statement in trace.session().statements(&include).unwrap() {
                        trace.session().run(&statement).await.unwrap();
                    }
                }
                for relation in relations {
                    let sql = first_rows(&own, relation).await;
                    compared += usize::from(compare(&own, &stored, &sql).await);
                }
            }
            assert!(compared > 200, "{}: {compared} compared", entry.facts.path);
        }
    });
}

async fn lake_of(place: &Path, paths: Vec<PathBuf>) -> Lake {
    let lake = Lake::open_or_create(place.to_str().unwrap(), None, &[]).await.unwrap();
    let options = IngestOptions { import: ImportOptions::default(), jobs: 2, replace: false };
    let mut ingested = std::pin::pin!(ingest(lake.clone(), paths, options));
    while let Some(trace) = ingested.next().await {
        trace.outcome.unwrap();
    }
    lake
}

/// All tables and views, and further statements.
async fn statements(trace: &Trace) -> Vec<String> {
    let names: BTreeSet<String> = trace.session().table_names().into_iter().collect();
    let mut all = Vec::new();
    for name in &names {
        all.push(first_rows(trace, name).await);
        all.push(format!("SELECT count(*) AS n FROM {name}"));
    }
    all.into_iter().chain(STATEMENTS.map(str::to_owned)).collect()
}

/// A statement for the first rows of a table or view in the order of all its columns: rows that tie
/// are equal, so that no choice is left.
async fn first_rows(trace: &Trace, name: &str) -> String {
    let rows = format!("SELECT * FROM {name}");
    // One that needs an argument fails, on both sides.
    let Ok(result) = trace.session().query(&rows).await else { return rows };
    let columns = 1..=result.schema().fields().len();
    let order: Vec<String> = columns.map(|column| column.to_string()).collect();
    format!("{rows} ORDER BY {} LIMIT {ROWS}", order.join(", "))
}

/// Compares the rows of a statement and their order. Returns whether it succeeds on the trace
/// itself.
async fn compare(own: &Trace, stored: &Trace, sql: &str) -> bool {
    let path = own.paths()[0].display().to_string();
    match (own.sql(sql).await, stored.sql(sql).await) {
        (Ok(rows), Ok(others)) => {
            let [rows, others] = [rows, others].map(text);
            if rows != others {
                let differs = rows.lines().zip(others.lines()).find(|(a, b)| a != b);
                let counts = (rows.lines().count(), others.lines().count());
                panic!("{path}: {sql}: {counts:?} lines, {differs:?}");
            }
            true
        }
        (Err(own), Err(stored)) => {
            assert_eq!(own.to_string(), stored.to_string(), "{path}: {sql}");
            false
        }
        (own, stored) => {
            panic!("{path}: {sql}: {:?} {:?}", own.err(), stored.err());
        }
    }
}

/// The rows as a table; no rows have no columns.
fn text(batches: Vec<RecordBatch>) -> String {
    let Some(first) = batches.first() else { return String::new() };
    let batch = concat_batches(&first.schema(), &batches).unwrap();
    match batch.num_rows() {
        0 => String::new(),
        _ => pretty_format_batches(&[batch]).unwrap().to_string(),
    }
}
