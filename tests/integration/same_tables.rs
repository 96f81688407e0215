//! However a trace is imported, its tables are the same: on one thread or several, within the
//! lowest limit of memory, with events and rows in temporary files, on demand, or found in the cache.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use datafusion::arrow::array::RecordBatch;
use tpq::{ImportOptions, TableCache, Trace};
use tpq_tables::{Table, TraceTables};
use tpq_testkit::{
    Annotation, Defaults, FtraceBundle, FtraceEvent, InternedData, Message, NEEDS_STATE, Packet,
    STATE_CLEARED, Task, TraceBuilder, TrackDescriptor, TrackEvent, field,
};

/// How files end that are of formats which are not read, or hold nothing. Any other must be read.
const NO_TRACES: [&str; 2] = ["corrupt/empty.pftrace", "corrupt/text.pftrace"];

/// Traces in a folder and those within it; none where it is absent.
fn traces(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let paths = entries.map(|entry| entry.unwrap().path());
    let is_text = |path: &PathBuf| path.extension().is_some_and(|extension| extension == "md");
    // Binaries are for the symbols of traces.
    let paths = paths.filter(|path| !path.ends_with("testdata/binaries"));
    let mut files: Vec<PathBuf> = paths
        .flat_map(|path| if path.is_dir() { traces(&path) } else { vec![path] })
        .filter(|path| !is_text(path))
        .collect();
    files.sort();
    files
}

fn import(path: &Path, options: ImportOptions) -> TraceTables {
    let imported = tpq::import(&[path.to_owned()], &options);
    imported.unwrap_or_else(|error| panic!("{}: {error}", path.display())).0
}

/// All of a chunk, but those rows of counts that say how long the import took.
fn rows(table: &Table, chunk: usize) -> RecordBatch {
    let columns: Vec<usize> = (0..table.schema().fields().len()).collect();
    let batch = table.read(chunk, 0..table.chunk_rows(chunk), &columns).unwrap();
    match table.decl().name {
        "stats" => {
            let names = batch.column_by_name("name").unwrap();
            let names = datafusion::arrow::array::AsArray::as_string_view(names.as_ref());
            let keep = names.iter().map(|name| name.map(|name| !name.contains("duration")));
            datafusion::arrow::compute::filter_record_batch(&batch, &keep.collect()).unwrap()
        }
        _ => batch,
    }
}

/// Compares all tables, row by row.
pub fn assert_same(one: &TraceTables, other: &TraceTables, what: &str) {
    assert_eq!(one.iter().count(), other.iter().count(), "{what}: tables");
    for (one, other) in one.iter().zip(other.iter()) {
        let name = one.decl().name;
        assert_eq!(name, other.decl().name, "{what}");
        assert_eq!(one.num_rows(), other.num_rows(), "{what}: rows of {name}");
        for chunk in 0..one.num_chunks() {
            assert!(rows(one, chunk) == rows(other, chunk), "{what}: chunk {chunk} of {name}");
            for column in 0..one.schema().fields().len() {
                let range = |table: &Table| table.chunk_range(chunk, column);
                assert_eq!(range(one), range(other), "{what}: range of {name}, column {column}");
            }
        }
    }
}

/// Imports a trace in every way.
fn check(path: &Path) {
    let what = |how: &str| format!("{}, {how}", path.display());
    let usual = import(path, ImportOptions::default());
    let one_thread = ImportOptions { threads: Some(1), ..ImportOptions::default() };
    let one_thread = import(path, one_thread);
    assert_same(&usual, &one_thread, &what("one thread"));
    drop(one_thread);
    let least = Some(ImportOptions::LEAST_MEMORY);
    let limited = ImportOptions { memory_limit: least, ..ImportOptions::default() };
    assert_same(&usual, &import(path, limited), &what("limited"));
    assert_received_is(&usual, path);
    assert_lean_is(&usual, path);
    assert_cached_is(&usual, path);
    assert_partial_is(&usual, path);
    drop(usual);
    let full = ImportOptions { full_sort: true, ..ImportOptions::default() };
    let limited = ImportOptions { memory_limit: least, threads: Some(1), ..full.clone() };
    let full = import(path, full);
    assert_same(&full, &import(path, limited), &what("sorted in full, limited"));
}

/// Leaves out what statements can do without, and reads it after all.
fn assert_lean_is(usual: &TraceTables, path: &Path) {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    for statements in ["", "SELECT ts FROM thread_state", "SELECT ts FROM ftrace_event"] {
        let statements = Some(Arc::from(statements));
        let options = ImportOptions { statements, ..ImportOptions::default() };
        let lean = runtime.block_on(Trace::open(&[path], options)).unwrap();
        assert_same(usual, lean.tables(), &format!("{}, on demand", path.display()));
    }
}

