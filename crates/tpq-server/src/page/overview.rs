//! `GET /api/overview`: what is in the trace, and what statements can name.

use std::collections::HashMap;

use futures::TryStreamExt;
use serde_json::{Value, json};
use tpq_health::{Health, HealthError};
use tpq_output::{JsonRows, OutputError};
use tpq_sql::{CancelToken, FunctionInfo, Relation, Session, SqlError};

/// The overview of a trace could not be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OverviewError {
    /// A query of the tables failed.
    #[error(transparent)]
    Sql(#[from] SqlError),
    /// The health could not be read.
    #[error(transparent)]
    Health(#[from] HealthError),
    /// A value could not be formatted.
    #[error(transparent)]
    Output(#[from] OutputError),
    /// A value was formatted wrongly: a bug in tpq.
    #[error("cannot read a value that tpq wrote, which is a bug in tpq: {0}")]
    Value(#[from] serde_json::Error),
}

const BOUNDS: &str = "SELECT start_ts, end_ts FROM trace_bounds";

/// Files that are not containers of others.
const FILES: &str = "SELECT coalesce(name, '') AS name, trace_type AS format, size AS bytes \
    FROM trace_file WHERE trace_type NOT IN ('tar', 'zip', 'gzip', 'zstd') ORDER BY id";

const MACHINES: &str = "SELECT id, coalesce(name, 'machine ' || id) AS name, \
    trim(concat_ws(' ', sysname, release, arch)) AS system, num_cpus AS cpus \
    FROM machine ORDER BY id";

/// The clocks that were read. The values of the trace time clock are the timestamps.
const CLOCKS: &str = "SELECT coalesce(clock_name, 'clock ' || clock_id) AS name, \
    coalesce(machine.name, 'machine ' || machine_id) AS machine, count(*) AS snapshots, \
    min(ts = clock_value) AS is_trace_time \
    FROM clock_snapshot LEFT JOIN machine ON machine.id = machine_id \
    WHERE origin IN ('snapshot', 'ftrace', 'remote_clock_sync') \
    GROUP BY clock_id, clock_name, machine_id, machine.name ORDER BY machine_id, clock_id";

const RELATIONS: &str = "SELECT name, type FROM sqlite_master \
    WHERE type IN ('table', 'view') ORDER BY name";

/// Describes the trace of a session as JSON. `trace` is its name for people. Cancelling the token
/// stops it.
///
/// # Errors
/// When the tables cannot be read.
pub async fn overview(
    session: &Session,
    trace: &str,
    cancel: &CancelToken,
) -> Result<Value, OverviewError> {
    let bounds = objects(session, BOUNDS, cancel).await?;
    let bound = |name: &str| bounds.first().map_or(&Value::Null, |row| &row[name]);
    let mut files = objects(session, FILES, cancel).await?;
    for file in &mut files {
        // A file of its own has no name in the tables.
        if file["name"] == "" {
            file["name"] = trace.into();
        }
    }
    Ok(json!({
        "version": env!("CARGO_PKG_VERSION"),
        "traces": files,
        "start_ts": bound("start_ts"),
        "end_ts": bound("end_ts"),
        "health": Health::of(session).await?.json(),
        "machines": objects(session, MACHINES, cancel).await?,
        "clocks": clocks(session, cancel).await?,
        "tables": relations(session, cancel).await?,
        "functions": session.functions().iter().map(function).collect::<Vec<_>>(),
        "modules": session.module_names(),
    }))
}

async fn clocks(session: &Session, cancel: &CancelToken) -> Result<Vec<Value>, OverviewError> {
    let mut clocks = objects(session, CLOCKS, cancel).await?;
    for clock in &mut clocks {
        clock["is_trace_time"] = (clock["is_trace_time"] == 1).into();
    }
    Ok(clocks)
}

/// The tables and views, with their columns, and with the number of rows where it takes no long
/// query: views that statements created have none.
async fn relations(session: &Session, cancel: &CancelToken) -> Result<Vec<Value>, OverviewError> {
    let found = objects(session, RELATIONS, cancel).await?;
    let text = |row: &Value, name: &str| row[name].as_str().unwrap_or_default().to_owned();
    let kinds: Vec<(String, String)> =
        found.iter().map(|row| (text(row, "name"), text(row, "type"))).collect();
    let is_counted =
        |(name, kind): &&(String, String)| kind == "table" || session.is_built_in(name);
    let counted: Vec<&str> =
        kinds.iter().filter(is_counted).map(|(name, _)| name.as_str()).collect();
    let counts = counts(session, &counted, cancel).await?;
    let relation = |(name, kind): &(String, String)| {
        let Relation { name, doc, columns } = session.describe(name)?;
        let columns: Vec<Value> = columns
            .iter()
            .map(|column| json!({ "name": column.name, "type": column.kind, "doc": column.doc }))
            .collect();
        let rows = counts.get(&name);
        Some(json!({ "name": name, "kind": kind, "rows": rows, "doc": doc, "columns": columns }))
    };
    Ok(kinds.iter().filter_map(relation).collect())
}

fn function(function: &FunctionInfo) -> Value {
    let FunctionInfo { name, kind, arguments } = function;
    json!({ "name": name, "kind": kind, "arguments": arguments })
}

/// The numbers of rows of relations.
async fn counts(
    session: &Session,
    names: &[&str],
    cancel: &CancelToken,
) -> Result<HashMap<String, u64>, OverviewError> {
    let count = |name: &&str| {
        let quoted = name.replace('"', "\"\"");
        format!("SELECT '{}' AS name, count(*) AS n FROM \"{quoted}\"", name.replace('\'', "''"))
    };
    let sql = names.iter().map(count).collect::<Vec<_>>().join(" UNION ALL ");
    let rows = objects(session, &sql, cancel).await?;
    let count = |row: &Value| Some((row["name"].as_str()?.to_owned(), row["n"].as_u64()?));
    Ok(rows.iter().filter_map(count).collect())
}

/// The rows of a query as objects.
async fn objects(
    session: &Session,
    sql: &str,
    cancel: &CancelToken,
) -> Result<Vec<Value>, OverviewError> {
    let mut result = session.query_cancellable(sql, cancel).await?;
    let mut rows = JsonRows::new(result.schema());
    while let Some(batch) = result.try_next().await? {
        rows.push(&batch, usize::MAX)?;
    }
    let value: Value = serde_json::from_str(&format!("{{{}}}", rows.members()))?;
    let list = |name: &str| value[name].as_array().cloned().unwrap_or_default();
    let columns = list("columns");
    let object = |row: &Value| {
        let cells = row.as_array().into_iter().flatten().cloned();
        let names = columns.iter().map(|column| column["name"].as_str().unwrap_or_default());
        Value::Object(names.map(str::to_owned).zip(cells).collect())
    };
    Ok(list("rows").iter().map(object).collect())
}
