//! The rows of a trace's tables for functions that look them up, loaded when a table is first read.

use std::ops::Range;
use std::sync::Arc;

use bytes::Bytes;
use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::datatypes::Schema;
use datafusion::parquet::arrow::ProjectionMask;
use datafusion::parquet::arrow::arrow_reader::{
    ArrowReaderOptions, ParquetRecordBatchReaderBuilder,
};
use tpq_tables::{LoadError, TableDecl, TableLoader, TraceTables};

use crate::error::ADVICE;
use crate::lake::Lake;
use crate::{LakeError, LakeTrace, TableFile, runtime};

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
        let (lake, name) = (self.lake.clone(), file.path.clone());
        let bytes = runtime::wait(async move {
            let path = lake.store().path(table.name, &name)?;
            lake.store().read(&path).await
        });
        let rows = bytes.and_then(|bytes| rows_of(bytes, table, file));
        rows.map_err(|source| NotLoaded { source }.into())
    }
}

/// The rows of a trace in a file.
fn rows_of(
    bytes: Bytes,
    table: &TableDecl,
    file: &TableFile,
) -> Result<Vec<RecordBatch>, LakeError> {
    let wrong = LakeError::parquet(&file.path);
    // The types that SQL sees, whatever the file says.
    let options = ArrowReaderOptions::new();
    let builder = ParquetRecordBatchReaderBuilder::try_new_with_options(bytes, options);
    let builder = builder.map_err(&wrong)?;
    let is_own = |name: &str| table.column_index(name).is_some();
    let found = builder.schema().fields().iter().enumerate();
    let own: Vec<usize> =
        found.filter(|(_, field)| is_own(field.name())).map(|(at, _)| at).collect();
    let mask = ProjectionMask::roots(builder.parquet_schema(), own);
    let all = builder.metadata().num_row_groups();
    let groups = row_groups(file, all);
    if groups.end > all {
        return Err(LakeError::Catalog(format!("{} has {all} row groups", file.path)));
    }
    let reader = builder.with_projection(mask).with_row_groups(groups.collect());
    let batches = reader.build().map_err(&wrong)?.collect::<Result<Vec<_>, _>>();
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
fn row_groups(file: &TableFile, all: usize) -> Range<usize> {
    match file.row_groups {
        Some(groups) => groups.first..groups.first + groups.count,
        None => 0..all,
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
