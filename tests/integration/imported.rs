//! Imports what a test wrote, and gives rows as text that can be compared with rows written down
//! by hand.

use std::fmt::Write;
use std::path::PathBuf;

use tempfile::TempDir;
use tokio::runtime::Runtime;
use tpq::{ImportOptions, Trace};
use tpq_testkit::{
    Archive, ClockSnapshot, Packet, SystemInfo, TraceBuilder, TrackDescriptor, TrackEvent,
};

use crate::rows::{Rows, query};

/// The writer sequence of [`instant`]s.
pub const WRITER: u32 = 1;
/// The writer sequence of what the recorder says.
pub const RECORDER: u32 = 9;
/// The track of [`instant`]s.
pub const TRACK: u64 = 7;

/// Events: when, what, and the machine it happened on.
pub const EVENTS: &str = "SELECT ts, slice.name, thread.machine_id AS machine FROM slice \
    JOIN thread_track ON slice.track_id = thread_track.id JOIN thread USING (utid) \
    ORDER BY ts, slice.name";

/// Clocks read together: the time, the origin and the values.
pub const CLOCK_SNAPSHOT: &str = "SELECT snapshot_id AS snap, ts, origin, machine_id AS machine, \
    trace_id AS file, clock_id, clock_name, clock_value AS value FROM clock_snapshot \
    ORDER BY id";

/// Machines as rows know them.
pub const MACHINES: &str = "SELECT id, raw_id, name FROM machine ORDER BY id";

/// Files, and what they lie in.
pub const FILES: &str = "SELECT id, parent_id AS parent, name, trace_type, processing_order FROM trace_file ORDER BY id";

/// Counts, but those of every import.
pub const STATS: &str = "SELECT name, machine_id AS machine, trace_id AS file, value FROM stats \
    WHERE value != 0 AND name NOT LIKE '%duration%' AND name != 'clock_sync_cache_miss' \
    ORDER BY name, trace_id, machine_id";

/// Where something was lost, with what is known of it.
pub const LOGS: &str = "SELECT trace_id AS file, l.name, severity, \
    max(CASE WHEN flat_key = 'packet' THEN int_value END) AS packet, \
    max(CASE WHEN flat_key = 'clock_id' THEN int_value END) AS clock, \
    max(CASE WHEN flat_key = 'timestamp' THEN int_value END) AS timestamp \
    FROM trace_import_logs l LEFT JOIN args USING (arg_set_id) \
    GROUP BY l.id, trace_id, l.name, severity ORDER BY l.id";

/// Threads with the processes they belong to, without the idle ones.
pub const THREADS: &str = "SELECT utid, tid, thread.name, pid, process.name AS process, \
    thread.machine_id AS machine FROM thread LEFT JOIN process USING (upid) \
    WHERE is_idle = 0 ORDER BY utid";

/// Traces after their import.
pub struct Imported {
    runtime: Runtime,
    folder: TempDir,
    trace: Trace,
}

impl Imported {
    /// One trace in a file of its own.
    pub fn trace(trace: TraceBuilder) -> Self {
        Self::file(trace.build())
    }

    /// One file.
    pub fn file(bytes: impl AsRef<[u8]>) -> Self {
        Self::files(&[("trace", bytes.as_ref())])
    }

    /// Several files, each named to the import.
    pub fn files(files: &[(&str, &[u8])]) -> Self {
        Self::with(files, ImportOptions::default())
    }

    /// Several files, imported as `options` say.
    pub fn with(files: &[(&str, &[u8])], options: ImportOptions) -> Self {
        match Self::import(files, options) {
            Ok(imported) => imported,
            Err(message) => panic!("refused: {message}"),
        }
    }

    /// Why these files cannot be imported as `options` say.
    pub fn refused(files: &[(&str, &[u8])], options: ImportOptions) -> String {
        match Self::import(files, options) {
            Ok(_) => panic!("was imported"),
            Err(message) => message,
        }
    }

    fn import(files: &[(&str, &[u8])], options: ImportOptions) -> Result<Self, String> {
        let folder = tempfile::tempdir().unwrap();
        let paths = write(&folder, files);
        let runtime =
            tokio::runtime::Builder::new_multi_thread().worker_threads(1).build().unwrap();
        match runtime.block_on(Trace::open(&paths, options)) {
            Ok(trace) => Ok(Self { runtime, folder, trace }),
            Err(error) => Err(without(&folder, &error.to_string())),
        }
    }

    /// The rows of a query: a line for each, columns aligned, below their names.
    pub fn rows(&self, sql: &str) -> String {
        let mut rows = self.runtime.block_on(query(&self.trace, sql)).unwrap();
        for cell in rows.cells.iter_mut().flatten().flatten() {
            *cell = without(&self.folder, cell);
        }
        table(&rows)
    }

