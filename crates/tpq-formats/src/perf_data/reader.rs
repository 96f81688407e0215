//! Hands on the records of a file in batches.

use std::collections::VecDeque;

use tpq_clock::Clock;
use tpq_decode::PacketRouter;
use tpq_ingest::{
    Batch, Batcher, EventReader, FileContext, Loss, LossBook, LossEntry, Payload, PendingRun, Run,
    SourceId, TextLocation, Timeline, TraceBytes,
};

use super::attribute::{Attribute, Events, ids};
use super::layout::{FILE_HEADER, Layout, Record, RecordError, kind};
use super::{ENDS, RECORDS, SESSION};
use crate::OpenFile;

/// A batch ends after this many records…
const BATCH_RECORDS: usize = 8192;
/// …or this many bytes, whichever comes first.
const BATCH_BYTES: usize = 4 << 20;
/// Positions of what holds from the start, in its order.
const SESSION_POSITION: u32 = 0;
const UNDATED_POSITION: u32 = 1;
const FIRST_POSITION: u32 = 2;

/// Reads the records of a file, and the packets with events of the kernel's tracer.
pub(super) struct PerfReader<'a> {
    /// Reads the packets, if there are some.
    packets: Option<Batcher<'a>>,
    bytes: &'a TraceBytes<'a>,
    base: u64,
    len: usize,
    /// Address and length of what is left: records of the file, then those that were unpacked.
    parts: VecDeque<(u64, usize)>,
    events: Events,
    file: FileContext,
    clock: Clock,
    timeline: Timeline,
    losses: LossBook,
    position: u32,
    done: u64,
    earliest: Option<i64>,
    latest: Option<i64>,
    /// Records without a time before the first that has one, by address and length: they hold from
    /// the start.
    undated: Vec<(u64, u32)>,
    is_readable: bool,
    is_over: bool,
}

/// The records of the batch under way: times, and address and length of each.
#[derive(Default)]
struct Open {
    times: Vec<i64>,
    spans: Vec<(u64, u32)>,
}

impl<'a> PerfReader<'a> {
    pub(super) fn new(open: OpenFile<'a>) -> Self {
        let OpenFile { bytes, file, timeline, .. } = open;
        let mut segments = file.segments.iter().copied();
        let (base, len) = segments.next().unwrap_or_default();
        let mut unpacked: Vec<(u64, usize)> = segments.collect();
        // The last part is the number of those before it that have packets.
        let packets = unpacked.pop().map_or(0, |(at, len)| {
            u64::from_le_bytes(bytes.range(at, len).try_into().unwrap_or_default())
        });
        let records = unpacked.len().saturating_sub(usize::try_from(packets).unwrap_or_default());
        let packets = unpacked.split_off(records);
        let packets = (!packets.is_empty()).then(|| {
            let file = FileContext { segments: packets, ..file.clone() };
            Batcher::new(bytes, file, timeline.clone(), Box::new(PacketRouter::default()))
        });
        let names = file.base.1;
        let mut reader = Self {
            packets,
            bytes,
            base,
            len,
            parts: VecDeque::new(),
            events: Events::default(),
            clock: names.clock(0, names.default),
            file,
            timeline,
            losses: LossBook::default(),
            position: FIRST_POSITION,
            done: 0,
            earliest: None,
            latest: None,
            undated: Vec::new(),
            is_readable: true,
            is_over: false,
        };
        reader.begin(unpacked);
        reader
    }

    fn begin(&mut self, unpacked: Vec<(u64, usize)>) {
        let file = self.bytes.range(self.base, self.len);
        match Layout::read(file) {
            Ok(layout) => {
                for (event, of_ids) in &layout.events {
                    self.events.add(*event, ids(file.get(of_ids.clone()).unwrap_or_default()));
                }
                let records = layout.records;
                self.parts.push_back((self.base + records.start as u64, records.len()));
                self.parts.extend(unpacked);
            }
            Err((at, what)) => {
                self.is_readable = false;
                self.lose(Loss::MalformedRecord, self.base + at as u64, what, 1);
            }
        }
    }

    /// Takes the next record of the first part.
    fn take_next(&mut self, open: &mut Open) {
        let Some(&mut (ref mut addr, ref mut len)) = self.parts.front_mut() else {
            self.is_over = true;
            return;
        };
        let (at, left) = (*addr, *len);
        let bytes = self.bytes.range(at, left);
        let record = match Record::read(bytes) {
            _ if bytes.is_empty() => {
                self.parts.pop_front();
                return;
            }
            Ok(record) => record,
            Err(error) => {
                self.parts.pop_front();
                return self.end_part(error, at, left);
            }
        };
        *addr += record.len as u64;
        *len -= record.len;
        self.done += record.len as u64;
        self.take(&record, at, open);
    }

    /// Counts what cannot be read of a part.
    fn end_part(&mut self, error: RecordError, at: u64, left: usize) {
        match error {
            RecordError::Cut => {
                let what = "the file ends within a record";
                self.lose(Loss::TruncatedBytes, at, what, left as u64);
            }
            RecordError::Size => {
                let what = "a record is shorter than its header, so nothing behind it is read";
                self.lose(Loss::MalformedRecord, at, what, 1);
            }
        }
    }

