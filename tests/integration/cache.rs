//! Cache entries of imports: contents, and when they are used.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use datafusion::arrow::array::RecordBatch;
use tpq::{ImportOptions, Progress, TableCache, Trace};

use crate::command::{Folder, describe, tpq};

/// A folder with a trace and an empty cache.
struct CacheFixture {
    folder: tempfile::TempDir,
    runtime: tokio::runtime::Runtime,
}

impl CacheFixture {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let trace = Path::new(crate::ROOT).join("testdata/sched.pftrace");
        std::fs::copy(trace, folder.path().join("trace")).unwrap();
        Self { folder, runtime: tokio::runtime::Runtime::new().unwrap() }
    }

    fn trace(&self) -> PathBuf {
        self.folder.path().join("trace")
    }

    fn cache(&self) -> TableCache {
        TableCache::in_folder(self.folder.path().join("cache")).of_traces_from(0)
    }

    fn options(&self) -> ImportOptions {
        ImportOptions { cache: Some(self.cache()), ..ImportOptions::default() }
    }

    fn open(&self, options: ImportOptions) -> Trace {
        self.runtime.block_on(Trace::open(&[self.trace()], options)).unwrap()
    }

    /// Opens the trace, waits until it is stored, and returns whether the cache had it.
    fn is_found(&self, options: ImportOptions) -> bool {
        let trace = self.open(options);
        self.runtime.block_on(trace.import_again()).unwrap().is_some()
    }

    fn files(&self) -> Vec<PathBuf> {
        let Ok(entries) = std::fs::read_dir(self.folder.path().join("cache")) else {
            return Vec::new();
        };
        entries.map(|entry| entry.unwrap().path()).collect()
    }
}

#[test]
fn the_same_trace_is_found_by_the_same_options() {
    let fixture = CacheFixture::new();
    assert!(!fixture.is_found(fixture.options()));
    assert!(fixture.is_found(fixture.options()));
    assert!(fixture.is_found(ImportOptions { threads: Some(1), ..fixture.options() }));
    assert!(fixture.is_found(ImportOptions { memory_limit: Some(1 << 30), ..fixture.options() }));
    for other in [
        ImportOptions { ftrace_raw: false, ..fixture.options() },
        ImportOptions { full_sort: true, ..fixture.options() },
        ImportOptions { crop: true, ..fixture.options() },
        ImportOptions { clock_interpolation: tpq::Interpolation::Linear, ..fixture.options() },
    ] {
        assert!(!fixture.is_found(other.clone()));
        assert!(fixture.is_found(other));
    }
    assert_eq!(fixture.files().len(), 5);
}

#[test]
fn another_trace_is_not_found() {
    let fixture = CacheFixture::new();
    assert!(!fixture.is_found(fixture.options()));
    let other = Path::new(crate::ROOT).join("testdata/clocks.pftrace");
    std::fs::copy(other, fixture.trace()).unwrap();
    assert!(!fixture.is_found(fixture.options()));
    assert!(fixture.is_found(fixture.options()));
}

/// The same trace with another name of a thread.
fn joiner_of(mut trace: Vec<u8>) -> Vec<u8> {
    for at in 0..trace.len() {
        if trace[at..].starts_with(b"worker") {
            trace[at..at + 6].copy_from_slice(b"joiner");
        }
    }
    trace
}

/// Their entries differ in the digest alone, and either may be the first that is looked at.
#[test]
fn traces_of_the_same_length_have_entries_of_their_own() {
    let fixture = CacheFixture::new();
    let worker = std::fs::read(fixture.trace()).unwrap();
    let joiner = joiner_of(worker.clone());
    let named = |trace: &Trace, name: &str| {
        let sql = format!("SELECT utid FROM thread WHERE name = '{name}'");
        let rows = fixture.runtime.block_on(trace.sql(&sql)).unwrap();
        rows.iter().map(RecordBatch::num_rows).sum::<usize>()
    };
    for is_cached in [false, true, true] {
        for (bytes, own, other) in [(&worker, "worker", "joiner"), (&joiner, "joiner", "worker")] {
            std::fs::write(fixture.trace(), bytes).unwrap();
            let trace = fixture.open(fixture.options());
            trace.wait_until_cached();
            assert_eq!(trace.is_from_cache(), is_cached, "{own}");
            assert_eq!((named(&trace, own), named(&trace, other)), (1, 0), "{own}");
        }
    }
    assert_eq!(fixture.files().len(), 2);
}

