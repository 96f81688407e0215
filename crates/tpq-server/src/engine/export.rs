//! Exports: all tables as one stream of bytes.
//!
//! The stream is a TAR of Arrow files, one for each table with rows. A header of TAR states the
//! length of its file, so each table goes to a temporary file first.

use std::io;
use std::panic::AssertUnwindSafe;
use std::path::PathBuf;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use bytes::Bytes;
use futures::{FutureExt, Stream, StreamExt};
use tokio::runtime::Handle;
use tokio::sync::mpsc::{Receiver, Sender, channel};
use tpq_output::OutputError;
use tpq_proto::message::export_args::Format as Wanted;
use tpq_sql::{CancelToken, Session, SqlError, SqlErrorKind};

use super::deadline::Deadline;
use super::slot::{NotSent, Slot};
use super::table_file::{TableFile, TableWriting};
use super::{Engine, EngineError};
use crate::loader::LoadedTrace;

/// Parts of the stream that may wait to be sent.
const MAX_WAITING: usize = 4;
/// The size of a block of TAR.
const BLOCK: u64 = 512;

/// Why an export failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ExportError {
    /// tpq does not write this format.
    #[error("the server exports arrow_tar only; `tpq export` writes files of all tables")]
    Format,
    /// There is no trace.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// A table could not be read.
    #[error("{}", .0.report())]
    Sql(#[from] SqlError),
    /// A table could not be written.
    #[error(transparent)]
    Output(#[from] OutputError),
    /// The temporary file of a table failed.
    #[error(
        "cannot {action} a temporary file in {}: {source}; TMPDIR may name a folder with more room",
        folder.display()
    )]
    File {
        /// What was tried.
        action: &'static str,
        /// The folder of the file, which has no name.
        folder: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
    /// The name of a table does not fit into an archive.
    #[error("cannot add the table {table} to the archive: {source}")]
    Name {
        /// The table.
        table: String,
        /// The error of the archive.
        source: io::Error,
    },
    /// The client has gone.
    #[error("the client has gone")]
    Disconnected,
    /// The time of the export is over.
    #[error("the export was stopped")]
    Stopped,
}

impl ExportError {
    /// The error of a temporary file.
    pub(super) fn file(action: &'static str, source: io::Error) -> Self {
        Self::File { action, folder: std::env::temp_dir(), source }
    }

    fn is_stopped(&self) -> bool {
        match self {
            Self::Stopped => true,
            Self::Sql(error) => error.kind() == SqlErrorKind::Cancelled,
            _ => false,
        }
    }
}

/// The bytes of an export. Dropping it stops the export.
pub(crate) struct ExportStream {
    parts: Receiver<Result<Bytes, ExportError>>,
    cancel: CancelToken,
}

impl Drop for ExportStream {
    fn drop(&mut self) {
        self.cancel.cancel();
    }
}

impl Stream for ExportStream {
    type Item = Result<Bytes, ExportError>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.parts.poll_recv(context)
    }
}

impl Engine {
    /// Exports all tables with rows. An error is the last part.
    ///
    /// # Errors
    /// When the format is not written.
    pub(crate) fn export(self: &Arc<Self>, format: Wanted) -> Result<ExportStream, ExportError> {
        if format != Wanted::ArrowTar {
            return Err(ExportError::Format);
        }
        let (sender, parts) = channel(MAX_WAITING);
        let cancel = CancelToken::default();
        let stream = ExportStream { parts, cancel: cancel.clone() };
        let (engine, timers) = (Arc::clone(self), Handle::current());
        self.workers.spawn(async move {
            let export = Export { sender: &sender, cancel, timers };
            let work = AssertUnwindSafe(export.run(&engine)).catch_unwind();
            let outcome = tokio::select! {
                biased;
                () = sender.closed() => return,
                outcome = work => outcome,
            };
            let outcome = outcome.unwrap_or(Err(EngineError::Panicked("the export").into()));
            if let Err(error) = outcome {
                // Without a receiver, the error has no use.
                let _ = sender.send(Err(error)).await;
            }
        });
        Ok(stream)
    }
}

/// A running export.
struct Export<'a> {
    sender: &'a Sender<Result<Bytes, ExportError>>,
    cancel: CancelToken,
    /// The runtime for timers.
    timers: Handle,
}

impl Export<'_> {
    async fn run(&self, engine: &Engine) -> Result<(), ExportError> {
        let trace = engine.trace().await?;
        let mut slot = engine.slot(self.timers.clone()).await;
        let deadline = Deadline::start(engine.limits.query_time, &self.cancel, &self.timers);
        let outcome = tokio::select! {
            biased;
            outcome = self.add_tables(trace.as_ref(), &mut slot) => outcome,
            () = deadline.wait() => Err(ExportError::Stopped),
        };
        // The error of a statement that was stopped does not say why.
        outcome.map_err(|error| match deadline.passed() {
            Some(limit) if error.is_stopped() => EngineError::TooLong { limit }.into(),
            _ => error,
        })
    }

    async fn add_tables(
        &self,
        trace: &dyn LoadedTrace,
        slot: &mut Slot,
    ) -> Result<(), ExportError> {
        for table in trace.table_names() {
            self.add_table(trace.session(), &table, slot).await?;
        }
        // Two empty blocks are the end.
        self.send(slot, Bytes::from_static(&[0; 2 * BLOCK as usize])).await
    }

    /// Adds the file of a table, if it has rows.
    async fn add_table(
        &self,
        session: &Session,
        table: &str,
        slot: &mut Slot,
    ) -> Result<(), ExportError> {
        let Some(mut file) = self.write(session, table).await?.filter(|file| file.rows() > 0)
        else {
            return Ok(());
        };
        let length = file.length();
        self.send(slot, header(table, length)?).await?;
        while let Some((part, rest)) = file.next_part().await? {
            self.send(slot, part).await?;
            file = rest;
        }
        let padding = length.next_multiple_of(BLOCK) - length;
        self.send(slot, vec![0; padding as usize].into()).await
    }

    /// Writes the rows of a table to a file.
    async fn write(
        &self,
        session: &Session,
        table: &str,
    ) -> Result<Option<TableFile>, ExportError> {
        let sql = format!("SELECT * FROM {table}");
        let mut file = None;
        for statement in session.statements(&sql)? {
            let Some(mut rows) = session.run_cancellable(&statement, &self.cancel).await? else {
                continue;
            };
            let writing = TableWriting::begin(Arc::clone(rows.schema()));
            while let Some(batch) = rows.next().await {
                if !writing.add(batch?).await {
                    break;
                }
            }
            file = Some(writing.finish().await?);
        }
        Ok(file)
    }

    async fn send(&self, slot: &mut Slot, part: Bytes) -> Result<(), ExportError> {
        if part.is_empty() {
            return Ok(());
        }
        slot.send(self.sender, Ok(part)).await.map_err(|not_sent| match not_sent {
            NotSent::Disconnected => ExportError::Disconnected,
            NotSent::Stalled(limit) => EngineError::Stalled { limit }.into(),
        })
    }
}

/// The header of a file in the archive.
fn header(table: &str, length: u64) -> Result<Bytes, ExportError> {
    let mut header = tar::Header::new_gnu();
    let path = format!("{table}.arrow");
    let failed = |source| ExportError::Name { table: table.to_owned(), source };
    header.set_path(path).map_err(failed)?;
    header.set_size(length);
    header.set_mode(0o644);
    header.set_cksum();
    Ok(Bytes::copy_from_slice(header.as_bytes()))
}
