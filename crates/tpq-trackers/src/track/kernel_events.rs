//! What is known of kinds of kernel events.

use std::sync::Arc;

use rustc_hash::FxHashMap;
use tpq_proto::ftrace::DescribedKind;

use super::Scoped;

/// Which kernel events get rows of their own, and which kinds a trace describes itself.
pub struct KernelEvents {
    /// Whether the table is wanted.
    kept: bool,
    /// Kinds of events that a trace describes itself, by the field they lie in.
    pub described: Scoped<FxHashMap<u32, Arc<DescribedKind>>>,
    /// Those of them that are slices or counters.
    pub track_events: Scoped<FxHashMap<u32, KernelTrackEvent>>,
}

/// A kind of event that is a slice or a counter, with the numbers of the fields that say which.
#[derive(Clone, Debug, Default)]
pub struct KernelTrackEvent {
    /// The name of the kind, which is that of tracks that have no other.
    pub name: Vec<u8>,
    pub track_name: Option<u32>,
    pub context: TrackContext,
    /// Whether a slice begins, ends, or is an instant.
    pub phase: Option<u32>,
    pub slice_name: Option<u32>,
    pub value: Option<u32>,
}

/// What the tracks of a kind of event are of, with the number of the field that names it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum TrackContext {
    /// The thread that was running.
    #[default]
    Thread,
    Process(u32),
    Cpu(u32),
    /// Something that has no tracks.
    Unknown,
}

impl KernelEvents {
    pub fn new(
        kept: bool,
        described: Scoped<FxHashMap<u32, Arc<DescribedKind>>>,
        track_events: Scoped<FxHashMap<u32, KernelTrackEvent>>,
    ) -> Self {
        Self { kept, described, track_events }
    }

    /// Whether events are wanted at all.
    pub fn are_kept(&self) -> bool {
        self.kept
    }
}
