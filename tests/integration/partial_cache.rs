//! Cache entries without the tables that no statement named: when they are used, and when entries
//! with all tables replace them.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use insta::assert_snapshot;
use tokio::runtime::Runtime;
use tpq::{ImportOptions, TableCache, Trace};
use tpq_tables::{TableGroup, TableGroups};
use tpq_testkit::{FtraceBundle, FtraceEvent, Packet, Task, TraceBuilder};

use crate::command::{Folder, describe, tpq};
use crate::left_out::trace;
use crate::same_tables::assert_same;

/// Needs no table that can be left out.
const SCHED: &str = "SELECT count(*) FROM sched";
const STATES: &str = "SELECT count(*) FROM thread_state";

/// A folder with a trace and an empty cache.
struct Fixture {
    folder: tempfile::TempDir,
    runtime: Runtime,
}

impl Fixture {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("trace"), trace().build()).unwrap();
        Self { folder, runtime: Runtime::new().unwrap() }
    }

    fn path(&self) -> PathBuf {
        self.folder.path().join("trace")
    }

    fn cache(&self) -> TableCache {
        TableCache::in_folder(self.folder.path().join("cache")).of_traces_from(0)
    }

    /// Options for these statements; for any if they are not known.
    fn options(&self, statements: Option<&str>) -> ImportOptions {
        let (cache, statements) = (Some(self.cache()), statements.map(Arc::from));
        ImportOptions { cache, statements, ..ImportOptions::default() }
    }

    /// Opens the trace and waits until it is stored.
    fn open(&self, statements: Option<&str>) -> Trace {
        let paths = [self.path()];
        let opened = Trace::open(&paths, self.options(statements));
        let trace = self.runtime.block_on(opened).unwrap();
        trace.wait_until_cached();
        trace
    }

    /// The number of rows that a statement gives.
    fn rows(&self, trace: &Trace, sql: &str) -> usize {
        let batches = self.runtime.block_on(trace.sql(sql)).unwrap();
        batches.iter().map(|batch| batch.num_rows()).sum()
    }

    /// The tables that the entry leaves out.
    fn missing(&self) -> Option<Vec<&'static str>> {
        self.cache().tables_left_out(&[self.path()], &self.options(None))
    }

    fn entry(&self) -> PathBuf {
        let entries = std::fs::read_dir(self.folder.path().join("cache")).unwrap();
        let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
        assert_eq!(paths.len(), 1, "{paths:?}");
        paths.remove(0)
    }

    /// The trace, imported without a cache.
    fn whole(&self) -> tpq_tables::TraceTables {
        tpq::import(&[self.path()], &ImportOptions::default()).unwrap().0
    }
}

/// The tables that may be left out.
fn all() -> Vec<&'static str> {
    TableGroups::all().table_names().collect()
}

#[test]
fn an_entry_without_tables_answers_statements_that_do_not_name_them() {
    let fixture = Fixture::new();
    assert_eq!(fixture.missing(), None);
    let first = fixture.open(Some(SCHED));
    assert!(!first.is_from_cache());
    assert_eq!(first.tables().groups_left_out(), TableGroups::all());
    drop(first);
    assert_eq!(fixture.missing(), Some(all()));
    let second = fixture.open(Some("SELECT name FROM thread"));
    assert!(second.is_from_cache());
    assert_eq!(fixture.rows(&second, "SELECT ts FROM sched"), 2);
    assert_eq!(fixture.rows(&second, "SELECT name FROM thread WHERE name = 'two'"), 1);
    // It was answered without another import.
    assert_eq!(second.tables().groups_left_out(), TableGroups::all());
    drop(second);
    assert_eq!(fixture.missing(), Some(all()));
}

