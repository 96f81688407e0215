//! Losses before decoding.
//!
//! This crate knows no tables, so it counts under names of its own; the decoders turn them into
//! stats.

use std::collections::{BTreeMap, BTreeSet};

use tpq_clock::Clock;

use crate::SourceId;

/// A kind of loss.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Loss {
    /// Bytes at the end of the trace that are no whole packet.
    TruncatedBytes,
    /// Compressed packets that could not be inflated.
    InflateFailed,
    /// A patch that the program of its state does not fit, or that is too large.
    PatchAborted,
    /// A program for patches that is too large, or of a producer without a sequence.
    PatchesWithoutWriter,
    /// A packet that needs incremental state arrived while its sequence had none.
    SkippedWithoutState,
    /// Interned data arrived while its sequence had no valid state.
    InternedWithoutState,
    /// Interned data without a sequence to belong to.
    InternedWithoutSequence,
    /// Packet defaults without a sequence to belong to.
    DefaultsWithoutSequence,
    /// A packet that begins the state of a sequence without a sequence to belong to.
    ClearedWithoutSequence,
    /// A dropped-packet flag without a sequence to belong to.
    DroppedWithoutSequence,
    /// A clock snapshot that could not be used.
    InvalidSnapshot,
    /// An event of a clock that no snapshot contains.
    UnknownSourceClock,
    /// An event where no snapshot knows the trace's clock.
    UnknownTargetClock,
    /// An event of a clock that no chain of snapshots connects to the trace's clock.
    NoClockPath,
    /// A clock of another file or machine that shares no domain with the trace's clock.
    UnrelatableClock,
    /// An event that lies before the start of trace time.
    NegativeTimestamp,
    /// An event that arrived after later ones had already been passed on.
    OutOfOrder,
    /// A track event with a time that is a difference from an unknown time.
    DifferenceWithoutReference,
    /// A track event that says nowhere when it happened.
    UndatedEvent,
    /// Values of counters in a packet without a time.
    UndatedCounters,
    /// A track event without a sequence to belong to.
    EventWithoutSequence,
    /// A description of a writer's thread without a sequence to belong to.
    ThreadWithoutSequence,
    /// A description of a writer's thread arrived while its sequence had no valid state.
    ThreadWithoutState,
    /// A track event that lies before the start of trace time.
    NegativeEventTime,
    /// Samples of a streamed profile with times that count from an unknown time, or that lead
    /// outside of time.
    UndatedProfile,
    /// Samples of a streamed profile without times.
    ProfileWithoutTimes,
    /// A packet or bundle that is malformed, or larger than any that is split into events.
    MalformedPacket,
    /// A bundle of kernel events that is malformed, or larger than any.
    MalformedBundle,
    /// Columns of compact switches or wakeups that do not fit together, or more names than any
    /// bundle has.
    MalformedCompactSched,
    /// Text that is not what its format says it is.
    MalformedText,
    /// A line of text that is none of its format.
    MalformedLine,
    /// A line of a ninja log that is none.
    MalformedNinjaLine,
    /// A line of an Android log that is no message.
    MalformedLogLine,
    /// A part of an Android bug report that makes no sense.
    MalformedReport,
    /// A line of `strace` that is no call.
    MalformedStraceLine,
    /// A line of `strace` without a time that can be read.
    StraceWithoutTime,
    /// A line of `strace` that names no thread.
    StraceWithoutThread,
    /// The call stack of a system call in text of `strace`, which is not read.
    StraceStack,
    /// A sample of `perf script` without a call stack.
    SampleWithoutStack,
    /// A part of a file that makes no sense in its format.
    MalformedRecord,
    /// A text says in which unit to show times.
    DisplayTimeUnit,
}

/// Counts of losses.
#[derive(Clone, Debug, Default)]
pub struct Losses(BTreeMap<Loss, u64>);

impl Losses {
    /// Counts one.
    pub fn count(&mut self, loss: Loss) {
        self.add(loss, 1);
    }

