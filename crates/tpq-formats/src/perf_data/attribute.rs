//! Events that are recorded, and the fields that their records have.

use tpq_clock::{BOOTTIME, MONOTONIC, MONOTONIC_RAW, REALTIME};

use super::layout::{Numbers, Record, kind, u64_at};

/// Fields of samples, as bits of `sample_type`.
pub(super) mod field {
    pub(in crate::perf_data) const IP: u64 = 1 << 0;
    pub(in crate::perf_data) const TID: u64 = 1 << 1;
    pub(in crate::perf_data) const TIME: u64 = 1 << 2;
    pub(in crate::perf_data) const ADDR: u64 = 1 << 3;
    pub(in crate::perf_data) const READ: u64 = 1 << 4;
    pub(in crate::perf_data) const CALLCHAIN: u64 = 1 << 5;
    pub(in crate::perf_data) const ID: u64 = 1 << 6;
    pub(in crate::perf_data) const CPU: u64 = 1 << 7;
    pub(in crate::perf_data) const PERIOD: u64 = 1 << 8;
    pub(in crate::perf_data) const STREAM_ID: u64 = 1 << 9;
    pub(in crate::perf_data) const RAW: u64 = 1 << 10;
    pub(in crate::perf_data) const BRANCH_STACK: u64 = 1 << 11;
    pub(in crate::perf_data) const STACK_USER: u64 = 1 << 13;
    pub(in crate::perf_data) const IDENTIFIER: u64 = 1 << 16;
}

/// Bits of the flags of an attribute.
const FREQ: u64 = 1 << 10;
const SAMPLE_ID_ALL: u64 = 1 << 18;
const USE_CLOCKID: u64 = 1 << 25;
/// Bytes up to the clock.
const WITH_CLOCKID: usize = 96;
/// Simpleperf sets such a period for events that are counted and never sampled.
const NEVER: u64 = 1 << 62;

/// An event that is recorded.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Attribute {
    /// Type of the event, such as hardware or tracepoint.
    pub(super) kind: u32,
    /// The event among those of its type.
    pub(super) config: u64,
    /// Fields of samples.
    pub(super) sample_type: u64,
    /// Fields of counter values in samples.
    pub(super) read_format: u64,
    period: u64,
    flags: u64,
    clock: i32,
}

impl Attribute {
    /// Reads an attribute; it may have more fields than are read here.
    pub(super) fn read(bytes: &[u8]) -> Option<Self> {
        let mut numbers = Numbers(bytes);
        let kind = numbers.u32()?;
        let _size = numbers.u32()?;
        let (config, period) = (numbers.u64()?, numbers.u64()?);
        let (sample_type, read_format) = (numbers.u64()?, numbers.u64()?);
        let flags = numbers.u64()?;
        let clock = bytes.get(WITH_CLOCKID - 4..WITH_CLOCKID);
        let clock = clock.and_then(|it| it.try_into().ok()).map_or(0, i32::from_le_bytes);
        Some(Self { kind, config, sample_type, read_format, period, flags, clock })
    }

    /// The number of events between two samples, if it is fixed.
    pub(super) fn fixed_period(&self) -> Option<u64> {
        (self.flags & FREQ == 0).then_some(self.period)
    }

    /// Whether samples are taken by this event.
    pub(super) fn is_timebase(&self) -> bool {
        self.period < NEVER
    }

    /// The clock that the event was asked to use; `None` if none was asked for.
    pub(super) fn clock(&self) -> Option<u32> {
        if self.flags & USE_CLOCKID == 0 {
            return None;
        }
        match self.clock {
            0 => Some(REALTIME),
            1 => Some(MONOTONIC),
            4 => Some(MONOTONIC_RAW),
            7 => Some(BOOTTIME),
            _ => None,
        }
    }

    fn has(&self, field: u64) -> bool {
        self.sample_type & field != 0
    }

