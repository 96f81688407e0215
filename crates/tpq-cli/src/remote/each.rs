//! Statements on each of many traces.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Context;
use datafusion::arrow::array::{Array, AsArray, BooleanArray, RecordBatch};
use datafusion::arrow::compute::{filter_record_batch, is_null};
use datafusion::arrow::datatypes::{Schema, SchemaRef};
use tpq::{CancelToken, EachOptions, Lake};
use tpq_cluster::{
    ClusterError, FAILURE, KeptRows, Query, Task, TraceWork, TraceWorkExec, TraceWorkTable,
    TraceWorker, distributed_session, plain_settings, portable_schema,
};
use tpq_output::ResultWriter;

use super::{ClusterAddress, Remote, of_statements, write_named};
use crate::command::query::QueryArgs;
use crate::each::{Failures, Results, Then, Traces, as_error};
use crate::lake::names_lake;

/// What the statements of `--then` do.
const THEN_RUNS: &str = "the statements of --then run";

/// Runs the statements of a query on the executors and writes the rows.
///
/// # Errors
/// When the cluster cannot be reached, a statement is wrong, or rows cannot be written.
pub async fn run(
    args: &QueryArgs,
    (cluster, traces): (ClusterAddress<'_>, &Traces),
    sql: &str,
    options: EachOptions,
    writer: &mut dyn ResultWriter,
    failures: &mut Failures,
) -> anyhow::Result<()> {
    let import = options.import.clone();
    let work = Work::new(args, (cluster, traces), sql, options).await?;
    failures.count_all(work.names.len() as u64);
    let keeps_failures = !args.import.strict;
    let Some(then) = &args.each.then else {
        let rows = work.remote.rows(&work.query(keeps_failures)?).await?;
        return work.write(rows, writer, failures);
    };
    let lake = traces.lake().map(|lake| (lake, args.each.filter.as_deref()));
    let then = Then { sql: then, import: &import, lake, parameters: &args.param };
    if let Some((query, names)) = work.then(&then).await? {
        return write_named(work.remote.rows(&query).await?, &names, writer);
    }
    // The rows come here, and the statements run here.
    let results = Results::create()?;
    let mut file = results.writer()?;
    let rows = work.remote.rows(&work.query(keeps_failures)?).await?;
    work.write(rows, file.as_mut(), failures)?;
    drop(file);
    results.query(&then, true, failures, writer).await
}

/// What all executors do.
struct Work {
    remote: Remote,
    names: Vec<String>,
    /// The paths of traces by their names, where these are others.
    paths: HashMap<String, String>,
    work: TraceWork,
    /// The columns of the rows.
    columns: SchemaRef,
}

impl Work {
    async fn new(
        args: &QueryArgs,
        (cluster, traces): (ClusterAddress<'_>, &Traces),
        sql: &str,
        options: EachOptions,
    ) -> anyhow::Result<Self> {
        let remote = Remote::new(cluster, options.import, args.import.flags.quiet)?;
        let (parameters, metadata) = (options.parameters, options.metadata);
        let task = Task::Statement { sql: sql.to_owned(), parameters, metadata };
        let mut paths = HashMap::new();
        let (lake, version, names) = match traces {
            Traces::Files(files) => {
                let names = files.iter().map(|path| name_of(path));
                (None, 0, names.collect::<anyhow::Result<Vec<_>>>()?)
            }
            Traces::Lake(lake, traces) => {
                let facts = traces.iter().map(|trace| &trace.facts);
                paths.extend(facts.clone().map(|it| (it.digest.clone(), it.path.clone())));
                let version = lake.catalog().await?.version();
                let names = facts.map(|facts| facts.digest.clone()).collect();
                (Some(lake.url().to_owned()), version, names)
            }
        };
        let work = TraceWork { lake, version, task, keeps_failures: false };
        let mut found = Self { remote, names, paths, work, columns: Arc::new(Schema::empty()) };
        found.columns = found.find_columns().await?;
        Ok(found)
    }

    /// The columns of the rows, found with the first trace that can be opened.
    async fn find_columns(&self) -> anyhow::Result<SchemaRef> {
        let mut first = None;
        for name in &self.names {
            let error = match self.remote.worker.columns(&self.work, name).await {
                Ok(columns) => return Ok(columns),
                Err(error) => error,
            };
            let path = PathBuf::from(self.path_of(name));
            let error = match of_statements(error) {
                Ok(error) if error.is_of_statements() => return Err(as_error(&path, error)),
                Ok(error) => as_error(&path, error),
                Err(error) => error,
            };
            first.get_or_insert(error);
        }
        Err(first.unwrap_or_else(|| anyhow::anyhow!("expected a trace, got none")))
    }

    fn path_of<'a>(&'a self, name: &'a str) -> &'a str {
        self.paths.get(name).map_or(name, String::as_str)
    }

    /// The step that runs on each trace.
    fn step(&self, keeps_failures: bool) -> anyhow::Result<TraceWorkExec> {
        let work = TraceWork { keeps_failures, ..self.work.clone() };
        let schema = portable_schema(&self.columns, keeps_failures);
        let worker = Arc::clone(&self.remote.worker);
        Ok(TraceWorkExec::on(&self.names, work, schema, worker)?)
    }

    /// A query of the rows of all traces.
    fn query(&self, keeps_failures: bool) -> anyhow::Result<Query> {
        let step = Arc::new(self.step(keeps_failures)?);
        Ok(self.remote.cluster.query(step, &plain_settings())?)
    }

    /// A query of the statement over the rows of all traces, with the titles of its columns. `None`
    /// if it cannot be sent as a whole.
    async fn then(&self, then: &Then<'_>) -> anyhow::Result<Option<(Query, Vec<String>)>> {
        let mut session = distributed_session(HashMap::new(), &Default::default())?;
        let statements = session.statements(then.sql)?;
        if let Some((lake, filter)) = then.lake.filter(|_| names_lake(&statements)) {
            session = distributed_session(Lake::scans_of_no_trace(), &Default::default())?;
            lake.add_relations(&session, filter).await?;
        }
        then.parameters.iter().for_each(|parameter| parameter.set(&session));
        session.add_table("results", Arc::new(TraceWorkTable::new(self.step(false)?)));
        let [statement] = statements.as_slice() else {
            self.remote.tell(THEN_RUNS, "they are several");
            return Ok(None);
        };
        let planned = match session.remote_plan(statement, &CancelToken::default()).await {
            Ok(planned) => planned,
            // Such as one that reads `failures`, which is a table here.
            Err(error) => {
                self.remote.tell(THEN_RUNS, &error.to_string());
                return Ok(None);
            }
        };
        let Some(planned) = planned else { return Ok(None) };
        match self.remote.cluster.query(planned.plan, &planned.config) {
            Ok(query) => Ok(Some((query, planned.names))),
            Err(ClusterError::NotPortable(why)) => {
                self.remote.tell(THEN_RUNS, &why);
                Ok(None)
            }
            Err(error) => Err(error.into()),
        }
    }

    /// Writes rows, and records the failures among them.
    fn write(
        &self,
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
                true => self.without_failures(&batch, failures)?,
                false => batch,
            };
            writer.write(&rows.project(&columns)?)?;
        }
        Ok(writer.end()?)
    }

    /// The rows of a batch that are no failures, which are recorded.
    fn without_failures(
        &self,
        batch: &RecordBatch,
        failures: &mut Failures,
    ) -> anyhow::Result<RecordBatch> {
        let last = batch.columns().last().context("a result without columns")?;
        if last.null_count() == batch.num_rows() {
            return Ok(batch.clone());
        }
        let names = batch.column(0).as_string::<i32>();
        let errors = last.as_string::<i32>();
        for row in (0..batch.num_rows()).filter(|&row| errors.is_valid(row)) {
            let path = PathBuf::from(self.path_of(names.value(row)));
            failures.record_text(path, errors.value(row));
        }
        let kept: BooleanArray = is_null(last)?;
        Ok(filter_record_batch(batch, &kept)?)
    }
}

/// The path of a trace for all machines.
pub(super) fn name_of(path: &Path) -> anyhow::Result<String> {
    let absolute = std::path::absolute(path);
    let absolute = absolute.with_context(|| format!("cannot find {}", path.display()))?;
    let name = absolute.into_os_string().into_string();
    name.map_err(|path| anyhow::anyhow!("{} is not UTF-8", Path::new(&path).display()))
}
