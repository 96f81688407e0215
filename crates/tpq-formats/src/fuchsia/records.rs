//! Records and their words.

use std::ops::Range;

use rustc_hash::FxHashMap;

use super::RECORDS;
use crate::document::{Document, Events, Place};

/// Types of records.
pub(super) mod kind {
    pub(in crate::fuchsia) const METADATA: u64 = 0;
    pub(in crate::fuchsia) const INITIALIZATION: u64 = 1;
    pub(in crate::fuchsia) const STRING: u64 = 2;
    pub(in crate::fuchsia) const THREAD: u64 = 3;
    pub(in crate::fuchsia) const EVENT: u64 = 4;
    pub(in crate::fuchsia) const KERNEL_OBJECT: u64 = 7;
    pub(in crate::fuchsia) const SCHEDULER: u64 = 8;
    /// A record with a longer length.
    pub(in crate::fuchsia) const LARGE: u64 = 15;
}

/// Types of metadata that choose the provider of the records that follow.
const PROVIDER_INFO: u64 = 1;
const PROVIDER_SECTION: u64 = 2;
/// The type of metadata that reports something of a provider, and the report that its buffer was
/// full.
const PROVIDER_EVENT: u64 = 3;
const BUFFER_FULL: u64 = 0;
/// Ticks in a second of providers that state none.
pub(super) const DEFAULT_TICKS: u64 = 1_000_000_000;
const NS_PER_S: i128 = 1_000_000_000;

/// The first word of a record.
#[derive(Clone, Copy, Debug)]
pub(super) struct Header(u64);

impl Header {
    pub(super) fn read(record: &[u8]) -> Option<Self> {
        Words(record).u64().map(Self)
    }

    /// The bits from `first` to `last`.
    pub(super) fn bits(self, first: u32, last: u32) -> u64 {
        self.0 >> first & (u64::MAX >> (63 - (last - first)))
    }

    /// The type of the record.
    pub(super) fn kind(self) -> u64 {
        self.bits(0, 3)
    }

    /// The provider that this record makes the current one.
    pub(super) fn provider(self) -> Option<u64> {
        let is_of_provider = self.kind() == kind::METADATA
            && matches!(self.bits(16, 19), PROVIDER_INFO | PROVIDER_SECTION);
        is_of_provider.then(|| self.bits(20, 51))
    }

    /// Whether the record reports that a provider dropped records.
    pub(super) fn reports_loss(self) -> bool {
        self.kind() == kind::METADATA
            && self.bits(16, 19) == PROVIDER_EVENT
            && self.bits(52, 55) == BUFFER_FULL
    }

    /// Bytes of the record.
    fn len(self) -> usize {
        let words = match self.kind() {
            kind::LARGE => self.bits(4, 35),
            _ => self.bits(4, 15),
        };
        usize::try_from(words.saturating_mul(8)).unwrap_or(usize::MAX)
    }
}

/// Words of a record, in order.
#[derive(Clone, Copy, Debug)]
pub(super) struct Words<'a>(pub(super) &'a [u8]);

impl<'a> Words<'a> {
    /// The words of a record behind the first.
    pub(super) fn behind_header(record: &'a [u8]) -> Self {
        Self(record.get(8..).unwrap_or_default())
    }

    pub(super) fn u64(&mut self) -> Option<u64> {
        let (word, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(u64::from_le_bytes(*word))
    }

    /// A text of some bytes, with more up to the next word.
    pub(super) fn text(&mut self, len: u64) -> Option<&'a [u8]> {
        let len = usize::try_from(len).ok()?;
        let (text, rest) = self.0.split_at_checked(len.next_multiple_of(8))?;
        self.0 = rest;
        text.get(..len)
    }
}

/// The records of a trace, each with its place, up to the first that is damaged.
pub(super) fn records(trace: &[u8]) -> impl Iterator<Item = (Range<usize>, &[u8])> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let len = Header::read(trace.get(at..)?)?.len();
        let range = at..at.checked_add(len).filter(|_| len > 0)?;
        let record = trace.get(range.clone())?;
        at = range.end;
        Some((range, record))
    })
}

/// Nanoseconds of a number of ticks.
pub(super) fn ns_of_ticks(ticks: u64, per_second: u64) -> Option<i64> {
    let ns = i128::from(ticks) * NS_PER_S / i128::from(per_second.max(1));
    i64::try_from(ns).ok()
}

/// Reads the times of events and switches.
pub(super) fn read(trace: &[u8]) -> Document {
    let (mut times, mut parts, mut problems) = (Vec::new(), Vec::new(), Vec::new());
    let mut ticks_of: FxHashMap<u64, u64> = FxHashMap::default();
    let (mut provider, mut end) = (0, 0);
    for (range, record) in records(trace) {
        end = range.end;
        let Some(header) = Header::read(record) else { continue };
        provider = header.provider().unwrap_or(provider);
        let mut words = Words::behind_header(record);
        match header.kind() {
            kind::INITIALIZATION => {
                if let Some(ticks) = words.u64().filter(|&ticks| ticks > 0) {
                    ticks_of.insert(provider, ticks);
                }
            }
            kind::EVENT | kind::SCHEDULER => {
                let per_second = ticks_of.get(&provider).copied().unwrap_or(DEFAULT_TICKS);
                match words.u64().and_then(|ticks| ns_of_ticks(ticks, per_second)) {
                    Some(ns) => {
                        times.push(ns);
                        parts.push(range);
                    }
                    None => problems.push((range.start, "an event has no time in range")),
                }
            }
            _ => {}
        }
    }
    if end < trace.len() {
        problems.push((end, "from here on this is no whole record"));
    }
    let events = vec![Events { kind: RECORDS, times, place: Place::Parts(parts) }];
    Document { events, problems, is_readable: true }
}
