//! The pass before the import: compressed records are unpacked, the clock is found, and events of
//! the kernel's tracer become packets.

use tpq_ingest::{Loss, Prescan, PrescanMemory, ZstdStream};

use super::attribute::Attribute;
use super::layout::{Layout, Record, RecordError, kind};
use super::tracepoints::Tracepoints;

/// Unpacked bytes are stored after this many.
const PART: usize = 4 << 20;

/// Unpacks the compressed records of a file. They are parts of one stream, and records may begin in
/// one part and end in the next. Behind them come parts of packets, and a part with their number.
pub(super) fn prescan<'a>(file: &'a [u8], base: u64, room: PrescanMemory<'_, 'a>) -> Prescan<'a> {
    let mut prescan = Prescan::of_text(file, base, room.budget);
    let Ok(layout) = Layout::read(file) else { return prescan };
    let mut clock = layout.events.iter().find_map(|(event, _)| event.clock());
    let mut unpacked = Unpacked::default();
    let mut tracepoints = Tracepoints::new(file, &layout);
    let mut at = layout.records.start;
    while let Some(bytes) = file.get(at..layout.records.end)
        && let Ok(record) = Record::read(bytes)
    {
        if let Some(compressed) = record.compressed() {
            unpacked.push(compressed, at, &mut tracepoints, &mut prescan, room);
        } else if record.kind == kind::ATTRIBUTE {
            clock = clock.or_else(|| Attribute::read(record.payload)?.clock());
        }
        tracepoints.see(&record, at);
        at += record.len;
    }
    unpacked.store(&mut tracepoints, &mut prescan, room);
    let left = unpacked.bytes.len();
    if left > 0 {
        prescan.losses.add(Loss::TruncatedBytes, left as u64);
    }
    let packets = tracepoints.write(&mut prescan, room);
    if unpacked.is_stored || packets > 0 {
        prescan.push_unpacked(packets.to_le_bytes().to_vec(), 0, room);
    }
    prescan.primary_clock = clock;
    prescan
}

/// Unpacked bytes that are not stored yet.
#[derive(Default)]
struct Unpacked {
    stream: Option<ZstdStream>,
    bytes: Vec<u8>,
    /// The place in the file of the first of them.
    offset: u64,
    /// Whether the stream is damaged; the rest of it cannot be unpacked.
    is_damaged: bool,
    /// Whether some bytes are stored.
    is_stored: bool,
}

impl Unpacked {
    fn push<'a>(
        &mut self,
        compressed: &[u8],
        offset: usize,
        tracepoints: &mut Tracepoints<'a>,
        prescan: &mut Prescan<'a>,
        room: PrescanMemory<'_, 'a>,
    ) {
        if self.stream.is_none() && !self.is_damaged {
            self.stream = ZstdStream::new();
        }
        if self.bytes.is_empty() {
            self.offset = offset as u64;
        }
        let budget = prescan.budget();
        let most = usize::try_from(budget).unwrap_or(usize::MAX);
        let stream = self.stream.as_mut().filter(|_| !self.is_damaged);
        let is_unpacked =
            stream.is_some_and(|stream| stream.unpack(compressed, &mut self.bytes, most));
        if !is_unpacked {
            self.is_damaged = true;
            prescan.losses.count(Loss::InflateFailed);
        }
        if self.bytes.len() >= PART {
            self.store(tracepoints, prescan, room);
        }
    }

    /// Stores all whole records.
    fn store<'a>(
        &mut self,
        tracepoints: &mut Tracepoints<'a>,
        prescan: &mut Prescan<'a>,
        room: PrescanMemory<'_, 'a>,
    ) {
        let mut at = 0;
        while let Some(rest) = self.bytes.get(at..).filter(|rest| !rest.is_empty()) {
            match Record::read(rest) {
                Ok(record) => {
                    tracepoints.see_unpacked(&record);
                    at += record.len;
                }
                Err(RecordError::Cut) => break,
                Err(RecordError::Size) => {
                    // Nothing behind it can be found.
                    prescan.losses.count(Loss::MalformedRecord);
                    self.is_damaged = true;
                    self.bytes.truncate(at);
                }
            }
        }
        let rest = self.bytes.split_off(at);
        let whole = std::mem::replace(&mut self.bytes, rest);
        if !whole.is_empty() {
            prescan.push_unpacked(whole, self.offset, room);
            self.is_stored = true;
        }
    }
}
