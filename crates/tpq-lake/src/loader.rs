//! The rows of a trace's tables for functions that look them up, loaded when a table is first read.

use std::ops::Range;
use std::sync::Arc;

use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::datatypes::Schema;
use datafusion::parquet::arrow::ProjectionMask;
use datafusion::parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReaderBuilder,
};
use datafusion::parquet::file::metadata::PageIndexPolicy;
use datafusion::parquet::file::reader::ChunkReader;
use tpq_tables::{LoadError, TableDecl, TableLoader, TraceTables};

use crate::error::ADVICE;
use crate::lake::Lake;
use crate::stored_file::{StoredFile, extent_of};
use crate::{LakeError, LakeTrace, TableFile};

/// The size in bytes up to which a file is read as a whole, in one request, whatever is wanted of it.
const MOST_WHOLE: u64 = 1 << 20;

impl Lake {
    /// The tables of a trace. Their rows are loaded when they are first read.
    pub fn tables_of(&self, trace: &Arc<LakeTrace>) -> Arc<TraceTables> {
        let rows = |table: &str| usize::try_from(trace.rows(table)).unwrap_or(usize::MAX);
        let loader = TraceLoader { lake: self.clone(), trace: Arc::clone(trace) };
        let loader: Arc<dyn TableLoader> = Arc::new(loader);
        Arc::new(TraceTables::loaded_by(&loader, rows))
    }

    /// Tables that exist once for each trace, of a session over all traces: reading them is
    /// an error.
    pub(crate) fn tables_of_no_trace() -> Arc<TraceTables> {
        // A row each, so that it is read.
        let loader: Arc<dyn TableLoader> = Arc::new(OfEachTrace);
        Arc::new(TraceTables::loaded_by(&loader, |_| 1))
    }
}

/// Why rows were not loaded, with advice.
#[derive(Debug, thiserror::Error)]
#[error("{source}; {ADVICE}")]
struct NotLoaded {
    source: LakeError,
}

/// Loads the tables of a trace.
struct TraceLoader {
    lake: Lake,
    trace: Arc<LakeTrace>,
}

impl TableLoader for TraceLoader {
    fn load(&self, table: &'static TableDecl) -> Result<Vec<RecordBatch>, LoadError> {
        let Some(file) = self.trace.files.get(table.name) else { return Ok(Vec::new()) };
        let stored = StoredFile::of(&self.lake, table.name, file);
        let rows = stored.and_then(|stored| rows_of(&stored, table, file, MOST_WHOLE));
        rows.map_err(|source| NotLoaded { source }.into())
    }
}

/// The rows of a trace in a file. Of a file with rows of several traces that is larger than `whole`
/// bytes, only the row groups of the trace are read.
fn rows_of(
    stored: &StoredFile,
    table: &TableDecl,
    file: &TableFile,
    whole: u64,
) -> Result<Vec<RecordBatch>, LakeError> {
    let wrong = LakeError::parquet(&file.path);
    // The types that SQL sees, whatever the file says.
    let options = ArrowReaderOptions::new();
    if file.row_groups.is_none() || file.bytes <= whole {
        let bytes = stored.read_whole()?;
        let builder = ParquetRecordBatchReaderBuilder::try_new_with_options(bytes, options);
        return decoded(builder.map_err(&wrong)?, table, file);
    }
    let directory = Arc::new(stored.directory(PageIndexPolicy::Skip, |_| Ok(()))?);
    let groups = row_groups(file, directory.num_row_groups())?;
    let Range { start, end } = extent_of(&directory, groups);
    let windows = stored.windows(end.min(stored.size), end.saturating_sub(start));
    // In one request: what is decoded is then in the window.
    windows.checked(windows.bytes_from(start), &file.path)?;
    let metadata = ArrowReaderMetadata::try_new(directory, options).map_err(&wrong)?;
    decoded(ParquetRecordBatchReaderBuilder::new_with_metadata(windows, metadata), table, file)
}