/// It may be opened before the digest is known, which shows that it is of another trace.
#[test]
fn a_damaged_entry_of_another_trace_of_the_same_length_stays() {
    let fixture = CacheFixture::new();
    assert!(!fixture.is_found(fixture.options()));
    let file = fixture.files().pop().unwrap();
    let entry = std::fs::read(&file).unwrap();
    std::fs::write(&file, &entry[..entry.len() / 2]).unwrap();
    let worker = std::fs::read(fixture.trace()).unwrap();
    std::fs::write(fixture.trace(), joiner_of(worker.clone())).unwrap();
    let (options, remarks) = noting(fixture.options());
    assert!(!fixture.is_found(options.clone()));
    assert!(fixture.is_found(options.clone()));
    assert_eq!((remarks.lock().unwrap().len(), file.exists()), (0, true));
    std::fs::write(fixture.trace(), worker).unwrap();
    assert!(!fixture.is_found(options));
    assert!(remarks.lock().unwrap()[0].contains("is damaged"));
}

/// Puts another trace in the place of one as its import begins.
struct Replacing {
    trace: PathBuf,
    other: PathBuf,
}

impl Progress for Replacing {
    fn advance(&self, _: u64, _: u64) {}

    fn stage(&self, name: &'static str) {
        if name == "importing" {
            std::fs::rename(&self.other, &self.trace).unwrap();
        }
    }
}

/// The digest of a new trace is computed during its import. It may be that of another trace.
#[test]
fn a_trace_that_is_replaced_during_its_import_is_not_stored() {
    for threads in [None, Some(1)] {
        let fixture = CacheFixture::new();
        let other = fixture.folder.path().join("other");
        // As long as the trace, so that its length does not show it.
        let mut bytes = std::fs::read(fixture.trace()).unwrap();
        bytes.reverse();
        std::fs::write(&other, bytes).unwrap();
        let later = std::time::SystemTime::now() + std::time::Duration::from_secs(9);
        let file = std::fs::File::options().write(true).open(&other).unwrap();
        file.set_modified(later).unwrap();
        let progress = Replacing { trace: fixture.trace(), other };
        let options =
            ImportOptions { progress: Some(Arc::new(progress)), threads, ..fixture.options() };
        // Whether the import succeeds does not matter here.
        drop(fixture.runtime.block_on(Trace::open(&[fixture.trace()], options)));
        assert_eq!(fixture.files(), Vec::<PathBuf>::new(), "{threads:?}");
    }
}

/// A cut entry, or one with a changed byte, is replaced by a new import.
#[test]
fn damaged_entries_are_imported_again() {
    let fixture = CacheFixture::new();
    assert!(!fixture.is_found(fixture.options()));
    let file = fixture.files().pop().unwrap();
    let whole = std::fs::read(&file).unwrap();
    std::fs::write(&file, &whole[..whole.len() / 2]).unwrap();
    assert!(!fixture.is_found(fixture.options()));
    let mut changed = std::fs::read(&file).unwrap();
    let place = changed.len() - 40;
    changed[place] ^= 1;
    std::fs::write(&file, changed).unwrap();
    assert!(!fixture.is_found(fixture.options()));
    assert!(fixture.is_found(fixture.options()));
}

