//! The layout of a file: its header, sections and records.

use std::ops::Range;

use super::attribute::Attribute;

/// Bytes of the header of a file; that of a pipe has 16.
pub(super) const FILE_HEADER: usize = 104;
const PIPE_HEADER: usize = 16;
/// Bytes of the header of a record.
pub(super) const RECORD_HEADER: usize = 8;
/// A file describes at most this many events.
const MOST_EVENTS: usize = 4096;

/// Types of records.
pub(super) mod kind {
    pub(in crate::perf_data) const MMAP: u32 = 1;
    pub(in crate::perf_data) const LOST: u32 = 2;
    pub(in crate::perf_data) const COMM: u32 = 3;
    pub(in crate::perf_data) const EXIT: u32 = 4;
    pub(in crate::perf_data) const THROTTLE: u32 = 5;
    pub(in crate::perf_data) const UNTHROTTLE: u32 = 6;
    pub(in crate::perf_data) const FORK: u32 = 7;
    pub(in crate::perf_data) const READ: u32 = 8;
    pub(in crate::perf_data) const SAMPLE: u32 = 9;
    pub(in crate::perf_data) const MMAP2: u32 = 10;
    pub(in crate::perf_data) const AUX: u32 = 11;
    pub(in crate::perf_data) const ITRACE_START: u32 = 12;
    pub(in crate::perf_data) const LOST_SAMPLES: u32 = 13;
    pub(in crate::perf_data) const SWITCH: u32 = 14;
    pub(in crate::perf_data) const SWITCH_CPU_WIDE: u32 = 15;
    pub(in crate::perf_data) const NAMESPACES: u32 = 16;
    pub(in crate::perf_data) const KSYMBOL: u32 = 17;
    pub(in crate::perf_data) const BPF_EVENT: u32 = 18;
    pub(in crate::perf_data) const CGROUP: u32 = 19;
    pub(in crate::perf_data) const TEXT_POKE: u32 = 20;
    pub(in crate::perf_data) const AUX_OUTPUT_HW_ID: u32 = 21;
    /// The first type of the recorder; those before are of the kernel.
    pub(in crate::perf_data) const FIRST_OF_RECORDER: u32 = 64;
    pub(in crate::perf_data) const ATTRIBUTE: u32 = 64;
    /// Names of events, from old recorders.
    pub(in crate::perf_data) const EVENT_TYPE: u32 = 65;
    pub(in crate::perf_data) const TRACING_DATA: u32 = 66;
    pub(in crate::perf_data) const BUILD_ID: u32 = 67;
    pub(in crate::perf_data) const FINISHED_ROUND: u32 = 68;
    pub(in crate::perf_data) const ID_INDEX: u32 = 69;
    pub(in crate::perf_data) const AUXTRACE_INFO: u32 = 70;
    pub(in crate::perf_data) const AUXTRACE: u32 = 71;
    pub(in crate::perf_data) const AUXTRACE_ERROR: u32 = 72;
    pub(in crate::perf_data) const THREAD_MAP: u32 = 73;
    pub(in crate::perf_data) const CPU_MAP: u32 = 74;
    pub(in crate::perf_data) const STAT_CONFIG: u32 = 75;
    pub(in crate::perf_data) const STAT: u32 = 76;
    pub(in crate::perf_data) const STAT_ROUND: u32 = 77;
    pub(in crate::perf_data) const EVENT_UPDATE: u32 = 78;
    pub(in crate::perf_data) const TIME_CONV: u32 = 79;
    pub(in crate::perf_data) const FEATURE: u32 = 80;
    pub(in crate::perf_data) const COMPRESSED: u32 = 81;
    pub(in crate::perf_data) const FINISHED_INIT: u32 = 82;
    /// Compressed data with its length, as newer recorders write it.
    pub(in crate::perf_data) const COMPRESSED2: u32 = 83;
    pub(in crate::perf_data) const BPF_METADATA: u32 = 84;
}

/// Numbers in bytes, in order.
#[derive(Clone, Copy, Debug)]
pub(super) struct Numbers<'a>(pub(super) &'a [u8]);

impl<'a> Numbers<'a> {
    pub(super) fn take(&mut self, len: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(len)?;
        self.0 = rest;
        Some(taken)
    }

    pub(super) fn u16(&mut self) -> Option<u16> {
        self.take(2)?.try_into().ok().map(u16::from_le_bytes)
    }

    pub(super) fn u32(&mut self) -> Option<u32> {
        self.take(4)?.try_into().ok().map(u32::from_le_bytes)
    }

    pub(super) fn u64(&mut self) -> Option<u64> {
        self.take(8)?.try_into().ok().map(u64::from_le_bytes)
    }

    /// The text up to a zero byte, or to the end.
    pub(super) fn text(self) -> &'a [u8] {
        let end = memchr::memchr(0, self.0).unwrap_or(self.0.len());
        self.0.get(..end).unwrap_or_default()
    }
}

/// A number at an offset.
pub(super) fn u64_at(bytes: &[u8], offset: usize) -> Option<u64> {
    Numbers(bytes.get(offset..)?).u64()
}

/// The sections of a file.
#[derive(Clone, Debug, Default)]
pub(super) struct Layout {
    /// The events, each with the range of its ids.
    pub(super) events: Vec<(Attribute, Range<usize>)>,
    /// The records.
    pub(super) records: Range<usize>,
    /// Sections of features, by number.
    pub(super) features: Vec<(u32, Range<usize>)>,
}

