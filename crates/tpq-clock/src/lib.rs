//! Clock domains, the snapshots that relate them, and conversion between them.
//!
//! Pure, except for the clock that times tpq itself: no I/O, no protobuf, no tables. Snapshots go
//! into a [`ClockGraph`]. A [`Placement`] with its [`Converter`] is found once for each clock and
//! then applied to whole columns of timestamps.
//!
//! ```text
//! snapshots ──▶ ClockGraph ──path──▶ Converter ──▶ column += offset of the latest snapshot ≤ t
//! ```
//!
//! All values are nanoseconds of the clock they were read from, except tick counters, which are
//! converted at a measured rate. Before the first snapshot of an edge, the offset of the first
//! snapshot applies. A clock that was seen to go backwards can be a conversion target, but not a
//! source.

mod convert;
mod domain;
mod drift;
mod graph;
mod kernel;
mod line;
mod placement;
mod rate;
mod route_cache;
pub mod tsc;

pub use convert::{Converter, Edge, Interpolation};
pub use domain::{
    BOOTTIME, Clock, ClockScope, MONOTONIC, MONOTONIC_COARSE, MONOTONIC_RAW, REALTIME, Source,
    TRACE_FILE, TSC, builtin_name, is_sequence_scoped,
};
pub use drift::{Drift, Grain, Jump, drift};
pub use graph::{ClockGraph, ClockPaths, PathError, Reading, SnapshotError};
pub use placement::{Assumed, PlaceError, Placement, Rule};
