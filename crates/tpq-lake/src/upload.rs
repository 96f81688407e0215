//! Bytes that a thread writes and storage receives while they are made.
//!
//! A file exists once all of its bytes have arrived and the writer said so, or not at all.

use std::io::{self, Write};
use std::sync::Arc;

use bytes::Bytes;
use object_store::path::Path;
use object_store::{MultipartUpload, ObjectStore, ObjectStoreExt, PutPayload};
use tokio::sync::mpsc::{Receiver, Sender, channel};
use tokio::task::{JoinHandle, JoinSet};

use crate::store::LakeStore;
use crate::{LakeError, runtime};

/// The least size of parts in bytes: object stores refuse smaller ones.
const LEAST_PART: usize = 5 << 20;

/// How much of a file is in memory while it is written and sent.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct UploadSizes {
    /// The size of the parts that are sent, in bytes.
    part: usize,
    /// Parts in memory: those that are being sent, and the one that is collected.
    parts: usize,
    /// The size of the pieces that a writer gives away, in bytes. A writer that collected whole
    /// parts would leave several times their size to the allocator, on each of its threads.
    piece: usize,
    /// Pieces that wait to become a part.
    ahead: usize,
}

impl Default for UploadSizes {
    fn default() -> Self {
        Self { part: 8 << 20, parts: 5, piece: 1 << 20, ahead: 8 }
    }
}

impl UploadSizes {
    /// The sizes within a memory limit in bytes. One part of the least size is always held.
    pub(crate) fn within(memory: Option<u64>) -> Self {
        let most = Self::default();
        let memory = memory.map_or(usize::MAX, |it| usize::try_from(it).unwrap_or(usize::MAX));
        if memory >= most.bytes() {
            return most;
        }
        let (piece, ahead) = (256 << 10, 2);
        let parts = memory.saturating_sub(piece * (ahead + 2)) / LEAST_PART;
        Self { part: LEAST_PART, parts: parts.clamp(1, most.parts), piece, ahead }
    }

    /// The memory that they take: parts, waiting pieces, and a piece at each end of the queue.
    fn bytes(self) -> usize {
        self.part * self.parts + self.piece * (self.ahead + 2)
    }
}

enum Message {
    Piece(Bytes),
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
    /// The size of a piece.
    piece: usize,
}

impl Upload {
    /// Begins a file. It is abandoned when it is dropped before [`Upload::complete`].
    pub(crate) fn begin(
        store: &LakeStore,
        path: Path,
        sizes: UploadSizes,
    ) -> Result<(Self, UploadSink), LakeError> {
        let (sender, receiver) = channel(sizes.ahead);
        let store = Arc::clone(store.object_store());
        let task = runtime::spawn(receive(store, path, receiver, sizes))?;
        let sink = UploadSink { sender: sender.clone(), buffer: Vec::new(), piece: sizes.piece };
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
        let piece = Bytes::from(std::mem::take(&mut self.buffer));
        let gone = |_| io::Error::new(io::ErrorKind::BrokenPipe, "storage does not take the file");
        self.sender.blocking_send(Message::Piece(piece)).map_err(gone)
    }
}

impl Write for UploadSink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        // A call may write less than it is given.
        let taken = bytes.len().min(self.piece - self.buffer.len());
        self.buffer.extend_from_slice(&bytes[..taken]);
        if self.buffer.len() == self.piece {
            self.send()?;
        }
        Ok(taken)
    }

    fn flush(&mut self) -> io::Result<()> {
        match self.buffer.is_empty() {
            true => Ok(()),
            false => self.send(),
        }
    }
}

/// Sends the pieces of a file to storage.
async fn receive(
    store: Arc<dyn ObjectStore>,
    path: Path,
    mut pieces: Receiver<Message>,
    sizes: UploadSizes,
) -> Result<u64, LakeError> {
    let abandoned = || LakeError::Threads(format!("the writer of {path} ended early"));
    let mut first = Pieces::default();
    while first.len < sizes.part {
        match pieces.recv().await.ok_or_else(abandoned)? {
            Message::Piece(piece) => first.push(piece),
            Message::End => {
                let size = first.len as u64;
                store.put(&path, first.take()).await?;
                return Ok(size);
            }
        }
    }
    let mut file = Parts::of(store.put_multipart(&path).await?, sizes);
    finish(&mut file, first, &mut pieces).await?.ok_or_else(abandoned)
}

