//! Dumps of the memory of a browser's processes.

use tpq_ingest::Route;
use tpq_proto::fields::memory_tracker_snapshot::{
    self, process_snapshot,
    process_snapshot::{memory_edge, memory_node, memory_node::memory_node_entry},
};
use tpq_proto::fields::trace_packet;
use tpq_proto::wire::{Fields, LastFields};
use tpq_tables::{Stat, Stats, Tables};

use crate::decode::{Packet, PacketDecoder};
use tpq_trackers::track::{DumpedNode, MemoryValue, ProcessDump, Trackers};

pub(crate) const PACKET: PacketDecoder =
    PacketDecoder { field: trace_packet::MEMORY_TRACKER_SNAPSHOT, route: Route::Sorted, decode };

/// Names of levels of detail, by number.
const LEVELS: [&str; 3] = ["detailed", "light", "background"];
const UNIT_BYTES: u64 = 1;

fn decode(packet: &Packet<'_>, trackers: &mut Trackers, tables: &mut Tables, stats: &mut Stats) {
    let level = LastFields::<4>::new(packet.data).uint(memory_tracker_snapshot::LEVEL_OF_DETAIL);
    let level = LEVELS.get(level as usize).copied().unwrap_or(LEVELS[0]);
    let dumps = Fields::new(packet.data)
        .filter(|field| field.number == memory_tracker_snapshot::PROCESS_MEMORY_DUMPS)
        .map(|field| process_dump(field.as_bytes(), stats))
        .collect();
    trackers.add_memory_dumps((packet.ts(), packet.machine), level, dumps, tables, stats);
}

/// The pid and the dump of a process.
fn process_dump(data: &[u8], stats: &mut Stats) -> (u32, ProcessDump) {
    let (mut pid, mut dump) = (0, ProcessDump::default());
    for field in Fields::new(data) {
        match field.number {
            process_snapshot::PID => pid = field.as_u32(),
            process_snapshot::ALLOCATOR_DUMPS => {
                let (path, node) = node(field.as_bytes(), stats);
                dump.add_node(path, node);
            }
            process_snapshot::MEMORY_EDGES => {
                let edge = LastFields::<5>::new(field.as_bytes());
                let (source, target) =
                    (edge.uint(memory_edge::SOURCE_ID), edge.uint(memory_edge::TARGET_ID));
                dump.add_edge(source, target, edge.uint(memory_edge::IMPORTANCE) as u32 as i32);
            }
            _ => {}
        }
    }
    (pid, dump)
}

/// The path of a node and the node.
fn node(data: &[u8], stats: &mut Stats) -> (String, DumpedNode) {
    let (mut path, mut node) = (String::new(), DumpedNode::default());
    let (mut size, mut values) = (None, Vec::new());
    for field in Fields::new(data) {
        match field.number {
            memory_node::ID => node.id = field.as_u64(),
            memory_node::ABSOLUTE_NAME => path = text(field.as_bytes()),
            memory_node::SIZE_BYTES => size = Some(MemoryValue::Bytes(field.as_u64())),
            memory_node::ENTRIES => match entry(field.as_bytes()) {
                Some(entry) => values.push(entry),
                None => stats.increment(Stat::MemorySnapshotParserFailure),
            },
            _ => {}
        }
    }
    let size = size.map(|size| ("size".to_owned(), size));
    node.values = size.into_iter().chain(values).collect();
    (path, node)
}

/// A value with its name; `None` without a value.
fn entry(data: &[u8]) -> Option<(String, MemoryValue)> {
    let fields = LastFields::<5>::new(data);
    let name = text(fields.bytes(memory_node_entry::NAME));
    let number = fields.get(memory_node_entry::VALUE_UINT64).map(|value| value.as_u64());
    let value = match (number, fields.get(memory_node_entry::VALUE_STRING)) {
        (Some(number), _) if fields.uint(memory_node_entry::UNITS) == UNIT_BYTES => {
            MemoryValue::Bytes(number)
        }
        (Some(number), _) => MemoryValue::Objects(number),
        (None, Some(value)) => MemoryValue::Text(text(value.as_bytes())),
        (None, None) => return None,
    };
    Some((name, value))
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}
