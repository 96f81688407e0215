//! Heaps of processes.

pub(crate) mod heap_graph;
