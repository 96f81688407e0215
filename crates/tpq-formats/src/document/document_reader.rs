//! Reads a document and hands on its events.

use std::ops::Range;

use tpq_clock::Clock;
use tpq_ingest::{
    Batch, EventReader, FileContext, Loss, LossBook, LossEntry, Payload, PendingRun, Run, RunKind,
    SourceId, TextLocation, Timeline,
};

use crate::{OpenFile, OpenedFile};

/// The number of events in a run.
const RUN_EVENTS: usize = 8192;

/// How the documents of a format are read.
#[derive(Clone, Copy)]
pub(crate) struct DocumentFormat {
    /// The kind of the event that is the document as a whole.
    pub(crate) whole: RunKind,
    /// Whether documents are text, where positions are lines and columns.
    pub(crate) is_text: bool,
    /// Reads the events of a document.
    pub(crate) read: fn(&[u8]) -> Document,
}

/// The events of a document.
#[derive(Default)]
pub(crate) struct Document {
    /// Events by kind.
    pub(crate) events: Vec<Events>,
    /// What is wrong in it, and where.
    pub(crate) problems: Vec<(usize, &'static str)>,
    /// Whether the document can be read at all.
    pub(crate) is_readable: bool,
}

/// Events of a kind, in any order.
pub(crate) struct Events {
    /// The kind of runs of their decoder.
    pub(crate) kind: RunKind,
    /// Times, ns of the clock of the file.
    pub(crate) times: Vec<i64>,
    /// What each event is.
    pub(crate) place: Place,
}

/// What events are.
pub(crate) enum Place {
    /// Numbers, as many for each event.
    Numbers(usize, Vec<u32>),
    /// Parts of the document.
    Parts(Vec<Range<usize>>),
}

impl Document {
    /// A document that cannot be read.
    pub(crate) fn damaged(at: usize, what: &'static str) -> Self {
        Self { problems: vec![(at, what)], ..Self::default() }
    }
}

/// Reads a document.
pub(crate) struct DocumentReader<'a> {
    bytes: &'a [u8],
    base: u64,
    format: DocumentFormat,
    file: FileContext,
    clock: Clock,
    timeline: Timeline,
    losses: LossBook,
    count: u64,
    is_read: bool,
}

impl<'a> DocumentReader<'a> {
    /// Opens a file that is one document.
    pub(crate) fn open(open: OpenFile<'a>, format: DocumentFormat) -> OpenedFile<'a> {
        OpenedFile { reader: Box::new(Self::new(open, format)), work: None }
    }

    fn new(open: OpenFile<'a>, format: DocumentFormat) -> Self {
        let OpenFile { bytes, file, timeline, .. } = open;
        let (base, len) = file.segments.first().copied().unwrap_or_default();
        let names = file.base.1;
        Self {
            bytes: bytes.range(base, len),
            base,
            format,
            clock: names.clock(0, names.default),
            file,
            timeline,
            losses: LossBook::default(),
            count: 0,
            is_read: false,
        }
    }

    fn read(&mut self, batch: &mut Batch) {
        let Ok(len) = u32::try_from(self.bytes.len()) else {
            return self.lose(0, (1, 1), "a document of 4 GiB or more is not read");
        };
        let Document { events, mut problems, is_readable } = (self.format.read)(self.bytes);
        problems.sort_by_key(|&(at, _)| at);
        let (mut line, mut line_start, mut seen) = (1, 0, 0);
        for (at, what) in problems {
            let at = at.min(self.bytes.len());
            if !self.format.is_text {
                self.lose(at, (0, at as u64), what);
                continue;
            }
            for end in memchr::memchr_iter(b'\n', self.bytes.get(seen..at).unwrap_or_default()) {
                line += 1;
                line_start = seen + end + 1;
            }
            seen = at;
            self.lose(at, (line, (at - line_start) as u64 + 1), what);
        }
        if !is_readable {
            return;
        }
        let earliest = events.iter().flat_map(|events| events.times.iter().copied()).min();
        let whole = Payload::Bundle { addr: self.base, ranges: vec![(0, len)] };
        self.push(self.format.whole, vec![earliest.unwrap_or_default()], whole, batch);
        for events in events {
            self.close(events, batch);
        }
    }

    fn lose(&mut self, at: usize, (line, column): (u64, u64), what: &'static str) {
        let entry = LossEntry {
            text: Some(TextLocation { line, column, what }),
            ..LossEntry::at(Loss::MalformedRecord, self.file.base.0, self.base + at as u64, 0)
        };
        self.losses.enter(entry, 1);
    }

    /// Hands on events in the order of time, those of one time as they came.
    fn close(&mut self, events: Events, batch: &mut Batch) {
        let Events { kind, times, place } = events;
        let mut order: Vec<usize> = (0..times.len()).collect();
        order.sort_by_key(|&index| times[index]);
        for order in order.chunks(RUN_EVENTS) {
            let timestamps = order.iter().map(|&index| times[index]).collect();
            let payload = match &place {
                Place::Numbers(width, words) => Payload::Words {
                    width: *width,
                    words: in_order(words, *width, order),
                    strings: [].into(),
                    ranks: Vec::new(),
                    own_strings: false,
                },
                Place::Parts(parts) => {
                    let range = |&index: &usize| {
                        let part = parts.get(index).cloned().unwrap_or_default();
                        (part.start as u32, part.len() as u32)
                    };
                    Payload::Bundle { addr: self.base, ranges: order.iter().map(range).collect() }
                }
            };
            self.push(kind, timestamps, payload, batch);
        }
    }

    fn push(&mut self, kind: RunKind, timestamps: Vec<i64>, payload: Payload, batch: &mut Batch) {
        let position = u32::try_from(self.count).unwrap_or(u32::MAX);
        self.count += timestamps.len() as u64;
        let run = Run {
            kind,
            cpu: None,
            source: self.file.base.0,
            generation: 0,
            position,
            addr: self.base,
            timestamps,
            payload,
        };
        let pending = PendingRun { clock: self.clock, run };
        batch.runs.extend(self.timeline.convert(pending, &mut self.losses));
    }
}

/// The numbers of events in an order, of which each has `width`.
fn in_order(words: &[u32], width: usize, order: &[usize]) -> Vec<u32> {
    let mut ordered = Vec::with_capacity(order.len() * width);
    for &index in order {
        ordered
            .extend_from_slice(words.get(index * width..(index + 1) * width).unwrap_or_default());
    }
    ordered
}

impl EventReader for DocumentReader<'_> {
    fn next_batch(&mut self) -> Option<Batch> {
        if std::mem::replace(&mut self.is_read, true) {
            return None;
        }
        let mut batch = Batch { file: self.file.base.1.source.file, ..Batch::default() };
        self.read(&mut batch);
        batch.done = self.bytes.len() as u64;
        Some(batch)
    }

    fn losses(&self) -> &LossBook {
        &self.losses
    }

    fn event_count(&self) -> u64 {
        self.count
    }

    fn timeline(&self) -> &Timeline {
        &self.timeline
    }

    fn source(&self, _: u32) -> SourceId {
        self.file.base.0
    }
}
