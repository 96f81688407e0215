//! Heaps of processes.

pub(crate) mod art_process_metadata;
pub(crate) mod heap_graph;
pub(crate) mod heap_profile;
mod profile_stacks;
