//! Processes and threads: descriptors, trees, statistics.

pub(crate) mod process_descriptor;
pub(in crate::decode) mod process_memory;
pub(crate) mod process_stats;
pub(crate) mod process_tree;
pub(crate) mod smaps;
pub(crate) mod thread_descriptor;