/// Of many traces, each that is stored is stored whole, and others are imported as without a cache.
#[test]
fn traces_that_are_stored_whole_leave_out_tables_only_where_nothing_is_stored() {
    let fixture = Fixture::new();
    let open = |cache: TableCache| {
        let statements = Some(SCHED.into());
        let options = ImportOptions {
            store_whole: true,
            statements,
            cache: Some(cache),
            ..ImportOptions::default()
        };
        let paths = [fixture.path()];
        let trace = fixture.runtime.block_on(Trace::open(&paths, options)).unwrap();
        trace.wait_until_cached();
        trace
    };
    // The trace is smaller than what is stored by default.
    let folder = fixture.folder.path().join("cache");
    for _ in 0..2 {
        let small = open(TableCache::in_folder(&folder));
        assert!(!small.is_from_cache());
        assert_eq!(small.tables().groups_left_out(), TableGroups::all());
        assert_eq!(fixture.rows(&small, "SELECT ts FROM sched"), 2);
    }
    assert!(!folder.exists());
    for is_stored in [false, true] {
        let whole = open(fixture.cache());
        assert_eq!(whole.is_from_cache(), is_stored);
        assert_eq!(whole.tables().groups_left_out(), TableGroups::NONE);
    }
    assert_eq!(fixture.missing(), Some(Vec::new()));
}

/// A statement that names a missing table, or any statement, has everything imported.
#[test]
fn an_entry_with_all_tables_replaces_one_without() {
    for statements in [Some(STATES), Some("SELECT * FROM slice"), None] {
        let fixture = Fixture::new();
        drop(fixture.open(Some(SCHED)));
        let partial = fixture.entry();
        let second = fixture.open(statements);
        assert!(!second.is_from_cache(), "{statements:?}");
        assert_eq!(second.tables().groups_left_out(), TableGroups::NONE);
        assert_same(&fixture.whole(), second.tables(), "imported again");
        drop(second);
        assert_eq!(fixture.missing(), Some(Vec::new()));
        assert_eq!(fixture.entry(), partial);
        for statements in [Some(SCHED), Some(STATES), None] {
            let third = fixture.open(statements);
            assert!(third.is_from_cache());
            assert_eq!(third.tables().groups_left_out(), TableGroups::NONE);
            assert_same(&fixture.whole(), third.tables(), "from the cache");
        }
    }
}

/// What one statement needs may be less than everything, and more than another needs.
#[test]
fn an_entry_without_one_group_is_used_where_that_is_not_named() {
    let fixture = Fixture::new();
    drop(fixture.open(Some(STATES)));
    let without_counts = TableGroups::NONE.with(TableGroup::KernelEvents).with(TableGroup::Counts);
    let names: Vec<&str> = without_counts.table_names().collect();
    assert_eq!(fixture.missing(), Some(names));
    let found = fixture.open(Some(SCHED));
    assert!(found.is_from_cache());
    assert_eq!(found.tables().groups_left_out(), without_counts);
    let found = fixture.open(Some(STATES));
    assert_eq!(fixture.rows(&found, "SELECT ts FROM thread_state"), 5);
    assert_eq!(found.tables().groups_left_out(), without_counts);
}

#[test]
fn a_missing_table_that_is_read_after_all_is_stored() {
    let fixture = Fixture::new();
    drop(fixture.open(Some(SCHED)));
    let found = fixture.open(Some(SCHED));
    assert!(found.is_from_cache());
    assert_eq!(fixture.rows(&found, "SELECT ts FROM ftrace_event"), 3);
    assert_eq!(fixture.rows(&found, "SELECT 1 FROM slice WHERE arg_set_id = 6"), 1);
    found.wait_until_cached();
    assert_eq!(fixture.missing(), Some(Vec::new()));
    assert_same(&fixture.whole(), found.tables(), "made");
    drop(found);
    // The same where the first import left them out.
    let fixture = Fixture::new();
    let imported = fixture.open(Some(SCHED));
    assert_eq!(fixture.missing(), Some(all()));
    assert_eq!(fixture.rows(&imported, "SELECT ts FROM thread_state"), 5);
    drop(imported);
    assert_eq!(fixture.missing(), Some(Vec::new()));
}

