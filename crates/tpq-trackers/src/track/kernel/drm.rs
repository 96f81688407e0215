//! Jobs on the rings of graphics drivers, and fences on their timelines.
//!
//! A ring runs its jobs, and a timeline passes its fences, one after another: what is in front
//! is what is going on.

use std::collections::VecDeque;

use rustc_hash::FxHashMap;
use tpq_tables::StringId;

/// A job as its driver's kernel names it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Job {
    /// By its number on its ring.
    Local(u64),
    /// By the fence that is signalled when it is done: its context and number.
    Fence(u64, u64),
}

/// The jobs of a ring.
#[derive(Debug, Default)]
pub struct Ring {
    /// Jobs that the ring runs or will run, in order.
    pub running: VecDeque<Job>,
    /// The slices in which jobs were queued.
    pub queued: FxHashMap<Job, u32>,
}

/// The fences of a context.
#[derive(Debug)]
pub struct FenceTimeline {
    /// Row of the track.
    pub track: u32,
    /// Whether its driver says when fences are emitted, which is more exact than when they are
    /// made.
    pub emits: bool,
    /// Numbers of the fences that are not signalled.
    pub pending: VecDeque<u32>,
}

/// Remembers rings and timelines.
#[derive(Debug, Default)]
pub struct Drm {
    /// Rings by name.
    pub rings: FxHashMap<StringId, Ring>,
    /// The ring each running job is on; jobs by a number that is unique over rings.
    pub busy: FxHashMap<Job, StringId>,
    /// Timelines by fence context.
    pub timelines: FxHashMap<u32, FenceTimeline>,
}