    /// Bytes of the fields of `fields` that records have. Each has 8.
    fn bytes_of(&self, fields: u64) -> usize {
        (self.sample_type & fields).count_ones() as usize * 8
    }

    /// The time of a record, ns.
    pub(super) fn time(&self, record: &Record<'_>) -> Option<u64> {
        if matches!(record.kind, kind::FORK | kind::EXIT) {
            // Behind the ids of two processes and two threads.
            return u64_at(record.payload, 16);
        }
        if !self.has(field::TIME) {
            return None;
        }
        if record.kind == kind::SAMPLE {
            let before = self.bytes_of(field::IDENTIFIER | field::IP | field::TID);
            return u64_at(record.payload, before);
        }
        let from_end = field::TIME | field::ID | field::STREAM_ID | field::CPU | field::IDENTIFIER;
        self.at_end(record, self.bytes_of(from_end))
    }

    /// The id of the event that a record is of.
    pub(super) fn id(&self, record: &Record<'_>) -> Option<u64> {
        let by_identifier = self.has(field::IDENTIFIER);
        if !by_identifier && !self.has(field::ID) {
            return None;
        }
        if record.kind == kind::SAMPLE {
            let before = field::IP | field::TID | field::TIME | field::ADDR;
            let offset = if by_identifier { 0 } else { self.bytes_of(before) };
            return u64_at(record.payload, offset);
        }
        let from_end = match by_identifier {
            true => 8,
            false => self.bytes_of(field::ID | field::STREAM_ID | field::CPU),
        };
        self.at_end(record, from_end)
    }

    /// The CPU that a record other than a sample is of.
    pub(super) fn cpu(&self, record: &Record<'_>) -> Option<u32> {
        let cpu = self.at_end(record, self.bytes_of(field::CPU | field::IDENTIFIER));
        cpu.filter(|_| self.has(field::CPU)).map(|cpu| cpu as u32)
    }

    /// A number at some bytes before the end of a record other than a sample, which lies in what
    /// the kernel adds to all records.
    fn at_end(&self, record: &Record<'_>, bytes: usize) -> Option<u64> {
        if self.flags & SAMPLE_ID_ALL == 0 || record.kind >= kind::FIRST_OF_RECORDER {
            return None;
        }
        u64_at(record.payload, record.payload.len().checked_sub(bytes)?)
    }
}

/// Events by their ids.
#[derive(Debug, Default)]
pub(super) struct Events {
    pub(super) attributes: Vec<Attribute>,
    by_id: rustc_hash::FxHashMap<u64, usize>,
}

impl Events {
    /// Adds an event with its ids.
    pub(super) fn add(&mut self, attribute: Attribute, ids: impl IntoIterator<Item = u64>) {
        let index = self.attributes.len();
        self.attributes.push(attribute);
        self.by_id.extend(ids.into_iter().map(|id| (id, index)));
    }

    /// The number of the event with that id.
    pub(super) fn of_id(&self, id: u64) -> Option<usize> {
        self.by_id.get(&id).copied()
    }

    /// The number of the event that a record is of. Fields before the id are the same for all
    /// events of a file.
    pub(super) fn of_record(&self, record: &Record<'_>) -> Option<usize> {
        let first = self.attributes.first()?;
        if self.attributes.len() == 1 {
            return Some(0);
        }
        match first.id(record) {
            Some(0) => Some(0),
            Some(id) => self.of_id(id),
            None => (record.kind != kind::SAMPLE).then_some(0),
        }
    }

    /// The time of a record, ns; `None` for records without one.
    pub(super) fn time(&self, record: &Record<'_>) -> Option<u64> {
        self.attributes.get(self.of_record(record)?)?.time(record)
    }
}

/// The numbers in a list of ids.
pub(super) fn ids(bytes: &[u8]) -> impl Iterator<Item = u64> {
    bytes.as_chunks().0.iter().map(|id| u64::from_le_bytes(*id))
}