/// Reads a trace as a stream, in pieces as they may arrive.
fn assert_received_is(usual: &TraceTables, path: &Path) {
    let pieces = Pieces(std::fs::File::open(path).unwrap(), 0);
    let received = Trace::read(path, pieces, &ImportOptions::default()).unwrap();
    assert_same(usual, received.tables(), &format!("{}, received", path.display()));
}

/// A stream that gives few bytes or many at a time.
struct Pieces(std::fs::File, usize);

impl std::io::Read for Pieces {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        self.1 = (self.1 * 7 + 1) % 300_007;
        let len = buffer.len().min(self.1.max(1));
        self.0.read(&mut buffer[..len])
    }
}

/// Keeps a trace in a cache, finds it there, and compares what was found.
fn assert_cached_is(usual: &TraceTables, path: &Path) {
    let folder = tempfile::tempdir().unwrap();
    let cache = TableCache::in_folder(folder.path()).of_traces_from(0);
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let open = || {
        let options = ImportOptions { cache: Some(cache.clone()), ..ImportOptions::default() };
        runtime.block_on(Trace::open(&[path], options)).unwrap()
    };
    let imported = open();
    if !imported.summary().damage.is_empty() {
        return;
    }
    drop(imported);
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1, "{}", path.display());
    let found = open();
    assert_same(usual, found.tables(), &format!("{}, cached", path.display()));
    let options = ImportOptions { cache: Some(cache), ..ImportOptions::default() };
    let received = Trace::read(path, std::fs::File::open(path).unwrap(), &options).unwrap();
    assert!(received.is_from_cache(), "{}, received", path.display());
}

/// Keeps a trace in a cache without the tables that statements can do without, finds it there, and
/// reads all tables, which then are in the cache as well.
fn assert_partial_is(usual: &TraceTables, path: &Path) {
    let folder = tempfile::tempdir().unwrap();
    let cache = TableCache::in_folder(folder.path()).of_traces_from(0);
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let open = |statements: Option<&str>| {
        let (cache, statements) = (Some(cache.clone()), statements.map(Arc::from));
        let options = ImportOptions { cache, statements, ..ImportOptions::default() };
        runtime.block_on(Trace::open(&[path], options)).unwrap()
    };
    let first = open(Some(""));
    let left_out = first.tables().groups_left_out();
    if left_out.is_empty() || !first.summary().damage.is_empty() {
        return;
    }
    drop(first);
    let second = open(Some(""));
    assert!(second.is_from_cache(), "{}, partial", path.display());
    assert_eq!(second.tables().groups_left_out(), left_out, "{}", path.display());
    assert_same(usual, second.tables(), &format!("{}, partial", path.display()));
    drop(second);
    let third = open(None);
    assert!(third.is_from_cache(), "{}, completed", path.display());
    assert!(third.tables().groups_left_out().is_empty(), "{}", path.display());
    assert_same(usual, third.tables(), &format!("{}, completed", path.display()));
}

fn check_all(folder: &str, wanted: impl Fn(&str) -> bool) {
    let name = |path: &Path| path.file_name().unwrap().to_string_lossy().into_owned();
    let paths = traces(&Path::new(crate::ROOT).join(folder));
    let wanted: Vec<_> = paths.iter().filter(|path| wanted(&name(path))).collect();
    if wanted.is_empty() {
        eprintln!("skipped: no traces in {folder}");
        return;
    }
    let (none, traces): (Vec<_>, Vec<_>) = wanted
        .into_iter()
        .partition(|path| NO_TRACES.iter().any(|end| path.to_string_lossy().ends_with(end)));
    assert!(!traces.is_empty(), "nothing in {folder} is a trace");
    traces.into_iter().for_each(|path| check(path));
    for path in none {
        let refused = tpq::import(std::slice::from_ref(path), &ImportOptions::default()).is_err();
        assert!(refused, "{} is read now: compare its tables as well", path.display());
    }
}

