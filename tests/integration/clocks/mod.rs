//! The clocks of one trace: what ties them, and the handling of untied ones.

mod backwards;
mod custom;
mod drift;
mod failures;
mod ftrace;
mod monotone;
mod ticks;

/// What happened, and when.
const INSTANTS: &str = "SELECT ts, name FROM slice ORDER BY ts, name";
