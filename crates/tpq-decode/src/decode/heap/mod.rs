//! Heaps of processes.

pub(crate) mod art_process_metadata;
pub(crate) mod heap_graph;
pub(crate) mod heap_profile;
pub(crate) mod java_names;
mod profile_stacks;
