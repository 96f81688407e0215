//! However a trace is imported, its tables are the same: on one thread or several, within a limit
//! of memory, with rows in a temporary file, or found in the cache.

use std::path::{Path, PathBuf};

use datafusion::arrow::array::RecordBatch;
use tpq::{ImportOptions, TableCache, Trace};
use tpq_tables::{Table, TraceTables};

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

fn import(path: &Path, options: ImportOptions) -> Option<TraceTables> {
    tpq::import(&[path.to_owned()], &options).ok().map(|(tables, _)| tables)
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
    for (one, other) in one.iter().zip(other.iter()) {
        let name = one.decl().name;
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

/// Imports a trace in every way; false where it is none.
fn check(path: &Path) -> bool {
    let what = |how: &str| format!("{}, {how}", path.display());
    let Some(usual) = import(path, ImportOptions::default()) else { return false };
    let one_thread = ImportOptions { threads: Some(1), ..ImportOptions::default() };
    let one_thread = import(path, one_thread).unwrap();
    assert_same(&usual, &one_thread, &what("one thread"));
    drop(one_thread);
    let limited = ImportOptions { memory_limit: Some(512 << 20), ..ImportOptions::default() };
    assert_same(&usual, &import(path, limited).unwrap(), &what("limited"));
    assert_cached_is(&usual, path);
    drop(usual);
    // A window within so little memory would drop events that come late.
    let full = ImportOptions { full_sort: true, ..ImportOptions::default() };
    let spilled = ImportOptions { memory_limit: Some(1 << 20), ..full.clone() };
    let full = import(path, full).unwrap();
    assert_same(&full, &import(path, spilled).unwrap(), &what("spilled"));
    true
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
    let read = wanted.into_iter().filter(|path| check(path)).count();
    assert!(read > 0, "nothing in {folder} is a trace");
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
