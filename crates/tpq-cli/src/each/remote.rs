//! The statements on the executors of a cluster.
//!
//! ```text
//! paths ──▶ one plan: TraceWorkExec over the paths ──submit──▶ rows of all traces ──▶ the output
//!       └─▶ --then: one plan with the steps of the statement over it, where all of them can be sent
//! ```

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Context;
use datafusion::arrow::array::{Array, AsArray, BooleanArray, RecordBatch, RecordBatchOptions};
use datafusion::arrow::compute::{filter_record_batch, is_null};
use datafusion::arrow::datatypes::{Schema, SchemaRef};
use tpq::{CancelToken, EachError, EachOptions, Session, Worker};
use tpq_cluster::{
    Cluster, ClusterError, FAILURE, KeptRows, Query, Task, TraceWork, TraceWorkExec,
    TraceWorkTable, TraceWorker, distributed_session, plain_settings, portable_schema,
};
use tpq_output::ResultWriter;

use super::failures::{self, Failures};
use super::then::Results;
use crate::command::query::QueryArgs;
use crate::exit::{Interrupted, Usage};
use crate::signals;

/// Runs the statements of a query on a cluster and writes the rows.
///
/// # Errors
/// When the cluster cannot be reached, a statement is wrong, or rows cannot be written.
pub async fn run(
    args: &QueryArgs,
    sql: &str,
    address: &str,
    options: EachOptions,
    writer: &mut dyn ResultWriter,
    failures: &mut Failures,
) -> anyhow::Result<()> {
    let import = options.import.clone();
    let work = Work::new(args, sql, address, options).await?;
    failures.count_all(work.names.len() as u64);
    let Some(then) = &args.each.then else {
        let rows = work.rows(&work.query(!args.import.strict).await?).await?;
        return write(rows, writer, failures);
    };
    match work.then(then).await? {
        Some((query, names)) => write_named(work.rows(&query).await?, &names, writer),
        None => {
            // The rows come here, and the statements run here.
            let results = Results::create()?;
            let mut file = results.writer()?;
            let rows = work.rows(&work.query(!args.import.strict).await?).await?;
            write(rows, file.as_mut(), failures)?;
            drop(file);
            results.query(&import, then, true, failures, writer).await
        }
    }
}

/// What all executors do.
struct Work {
    cluster: Cluster,
    worker: Arc<Worker>,
    names: Vec<String>,
    work: TraceWork,
    /// The columns of the rows.
    columns: SchemaRef,
    quiet: bool,
}

impl Work {
    async fn new(
        args: &QueryArgs,
        sql: &str,
        address: &str,
        options: EachOptions,
    ) -> anyhow::Result<Self> {
        let worker = Arc::new(Worker::new(options.import));
        let cluster = Cluster::new(address, Arc::clone(&worker) as _)
            .map_err(|error| Usage(error.to_string()))?;
        let names = args.import.traces.iter().map(|path| name_of(path));
        let names = names.collect::<anyhow::Result<Vec<_>>>()?;
        let (parameters, metadata) = (options.parameters, options.metadata);
        let task = Task::Statement { sql: sql.to_owned(), parameters, metadata };
        let work = TraceWork { lake: None, task, keeps_failures: false };
        let columns = columns(&worker, &work, &names).await?;
        Ok(Self { cluster, worker, names, work, columns, quiet: args.import.flags.quiet })
    }

    /// The step that runs on each trace.
    fn step(&self, keeps_failures: bool) -> anyhow::Result<TraceWorkExec> {
        let work = TraceWork { keeps_failures, ..self.work.clone() };
        let schema = portable_schema(&self.columns, keeps_failures);
        Ok(TraceWorkExec::on(&self.names, work, schema, Arc::clone(&self.worker) as _)?)
    }

    /// A query of the rows of all traces.
    async fn query(&self, keeps_failures: bool) -> anyhow::Result<Query> {
        let step = Arc::new(self.step(keeps_failures)?);
        Ok(self.cluster.query(step, &plain_settings())?)
    }

