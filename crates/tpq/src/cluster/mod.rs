//! Work on single traces for a cluster: what an executor does for each name that a plan has.

use std::path::Path;
use std::sync::Arc;

use async_trait::async_trait;
use datafusion::arrow::datatypes::SchemaRef;
use datafusion::common::{Result, not_impl_err};
use datafusion::error::DataFusionError;
use datafusion::execution::SendableRecordBatchStream;
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use futures::{StreamExt, stream};
use tpq_cluster::{Task, TraceWork, TraceWorker};

use crate::each::{columns_of, rows_of};
use crate::{CancelToken, EachError, ImportOptions, KeptRows, Trace};

/// Opens traces with these options and runs statements on them.
#[derive(Clone)]
pub struct Worker {
    options: ImportOptions,
}

impl Worker {
    /// A worker that opens each trace with `options`.
    pub fn new(options: ImportOptions) -> Self {
        Self { options }
    }

    async fn open(
        &self,
        path: &Path,
        parameters: &[(String, tpq_sql::ParameterValue)],
        cancel: &CancelToken,
    ) -> std::result::Result<Trace, EachError> {
        let options = ImportOptions { cancel: cancel.clone(), ..self.options.clone() };
        let trace = Trace::open(&[path], options).await?;
        for (name, value) in parameters {
            trace.session().set_parameter(name, value.clone());
        }
        Ok(trace)
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
        match (&work.lake, &work.task) {
            (None, Task::Statement { sql, parameters, metadata }) => {
                let path = Path::new(name);
                let trace = self.open(path, parameters, &CancelToken::default()).await;
                let trace = trace.map_err(external)?;
                columns_of(&trace, path, sql, metadata).await.map_err(external)
            }
            _ => not_impl_err!("lakes"),
        }
    }

    async fn run(
        &self,
        work: &TraceWork,
        name: &str,
        cancel: &CancelToken,
    ) -> Result<SendableRecordBatchStream> {
        match (&work.lake, &work.task) {
            (None, Task::Statement { sql, parameters, metadata }) => {
                let path = Path::new(name);
                let trace = self.open(path, parameters, cancel).await.map_err(external)?;
                let kept = rows_of(&trace, path, sql, metadata, cancel).await;
                trace.wait_until_cached();
                stream_of(kept.map_err(external)?)
            }
            _ => not_impl_err!("lakes"),
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
