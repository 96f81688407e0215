//! The stages on their threads: readers, the sorter, and the decoder on the calling thread.

use std::io;
use std::num::NonZero;
use std::sync::mpsc::{channel, sync_channel};
use std::thread::Scope;

use tpq_decode::EventsAhead;
use tpq_formats::Reader;
use tpq_ingest::{Batch, EventOrder, EventReader, Step, TraceBytes};
use tpq_source::Inputs;

use super::ImportError;
use crate::options::ImportOptions;
use crate::page_release::{DecoderPageRelease, ReaderPageRelease, TraceMemory};
use crate::read_ahead::ReadAhead;

/// Steps that may wait between the thread that sorts and the one that decodes. With few, the two
/// would wait for each other by turns.
const STEP_QUEUE: usize = 16;
/// The same where memory has a limit, as what waits there is not counted.
const STEP_QUEUE_LIMITED: usize = 4;

/// Reads fields of events ahead of the decoder, on the thread that sorts: the decoder is the last to
/// end, and the other thread waits for it.
pub(super) struct LookAhead<'a> {
    bytes: &'a TraceBytes<'a>,
    page_release: DecoderPageRelease<'a>,
}

impl<'a> LookAhead<'a> {
    pub(super) fn new(bytes: &'a TraceBytes<'a>, memory: &TraceMemory<'a>) -> Self {
        Self { bytes, page_release: DecoderPageRelease::new(memory) }
    }

    fn read(&mut self, step: &Step, spare: EventsAhead) -> EventsAhead {
        EventsAhead::read(&step.events, self.bytes, spare, |span| self.page_release.enter(span))
    }
}

/// Decodes all events in the order of time. With `look_ahead`, some of their fields are read before,
/// unless one thread does everything.
pub(super) fn decode_all(
    readers: &mut [Reader<'_>],
    order: &mut EventOrder,
    mut look_ahead: Option<LookAhead<'_>>,
    mut decode: impl FnMut(Step, &EventsAhead),
    mut progress: FilesProgress<'_>,
    options: &ImportOptions,
) -> Result<(), ImportError> {
    if options.threads == Some(1) {
        let read = |file: usize| options.timed("read batch", || readers[file].next_batch());
        let sorted = put_in_order(order, read, &mut progress, |step| {
            decode(step, &EventsAhead::default());
            !options.cancel.is_cancelled()
        });
        return sorted.map_err(ImportError::Spill);
    }
    let cores = || std::thread::available_parallelism().map_or(1, NonZero::get);
    let limit = options.memory_limit;
    let files = ReadAhead::new(readers.iter_mut().map(|reader| reader.as_mut()), limit);
    let read =
        |reader: &mut (dyn EventReader + '_)| options.timed("read batch", || reader.next_batch());
    std::thread::scope(|scope| {
        // Readers wait for room until then, also when a thread cannot be started.
        let _closes = files.close_on_drop();
        for number in 0..files.threads(options.threads.unwrap_or_else(cores)) {
            start(scope, format!("reader {number}"), || files.work(read))?;
        }
        let queue = options.memory_limit.map_or(STEP_QUEUE, |_| STEP_QUEUE_LIMITED);
        let (send, steps) = sync_channel::<io::Result<(Step, EventsAhead)>>(queue);
        // Memory that is new to the process takes longer than reading the events.
        let (give_back, spare) = channel::<EventsAhead>();
        let files = &files;
        let work = move || {
            let _closes = files.close_on_drop();
            let receive = |file: usize| options.timed("wait", || files.next(file, read));
            let each = |step: Step| {
                let read =
                    |it: &mut LookAhead<'_>| it.read(&step, spare.try_recv().unwrap_or_default());
                let ahead = look_ahead.as_mut().map(read).unwrap_or_default();
                send.send(Ok((step, ahead))).is_ok()
            };
            if let Err(error) = put_in_order(order, receive, &mut progress, each) {
                // Without a receiver the import has ended.
                let _ = send.send(Err(error));
            }
        };
        start(scope, "sorter".into(), work)?;
        // Dropping the channel ends the other threads.
        let mut steps = steps.into_iter().take_while(|_| !options.cancel.is_cancelled());
        let mut each = |(step, ahead): (Step, EventsAhead)| {
            decode(step, &ahead);
            // Without a receiver all is sorted.
            let _ = give_back.send(ahead);
        };
        steps.try_for_each(|step| step.map(&mut each)).map_err(ImportError::Spill)
    })
}

/// Starts a thread that ends by itself.
pub(super) fn start<'scope>(
    scope: &'scope Scope<'scope, '_>,
    name: String,
    work: impl FnOnce() + Send + 'scope,
) -> Result<(), ImportError> {
    let thread = std::thread::Builder::new().name(name);
    thread.spawn_scoped(scope, work).map(drop).map_err(ImportError::Thread)
}

/// Sorts the events of all files. Always reads the file that the next event may belong to. `each`
/// returns whether to continue.
fn put_in_order(
    order: &mut EventOrder,
    mut read: impl FnMut(usize) -> Option<Batch>,
    progress: &mut FilesProgress<'_>,
    mut each: impl FnMut(Step) -> bool,
) -> io::Result<()> {
    while let Some(file) = order.wants(&mut each)? {
        // A full sort has no steps before all is read.
        if progress.options.cancel.is_cancelled() {
            return Ok(());
        }
        match read(file) {
            Some(batch) => {
                progress.advance(file, batch.done);
                progress.options.timed("sort", || order.take(file, batch, &mut each))?;
            }
            None => order.end(file, &mut each)?,
        }
    }
    Ok(())
}

/// Progress of reading, by file.
pub(super) struct FilesProgress<'a> {
    done: Vec<u64>,
    /// All of these together.
    sum: u64,
    page_release: ReaderPageRelease<'a>,
    total: u64,
    options: &'a ImportOptions,
}

impl<'a> FilesProgress<'a> {
    pub(super) fn new(
        inputs: &Inputs,
        memory: &TraceMemory<'a>,
        total: u64,
        options: &'a ImportOptions,
    ) -> Self {
        let page_release = ReaderPageRelease::new(memory);
        Self { done: vec![0; inputs.traces().count()], sum: 0, page_release, total, options }
    }

    fn advance(&mut self, file: usize, done: u64) {
        let before = std::mem::replace(&mut self.done[file], done);
        self.sum = (self.sum + done).saturating_sub(before);
        self.page_release.read(file, done);
        self.options.advance(self.sum, self.total);
    }
}
