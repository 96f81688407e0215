//! Dumps of Java heaps: those under way, and those that were written.

use rustc_hash::FxHashMap;
use tpq_ingest::SourceId;
use tpq_tables::table::HeapGraphRow;
use tpq_tables::{Stat, Stats, StringId, Tables};

use super::graph::HeapGraph;
use super::graph_rows::WrittenClass;
use crate::ids::Upid;

/// Writes dumps of Java heaps.
#[derive(Debug, Default)]
pub struct HeapGraphs {
    /// Dumps under way, by the source and sequence of their packets.
    open: FxHashMap<(SourceId, u32), HeapGraph>,
    /// Rows of `heap_graph`.
    rows: FxHashMap<(Upid, i64), u32>,
    classes: Vec<DumpedClass>,
}

/// A class of any dump.
#[derive(Clone, Copy, Debug)]
pub struct DumpedClass {
    /// Row of `heap_graph_class`.
    pub row: u32,
    /// Name of the class in the running code.
    pub name: StringId,
    /// File that it was loaded from; NULL if unknown.
    pub location: StringId,
    /// Process of the dump.
    pub upid: Upid,
}

impl HeapGraphs {
    /// The dump that a sequence of packets writes.
    pub fn open(&mut self, source: SourceId, sequence: u32) -> &mut HeapGraph {
        self.open.entry((source, sequence)).or_default()
    }

    /// Writes the dump of a sequence, which is complete. `otherwise` is its process and time if it
    /// has neither objects nor roots.
    pub fn end(
        &mut self,
        (source, sequence): (SourceId, u32),
        otherwise: (Upid, i64),
        tables: &mut Tables,
        stats: &mut Stats,
    ) {
        if let Some(graph) = self.open.remove(&(source, sequence)) {
            self.write(graph, otherwise, tables, stats);
        }
    }

    /// Writes the dumps without their last packet. `stats` are those of each source.
    pub fn end_all(&mut self, tables: &mut Tables, stats: &mut [Stats]) {
        let mut open: Vec<_> = self.open.drain().collect();
        open.sort_unstable_by_key(|&(key, _)| key);
        let first = open.first().and_then(|&((source, _), _)| stats.get_mut(source as usize));
        if let Some(stats) = first {
            stats.increment(Stat::HeapGraphNonFinalizedGraph);
        }
        for ((source, _), mut graph) in open {
            let (Some(of), Some(stats)) = (graph.of, stats.get_mut(source as usize)) else {
                continue;
            };
            graph.truncated = true;
            self.write(graph, of, tables, stats);
        }
    }

    fn write(
        &mut self,
        mut graph: HeapGraph,
        otherwise: (Upid, i64),
        tables: &mut Tables,
        stats: &mut Stats,
    ) {
        let (upid, ts) = graph.of.unwrap_or(otherwise);
        let classes = graph.write((upid, ts), tables, stats);
        for class in classes {
            let WrittenClass { row, name, location } = class;
            self.classes.push(DumpedClass { row, name, location, upid });
        }
        let table = &mut tables.heap_graph;
        match self.rows.get(&(upid, ts)) {
            Some(&row) => {
                if graph.heap_size.is_some() {
                    table.heap_size.set(row, graph.heap_size);
                }
                if graph.truncated {
                    table.truncated.set(row, 1);
                }
            }
            None => {
                let truncated = u32::from(graph.truncated);
                let heap_size = graph.heap_size;
                self.add_dump(
                    HeapGraphRow { ts, upid, heap_size, truncated, ..Default::default() },
                    tables,
                );
            }
        }
    }

    /// The classes of all dumps that were written.
    pub fn classes(&self) -> &[DumpedClass] {
        &self.classes
    }

    /// Adds a row of `heap_graph`. A dump of the same process and time completes the first one.
    pub fn add_dump(&mut self, row: HeapGraphRow, tables: &mut Tables) -> u32 {
        let number = tables.heap_graph.push(row);
        self.rows.entry((row.upid, row.ts)).or_insert(number);
        number
    }
}
