//! Rows of a dump.

use rustc_hash::FxHashMap;
use tpq_decode::RunEvent;
use tpq_tables::table::{
    HeapGraphClassRow, HeapGraphObjectRow, HeapGraphReferenceRow, HeapGraphRow,
};
use tpq_tables::{Stat, Stats, StringId, Tables};
use tpq_trackers::track::{Tid, Trackers, Upid};

use super::graph::Graph;
use super::heap::{Heap, NONE};
use super::names::Names;
use super::records::{Header, heap_tag};
use super::values::Values;

/// The kind of classes with objects that are not references.
const OTHER_KIND: &str = "[unknown class kind]";
/// The type of a field that refers to an object which the dump does not have.
const OTHER_TYPE: &str = "unknown";

/// Decodes a dump.
pub(super) fn decode_dump(
    event: &RunEvent<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let file = event.message();
    let Some(header) = Header::read(file) else { return };
    let heap = Heap::read(file, header);
    let names = Names::of(&heap, tables);
    let mut graph = Graph::of(&heap, &names, tables);
    graph.add_native_sizes(&heap, &names, tables);
    let mut values = Values::new(&names, file.len(), tables);
    // A dump does not state its process.
    let pid = Tid { machine: event.machine, id: 0 };
    let upid = trackers.processes.process(pid, tables);
    trackers.bounds.include(event.ts);
    let truncated = u32::from(heap.is_damaged);
    let row = HeapGraphRow { ts: event.ts, upid, truncated, ..HeapGraphRow::default() };
    trackers.heap_graphs.add_dump(row, tables);
    let rows = Rows::of(&heap, &graph, tables);
    write_classes(&heap, &names, &rows, tables);
    let mut writer = Writer { heap: &heap, names: &names, graph: &graph, rows: &rows };
    writer.write_objects((upid, event.ts), &mut values, tables);
    count(&heap, &graph, names.unnamed + values.without_text, stats);
}

/// The rows of classes and objects.
struct Rows {
    first_class: u32,
    /// Row of the class of each class as an object; [`NONE`] if it is none.
    class_objects: Vec<u32>,
    /// Row of each object; [`NONE`] for one without a class.
    objects: Vec<u32>,
}

impl Rows {
    fn of(heap: &Heap<'_>, graph: &Graph, tables: &Tables) -> Self {
        let first_class = tables.heap_graph_class.len();
        let mut next = first_class + heap.classes.len() as u32;
        let mut number = |has_row: bool| {
            let row = next;
            next += u32::from(has_row);
            if has_row { row } else { NONE }
        };
        let class_objects = heap.classes.iter().map(|it| number(it.dump.is_some())).collect();
        let mut next = tables.heap_graph_object.len();
        let objects = graph.nodes.iter().map(|node| match node.class {
            NONE => NONE,
            _ => {
                next += 1;
                next - 1
            }
        });
        Self { first_class, class_objects, objects: objects.collect() }
    }

    fn object(&self, number: u32) -> Option<u32> {
        self.objects.get(number as usize).copied().filter(|&row| row != NONE)
    }
}

fn write_classes(heap: &Heap<'_>, names: &Names, rows: &Rows, tables: &mut Tables) {
    let other = tables.strings.intern(OTHER_KIND);
    for (number, class) in (0..).zip(&heap.classes) {
        let loader = class.dump.as_ref().and_then(|dump| heap.object_number(dump.loader));
        let kind = names.kind(number as usize);
        tables.heap_graph_class.push(HeapGraphClassRow {
            name: names.classes.get(number as usize).copied().unwrap_or_default(),
            deobfuscated_name: StringId::NULL,
            location: StringId::NULL,
            superclass_id: heap.superclass(number).map(|class| rows.first_class + class),
            classloader_id: loader.and_then(|loader| rows.object(loader)),
            kind: kind.map_or(other, |kind| tables.strings.intern(kind)),
        });
    }
    let mut known: FxHashMap<StringId, StringId> = FxHashMap::default();
    for (class, &name) in heap.classes.iter().zip(&names.classes) {
        if class.dump.is_some() {
            let name = *known.entry(name).or_insert_with(|| {
                let name = format!("java.lang.Class<{}>", tables.strings.get(name));
                tables.strings.intern(&name)
            });
            tables.heap_graph_class.push(HeapGraphClassRow {
                name,
                deobfuscated_name: StringId::NULL,
                location: StringId::NULL,
                superclass_id: None,
                classloader_id: None,
                kind: other,
            });
        }
    }
}

/// Writes objects and their references.
struct Writer<'a> {
    heap: &'a Heap<'a>,
    names: &'a Names,
    graph: &'a Graph,
    rows: &'a Rows,
}