/// Sends a file in parts to its end, or removes them. Returns the size; `None` if the writer ended
/// early.
async fn finish(
    file: &mut Parts,
    first: Pieces,
    pieces: &mut Receiver<Message>,
) -> Result<Option<u64>, object_store::Error> {
    let sent = send(file, first, pieces).await;
    if !matches!(sent, Ok(Some(_))) {
        file.abort().await;
    }
    sent
}

/// Sends the parts and completes the file. Returns its size; `None` if the writer ended early.
async fn send(
    file: &mut Parts,
    first: Pieces,
    pieces: &mut Receiver<Message>,
) -> Result<Option<u64>, object_store::Error> {
    let mut size = first.len as u64;
    for piece in first.bytes {
        file.put(piece).await?;
    }
    loop {
        match pieces.recv().await {
            Some(Message::Piece(piece)) => {
                size += piece.len() as u64;
                file.put(piece).await?;
            }
            Some(Message::End) => {
                file.complete().await?;
                return Ok(Some(size));
            }
            None => return Ok(None),
        }
    }
}

/// Bytes that arrived in pieces, and are sent as they are.
#[derive(Default)]
struct Pieces {
    bytes: Vec<Bytes>,
    /// The number of bytes.
    len: usize,
}

impl Pieces {
    fn push(&mut self, piece: Bytes) {
        self.len += piece.len();
        self.bytes.push(piece);
    }

    /// All bytes. Nothing is left.
    fn take(&mut self) -> PutPayload {
        std::mem::take(self).bytes.into_iter().collect()
    }
}

/// A file that storage receives in parts of one size, several at a time. Parts of a file that is
/// neither completed nor aborted stay in an object store.
struct Parts {
    upload: Box<dyn MultipartUpload>,
    sent: JoinSet<Result<(), object_store::Error>>,
    /// What is too short for a part.
    rest: Pieces,
    sizes: UploadSizes,
}

impl Parts {
    fn of(upload: Box<dyn MultipartUpload>, sizes: UploadSizes) -> Self {
        Self { upload, sent: JoinSet::new(), rest: Pieces::default(), sizes }
    }

    async fn put(&mut self, mut piece: Bytes) -> Result<(), object_store::Error> {
        while !piece.is_empty() {
            if self.rest.len == 0 {
                self.wait_for(self.sizes.parts - 1).await?;
            }
            let taken = piece.len().min(self.sizes.part - self.rest.len);
            self.rest.push(piece.split_to(taken));
            if self.rest.len == self.sizes.part {
                self.send_rest();
            }
        }
        Ok(())
    }

    /// Sends what there is as a part.
    fn send_rest(&mut self) {
        let part = self.rest.take();
        self.sent.spawn(self.upload.put_part(part));
    }

    /// Waits until at most `count` parts are under way.
    async fn wait_for(&mut self, count: usize) -> Result<(), object_store::Error> {
        while self.sent.len() > count {
            if let Some(done) = self.sent.join_next().await {
                done.map_err(|stopped| object_store::Error::Generic {
                    store: "upload",
                    source: Box::new(stopped),
                })??;
            }
        }
        Ok(())
    }

    async fn complete(&mut self) -> Result<(), object_store::Error> {
        if self.rest.len > 0 {
            self.send_rest();
        }
        self.wait_for(0).await?;
        self.upload.complete().await.map(drop)
    }

