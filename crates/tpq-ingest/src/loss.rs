//! What was lost or not understood before anything was decoded.
//!
//! This crate knows no tables, so it counts under names of its own; the decoders turn them into
//! stats.

use std::collections::BTreeMap;

/// A kind of loss.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Loss {
    /// Bytes at the end of the trace that are no whole packet.
    TruncatedBytes,
    /// Compressed packets that could not be inflated.
    InflateFailed,
    /// A packet that needs incremental state arrived while its sequence had none.
    SkippedWithoutState,
    /// Interned data arrived while its sequence had no valid state.
    InternedWithoutState,
    /// Interned data without a sequence to belong to.
    InternedWithoutSequence,
    /// Packet defaults without a sequence to belong to.
    DefaultsWithoutSequence,
    /// A dropped-packet flag without a sequence to belong to.
    DroppedWithoutSequence,
    /// A clock snapshot that could not be used.
    InvalidSnapshot,
    /// An event whose clock no snapshot knows.
    UnknownSourceClock,
    /// An event where no snapshot knows the trace's clock.
    UnknownTargetClock,
    /// An event whose clock no chain of snapshots ties to the trace's clock.
    NoClockPath,
    /// An event that lies before the start of trace time.
    NegativeTimestamp,
    /// An event that arrived after later ones had already been passed on.
    OutOfOrder,
    /// A packet or bundle that is malformed.
    MalformedPacket,
    /// A bundle of kernel events that is malformed.
    MalformedBundle,
    /// Columns of compact switches or wakeups that do not fit together.
    MalformedCompactSched,
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
