//! The clocks of one trace: what ties them, and the handling of untied ones.

mod backwards;
mod custom;
mod drift;
mod failures;
mod ftrace;
mod monotone;
mod ticks;

/// Names and times of slices.
const INSTANTS: &str = "SELECT ts, name FROM slice ORDER BY ts, name";
