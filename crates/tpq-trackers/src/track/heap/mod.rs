//! Heaps of processes: graphs of Java objects.

pub(crate) mod class_names;
pub(crate) mod deobfuscation;
pub(crate) mod graph;
mod graph_rows;
pub(crate) mod graphs;
mod native_size;
mod package_location;
mod reachability;
mod superclasses;
