//! The engine: the current trace and everything that clients do with it.
//!
//! All clients share one trace and one session. A trace that arrives replaces the current one: the
//! first bytes after a complete trace begin the next.

mod deadline;
mod export;
mod limited;
mod metatrace;
mod packages;
mod page;
mod query;
mod rows;
mod slot;
mod statement_cut;
mod summarizers;
mod table_file;
mod upload;

use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use futures::FutureExt;
use tokio::runtime::Handle;
use tokio::sync::{RwLock, Semaphore};
use tpq_proto::message::StatusResult;
use tpq_sql::AbortOnDrop;

use self::statement_cut::StatementCut;
use self::summarizers::Summarizers;
use self::upload::Upload;
use crate::limits::Limits;
use crate::loader::{ImportChoices, LoadError, LoadedTrace, Metatrace, TraceLoader};
use crate::log::ServerLog;
use crate::status::status;

pub use self::export::ExportError;
pub use self::packages::PackageError;
pub(crate) use self::query::StatementEnd;
pub(crate) use self::rows::{Answer, RowsError};
pub(crate) use self::slot::SharedSlot;
pub(crate) use self::upload::UploadClient;

/// Why the engine could not do what a client asked for.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EngineError {
    /// The trace could not be imported.
    #[error("{0}")]
    Import(String),
    /// The client that sent the trace went away before its end.
    #[error("the client that sent the trace went away before its end; send the trace again")]
    Abandoned,
    /// Only a part of the trace has arrived.
    #[error(
        "the trace is not complete: {bytes} bytes have arrived, and the client that sends it has \
         not said that it ends"
    )]
    Incomplete {
        /// The bytes so far.
        bytes: u64,
    },
    /// A query took longer than it may.
    #[error("the query was stopped: it ran for {} s, the limit of this server", limit.as_secs_f64())]
    TooLong {
        /// The limit.
        limit: Duration,
    },
    /// A client did not read its result.
    #[error(
        "the query was stopped: its result was not read for {} s, the limit of this server",
        limit.as_secs_f64()
    )]
    Stalled {
        /// The limit.
        limit: Duration,
    },
    /// A bug in tpq.
    #[error("{0} stopped unexpectedly, which is a bug in tpq; the server goes on")]
    Panicked(&'static str),
}

/// The current trace, and the queries that run on it.
pub struct Engine {
    loader: Arc<dyn TraceLoader>,
    log: Arc<dyn ServerLog>,
    limits: Limits,
    /// The runtime of queries and imports.
    workers: Handle,
    query_slots: Arc<Semaphore>,
    state: RwLock<State>,
    /// The choices for the next import.
    choices: Mutex<ImportChoices>,
    /// The name of the current trace. Read without waiting for an import.
    trace_name: Mutex<String>,
    summarizers: Mutex<Summarizers>,
    /// The ends of statements of the script that a client last ran a part of.
    statement_cut: Mutex<Option<StatementCut>>,
    /// The recording of the server itself, if one runs.
    metatrace: Mutex<Option<Arc<dyn Metatrace>>>,
}

/// What is loaded.
enum State {
    /// A trace, which is empty before the first arrives.
    Ready(Arc<dyn LoadedTrace>),
    /// A trace that arrives, or has arrived and is imported.
    Receiving(Upload),
    /// The last trace could not be imported.
    Failed(EngineError),
}

impl Engine {
    /// An engine without a trace. Queries and imports run on `workers`.
    ///
    /// # Errors
    /// When the loader cannot start a session.
    pub fn new(
        loader: Arc<dyn TraceLoader>,
        log: Arc<dyn ServerLog>,
        limits: Limits,
        workers: Handle,
    ) -> Result<Arc<Self>, LoadError> {
        let empty = loader.empty()?;
        Ok(Arc::new(Self {
            loader,
            log,
            query_slots: Arc::new(Semaphore::new(limits.queries.clamp(1, Semaphore::MAX_PERMITS))),
            limits,
            workers,
            state: RwLock::new(State::Ready(empty)),
            choices: Mutex::new(ImportChoices::DEFAULT),
            trace_name: Mutex::default(),
            summarizers: Mutex::default(),
            statement_cut: Mutex::default(),
            metatrace: Mutex::new(None),
        }))
    }

    /// Replaces the current trace.
    pub async fn set_trace(&self, trace: Arc<dyn LoadedTrace>) {
        self.replace(&mut *self.state.write().await, State::Ready(trace));
    }

    /// The limits of clients.
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// Receives events for people.
    pub(crate) fn log(&self) -> &dyn ServerLog {
        self.log.as_ref()
    }

