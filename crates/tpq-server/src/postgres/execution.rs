//! Running statements: from a portal to rows and the message that it has ended.

use std::sync::Arc;

use arrow_pg::row_encoder::RowEncoder;
use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::datatypes::SchemaRef;
use futures::stream::BoxStream;
use futures::{FutureExt, StreamExt, TryStreamExt};
use pgwire::messages::PgWireBackendMessage;
use pgwire::messages::extendedquery::PortalSuspended;
use pgwire::messages::response::TransactionStatus;
use tpq_sql::ParameterValue;

use super::cancels::RunningQuery;
use super::commands::shown;
use super::connection::{Connection, RequestError, watched};
use super::cursors::Cursor;
use super::errors::{Failure, code};
use super::rows::Columns;
use super::statements::{Kind, Statement};
use super::values;
use crate::engine::{Answer, RowsError};

/// A statement with the types of its parameters.
pub(super) struct Prepared {
    /// `None` for a text without a statement.
    statement: Option<Statement>,
    /// The whole text, for positions of errors.
    pub(super) sql: Arc<str>,
    /// Types of parameters that the client gave; 0 for those that it did not.
    types: Vec<u32>,
    /// The columns that were described to the client before it gave values.
    columns: Option<SchemaRef>,
}

impl Prepared {
    pub(super) fn new(statement: Option<Statement>, sql: Arc<str>, types: Vec<u32>) -> Self {
        Self { statement, sql, types, columns: None }
    }

    /// A statement that is run at once.
    pub(super) fn unnamed(statement: Statement, sql: &Arc<str>) -> Self {
        Self::new(Some(statement), Arc::clone(sql), Vec::new())
    }

    /// The bytes of memory that it takes.
    pub(super) fn memory_size(&self) -> usize {
        let statement = self.statement.as_ref().map_or(0, Statement::memory_size);
        statement + self.sql.len() + size_of_val(self.types.as_slice())
    }

    /// The same with the columns that were described to the client.
    pub(super) fn described(&self, columns: Option<SchemaRef>) -> Self {
        let (statement, sql) = (self.statement.clone(), Arc::clone(&self.sql));
        Self { statement, sql, types: self.types.clone(), columns }
    }

    /// How many values it needs.
    pub(super) fn parameters(&self) -> usize {
        let used = self.statement.as_ref().map_or(0, |statement| statement.parameters);
        used.max(self.types.len())
    }

    /// The number of the type of a parameter; 0 if it is not known.
    pub(super) fn type_of(&self, parameter: usize) -> u32 {
        self.types.get(parameter).copied().unwrap_or(0)
    }
}

/// A statement with values, and its rows once it runs.
pub(super) struct Portal {
    prepared: Arc<Prepared>,
    values: Vec<ParameterValue>,
    formats: Vec<i16>,
    state: State,
}

enum State {
    New,
    Rows(Rows),
    /// All rows were sent, or there are none: the words that say it is done.
    Done(String),
}

/// The rows of a portal that are not sent yet.
struct Rows {
    columns: Columns,
    batches: BoxStream<'static, Result<RecordBatch, RowsError>>,
    current: Option<RowEncoder>,
    /// A row that was read to see whether there is one.
    next: Option<PgWireBackendMessage>,
}

impl Portal {
    pub(super) fn new(
        prepared: Arc<Prepared>,
        values: Vec<ParameterValue>,
        formats: Vec<i16>,
    ) -> Self {
        Self { prepared, values, formats, state: State::New }
    }

    /// The bytes of memory that its values take.
    pub(super) fn memory_size(&self) -> usize {
        let texts = self.values.iter().map(|value| match value {
            ParameterValue::Text(text) => text.len(),
            _ => 0,
        });
        texts.sum::<usize>() + size_of_val(self.values.as_slice())
    }

    /// Whether its text has no statement.
    pub(super) fn is_empty(&self) -> bool {
        self.prepared.statement.is_none()
    }

