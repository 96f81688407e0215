//! Hands on the events of a text in batches.

use tpq_clock::Clock;
use tpq_ingest::{
    Batch, EventReader, FileContext, Loss, LossBook, LossEntry, Payload, PendingRun, Run, RunKind,
    SourceId, TextLocation, Timeline,
};

use crate::OpenFile;

/// A batch ends after this many events…
const BATCH_EVENTS: usize = 8192;
/// …or this many bytes of text, whichever comes first.
const BATCH_BYTES: usize = 4 << 20;
/// The largest event: its text is kept in memory, and its length is a 32-bit number.
const LARGEST_EVENT: usize = 32 << 20;

/// What stands at a place of a text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Item {
    /// An event at `ts`, ns of the clock of the file.
    Event {
        /// The kind of runs of its decoder.
        kind: RunKind,
        /// Time of the event.
        ts: i64,
    },
    /// A comment, an empty line, or text that has been noted.
    Nothing,
    /// Text of a kind that is not read, which is counted.
    NotRead(Loss),
    /// Text that makes no sense in the format.
    Malformed(Loss, &'static str),
}

/// Divides a text into events.
pub(crate) trait TextEvents: Send {
    /// Reads what stands at the start of a text, which is not empty. Returns the number of bytes
    /// that it takes, at least 1.
    fn next(&mut self, text: &[u8]) -> (usize, Item);
}

/// Reads a file of text.
pub(crate) struct TextReader<'a, E> {
    text: &'a [u8],
    base: u64,
    at: usize,
    events: E,
    file: FileContext,
    clock: Clock,
    timeline: Timeline,
    losses: LossBook,
    /// The number of line ends so far.
    line_ends: u64,
    /// The number of events so far.
    position: u32,
    done: bool,
}

/// The events of one kind in the batch under way.
struct Open {
    kind: RunKind,
    times: Vec<i64>,
    /// Offset from the start of the batch and length of each.
    ranges: Vec<(u32, u32)>,
}

impl<'a, E: TextEvents> TextReader<'a, E> {
    /// Begins at the first byte of a file that was prescanned as text.
    pub(crate) fn new(open: OpenFile<'a>, events: E) -> Self {
        let OpenFile { bytes, file, timeline, .. } = open;
        let (base, len) = file.segments.first().copied().unwrap_or_default();
        let names = file.base.1;
        Self {
            text: bytes.range(base, len),
            base,
            at: 0,
            events,
            clock: names.clock(0, names.default),
            file,
            timeline,
            losses: LossBook::default(),
            line_ends: 0,
            position: 0,
            done: false,
        }
    }

    fn take_next(&mut self, start: usize, open: &mut Vec<Open>) {
        let rest = self.text.get(self.at..).unwrap_or_default();
        if rest.is_empty() {
            self.done = true;
            return;
        }
        let (len, item) = self.events.next(rest);
        let len = len.clamp(1, rest.len());
        match item {
            Item::Event { .. } if len > LARGEST_EVENT => {
                self.lose(Loss::MalformedRecord, "an event is larger than 32 MiB");
            }
            Item::Event { kind, ts } => {
                let range = (u32::try_from(self.at - start), u32::try_from(len));
                let (Ok(offset), Ok(len)) = range else { return };
                self.position = self.position.saturating_add(1);
                let index = open.iter().position(|open| open.kind == kind).unwrap_or(open.len());
                if index == open.len() {
                    open.push(Open { kind, times: Vec::new(), ranges: Vec::new() });
                }
                open[index].times.push(ts);
                open[index].ranges.push((offset, len));
            }
            Item::Nothing => {}
            Item::NotRead(loss) => self.losses.at(self.file.base.0).count(loss),
            Item::Malformed(loss, what) => self.lose(loss, what),
        }
        let taken = rest.get(..len).unwrap_or_default();
        self.line_ends += memchr::memchr_iter(b'\n', taken).count() as u64;
        self.at += len;
    }

    /// Counts what is wrong at the current place, and enters where that is.
    fn lose(&mut self, loss: Loss, what: &'static str) {
        let entry = LossEntry {
            text: Some(TextLocation { line: self.line_ends + 1, column: 1, what }),
            ..LossEntry::at(loss, self.file.base.0, self.base + self.at as u64, self.position)
        };
        self.losses.enter(entry, 1);
    }

    /// Hands on events in the order of time, those of one time as they came.
    fn close(&mut self, open: Open, start: usize, first_position: u32, batch: &mut Batch) {
        let Open { kind, times, ranges } = open;
        let mut order: Vec<usize> = (0..times.len()).collect();
        order.sort_by_key(|&index| times[index]);
        let addr = self.base + start as u64;
        let run = Run {
            kind,
            cpu: None,
            source: self.file.base.0,
            generation: 0,
            position: first_position,
            addr,
            timestamps: order.iter().map(|&index| times[index]).collect(),
            payload: Payload::Bundle {
                addr,
                ranges: order.iter().map(|&index| ranges[index]).collect(),
            },
        };
        let pending = PendingRun { clock: self.clock, run };
        batch.runs.extend(self.timeline.convert(pending, &mut self.losses));
    }
}

impl<E: TextEvents> EventReader for TextReader<'_, E> {
    fn next_batch(&mut self) -> Option<Batch> {
        if self.done {
            return None;
        }
        let (start, first, first_position) = (self.at, self.position, self.position);
        let mut batch = Batch { file: self.file.base.1.source.file, ..Batch::default() };
        let mut open = Vec::new();
        while !self.done
            && ((self.position - first) as usize) < BATCH_EVENTS
            && self.at - start < BATCH_BYTES
        {
            self.take_next(start, &mut open);
        }
        for open in open {
            self.close(open, start, first_position, &mut batch);
        }
        batch.done = self.at as u64;
        Some(batch)
    }

    fn losses(&self) -> &LossBook {
        &self.losses
    }

    fn event_count(&self) -> u64 {
        u64::from(self.position)
    }

    fn timeline(&self) -> &Timeline {
        &self.timeline
    }

    fn source(&self, _: u32) -> SourceId {
        self.file.base.0
    }
}
