//! Runs statements and writes their results.

use futures::StreamExt;
use tpq::{ResultSet, Trace};
use tpq_output::ResultWriter;

/// Runs the one statement in `sql`, writes its result, and returns the number of rows.
pub async fn query(
    trace: &Trace,
    sql: &str,
    writer: &mut dyn ResultWriter,
) -> anyhow::Result<usize> {
    let planning = trace.span("plan");
    let result = trace.session().query(sql).await?;
    drop(planning);
    execute(trace, result, writer).await
}

/// Writes the rows of a planned statement, and returns their number.
pub async fn execute(
    trace: &Trace,
    result: ResultSet,
    writer: &mut dyn ResultWriter,
) -> anyhow::Result<usize> {
    let mut executing = trace.span("execute");
    let rows = write(result, writer).await?;
    if let Some(span) = &mut executing {
        span.add("rows", rows as u64);
    }
    Ok(rows)
}

/// Writes the rows of a result, and returns their number.
pub async fn write(mut result: ResultSet, writer: &mut dyn ResultWriter) -> anyhow::Result<usize> {
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
