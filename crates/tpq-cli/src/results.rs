//! From statements to bytes: running a script and writing its results.

use std::fs::File;
use std::io::{BufWriter, IsTerminal, stdout};
use std::path::Path;

use anyhow::Context;
use futures::StreamExt;
use tpq::{ResultSet, SqlError, Statement, Trace};
use tpq_output::{Format, ResultWriter, Sink};

use crate::exit::Usage;

/// Where results go: a file, or stdout.
pub fn sink(path: Option<&Path>) -> anyhow::Result<Sink> {
    Ok(match path {
        Some(path) => {
            let file =
                File::create(path).with_context(|| format!("cannot create {}", path.display()))?;
            Box::new(BufWriter::new(file))
        }
        None => Box::new(BufWriter::new(stdout())),
    })
}

/// The format results are written in when none is named: for people on a terminal, for programs
/// everywhere else.
pub fn default_format(path: Option<&Path>) -> Format {
    let named = path.and_then(|path| path.extension()?.to_str()?.parse().ok());
    match named {
        Some(format) => format,
        None if path.is_none() && stdout().is_terminal() => Format::Table,
        None => Format::Csv,
    }
}

/// Bytes that are not text make a terminal unusable.
pub fn refuse_binary_on_terminal(format: Format, path: Option<&Path>) -> anyhow::Result<()> {
    if format.is_binary() && path.is_none() && stdout().is_terminal() {
        let message = format!("{format} is not text; name a file with -o, or pipe it");
        return Err(Usage(message).into());
    }
    Ok(())
}

/// Runs the statements of a script one after the other, up to the first that fails.
pub async fn run_script(
    trace: &Trace,
    sql: &str,
    writer: &mut dyn ResultWriter,
) -> anyhow::Result<()> {
    for statement in trace.session().statements(sql)? {
        run(trace, &statement, writer).await?;
    }
    Ok(())
}

/// Runs a statement, writes its result, and gives the number of its rows.
pub async fn run(
    trace: &Trace,
    statement: &Statement,
    writer: &mut dyn ResultWriter,
) -> anyhow::Result<usize> {
    let rows = trace.session().run(statement);
    finish(trace, rows, writer).await
}

/// The same for SQL that is one statement.
pub async fn query(
    trace: &Trace,
    sql: &str,
    writer: &mut dyn ResultWriter,
) -> anyhow::Result<usize> {
    let rows = async { trace.session().query(sql).await.map(Some) };
    finish(trace, rows, writer).await
}

/// Has a statement planned, then executes it by asking for its rows.
async fn finish(
    trace: &Trace,
    start: impl Future<Output = Result<Option<ResultSet>, SqlError>>,
    writer: &mut dyn ResultWriter,
) -> anyhow::Result<usize> {
    let planning = trace.span("plan");
    let result = start.await?;
    drop(planning);
    let Some(result) = result else { return Ok(0) };
    let mut executing = trace.span("execute");
    let rows = write(result, writer).await?;
    if let Some(span) = &mut executing {
        span.add("rows", rows as u64);
    }
    Ok(rows)
}

async fn write(mut result: ResultSet, writer: &mut dyn ResultWriter) -> anyhow::Result<usize> {
    let mut rows = 0;
    writer.begin(result.schema())?;
    while let Some(batch) = result.next().await {
        let batch = batch?;
        rows += batch.num_rows();
        writer.write(&batch)?;
    }
    writer.end()?;
    Ok(rows)
}