impl Layout {
    /// Reads the header of a file, and what it refers to except the sections.
    ///
    /// # Errors
    /// When the header or a list it refers to is damaged: where, and how.
    pub(super) fn read(file: &[u8]) -> Result<Self, (usize, &'static str)> {
        let mut numbers = Numbers(file);
        let damaged = (8, "the header of the file is damaged");
        numbers.take(8).ok_or(damaged)?;
        let size = numbers.u64().ok_or(damaged)?;
        if size == PIPE_HEADER as u64 {
            return Ok(Self { records: PIPE_HEADER..file.len(), ..Self::default() });
        }
        if size != FILE_HEADER as u64 {
            return Err((8, "the header of the file has an unknown size"));
        }
        let entry = numbers.u64().ok_or(damaged)?;
        let events = section(&mut numbers, file.len()).ok_or(damaged)?;
        let mut records = section(&mut numbers, file.len()).ok_or(damaged)?;
        let mut flags = [0; 4];
        numbers.take(16).ok_or(damaged)?;
        for flags in &mut flags {
            *flags = numbers.u64().ok_or(damaged)?;
        }
        // A recorder that was killed could not write how many bytes of records there are.
        let is_complete = !records.is_empty();
        if !is_complete {
            records.end = file.len();
        }
        let events = read_events(file, events, entry)
            .ok_or((24, "the events of the file cannot be read"))?;
        let features = match is_complete {
            true => read_features(file, records.end, flags),
            false => Vec::new(),
        };
        Ok(Self { events, records, features })
    }
}

/// Where a section begins and ends, within `len` bytes.
fn section(numbers: &mut Numbers<'_>, len: usize) -> Option<Range<usize>> {
    let (offset, size) = (numbers.u64()?, numbers.u64()?);
    let start = usize::try_from(offset).ok()?.min(len);
    let size = usize::try_from(size).ok()?;
    Some(start..start.saturating_add(size).min(len))
}

/// Attributes in entries of `entry` bytes, each with the section of its ids at the end.
fn read_events(
    file: &[u8],
    events: Range<usize>,
    entry: u64,
) -> Option<Vec<(Attribute, Range<usize>)>> {
    let entry = usize::try_from(entry).ok()?;
    let of_ids = entry.checked_sub(16)?;
    let entries = file.get(events)?.chunks_exact(entry).take(MOST_EVENTS);
    let read = entries.map(|entry| {
        let attribute = Attribute::read(entry.get(..of_ids)?)?;
        let ids = section(&mut Numbers(entry.get(of_ids..)?), file.len())?;
        Some((attribute, ids))
    });
    read.collect::<Option<Vec<_>>>().filter(|events| !events.is_empty())
}

/// Sections of features: a list of them lies behind the records, with one for each bit set in
/// `flags`.
fn read_features(file: &[u8], list: usize, flags: [u64; 4]) -> Vec<(u32, Range<usize>)> {
    let mut numbers = Numbers(file.get(list..).unwrap_or_default());
    let set = (0..256_u32).filter(|bit| flags[(bit / 64) as usize] >> (bit % 64) & 1 == 1);
    set.map_while(|bit| Some((bit, section(&mut numbers, file.len())?))).collect()
}

/// A record.
#[derive(Clone, Copy, Debug)]
pub(super) struct Record<'a> {
    /// Type.
    pub(super) kind: u32,
    /// Flags.
    pub(super) misc: u16,
    /// What follows its header.
    pub(super) payload: &'a [u8],
    /// Bytes of the record and of data behind it that is no record.
    pub(super) len: usize,
}

/// The reason why a record cannot be read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum RecordError {
    /// The bytes end before the record does.
    Cut,
    /// Its size is less than that of its header.
    Size,
}

impl<'a> Record<'a> {
    /// Reads the record at the start of some bytes.
    pub(super) fn read(bytes: &'a [u8]) -> Result<Self, RecordError> {
        let mut numbers = Numbers(bytes);
        let mut header = || Some((numbers.u32()?, numbers.u16()?, numbers.u16()?));
        let (kind, misc, size) = header().ok_or(RecordError::Cut)?;
        let size = usize::from(size);
        if size < RECORD_HEADER {
            return Err(RecordError::Size);
        }
        let record = bytes.get(..size).ok_or(RecordError::Cut)?;
        let payload = record.get(RECORD_HEADER..).unwrap_or_default();
        let behind = match kind {
            kind::TRACING_DATA => Numbers(payload).u32().map_or(0, u64::from).next_multiple_of(8),
            kind::AUXTRACE => Numbers(payload).u64().unwrap_or_default(),
            _ => 0,
        };
        let len = usize::try_from(behind).ok().and_then(|behind| size.checked_add(behind));
        let len = len.filter(|&len| len <= bytes.len()).ok_or(RecordError::Cut)?;
        Ok(Self { kind, misc, payload, len })
    }

    /// Reads a record without data behind it.
    pub(super) fn read_alone(bytes: &'a [u8]) -> Result<Self, RecordError> {
        let mut numbers = Numbers(bytes);
        let mut header = || Some((numbers.u32()?, numbers.u16()?, numbers.u16()?));
        let (kind, misc, _) = header().ok_or(RecordError::Cut)?;
        Ok(Self { kind, misc, payload: numbers.0, len: bytes.len() })
    }

    /// The compressed bytes, if it has some.
    pub(super) fn compressed(&self) -> Option<&'a [u8]> {
        match self.kind {
            kind::COMPRESSED => Some(self.payload),
            kind::COMPRESSED2 => {
                let mut numbers = Numbers(self.payload);
                let len = usize::try_from(numbers.u64()?).ok()?;
                numbers.0.get(..len)
            }
            _ => None,
        }
    }
}
