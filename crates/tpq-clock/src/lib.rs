//! Clock domains, the snapshots that tie them, and conversion between them.
//!
//! Pure but for the clock that times tpq itself: no I/O, no protobuf, no tables. Snapshots go into
//! a [`ClockGraph`]; a [`Placement`] with its [`Converter`] is found once for each clock and then
//! applied to whole columns of timestamps.
//!
//! ```text
//! snapshots ──▶ ClockGraph ──path──▶ Converter ──▶ column += offset of the latest snapshot ≤ t
//! ```
//!
//! All values are nanoseconds of the clock they were read from, but for counters of ticks, which
//! convert by measured rate. Before the first snapshot of an edge, the first one's offset applies.
//! A clock that was seen to go backwards is converted to, never from.

mod convert;
mod domain;
mod drift;
mod graph;
mod kernel;
mod line;
mod placement;
mod rate;
mod relay;
pub mod tsc;

pub use convert::{Converter, Edge, Interpolation};
pub use domain::{
    BOOTTIME, Clock, ClockScope, MONOTONIC, MONOTONIC_RAW, REALTIME, Source, TRACE_FILE, TSC,
    builtin_name, is_of_sequence,
};
pub use drift::{Drift, Grain, Jump, drift};
pub use graph::{ClockGraph, PathError, Reading, SnapshotError, Ways};
pub use placement::{Assumed, PlaceError, Placement, Rule};
