//! Snapshots of the memory of all processes of a browser.
//!
//! Each process dumps its memory on its own; dumps of one moment are one snapshot. It is written
//! once a later one begins, since nodes refer to those of other processes.

use std::collections::BTreeMap;

use tpq_tables::table::{
    MemorySnapshotEdgeRow, MemorySnapshotNodeRow, MemorySnapshotRow, ProcessMemorySnapshotRow,
};
use tpq_tables::{Stat, Stats, Tables};

use super::memory_dump::{MemoryValue, ProcessDump};
use super::memory_graph::{GLOBAL_ROOT, MemoryGraph, Node};
use crate::args::{ArgSet, ArgValue};
use crate::ids::Tid;
use crate::track::chrome::instants::GLOBAL_INSTANTS;
use crate::track::{Dimensions, Trackers};

/// The snapshot under way of a source.
#[derive(Debug, Default)]
pub struct MemorySnapshots {
    open: Option<OpenSnapshot>,
}

#[derive(Debug)]
struct OpenSnapshot {
    ts: i64,
    machine: u32,
    detail_level: &'static str,
    /// Dumps by pid.
    dumps: BTreeMap<u32, ProcessDump>,
}

/// The process with this number stands for nodes of no process.
const NO_PROCESS: u32 = 0;

impl Trackers {
    /// Adds dumps of processes, by pid, at a moment. Of several dumps of a process at one moment the
    /// first counts; the level of detail is that of the last.
    pub fn add_memory_dumps(
        &mut self,
        (ts, machine): (i64, u32),
        detail_level: &'static str,
        dumps: Vec<(u32, ProcessDump)>,
        tables: &mut Tables,
        stats: &mut Stats,
    ) {
        let is_later = |open: &OpenSnapshot| open.ts != ts && !open.dumps.is_empty();
        if self.source.memory_snapshots.open.as_ref().is_some_and(is_later) {
            self.write_memory_snapshot(tables, stats);
        }
        let open = self.source.memory_snapshots.open.get_or_insert_with(|| OpenSnapshot {
            ts,
            machine,
            detail_level,
            dumps: BTreeMap::new(),
        });
        (open.ts, open.detail_level) = (ts, detail_level);
        for (pid, dump) in dumps {
            open.dumps.entry(pid).or_insert(dump);
        }
    }

    /// Writes the snapshot under way of the entered source.
    pub fn write_memory_snapshot(&mut self, tables: &mut Tables, stats: &mut Stats) {
        let open = self.source.memory_snapshots.open.take();
        let Some(OpenSnapshot { ts, machine, detail_level, dumps }) =
            open.filter(|open| !open.dumps.is_empty())
        else {
            return;
        };
        let graph = MemoryGraph::new(&dumps);
        stats.add(Stat::MemorySnapshotParserFailure, graph.left_out as i64);
        let track_id = self.chrome_instants(GLOBAL_INSTANTS, Dimensions::machine(machine), tables);
        let detail_level = tables.strings.intern(detail_level);
        let snapshot_id = tables.memory_snapshot.push(MemorySnapshotRow {
            timestamp: ts,
            track_id,
            detail_level,
        });
        let mut rows = vec![None; graph.nodes.len()];
        let global = (NO_PROCESS, GLOBAL_ROOT);
        for &(pid, root) in graph.processes.iter().chain([&global]) {
            let pid = Tid { machine, id: i64::from(pid) };
            let upid = self.processes.process(pid, tables);
            let process = ProcessMemorySnapshotRow { snapshot_id, upid };
            let process = tables.process_memory_snapshot.push(process);
            self.write_nodes(process, root, &graph, &mut rows, tables);
        }
        for ownership in graph.ownerships.iter().rev() {
            let ends = rows[ownership.source].zip(rows[ownership.target]);
            let Some((source_node_id, target_node_id)) = ends else { continue };
            tables.memory_snapshot_edge.push(MemorySnapshotEdgeRow {
                source_node_id,
                target_node_id,
                importance: ownership.importance as u32,
            });
        }
    }

    /// Writes the nodes below a root, parents before children, those in the order of names.
    fn write_nodes(
        &mut self,
        process_snapshot_id: u32,
        root: usize,
        graph: &MemoryGraph,
        rows: &mut [Option<u32>],
        tables: &mut Tables,
    ) {
        let below = |at: usize, path: &str| {
            let children = graph.nodes[at].children.iter().rev();
            let path_of = |name: &str| match path {
                "" => name.to_owned(),
                path => format!("{path}/{name}"),
            };
            children.map(|(name, &child)| (child, path_of(name))).collect::<Vec<_>>()
        };
        let mut open = below(root, "");
        while let Some((at, path)) = open.pop() {
            let node = &graph.nodes[at];
            let args = args_of(node, tables);
            let row = MemorySnapshotNodeRow {
                process_snapshot_id,
                parent_node_id: node.parent.and_then(|parent| rows[parent]),
                path: tables.strings.intern(&path),
                size: node.size.map(|size| size as i64),
                effective_size: node.effective_size.map(|size| size as i64),
                arg_set_id: self.deferred.intern(&args),
            };
            rows[at] = Some(tables.memory_snapshot_node.push(row));
            open.extend(below(at, &path));
        }
    }
}

/// The values of a node, each with its unit if it is a number.
fn args_of(node: &Node, tables: &mut Tables) -> ArgSet {
    let strings = &mut tables.strings;
    let mut args = ArgSet::default();
    for (name, value) in &node.values {
        let (value, unit) = match value {
            MemoryValue::Bytes(number) => (ArgValue::Int(*number as i64), Some("bytes")),
            MemoryValue::Objects(number) => (ArgValue::Int(*number as i64), Some("objects")),
            MemoryValue::Text(text) => (ArgValue::String(strings.intern(text)), None),
        };
        args.add(strings.intern(&format!("{name}.value")), value);
        if let Some(unit) = unit {
            let unit = ArgValue::String(strings.intern(unit));
            args.add(strings.intern(&format!("{name}.unit")), unit);
        }
    }
    args
}
