//! Results that do not depend on the packing, names or order of files.

use std::collections::{BTreeSet, HashMap};

use datafusion::arrow::array::{AsArray, RecordBatch};
use datafusion::arrow::compute::cast;
use datafusion::arrow::datatypes::{DataType, UInt32Type};
use datafusion::arrow::util::pretty::pretty_format_batches;
use proptest::prelude::*;
use serde_json::json;
use tempfile::TempDir;
use tpq::{ImportOptions, import};
use tpq_tables::{Table, TraceTables};
use tpq_testkit::clock_id::{BOOTTIME, MONOTONIC, REALTIME};
use tpq_testkit::{
    Archive, FtraceBundle, FtraceEvent, Packet, ProcessTree, ServiceEvent, SystemInfo, Task,
    TraceBuilder, gzip, prev_state,
};

use crate::imported::{Imported, clocks, instant, recording, system, write};

/// How long a recording is between two flushes.
const ROUND: u64 = 1000;

/// Events between two flushes.
#[derive(Clone, Debug, Default)]
struct Round {
    /// Instants: when, and whether the packet is in MONOTONIC.
    instants: Vec<(u64, bool)>,
    /// Switches of CPU 0: when, and to which thread.
    switches: Vec<(u64, i32)>,
}

/// One recording of a device.
#[derive(Clone, Debug)]
struct Recording {
    /// How long it had been up when the recording began.
    up: u64,
    /// Wall time when it was started.
    started: u64,
    /// How long it had slept before, which MONOTONIC does not count.
    slept: u64,
    rounds: Vec<Round>,
}

fn round() -> impl Strategy<Value = Round> {
    let instants = prop::collection::vec((0..ROUND, any::<bool>()), 0..6);
    let switches = prop::collection::vec((0..ROUND, 200..204), 0..6);
    (instants, switches).prop_map(|(mut instants, mut switches)| {
        instants.sort_unstable();
        switches.sort_unstable();
        // A CPU does one thing at a time.
        switches.dedup_by_key(|&mut (at, _)| at);
        Round { instants, switches }
    })
}

fn recorded() -> impl Strategy<Value = Recording> {
    let rounds = prop::collection::vec(round(), 1..4);
    (3_000..9_000_u64, 10_000..20_000_u64, 0..500_u64, rounds)
        .prop_map(|(up, started, slept, rounds)| Recording { up, started, slept, rounds })
}

impl Recording {
    fn trace(&self) -> Vec<u8> {
        let snapshot = [
            (BOOTTIME, self.up),
            (MONOTONIC, self.up - self.slept),
            (REALTIME, self.up + self.started),
        ];
        let processes = ProcessTree::new().process(100, 1, &["app"], 10).thread(200, 100, "worker");
        let mut trace = recording()
            .packet(clocks(&snapshot))
            .packet(system(SystemInfo::linux("6.1").num_cpus(1)))
            .packet(Packet::new().sequence(3).timestamp(self.up).process_tree(processes));
        let mut running = 0;
        for (number, round) in (0..).zip(&self.rounds) {
            trace = self.record(round, self.up + number * ROUND, &mut running, trace);
        }
        trace.build()
    }

    fn record(
        &self,
        round: &Round,
        start: u64,
        running: &mut i32,
        trace: TraceBuilder,
    ) -> TraceBuilder {
        let task = |tid| Task::new("thread", tid);
        let switch = |bundle: FtraceBundle, &(at, next): &(u64, i32)| {
            let prev = task(std::mem::replace(running, next));
            let state = prev_state::SLEEPING;
            bundle.event(FtraceEvent::sched_switch(start + at, prev, state, task(next)))
        };
        let bundle = round.switches.iter().fold(FtraceBundle::new(0), switch);
        let instants = round.instants.iter().map(|&(at, monotonic)| match monotonic {
            true => instant(start + at - self.slept, "monotonic").clock(MONOTONIC),
            false => instant(start + at, "boottime"),
        });
        let flush =
            [ServiceEvent::AllDataSourcesFlushed, ServiceEvent::ReadTracingBuffersCompleted].map(
                |event| Packet::new().sequence(9).timestamp(start + ROUND).service_event(event),
            );
        trace.packet(Packet::new().sequence(2).ftrace(bundle)).packets(instants).packets(flush)
    }
}