    /// The columns of its rows, once it was opened and for as long as it has rows.
    pub(super) fn columns(&self) -> Option<&Columns> {
        match &self.state {
            State::Rows(rows) => Some(&rows.columns),
            State::New | State::Done(_) => None,
        }
    }
}

/// What a statement gives.
pub(super) enum Outcome {
    Rows(Answer),
    Done(&'static str),
}

impl Connection {
    /// Starts the statement of a portal, unless it was started.
    pub(super) async fn open(
        &mut self,
        portal: &mut Portal,
        running: &RunningQuery,
    ) -> Result<(), RequestError> {
        if !matches!(portal.state, State::New) {
            return Ok(());
        }
        let prepared = Arc::clone(&portal.prepared);
        let Some(statement) = &prepared.statement else { return Ok(()) };
        self.check_transaction(&statement.kind)?;
        portal.state = match self.outcome(statement, &prepared, &portal.values, running).await? {
            Outcome::Done(tag) => State::Done(tag.to_owned()),
            Outcome::Rows(answer) => {
                let schema = prepared.columns.as_ref().unwrap_or(&answer.schema);
                let columns = Columns::new(schema, &portal.formats)?;
                State::Rows(Rows { columns, batches: answer.batches, current: None, next: None })
            }
        };
        Ok(())
    }

    /// After an error in a transaction, only its end is possible.
    fn check_transaction(&self, kind: &Kind) -> Result<(), Failure> {
        let is_end = matches!(kind, Kind::Commit | Kind::Rollback | Kind::Nothing("ROLLBACK"));
        match self.transaction == TransactionStatus::Error && !is_end {
            true => Err(Failure::new(
                code::IN_FAILED_TRANSACTION,
                "a statement of this transaction failed; others are refused up to its end",
            )
            .with_hint("end it with ROLLBACK")),
            false => Ok(()),
        }
    }

    async fn outcome(
        &mut self,
        statement: &Statement,
        prepared: &Prepared,
        values: &[ParameterValue],
        running: &RunningQuery,
    ) -> Result<Outcome, RequestError> {
        if let Kind::Declare { cursor, is_held, query } = &statement.kind {
            self.check_cursor(cursor, *is_held)?;
            let Outcome::Rows(answer) = self.rows_of(query, "", values, running).await? else {
                return Err(Failure::unsupported("a cursor is for a query").into());
            };
            self.cursors.insert(cursor.clone(), Cursor::new(answer, *is_held));
            return Ok(Outcome::Done("DECLARE CURSOR"));
        }
        self.rows_of(&statement.kind, &prepared.sql, values, running).await
    }

    /// Starts a statement. Positions of errors are in `sql`; without a text, they have none.
    async fn rows_of(
        &mut self,
        kind: &Kind,
        sql: &str,
        values: &[ParameterValue],
        running: &RunningQuery,
    ) -> Result<Outcome, RequestError> {
        let rows = match kind {
            Kind::Trace(statement) => {
                let (statement, values) = (statement.clone(), values::by_number(values.to_vec()));
                let rows = self.shared.engine.rows(&self.slot, move |trace, cancel| async move {
                    let rows = trace.session().read(&statement, values, &cancel).await?;
                    Ok(rows.map(|rows| Answer {
                        schema: Arc::clone(rows.schema()),
                        batches: rows.map_err(RowsError::from).boxed(),
                    }))
                });
                watched(&mut self.input, running, sql, rows).await?
            }
            Kind::Catalog(query) => {
                let (query, shared) = (query.clone(), Arc::clone(&self.shared));
                let values = values.iter().map(values::scalar).collect();
                let rows = self.shared.engine.rows(&self.slot, move |trace, _| async move {
                    shared.catalogs.of(&trace)?.run(&query, values).await.map(Some)
                });
                watched(&mut self.input, running, sql, rows).await?
            }
            other => return self.own_outcome(other),
        };
        Ok(match rows {
            Some(rows) => {
                Outcome::Rows(Answer { schema: Arc::clone(rows.schema()), batches: rows.boxed() })
            }
            None => Outcome::Done("INCLUDE"),
        })
    }

