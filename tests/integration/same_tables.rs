//! However a trace is imported, its tables are the same: on one thread or several, within a limit
//! of memory, with rows in a temporary file, or found in the cache.

use std::path::{Path, PathBuf};

use datafusion::arrow::array::RecordBatch;
use tpq::{ImportOptions, TableCache, Trace};
use tpq_tables::{Table, TraceTables};

/// How files end that are of formats which are not read, or hold nothing. Any other must be read.
const NO_TRACES: [&str; 8] = [
    ".data",
    ".log",
    "perf.data.txt",
    "collapsed.txt",
    ".prof",
    "ninja_log",
    "corrupt/empty.pftrace",
    "corrupt/text.pftrace",
];

/// Traces in a folder and those within it; none where it is absent.
fn traces(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let paths = entries.map(|entry| entry.unwrap().path());
    let is_text = |path: &PathBuf| path.extension().is_some_and(|extension| extension == "md");
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

fn assert_same(one: &TraceTables, other: &TraceTables, what: &str) {
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
    let limited = ImportOptions { memory_limit: Some(512 << 20), ..ImportOptions::default() };
    assert_same(&usual, &import(path, limited), &what("limited"));
    assert_cached_is(&usual, path);
    drop(usual);
    // A window within so little memory would drop events that come late.
    let full = ImportOptions { full_sort: true, ..ImportOptions::default() };
    let spilled = ImportOptions { memory_limit: Some(1 << 20), ..full.clone() };
    let full = import(path, full);
    assert_same(&full, &import(path, spilled), &what("spilled"));
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
