//! Clocks: snapshots and drift.

pub(crate) mod clock_drift;
pub(crate) mod clock_snapshot;
