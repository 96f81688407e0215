//! Tables that an import leaves out, because the statements to be run do not name them.

use std::io::Write;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use insta::assert_snapshot;
use tokio::runtime::Runtime;
use tpq::{CancelToken, ImportOptions, SqlErrorKind, Trace};
use tpq_tables::{TableGroup, TableGroups};
use tpq_testkit::mutate::mutate;
use tpq_testkit::random::Random;
use tpq_testkit::testdata;
use tpq_testkit::{
    Annotation, CompactSched, FtraceBundle, FtraceEvent, InternedData, Message, NEEDS_STATE,
    Packet, ProcessTree, STATE_CLEARED, Task, TraceBuilder, TrackEvent,
};

use crate::command::{Folder, run};
use crate::imported::{Imported, TRACK, WRITER, recording, thread_track};
use crate::same_tables::assert_same;

const ONE: Task<'_> = Task::new("one", 11);
const TWO: Task<'_> = Task::new("two", 12);
const SLEEPS: i64 = 1;
const CAN_RUN: i64 = 0;

/// Two switches and a wakeup between two instants. Each of these has an arg set of its own, and so
/// has the track of the instants.
pub fn trace() -> TraceBuilder {
    let events = FtraceBundle::new(0)
        .event(FtraceEvent::sched_switch(100, ONE, SLEEPS, TWO))
        .event(FtraceEvent::sched_waking(150, TWO.tid, ONE, 0))
        .event(FtraceEvent::sched_switch(200, TWO, CAN_RUN, ONE));
    let instant = |at, name, value| {
        let event = TrackEvent::instant(TRACK).name(name);
        let event = event.annotation(Annotation::named("number").int(value));
        Packet::new().sequence(1).timestamp(at).track_event(event)
    };
    recording()
        .packet(instant(50, "before", 1))
        .packet(Packet::new().sequence(2).ftrace(events))
        .packet(instant(300, "after", 2))
}

fn lean() -> ImportOptions {
    let statements = Some(Arc::from("SELECT count(*) FROM sched"));
    ImportOptions { statements, ..ImportOptions::default() }
}

/// Without args, but with everything that is counted.
fn counting() -> ImportOptions {
    ImportOptions { statements: Some(Arc::from("SELECT value FROM stats")), ..lean() }
}

fn open(statements: &str) -> Imported {
    let statements = Some(Arc::from(statements));
    let options = ImportOptions { statements, ..ImportOptions::default() };
    Imported::with(&[("trace", &trace().build())], options)
}

fn left_out(imported: &Imported) -> TableGroups {
    imported.with_trace(async |trace| trace.tables().groups_left_out())
}

const SLICES: &str = "SELECT ts, name, arg_set_id, int_value FROM slice \
    LEFT JOIN args USING (arg_set_id) ORDER BY ts";
const STATES: &str = "SELECT ts, dur, t.name, state FROM thread_state \
    JOIN thread t USING (utid) ORDER BY thread_state.id";