/// Several files wait for each other, and so do events that memory has no room for.
#[test]
fn of_a_merge_within_the_lowest_limit() {
    let folder = tempfile::tempdir().unwrap();
    let paths: Vec<PathBuf> = (0..3)
        .map(|file| {
            let path = folder.path().join(format!("{file}.pftrace"));
            std::fs::write(&path, busy(file)).unwrap();
            path
        })
        .collect();
    let import = |memory_limit: Option<u64>| {
        let options = ImportOptions { memory_limit, ..ImportOptions::default() };
        tpq::import(&paths, &options).unwrap()
    };
    let (usual, summary) = import(None);
    assert!(summary.sort_peak > ImportOptions::LEAST_MEMORY, "{}", summary.sort_peak);
    let (limited, summary) = import(Some(ImportOptions::LEAST_MEMORY));
    assert!(summary.sort_peak < ImportOptions::LEAST_MEMORY / 2, "{}", summary.sort_peak);
    assert_same(&usual, &limited, "three files");
}

/// A recording of two CPUs and a program, without flushes, and those of a second in no order.
fn busy(file: u64) -> Vec<u8> {
    const S: u64 = 1_000_000_000;
    const EVENTS: u64 = 4_000;
    let threads = [Task::new("one", 11), Task::new("two", 12)];
    let bundle = |cpu: u32, second: u64| {
        let switch = |index: u64| {
            let at = second * S + index * (S / EVENTS) + file;
            let (from, to) = (index % 2, (index + 1) % 2);
            FtraceEvent::sched_switch(at, threads[from as usize], 1, threads[to as usize])
        };
        let bundle = (0..EVENTS).map(switch).fold(FtraceBundle::new(cpu), FtraceBundle::event);
        Packet::new().sequence(2).ftrace(bundle)
    };
    let instants = |second: u64| {
        let at = move |index: u64| second * S + index * 997 % 1_000 * 1_000;
        (0..100).map(move |index| {
            let event = TrackEvent::instant(7).name("now");
            Packet::new().sequence(3).timestamp(at(index)).track_event(event)
        })
    };
    let seconds = (1..=60).map(|at| at * 7 % 61);
    seconds
        .fold(TraceBuilder::new(), |trace, second| {
            trace.packets([bundle(0, second), bundle(1, second)]).packets(instants(second))
        })
        .build()
}

/// Fields of some track events are read ahead of the decoder where args and counts are left out.
#[test]
fn of_track_events_of_many_forms() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("events.pftrace");
    std::fs::write(&path, track_events()).unwrap();
    check(&path);
}

/// Events with fields that are read ahead, and between them others.
fn track_events() -> Vec<u8> {
    const THREAD: u64 = 7;
    const CHILD: u64 = 8;
    const COUNTER: u64 = 9;
    const SUM: u64 = 10;
    // Its parent is described behind it.
    const GRANDCHILD: u64 = 11;
    let interned = InternedData::new().category(1, "one").category(2, "two");
    let interned = interned.event_name(1, "work").event_name(2, "wait");
    let defaults = Defaults::new().track(THREAD);
    let first = Packet::new().sequence(3).flags(STATE_CLEARED).defaults(defaults);
    let tracks = [
        TrackDescriptor::new(GRANDCHILD).parent(CHILD).name("grandchild"),
        TrackDescriptor::new(THREAD).thread(1, 2, "worker"),
        TrackDescriptor::new(CHILD).parent(THREAD).name("child"),
        TrackDescriptor::new(COUNTER).parent(THREAD).name("count").counter(),
        TrackDescriptor::new(SUM).parent(THREAD).name("sum").counter_incremental(3),
    ];
    let tracks = tracks.map(|track| Packet::new().sequence(3).track_descriptor(track));
    let event = |index: u64| match index % 12 {
        0 => TrackEvent::begin_here().name_iid(1).category_iid(1),
        1 => TrackEvent::begin(CHILD).name_iid(2).category_iid(1).category_iid(2),
        2 => TrackEvent::counter(COUNTER, index as i64),
        3 => TrackEvent::double_counter(COUNTER, 0.5),
        4 => TrackEvent::instant_here().name("given").extra_counter(SUM, 1),
        5 => TrackEvent::counter(SUM, 2),
        6 => TrackEvent::begin(GRANDCHILD).category("given").flow(index),
        7 => TrackEvent::end(CHILD),
        // A name that was not interned is counted.
        8 => TrackEvent::begin_here().name_iid(3).annotation(Annotation::named("key").int(1)),
        9 => TrackEvent::end(GRANDCHILD).ends_flow(index - 3),
        _ => TrackEvent::end_here(),
    };
    let packet = |index: u64| {
        let packet = Packet::new().sequence(3).flags(NEEDS_STATE).timestamp(1_000 + 10 * index);
        packet.track_event(event(index))
    };
    let trace = TraceBuilder::new().packet(first.interned(interned)).packets(tracks);
    trace.packets((0..6_000).map(packet)).build()
}

