//! A session of a client: its requests, one after the other.

use std::collections::HashMap;
use std::sync::Arc;

use pgwire::error::PgWireError;
use pgwire::messages::PgWireBackendMessage;
use pgwire::messages::response::{
    CommandComplete, EmptyQueryResponse, ReadyForQuery, TransactionStatus,
};

use super::Shared;
use super::cancels::{Registered, RunningQuery};
use super::cursors::Cursor;
use super::errors::Failure;
use super::execution::{Portal, Prepared};
use super::input::{Input, InputError};
use super::output::Output;
use super::requests::{Request, Target};
use super::settings::Settings;
use super::startup::Started;
use super::statements::{NotCut, Statement, statements};
use crate::engine::{EngineError, RowsError, SharedSlot};

/// A session.
pub(super) struct Connection {
    pub(super) shared: Arc<Shared>,
    pub(super) input: Input,
    pub(super) output: Output,
    pub(super) registered: Registered,
    pub(super) settings: Settings,
    pub(super) transaction: TransactionStatus,
    /// Statements by their names. The empty name is one as well.
    pub(super) prepared: HashMap<String, Arc<Prepared>>,
    pub(super) portals: HashMap<String, Portal>,
    pub(super) cursors: HashMap<String, Cursor>,
    pub(super) slot: SharedSlot,
    /// Whether a request failed, so that all are skipped up to the next `Sync`.
    is_skipping: bool,
}

/// Why a request was not answered.
pub(super) enum RequestError {
    /// An error for the client.
    Failure(Failure),
    /// The connection ends.
    Disconnected,
}

impl From<Failure> for RequestError {
    fn from(failure: Failure) -> Self {
        Self::Failure(failure)
    }
}

impl From<PgWireError> for RequestError {
    fn from(error: PgWireError) -> Self {
        Self::Failure(error.into())
    }
}

impl From<std::io::Error> for RequestError {
    fn from(_: std::io::Error) -> Self {
        Self::Disconnected
    }
}

impl Connection {
    pub(super) fn new(shared: Arc<Shared>, input: Input, output: Output, started: Started) -> Self {
        Self {
            shared,
            input,
            output,
            registered: started.registered,
            settings: started.settings,
            transaction: TransactionStatus::Idle,
            prepared: HashMap::new(),
            portals: HashMap::new(),
            cursors: HashMap::new(),
            slot: SharedSlot::default(),
            is_skipping: false,
        }
    }

    /// Answers requests until the client ends the session.
    pub(super) async fn run(mut self) {
        if self.ready().await.is_ok() {
            let limit = self.shared.engine.limits().message;
            loop {
                let request = match self.input.request(limit).await {
                    Ok(request) => request,
                    Err(InputError::Disconnected) => return,
                    Err(InputError::Protocol(error)) => {
                        let _ = self.output.add(&Failure::from(error).to_message());
                        break;
                    }
                };
                if request == Request::Terminate || self.answer(request).await.is_err() {
                    break;
                }
            }
        }
        self.output.close().await;
    }

    /// Answers a request. An error ends the connection.
    async fn answer(&mut self, request: Request) -> Result<(), ()> {
        match request {
            Request::Sync => {
                self.is_skipping = false;
                self.end_implicit_transaction();
                return self.ready().await.map_err(drop);
            }
            _ if self.is_skipping => return Ok(()),
            Request::Query(sql) => {
                let outcome = self.simple(&sql).await;
                self.report(outcome)?;
                self.end_implicit_transaction();
                return self.ready().await.map_err(drop);
            }
            _ => {}
        }
        let outcome = self.extended(request).await;
        self.is_skipping = matches!(outcome, Err(RequestError::Failure(_)));
        self.report(outcome)?;
        self.send_if_full().await.map_err(drop)
    }

    /// Sends the messages of many requests or statements, which would else fill the memory: a client
    /// may ask for none of them.
    async fn send_if_full(&mut self) -> Result<(), RequestError> {
        match self.output.is_full() {
            true => Ok(self.output.flush().await?),
            false => Ok(()),
        }
    }