    /// What the server says about itself. Never waits.
    pub fn status(&self) -> StatusResult {
        status(&self.trace_name.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Takes bytes of a trace, and returns the number of its bytes so far. Waits while the import
    /// has enough to read.
    ///
    /// # Errors
    /// When the import has failed already.
    pub async fn append(&self, bytes: Bytes) -> Result<u64, EngineError> {
        self.append_of(bytes, &mut None).await
    }

    /// The same of a client that may go away. Its mark for that is in `sending` before the first
    /// byte is taken.
    async fn append_of(
        &self,
        bytes: Bytes,
        sending: &mut Option<Arc<AtomicBool>>,
    ) -> Result<u64, EngineError> {
        let mut state = self.state.write().await;
        self.forget_abandoned(&mut state);
        if !matches!(&*state, State::Receiving(upload) if upload.is_open()) {
            self.log.trace_begins();
            let choices = *self.choices.lock().unwrap_or_else(PoisonError::into_inner);
            let wait = self.limits.read_timeout;
            let upload = Upload::begin(Arc::clone(&self.loader), choices, wait, &self.workers);
            self.replace(&mut state, State::Receiving(upload));
        }
        let State::Receiving(upload) = &mut *state else { return Ok(0) };
        *sending = Some(upload.abandoned());
        if upload.send(bytes).await {
            return Ok(upload.bytes());
        }
        let total = upload.bytes();
        // The import has ended: it failed, or nothing that can be read follows.
        self.settle(&mut state).await.map(|_| total)
    }

    /// Ends the trace that arrives, and waits until it is imported.
    ///
    /// # Errors
    /// When the import fails.
    pub async fn finalize(&self) -> Result<(), EngineError> {
        self.settle(&mut *self.state.write().await).await.map(drop)
    }

    /// Frees what an abandoned trace has.
    async fn end_abandoned(&self) {
        self.forget_abandoned(&mut *self.state.write().await);
    }

    /// A trace with a client that has gone before its end has failed.
    fn forget_abandoned(&self, state: &mut State) {
        if matches!(state, State::Receiving(upload) if upload.is_abandoned()) {
            let error = EngineError::Abandoned;
            self.log.trace_ends(Err(&error.to_string()));
            self.replace(state, State::Failed(error));
        }
    }

    /// Forgets the trace, and imports the next one with these choices.
    pub async fn reset(&self, choices: ImportChoices) {
        let empty = self.loader.empty();
        let empty = empty.map_err(|error| EngineError::Import(error.to_string()));
        *self.choices.lock().unwrap_or_else(PoisonError::into_inner) = choices;
        let state = empty.map_or_else(State::Failed, State::Ready);
        self.replace(&mut *self.state.write().await, state);
    }

    /// Forgets what queries created.
    ///
    /// # Errors
    /// When there is no trace.
    pub async fn restore_initial_tables(&self) -> Result<(), EngineError> {
        let trace = self.trace().await?;
        // Large tables take a while to be freed.
        let restored = async move { trace.session().restore_initial_tables() };
        self.detached("the session", restored).await?;
        self.summarizers.lock().unwrap_or_else(PoisonError::into_inner).forget_rows();
        Ok(())
    }

    /// The current trace. Waits while it is imported.
    pub(crate) async fn trace(&self) -> Result<Arc<dyn LoadedTrace>, EngineError> {
        match &*self.state.read().await {
            State::Ready(trace) => return Ok(Arc::clone(trace)),
            State::Failed(error) => return Err(error.clone()),
            State::Receiving(upload) if upload.is_open() => {
                return Err(EngineError::Incomplete { bytes: upload.bytes() });
            }
            State::Receiving(_) => {}
        }
        // The client that ended the trace did not wait for its import, or went away before.
        self.settle(&mut *self.state.write().await).await
    }

    /// Ends the trace that arrives, if one does, and waits for its import.
    async fn settle(&self, state: &mut State) -> Result<Arc<dyn LoadedTrace>, EngineError> {
        self.forget_abandoned(state);
        if let State::Receiving(upload) = state {
            let outcome = upload.finish().await;
            match &outcome {
                Ok(trace) => self.log.trace_ends(Ok(trace.name())),
                Err(error) => self.log.trace_ends(Err(&error.to_string())),
            }
            let settled = outcome.map_or_else(State::Failed, State::Ready);
            self.replace(state, settled);
        }
        match state {
            State::Ready(trace) => Ok(Arc::clone(trace)),
            State::Failed(error) => Err(error.clone()),
            State::Receiving(_) => Err(EngineError::Panicked("the import")),
        }
    }

    /// Changes the state. A large trace takes a while to be freed, so that is done elsewhere.
    fn replace(&self, state: &mut State, new: State) {
        let name = match &new {
            State::Ready(trace) => trace.name().to_owned(),
            State::Receiving(_) | State::Failed(_) => String::new(),
        };
        *self.trace_name.lock().unwrap_or_else(PoisonError::into_inner) = name;
        self.summarizers.lock().unwrap_or_else(PoisonError::into_inner).forget_rows();
        let old = std::mem::replace(state, new);
        drop(self.workers.spawn_blocking(move || drop(old)));
    }

    /// Runs work on the runtime of queries. Dropping the future stops it. A panic ends this work
    /// only.
    pub(crate) async fn detached<T: Send + 'static>(
        &self,
        what: &'static str,
        work: impl Future<Output = T> + Send + 'static,
    ) -> Result<T, EngineError> {
        let caught = std::panic::AssertUnwindSafe(work).catch_unwind();
        let task = AbortOnDrop(self.workers.spawn(caught));
        match task.await {
            Ok(Ok(done)) => Ok(done),
            Ok(Err(_)) | Err(_) => Err(EngineError::Panicked(what)),
        }
    }
}

#[cfg(test)]
mod tests;
#[cfg(test)]
pub(crate) use self::tests::test_engine;
