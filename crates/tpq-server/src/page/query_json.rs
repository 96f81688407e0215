//! `POST /api/query`: runs statements and answers with the rows of the last one that gives rows.

use std::time::Instant;

use futures::StreamExt;
use serde_json::{Value, json};
use tpq_output::{JsonRows, OutputError};
use tpq_sql::{CancelToken, ResultSet, Session, SqlError};

/// The number of rows without a `limit`.
const DEFAULT_ROWS: usize = 10_000;
/// The largest number of rows.
const MAX_ROWS: usize = 1_000_000;
/// The size of the rows after which no more are read.
const MAX_BYTES: usize = 256 << 20;

/// A request that is not a query.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RequestError {
    /// The body is not JSON.
    #[error("the body is not JSON: {0}")]
    NotJson(#[from] serde_json::Error),
    /// The member `sql` is not a text.
    #[error("expected an object with a text `sql`")]
    NoSql,
    /// The member `limit` is not a number of rows.
    #[error("`limit` is not a number of rows, from 1 to {}", MAX_ROWS)]
    Limit,
}

/// Statements, and how many rows are wanted.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct QueryRequest {
    sql: String,
    limit: usize,
}

impl QueryRequest {
    /// Reads the body of a request: `{"sql": "SELECT 1", "limit": 1000}`.
    ///
    /// # Errors
    /// When it is something else.
    pub fn parse(body: &[u8]) -> Result<Self, RequestError> {
        let body: Value = serde_json::from_slice(body)?;
        let sql = body.get("sql").and_then(Value::as_str).ok_or(RequestError::NoSql)?.to_owned();
        let limit = match body.get("limit") {
            None | Some(Value::Null) => DEFAULT_ROWS,
            Some(limit) => {
                let rows = limit.as_u64().and_then(|rows| usize::try_from(rows).ok());
                rows.filter(|rows| (1..=MAX_ROWS).contains(rows)).ok_or(RequestError::Limit)?
            }
        };
        Ok(Self { sql, limit })
    }
}

/// An error of running statements or of writing their rows.
#[derive(Debug, thiserror::Error)]
enum QueryError {
    #[error(transparent)]
    Sql(#[from] SqlError),
    #[error(transparent)]
    Output(#[from] OutputError),
}

/// Runs statements and returns the answer as JSON, which states errors as well. Dropping the future
/// or cancelling the token stops the statements.
pub async fn query_json(session: &Session, request: &QueryRequest, cancel: &CancelToken) -> String {
    let start = Instant::now();
    let answer = rows(session, request, cancel).await;
    let elapsed = start.elapsed().as_secs_f64() * 1e3;
    // Microseconds are exact enough.
    let elapsed = (elapsed * 1e3).round() / 1e3;
    match answer {
        Ok((rows, is_truncated)) => {
            let (members, count) = match rows {
                Some(rows) => (rows.members(), rows.count()),
                None => ("\"columns\":[],\"rows\":[]".to_owned(), 0),
            };
            format!(
                "{{{members},\"row_count\":{count},\"truncated\":{is_truncated},\
                 \"elapsed_ms\":{elapsed}}}"
            )
        }
        Err(error) => json!({
            "columns": [],
            "rows": [],
            "row_count": 0,
            "truncated": false,
            "elapsed_ms": elapsed,
            "error": describe(&error),
        })
        .to_string(),
    }
}

/// The rows, and whether there are more.
async fn rows(
    session: &Session,
    request: &QueryRequest,
    cancel: &CancelToken,
) -> Result<(Option<JsonRows>, bool), QueryError> {
    let mut last: Option<ResultSet> = None;
    for statement in session.statements(&request.sql)? {
        let Some(result) = session.run_cancellable(&statement, cancel).await? else { continue };
        // A result that is not shown may fail, and have effects, while it runs.
        let hidden = if result.is_suppressed() { Some(result) } else { last.replace(result) };
        if let Some(hidden) = hidden {
            hidden.run_to_end().await?;
        }
    }
    let Some(mut result) = last else { return Ok((None, false)) };
    let mut rows = JsonRows::new(result.schema());
    while let Some(batch) = result.next().await {
        let is_complete = rows.push(&batch?, request.limit)?;
        if !is_complete || rows.bytes() > MAX_BYTES {
            return Ok((Some(rows), true));
        }
    }
    Ok((Some(rows), false))
}

/// An error with its location in the statements and a suggestion, as far as known.
fn describe(error: &QueryError) -> Value {
    let mut value = json!({ "message": error.to_string() });
    let QueryError::Sql(error) = error else { return value };
    if let Some(hint) = error.suggestion() {
        value["hint"] = hint.into();
    }
    if let Some(location) = error.location().filter(|location| location.module.is_none()) {
        value["line"] = location.line.into();
        value["column"] = location.column.into();
        value["width"] = location.width.into();
    }
    value
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_has_statements_and_a_limit() {
        let parse = |body: &str| QueryRequest::parse(body.as_bytes());
        let limit = |body: &str| parse(body).map(|request| request.limit).ok();
        assert_eq!(limit(r#"{"sql":"SELECT 1"}"#), Some(DEFAULT_ROWS));
        assert_eq!(limit(r#"{"sql":"SELECT 1","limit":7}"#), Some(7));
        assert!(matches!(parse("{"), Err(RequestError::NotJson(_))));
        assert!(matches!(parse("[]"), Err(RequestError::NoSql)));
        assert!(matches!(parse(r#"{"sql":1}"#), Err(RequestError::NoSql)));
        for wrong in ["0", "-1", "1.5", "1e9", "\"7\""] {
            let body = format!(r#"{{"sql":"","limit":{wrong}}}"#);
            assert!(matches!(parse(&body), Err(RequestError::Limit)), "{wrong}");
        }
    }
}
