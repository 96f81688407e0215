//! Buffers on their way from an app to the display.

use rustc_hash::FxHashMap;
use tpq_tables::StringId;

use crate::deferred::ArgSet;

/// A buffer of a layer; the same number may be of several layers.
pub(crate) type BufferOfLayer = (u32, StringId);

/// The phase a buffer is in, with the slice or the track of it.
#[derive(Clone, Debug, Default)]
pub(crate) enum Phase {
    /// None that was seen to begin.
    #[default]
    Unknown,
    /// The app draws into it since then.
    App { slice: u32, track: u32, since: i64 },
    /// The GPU draws.
    Gpu { track: u32 },
    /// The compositor has it.
    Compositor { track: u32 },
}

/// What is remembered of a buffer.
#[derive(Clone, Debug, Default)]
pub(crate) struct Buffer {
    pub(crate) phase: Phase,
    /// When it was last given to the compositor, drawn and latched; 0 before that happened.
    pub(crate) queued: i64,
    pub(crate) acquired: i64,
    pub(crate) latched: i64,
    /// The slice of the last event with its args, if with it the app took the buffer.
    pub(crate) dequeue: Option<(u32, ArgSet)>,
}

/// Remembers buffers.
#[derive(Default)]
pub(crate) struct Buffers {
    pub(crate) buffers: FxHashMap<BufferOfLayer, Buffer>,
    /// The track of what a layer shows.
    pub(crate) shown: FxHashMap<StringId, u32>,
}