/// All rows of all tables.
fn contents(trace: &Trace) -> Vec<RecordBatch> {
    let chunks = |table: &Arc<tpq_tables::Table>| {
        let columns: Vec<usize> = (0..table.decl().columns.len()).collect();
        let read = |chunk: usize| table.read(chunk, 0..table.chunk_rows(chunk), &columns).unwrap();
        (0..table.num_chunks()).map(read).collect::<Vec<_>>()
    };
    trace.tables().iter().flat_map(chunks).collect()
}

/// Options that note remarks, and the remarks.
fn noting(options: ImportOptions) -> (ImportOptions, Arc<Mutex<Vec<String>>>) {
    let remarks = Arc::<Mutex<Vec<String>>>::default();
    let noted = Arc::clone(&remarks);
    let on_warning = move |remark: &str| noted.lock().unwrap().push(remark.to_owned());
    (ImportOptions { on_warning: Some(Arc::new(on_warning)), ..options }, remarks)
}

/// Whichever bit of the file changes, answers stay right, and the damage is reported once.
#[test]
fn no_flipped_bit_changes_an_answer() {
    let fixture = CacheFixture::new();
    let expected = contents(&fixture.open(fixture.options()));
    let file = fixture.files().pop().unwrap();
    let whole = std::fs::read(&file).unwrap();
    let mut reported = 0;
    for place in (0..whole.len()).step_by(whole.len() / 150) {
        let mut damaged = whole.clone();
        damaged[place] ^= 1 << (place % 8);
        // The last damage may have had it deleted.
        let _ = std::fs::remove_file(&file);
        std::fs::write(&file, damaged).unwrap();
        let (options, remarks) = noting(fixture.options());
        let trace = fixture.open(options);
        assert_eq!(contents(&trace), expected, "byte {place}");
        drop(trace);
        let remarks = remarks.lock().unwrap();
        assert!(remarks.len() <= 1, "{remarks:?}");
        assert!(remarks.iter().all(|remark| remark.contains("is damaged (")), "{remarks:?}");
        reported += remarks.len();
    }
    // Some bytes only fill up what lies between others.
    assert!(reported > 75, "{reported}");
}

#[test]
fn tables_of_another_trace_under_this_name_are_not_used() {
    let fixture = CacheFixture::new();
    assert!(!fixture.is_found(fixture.options()));
    let file = fixture.files().pop().unwrap();
    let other = Path::new(crate::ROOT).join("testdata/clocks.pftrace");
    std::fs::copy(other, fixture.trace()).unwrap();
    assert!(!fixture.is_found(fixture.options()));
    let of_other = fixture.files().into_iter().find(|found| *found != file).unwrap();
    std::fs::copy(&file, &of_other).unwrap();
    let (options, remarks) = noting(fixture.options());
    assert!(!fixture.is_found(options));
    assert!(remarks.lock().unwrap()[0].contains("is damaged (it has another name)"));
}

/// A FIFO under the name of an entry would block an open.
#[cfg(unix)]
#[test]
fn irregular_files_are_ignored() {
    let fixture = CacheFixture::new();
    let expected = contents(&fixture.open(fixture.options()));
    let file = fixture.files().pop().unwrap();
    let elsewhere = fixture.folder.path().join("elsewhere");
    std::fs::rename(&file, &elsewhere).unwrap();
    std::os::unix::fs::symlink(&elsewhere, &file).unwrap();
    assert!(!fixture.is_found(fixture.options()));
    assert!(fixture.is_found(fixture.options()));
    std::fs::remove_file(&file).unwrap();
    std::fs::create_dir(&file).unwrap();
    assert!(!fixture.is_found(fixture.options()));
    std::fs::remove_dir(&file).unwrap();
    let made = std::process::Command::new("mkfifo").arg(&file).status().unwrap();
    assert!(made.success());
    let trace = fixture.open(fixture.options());
    assert_eq!(contents(&trace), expected);
    drop(trace);
    assert!(fixture.is_found(fixture.options()));
}

