//! The catalogue of a lake: which traces exist, and which files have their rows.

mod layout;
mod rows;
mod vacuum_number;

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use bytes::Bytes;
use datafusion::arrow::array::RecordBatch;
use datafusion::parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use futures::{StreamExt, TryStreamExt};
use tpq_output::OutputOptions;

pub use layout::LakeLayout;
pub(crate) use layout::column_in;
pub(crate) use rows::{FIXED_COLUMNS, INTERNAL_COLUMNS, batch};

use crate::lake::Lake;
use crate::log::{AddedFile, ColumnType, LogChange, LogState, TableLog};
use crate::upload::UploadSizes;
use crate::write::{file_name, milliseconds, write_parquet};
use crate::{LakeError, LakeTrace, runtime};

/// The name of the catalogue's table.
pub(crate) const TRACES: &str = "traces";
/// The property of the catalogue's table with the names of the partition columns.
const PARTITION: &str = "tpq.partition";
/// Files of the catalogue that are read at a time.
const AT_A_TIME: usize = 16;

/// The catalogue at one moment.
#[derive(Clone)]
pub struct LakeCatalog {
    layout: LakeLayout,
    state: LogState,
    files: Vec<CatalogFile>,
    /// All traces, in the order of their paths, and by their digests.
    sorted: Arc<OnceLock<Vec<Arc<LakeTrace>>>>,
    by_digest: Arc<OnceLock<HashMap<String, Arc<LakeTrace>>>>,
}

/// A file of the catalogue.
#[derive(Clone)]
struct CatalogFile {
    path: String,
    /// The columns that ingests had chosen when it was read.
    columns: Vec<String>,
    traces: Vec<Arc<LakeTrace>>,
}

/// The files of the catalogue that were read last. No file ever changes.
#[derive(Default)]
pub(crate) struct KnownFiles(Mutex<HashMap<String, CatalogFile>>);

impl KnownFiles {
    fn get(&self, path: &str) -> Option<CatalogFile> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get(path).cloned()
    }

    fn replace(&self, files: &[CatalogFile]) {
        let files = files.iter().map(|file| (file.path.clone(), file.clone())).collect();
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = files;
    }
}

impl LakeCatalog {
    /// How the lake is laid out.
    pub fn layout(&self) -> &LakeLayout {
        &self.layout
    }

    /// All traces, in the order of their paths.
    pub fn traces(&self) -> Vec<Arc<LakeTrace>> {
        self.sorted().to_vec()
    }

    /// The same, sorted once.
    pub(crate) fn sorted(&self) -> &[Arc<LakeTrace>] {
        self.sorted.get_or_init(|| {
            let traces = self.files.iter().flat_map(|file| &file.traces);
            let mut traces: Vec<_> = traces.cloned().collect();
            traces.sort_by(|a, b| {
                (&a.facts.path, &a.facts.digest).cmp(&(&b.facts.path, &b.facts.digest))
            });
            traces
        })
    }

    /// The trace with a digest.
    pub fn find(&self, digest: &str) -> Option<&Arc<LakeTrace>> {
        let by_digest = self.by_digest.get_or_init(|| {
            let traces = self.files.iter().flat_map(|file| &file.traces);
            traces.map(|trace| (trace.facts.digest.clone(), Arc::clone(trace))).collect()
        });
        by_digest.get(digest)
    }

    /// The names of the tables of which traces have rows.
    pub(crate) fn tables(&self) -> BTreeSet<&str> {
        self.sorted().iter().flat_map(|trace| trace.files.keys().map(String::as_str)).collect()
    }

    /// The memory that the traces take in bytes, about.
    pub(crate) fn memory_size(&self) -> u64 {
        self.sorted().iter().map(|trace| trace.memory_size()).sum()
    }

    /// The number of files of the catalogue.
    pub(crate) fn file_count(&self) -> usize {
        self.files.len()
    }

    /// The version of the catalogue's table.
    pub fn version(&self) -> u64 {
        self.state.version()
    }
}

impl Lake {
    /// The log of the catalogue.
    fn catalog_log(&self) -> TableLog {
        self.log(TRACES)
    }

