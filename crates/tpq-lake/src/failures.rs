//! The list of traces that could not be ingested.

use std::collections::HashSet;
use std::sync::Arc;

use datafusion::arrow::array::{Array, ArrayRef, AsArray, RecordBatch, StringViewArray};
use datafusion::arrow::compute::cast;
use datafusion::arrow::datatypes::{DataType, Field, Schema, SchemaRef};
use tpq_output::{OutputOptions, ResultWriter};

use crate::catalog::batches;
use crate::lake::Lake;
use crate::log::{AddedFile, ColumnType, LogChange};
use crate::upload::UploadSizes;
use crate::write::{file_name, milliseconds, now, write_parquet};
use crate::{LakeError, runtime};

/// The name of the table.
pub(crate) const FAILURES: &str = "failures";
/// How often rows are written while vacuums of young files begin.
const ATTEMPTS: u32 = 8;
const COLUMNS: [&str; 4] = ["trace_path", "error", "tpq_version", "failed_at"];

/// A trace that could not be ingested.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct IngestFailure {
    /// Its path, as the caller named it.
    pub path: String,
    /// Why.
    pub error: String,
}

impl Lake {
    /// Adds traces to the list of failures.
    ///
    /// # Errors
    /// When the list cannot be written.
    pub async fn record_failures(&self, failures: &[IngestFailure]) -> Result<(), LakeError> {
        if failures.is_empty() {
            return Ok(());
        }
        let at = now();
        let text = |of: &dyn Fn(&IngestFailure) -> String| {
            let texts = failures.iter().map(|failure| Some(of(failure)));
            Arc::new(texts.collect::<StringViewArray>()) as ArrayRef
        };
        let columns = vec![
            text(&|failure| failure.path.clone()),
            text(&|failure| failure.error.clone()),
            text(&|_| env!("CARGO_PKG_VERSION").to_owned()),
            text(&|_| at.clone()),
        ];
        self.add_failures(RecordBatch::try_new(schema(), columns)?).await
    }

    /// Adds rows to the list of failures.
    async fn add_failures(&self, rows: RecordBatch) -> Result<(), LakeError> {
        let mut lost: HashSet<String> = HashSet::new();
        for _ in 0..ATTEMPTS {
            let vacuum = self.last_vacuum().await?;
            match self.add_failures_after(vacuum, rows.clone(), lost).await? {
                None => return Ok(()),
                // Another file takes its place.
                Some(path) => lost = HashSet::from([path]),
            }
        }
        Err(LakeError::Busy(FAILURES.to_owned()))
    }

    /// Adds a file with rows to the list in place of those that are lost. Returns its path if another
    /// vacuum of young files than the last one has begun, which may have removed it.
    async fn add_failures_after(
        &self,
        vacuum: Option<i64>,
        rows: RecordBatch,
        lost: HashSet<String>,
    ) -> Result<Option<String>, LakeError> {
        let added = self.write_failures(rows).await?;
        let path = added.path.clone();
        let change = LogChange { add: vec![added], remove: lost, ..LogChange::default() };
        let log = self.log(FAILURES);
        runtime::blocking(move || {
            if log.state()?.is_none() {
                let columns = COLUMNS.map(|name| (name.to_owned(), ColumnType::Text));
                log.create(&columns, &[], &[])?;
            }
            log.apply(&change)
        })
        .await?;
        Ok((self.last_vacuum().await? != vacuum).then_some(path))
    }

    /// Writes a file with rows of the list.
    async fn write_failures(&self, rows: RecordBatch) -> Result<AddedFile, LakeError> {
        let (path, count) = (file_name(FAILURES), rows.num_rows() as u64);
        let fill = move |writer: &mut dyn ResultWriter| Ok(writer.write(&rows)?);
        let target = self.store().path(FAILURES, &path)?;
        let (sizes, options) = (UploadSizes::default(), OutputOptions::default());
        let size = write_parquet(self.store(), target, sizes, options, schema(), fill).await?;
        Ok(AddedFile {
            path,
            size,
            rows: count,
            modified_ms: milliseconds(),
            digests: None,
            partition: Vec::new(),
        })
    }

    /// The list of failures, as rows.
    pub(crate) async fn failures(&self) -> Result<RecordBatch, LakeError> {
        let log = self.log(FAILURES);
        let files = runtime::blocking(move || match log.state()? {
            Some(state) => log.files(&state),
            None => Ok(Vec::new()),
        });
        let mut rows = Vec::new();
        for file in files.await? {
            let bytes = self.store().read(&self.store().path(FAILURES, &file.path)?).await?;
            for batch in batches(bytes).map_err(LakeError::parquet(&file.path))? {
                rows.extend(texts_of(&batch)?);
            }
        }
        rows.sort();
        let column = |at: usize| {
            let texts = rows.iter().map(|row| row.get(at).map(String::as_str));
            Arc::new(texts.collect::<StringViewArray>()) as ArrayRef
        };
        Ok(RecordBatch::try_new(schema(), (0..COLUMNS.len()).map(column).collect())?)
    }
}

fn schema() -> SchemaRef {
    let field = |name: &&str| Field::new(*name, DataType::Utf8View, true);
    Arc::new(Schema::new(COLUMNS.iter().map(field).collect::<Vec<_>>()))
}

/// The rows of a file of the list.
fn texts_of(batch: &RecordBatch) -> Result<Vec<Vec<String>>, LakeError> {
    let mut rows = vec![Vec::new(); batch.num_rows()];
    for name in COLUMNS {
        let missing = || LakeError::Catalog(format!("failures have no column {name}"));
        let column = batch.column_by_name(name).ok_or_else(missing)?;
        let texts = cast(column, &DataType::Utf8View)?;
        let texts = texts.as_string_view();
        for (row, cells) in rows.iter_mut().enumerate() {
            cells.push(if texts.is_valid(row) {
                texts.value(row).to_owned()
            } else {
                String::new()
            });
        }
    }
    Ok(rows)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_lake::{ingest, lake};

    #[tokio::test]
    async fn failures_survive_a_vacuum_of_young_files_beside_them() {
        let (folder, lake) = lake(&[]).await;
        ingest(&lake, "aa", "x", 1).await;
        let failure = |path: &str| IngestFailure { path: path.to_owned(), error: "no".to_owned() };
        lake.record_failures(&[failure("a"), failure("b")]).await.unwrap();
        let rows = lake.failures().await.unwrap();
        assert_eq!(rows.num_rows(), 2);
        // A vacuum begins before the log has the file, and removes it.
        let vacuum = lake.last_vacuum().await.unwrap();
        lake.begin_vacuum().await.unwrap();
        let none = HashSet::new();
        let path = lake.add_failures_after(vacuum, rows.clone(), none).await.unwrap().unwrap();
        std::fs::remove_file(folder.path().join(FAILURES).join(&path)).unwrap();
        assert!(lake.failures().await.is_err());
        let vacuum = lake.last_vacuum().await.unwrap();
        let lost = HashSet::from([path]);
        assert_eq!(lake.add_failures_after(vacuum, rows, lost).await.unwrap(), None);
        assert_eq!(lake.failures().await.unwrap().num_rows(), 4);
    }
}
