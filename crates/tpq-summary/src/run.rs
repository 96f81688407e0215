//! Runs structured queries.

use std::collections::HashSet;

use tpq_sql::{CancelToken, ResultSet, Session, SqlError};

use crate::SummaryError;
use crate::error::QueryError;
use crate::query::{Query, Relation, SharedQueries, Steps, select};

/// Runs the queries of a specification in a session.
pub(crate) struct Runner<'a> {
    session: &'a Session,
    shared: SharedQueries<'a>,
    /// The statements that were run before queries. Each is run once.
    done: HashSet<String>,
    cancel: &'a CancelToken,
}

/// The SQL of a query.
pub(crate) struct Prepared {
    /// The statements before it, which have been run.
    pub(crate) before: Vec<String>,
    /// The statement with its rows.
    pub(crate) sql: String,
}

impl<'a> Runner<'a> {
    pub(crate) fn new(
        session: &'a Session,
        shared: SharedQueries<'a>,
        cancel: &'a CancelToken,
    ) -> Self {
        Self { session, shared, done: HashSet::new(), cancel }
    }

    /// Finds a query of the specification by its id.
    ///
    /// # Errors
    /// When there is none.
    pub(crate) fn shared(&self, id: &str) -> Result<&'a Query, QueryError> {
        self.shared.get(id)
    }

    /// Starts a query. If it selects no columns, the result has those of `wanted`. `part` is the
    /// name of the query in errors.
    ///
    /// # Errors
    /// When the query is not valid, or its SQL fails.
    pub(crate) async fn rows(
        &mut self,
        query: &Query,
        wanted: Option<&[String]>,
        part: &str,
    ) -> Result<ResultSet, SummaryError> {
        self.start(query, wanted).await.map_err(|error| error.of(part))
    }

    async fn start(
        &mut self,
        query: &Query,
        wanted: Option<&[String]>,
    ) -> Result<ResultSet, QueryError> {
        let prepared = self.prepared(query, wanted).await?;
        Ok(self.session.query_cancellable(&prepared.sql, self.cancel).await?)
    }

    /// Runs what a query needs before it, and returns its SQL.
    pub(crate) async fn prepared(
        &mut self,
        query: &Query,
        wanted: Option<&[String]>,
    ) -> Result<Prepared, QueryError> {
        let session = self.session;
        let split = |sql: &str| -> Result<Vec<String>, SqlError> {
            let statements = session.statements(sql)?;
            Ok(statements.iter().map(|statement| statement.text().to_owned()).collect())
        };
        let steps = Steps::of(query, &self.shared, &split)?;
        let includes =
            steps.modules.iter().map(|module| format!("INCLUDE PERFETTO MODULE {module}"));
        let before: Vec<String> = includes.chain(steps.preambles.iter().cloned()).collect();
        for statement in &before {
            self.prepare(statement.clone()).await?;
        }
        let sql = self.statement(&steps, wanted).await?;
        Ok(Prepared { before, sql })
    }

    /// Runs a statement, unless it was run before.
    async fn prepare(&mut self, sql: String) -> Result<(), SqlError> {
        if self.done.contains(&sql) {
            return Ok(());
        }
        for statement in self.session.statements(&sql)? {
            if let Some(rows) = self.session.run_cancellable(&statement, self.cancel).await? {
                rows.run_to_end().await?;
            }
        }
        self.done.insert(sql);
        Ok(())
    }

    /// The SQL of all steps: each but the last one is a common table expression.
    async fn statement(
        &self,
        steps: &Steps<'_>,
        wanted: Option<&[String]>,
    ) -> Result<String, QueryError> {
        let needed = steps.needed_columns();
        let mut relations: Vec<Relation> = Vec::new();
        let mut before = String::new();
        let last = steps.steps.len().saturating_sub(1);
        for (number, step) in steps.steps.iter().enumerate() {
            let inputs = step.inputs.iter().filter_map(|&input| relations.get(input));
            let inputs: Vec<&Relation> = inputs.collect();
            if number == last {
                let sql = select(step, &inputs, wanted)?;
                return Ok(format!("{before}{sql}"));
            }
            let sql = select(step, &inputs, None)?;
            let name = format!("_query_{number}");
            let separator = if before.is_empty() { "WITH " } else { ",\n" };
            let before_this = before.trim_end();
            before = format!("{before_this}{separator}{name} AS (\n{sql}\n)\n");
            let columns = match needed.get(number) {
                Some(true) => {
                    self.columns(&format!("{before}SELECT * FROM {name} LIMIT 0")).await?
                }
                _ => Vec::new(),
            };
            relations.push(Relation { name, columns });
        }
        Ok(before)
    }

    /// The columns of a statement.
    async fn columns(&self, sql: &str) -> Result<Vec<String>, SqlError> {
        let result = self.session.query_cancellable(sql, self.cancel).await?;
        Ok(result.schema().fields().iter().map(|field| field.name().clone()).collect())
    }
}