/// It keeps the file that was replaced, and takes tables that it lacks from the new one.
#[test]
fn a_reader_of_an_entry_that_is_replaced_keeps_its_tables() {
    let fixture = Fixture::new();
    drop(fixture.open(Some(SCHED)));
    let (one, other) = (fixture.open(Some(SCHED)), fixture.open(Some(SCHED)));
    drop(fixture.open(None));
    assert_eq!(fixture.missing(), Some(Vec::new()));
    assert_eq!(fixture.rows(&one, "SELECT ts FROM sched"), 2);
    assert_same(&fixture.whole(), one.tables(), "from the new entry");
    std::fs::remove_file(fixture.entry()).unwrap();
    assert_same(&fixture.whole(), other.tables(), "imported again");
}

/// Rows of two imports must not be mixed.
#[test]
fn missing_tables_of_a_trace_that_was_changed_are_an_error() {
    let fixture = Fixture::new();
    drop(fixture.open(Some(SCHED)));
    let found = fixture.open(Some(SCHED));
    let longer = trace().build().repeat(2);
    std::fs::write(fixture.path(), longer).unwrap();
    let error = fixture.runtime.block_on(found.sql("SELECT ts FROM ftrace_event")).unwrap_err();
    let text = error.to_string();
    assert!(text.contains("the trace is no longer the one that was imported"), "{text}");
    assert_eq!(fixture.rows(&found, "SELECT ts FROM sched"), 2);
}

/// A reader must not wait for the other end of a pipe.
#[cfg(unix)]
#[test]
fn missing_tables_of_a_trace_that_became_a_pipe_are_an_error() {
    let fixture = Fixture::new();
    drop(fixture.open(Some(SCHED)));
    let found = fixture.open(Some(SCHED));
    std::fs::remove_file(fixture.path()).unwrap();
    let made = std::process::Command::new("mkfifo").arg(fixture.path()).status().unwrap();
    assert!(made.success());
    let error = fixture.runtime.block_on(found.sql("SELECT ts FROM ftrace_event")).unwrap_err();
    let text = error.to_string();
    assert!(text.contains("the trace is no longer the one that was imported"), "{text}");
}

/// Whichever bit changes, answers stay right, with and without what the entry lacks.
#[test]
fn no_flipped_bit_of_an_entry_without_tables_changes_an_answer() {
    let fixture = Fixture::new();
    drop(fixture.open(Some(SCHED)));
    let whole = fixture.whole();
    let file = fixture.entry();
    let bytes = std::fs::read(&file).unwrap();
    for place in (0..bytes.len()).step_by(bytes.len() / 100).chain(16..24) {
        let mut damaged = bytes.clone();
        damaged[place] ^= 1 << (place % 8);
        // The last damage may have had it deleted.
        let _ = std::fs::remove_file(&file);
        std::fs::write(&file, damaged).unwrap();
        let opened = fixture.open(Some(SCHED));
        assert_eq!(fixture.rows(&opened, "SELECT ts FROM sched"), 2, "byte {place}");
        assert_same(&whole, opened.tables(), &format!("byte {place}"));
    }
}

#[test]
fn a_file_that_is_cut_while_it_is_in_use_changes_no_answer() {
    let cut = |path: &Path| {
        let entry = std::fs::File::options().write(true).open(path).unwrap();
        entry.set_len(4096).unwrap();
    };
    let fixture = Fixture::new();
    drop(fixture.open(Some(SCHED)));
    let opened = fixture.open(Some(SCHED));
    assert!(opened.is_from_cache());
    cut(&fixture.entry());
    assert_same(&fixture.whole(), opened.tables(), "cut");
    // Missing tables may lie in another entry, with strings of its own.
    let fixture = Fixture::new();
    drop(fixture.open(Some(SCHED)));
    let opened = fixture.open(Some(SCHED));
    drop(fixture.open(None));
    assert_eq!(fixture.rows(&opened, "SELECT name FROM ftrace_event"), 3);
    cut(&fixture.entry());
    assert_same(&fixture.whole(), opened.tables(), "the other entry was cut");
}

