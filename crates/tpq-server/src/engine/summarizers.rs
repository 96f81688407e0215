//! Summarizers: sets of structured queries that a client changes step by step.
//!
//! The rows of a query are stored in a table when the client first asks for them. A change of any
//! query drops these tables, because queries read each other.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, MutexGuard, PoisonError};
use std::time::Instant;

use futures::StreamExt;
use prost::Message;
use tpq_proto::message::{
    CreateSummarizerResult, DestroySummarizerResult, PerfettoSqlStructuredQuery as Query,
    QuerySummarizerArgs, QuerySummarizerResult, SummarizerQuerySyncInfo, UpdateSummarizerSpecArgs,
    UpdateSummarizerSpecResult,
};
use tpq_proto::text;
use tpq_sql::{CancelToken, Session, SqlError};
use tpq_summary::{QuerySql, SummaryError, query_sql};

use super::{Engine, EngineError};

/// The most summarizers at once.
const MAX_SUMMARIZERS: usize = 1000;

/// All summarizers, by their ids.
#[derive(Default)]
pub(super) struct Summarizers {
    all: HashMap<String, Summarizer>,
    /// The number of tables that were created, which is in their names.
    tables: u64,
}

#[derive(Default)]
struct Summarizer {
    queries: Vec<Query>,
    /// The rows of queries, by their ids.
    stored: HashMap<String, QuerySummarizerResult>,
}

