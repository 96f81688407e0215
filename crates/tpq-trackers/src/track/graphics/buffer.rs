//! Buffers on their way from an app to the display.

use rustc_hash::FxHashMap;
use tpq_tables::StringId;

/// A buffer of a layer; the same number may be of several layers.
pub type BufferOfLayer = (u32, StringId);

/// The phase a buffer is in, with the slice or the track of it.
#[derive(Clone, Debug, Default)]
pub enum Phase {
    /// None that was seen to begin.
    #[default]
    Unknown,
    /// The app draws into it since then.
    App {
        /// Row of the open slice.
        slice: u32,
        /// Row of its track.
        track: u32,
        /// Start of the slice, ns of trace time.
        since: i64,
    },
    /// The GPU draws.
    Gpu {
        /// Row of the track of the phase.
        track: u32,
    },
    /// The compositor has it.
    Compositor {
        /// Row of the track of the phase.
        track: u32,
    },
}

/// The state of a buffer.
#[derive(Clone, Debug, Default)]
pub struct Buffer {
    /// The phase the buffer is in.
    pub phase: Phase,
    /// When it was last given to the compositor, drawn and latched; 0 before that happened.
    pub queued: i64,
    pub acquired: i64,
    pub latched: i64,
}

/// Remembers buffers.
#[derive(Default)]
pub struct Buffers {
    /// State by buffer and layer.
    pub buffers: FxHashMap<BufferOfLayer, Buffer>,
    /// The track of what a layer shows.
    pub shown: FxHashMap<StringId, u32>,
}