    /// Makes an empty catalogue, unless there is one.
    pub(crate) async fn create_catalog(&self, layout: &LakeLayout) -> Result<(), LakeError> {
        let fixed = FIXED_COLUMNS.iter().map(|(name, kind)| ((*name).to_owned(), *kind));
        let chosen = layout.columns.iter().map(|name| (name.clone(), ColumnType::Text));
        let columns: Vec<_> = fixed.chain(chosen).collect();
        let partition = layout.partition.join(",");
        let log = self.catalog_log();
        runtime::blocking(move || log.create(&columns, &[], &[(PARTITION, partition)])).await
    }

    /// Adds columns to the catalogue.
    pub(crate) async fn add_columns(&self, names: &[String]) -> Result<(), LakeError> {
        let columns = names.iter().map(|name| (name.clone(), ColumnType::Text)).collect();
        let change = LogChange { columns, ..LogChange::default() };
        let log = self.catalog_log();
        let added = runtime::blocking(move || log.apply(&change)).await;
        // Another process may have added them.
        let current = self.catalog().await?;
        match names.iter().all(|name| current.layout.columns.contains(name)) {
            true => Ok(()),
            false => added,
        }
    }

    /// Reads the catalogue.
    ///
    /// # Errors
    /// When there is no lake, or its catalogue cannot be read.
    pub async fn catalog(&self) -> Result<LakeCatalog, LakeError> {
        let log = self.catalog_log();
        let found = runtime::blocking(move || {
            let Some(state) = log.state()? else { return Ok(None) };
            let files = log.files(&state)?;
            Ok(Some((state, files)))
        });
        let absent = || LakeError::NotFound(self.url().to_owned());
        let (state, files) = found.await?.ok_or_else(absent)?;
        let partition = state.property(PARTITION).unwrap_or_default();
        let partition = partition.split(',').filter(|name| !name.is_empty()).map(str::to_owned);
        let is_fixed = |name: &String| FIXED_COLUMNS.iter().any(|(fixed, _)| fixed == name);
        let columns = state.columns().into_iter().filter(|name| !is_fixed(name)).collect();
        let layout = LakeLayout { partition: partition.collect(), columns };
        let read = |path: String| {
            let (columns, known) = (layout.columns.clone(), self.known_files().get(&path));
            async move {
                let traces = match known {
                    Some(file) if file.columns == columns => file.traces,
                    _ => self.read_catalog_file(&path, &columns).await?,
                };
                Ok::<_, LakeError>(CatalogFile { path, columns, traces })
            }
        };
        let files: Vec<_> = files.into_iter().map(|file| read(file.path)).collect();
        let files = futures::stream::iter(files);
        let files: Vec<CatalogFile> = files.buffer_unordered(AT_A_TIME).try_collect().await?;
        self.known_files().replace(&files);
        let (sorted, by_digest) = (Arc::default(), Arc::default());
        Ok(LakeCatalog { layout, state, files, sorted, by_digest })
    }

    async fn read_catalog_file(
        &self,
        file: &str,
        columns: &[String],
    ) -> Result<Vec<Arc<LakeTrace>>, LakeError> {
        let damaged = |reason: String| LakeError::CatalogFile { file: file.to_owned(), reason };
        let bytes = self.store().read(&self.store().path(TRACES, file)?).await;
        let bytes = bytes.map_err(|error| match error {
            LakeError::Store(object_store::Error::NotFound { .. }) => {
                damaged("it does not exist".to_owned())
            }
            error => error,
        })?;
        let mut traces = Vec::new();
        for batch in batches(bytes).map_err(|error| damaged(error.to_string()))? {
            traces.extend(rows::traces(&batch, columns)?.into_iter().map(Arc::new));
        }
        Ok(traces)
    }

    /// Commits a change of the catalogue: traces that are dropped, by their digests, and traces that
    /// are added. Returns whether `catalog` is the latest; otherwise nothing is committed.
    pub(crate) async fn change_catalog(
        &self,
        catalog: &LakeCatalog,
        drop: &HashSet<String>,
        add: Vec<LakeTrace>,
    ) -> Result<bool, LakeError> {
        let is_dropped = |trace: &Arc<LakeTrace>| drop.contains(&trace.facts.digest);
        let touched = catalog.files.iter().filter(|file| file.traces.iter().any(is_dropped));
        let kept = touched.clone().flat_map(|file| &file.traces).filter(|it| !is_dropped(it));
        let rows: Vec<LakeTrace> = kept.map(|trace| trace.as_ref().clone()).chain(add).collect();
        let remove = touched.map(|file| file.path.clone()).collect();
        let added = match rows.is_empty() {
            true => None,
            false => Some(self.write_catalog_file(&catalog.layout, rows).await?),
        };
        let change =
            LogChange { add: added.clone().into_iter().collect(), remove, ..LogChange::default() };
        let (log, state) = (self.catalog_log(), catalog.state.clone());
        let is_latest = runtime::blocking(move || log.commit(&state, &change)).await?;
        if let (false, Some(file)) = (is_latest, added) {
            // A store that fails after it took the commit is asked again, and then has it already.
            if self.catalog_refers_to(&file.path).await? {
                return Ok(true);
            }
            // Nothing refers to the file; vacuum removes one that stays.
            let _ = self.store().delete(&self.store().path(TRACES, &file.path)?).await;
        }
        Ok(is_latest)
    }

