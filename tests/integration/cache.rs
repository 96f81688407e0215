//! What is kept of an import, and when it is found again.

use std::path::{Path, PathBuf};

use tpq::{ImportOptions, TableCache, Trace};

use crate::command::{Folder, describe, tpq};

/// A folder with a trace and an empty cache.
struct Kept {
    folder: tempfile::TempDir,
    runtime: tokio::runtime::Runtime,
}

impl Kept {
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

    /// Opens the trace, says whether it was found, and waits until it is kept.
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
    let kept = Kept::new();
    assert!(!kept.is_found(kept.options()));
    assert!(kept.is_found(kept.options()));
    assert!(kept.is_found(ImportOptions { threads: Some(1), ..kept.options() }));
    for other in [
        ImportOptions { ftrace_raw: false, ..kept.options() },
        ImportOptions { full_sort: true, ..kept.options() },
        ImportOptions { crop: true, ..kept.options() },
        ImportOptions { memory_limit: Some(1 << 30), ..kept.options() },
        ImportOptions { clock_interpolation: tpq::Interpolation::Linear, ..kept.options() },
    ] {
        assert!(!kept.is_found(other.clone()));
        assert!(kept.is_found(other));
    }
    assert_eq!(kept.files().len(), 6);
}

#[test]
fn another_trace_is_not_found() {
    let kept = Kept::new();
    assert!(!kept.is_found(kept.options()));
    let other = Path::new(crate::ROOT).join("testdata/clocks.pftrace");
    std::fs::copy(other, kept.trace()).unwrap();
    assert!(!kept.is_found(kept.options()));
    assert!(kept.is_found(kept.options()));
}

/// Cut, or with a byte changed: imported again, and kept again.
#[test]
fn what_is_damaged_is_imported_again() {
    let kept = Kept::new();
    assert!(!kept.is_found(kept.options()));
    let file = kept.files().pop().unwrap();
    let whole = std::fs::read(&file).unwrap();
    std::fs::write(&file, &whole[..whole.len() / 2]).unwrap();
    assert!(!kept.is_found(kept.options()));
    let mut changed = std::fs::read(&file).unwrap();
    let place = changed.len() - 40;
    changed[place] ^= 1;
    std::fs::write(&file, changed).unwrap();
    assert!(!kept.is_found(kept.options()));
    assert!(kept.is_found(kept.options()));
}

#[test]
fn nothing_is_kept_beyond_the_limit_or_of_small_traces() {
    let kept = Kept::new();
    let of = |cache: TableCache| ImportOptions { cache: Some(cache), ..ImportOptions::default() };
    drop(kept.open(of(kept.cache().at_most(100))));
    drop(kept.open(of(kept.cache().of_traces_from(1 << 20))));
    drop(kept.open(ImportOptions { strict: true, ..kept.options() }));
    assert_eq!(kept.files(), Vec::<PathBuf>::new());
}

/// A folder that cannot be made is no reason to fail.
#[test]
fn a_cache_that_cannot_be_written_is_passed_over() {
    let kept = Kept::new();
    std::fs::write(kept.folder.path().join("file"), "").unwrap();
    let cache = TableCache::in_folder(kept.folder.path().join("file/below")).of_traces_from(0);
    let options = ImportOptions { cache: Some(cache), ..ImportOptions::default() };
    assert!(!kept.is_found(options.clone()) && !kept.is_found(options));
}

#[test]
fn many_may_open_the_same_trace_at_once() {
    let kept = Kept::new();
    let count = |trace: Trace| {
        let rows = trace.tables().get("sched_slice").unwrap().num_rows();
        drop(trace);
        rows
    };
    let open = || {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let opened = runtime.block_on(Trace::open(&[kept.trace()], kept.options()));
        count(opened.unwrap())
    };
    let counts: Vec<usize> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..8).map(|_| scope.spawn(open)).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    assert!(counts[0] > 0 && counts.iter().all(|&count| count == counts[0]), "{counts:?}");
    assert_eq!(kept.files().len(), 1);
    assert!(kept.is_found(kept.options()));
}

/// The command line keeps traces of 1 MiB and more, where the environment says.
#[test]
fn the_environment_says_where_and_how_much() {
    let name = "trace.pftrace";
    let small = std::fs::read(Path::new(crate::ROOT).join("testdata/sched.pftrace")).unwrap();
    // Packets that are repeated are as good as others.
    let large = small.repeat((1 << 20) / small.len() + 1);
    let folder = Folder::of(&[(name, &large)]);
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
