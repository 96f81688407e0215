//! Lakes of hand-made traces, for tests.

use std::collections::BTreeSet;
use std::sync::Arc;

use tempfile::TempDir;
use tpq_tables::table::SliceRow;
use tpq_tables::{Tables, TraceTables};

use crate::{Committed, Lake, LakeTrace, TableFile, TraceFacts, runtime};

/// A new lake with these partition columns.
pub(crate) async fn lake(partition: &[&str]) -> (TempDir, Lake) {
    let folder = tempfile::tempdir().unwrap();
    let partition: Vec<String> = partition.iter().map(|&name| name.to_owned()).collect();
    let address = folder.path().to_str().unwrap();
    let lake = Lake::open_or_create(address, Some(partition.as_slice()), &[]).await.unwrap();
    (folder, lake)
}

/// Tables with as many slices.
fn tables(slices: usize) -> Arc<TraceTables> {
    let mut tables = Tables::default();
    for row in 0..slices {
        tables.slice.push(SliceRow { ts: row as i64, ..SliceRow::default() });
    }
    Arc::new(tables.finish())
}

/// Writes the files of a trace with as many slices.
pub(crate) async fn staged(lake: &Lake, digest: &str, device: &str, slices: usize) -> LakeTrace {
    let layout = lake.catalog().await.unwrap().layout().clone();
    let (digest, device) = (digest.to_owned(), Some(device.to_owned()));
    let facts = TraceFacts { path: digest.clone(), digest, device, ..TraceFacts::default() };
    lake.stage(&layout, facts, &tables(slices), None).await.unwrap()
}

/// Commits a trace with as many slices.
pub(crate) async fn ingest(lake: &Lake, digest: &str, device: &str, slices: usize) -> Committed {
    let staged = staged(lake, digest, device, slices).await;
    lake.commit(vec![staged], true).await.unwrap()[0]
}

/// The file of a trace's slices.
pub(crate) async fn file(lake: &Lake, digest: &str) -> TableFile {
    lake.catalog().await.unwrap().find(digest).unwrap().files["slice"].clone()
}

/// The files of slices in their log.
pub(crate) async fn in_log(lake: &Lake) -> BTreeSet<String> {
    let log = lake.log("slice");
    let files = runtime::blocking(move || log.files(&log.state()?.unwrap())).await.unwrap();
    files.into_iter().map(|file| file.path).collect()
}

/// The files of slices that the catalogue refers to.
pub(crate) async fn in_catalog(lake: &Lake) -> BTreeSet<String> {
    let catalog = lake.catalog().await.unwrap();
    catalog.sorted().iter().map(|trace| trace.files["slice"].path.clone()).collect()
}
