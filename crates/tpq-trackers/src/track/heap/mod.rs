//! Heaps of processes: graphs of Java objects, and profiles of allocations.

pub(crate) mod ancestors;
pub(crate) mod class_names;
pub(crate) mod deobfuscation;
pub(crate) mod graph;
mod graph_rows;
pub(crate) mod graphs;
mod native_size;
pub(crate) mod profiles;
mod reachability;
mod superclasses;