    /// A query of the statement over the rows of all traces, with the titles of its columns. `None`
    /// if it cannot be sent as a whole.
    async fn then(&self, sql: &str) -> anyhow::Result<Option<(Query, Vec<String>)>> {
        let session: Session = distributed_session(&Default::default())?;
        session.add_table("results", Arc::new(TraceWorkTable::new(self.step(false)?)));
        let statements = session.statements(sql)?;
        let [statement] = statements.as_slice() else {
            self.tell("they are several");
            return Ok(None);
        };
        let planned = match session.remote_plan(statement, &CancelToken::default()).await {
            Ok(planned) => planned,
            // Such as one that reads `failures`, which is a table here.
            Err(error) => {
                self.tell(&error.to_string());
                return Ok(None);
            }
        };
        let Some(planned) = planned else { return Ok(None) };
        match self.cluster.query(planned.plan, &planned.config) {
            Ok(query) => Ok(Some((query, planned.names))),
            Err(ClusterError::NotPortable(why)) => {
                self.tell(&why);
                Ok(None)
            }
            Err(error) => Err(error.into()),
        }
    }

    fn tell(&self, why: &str) {
        if !self.quiet {
            let why = why.lines().next().unwrap_or_default();
            failures::say(&format!("the statements of --then run on this machine: {why}"));
        }
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
}

/// The path of a trace for all machines.
fn name_of(path: &Path) -> anyhow::Result<String> {
    let absolute = std::path::absolute(path);
    let absolute = absolute.with_context(|| format!("cannot find {}", path.display()))?;
    let name = absolute.into_os_string().into_string();
    name.map_err(|path| anyhow::anyhow!("{} is not UTF-8", Path::new(&path).display()))
}

/// The columns of the rows, found with the first trace that can be opened.
async fn columns(worker: &Worker, work: &TraceWork, names: &[String]) -> anyhow::Result<SchemaRef> {
    let mut first = None;
    for name in names {
        let error = match worker.columns(work, name).await {
            Ok(columns) => return Ok(columns),
            Err(error) => error,
        };
        let error = match error {
            datafusion::error::DataFusionError::External(error) => {
                match error.downcast::<EachError>() {
                    Ok(error) if error.is_of_statements() => {
                        return Err(failures::as_error(&PathBuf::from(name), *error));
                    }
                    Ok(error) => failures::as_error(&PathBuf::from(name), *error),
                    Err(error) => anyhow::anyhow!(error),
                }
            }
            error => error.into(),
        };
        first.get_or_insert(error);
    }
    Err(first.unwrap_or_else(|| anyhow::anyhow!("expected a trace, got none")))
}

/// Writes rows, and records the failures among them.
fn write(
    rows: KeptRows,
    writer: &mut dyn ResultWriter,
    failures: &mut Failures,
) -> anyhow::Result<()> {
    let schema = Arc::clone(rows.schema());
    let columns = match schema.fields().last() {
        Some(last) if last.name() == FAILURE => schema.fields().len() - 1,
        _ => schema.fields().len(),
    };
    let columns: Vec<usize> = (0..columns).collect();
    writer.begin(&Arc::new(schema.project(&columns)?))?;
    for batch in rows.into_batches()? {
        let batch = batch?;
        let rows = match columns.len() < batch.num_columns() {
            true => without_failures(&batch, failures)?,
            false => batch,
        };
        writer.write(&rows.project(&columns)?)?;
    }
    Ok(writer.end()?)
}

/// The rows of a batch that are no failures, which are recorded.
fn without_failures(batch: &RecordBatch, failures: &mut Failures) -> anyhow::Result<RecordBatch> {
    let last = batch.columns().last().context("a result without columns")?;
    if last.null_count() == batch.num_rows() {
        return Ok(batch.clone());
    }
    let names = batch.column(0).as_string::<i32>();
    let errors = last.as_string::<i32>();
    for row in (0..batch.num_rows()).filter(|&row| errors.is_valid(row)) {
        failures.record_text(PathBuf::from(names.value(row)), errors.value(row));
    }
    let kept: BooleanArray = is_null(last)?;
    Ok(filter_record_batch(batch, &kept)?)
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
        let batch = batch?;
        let options = RecordBatchOptions::new().with_row_count(Some(batch.num_rows()));
        let columns = batch.columns().to_vec();
        writer.write(&RecordBatch::try_new_with_options(
            Arc::clone(&schema),
            columns,
            &options,
        )?)?;
    }
    Ok(writer.end()?)
}
