//! Who packs full chunks: the thread that fills them, or one beside it.

use std::io;
use std::sync::mpsc::{Receiver, SyncSender, channel, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};

use crate::Spill;
use crate::column::Plain;
use crate::packed::{Native, PackedChunk, Packing, Valid};

/// Chunks that may wait to be packed, of all columns.
const AHEAD: usize = 64;

type Task = Box<dyn FnOnce() + Send>;

/// Packs the chunks of all columns of an import.
#[derive(Default)]
pub struct Packer {
    /// Where they go that memory has no room for.
    spill: Option<Arc<Spill>>,
    /// Where they are packed, if not where they are filled.
    thread: Option<Mutex<SyncSender<Task>>>,
}

/// A chunk that another thread packs.
pub(crate) struct Pending<N> {
    plain: Arc<Plain<N>>,
    packed: Receiver<PackedChunk>,
}

impl Packer {
    /// Packs on the thread that asks for it.
    pub fn new(spill: Option<Arc<Spill>>) -> Self {
        Self { spill, thread: None }
    }

    /// Packs on a thread of its own, which ends with the packer.
    ///
    /// # Errors
    /// When the system has no thread to give.
    pub fn on_thread(spill: Option<Arc<Spill>>) -> io::Result<Self> {
        let (send, tasks) = sync_channel::<Task>(AHEAD);
        let work = move || tasks.into_iter().for_each(|task| task());
        std::thread::Builder::new().name("packer".into()).spawn(work)?;
        Ok(Self { spill, thread: Some(Mutex::new(send)) })
    }

    /// Whether there is a thread beside those that fill chunks.
    pub(crate) fn has_thread(&self) -> bool {
        self.thread.is_some()
    }

    /// Notes that a packed chunk is unpacked, and takes no memory any more.
    pub(crate) fn unpacked(&self, chunk: &PackedChunk) {
        self.spill.iter().for_each(|spill| spill.give_back(chunk.bytes_here()));
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
        let plain = Arc::new(plain);
        let (send, packed) = channel();
        let (chunk, spill) = (Arc::clone(&plain), self.spill.clone());
        let task = move || {
            let packed = pack(&chunk, packing, spill.as_ref());
            // Before it is told, so that whoever waits for it has the memory to himself.
            drop(chunk);
            // Nobody waits where the import failed.
            let _ = send.send(packed);
        };
        let thread = thread.lock().unwrap_or_else(PoisonError::into_inner);
        // A thread that is gone drops the task, which is found out when the chunk is asked for.
        let _ = thread.send(Box::new(task));
        Ok(Pending { plain, packed })
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
        &self.plain
    }

    /// Waits until it is packed, and gives it back as well: its bits are needed, and its memory can
    /// be used again.
    pub(crate) fn wait(self, packing: Packing) -> (PackedChunk, Plain<N>) {
        let packed = self.packed.recv().unwrap_or_else(|_| pack(&self.plain, packing, None));
        let plain = Arc::try_unwrap(self.plain)
            .unwrap_or_else(|shared| Plain { values: Vec::new(), valid: shared.valid.clone() });
        (packed, plain)
    }
}