    /// The columns of a statement before it has values; `None` if it gives no rows.
    pub(super) async fn columns_of(
        &mut self,
        prepared: &Arc<Prepared>,
    ) -> Result<Option<SchemaRef>, RequestError> {
        let Some(statement) = &prepared.statement else { return Ok(None) };
        self.check_transaction(&statement.kind)?;
        let running = self.registered.cancel.begin();
        let types = (0..prepared.parameters()).map(|at| prepared.type_of(at));
        let samples: Vec<ParameterValue> = types.map(values::sample).collect();
        match &statement.kind {
            Kind::Trace(statement) => {
                let (statement, values) = (statement.clone(), values::by_number(samples));
                let columns = self.shared.engine.ask(&self.slot, move |trace, cancel| async move {
                    Ok(trace.session().columns_of(&statement, values, &cancel).await?)
                });
                watched(&mut self.input, &running, &prepared.sql, columns).await
            }
            Kind::Catalog(sql) => {
                let (sql, shared) = (sql.clone(), Arc::clone(&self.shared));
                let values = samples.iter().map(values::scalar).collect();
                let columns = self.shared.engine.ask(&self.slot, move |trace, _| async move {
                    shared.catalogs.of(&trace)?.columns_of(&sql, values).await.map(Some)
                });
                watched(&mut self.input, &running, &prepared.sql, columns).await
            }
            Kind::Show(name) => Ok(Some(shown(&self.settings, name.as_deref())?.schema)),
            Kind::Fetch { cursor, .. } => Ok(Some(Arc::clone(&self.cursor(cursor)?.schema))),
            _ => Ok(None),
        }
    }

    /// Sends rows of a portal, `max_rows` at most, or all of them for 0; and that there are more,
    /// or that it has ended.
    pub(super) async fn send(
        &mut self,
        portal: &mut Portal,
        max_rows: usize,
        running: &RunningQuery,
    ) -> Result<(), RequestError> {
        let prepared = Arc::clone(&portal.prepared);
        let sql = &prepared.sql;
        let rows = match &mut portal.state {
            State::New => return Ok(()),
            State::Done(tag) => {
                let tag = tag.clone();
                return self.complete(&tag);
            }
            State::Rows(rows) => rows,
        };
        let mut sent = 0_u64;
        while let Some(row) = self.next_row(rows, sql, running).await? {
            if max_rows > 0 && sent >= max_rows as u64 {
                rows.next = Some(row);
                let suspended = PgWireBackendMessage::PortalSuspended(PortalSuspended::new());
                return Ok(self.output.add(&suspended)?);
            }
            self.output.add(&row)?;
            sent += 1;
            if self.output.is_full() {
                let flushed = self.output.flush().map(Ok::<_, RowsError>);
                watched(&mut self.input, running, sql, flushed).await??;
            }
        }
        portal.state = State::Done("SELECT 0".to_owned());
        self.complete(&format!("SELECT {sent}"))
    }

    async fn next_row(
        &mut self,
        rows: &mut Rows,
        sql: &str,
        running: &RunningQuery,
    ) -> Result<Option<PgWireBackendMessage>, RequestError> {
        if let Some(row) = rows.next.take() {
            return Ok(Some(row));
        }
        loop {
            if let Some(row) = rows.current.as_mut().and_then(RowEncoder::next_row) {
                return Ok(Some(PgWireBackendMessage::DataRow(row?)));
            }
            let batch = watched(&mut self.input, running, sql, rows.batches.try_next()).await?;
            let Some(batch) = batch else { return Ok(None) };
            rows.current = Some(rows.columns.rows(&batch)?);
        }
    }
}
