//! Values of counters.

pub(in crate::track) mod counter;
pub(in crate::track) mod sparse;
pub(in crate::track) mod thread_counter;
