//! What an executor does with each trace.

use std::fmt::Debug;
use std::sync::Arc;

use async_trait::async_trait;
use datafusion::arrow::datatypes::SchemaRef;
use datafusion::common::Result;
use datafusion::execution::SendableRecordBatchStream;
use tpq_sql::{CancelToken, ParameterValue};

/// Work on each trace of a list.
#[derive(Clone, Debug, PartialEq)]
pub struct TraceWork {
    /// The URL of the lake. Names are digests of its traces, or the paths of files to import into it.
    /// Without a lake they are paths of traces. All executors reach lakes and files by these names.
    pub lake: Option<String>,
    /// The version of the lake's catalogue that the names come from, or an earlier one.
    pub version: u64,
    /// What to do.
    pub task: Task,
    /// Whether a trace that fails gives a row with its name, in the first column, and its error, in
    /// the column [`FAILURE`] behind the others. Otherwise it ends the query.
    pub keeps_failures: bool,
}

/// The column with the error of a trace that failed; NULL in all other rows.
pub const FAILURE: &str = "tpq_failure";

/// The kinds of work.
#[derive(Clone, Debug, PartialEq)]
pub enum Task {
    /// Run statements on a trace of the lake and give the rows of the one that has rows.
    Statement {
        /// The statements.
        sql: String,
        /// Values of parameters of the statements.
        parameters: Vec<(String, ParameterValue)>,
        /// Metadata of the trace that becomes columns.
        metadata: Vec<String>,
    },
    /// Import files into the lake and give a row with the outcome of each. The names of a partition
    /// are imported together, so that they are committed together.
    Ingest {
        /// Whether to import traces that the lake has once more.
        replace: bool,
    },
}

impl Task {
    /// The name of the work in plans and messages.
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Self::Statement { .. } => "statement",
            Self::Ingest { .. } => "ingest",
        }
    }
}

/// Does work on one trace at a time. The same implementation runs in the client, which asks for
/// the columns, and in the executors, which ask for the rows.
#[async_trait]
pub trait TraceWorker: Debug + Send + Sync + 'static {
    /// The columns of the rows of `work`, found with the trace `name`, without running it.
    ///
    /// # Errors
    /// When the trace cannot be opened, or a statement is wrong.
    async fn columns(&self, work: &TraceWork, name: &str) -> Result<SchemaRef>;

    /// The rows of `work` on the traces `names`, until `cancel` asks to stop. Repeating work gives
    /// the same rows and leaves the lake as it was after the first time: a task runs again when
    /// its executor is lost. Statements are given one trace at a time.
    ///
    /// # Errors
    /// When the trace cannot be opened, or a statement is wrong. A
    /// [`DataFusionError::IoError`], and an error that an object store caused, is tried again.
    ///
    /// [`DataFusionError::IoError`]: datafusion::error::DataFusionError::IoError
    async fn run(
        &self,
        work: &TraceWork,
        names: &[String],
        cancel: &CancelToken,
    ) -> Result<SendableRecordBatchStream>;
}

/// A worker that processes share.
pub(crate) type SharedWorker = Arc<dyn TraceWorker>;