#[cfg(unix)]
#[test]
fn a_file_that_is_cut_while_it_is_in_use_changes_no_answer() {
    let fixture = CacheFixture::new();
    let expected = contents(&fixture.open(fixture.options()));
    let (options, remarks) = noting(fixture.options());
    let trace = fixture.open(options);
    let file = fixture.files().pop().unwrap();
    std::fs::File::options().write(true).open(&file).unwrap().set_len(4096).unwrap();
    assert_eq!(contents(&trace), expected);
    let remarks = remarks.lock().unwrap();
    assert!(
        remarks[0].contains("is damaged (it became shorter while it was in use)"),
        "{remarks:?}"
    );
    assert!(!file.exists());
}

/// Neither the damaged tables nor those of the changed trace answer.
#[test]
fn damage_is_an_error_where_the_trace_has_changed() {
    let fixture = CacheFixture::new();
    assert!(!fixture.is_found(fixture.options()));
    let trace = fixture.open(fixture.options());
    let file = fixture.files().pop().unwrap();
    std::fs::File::options().write(true).open(&file).unwrap().set_len(4096).unwrap();
    let other = Path::new(crate::ROOT).join("testdata/clocks.pftrace");
    std::fs::copy(other, fixture.trace()).unwrap();
    let error =
        fixture.runtime.block_on(trace.sql("SELECT sum(dur) FROM sched_slice")).unwrap_err();
    let text = error.to_string();
    assert!(text.contains("the trace is no longer the one that was imported"), "{text}");
}

#[test]
fn a_file_of_a_writer_that_was_killed_is_deleted_at_the_next_open() {
    let fixture = CacheFixture::new();
    assert!(!fixture.is_found(fixture.options()));
    let left = fixture.folder.path().join("cache/tpq-left.unfinished");
    std::fs::write(&left, "part of a file").unwrap();
    assert!(fixture.is_found(fixture.options()));
    assert!(!left.exists());
}

#[test]
fn nothing_is_kept_beyond_the_limit_or_of_small_traces() {
    let fixture = CacheFixture::new();
    let of = |cache: TableCache| ImportOptions { cache: Some(cache), ..ImportOptions::default() };
    drop(fixture.open(of(fixture.cache().at_most(100))));
    drop(fixture.open(of(fixture.cache().of_traces_from(1 << 20))));
    drop(fixture.open(ImportOptions { strict: true, ..fixture.options() }));
    assert_eq!(fixture.files(), Vec::<PathBuf>::new());
}

/// A folder that cannot be made is no reason to fail.
#[test]
fn a_cache_that_cannot_be_written_is_passed_over() {
    let fixture = CacheFixture::new();
    std::fs::write(fixture.folder.path().join("file"), "").unwrap();
    let cache = TableCache::in_folder(fixture.folder.path().join("file/below")).of_traces_from(0);
    let options = ImportOptions { cache: Some(cache), ..ImportOptions::default() };
    assert!(!fixture.is_found(options.clone()) && !fixture.is_found(options));
}

#[test]
fn many_may_open_the_same_trace_at_once() {
    let fixture = CacheFixture::new();
    let count = |trace: Trace| {
        let rows = trace.tables().get("sched_slice").unwrap().num_rows();
        drop(trace);
        rows
    };
    let open = || {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let opened = runtime.block_on(Trace::open(&[fixture.trace()], fixture.options()));
        count(opened.unwrap())
    };
    let counts: Vec<usize> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..8).map(|_| scope.spawn(open)).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    assert!(counts[0] > 0 && counts.iter().all(|&count| count == counts[0]), "{counts:?}");
    assert_eq!(fixture.files().len(), 1);
    assert!(fixture.is_found(fixture.options()));
}

/// A trace that is large enough for the cache of the command line.
fn large_trace() -> Vec<u8> {
    let small = std::fs::read(Path::new(crate::ROOT).join("testdata/sched.pftrace")).unwrap();
    // Packets that are repeated are as good as others.
    small.repeat((1 << 20) / small.len() + 1)
}

