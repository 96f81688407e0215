//! Writes results to stdout, or to the file that `-o` names.
//!
//! ```text
//! -o ──destination──▶ stdout, a stream (FIFO, device) or a regular file
//! rows ──ResultWriter──▶ Output ──compression──▶ stdout or stream
//!                                              └▶ unfinished file ──finish──▶ the file of that name
//! ```
//!
//! A regular file gets its name only once it is complete: see [`unfinished`].

mod destination;
mod unfinished;

use std::io::{self, BufWriter, Seek, SeekFrom, Write};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use anyhow::Context;
use tpq_output::{Encoder, FileFormat, Sink};

pub use self::destination::{Destination, is_same_file};
pub use self::unfinished::Unfinished;

/// The signal for a process that exceeds its file size limit. It has this number everywhere except
/// on MIPS.
#[cfg(unix)]
const SIGXFSZ: i32 = 25;

/// Turns a write beyond the file size limit into an error, like a full disk, instead of a signal
/// that ends the process. Must be called inside the runtime.
pub fn report_file_size_limit() {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        // Without a handler, the signal ends the process, as it does for other programs.
        let _ = signal(SignalKind::from_raw(SIGXFSZ));
    }
}

/// The size of writes to the system, in bytes.
const WRITE_BUFFER_BYTES: usize = 64 << 10;

/// An open output. A regular file is discarded unless [`Output::finish`] succeeds.
pub struct Output {
    stream: Arc<Mutex<Stream>>,
    /// The regular file that is being written.
    unfinished: Option<Unfinished>,
    format: FileFormat,
    /// The name in messages.
    name: String,
}

/// The stream of bytes. Sinks share it, so that it can be ended after a writer got a sink.
struct Stream {
    /// The target of the bytes, while no encoder holds it.
    target: Option<Sink>,
    /// The encoder of the current part. It is created on the first write, so an empty part writes
    /// no bytes.
    encoder: Option<Encoder<BufWriter<Sink>>>,
    format: FileFormat,
    /// The number of bytes written, before compression.
    written: u64,
    /// The number of the current part, which increases at each checkpoint and rewind. Only sinks of
    /// the current part may write.
    part: u64,
    /// The name in messages.
    name: String,
}

impl Output {
    /// Opens a destination.
    ///
    /// # Errors
    /// When a file cannot be created there.
    pub fn create(destination: &Destination, format: FileFormat) -> anyhow::Result<Self> {
        let name = destination.to_string();
        let (target, unfinished) = destination.open()?;
        let (target, encoder) = (Some(target), None);
        let stream = Stream { target, encoder, format, written: 0, part: 0, name: name.clone() };
        Ok(Self { stream: Arc::new(Mutex::new(stream)), unfinished, format, name })
    }

    /// A sink for a writer of rows. It becomes invalid at the next checkpoint or rewind.
    pub fn sink(&self) -> Sink {
        let part = lock(&self.stream).part;
        Box::new(SharedStream { stream: Arc::clone(&self.stream), part })
    }

    /// Whether nothing was written yet.
    pub fn is_empty(&self) -> bool {
        lock(&self.stream).written == 0
    }

    /// The format of the output.
    pub fn format(&self) -> FileFormat {
        self.format
    }

    /// Writes buffered data, and gives a regular file its name.
    ///
    /// # Errors
    /// When not everything could be written; a regular file is then unchanged.
    pub fn finish(self) -> anyhow::Result<()> {
        let cannot_write = || format!("cannot write {}", self.name);
        let mut stream = lock(&self.stream);
        anyhow::ensure!(
            stream.written > 0 || !self.format.format.is_binary(),
            "no statement has a result, and {} cannot be empty; {} is not written",
            self.format,
            self.name
        );
        stream.close().with_context(cannot_write)?;
        drop(stream);
        match self.unfinished {
            Some(file) => file.publish().with_context(|| format!("cannot write {}", self.name)),
            None => Ok(()),
        }
    }

