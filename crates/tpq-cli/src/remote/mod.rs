//! Commands with `--cluster`: their work runs on the executors of a cluster.
//!
//! ```text
//! each      a plan: TraceWorkExec over names, and the steps of --then   ┐
//! relations a plan over the files of a lake                            ├─▶ Remote::rows ─▶ output
//! ingest    a plan: TraceWorkExec over paths                           ┘
//! ```

mod each;
mod ingest;
mod relations;

use std::sync::Arc;
use std::time::Duration;

use datafusion::arrow::array::{RecordBatch, RecordBatchOptions};
use datafusion::arrow::datatypes::{Schema, SchemaRef};
use datafusion::error::DataFusionError;
use tpq::{EachError, ImportOptions, Worker};
use tpq_cluster::{Cluster, EXECUTOR_WAIT, KeptRows, Query};
use tpq_output::ResultWriter;

pub use self::each::run as run_on_each;
pub use self::ingest::run as ingest;
pub use self::relations::run as run_on_relations;
use crate::each::say;
use crate::exit::{Interrupted, Usage};
use crate::signals;

/// The address of the cluster that runs a command.
#[derive(Clone, Copy)]
pub struct ClusterAddress<'a> {
    /// The scheduler, as HOST:PORT.
    pub address: &'a str,
    /// Seconds to wait where there is no executor.
    pub executor_wait: Option<u64>,
}

/// A cluster that commands use.
struct Remote {
    cluster: Cluster,
    worker: Arc<Worker>,
    quiet: bool,
}

impl Remote {
    fn new(at: ClusterAddress<'_>, import: ImportOptions, quiet: bool) -> anyhow::Result<Self> {
        let worker = Arc::new(Worker::new(import));
        let cluster = Cluster::new(at.address, Arc::clone(&worker) as _)
            .map_err(|error| Usage(error.to_string()))?;
        let wait = at.executor_wait.map_or(EXECUTOR_WAIT, Duration::from_secs);
        Ok(Self { cluster: cluster.with_executor_wait(wait), worker, quiet })
    }

    /// The rows of a query. Ctrl-C cancels it.
    async fn rows(&self, query: &Query) -> anyhow::Result<KeptRows> {
        let mut interrupts = signals::interrupts();
        signals::handle_one_end();
        tokio::select! {
            biased;
            () = interrupts.next() => {
                self.cluster.cancel().await?;
                Err(Interrupted.into())
            }
            rows = self.cluster.rows(query) => Ok(rows?),
        }
    }

    /// Says why statements run in this process after all.
    fn tell(&self, what: &str, why: &str) {
        if !self.quiet {
            let why = why.lines().next().unwrap_or_default();
            say(&format!("{what} on this machine: {why}"));
        }
    }
}

/// Writes rows under the titles of a statement.
fn write_named(
    rows: KeptRows,
    names: &[String],
    writer: &mut dyn ResultWriter,
) -> anyhow::Result<()> {
    let fields = rows.schema().fields().iter().zip(names);
    let fields = fields.map(|(field, name)| field.as_ref().clone().with_name(name));
    let schema = Arc::new(Schema::new(fields.collect::<Vec<_>>()));
    writer.begin(&schema)?;
    for batch in rows.into_batches()? {
        writer.write(&renamed(&batch?, &schema)?)?;
    }
    Ok(writer.end()?)
}

fn renamed(batch: &RecordBatch, schema: &SchemaRef) -> anyhow::Result<RecordBatch> {
    let options = RecordBatchOptions::new().with_row_count(Some(batch.num_rows()));
    let columns = batch.columns().to_vec();
    Ok(RecordBatch::try_new_with_options(Arc::clone(schema), columns, &options)?)
}

/// The error of statements on a trace, where this is one.
fn of_statements(error: DataFusionError) -> Result<EachError, anyhow::Error> {
    match error {
        DataFusionError::External(error) => match error.downcast::<EachError>() {
            Ok(error) => Ok(*error),
            Err(error) => Err(anyhow::anyhow!(error)),
        },
        error => Err(error.into()),
    }
}
