//! Heap snapshots of V8 (`.heapsnapshot`), in JSON: objects and the references between them, as
//! arrays of numbers. They become rows of the tables for Java heap dumps, so that queries and
//! modules for these read them as well. A snapshot has no time and names no process.

mod graph;
mod layout;

use tpq_decode::{FormatDecoder, RunEvent, format_run_kind};
use tpq_ingest::RunKind;
use tpq_tables::table::{
    HeapGraphClassRow, HeapGraphObjectDataRow, HeapGraphObjectRow, HeapGraphReferenceRow,
    HeapGraphRow,
};
use tpq_tables::{Stat, Stats, StringId, Tables};
use tpq_trackers::track::{Tid, Trackers, Upid};

use self::graph::{Graph, Node};
use self::layout::Layout;
use crate::document::{Document, DocumentFormat, DocumentReader, Json, JsonError};
use crate::{DefaultClock, OpenFile, OpenedFile, TraceFormat};

const SNAPSHOT: RunKind = format_run_kind(55);
/// Processes have numbers from here on, above those of systems: one for each file.
const FIRST_PROCESS: i64 = 1 << 53;
const PROCESS_NAME: &str = "V8";
/// The kind of root that the first object is, which refers to all others.
const ROOT_TYPE: &str = "ROOT_SYNTHETIC";

pub(crate) const FORMAT: TraceFormat = TraceFormat::of_one_clock(DefaultClock::None, open);

pub(crate) const DECODER: FormatDecoder =
    FormatDecoder { runs: &[(SNAPSHOT, decode_snapshot)], text_of: |_, _| None };

fn open(file: OpenFile<'_>) -> OpenedFile<'_> {
    let format = DocumentFormat { whole: SNAPSHOT, is_text: true, read };
    DocumentReader::open(file, format)
}

/// Checks that a snapshot can be read.
fn read(text: &[u8]) -> Document {
    match Json::document(text) {
        Err(JsonError { at, what }) => Document::damaged(at, what),
        Ok(snapshot) => match Layout::read(snapshot) {
            None => Document::damaged(0, "the snapshot does not say what its numbers mean"),
            Some(_) => Document { is_readable: true, ..Document::default() },
        },
    }
}

fn decode_snapshot(
    event: &RunEvent<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let snapshot = Json::of_part(event.message());
    let Some(layout) = Layout::read(snapshot) else { return };
    let pid = Tid { machine: event.machine, id: FIRST_PROCESS + i64::from(event.run.source) };
    let upid = trackers.processes.process_without_main(pid, tables);
    let name = tables.strings.intern(PROCESS_NAME);
    trackers.processes.name_unnamed_process(upid, name, tables);
    let graph = Graph::read(snapshot, &layout, tables);
    stats.add(Stat::FormatParseErrors, graph.damaged);
    for (kind, &count) in graph.unread.iter().enumerate().filter(|(_, count)| **count > 0) {
        stats.add_indexed(Stat::FormatRecordsNotRead, kind as i64, count);
    }
    write(&graph, (upid, event.ts), tables);
}

/// Writes the rows of a snapshot.
fn write(graph: &Graph, (upid, ts): (Upid, i64), tables: &mut Tables) {
    tables.heap_graph.push(HeapGraphRow { ts, upid, ..HeapGraphRow::default() });
    let first_class = tables.heap_graph_class.len();
    for &name in &graph.classes {
        tables.heap_graph_class.push(HeapGraphClassRow { name, ..HeapGraphClassRow::default() });
    }
    let first_object = tables.heap_graph_object.len();
    let first_reference = tables.heap_graph_reference.len();
    let root_type = tables.strings.intern(ROOT_TYPE);
    for (index, node) in (0_u32..).zip(&graph.nodes) {
        let Node { class, self_size, text, first_edge, edges, distance } = *node;
        let object_data_id = (!text.is_null()).then(|| {
            let row = HeapGraphObjectDataRow { value_string: text, ..Default::default() };
            tables.heap_graph_object_data.push(row)
        });
        tables.heap_graph_object.push(HeapGraphObjectRow {
            upid,
            graph_sample_ts: ts,
            self_size,
            native_size: 0,
            reference_set_id: (edges > 0).then(|| first_reference + first_edge),
            reachable: u32::from(distance >= 0),
            heap_type: StringId::NULL,
            type_id: first_class + class,
            root_type: if index == 0 { root_type } else { StringId::NULL },
            root_distance: distance,
            object_data_id,
        });
        let range = first_edge as usize..(first_edge + edges) as usize;
        for edge in graph.edges.get(range).unwrap_or_default() {
            tables.heap_graph_reference.push(HeapGraphReferenceRow {
                reference_set_id: first_reference + first_edge,
                owner_id: first_object + index,
                owned_id: Some(first_object + edge.to),
                field_name: edge.name,
                field_type_name: edge.kind,
                deobfuscated_field_name: StringId::NULL,
            });
        }
    }
}