    /// Counts several.
    pub fn add(&mut self, loss: Loss, by: u64) {
        if by > 0 {
            *self.0.entry(loss).or_default() += by;
        }
    }

    /// The count of a loss.
    pub fn get(&self, loss: Loss) -> u64 {
        self.0.get(&loss).copied().unwrap_or_default()
    }

    /// Every loss that was counted.
    pub fn iter(&self) -> impl Iterator<Item = (Loss, u64)> + '_ {
        self.0.iter().map(|(&loss, &count)| (loss, count))
    }

    /// Adds another's counts to these.
    pub fn merge(&mut self, other: &Self) {
        for (loss, count) in other.iter() {
            self.add(loss, count);
        }
    }
}

/// A loss with its location.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct LossEntry {
    /// The loss.
    pub loss: Loss,
    /// Where it was recorded.
    pub source: SourceId,
    /// The address of the packet, or of the part of it.
    pub addr: u64,
    /// The number of the packet in its file.
    pub position: u32,
    /// The clock of its timestamp, if that caused the loss.
    pub clock: Option<Clock>,
    /// The timestamp, in ns of that clock.
    pub timestamp: Option<i64>,
    /// The writer sequence, if that caused the loss.
    pub sequence: Option<u32>,
    /// The location and the error, for a loss in a text.
    pub text: Option<TextLocation>,
}

impl LossEntry {
    /// A loss at an address, with no details yet.
    pub fn at(loss: Loss, source: SourceId, addr: u64, position: u32) -> Self {
        Self {
            loss,
            source,
            addr,
            position,
            clock: None,
            timestamp: None,
            sequence: None,
            text: None,
        }
    }
}

/// A position in a text or a binary file, and the error there.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TextLocation {
    /// The line, from 1; 0 in a binary file.
    pub line: u64,
    /// The byte of the line, from 1; in a binary file, the byte of the file, from 0.
    pub column: u64,
    /// The error.
    pub what: &'static str,
}

/// Counts of losses by source, and the locations of the first of each kind.
#[derive(Clone, Debug, Default)]
pub struct LossBook {
    by_source: BTreeMap<SourceId, Losses>,
    entries: Vec<LossEntry>,
    logged: BTreeMap<(SourceId, Loss), usize>,
    /// The writers of which a loss of each kind is entered.
    sequences: BTreeSet<(SourceId, Loss, u32)>,
}

impl LossBook {
    /// How many losses of one kind and source are entered one by one; the rest is only counted.
    pub const ENTRIES: usize = 100;
    /// The same of first losses of writers.
    const SEQUENCES: usize = 1000;

    /// The counts of a source.
    pub fn at(&mut self, source: SourceId) -> &mut Losses {
        self.by_source.entry(source).or_default()
    }

    /// Counts a loss at one location of the trace, and enters the location.
    pub fn enter(&mut self, entry: LossEntry, count: u64) {
        if count == 0 {
            return;
        }
        self.at(entry.source).add(entry.loss, count);
        let logged = self.logged.entry((entry.source, entry.loss)).or_default();
        let is_first = entry.sequence.is_some_and(|sequence| {
            *logged < Self::SEQUENCES && self.sequences.insert((entry.source, entry.loss, sequence))
        });
        if *logged < Self::ENTRIES || is_first {
            *logged += 1;
            self.entries.push(entry);
        }
    }

    /// Adds the losses of another book.
    pub fn merge(&mut self, other: &Self) {
        for (source, losses) in other.by_source() {
            self.at(source).merge(losses);
        }
        self.entries.extend_from_slice(&other.entries);
    }

    /// The counts of each source.
    pub fn by_source(&self) -> impl Iterator<Item = (SourceId, &Losses)> {
        self.by_source.iter().map(|(&source, losses)| (source, losses))
    }

    /// Where the first losses of each kind lie.
    pub fn entries(&self) -> &[LossEntry] {
        &self.entries
    }

    /// The count of a loss over all sources.
    pub fn get(&self, loss: Loss) -> u64 {
        self.by_source.values().map(|losses| losses.get(loss)).sum()
    }
}