/// The command line keeps traces of 1 MiB and more, where the environment says.
#[test]
fn the_environment_says_where_and_how_much() {
    let name = "trace.pftrace";
    let folder = Folder::of(&[(name, &large_trace())]);
    let cache = folder.path("cache");
    let run = |size: &str, arguments: &[&str]| {
        let mut command = tpq();
        command.env("TPQ_CACHE_DIR", &cache).env("TPQ_CACHE_SIZE", size);
        let trace = folder.path(name);
        command.arg("query").arg(trace).args(["-c", "SELECT count(*) FROM sched"]).args(arguments);
        describe(&command.output().unwrap())
    };
    let expected = run("0", &[]);
    assert!(expected.starts_with("exit code: 0"), "{expected}");
    assert_eq!(run("10M", &["--no-cache"]), expected);
    assert!(!cache.exists());
    assert_eq!(run("1K", &[]), expected);
    assert_eq!(std::fs::read_dir(&cache).unwrap().count(), 0);
    assert_eq!(run("1G", &[]), expected);
    assert_eq!(std::fs::read_dir(&cache).unwrap().count(), 1);
    assert_eq!(run("1G", &[]), expected);
    assert!(run("lots", &[]).contains("TPQ_CACHE_SIZE: not a size"));
}

#[test]
fn an_option_wins_over_the_environment_and_that_over_the_settings() {
    let folder = Folder::of(&[("trace.pftrace", &large_trace()), ("config/tpq/x", b"")]);
    let (of_settings, of_environment) = (folder.path("settings"), folder.path("environment"));
    let settings = format!("cache_dir = '{}'\ncache_size = \"1G\"\n", of_settings.display());
    std::fs::write(folder.path("config/tpq/config.toml"), settings).unwrap();
    let run = |adapt: &dyn Fn(&mut std::process::Command)| {
        let mut command = tpq();
        command
            .args(["query", "trace.pftrace", "-c", "SELECT count(*) FROM sched"])
            .current_dir(folder.path(""))
            .env("XDG_CONFIG_HOME", folder.path("config"))
            .env_remove("TPQ_CACHE_SIZE");
        adapt(&mut command);
        let output = command.output().unwrap();
        assert!(output.status.success(), "{}", describe(&output));
    };
    let entries = || {
        [&of_environment, &of_settings]
            .map(|cache| std::fs::read_dir(cache).map_or(0, Iterator::count))
    };
    let environment = |command: &mut std::process::Command| {
        command.env("TPQ_CACHE_DIR", &of_environment);
    };
    run(&|command| {
        environment(command);
        command.arg("--no-cache");
    });
    assert_eq!(entries(), [0, 0]);
    run(&environment);
    assert_eq!(entries(), [1, 0]);
    run(&|_| ());
    assert_eq!(entries(), [1, 1]);
}

/// A trace that arrived as a stream is in the cache for streams and files, and is imported again
/// from the bytes that arrived.
#[test]
fn a_stream_is_found_by_its_bytes() {
    let fixture = CacheFixture::new();
    let bytes = std::fs::read(fixture.trace()).unwrap();
    let read = || Trace::read(Path::new("-"), bytes.as_slice(), &fixture.options()).unwrap();
    let first = read();
    assert!(!first.is_from_cache());
    let rows = contents(&first);
    drop(first);
    let second = read();
    assert!(second.is_from_cache());
    assert!(contents(&second) == rows);
    assert!(fixture.is_found(fixture.options()), "as a file");
    let again = fixture.runtime.block_on(second.import_again()).unwrap().unwrap();
    assert!(!again.is_from_cache());
    assert_eq!(again.tables().iter().count(), second.tables().iter().count());
    // A chunk that is damaged is read from a new import.
    let damaged = read();
    let file = fixture.files().pop().unwrap();
    std::fs::File::options().write(true).open(&file).unwrap().set_len(4096).unwrap();
    assert!(contents(&damaged) == rows);
    assert_eq!(fixture.files().len(), 0, "it is deleted");
}