fn tables(files: &[(&str, &[u8])], full_sort: bool) -> TraceTables {
    let folder = TempDir::new().unwrap();
    let options = ImportOptions { full_sort, ..ImportOptions::default() };
    import(&write(&folder, files), &options).unwrap().0
}

/// Exceptions of a comparison.
#[derive(Clone, Copy)]
struct Without {
    /// Columns by name.
    columns: &'static [&'static str],
    /// Tables by name.
    tables: &'static [&'static str],
}

/// Each table as text, by name. How long the import took is no part of it, and neither is how
/// much of its cache it used.
fn texts(tables: &TraceTables, without: Without) -> HashMap<&'static str, String> {
    let kept = tables.iter().filter(|table| !without.tables.contains(&table.decl().name));
    kept.map(|table| (table.decl().name, text(table, without.columns))).collect()
}

fn text(table: &Table, without: &[&str]) -> String {
    let schema = table.schema();
    let columns: Vec<usize> = (0..schema.fields().len())
        .filter(|&column| !without.contains(&schema.field(column).name().as_str()))
        .collect();
    let batches: Vec<RecordBatch> = (0..table.num_chunks())
        .map(|chunk| table.read(chunk, 0..table.chunk_rows(chunk), &columns).unwrap())
        .collect();
    let text = pretty_format_batches(&batches).unwrap().to_string();
    let lines = text.lines().filter(|line| !line.contains("duration") && !line.contains("cache"));
    lines.collect::<Vec<_>>().join("\n")
}

/// The different values of a column of ids.
fn values(table: &Table, column: &str) -> BTreeSet<u32> {
    let index = table.schema().index_of(column).unwrap();
    let chunks = 0..table.num_chunks();
    let values = |chunk| {
        let batch = table.read(chunk, 0..table.chunk_rows(chunk), &[index]).unwrap();
        let ids = cast(batch.column(0), &DataType::UInt32).unwrap();
        ids.as_primitive::<UInt32Type>().iter().flatten().collect::<Vec<u32>>()
    };
    chunks.flat_map(values).collect()
}

fn assert_same(
    ours: &HashMap<&'static str, String>,
    theirs: &HashMap<&'static str, String>,
    what: &str,
) -> Result<(), TestCaseError> {
    prop_assert_eq!(ours.len(), theirs.len());
    for (name, text) in ours {
        prop_assert_eq!(text, &theirs[name], "table {}, {}", name, what);
    }
    Ok(())
}

fn config(cases: u32) -> ProptestConfig {
    ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() }
}

proptest! {
    #![proptest_config(config(48))]

    /// A file is the same in an archive and compressed, except for the number of its row.
    #[test]
    fn a_merge_of_one_file_is_that_file(recording in recorded()) {
        const WITHOUT: Without = Without { columns: &["trace_id"], tables: &["trace_file"] };
        let trace = recording.trace();
        let alone = tables(&[("trace", &trace)], false);
        let texts_alone = texts(&alone, WITHOUT);
        let tar = Archive::new().file("trace", trace.clone()).tar();
        for (what, packed) in [("tar", tar), ("gzip", gzip(&trace))] {
            let packed = tables(&[("packed", &packed)], false);
            assert_same(&texts_alone, &texts(&packed, WITHOUT), what)?;
            for (tables, file) in [(&alone, 0), (&packed, 1)] {
                let files = values(tables.get("clock_snapshot").unwrap(), "trace_id");
                prop_assert_eq!(files, BTreeSet::from([file]));
            }
        }
    }

    /// The order in which files are named decides nothing.
    #[test]
    fn the_order_of_arguments_decides_nothing(
        files in prop::collection::vec(recorded(), 2..4),
        turns in 1..3_usize,
    ) {
        const ALL: Without = Without { columns: &[], tables: &[] };
        let traces: Vec<Vec<u8>> = files.iter().map(Recording::trace).collect();
        let mut named: Vec<(&str, &[u8])> =
            ["a", "b", "c"].into_iter().zip(traces.iter().map(Vec::as_slice)).collect();
        let folder = TempDir::new().unwrap();
        let mut paths = write(&folder, &named);
        let import = |paths: &[_]| import(paths, &ImportOptions::default()).unwrap().0;
        let straight = texts(&import(&paths), ALL);
        paths.rotate_left(turns);
        assert_same(&straight, &texts(&import(&paths), ALL), "turned")?;
        named.reverse();
        paths.reverse();
        assert_same(&straight, &texts(&import(&paths), ALL), "reversed")?;
    }

    /// Windows that close at each file's own flushes lose nothing of a merge.
    #[test]
    fn windowed_and_full_sort_agree(files in prop::collection::vec(recorded(), 2..4), apart: bool) {
        const ALL: Without = Without { columns: &[], tables: &[] };
        let archive = merge(&files, apart).tar();
        let [windowed, full] =
            [false, true].map(|full| texts(&tables(&[("merge", &archive)], full), ALL));
        assert_same(&windowed, &full, "windowed and full")?;
    }
}