    /// The cells of a query's rows, as text.
    pub fn cells(&self, sql: &str) -> Vec<Vec<String>> {
        let rows = self.runtime.block_on(query(&self.trace, sql)).unwrap();
        let cell = |cell: Option<String>| cell.unwrap_or_else(|| "NULL".to_owned());
        rows.cells.into_iter().map(|row| row.into_iter().map(cell).collect()).collect()
    }

    /// The only cell of a query.
    pub fn cell(&self, sql: &str) -> String {
        let rows = self.runtime.block_on(query(&self.trace, sql)).unwrap();
        assert_eq!((rows.cells.len(), rows.names.len()), (1, 1), "{sql}");
        rows.cells[0][0].clone().unwrap_or_else(|| "NULL".to_owned())
    }

    /// Works with the trace itself.
    pub fn with_trace<T>(&self, work: impl AsyncFnOnce(&Trace) -> T) -> T {
        self.runtime.block_on(work(&self.trace))
    }

    /// The summary of the import.
    pub fn summary(&self) -> &tpq::ImportSummary {
        self.trace.summary()
    }

    /// Everything that a merge decides, as sections with a heading each.
    pub fn picture(&self) -> String {
        let metadata = "SELECT name, int_value, str_value, machine_id AS machine, \
            trace_id AS file FROM metadata WHERE name = 'trace_time_clock_id' \
            OR name LIKE 'manifest_attribute.%' OR name IN ('system_release', 'trace_size_bytes') \
            ORDER BY id";
        let sections = [
            ("trace_file", FILES),
            ("machine", MACHINES),
            ("metadata", metadata),
            ("clock_snapshot", CLOCK_SNAPSHOT),
            ("trace_bounds", "SELECT start_ts, end_ts FROM trace_bounds"),
            ("thread", THREADS),
            ("events", EVENTS),
            ("stats", STATS),
        ];
        let mut text = String::new();
        for (heading, sql) in sections {
            writeln!(text, "== {heading}\n{}", self.rows(sql)).unwrap();
        }
        text
    }
}

/// The message with which files are refused.
pub fn refused(files: &[(&str, &[u8])]) -> String {
    match Imported::import(files, ImportOptions::default()) {
        Ok(_) => panic!("this was imported"),
        Err(message) => message,
    }
}

/// The message with which an archive is refused.
pub fn refused_archive(archive: &Archive) -> String {
    refused(&[("merge.tar", &archive.tar())])
}

/// The members of an archive, imported.
pub fn merged(archive: &Archive) -> Imported {
    Imported::files(&[("merge.tar", &archive.tar())])
}

/// Writes files into a folder and gives their paths.
pub fn write(folder: &TempDir, files: &[(&str, &[u8])]) -> Vec<PathBuf> {
    let path = |(name, bytes): &(&str, &[u8])| {
        let path = folder.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        path
    };
    files.iter().map(path).collect()
}

/// A text that names files in a folder, without the folder.
fn without(folder: &TempDir, text: &str) -> String {
    text.replace(&format!("{}/", folder.path().display()), "")
}

fn table(rows: &Rows) -> String {
    let mut lines = vec![rows.names.clone()];
    let cell = |cell: &Option<String>| cell.clone().unwrap_or_else(|| "NULL".to_owned());
    lines.extend(rows.cells.iter().map(|row| row.iter().map(cell).collect()));
    let width = |column: usize| lines.iter().map(|line| line[column].chars().count()).max();
    let widths: Vec<usize> = (0..rows.names.len()).filter_map(width).collect();
    let mut text = String::new();
    for line in &lines {
        let cells = line.iter().zip(&widths).map(|(cell, &width)| format!("{cell:width$}"));
        writeln!(text, "{}", cells.collect::<Vec<_>>().join("  ").trim_end()).unwrap();
    }
    text
}

/// A trace that begins with the track of [`instant`]s: that of thread 101 of process 100.
pub fn recording() -> TraceBuilder {
    TraceBuilder::new().packet(thread_track(WRITER, TRACK))
}

/// The track of thread 101 of process 100.
pub fn thread_track(sequence: u32, uuid: u64) -> Packet {
    let track = TrackDescriptor::new(uuid).thread(100, 101, "main");
    Packet::new().sequence(sequence).track_descriptor(track)
}

/// Something that happened on that track.
pub fn instant(at: u64, name: &str) -> Packet {
    let event = TrackEvent::instant(TRACK).name(name);
    Packet::new().sequence(WRITER).timestamp(at).track_event(event)
}

/// Values of clocks at one moment.
pub fn clocks(readings: &[(u32, u64)]) -> Packet {
    let snapshot = ClockSnapshot::new();
    snapshot_packet(readings.iter().fold(snapshot, |all, &(id, value)| all.clock(id, value)))
}

/// A snapshot as the recorder writes it.
pub fn snapshot_packet(snapshot: ClockSnapshot) -> Packet {
    Packet::new().sequence(RECORDER).clock_snapshot(snapshot)
}

/// The recorder's packet about the system.
pub fn system(info: SystemInfo) -> Packet {
    Packet::new().sequence(RECORDER).system_info(info)
}