    fn take(&mut self, record: &Record<'_>, at: u64, open: &mut Open) {
        match record.kind {
            kind::COMPRESSED | kind::COMPRESSED2 => return,
            kind::ATTRIBUTE => self.add_event(record),
            _ => {}
        }
        // Its length is a 16-bit number; data behind it is not decoded.
        let span = (at, (record.payload.len() + super::layout::RECORD_HEADER) as u32);
        self.position = self.position.saturating_add(1);
        // The recorder describes what was there before with the time 0.
        let time = self.events.time(record).filter(|&time| time > 0);
        let time = time.map(|time| i64::try_from(time).unwrap_or(i64::MAX));
        if let Some(time) = time {
            self.earliest = Some(self.earliest.map_or(time, |earliest| earliest.min(time)));
            self.latest = Some(self.latest.map_or(time, |latest| latest.max(time)));
        }
        match time.or(self.latest) {
            Some(time) if !is_of_setup(record.kind) => {
                open.times.push(time);
                open.spans.push(span);
            }
            _ => self.undated.push(span),
        }
    }

    fn add_event(&mut self, record: &Record<'_>) {
        let size = super::layout::Numbers(record.payload.get(4..).unwrap_or_default()).u32();
        let of_ids = size.and_then(|size| record.payload.get(size as usize..)).unwrap_or_default();
        if let Some(event) = Attribute::read(record.payload) {
            self.events.add(event, ids(of_ids));
        }
    }

    fn lose(&mut self, loss: Loss, addr: u64, what: &'static str, count: u64) {
        let column = self.bytes.offset_in_file(addr).unwrap_or_default();
        let entry = LossEntry {
            text: Some(TextLocation { line: 0, column, what }),
            ..LossEntry::at(loss, self.file.base.0, addr, self.position)
        };
        self.losses.enter(entry, count);
    }

    /// The next batch of packets, which come behind all records.
    fn next_packets(&mut self) -> Option<Batch> {
        let packets = self.packets.as_mut()?;
        match packets.next_batch() {
            Some(batch) => Some(Batch { done: self.done, ..batch }),
            None => {
                self.losses.merge(packets.losses());
                self.packets = None;
                None
            }
        }
    }

    /// Hands on records in the order of time, those of one time as they came.
    fn close(&mut self, open: &Open, position: u32, batch: &mut Batch) {
        let mut order: Vec<usize> = (0..open.times.len()).collect();
        order.sort_by_key(|&index| open.times[index]);
        let timestamps = order.iter().map(|&index| open.times[index]).collect();
        let spans: Vec<(u64, u32)> = order.iter().map(|&index| open.spans[index]).collect();
        // Records of one batch are of one part, or of parts that lie behind each other.
        let addr = spans.iter().map(|&(addr, _)| addr).min().unwrap_or_default();
        let ranges = spans.iter().map(|&(at, len)| ((at - addr) as u32, len)).collect();
        self.push(RECORDS, position, timestamps, Payload::Bundle { addr, ranges }, batch);
    }

    fn push(
        &mut self,
        kind: tpq_ingest::RunKind,
        position: u32,
        timestamps: Vec<i64>,
        payload: Payload,
        batch: &mut Batch,
    ) {
        if timestamps.is_empty() {
            return;
        }
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

    /// Hands on what holds from the start: the header, and records without a time.
    fn close_setup(&mut self, batch: &mut Batch) {
        if !self.is_readable {
            return;
        }
        let earliest = self.earliest.unwrap_or_default();
        let header = self.len.min(FILE_HEADER) as u32;
        let of_header = || Payload::Bundle { addr: self.base, ranges: vec![(0, header)] };
        let (first, last) = (of_header(), of_header());
        self.push(SESSION, SESSION_POSITION, vec![earliest], first, batch);
        // Behind the last record, and the event of the kernel's tracer in it.
        if let Some(latest) = self.latest {
            self.push(ENDS, self.position, vec![latest.saturating_add(1)], last, batch);
        }
        let undated = std::mem::take(&mut self.undated);
        // Offsets within a run are 32-bit numbers.
        for spans in undated.chunk_by(|(first, _), (next, _)| next.wrapping_sub(*first) < 1 << 20) {
            for spans in spans.chunks(2048) {
                let open = Open { times: vec![earliest; spans.len()], spans: spans.to_vec() };
                self.close(&open, UNDATED_POSITION, batch);
            }
        }
    }
}

/// Whether records of a type describe the recording.
fn is_of_setup(kind: u32) -> bool {
    matches!(
        kind,
        kind::ATTRIBUTE | kind::TRACING_DATA | kind::BUILD_ID | kind::EVENT_UPDATE | kind::FEATURE
    )
}

impl EventReader for PerfReader<'_> {
    fn next_batch(&mut self) -> Option<Batch> {
        if self.is_over {
            return self.next_packets();
        }
        let (start, position) = (self.done, self.position);
        let mut batch = Batch { file: self.file.base.1.source.file, ..Batch::default() };
        let mut open = Open::default();
        let mut parts = self.parts.len();
        while !self.is_over
            && open.times.len() < BATCH_RECORDS
            && self.done - start < BATCH_BYTES as u64
        {
            self.take_next(&mut open);
            // The next part may lie anywhere.
            if self.parts.len() != parts {
                parts = self.parts.len();
                let before = std::mem::take(&mut open);
                self.close(&before, position, &mut batch);
            }
        }
        self.close(&open, position, &mut batch);
        if self.is_over {
            self.close_setup(&mut batch);
        }
        batch.done = self.done;
        Some(batch)
    }

    fn losses(&self) -> &LossBook {
        &self.losses
    }

    fn event_count(&self) -> u64 {
        u64::from(self.position - FIRST_POSITION)
    }

    fn timeline(&self) -> &Timeline {
        &self.timeline
    }

    fn source(&self, _: u32) -> SourceId {
        self.file.base.0
    }
}
