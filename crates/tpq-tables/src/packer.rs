//! The packing of full chunks: by the thread that fills them, or by a second one.

use std::io;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, OnceLock, Weak};

use crate::Spill;
use crate::column::Plain;
use crate::packed::{Native, PackedChunk, Packing, Valid};

type Task = Box<dyn FnOnce() + Send>;

/// Packs the chunks of all columns of an import.
#[derive(Default)]
pub struct Packer {
    /// The file for chunks above the memory limit.
    spill: Option<Arc<Spill>>,
    /// The packing thread; `None` to pack on the calling thread. At most one chunk of each column
    /// waits for it, and a task of a few words for each chunk that was taken back.
    thread: Option<Sender<Task>>,
}

/// A chunk that another thread packs, unless it is needed before that begins.
pub(crate) struct Pending<N> {
    work: Arc<Work<N>>,
    /// Ends when the other thread has let go of it.
    done: Receiver<()>,
}

/// The work on a chunk.
struct Work<N> {
    plain: Plain<N>,
    packing: Packing,
    spill: Option<Arc<Spill>>,
    packed: OnceLock<PackedChunk>,
}

impl<N: Native> Work<N> {
    fn pack(&self) -> PackedChunk {
        pack(&self.plain, self.packing, self.spill.as_ref())
    }
}

impl Packer {
    /// Packs on the thread that asks for it.
    pub fn new(spill: Option<Arc<Spill>>) -> Self {
        Self { spill, thread: None }
    }

    /// Packs on a thread of its own, which ends with the packer.
    ///
    /// # Errors
    /// When the thread cannot be started.
    pub fn on_thread(spill: Option<Arc<Spill>>) -> io::Result<Self> {
        let (send, tasks) = channel::<Task>();
        let work = move || tasks.into_iter().for_each(|task| task());
        std::thread::Builder::new().name("packer".into()).spawn(work)?;
        Ok(Self { spill, thread: Some(send) })
    }

    /// Whether there is a thread besides those that fill chunks.
    pub(crate) fn has_thread(&self) -> bool {
        self.thread.is_some()
    }

    /// Notes that a packed chunk is unpacked, and takes no memory any more.
    pub(crate) fn unpacked(&self, chunk: &PackedChunk) {
        self.spill.iter().for_each(|spill| spill.give_back(chunk.bytes_in_memory()));
    }

    /// Packs a chunk here and now.
    pub(crate) fn pack<N: Native>(&self, plain: &Plain<N>, packing: Packing) -> PackedChunk {
        pack(plain, packing, self.spill.as_ref())
    }

    /// Packs other values in place of those of a chunk that was unpacked.
    pub(crate) fn repack<N: Native>(&self, packed: &mut PackedChunk, plain: &Plain<N>) {
        packed.repack(&plain.values, Valid::of(&plain.valid));
        self.spill.iter().for_each(|spill| packed.spill(spill));
    }

    /// Has a chunk packed; gives it back where there is no other thread to do it.
    pub(crate) fn send<N: Native>(
        &self,
        plain: Plain<N>,
        packing: Packing,
    ) -> Result<Pending<N>, Plain<N>> {
        let Some(thread) = &self.thread else { return Err(plain) };
        let spill = self.spill.clone();
        let work = Arc::new(Work { plain, packing, spill, packed: OnceLock::new() });
        let (end, done) = channel();
        let waiting: Weak<Work<N>> = Arc::downgrade(&work);
        let task = move || {
            // Nothing is left to do where it was needed before.
            if let Some(work) = waiting.upgrade() {
                // No other thread writes it.
                let _ = work.packed.set(work.pack());
            }
            drop(end);
        };
        // A thread that is gone drops the task, and the chunk is packed where it is needed.
        let _ = thread.send(Box::new(task));
        Ok(Pending { work, done })
    }
}

fn pack<N: Native>(plain: &Plain<N>, packing: Packing, spill: Option<&Arc<Spill>>) -> PackedChunk {
    let mut packed = PackedChunk::pack(&plain.values, Valid::of(&plain.valid), packing);
    spill.into_iter().for_each(|spill| packed.spill(spill));
    packed
}

impl<N: Native> Pending<N> {
    /// The chunk as it was when it was sent.
    pub(crate) fn plain(&self) -> &Plain<N> {
        &self.work.plain
    }

    /// Waits until it is packed, or packs it if no thread has begun to, and returns it as well: its
    /// bits are needed, and its memory can be used again.
    pub(crate) fn wait(self) -> (PackedChunk, Plain<N>) {
        let work = Arc::try_unwrap(self.work).or_else(|shared| {
            // It is being packed, or that failed: either way the other thread lets go of it.
            let _ = self.done.recv();
            Arc::try_unwrap(shared)
        });
        match work {
            Ok(mut work) => (work.packed.take().unwrap_or_else(|| work.pack()), work.plain),
            // Not reached; it would be packed here, and not be counted twice as spilled.
            Err(shared) => {
                let plain = Plain { values: Vec::new(), valid: shared.plain.valid.clone() };
                (pack(&shared.plain, shared.packing, None), plain)
            }
        }
    }
}
