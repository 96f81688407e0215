//! Bytes that a thread writes and storage receives while they are made.
//!
//! A file exists once all of its bytes have arrived and the writer said so, or not at all.

use std::io::{self, Write};
use std::sync::Arc;

use bytes::Bytes;
use object_store::path::Path;
use object_store::{ObjectStore, ObjectStoreExt, WriteMultipart};
use tokio::sync::mpsc::{Receiver, Sender, channel};
use tokio::task::JoinHandle;

use crate::store::LakeStore;
use crate::{LakeError, runtime};

/// The size of the parts that are sent, in bytes. Object stores ask for 5 MiB at least.
const PART: usize = 8 << 20;
/// Parts that wait to be sent.
const AHEAD: usize = 2;
/// Parts that are sent at a time.
const AT_A_TIME: usize = 4;

enum Message {
    Part(Bytes),
    /// The file is complete.
    End,
}

/// A file that is being written.
pub(crate) struct Upload {
    sender: Sender<Message>,
    task: JoinHandle<Result<u64, LakeError>>,
}

/// The end of an upload where bytes go in; for threads that may block.
pub(crate) struct UploadSink {
    sender: Sender<Message>,
    buffer: Vec<u8>,
}

impl Upload {
    /// Begins a file. It is abandoned when it is dropped before [`Upload::complete`].
    pub(crate) fn begin(store: &LakeStore, path: Path) -> Result<(Self, UploadSink), LakeError> {
        let (sender, receiver) = channel(AHEAD);
        let store = Arc::clone(store.object_store());
        let task = runtime::spawn(receive(store, path, receiver))?;
        let sink = UploadSink { sender: sender.clone(), buffer: Vec::new() };
        Ok((Self { sender, task }, sink))
    }

    /// Completes the file, after the sink was flushed. Returns its size in bytes.
    ///
    /// # Errors
    /// When storage does not take it.
    pub(crate) async fn complete(self) -> Result<u64, LakeError> {
        // If the receiver is gone, its error says why.
        let _ = self.sender.send(Message::End).await;
        drop(self.sender);
        self.task.await.map_err(|stopped| LakeError::Threads(stopped.to_string()))?
    }

    /// Abandons the file after its writer failed. Returns the error of storage, if there is one,
    /// otherwise that of the writer.
    pub(crate) async fn fail(self, error: LakeError) -> LakeError {
        drop(self.sender);
        match self.task.await {
            Ok(Err(cause @ LakeError::Store(_))) => cause,
            _ => error,
        }
    }
}

impl UploadSink {
    fn send(&mut self) -> io::Result<()> {
        let part = Bytes::from(std::mem::take(&mut self.buffer));
        let gone = |_| io::Error::new(io::ErrorKind::BrokenPipe, "storage does not take the file");
        self.sender.blocking_send(Message::Part(part)).map_err(gone)
    }
}

impl Write for UploadSink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.buffer.extend_from_slice(bytes);
        if self.buffer.len() >= PART {
            self.send()?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        match self.buffer.is_empty() {
            true => Ok(()),
            false => self.send(),
        }
    }
}

/// Sends the parts of a file to storage.
async fn receive(
    store: Arc<dyn ObjectStore>,
    path: Path,
    mut parts: Receiver<Message>,
) -> Result<u64, LakeError> {
    let abandoned = || LakeError::Threads(format!("the writer of {path} ended early"));
    let mut first = Vec::new();
    let mut size = 0;
    while first.len() < PART {
        match parts.recv().await.ok_or_else(abandoned)? {
            Message::Part(part) => {
                size += part.len() as u64;
                first.extend_from_slice(&part);
            }
            Message::End => {
                store.put(&path, first.into()).await?;
                return Ok(size);
            }
        }
    }
    let mut upload = WriteMultipart::new_with_chunk_size(store.put_multipart(&path).await?, PART);
    upload.put(first.into());
    loop {
        match parts.recv().await {
            Some(Message::Part(part)) => {
                size += part.len() as u64;
                upload.wait_for_capacity(AT_A_TIME).await?;
                upload.put(part);
            }
            Some(Message::End) => {
                upload.finish().await?;
                return Ok(size);
            }
            None => {
                upload.abort().await?;
                return Err(abandoned());
            }
        }
    }
}