#[test]
fn many_may_open_the_same_trace_at_once() {
    let fixture = Fixture::new();
    let whole = fixture.whole();
    let open = |statements: Option<&str>| {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let paths = [fixture.path()];
        let opened = Trace::open(&paths, fixture.options(statements));
        let trace = runtime.block_on(opened).unwrap();
        assert_same(&whole, trace.tables(), &format!("{statements:?}"));
    };
    std::thread::scope(|scope| {
        for at in 0..9 {
            scope.spawn(move || open([Some(SCHED), Some(STATES), None][at % 3]));
        }
    });
    assert_eq!(fixture.missing(), Some(Vec::new()));
}

#[test]
fn a_stream_leaves_tables_out_as_a_file_does() {
    let fixture = Fixture::new();
    let bytes = trace().build();
    let read = || {
        let options = fixture.options(Some(SCHED));
        let trace = Trace::read(Path::new("-"), bytes.as_slice(), &options).unwrap();
        trace.wait_until_cached();
        trace
    };
    assert!(!read().is_from_cache());
    let found = read();
    assert!(found.is_from_cache());
    assert_eq!(found.tables().groups_left_out(), TableGroups::all());
    assert_same(&fixture.whole(), found.tables(), "read");
    drop(found);
    assert_eq!(fixture.missing(), Some(Vec::new()));
}

/// A trace that is large enough for the cache of the command line: a thread that runs and sleeps.
fn large_trace() -> Vec<u8> {
    let (one, two) = (Task::new("one", 11), Task::new("two", 12));
    let bundle = |second: u64| {
        let switch = |index: u64| {
            let tasks = if index.is_multiple_of(2) { (one, two) } else { (two, one) };
            FtraceEvent::sched_switch((second + 1) * 1_000_000 + index * 100, tasks.0, 1, tasks.1)
        };
        let events = (0..1_000).map(switch).fold(FtraceBundle::new(0), FtraceBundle::event);
        Packet::new().sequence(2).ftrace(events)
    };
    let bytes = TraceBuilder::new().packets((0..50).map(bundle)).build();
    assert!(bytes.len() > 1 << 20, "{}", bytes.len());
    bytes
}

/// The first question about a trace is answered without the tables that it does not name, and
/// `tpq info` says what the cache has.
#[test]
fn the_command_line_stores_what_a_statement_needs() {
    let folder = Folder::of(&[("trace.pftrace", &large_trace())]);
    let run = |arguments: &[&str]| {
        let mut command = tpq();
        command
            .args(arguments)
            .current_dir(folder.path(""))
            .env("TPQ_CACHE_DIR", folder.path("cache"))
            .env_remove("TPQ_CACHE_SIZE");
        let output = command.output().unwrap();
        assert!(output.status.success(), "{}", describe(&output));
        String::from_utf8(output.stdout).unwrap()
    };
    let cached = || {
        let text = run(&["info", "trace.pftrace"]);
        let line = text.lines().find(|line| line.starts_with("Cached")).unwrap_or_default();
        line.to_owned()
    };
    let query = |sql: &str| run(&["query", "trace.pftrace", "-c", sql]);
    assert_eq!(cached(), "");
    let switches = query(SCHED);
    assert_snapshot!(cached(), @"Cached     without thread_state, spurious_sched_wakeup, ftrace_event, slice, flow, track and 15 more tables");
    assert_eq!(query(SCHED), switches);
    let events = query("SELECT count(*) FROM ftrace_event");
    assert_eq!(events.lines().last(), Some("50000"));
    assert_snapshot!(cached(), @"Cached     all tables");
    assert_eq!(query(SCHED), switches);
    // All tables at once, as the shell and exports need them.
    std::fs::remove_dir_all(folder.path("cache")).unwrap();
    run(&["query", "trace.pftrace", "--eager", "-c", SCHED]);
    assert_snapshot!(cached(), @"Cached     all tables");
    std::fs::remove_dir_all(folder.path("cache")).unwrap();
    run(&["query", "trace.pftrace", "--each", "-c", "SELECT count(*) AS n FROM sched"]);
    assert_snapshot!(cached(), @"Cached     all tables");
}
