//! The SQL of one structured query, for clients that run it themselves.

use tpq_proto::message::PerfettoSqlStructuredQuery;
use tpq_sql::{CancelToken, Session};

use crate::SummaryError;
use crate::query::SharedQueries;
use crate::run::Runner;

/// A structured query as SQL.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct QuerySql {
    /// The statement with the rows.
    pub sql: String,
    /// The same after the statements that it needs: INCLUDE, and those of its sources.
    pub standalone: String,
}

/// Returns the SQL of the query with an id. What the query needs before it has been run in the
/// session, until `cancel` is asked to stop.
///
/// # Errors
/// When no query has the id, the query is not valid, or a statement before it fails.
pub async fn query_sql(
    session: &Session,
    queries: &[PerfettoSqlStructuredQuery],
    id: &str,
    cancel: &CancelToken,
) -> Result<QuerySql, SummaryError> {
    let part = format!("query `{id}`");
    let shared = SharedQueries::of(queries).map_err(|error| error.of("queries"))?;
    let query = shared.get(id).map_err(|error| error.of(&part))?;
    let mut runner = Runner::new(session, shared, cancel);
    let prepared = runner.prepared(query, None).await.map_err(|error| error.of(&part))?;
    let statements = prepared.before.iter().chain([&prepared.sql]);
    let standalone = statements.map(|sql| format!("{sql};\n")).collect();
    Ok(QuerySql { standalone, sql: prepared.sql })
}