/// The rows of a trace in a file that was opened.
fn decoded<T: ChunkReader + 'static>(
    builder: ParquetRecordBatchReaderBuilder<T>,
    table: &TableDecl,
    file: &TableFile,
) -> Result<Vec<RecordBatch>, LakeError> {
    let wrong = LakeError::parquet(&file.path);
    let is_own = |name: &str| table.column_index(name).is_some();
    let found = builder.schema().fields().iter().enumerate();
    let own: Vec<usize> =
        found.filter(|(_, field)| is_own(field.name())).map(|(at, _)| at).collect();
    let mask = ProjectionMask::roots(builder.parquet_schema(), own);
    let groups = row_groups(file, builder.metadata().num_row_groups())?;
    let reader = builder.with_projection(mask).with_row_groups(groups.collect());
    let batches = reader.build().map_err(wrong)?.collect::<Result<Vec<_>, _>>();
    let batches = batches.map_err(LakeError::Arrow)?;
    batches.iter().map(|batch| typed(batch, table)).collect()
}

/// The columns with the types that SQL sees.
fn typed(batch: &RecordBatch, table: &TableDecl) -> Result<RecordBatch, LakeError> {
    let mut fields = Vec::new();
    let mut columns = Vec::new();
    for decl in table.columns {
        if let Some(column) = batch.column_by_name(decl.name) {
            columns.push(datafusion::arrow::compute::cast(column, &decl.kind.sql_type())?);
            fields.push(decl.field().with_nullable(true));
        }
    }
    Ok(RecordBatch::try_new(Arc::new(Schema::new(fields)), columns)?)
}

/// The row groups of a trace in a file with `all` of them.
///
/// # Errors
/// When the file has fewer.
fn row_groups(file: &TableFile, all: usize) -> Result<Range<usize>, LakeError> {
    let groups = file.row_groups.map_or(0..all, |own| own.first..own.first + own.count);
    match groups.end > all {
        true => Err(LakeError::Catalog(format!("{} has {all} row groups", file.path))),
        false => Ok(groups),
    }
}

/// Loads nothing: there is a table for each trace.
struct OfEachTrace;

impl TableLoader for OfEachTrace {
    fn load(&self, table: &'static TableDecl) -> Result<Vec<RecordBatch>, LoadError> {
        let name = table.name;
        let why = format!(
            "each trace has a table {name}, and a statement with lake. in it runs over all traces; \
             write lake.{name}, or leave out lake. so that the statement runs on each trace"
        );
        Err(why.into())
    }
}

#[cfg(test)]
mod tests {
    use tpq_tables::Tables;

    use super::*;
    use crate::test_lake::{file, ingest, lake};

    #[tokio::test]
    async fn the_rows_of_a_trace_are_those_of_its_row_groups() {
        let (_folder, lake) = lake(&[]).await;
        let traces = [("aa", 3), ("bb", 2), ("cc", 4)];
        for (digest, slices) in traces {
            ingest(&lake, digest, "x", slices).await;
        }
        lake.compact().await.unwrap();
        let decl = Tables::DECLS.iter().find(|decl| decl.name == "slice").unwrap();
        for (digest, slices) in traces {
            let file = file(&lake, digest).await;
            assert!(file.row_groups.is_some());
            let stored = StoredFile::of(&lake, "slice", &file).unwrap();
            let part = rows_of(&stored, decl, &file, 0).unwrap();
            assert_eq!(part.iter().map(RecordBatch::num_rows).sum::<usize>(), slices);
            assert_eq!(rows_of(&stored, decl, &file, u64::MAX).unwrap(), part);
        }
    }

    #[tokio::test]
    async fn the_directory_says_where_the_rows_of_a_trace_are() {
        let (folder, lake) = lake(&[]).await;
        for digest in ["aa", "bb"] {
            ingest(&lake, digest, "x", 3).await;
        }
        lake.compact().await.unwrap();
        let decl = Tables::DECLS.iter().find(|decl| decl.name == "slice").unwrap();
        let file = file(&lake, "bb").await;
        let stored = StoredFile::of(&lake, "slice", &file).unwrap();
        let directory = stored.directory(PageIndexPolicy::Skip, |_| Ok(())).unwrap();
        let (groups, own) = (extent_of(&directory, 0..2), extent_of(&directory, 1..2));
        assert!(groups.start < own.start && own.end == groups.end && own.end < file.bytes);
        // More than a directory may be is refused before it is read.
        let refused = stored
            .directory(PageIndexPolicy::Skip, |bytes| Err(LakeError::NotFound(bytes.to_string())));
        assert!(matches!(refused, Err(LakeError::NotFound(_))));
        std::fs::remove_file(folder.path().join("slice").join(&file.path)).unwrap();
        let missing = rows_of(&stored, decl, &file, 0).unwrap_err();
        assert!(matches!(missing, LakeError::Store(_)), "{missing:?}");
    }
}