    /// Ends the current part, so that [`Output::rewind`] can return here. `None` if the destination
    /// cannot be rewound.
    ///
    /// # Errors
    /// When buffered data cannot be written.
    pub fn checkpoint(&self) -> anyhow::Result<Option<Checkpoint>> {
        let Some(unfinished) = &self.unfinished else { return Ok(None) };
        let mut stream = lock(&self.stream);
        let mut checkpoint = || -> io::Result<Checkpoint> {
            stream.end_part()?;
            stream.part += 1;
            Ok(Checkpoint { at: unfinished.file().stream_position()?, written: stream.written })
        };
        checkpoint().map(Some).with_context(|| format!("cannot write {}", self.name))
    }

    /// Discards everything written since a checkpoint.
    ///
    /// # Errors
    /// When the file cannot be truncated.
    pub fn rewind(&self, checkpoint: Checkpoint) -> anyhow::Result<()> {
        let Some(unfinished) = &self.unfinished else { return Ok(()) };
        let mut stream = lock(&self.stream);
        // Dropping an encoder writes its buffer: drop it first, then truncate the file.
        (stream.encoder, stream.target) = (None, None);
        stream.part += 1;
        let rewind = |stream: &mut Stream| -> io::Result<()> {
            let mut file = unfinished.file();
            file.set_len(checkpoint.at)?;
            file.seek(SeekFrom::Start(checkpoint.at))?;
            stream.target = Some(Box::new(file.try_clone()?));
            stream.written = checkpoint.written;
            Ok(())
        };
        rewind(&mut stream).with_context(|| format!("cannot write {}", self.name))
    }
}

/// A position in an output to return to.
#[derive(Clone, Copy)]
pub struct Checkpoint {
    /// The length of the file.
    at: u64,
    written: u64,
}

impl Stream {
    /// The encoder of the current part.
    fn encoder(&mut self) -> io::Result<&mut Encoder<BufWriter<Sink>>> {
        if let Some(target) = self.target.take() {
            let buffer = BufWriter::with_capacity(WRITE_BUFFER_BYTES, target);
            self.encoder = Some(Encoder::new(buffer, self.format.compression)?);
        }
        self.encoder.as_mut().ok_or_else(ended)
    }

    /// Writes buffered data. Later data is compressed separately.
    fn end_part(&mut self) -> io::Result<()> {
        if let Some(encoder) = self.encoder.take() {
            let buffer = encoder.finish()?;
            self.target = Some(buffer.into_inner().map_err(io::IntoInnerError::into_error)?);
        }
        Ok(())
    }

    /// Ends the stream.
    fn close(&mut self) -> io::Result<()> {
        if self.written == 0 {
            // A compressed empty file is not empty.
            self.encoder()?;
        }
        self.end_part()?;
        self.target.take().ok_or_else(ended)?.flush()
    }

    /// Adds the name of the file to an error of the system.
    fn named(&self, error: io::Error) -> io::Error {
        io::Error::new(error.kind(), format!("{}: {error}", self.name))
    }
}

fn ended() -> io::Error {
    io::Error::other("the output has ended")
}

/// A sink for one part of a stream.
struct SharedStream {
    stream: Arc<Mutex<Stream>>,
    part: u64,
}

fn lock(stream: &Mutex<Stream>) -> MutexGuard<'_, Stream> {
    stream.lock().unwrap_or_else(PoisonError::into_inner)
}

impl SharedStream {
    /// The stream, if its current part is that of this sink.
    fn current(&self) -> io::Result<MutexGuard<'_, Stream>> {
        let stream = lock(&self.stream);
        if stream.part == self.part { Ok(stream) } else { Err(ended()) }
    }
}

impl Write for SharedStream {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut stream = self.current()?;
        let written = stream.encoder().and_then(|encoder| encoder.write(bytes));
        let written = written.map_err(|error| stream.named(error))?;
        stream.written += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        let mut stream = self.current()?;
        let flushed = stream.encoder.as_mut().map_or(Ok(()), Write::flush);
        flushed.map_err(|error| stream.named(error))
    }
}
