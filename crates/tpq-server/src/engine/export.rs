//! Exports: all tables as one stream of bytes.
//!
//! The stream is a TAR of Arrow files, one for each table with rows. A header of TAR states the
//! length of its file, so each table goes to a temporary file first.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::panic::AssertUnwindSafe;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use bytes::{Bytes, BytesMut};
use futures::{FutureExt, Stream, StreamExt};
use tokio::runtime::Handle;
use tokio::sync::mpsc::{Receiver, Sender, channel};
use tpq_output::{Format, OutputError, OutputOptions, writer};
use tpq_proto::message::export_args::Format as Wanted;
use tpq_sql::{CancelToken, Session, SqlError, SqlErrorKind};

use super::deadline::Deadline;
use super::slot::{NotSent, Slot};
use super::{Engine, EngineError};
use crate::loader::LoadedTrace;

/// Parts of the stream that may wait to be sent.
const MAX_WAITING: usize = 4;
/// The number of bytes of a part.
const PART: usize = 64 << 10;
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
    /// The temporary file failed.
    #[error("the temporary file of an export failed: {0}")]
    File(#[from] io::Error),
    /// The client has gone.
    #[error("the client has gone")]
    Disconnected,
    /// The time of the export is over.
    #[error("the export was stopped")]
    Stopped,
}

impl ExportError {
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
        let mut file = tempfile::tempfile()?;
        if self.write(session, table, &file).await? == 0 {
            return Ok(());
        }
        let length = file.seek(SeekFrom::End(0))?;
        file.rewind()?;
        self.send(slot, header(table, length)?).await?;
        while let Some(part) = read_part(&mut file)? {
            self.send(slot, part).await?;
        }
        let padding = length.next_multiple_of(BLOCK) - length;
        self.send(slot, vec![0; padding as usize].into()).await
    }

    /// Writes the rows of a table, and returns their number.
    async fn write(
        &self,
        session: &Session,
        table: &str,
        file: &File,
    ) -> Result<usize, ExportError> {
        let sql = format!("SELECT * FROM {table}");
        let sink = Box::new(io::BufWriter::new(file.try_clone()?));
        let mut writer = writer(Format::Arrow, sink, OutputOptions::default());
        let mut written = 0;
        for statement in session.statements(&sql)? {
            let Some(mut rows) = session.run_cancellable(&statement, &self.cancel).await? else {
                continue;
            };
            writer.begin(rows.schema())?;
            while let Some(batch) = rows.next().await {
                let batch = batch?;
                written += batch.num_rows();
                writer.write(&batch)?;
            }
            writer.end()?;
        }
        Ok(written)
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
fn header(table: &str, length: u64) -> io::Result<Bytes> {
    let mut header = tar::Header::new_gnu();
    header.set_path(format!("{table}.arrow"))?;
    header.set_size(length);
    header.set_mode(0o644);
    header.set_cksum();
    Ok(Bytes::copy_from_slice(header.as_bytes()))
}

/// The next bytes of a file; `None` at its end.
fn read_part(file: &mut File) -> io::Result<Option<Bytes>> {
    let mut part = BytesMut::zeroed(PART);
    let length = file.read(&mut part)?;
    part.truncate(length);
    Ok((length > 0).then(|| part.freeze()))
}