#[test]
fn tables_that_no_statement_names_are_made_when_one_does() {
    let imported = open("SELECT count(*) FROM sched");
    assert_eq!(left_out(&imported), TableGroups::all());
    assert_eq!(imported.cell("SELECT count(*) FROM sched"), "2");
    assert_eq!(left_out(&imported), TableGroups::all());
    let by_name = "SELECT name, count(*) AS n FROM slice GROUP BY name ORDER BY name";
    assert_snapshot!(imported.rows(by_name), @r"
    name    n
    after   1
    before  1
    ");
    // The last event is an instant without a duration.
    assert_snapshot!(imported.rows("SELECT start_ts, end_ts FROM trace_bounds"), @r"
    start_ts  end_ts
    50        300
    ");
    assert_snapshot!(imported.rows("SELECT ts, name FROM ftrace_event ORDER BY id"), @r"
    ts   name
    100  sched_switch
    150  sched_waking
    200  sched_switch
    ");
    assert_eq!(left_out(&imported), TableGroups::NONE);
    assert_snapshot!(imported.rows(STATES), @r"
    ts   dur  name  state
    100  50   one   S
    100  100  two   Running
    150  50   one   R
    200  -1   two   R
    200  -1   one   Running
    ");
}

/// The track has the first set, and the second instant the sixth, as three of kernel events come
/// before it. No row is made of these.
#[test]
fn ids_of_arg_sets_are_those_of_the_whole_trace() {
    let imported = open("SELECT count(*) FROM sched");
    // Answered by statistics of the column.
    let bounds = "SELECT min(arg_set_id) AS low, max(arg_set_id) AS high, count(arg_set_id) AS n \
        FROM slice";
    assert_snapshot!(imported.rows(bounds), @r"
    low  high  n
    2    6     2
    ");
    for statements in ["", SLICES] {
        let rows = open(statements).cells(SLICES);
        let expected = [["50", "before", "2", "1"], ["300", "after", "6", "2"]];
        assert_eq!(rows, expected, "{statements}");
    }
    let filtered = "SELECT name FROM slice WHERE arg_set_id = 6";
    assert_eq!(open("").cell(filtered), "after");
    assert_eq!(open("").cell("SELECT extract_arg(6, 'debug.number') AS number"), "2");
}

#[test]
fn tables_that_a_statement_names_are_made_at_once() {
    assert_eq!(left_out(&open("SELECT ts FROM ftrace_event, thread_state")), TableGroups::NONE);
    let states = open("SELECT state FROM thread_state");
    assert_ne!(left_out(&states), TableGroups::NONE);
    assert_eq!(states.cell("SELECT count(*) FROM thread_state"), "5");
    // They were not left out, so nothing had to be made.
    assert_ne!(left_out(&states), TableGroups::NONE);
}

/// Without events there is nothing to save.
#[test]
fn nothing_is_left_out_of_a_trace_without_events() {
    let processes = ProcessTree::new().process(100, 1, &["main"], 0);
    let packet = Packet::new().sequence(2).timestamp(50).process_tree(processes);
    let imported = Imported::with(&[("trace", &recording().packet(packet).build())], lean());
    assert_eq!(left_out(&imported), TableGroups::NONE);
}

/// An event for each annotation, with one name and one text that are interned.
fn annotated(annotations: impl IntoIterator<Item = Annotation>) -> TraceBuilder {
    let data = InternedData::new().annotation_name(1, "known").annotation_string(1, "text");
    let state = thread_track(WRITER, TRACK).flags(STATE_CLEARED).interned(data);
    let events = annotations.into_iter().zip(50..).map(|(annotation, at)| {
        let event = TrackEvent::instant(TRACK).name("event").annotation(annotation);
        Packet::new().sequence(WRITER).flags(NEEDS_STATE).timestamp(at).track_event(event)
    });
    TraceBuilder::new().packet(state).packets(events)
}

/// The older form of a nested value: a dictionary or a list, of values without names.
fn older(value: Message) -> Annotation {
    Annotation::from(Message::new().bytes(10, "older").message(8, value))
}

/// Annotations of every shape; what is read of them, and what is counted.
#[test]
fn annotations_that_are_left_out_are_checked() {
    let named = Annotation::named;
    let element = |value| Annotation::element().int(value);
    let long = |levels| {
        let innermost = named(&"n".repeat(1000)).int(1);
        (1..levels).fold(innermost, |inner, _| named(&"n".repeat(1000)).dict([inner]))
    };
    let deep = (0..500).fold(named("deep").int(1), |inner, _| named("d").dict([inner]));
    let number = || Message::new().int(5, 1);
    let list = |element: Message| Message::new().uint(1, 2).message(4, element);
    let dict =
        |key: &str, value: Message| Message::new().uint(1, 1).bytes(2, key).message(3, value);
    // `debug.older.` is before such a key.
    let longest = "n".repeat(4084);
    let sound = [
        Annotation::named_iid(1).string_iid(1),
        named("nothing"),
        named("dict").dict([named("list").array([element(1), element(2)])]),
        named("json").json(r#"{"a":1}"#),
        // Keys have 4,096 bytes at most.
        long(4),
        older(dict("key", list(number()).message(4, Message::new().bytes(8, "text")))),
        older(dict(&longest, number())),
        older(Message::new()),
    ];
    let damaged = [
        Annotation::named_iid(2).int(1),
        named("text").string_iid(2),
        named("dict").dict([named("a").int(1), element(2)]),
        named("json").json(r#"{"a":1,"#),
        long(5),
        deep,
        older(Message::new().uint(1, 1).bytes(2, "without a value")),
        older((0..100).fold(number(), |inner, _| list(inner))),
        older(dict(&format!("{longest}n"), number())),
    ];
    let bytes = annotated(sound.into_iter().chain(damaged)).build();
    let imported = Imported::with(&[("trace", &bytes)], counting());
    let kernel_events = TableGroups::NONE.with(TableGroup::KernelEvents);
    assert_eq!(left_out(&imported), kernel_events);
    let counts = "SELECT name, sum(value) AS n FROM stats WHERE name IN ( \
        'interned_data_tokenizer_errors', 'json_parser_failure', 'track_event_parser_errors') \
        GROUP BY name ORDER BY name";
    // Damaged JSON has a count of its own.
    assert_snapshot!(imported.rows(counts), @r"
    name                            n
    interned_data_tokenizer_errors  2
    json_parser_failure             1
    track_event_parser_errors       8
    ");
    assert_eq!(left_out(&imported), kernel_events);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("trace");
    std::fs::write(&path, &bytes).unwrap();
    let (usual, _) = tpq::import(std::slice::from_ref(&path), &ImportOptions::default()).unwrap();
    for (options, groups) in
        [(counting(), kernel_events), (lean(), kernel_events.with(TableGroup::Counts))]
    {
        let read = Trace::read(&path, bytes.as_slice(), &options).unwrap();
        assert_eq!(read.tables().groups_left_out(), groups);
        assert_same(&usual, read.tables(), "annotations");
    }
}

/// Events of JSON, of which the second has args that are nested too deeply to be read to their end.
#[test]
fn args_of_json_that_are_left_out_are_checked() {
    let event = |ts: u32, args: &str| {
        format!(r#"{{"ph":"X","pid":1,"tid":1,"ts":{ts},"dur":1,"name":"a","args":{args}}}"#)
    };
    let deep = format!("{}1{}", "[".repeat(200), "]".repeat(200));
    let deep = format!(r#"{{"before":1,"deep":{deep}}}"#);
    let json = format!("[{},{}]", event(1, r#"{"n":7}"#), event(5, &deep));
    let imported = Imported::with(&[("trace.json", json.as_bytes())], counting());
    let kernel_events = TableGroups::NONE.with(TableGroup::KernelEvents);
    assert_eq!(left_out(&imported), kernel_events);
    let failures = "SELECT sum(value) FROM stats WHERE name = 'json_parser_failure'";
    assert_eq!(imported.cell(failures), "1");
    assert_eq!(imported.cell("SELECT count(*) FROM slice"), "2");
    assert_eq!(left_out(&imported), kernel_events);
    let args = "SELECT ts, key, int_value FROM slice JOIN args USING (arg_set_id) ORDER BY ts";
    let expected = [["1000", "args.n", "7"], ["5000", "args.before", "1"]];
    assert_eq!(imported.cells(args), expected);
    assert_eq!(left_out(&imported), TableGroups::NONE);
    assert_eq!(imported.cell(failures), "1");
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("trace.json");
    std::fs::write(&path, &json).unwrap();
    let (usual, _) = tpq::import(std::slice::from_ref(&path), &ImportOptions::default()).unwrap();
    for (options, groups) in
        [(counting(), kernel_events), (lean(), kernel_events.with(TableGroup::Counts))]
    {
        let read = Trace::read(&path, json.as_bytes(), &options).unwrap();
        assert_eq!(read.tables().groups_left_out(), groups);
        assert_same(&usual, read.tables(), "args of JSON");
    }
}

/// Two system calls of a thread, one of another between them, and then what `between` has.
fn calls(between: Option<FtraceEvent>) -> Vec<u8> {
    const SYS_ENTER: u32 = 329;
    let call = |at, tid| FtraceEvent::other(at, tid, SYS_ENTER, Message::new().int(1, 1));
    let calls = FtraceBundle::new(0).event(call(100, 21)).event(call(110, 22));
    let calls = between.into_iter().fold(calls, FtraceBundle::event);
    let calls = calls.event(call(200, 21)).event(call(250, 23)).event(call(300, 21));
    let switch = FtraceEvent::sched_switch(400, ONE, SLEEPS, TWO);
    recording()
        .packet(Packet::new().sequence(2).ftrace(calls))
        .packet(Packet::new().sequence(2).ftrace(FtraceBundle::new(1).event(switch)))
        .build()
}

/// Of the calls of a thread, only the first is decoded. If the thread ends before the last, this
/// may be the call of a new thread with the same tid.
#[test]
fn calls_that_are_left_out_show_the_same_threads() {
    let lived = calls(None);
    let freed = FtraceEvent::sched_process_free(150, 22, Task::new("gone", 21));
    let ended = calls(Some(freed));
    let threads = |bytes: &[u8], groups: TableGroups| {
        let imported = Imported::with(&[("trace", bytes)], lean());
        assert_eq!(left_out(&imported), groups);
        let tids =
            imported.cells("SELECT tid FROM thread WHERE tid BETWEEN 1 AND 50 ORDER BY utid");
        assert_left_out_and_same(bytes, groups, "calls");
        tids.concat().join(" ")
    };
    assert_eq!(threads(&lived, TableGroups::all()), "21 22 23 11 12");
    assert_eq!(threads(&ended, TableGroups::NONE), "21 22 21 23 11 12");
}

/// The tables of a trace that leaves out these groups at first are those of a whole import.
fn assert_left_out_and_same(bytes: &[u8], groups: TableGroups, context: &str) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("trace");
    std::fs::write(&path, bytes).unwrap();
    let (usual, _) = tpq::import(std::slice::from_ref(&path), &ImportOptions::default()).unwrap();
    let read = Trace::read(&path, bytes, &lean()).unwrap();
    assert_eq!(read.tables().groups_left_out(), groups, "{context}");
    assert_same(&usual, read.tables(), context);
}

/// The second call at 110 is of a thread that ends again at that moment.
#[test]
fn calls_of_one_moment_show_the_same_threads() {
    const SYS_ENTER: u32 = 329;
    let call = |at, tid| FtraceEvent::other(at, tid, SYS_ENTER, Message::new().int(1, 1));
    let calls = FtraceBundle::new(0)
        .event(call(110, 22))
        .event(FtraceEvent::sched_process_free(110, 21, Task::new("gone", 22)))
        .event(call(110, 22))
        .event(FtraceEvent::task_newtask(110, 21, 22, "new", 0))
        .event(call(200, 22));
    let switch = FtraceEvent::sched_switch(400, ONE, SLEEPS, TWO);
    let bytes = recording()
        .packet(Packet::new().sequence(2).ftrace(calls))
        .packet(Packet::new().sequence(2).ftrace(FtraceBundle::new(1).event(switch)))
        .build();
    assert_left_out_and_same(&bytes, TableGroups::all(), "one moment");
}

/// The first CPU has data only of the time before the second has any. Its row is made by the second
/// wakeup: before the first, the running thread is unknown.
#[test]
fn wakeups_that_are_left_out_give_a_cpu_its_row() {
    let wakeups = CompactSched::new()
        .waking(110, ONE, 0, 0)
        .switch(120, CAN_RUN, TWO)
        .waking(130, ONE, 0, 0)
        .waking(140, ONE, 0, 0);
    let switches = CompactSched::new().switch(600, CAN_RUN, ONE).switch(700, SLEEPS, TWO);
    let bytes = recording()
        .packet(
            Packet::new().sequence(2).ftrace(FtraceBundle::new(2).last_read(100).compact(wakeups)),
        )
        .packet(
            Packet::new().sequence(2).ftrace(FtraceBundle::new(0).last_read(500).compact(switches)),
        )
        .build();
    assert_left_out_and_same(&bytes, TableGroups::all(), "wakeups");
}

/// Rows of two imports must not be mixed.
#[test]
fn a_trace_that_was_changed_is_not_imported_again() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("trace");
    std::fs::write(&path, trace().build()).unwrap();
    let runtime = Runtime::new().unwrap();
    let trace = runtime.block_on(Trace::open(&[&path], lean())).unwrap();
    append(&path);
    for statement in [
        "SELECT count(*) FROM ftrace_event",
        "SELECT count(*) FROM thread_state",
        "SELECT max(arg_set_id) FROM slice",
        "SELECT name, ts FROM slice",
        "SELECT extract_arg(2, 'number')",
    ] {
        let error = runtime.block_on(trace.sql(statement)).unwrap_err().to_string();
        let reason = "the trace is no longer the one that was imported";
        assert!(error.contains(reason), "{statement}: {error}");
    }
    let rows = runtime.block_on(trace.sql("SELECT ts, dur FROM sched")).unwrap();
    assert_eq!(rows.iter().map(|batch| batch.num_rows()).sum::<usize>(), 2);
}

fn append(path: &Path) {
    let mut file = std::fs::OpenOptions::new().append(true).open(path).unwrap();
    file.write_all(&trace().build()).unwrap();
}

/// A query that was abandoned leaves the tables usable.
#[test]
fn queries_at_once_and_one_that_is_dropped() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("trace");
    std::fs::write(&path, trace().build()).unwrap();
    let runtime = Runtime::new().unwrap();
    runtime.block_on(async {
        let trace = Arc::new(Trace::open(&[&path], lean()).await.unwrap());
        let count = |trace: &Arc<Trace>| {
            let trace = Arc::clone(trace);
            tokio::spawn(async move {
                let batches = trace.sql("SELECT ts FROM ftrace_event").await.unwrap();
                batches.iter().map(|batch| batch.num_rows()).sum::<usize>()
            })
        };
        let (dropped, one, other) = (count(&trace), count(&trace), count(&trace));
        dropped.abort();
        assert_eq!((one.await.unwrap(), other.await.unwrap()), (3, 3));
        assert_eq!(count(&trace).await.unwrap(), 3);
    });
}

/// Whether an import that frees memory waits, and whether one does.
static HELD: AtomicBool = AtomicBool::new(false);
static IS_WAITING: AtomicBool = AtomicBool::new(false);

/// Called by an import when all events are decoded.
fn wait_while_held() {
    while HELD.load(Ordering::Acquire) {
        IS_WAITING.store(true, Ordering::Release);
        std::thread::sleep(Duration::from_millis(1));
    }
    IS_WAITING.store(false, Ordering::Release);
}

fn wait_until(is_reached: impl Fn() -> bool) {
    let begun = Instant::now();
    while !is_reached() {
        assert!(begun.elapsed() < Duration::from_secs(60), "it takes too long");
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// A query that waits for the second import ends when it is cancelled, and that import with it.
/// The next query has it begun anew.
#[test]
fn a_query_that_waits_for_tables_can_be_cancelled() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("trace");
    // After the import of a smaller trace no memory is given back.
    let padding = Packet::new().padding(&[0; 5 << 20]);
    std::fs::write(&path, trace().packet(padding).build()).unwrap();
    let runtime = Runtime::new().unwrap();
    let options = ImportOptions { give_back: Some(wait_while_held), ..lean() };
    let trace = Arc::new(runtime.block_on(Trace::open(&[&path], options)).unwrap());
    for sql in [
        "SELECT ts FROM ftrace_event",
        "SELECT extract_arg(2, 'debug.number')",
        "SELECT max(arg_set_id) FROM slice",
    ] {
        HELD.store(true, Ordering::Release);
        let cancel = CancelToken::default();
        let query = {
            let (trace, cancel) = (Arc::clone(&trace), cancel.clone());
            runtime.spawn(async move {
                let session = trace.session();
                let statement = session.statements(sql).unwrap().remove(0);
                let rows = session.run_cancellable(&statement, &cancel).await;
                rows.map(drop).map_err(|error| error.kind())
            })
        };
        wait_until(|| IS_WAITING.load(Ordering::Acquire));
        cancel.cancel();
        let ended = async { tokio::time::timeout(Duration::from_secs(60), query).await };
        let outcome = runtime.block_on(ended).expect("the query ends").unwrap();
        assert_eq!(outcome, Err(SqlErrorKind::Cancelled), "{sql}");
        assert!(IS_WAITING.load(Ordering::Acquire), "the import is held");
        assert_eq!(trace.tables().groups_left_out(), TableGroups::all());
        HELD.store(false, Ordering::Release);
        wait_until(|| !IS_WAITING.load(Ordering::Acquire));
    }
    let events = runtime.block_on(trace.sql("SELECT ts FROM ftrace_event")).unwrap();
    assert_eq!(events.iter().map(|batch| batch.num_rows()).sum::<usize>(), 3);
}

#[test]
fn a_stream_is_imported_again_from_its_bytes() {
    let bytes = trace().build();
    let read = Trace::read(Path::new("trace"), bytes.as_slice(), &lean()).unwrap();
    assert_eq!(read.tables().groups_left_out(), TableGroups::all());
    assert_eq!(read.tables().get("ftrace_event").unwrap().num_rows(), 3);
}

#[test]
fn commands_print_the_same_with_all_tables() {
    let folder = Folder::of(&[("trace.pftrace", &trace().build())]);
    let printed = |arguments: &[&str]| {
        let output = folder.run(arguments);
        (output.status.code(), output.stdout, output.stderr)
    };
    // The last statement is not known to read ids of arg sets before it runs.
    let statements = "SELECT count(*) FROM sched; SELECT * FROM thread_state; \
        SELECT count(*) FROM slice AS one NATURAL JOIN slice AS other";
    for arguments in
        [&["query", "trace.pftrace", "-c", statements][..], &["check", "trace.pftrace"]]
    {
        let eager = printed(&[arguments, &["--eager"]].concat());
        assert_eq!(printed(arguments), eager, "{arguments:?}");
    }
    let missing = run(&["query", "no.pftrace", "--eager", "-c", "SELECT 1"]);
    assert!(!missing.status.success());
}

/// What is damaged is counted whether or not rows are made of it.
#[test]
fn damaged_traces_have_the_same_tables() {
    const MUTATIONS: u64 = 400;
    let files = testdata::files();
    let seeds: Vec<&[u8]> = files.iter().map(|(_, bytes)| bytes.as_slice()).collect();
    let own = trace().build();
    let kernel = [own.as_slice()];
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("trace");
    let mut left_out = 0;
    for number in 0..MUTATIONS {
        let seeds = if number % 2 == 0 { &kernel[..] } else { &seeds[..] };
        let bytes = mutate(&mut Random::new(number), seeds);
        std::fs::write(&path, &bytes).unwrap();
        let one_thread = ImportOptions { threads: Some(1), ..ImportOptions::default() };
        let usual = tpq::import(std::slice::from_ref(&path), &one_thread);
        let options = ImportOptions { threads: Some(1), ..lean() };
        let lean = Trace::read(&path, bytes.as_slice(), &options);
        let (Ok((usual, _)), Ok(lean)) = (&usual, &lean) else {
            assert_eq!(usual.is_ok(), lean.is_ok(), "mutation {number}");
            continue;
        };
        left_out += u64::from(!lean.tables().groups_left_out().is_empty());
        assert_same(usual, lean.tables(), &format!("mutation {number}"));
    }
    assert!(left_out > MUTATIONS / 4, "only {left_out} of {MUTATIONS} have kernel events");
}