    /// Whether no process has changed the catalogue since it was read.
    pub(crate) async fn is_latest(&self, catalog: &LakeCatalog) -> Result<bool, LakeError> {
        let log = self.catalog_log();
        let state = runtime::blocking(move || log.state()).await?;
        Ok(state.is_some_and(|state| state.version() == catalog.version()))
    }

    /// Whether the latest state of the catalogue has a file.
    async fn catalog_refers_to(&self, path: &str) -> Result<bool, LakeError> {
        let (log, path) = (self.catalog_log(), path.to_owned());
        runtime::blocking(move || {
            let Some(state) = log.state()? else { return Ok(false) };
            Ok(log.files(&state)?.iter().any(|file| file.path == path))
        })
        .await
    }

    /// Writes the whole catalogue as one file, with `traces` in place of those it has. Returns
    /// whether `catalog` is the latest.
    pub(crate) async fn rewrite_catalog(
        &self,
        catalog: &LakeCatalog,
        traces: Vec<LakeTrace>,
    ) -> Result<bool, LakeError> {
        let all = catalog.sorted();
        let drop = all.iter().map(|trace| trace.facts.digest.clone()).collect();
        self.change_catalog(catalog, &drop, traces).await
    }

    async fn write_catalog_file(
        &self,
        layout: &LakeLayout,
        traces: Vec<LakeTrace>,
    ) -> Result<AddedFile, LakeError> {
        let path = file_name(TRACES);
        let rows = batch(&traces, &layout.columns)?;
        let schema = rows.schema();
        let fill = move |writer: &mut dyn tpq_output::ResultWriter| Ok(writer.write(&rows)?);
        let target = self.store().path(TRACES, &path)?;
        let sizes = UploadSizes::within(self.memory_limit().map(|limit| limit / 4));
        let options = OutputOptions::default();
        let size = write_parquet(self.store(), target, sizes, options, schema, fill).await?;
        let digests = traces.iter().map(|trace| &trace.facts.digest);
        let digests = digests.clone().min().cloned().zip(digests.max().cloned());
        Ok(AddedFile {
            path,
            size,
            rows: traces.len() as u64,
            modified_ms: milliseconds(),
            digests,
            partition: Vec::new(),
        })
    }
}

/// The rows of a Parquet file.
pub(crate) fn batches(
    bytes: Bytes,
) -> Result<Vec<RecordBatch>, datafusion::parquet::errors::ParquetError> {
    let reader = ParquetRecordBatchReaderBuilder::try_new(bytes)?.build()?;
    Ok(reader.collect::<Result<Vec<_>, _>>()?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_lake::{ingest, lake};

    #[tokio::test]
    async fn a_commit_that_is_there_already_is_found() {
        let (_folder, lake) = lake(&[]).await;
        ingest(&lake, "aa", "x", 1).await;
        let before = lake.catalog().await.unwrap();
        ingest(&lake, "bb", "x", 1).await;
        for file in &lake.catalog().await.unwrap().files {
            assert!(lake.catalog_refers_to(&file.path).await.unwrap());
        }
        assert!(!lake.catalog_refers_to("traces-1.parquet").await.unwrap());
        // An older state is not committed to, and its file is removed.
        let trace = before.find("aa").unwrap().as_ref().clone();
        assert!(!lake.change_catalog(&before, &HashSet::new(), vec![trace]).await.unwrap());
        let objects = lake.store().list(TRACES).await.unwrap();
        let is_file = |path: &str| path.ends_with(".parquet") && !path.contains("_delta_log");
        let files = objects.iter().filter(|object| is_file(object.location.as_ref()));
        assert_eq!(files.count(), 2);
    }
}