/// Why a query could not be answered.
#[derive(Debug, thiserror::Error)]
enum Failure {
    #[error(transparent)]
    Engine(#[from] EngineError),
    #[error(transparent)]
    Summary(#[from] SummaryError),
    #[error("{}", .0.report())]
    Sql(#[from] SqlError),
}

impl Summarizers {
    /// An id that no summarizer has.
    fn free_id(&self) -> String {
        let mut number = self.all.len() + 1;
        loop {
            let id = format!("summarizer_{number}");
            if !self.all.contains_key(&id) {
                return id;
            }
            number += 1;
        }
    }

    /// Forgets the rows of all queries: their tables are gone.
    pub(super) fn forget_rows(&mut self) {
        self.all.values_mut().for_each(|summarizer| summarizer.stored.clear());
    }
}

impl Summarizer {
    /// Replaces the queries, and returns what changed.
    fn update(&mut self, queries: Vec<Query>) -> Vec<SummarizerQuerySyncInfo> {
        let old: HashMap<&str, &Query> =
            self.queries.iter().map(|query| (query.id(), query)).collect();
        let info = |query: &Query| SummarizerQuerySyncInfo {
            query_id: Some(query.id().to_owned()),
            ..SummarizerQuerySyncInfo::default()
        };
        let mut changes: Vec<_> = queries
            .iter()
            .map(|query| SummarizerQuerySyncInfo {
                was_updated: Some(old.get(query.id()) != Some(&query)),
                ..info(query)
            })
            .collect();
        let left: HashSet<&str> = queries.iter().map(Query::id).collect();
        let dropped = self.queries.iter().filter(|old| !left.contains(old.id()));
        changes.extend(
            dropped.map(|query| SummarizerQuerySyncInfo { was_dropped: Some(true), ..info(query) }),
        );
        if changes.iter().any(|change| change.was_updated() || change.was_dropped()) {
            self.stored.clear();
        }
        self.queries = queries;
        changes
    }
}

impl Engine {
    fn summarizers(&self) -> MutexGuard<'_, Summarizers> {
        self.summarizers.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Creates a summarizer, or empties the one of this id.
    pub(crate) fn create_summarizer(&self, id: Option<String>) -> CreateSummarizerResult {
        let mut summarizers = self.summarizers();
        let id = id.unwrap_or_else(|| summarizers.free_id());
        if summarizers.all.len() >= MAX_SUMMARIZERS && !summarizers.all.contains_key(&id) {
            let error = format!("there are {MAX_SUMMARIZERS} summarizers; destroy some of them");
            return CreateSummarizerResult { summarizer_id: None, error: Some(error) };
        }
        summarizers.all.insert(id.clone(), Summarizer::default());
        CreateSummarizerResult { summarizer_id: Some(id), error: None }
    }

    /// Replaces the queries of a summarizer.
    pub(crate) fn update_summarizer(
        &self,
        args: UpdateSummarizerSpecArgs,
    ) -> UpdateSummarizerSpecResult {
        match self.summarizers().all.get_mut(args.summarizer_id()) {
            Some(summarizer) => {
                let queries = args.spec.unwrap_or_default().query;
                UpdateSummarizerSpecResult { queries: summarizer.update(queries), error: None }
            }
            None => UpdateSummarizerSpecResult {
                queries: Vec::new(),
                error: Some(unknown(args.summarizer_id())),
            },
        }
    }

    /// Stores the rows of a query in a table, unless they are, and describes the table.
    pub(crate) async fn query_summarizer(
        self: &Arc<Self>,
        args: QuerySummarizerArgs,
    ) -> QuerySummarizerResult {
        let (queries, table) = {
            let mut summarizers = self.summarizers();
            let Some(summarizer) = summarizers.all.get(args.summarizer_id()) else {
                return failed(false, unknown(args.summarizer_id()));
            };
            if let Some(stored) = summarizer.stored.get(args.query_id()) {
                return stored.clone();
            }
            if summarizer.queries.iter().all(|query| query.id() != args.query_id()) {
                return QuerySummarizerResult { exists: Some(false), ..Default::default() };
            }
            let queries = summarizer.queries.clone();
            summarizers.tables += 1;
            (queries, format!("_summarizer_rows_{}", summarizers.tables))
        };
        let id = args.query_id().to_owned();
        let stored = self.limited("the query", |trace, cancel| async move {
            store(trace.session(), &queries, &id, table, &cancel).await
        });
        match stored.await {
            Ok(result) => {
                let stored =
                    self.summarizers().all.get_mut(args.summarizer_id()).map(|summarizer| {
                        summarizer.stored.insert(args.query_id().to_owned(), result.clone())
                    });
                drop(stored);
                result
            }
            Err(error) => failed(true, error.to_string()),
        }
    }

    /// Destroys a summarizer.
    pub(crate) fn destroy_summarizer(&self, id: &str) -> DestroySummarizerResult {
        let removed = self.summarizers().all.remove(id);
        DestroySummarizerResult { error: removed.is_none().then(|| unknown(id)) }
    }
}

/// Stores the rows of a query in a table, and describes the table.
async fn store(
    session: &Session,
    queries: &[Query],
    id: &str,
    table: String,
    cancel: &CancelToken,
) -> Result<QuerySummarizerResult, Failure> {
    let started = Instant::now();
    let QuerySql { sql, standalone } = query_sql(session, queries, id, cancel).await?;
    for statement in session.statements(&format!("CREATE PERFETTO TABLE {table} AS {sql}"))? {
        session.run_cancellable(&statement, cancel).await?;
    }
    let mut rows = session.query_cancellable(&format!("SELECT * FROM {table}"), cancel).await?;
    let columns = rows.schema().fields().iter().map(|field| field.name().clone()).collect();
    let mut row_count = 0;
    while let Some(batch) = rows.next().await {
        row_count += batch?.num_rows();
    }
    let query = queries.iter().find(|query| query.id() == id);
    Ok(QuerySummarizerResult {
        exists: Some(true),
        table_name: Some(table),
        row_count: Some(i64::try_from(row_count).unwrap_or(i64::MAX)),
        columns,
        duration_ms: Some(started.elapsed().as_secs_f64() * 1e3),
        error: None,
        sql: Some(sql),
        textproto: query.map(|query| text::print_exact::<Query>(&query.encode_to_vec())),
        standalone_sql: Some(standalone),
    })
}

fn unknown(id: &str) -> String {
    format!("there is no summarizer `{id}`")
}

fn failed(exists: bool, error: String) -> QuerySummarizerResult {
    QuerySummarizerResult { exists: Some(exists), error: Some(error), ..Default::default() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn query(id: String) -> Query {
        Query { id: Some(id), ..Query::default() }
    }

    #[tokio::test]
    async fn an_id_is_not_given_twice() {
        let engine = crate::engine::test_engine(crate::Limits::default());
        let create = || engine.create_summarizer(None).summarizer_id.expect("an id");
        let (first, second) = (create(), create());
        assert_ne!(first, second);
        assert_eq!(engine.destroy_summarizer(&first).error, None);
        let third = create();
        assert_ne!(third, second, "it would empty a summarizer that is in use");
    }

    /// With a comparison of each with each, this would take a minute.
    #[test]
    fn many_queries_are_compared_at_once() {
        const MANY: usize = 50_000;
        let mut summarizer = Summarizer::default();
        let queries = |from: usize| -> Vec<Query> {
            (from..from + MANY).map(|number| query(number.to_string())).collect()
        };
        assert_eq!(summarizer.update(queries(0)).len(), MANY);
        let changes = summarizer.update(queries(MANY));
        assert_eq!(changes.len(), 2 * MANY);
        assert!(changes.iter().take(MANY).all(SummarizerQuerySyncInfo::was_updated));
        assert!(changes.iter().skip(MANY).all(SummarizerQuerySyncInfo::was_dropped));
    }
}
