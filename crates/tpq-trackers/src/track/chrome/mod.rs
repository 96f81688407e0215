//! What only Chrome records.

pub(crate) mod instants;
pub(crate) mod memory_dump;
mod memory_graph;
pub(crate) mod memory_snapshots;