/// Files of one machine, or each of its own.
fn merge(files: &[Recording], apart: bool) -> Archive {
    let names = ["a", "b", "c"];
    let archive = names
        .into_iter()
        .zip(files)
        .fold(Archive::new(), |archive, (name, file)| archive.file(name, file.trace()));
    let entry = |name| json!({ "path": name, "machine": { "name": name } });
    match apart {
        true => {
            let files: Vec<_> = names[..files.len()].iter().map(entry).collect();
            archive.manifest(json!({ "files": files }))
        }
        false => archive,
    }
}

proptest! {
    #![proptest_config(config(24))]

    /// Which file comes first decides the ids of rows and nothing else, as long as the timeline
    /// is the same.
    #[test]
    fn names_of_files_decide_ids_alone(files in prop::collection::vec(recorded(), 2..3)) {
        let rows = |first: &str, second: &str| {
            let (a, b) = (files[0].trace(), files[1].trace());
            let entry = |path, name| json!({ "path": path, "machine": { "name": name } });
            let archive = Archive::new().file(first, a).file(second, b).manifest(json!({
                "trace_time": { "clock": "BOOTTIME", "file": first },
                "files": [entry(first, "x"), entry(second, "y")],
            }));
            let imported = Imported::files(&[("merge", &archive.tar())]);
            QUERIES.map(|sql| imported.rows(sql))
        };
        prop_assert_eq!(rows("a", "b"), rows("b", "a"));
    }
}

/// All that was recorded, by what it means instead of by ids.
const QUERIES: [&str; 5] = [
    "SELECT ts, dur, slice.name, machine.name AS machine FROM slice \
     JOIN thread_track ON track_id = thread_track.id JOIN thread USING (utid) \
     JOIN machine ON thread.machine_id = machine.id ORDER BY ts, slice.name, machine.name",
    "SELECT ts, dur, cpu.cpu, tid, machine.name AS machine, end_state FROM sched_slice \
     JOIN thread USING (utid) JOIN machine ON thread.machine_id = machine.id \
     JOIN cpu ON sched_slice.ucpu = cpu.id ORDER BY ts, machine.name",
    "SELECT tid, thread.name, pid, process.name AS process, machine.name AS machine FROM thread \
     JOIN machine ON thread.machine_id = machine.id LEFT JOIN process USING (upid) \
     ORDER BY machine.name, tid, pid",
    "SELECT raw_id, name, release FROM machine ORDER BY raw_id",
    "SELECT c.ts, c.origin, c.clock_id, c.clock_value, machine.name AS machine \
     FROM clock_snapshot c JOIN machine ON c.machine_id = machine.id \
     WHERE origin = 'snapshot' ORDER BY c.ts, c.clock_id, machine.name",
];

/// The properties are about something: such files have rows.
#[test]
fn such_files_have_rows() {
    let round = Round { instants: vec![(5, false), (7, true)], switches: vec![(1, 200), (9, 0)] };
    let file = Recording { up: 3_000, started: 10_000, slept: 100, rounds: vec![round; 2] };
    let merged = Imported::files(&[("merge", &merge(&[file.clone(), file], true).tar())]);
    for (table, rows) in [("slice", "8"), ("sched_slice", "8"), ("machine", "2")] {
        assert_eq!(merged.cell(&format!("SELECT count(*) FROM {table}")), rows, "{table}");
    }
}
