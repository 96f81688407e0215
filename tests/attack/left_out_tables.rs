//! Imports without the tables that no statement names. Whatever the input is, all tables are those
//! of the usual import once they are read, and so are those of a cache entry without these tables.

use std::path::PathBuf;
use std::sync::Arc;

use datafusion::arrow::array::{AsArray, RecordBatch};
use datafusion::arrow::compute::filter_record_batch;
use tpq::{ImportOptions, TableCache, Trace};
use tpq_tables::{Table, TraceTables};

/// Compares the tables of all ways. Returns whether there are any. Panics where they differ.
pub fn compare(paths: &[PathBuf], options: &ImportOptions) -> bool {
    let folder = tempfile::tempdir().unwrap();
    let cache = TableCache::in_folder(folder.path()).of_traces_from(0);
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).build().unwrap();
    let open = || {
        let (cache, statements) = (Some(cache.clone()), Some(Arc::from("")));
        let options = ImportOptions { cache, statements, ..options.clone() };
        runtime.block_on(Trace::open(paths, options))
    };
    let (usual, opened) = match (tpq::import(paths, options), open()) {
        (Ok((usual, _)), Ok(opened)) => (usual, opened),
        (usual, opened) => {
            assert_eq!(usual.is_ok(), opened.is_ok(), "one import failed, the other did not");
            return false;
        }
    };
    opened.wait_until_cached();
    // From the cache, unless the input is one that is not kept there.
    let found = open().unwrap();
    assert_same(&usual, opened.tables(), "imported");
    assert_same(&usual, found.tables(), "found");
    true
}

fn assert_same(usual: &TraceTables, other: &TraceTables, how: &str) {
    for (one, other) in usual.iter().zip(other.iter()) {
        let name = one.decl().name;
        assert_eq!(one.num_rows(), other.num_rows(), "rows of {name}, {how}");
        for chunk in 0..one.num_chunks() {
            assert!(rows(one, chunk) == rows(other, chunk), "chunk {chunk} of {name}, {how}");
        }
    }
}

/// All of a chunk, but those rows of counts that say how long the import took.
fn rows(table: &Table, chunk: usize) -> RecordBatch {
    let columns: Vec<usize> = (0..table.decl().columns.len()).collect();
    let batch = table.read(chunk, 0..table.chunk_rows(chunk), &columns).unwrap();
    if table.decl().name != "stats" {
        return batch;
    }
    let names = batch.column_by_name("name").unwrap().as_string_view();
    let keep = names.iter().map(|name| name.map(|name| !name.contains("duration")));
    filter_record_batch(&batch, &keep.collect()).unwrap()
}