    async fn extended(&mut self, request: Request) -> Result<(), RequestError> {
        match request {
            Request::Parse { name, sql, types } => self.parse(name, sql, types).await,
            Request::Bind(bind) => self.bind(bind),
            Request::Describe(Target::Statement(name)) => self.describe_statement(&name).await,
            Request::Describe(Target::Portal(name)) => self.describe_portal(&name).await,
            Request::Execute { portal, max_rows } => self.execute(&portal, max_rows).await,
            Request::Close(target) => self.close(&target),
            Request::Flush => Ok(self.output.flush().await?),
            // Answered elsewhere, or data for a COPY that was refused.
            Request::Query(_) | Request::Sync | Request::Terminate | Request::CopyData => Ok(()),
            Request::Password(_) => {
                Err(Failure::new(super::code::PROTOCOL_VIOLATION, "no password was asked for")
                    .into())
            }
        }
    }

    /// Sends a failure to the client. An error ends the connection.
    fn report(&mut self, outcome: Result<(), RequestError>) -> Result<(), ()> {
        match outcome {
            Ok(()) => Ok(()),
            Err(RequestError::Disconnected) => Err(()),
            Err(RequestError::Failure(failure)) => {
                self.transaction = self.transaction.to_error_state();
                self.output.add(&failure.to_message()).map_err(drop)
            }
        }
    }

    /// Runs statements and sends their rows as text.
    async fn simple(&mut self, sql: &str) -> Result<(), RequestError> {
        self.prepared.remove("");
        self.portals.remove("");
        let running = self.registered.cancel.begin();
        let statements = self.statements(sql).await?;
        if statements.is_empty() {
            let empty = PgWireBackendMessage::EmptyQueryResponse(EmptyQueryResponse::new());
            return Ok(self.output.add(&empty)?);
        }
        let text: Arc<str> = sql.into();
        for statement in statements {
            let prepared = Prepared::unnamed(statement, &text);
            let mut portal = Portal::new(Arc::new(prepared), Vec::new(), Vec::new());
            self.open(&mut portal, &running).await?;
            if let Some(columns) = portal.columns() {
                self.output.add(&columns.description())?;
            }
            self.send(&mut portal, 0, &running).await?;
            self.send_if_full().await?;
        }
        Ok(())
    }

    /// Cuts a text into statements, on the threads of queries, as a text may be long.
    pub(super) async fn statements(&mut self, sql: &str) -> Result<Vec<Statement>, RequestError> {
        let (engine, text) = (Arc::clone(&self.shared.engine), sql.to_owned());
        let cut = self.shared.engine.detached("the query", async move {
            let trace = engine.trace().await?;
            Ok::<Result<_, NotCut>, EngineError>(statements(trace.session(), &text))
        });
        let failed = |error: EngineError| Failure::of_rows(&error.into(), sql);
        let cut = cut.await.map_err(failed)?.map_err(failed)?;
        Ok(cut.map_err(|why| why.into_failure(sql))?)
    }

    /// Adds the message that a statement has ended.
    pub(super) fn complete(&mut self, tag: &str) -> Result<(), RequestError> {
        let complete = CommandComplete::new(tag.to_owned());
        Ok(self.output.add(&PgWireBackendMessage::CommandComplete(complete))?)
    }

    /// Outside of a transaction, portals last for one exchange, and so do most cursors.
    fn end_implicit_transaction(&mut self) {
        if self.transaction == TransactionStatus::Idle {
            self.portals.clear();
            self.cursors.retain(|_, cursor| cursor.is_held);
        }
    }

    /// Announces that the next request may come, and sends everything.
    async fn ready(&mut self) -> Result<(), RequestError> {
        let ready = ReadyForQuery::new(self.transaction);
        self.output.add(&PgWireBackendMessage::ReadyForQuery(ready))?;
        Ok(self.output.flush().await?)
    }
}

/// Awaits work for as long as the client is there and does not ask to stop it.
pub(super) async fn watched<T>(
    input: &mut Input,
    running: &RunningQuery,
    sql: &str,
    work: impl Future<Output = Result<T, RowsError>>,
) -> Result<T, RequestError> {
    tokio::select! {
        biased;
        outcome = work => outcome.map_err(|error| Failure::of_rows(&error, sql).into()),
        () = running.asked() => Err(Failure::of_rows(&RowsError::Cancelled, sql).into()),
        () = input.gone() => Err(RequestError::Disconnected),
    }
}
