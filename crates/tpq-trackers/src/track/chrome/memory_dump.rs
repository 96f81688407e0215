//! Dumps of the memory of processes, as the processes recorded them.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

/// What an allocator states of a node: a number or a text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum MemoryValue {
    /// A number of bytes.
    Bytes(u64),
    /// A number of objects.
    Objects(u64),
    /// A text.
    Text(String),
}

impl MemoryValue {
    /// Its number.
    pub(super) fn number(&self) -> Option<u64> {
        match self {
            Self::Bytes(number) | Self::Objects(number) => Some(*number),
            Self::Text(_) => None,
        }
    }
}

/// A part of the memory of an allocator.
#[derive(Clone, Debug, Default)]
pub struct DumpedNode {
    /// Id by which ownerships refer to it; 0 for none.
    pub id: u64,
    /// Values by name.
    pub values: Vec<(String, MemoryValue)>,
}

/// That the memory of a node is part of the memory of another.
#[derive(Clone, Copy, Debug)]
pub(super) struct DumpedEdge {
    pub(super) target: u64,
    pub(super) importance: i32,
}

/// The dump of a process.
#[derive(Debug, Default)]
pub struct ProcessDump {
    /// By path.
    pub(super) nodes: BTreeMap<String, DumpedNode>,
    /// By id of the owner.
    pub(super) edges: BTreeMap<u64, DumpedEdge>,
}

impl ProcessDump {
    /// Adds a node; of several of one path the first counts.
    pub fn add_node(&mut self, path: String, node: DumpedNode) {
        self.nodes.entry(path).or_insert(node);
    }

    /// Adds that a node owns the memory of another; of several ownerships of a node the first
    /// counts. Owners of the greatest importance are charged first.
    pub fn add_edge(&mut self, source: u64, target: u64, importance: i32) {
        if let Entry::Vacant(edge) = self.edges.entry(source) {
            edge.insert(DumpedEdge { target, importance });
        }
    }
}
