//! Work on single traces for a cluster: what an executor does for each name that a plan has.

mod lakes;

use std::path::PathBuf;
use std::sync::Arc;

use async_trait::async_trait;
use datafusion::arrow::array::{ArrayRef, Int64Array, RecordBatch, StringArray};
use datafusion::arrow::datatypes::{DataType, Field, Schema, SchemaRef};
use datafusion::common::{Result, plan_err};
use datafusion::error::DataFusionError;
use datafusion::execution::SendableRecordBatchStream;
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use futures::{StreamExt, stream};
use tpq_cluster::{Task, TraceWork, TraceWorker};
use tpq_lake::Committed;
use tpq_sql::ParameterValue;

use self::lakes::Lakes;
use crate::each::{Opening, TraceColumns, columns_of, rows_of};
use crate::{
    CancelToken, EachError, ImportOptions, IngestOptions, Ingested, KeptRows, TRACE_PATH, Trace,
    ingest,
};

/// Opens traces with these options and runs statements on them.
#[derive(Clone)]
pub struct Worker {
    options: ImportOptions,
    lakes: Lakes,
}

impl Worker {
    /// A worker that opens each trace with `options`.
    pub fn new(options: ImportOptions) -> Self {
        Self { options, lakes: Lakes::default() }
    }

    /// The trace of a name, with its columns and the values of parameters.
    async fn open(
        &self,
        work: &TraceWork,
        name: &str,
        metadata: &[String],
        parameters: &[(String, ParameterValue)],
        cancel: &CancelToken,
    ) -> Result<(Trace, TraceColumns)> {
        let opening = match &work.lake {
            None => Opening::File(PathBuf::from(name)),
            Some(lake) => {
                let (lake, trace) = self.lakes.find(lake, work.version, name).await?;
                Opening::Lake(lake, trace)
            }
        };
        let statements = match &work.task {
            Task::Statement { sql, .. } => Some(sql.as_str().into()),
            Task::Ingest { .. } => None,
        };
        let options = ImportOptions { statements, cancel: cancel.clone(), ..self.options.clone() };
        let opened = opening.open(&options, metadata, &mut 0).await.map_err(external)?;
        for (name, value) in parameters {
            opened.0.session().set_parameter(name, value.clone());
        }
        Ok(opened)
    }

    /// Imports files into a lake, one after the other, and gives a row with the outcome of each.
    async fn ingest(
        &self,
        lake: &str,
        paths: &[String],
        replace: bool,
        cancel: &CancelToken,
    ) -> Result<SendableRecordBatchStream> {
        let lake = self.lakes.open(lake).await?;
        let import = ImportOptions { cancel: cancel.clone(), ..self.options.clone() };
        let options = IngestOptions { import, jobs: 1, replace };
        let paths = paths.iter().map(PathBuf::from).collect();
        let cancel = cancel.clone();
        let rows = ingest(lake, paths, options).map(move |ingested| match cancel.is_cancelled() {
            true => Err(DataFusionError::Execution("the import was cancelled".to_owned())),
            false => outcome_row(ingested),
        });
        Ok(Box::pin(RecordBatchStreamAdapter::new(outcome_columns(), rows)))
    }
}

impl std::fmt::Debug for Worker {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Worker").finish_non_exhaustive()
    }
}

#[async_trait]
impl TraceWorker for Worker {
    async fn columns(&self, work: &TraceWork, name: &str) -> Result<SchemaRef> {
        let Task::Statement { sql, parameters, metadata } = &work.task else {
            return Ok(outcome_columns());
        };
        let cancel = CancelToken::default();
        let (trace, front) = self.open(work, name, metadata, parameters, &cancel).await?;
        let columns = columns_of(&trace, &front, sql).await.map_err(external);
        trace.wait_until_cached();
        columns
    }

    async fn run(
        &self,
        work: &TraceWork,
        names: &[String],
        cancel: &CancelToken,
    ) -> Result<SendableRecordBatchStream> {
        match (&work.task, &work.lake, names) {
            (Task::Statement { sql, parameters, metadata }, _, [name]) => {
                let (trace, front) = self.open(work, name, metadata, parameters, cancel).await?;
                let kept = rows_of(&trace, &front, sql, cancel).await;
                trace.wait_until_cached();
                stream_of(kept.map_err(external)?)
            }
            (Task::Ingest { replace }, Some(lake), paths) => {
                self.ingest(lake, paths, *replace, cancel).await
            }
            _ => plan_err!("{work:?} cannot be done with {} names", names.len()),
        }
    }
}

fn external(error: EachError) -> DataFusionError {
    DataFusionError::External(Box::new(error))
}

/// Rows that were kept as a stream.
fn stream_of(kept: KeptRows) -> Result<SendableRecordBatchStream> {
    let schema = Arc::clone(kept.schema());
    let batches = kept.into_batches().map_err(external)?;
    let batches = stream::iter(batches).map(|batch| batch.map_err(external));
    Ok(Box::pin(RecordBatchStreamAdapter::new(schema, batches)))
}

/// The columns of the outcomes of imports.
fn outcome_columns() -> SchemaRef {
    Arc::new(Schema::new(vec![
        Field::new(TRACE_PATH, DataType::Utf8, true),
        Field::new("outcome", DataType::Utf8, true),
        Field::new("losses", DataType::Int64, true),
        Field::new("error", DataType::Utf8, true),
    ]))
}

/// The row of an import. An error of the lake is one of the storage, so that the task is tried
/// again.
fn outcome_row(ingested: Ingested) -> Result<RecordBatch> {
    let Ingested { path, outcome } = ingested;
    let (committed, losses, error) = match outcome {
        Ok(outcome) => (Some(name_of(outcome.committed)), outcome.losses as i64, None),
        Err(error) if error.is_of_lake() => {
            return Err(DataFusionError::IoError(std::io::Error::other(error.to_string())));
        }
        Err(error) => (None, 0, Some(error.to_string())),
    };
    let text = |text: Option<&str>| -> ArrayRef {
        Arc::new(StringArray::from_iter(std::iter::once(text)))
    };
    let columns: Vec<ArrayRef> = vec![
        text(Some(&path.to_string_lossy())),
        text(committed),
        Arc::new(Int64Array::from(vec![losses])),
        text(error.as_deref()),
    ];
    Ok(RecordBatch::try_new(outcome_columns(), columns)?)
}

/// What became of a trace, as it stands in rows.
fn name_of(committed: Committed) -> &'static str {
    match committed {
        Committed::Added => "added",
        Committed::Replaced => "replaced",
        Committed::Existing => "existing",
    }
}
