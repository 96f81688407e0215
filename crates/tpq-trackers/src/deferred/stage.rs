//! The thread of the deferred writer: the decoding thread or one of its own.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};

use tpq_tables::{Packer, Tables};

use super::DeferredWrites;
use super::entries::Batch;
use super::writer::DeferredWriter;

/// Batches that may wait to be written. The faster thread alternates: with a short queue, the two
/// threads would block each other.
const QUEUE_LENGTH: usize = 16;

/// Sends batches to the deferred writer.
pub enum DeferredStage<'a> {
    /// On the thread that decodes.
    Inline(Box<DeferredWriter<'a>>),
    /// On a thread of its own.
    Threaded(WriterThread<'a>),
}

/// A writer on another thread.
pub struct WriterThread<'a> {
    batches: SyncSender<Batch>,
    /// Batches that were written; their memory is reused.
    spare: Receiver<Batch>,
    /// Number of batches that were sent and not returned.
    under_way: usize,
    /// The writer, when all is written.
    end: Receiver<Box<DeferredWriter<'a>>>,
}

impl<'a> DeferredStage<'a> {
    /// Moves the writer to a thread, which `start` starts with the work it is given: it lasts until
    /// all is written.
    pub fn move_to<E>(
        &mut self,
        start: impl FnOnce(Box<dyn FnOnce() + Send + 'a>) -> Result<(), E>,
    ) -> Result<(), E> {
        let (batches, receive) = sync_channel(QUEUE_LENGTH);
        let (give_back, spare) = channel();
        let (send, end) = channel();
        let thread = Self::Threaded(WriterThread { batches, spare, under_way: 0, end });
        match std::mem::replace(self, thread) {
            Self::Inline(writer) => start(Box::new(|| work(writer, receive, give_back, send))),
            thread @ Self::Threaded(_) => {
                *self = thread;
                Ok(())
            }
        }
    }

    /// Packs full chunks with `packer` from now on. No effect on a writer on a thread of its own.
    pub fn pack_by(&mut self, packer: &Arc<Packer>) {
        if let Self::Inline(writer) = self {
            writer.pack_by(packer);
        }
    }

    /// Flushes the buffered entries.
    pub fn flush(&mut self, deferred: &mut DeferredWrites, tables: &Tables) {
        match self {
            Self::Inline(writer) => {
                let batch = deferred.take(tables, Batch::default());
                writer.write(&batch);
                deferred.reuse(batch);
            }
            Self::Threaded(thread) => {
                let spare = thread.spare.try_recv();
                thread.under_way -= usize::from(spare.is_ok());
                let batch = deferred.take(tables, spare.unwrap_or_default());
                thread.send(batch);
            }
        }
    }

    /// Waits until all is written that was passed on.
    pub fn settle(&mut self) {
        if let Self::Threaded(thread) = self {
            thread.settle();
        }
    }

    /// The writer, when all is written that was passed on.
    pub fn end(self) -> Option<Box<DeferredWriter<'a>>> {
        match self {
            Self::Inline(writer) => Some(writer),
            Self::Threaded(WriterThread { batches, end, .. }) => {
                drop(batches);
                end.recv().ok()
            }
        }
    }
}

impl WriterThread<'_> {
    /// Passes a batch on. After one that takes much memory waits until all are written, so that
    /// only one such waits at a time.
    fn send(&mut self, batch: Batch) {
        let large = batch.is_large();
        // The receiver has panicked; its scope reports that.
        self.under_way += usize::from(self.batches.send(batch).is_ok());
        if large {
            self.settle();
        }
    }

    fn settle(&mut self) {
        while self.under_way > 0 && self.spare.recv().is_ok() {
            self.under_way -= 1;
        }
    }
}

fn work<'a>(
    mut writer: Box<DeferredWriter<'a>>,
    batches: Receiver<Batch>,
    give_back: Sender<Batch>,
    end: Sender<Box<DeferredWriter<'a>>>,
) {
    for batch in batches {
        writer.write(&batch);
        let batch = if batch.is_large() { Batch::default() } else { batch };
        // The receiver has shut down; ignore the error.
        let _ = give_back.send(batch);
    }
    let _ = end.send(writer);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_batch_that_takes_much_memory_waits_alone() {
        let (batches, receive) = sync_channel(QUEUE_LENGTH);
        let (give_back, spare) = channel();
        let (_send, end) = channel();
        let mut thread = WriterThread { batches, spare, under_way: 0, end };
        (0..3).for_each(|_| thread.send(Batch::default()));
        assert_eq!(thread.under_way, 3);
        let large = Batch { parts: Vec::with_capacity(1 << 20), ..Batch::default() };
        assert!(large.is_large());
        std::thread::scope(|scope| {
            scope.spawn(move || {
                receive.iter().take(4).for_each(|batch| give_back.send(batch).unwrap_or_default());
            });
            thread.send(large);
        });
        assert_eq!(thread.under_way, 0);
        assert!(thread.spare.try_recv().is_err());
    }
}