impl Writer<'_> {
    fn write_objects(&mut self, of: (Upid, i64), values: &mut Values, tables: &mut Tables) {
        let mut known: FxHashMap<u64, StringId> = FxHashMap::default();
        let mut heap_name = |name: u64| {
            *known.entry(name).or_insert_with(|| tables.strings.intern(&self.heap.text(name)))
        };
        let heaps: Vec<StringId> = self.heap.heaps.iter().map(|&name| heap_name(name)).collect();
        for (number, (object, node)) in self.heap.objects.iter().zip(&self.graph.nodes).enumerate()
        {
            if node.class == NONE {
                continue;
            }
            let (upid, graph_sample_ts) = of;
            let class_object = self.rows.class_objects.get(object.class_object as usize);
            let type_id = class_object.copied().unwrap_or(self.rows.first_class + node.class);
            let of_class = (object, node.class);
            let object_data_id = values.write(of_class, self.heap, self.names, tables);
            let first_reference = tables.heap_graph_reference.len();
            let has_references = !self.graph.references_of(number).is_empty();
            let row = tables.heap_graph_object.push(HeapGraphObjectRow {
                upid,
                graph_sample_ts,
                self_size: node.self_size,
                native_size: node.native_size,
                reference_set_id: has_references.then_some(first_reference),
                reachable: u32::from(node.root_distance >= 0),
                heap_type: heaps.get(object.heap as usize).copied().unwrap_or_default(),
                type_id,
                root_type: node
                    .root
                    .map_or(StringId::NULL, |kind| tables.strings.intern(root_name(kind))),
                root_distance: node.root_distance,
                object_data_id,
            });
            self.write_references(number, row, tables);
        }
    }

    fn write_references(&self, number: usize, owner_id: u32, tables: &mut Tables) {
        let reference_set_id = tables.heap_graph_reference.len();
        for reference in self.graph.references_of(number) {
            let target = self.graph.nodes.get(reference.target as usize);
            let class = target.and_then(|target| self.names.classes.get(target.class as usize));
            let field_type_name =
                class.copied().unwrap_or_else(|| tables.strings.intern(OTHER_TYPE));
            tables.heap_graph_reference.push(HeapGraphReferenceRow {
                reference_set_id,
                owner_id,
                owned_id: self.rows.object(reference.target),
                field_name: reference.name,
                field_type_name,
                deobfuscated_field_name: StringId::NULL,
            });
        }
    }
}

fn root_name(kind: u8) -> &'static str {
    use heap_tag::*;
    match kind {
        JNI_GLOBAL => "JNI_GLOBAL",
        JNI_LOCAL => "JNI_LOCAL",
        JAVA_FRAME => "JAVA_FRAME",
        NATIVE_STACK => "NATIVE_STACK",
        STICKY_CLASS => "STICKY_CLASS",
        THREAD_BLOCK => "THREAD_BLOCK",
        MONITOR_USED => "MONITOR_USED",
        THREAD_OBJECT => "THREAD_OBJECT",
        INTERNED_STRING => "INTERNED_STRING",
        FINALIZING => "FINALIZING",
        DEBUGGER => "DEBUGGER",
        REFERENCE_CLEANUP => "REFERENCE_CLEANUP",
        VM_INTERNAL => "VM_INTERNAL",
        JNI_MONITOR => "JNI_MONITOR",
        _ => "UNKNOWN",
    }
}

/// Counts records and what is wrong. `without_text` is the number of fields without a name and of
/// strings without their text.
fn count(heap: &Heap<'_>, graph: &Graph, without_text: i64, stats: &mut Stats) {
    let counts = &heap.counts;
    let references = i64::try_from(graph.reference_count()).unwrap_or(i64::MAX);
    for (stat, value) in [
        (Stat::HprofStringCounter, counts.texts),
        (Stat::HprofClassCounter, counts.classes),
        (Stat::HprofHeapDumpCounter, counts.sections),
        (Stat::HprofInstanceCounter, counts.instances),
        (Stat::HprofObjectArrayCounter, counts.object_arrays),
        (Stat::HprofPrimitiveArrayCounter, counts.primitive_arrays),
        (Stat::HprofRootCounter, counts.roots),
        (Stat::HprofReferenceCounter, references),
        (Stat::HprofRecordCounter, counts.records),
        (Stat::HprofFieldValueErrors, graph.short + without_text),
        (Stat::HprofClassErrors, counts.unnamed_classes + graph.objects_without_class),
        (Stat::HprofPrimitiveArrayParsingErrors, graph.arrays_without_class),
        (Stat::HprofReferenceErrors, graph.missing),
    ] {
        stats.add(stat, value);
    }
    for (&kind, &count) in &counts.others {
        stats.add_indexed(Stat::FormatRecordsNotRead, i64::from(kind), count);
    }
}
