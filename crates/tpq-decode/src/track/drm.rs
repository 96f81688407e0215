//! Jobs on the rings of graphics drivers, and fences on their timelines.
//!
//! A ring runs its jobs, and a timeline passes its fences, one after another: what is in front
//! is what is going on.

use std::collections::VecDeque;

use rustc_hash::FxHashMap;
use tpq_tables::StringId;

/// A job as its driver's kernel names it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Job {
    /// By its number on its ring.
    Local(u64),
    /// By the fence that is signalled when it is done: its context and number.
    Fence(u64, u64),
}

/// What lies on a ring.
#[derive(Debug, Default)]
pub(crate) struct Ring {
    pub(crate) running: VecDeque<Job>,
    /// The slices in which jobs were queued.
    pub(crate) queued: FxHashMap<Job, u32>,
}

/// The fences of a context.
#[derive(Debug)]
pub(crate) struct FenceTimeline {
    pub(crate) track: u32,
    /// Whether its driver says when fences are emitted, which is more exact than when they are
    /// made.
    pub(crate) emits: bool,
    pub(crate) pending: VecDeque<u32>,
}

/// Remembers rings and timelines.
#[derive(Debug, Default)]
pub(crate) struct Drm {
    pub(crate) rings: FxHashMap<StringId, Ring>,
    /// The ring each running job is on; jobs by a number that is unique over rings.
    pub(crate) busy: FxHashMap<Job, StringId>,
    pub(crate) timelines: FxHashMap<u32, FenceTimeline>,
}