/// Machines and states of a sequence have names and tracks of their own under the same ids. Some
/// events are not as writers make them.
#[test]
fn of_track_events_of_machines_and_states() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("states.pftrace");
    std::fs::write(&path, states_of_machines()).unwrap();
    check(&path);
}

/// Two machines by turns begin new states of a sequence with the same number.
fn states_of_machines() -> Vec<u8> {
    const THREAD: u64 = 7;
    const SUM: u64 = 8;
    const TRACKS: u64 = 16;
    const EVENTS: u64 = 10;
    const FAR: u64 = 70_000;
    const LARGE: u64 = 1 << 33;
    let state = |round: u64| {
        let name = format!("name {round}");
        let names = InternedData::new().event_name(1, &name).event_name(1, "interned again");
        let names = names.event_name(FAR, "far").event_name(LARGE, &name);
        let names = names.category(1, &name).category(FAR, "far");
        let first = Packet::new().flags(STATE_CLEARED).defaults(Defaults::new().track(THREAD));
        // A track that events have named may be described, and one may get a name later.
        let named = TrackDescriptor::new(TRACKS + round % 20).name(&name);
        let tracks = [
            TrackDescriptor::new(THREAD).thread(1, 2, &name),
            TrackDescriptor::new(SUM).parent(THREAD).name(&name).counter_incremental(3),
            if round.is_multiple_of(3) { named.parent(THREAD) } else { named },
        ];
        let tracks = tracks.map(|track| Packet::new().track_descriptor(track));
        std::iter::once(first.interned(names)).chain(tracks)
    };
    let changed = |event: TrackEvent, change: fn(Message) -> Message| {
        TrackEvent::from(change(Message::from(event)))
    };
    let event = |round: u64, index: u64| match index {
        0 => TrackEvent::begin_here().name_iid(1).category_iid(1),
        1 => TrackEvent::begin(TRACKS + round % 20).name_iid(LARGE),
        2 => TrackEvent::counter(SUM, 1),
        3 => TrackEvent::instant_here().name_iid(FAR).category_iid(FAR),
        4 => TrackEvent::instant(1_000 + round).name_iid(1),
        // The last value counts.
        5 => changed(TrackEvent::instant(1).name_iid(9), |event| {
            event.uint(field::TrackEvent::track_uuid, THREAD).uint(field::TrackEvent::name_iid, 1)
        }),
        // The older form: a whole slice of 5 us.
        6 => changed(TrackEvent::instant_here().name_iid(1), |event| {
            event.message(6, Message::new().uint(2, b'X'.into()).uint(3, 5))
        }),
        // A tag without a value.
        7 => changed(TrackEvent::instant_here().name_iid(1), |event| {
            Message::from_bytes([event.as_bytes(), &[0x48]].concat())
        }),
        8 => TrackEvent::end(TRACKS + round % 20),
        _ => TrackEvent::end_here(),
    };
    let rounds = (0..400_u64).flat_map(|round| {
        let events = (0..EVENTS).map(move |index| {
            let packet = Packet::new().flags(NEEDS_STATE).timestamp(1_000 + EVENTS * round + index);
            packet.track_event(event(round, index))
        });
        state(round).chain(events).map(move |packet| {
            let packet = packet.sequence(3);
            if round % 2 == 1 { packet.machine(5) } else { packet }
        })
    });
    TraceBuilder::new().packets(rounds).build()
}

#[test]
fn a_limit_below_the_lowest_is_refused() {
    let path = Path::new(crate::ROOT).join("testdata/sched.pftrace");
    let limit = ImportOptions::LEAST_MEMORY - 1;
    let options = ImportOptions { memory_limit: Some(limit), ..ImportOptions::default() };
    let refused = tpq::import(&[path], &options).err().unwrap();
    let text = "a memory limit of 16777215 bytes is too low: an import needs 16 MiB or more";
    assert_eq!(refused.to_string(), text);
}

#[test]
fn of_the_traces_here() {
    check_all("testdata", |_| true);
}

/// Those of a few megabytes.
#[test]
fn of_real_traces() {
    check_all("../shared/traces", |name| !name.ends_with("pftrace.gz"));
}

#[test]
fn of_a_trace_of_all_kernel_events() {
    check_all("../shared/traces", |name| name == "linux_all_events.pftrace.gz");
}

#[test]
fn of_a_trace_of_heavy_load() {
    check_all("../shared/traces", |name| name == "linux_sched_heavy.pftrace.gz");
}

#[test]
fn of_a_trace_of_a_browser() {
    check_all("../shared/traces", |name| name == "chromium_10s.pftrace.gz");
}
