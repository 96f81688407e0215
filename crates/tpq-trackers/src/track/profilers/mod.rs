//! Profilers: their sessions, counters and samples.

pub(in crate::track) mod perf;
pub(in crate::track) mod samples;
pub(in crate::track) mod symbol_packets;