    /// Removes the parts that storage has. The error that led here says more than one of this.
    async fn abort(&mut self) {
        self.sent.shutdown().await;
        let _ = self.upload.abort().await;
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use futures::FutureExt;
    use object_store::{PutResult, UploadPart};

    use super::*;

    /// The size of a part without a limit.
    const PART: usize = 8 << 20;

    /// The sizes of the parts that storage takes, and how the file ended.
    #[derive(Debug, Default)]
    struct Seen {
        parts: Vec<usize>,
        is_complete: bool,
        is_aborted: bool,
    }

    /// Storage that fails at a part, counted from 1.
    #[derive(Debug)]
    struct Failing(Arc<Mutex<Seen>>, usize);

    fn failure() -> object_store::Error {
        object_store::Error::Generic { store: "test", source: "the disk is full".into() }
    }

    #[async_trait::async_trait]
    impl MultipartUpload for Failing {
        fn put_part(&mut self, data: PutPayload) -> UploadPart {
            let mut seen = self.0.lock().unwrap();
            seen.parts.push(data.content_length());
            let fails = seen.parts.len() == self.1;
            Box::pin(async move { if fails { Err(failure()) } else { Ok(()) } })
        }

        async fn complete(&mut self) -> Result<PutResult, object_store::Error> {
            self.0.lock().unwrap().is_complete = true;
            Ok(PutResult { e_tag: None, version: None })
        }

        async fn abort(&mut self) -> Result<(), object_store::Error> {
            self.0.lock().unwrap().is_aborted = true;
            Ok(())
        }
    }

    /// Sends a file of 2.5 parts, and ends it.
    async fn sent(fails_at: usize, ends: bool) -> (bool, Seen) {
        let seen = Arc::new(Mutex::new(Seen::default()));
        let mut file =
            Parts::of(Box::new(Failing(Arc::clone(&seen), fails_at)), UploadSizes::default());
        let (sender, mut pieces) = channel(4);
        sender.send(Message::Piece(vec![1; PART / 2].into())).await.unwrap();
        sender.send(Message::Piece(vec![2; PART].into())).await.unwrap();
        if ends {
            sender.send(Message::End).await.unwrap();
        }
        drop(sender);
        let mut first = Pieces::default();
        first.push(vec![0; PART].into());
        let whole = 2 * PART as u64 + PART as u64 / 2;
        let sent = finish(&mut file, first, &mut pieces).await;
        let is_sent = matches!(sent, Ok(Some(size)) if size == whole);
        drop(file);
        (is_sent, Arc::into_inner(seen).unwrap().into_inner().unwrap())
    }

    #[tokio::test]
    async fn parts_of_a_file_that_fails_are_removed() {
        let (is_sent, seen) = sent(0, true).await;
        assert!(is_sent && seen.is_complete && !seen.is_aborted, "{seen:?}");
        assert_eq!(seen.parts, [PART, PART, PART / 2]);
        for (fails_at, ends) in [(1, true), (2, true), (3, true), (0, false)] {
            let (is_sent, seen) = sent(fails_at, ends).await;
            assert!(!is_sent && !seen.is_complete && seen.is_aborted, "{fails_at}: {seen:?}");
        }
    }

    /// Storage in which no part arrives before `open` says so, with the number of parts that are
    /// under way.
    #[derive(Debug)]
    struct Slow(Arc<Mutex<Seen>>, tokio::sync::watch::Receiver<bool>);

    #[async_trait::async_trait]
    impl MultipartUpload for Slow {
        fn put_part(&mut self, data: PutPayload) -> UploadPart {
            self.0.lock().unwrap().parts.push(data.content_length());
            let mut open = self.1.clone();
            Box::pin(async move {
                open.wait_for(|is_open| *is_open).await.map_err(|_| failure())?;
                Ok(())
            })
        }

        async fn complete(&mut self) -> Result<PutResult, object_store::Error> {
            self.0.lock().unwrap().is_complete = true;
            Ok(PutResult { e_tag: None, version: None })
        }

        async fn abort(&mut self) -> Result<(), object_store::Error> {
            Ok(())
        }
    }

    #[tokio::test]
    async fn few_parts_wait_for_slow_storage_within_little_memory() {
        let seen = Arc::new(Mutex::new(Seen::default()));
        let (open, is_open) = tokio::sync::watch::channel(false);
        let sizes = UploadSizes::within(Some(12 << 20));
        assert_eq!((sizes.part, sizes.parts), (5 << 20, 2));
        let mut file = Parts::of(Box::new(Slow(Arc::clone(&seen), is_open)), sizes);
        let whole: Bytes = vec![0; 4 * sizes.part].into();
        {
            // Two parts are under way, and no third one is collected beside them.
            let mut put = std::pin::pin!(file.put(whole));
            assert!(put.as_mut().now_or_never().is_none());
            assert_eq!(seen.lock().unwrap().parts, [sizes.part; 2]);
            open.send(true).unwrap();
            put.await.unwrap();
        }
        file.complete().await.unwrap();
        assert_eq!(seen.lock().unwrap().parts, [sizes.part; 4]);
    }

    #[test]
    fn sizes_fit_the_memory_limit() {
        assert_eq!(UploadSizes::within(None), UploadSizes::default());
        assert_eq!(UploadSizes::within(Some(1 << 30)), UploadSizes::default());
        for mebibytes in [6, 12, 16, 24, 32, 49] {
            let sizes = UploadSizes::within(Some(mebibytes << 20));
            assert!(sizes.bytes() as u64 <= mebibytes << 20, "{mebibytes}: {sizes:?}");
        }
        // Less than object stores take is not possible.
        assert_eq!(UploadSizes::within(Some(0)).parts, 1);
    }
}
