//! Buffers on their way from an app to the display.

use rustc_hash::FxHashMap;
use tpq_tables::StringId;

use crate::args::ArgSet;

/// A buffer of a layer; the same number may be of several layers.
pub type BufferOfLayer = (u32, StringId);

/// The phase a buffer is in, with the slice or the track of it.
#[derive(Clone, Debug, Default)]
pub enum Phase {
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
pub struct Buffer {
    pub phase: Phase,
    /// When it was last given to the compositor, drawn and latched; 0 before that happened.
    pub queued: i64,
    pub acquired: i64,
    pub latched: i64,
    /// The slice of the last event with its args, if with it the app took the buffer.
    pub dequeue: Option<(u32, ArgSet)>,
}

/// Remembers buffers.
#[derive(Default)]
pub struct Buffers {
    pub buffers: FxHashMap<BufferOfLayer, Buffer>,
    /// The track of what a layer shows.
    pub shown: FxHashMap<StringId, u32>,
}
