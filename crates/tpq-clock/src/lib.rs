//! Clock domains, the snapshots that tie them, and conversion between them.
//!
//! Pure: no I/O, no protobuf, no tables. Snapshots go into a [`ClockGraph`]; a [`Converter`] for a
//! pair of clocks is found once and then applied to whole columns of timestamps.
//!
//! ```text
//! snapshots ──▶ ClockGraph ──path──▶ Converter ──▶ column += offset of the latest snapshot ≤ t
//! ```
//!
//! All values are nanoseconds of the clock they were read from. Before the first snapshot of an
//! edge, the first one's offset applies. A clock that was seen to go backwards is converted to,
//! never from.

mod convert;
mod domain;
mod graph;

pub use convert::{Converter, Edge};
pub use domain::{BOOTTIME, Clock, ClockScope, MONOTONIC, REALTIME, builtin_name};
pub use graph::{ClockGraph, PathError, Reading, SnapshotError};
