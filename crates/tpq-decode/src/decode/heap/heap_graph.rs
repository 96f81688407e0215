//! Dumps of Java heaps.
//!
//! A dump is a series of packets of one sequence. All but the last have the flag `continued`.

use tpq_ingest::Route;
use tpq_proto::fields::{
    heap_graph, heap_graph_object as object, heap_graph_root as root, heap_graph_type as class,
    interned_string, trace_packet,
};
use tpq_proto::wire::{Field, Fields, LastFields, Value, read_varint};
use tpq_tables::{Stat, Stats, StringId, Tables};

use crate::decode::{Packet, PacketDecoder, text};
use tpq_trackers::track::{HeapGraph, NewClass, NewObject, Tid, Trackers, Upid};

pub(crate) const PACKET: PacketDecoder =
    PacketDecoder { field: trace_packet::HEAP_GRAPH, route: Route::Sorted, decode };

/// A list in the message is damaged.
struct Damaged;

fn decode(packet: &Packet<'_>, trackers: &mut Trackers, tables: &mut Tables, stats: &mut Stats) {
    let header = LastFields::<11>::new(packet.data);
    let pid = header.get(heap_graph::PID).map_or(0, |pid| pid.as_u32());
    let pid = Tid { machine: packet.machine, id: i64::from(pid) };
    let upid = trackers.processes.process(pid, tables);
    let generation = packet.interned.generation(packet.generation);
    let sequence = generation.map_or(0, |generation| generation.sequence);
    let graph = trackers.heap_graphs.open(packet.source, sequence);
    let index = i64::from(upid);
    if graph.set_index(header.uint(heap_graph::INDEX)) {
        stats.add_indexed(Stat::HeapGraphMissingPacket, index, 1);
    }
    if let Some(bytes) = header.get(heap_graph::HEAP_BYTES_ALLOCATED) {
        graph.set_heap_size(bytes.as_i64());
    }
    let mut reader = Reader { graph, upid, ts: packet.ts(), lists: Lists::default() };
    if reader.read(packet.data, tables, stats) {
        trackers.bounds.include(packet.ts());
    }
    if header.uint(heap_graph::CONTINUED) == 0 {
        let dump = (upid, packet.ts());
        trackers.heap_graphs.end((packet.source, sequence), dump, tables, stats);
    }
}

/// Reads the parts of a packet into a dump.
struct Reader<'a> {
    graph: &'a mut HeapGraph,
    upid: Upid,
    ts: i64,
    lists: Lists,
}

/// Lists of a message, kept to reuse their memory.
#[derive(Default)]
struct Lists {
    fields: Vec<u64>,
    references: Vec<u64>,
    internal: Vec<u64>,
}

impl Reader<'_> {
    /// Reads a packet; returns whether it adds objects.
    fn read(&mut self, packet: &[u8], tables: &mut Tables, stats: &mut Stats) -> bool {
        let objects = self.graph.object_count();
        let mut fields = Fields::new(packet);
        let [mut read_objects, mut read_roots] = [true; 2];
        for field in &mut fields {
            let message = field.as_bytes();
            match field.number {
                heap_graph::OBJECTS if read_objects => {
                    read_objects = self.add_object(message, stats).is_ok();
                }
                heap_graph::TYPES => self.add_class(message, tables, stats),
                heap_graph::FIELD_NAMES => self.add_field(message, tables),
                heap_graph::LOCATION_NAMES => {
                    let location = LastFields::<3>::new(message);
                    let name = text(&location, interned_string::STR, tables);
                    self.graph.add_location(location.uint(interned_string::IID), name);
                }
                heap_graph::ROOTS if read_roots => {
                    read_roots = self.add_roots(message, stats).is_ok();
                }
                _ => {}
            }
        }
        if fields.is_damaged() {
            self.count_malformed(stats);
        }
        self.graph.object_count() > objects
    }

    fn count_malformed(&self, stats: &mut Stats) {
        stats.add_indexed(Stat::HeapGraphMalformedPacket, i64::from(self.upid), 1);
    }

    /// Whether the packet belongs to the dump under way. What does not is dropped and counted.
    fn belongs(&mut self, stats: &mut Stats) -> bool {
        let belongs = self.graph.belongs_to(self.upid, self.ts);
        if !belongs {
            stats.increment(Stat::HeapGraphNonFinalizedGraph);
        }
        belongs
    }

    /// Adds an object. After a damaged list, the rest of the packet is not trusted.
    fn add_object(&mut self, message: &[u8], stats: &mut Stats) -> Result<(), Damaged> {
        if !self.belongs(stats) {
            return Ok(());
        }
        let fields = LastFields::<16>::new(message);
        let id = match fields.uint(object::ID_DELTA) {
            0 => fields.uint(object::ID),
            delta => self.graph.last_object().wrapping_add(delta),
        };
        let heap_type = match fields.get(object::HEAP_TYPE_DELTA) {
            Some(heap_type) => heap_type.as_u32(),
            None => self.graph.last_heap_type(),
        };
        self.graph.set_last_object(id);
        self.graph.set_last_heap_type(heap_type);
        let base = fields.uint(object::REFERENCE_FIELD_ID_BASE);
        if self.read_lists(message, base).is_err() {
            self.count_malformed(stats);
            return Err(Damaged);
        }
        let Lists { fields: ids, references, internal } = &self.lists;
        if !ids.is_empty() && ids.len() != references.len() {
            self.count_malformed(stats);
            return Ok(());
        }
        let int = |number: u32| fields.get(number).map(|field| field.as_i64());
        let unsigned = |number: u32| fields.get(number).map(|field| i64::from(field.as_u32()));
        self.graph.add_object(&NewObject {
            id,
            class: fields.uint(object::TYPE_ID),
            self_size: fields.uint(object::SELF_SIZE),
            heap_type,
            fields: ids,
            references,
            runtime_internal: internal,
            registry_size: int(object::NATIVE_ALLOCATION_REGISTRY_SIZE_FIELD),
            primitives: [
                int(object::BITMAP_ID_FIELD),
                int(object::BITMAP_SOURCE_ID_FIELD),
                unsigned(object::BITMAP_WIDTH_FIELD),
                unsigned(object::BITMAP_HEIGHT_FIELD),
                int(object::APPLICATION_INFO_LONG_VERSION_CODE_FIELD),
            ],
        });
        Ok(())
    }

    /// Reads the lists of an object. `base` is added to the ids of objects in fields.
    fn read_lists(&mut self, message: &[u8], base: u64) -> Result<(), Damaged> {
        let Lists { fields, references, internal } = &mut self.lists;
        for list in [&mut *fields, &mut *references, &mut *internal] {
            list.clear();
        }
        for field in Fields::new(message) {
            match field.number {
                object::REFERENCE_FIELD_ID => for_each(&field, |id| fields.push(id))?,
                object::REFERENCE_OBJECT_ID => for_each(&field, |id| {
                    references.push(if id == 0 { 0 } else { id.wrapping_add(base) });
                })?,
                object::RUNTIME_INTERNAL_OBJECT_ID => for_each(&field, |id| internal.push(id))?,
                _ => {}
            }
        }
        Ok(())
    }

    fn add_class(&mut self, message: &[u8], tables: &mut Tables, stats: &mut Stats) {
        let ids = &mut self.lists.fields;
        ids.clear();
        let mut lists =
            Fields::new(message).filter(|field| field.number == class::REFERENCE_FIELD_ID);
        if lists.try_for_each(|list| for_each(&list, |id| ids.push(id))).is_err() {
            self.count_malformed(stats);
            return;
        }
        let fields = LastFields::<9>::new(message);
        self.graph.add_class(&NewClass {
            id: fields.uint(class::ID),
            name: text(&fields, class::CLASS_NAME, tables),
            location: fields.get(class::LOCATION_ID).map(|id| id.as_u64()),
            object_size: fields.uint(class::OBJECT_SIZE),
            fields: &self.lists.fields,
            superclass: fields.uint(class::SUPERCLASS_ID),
            class_loader: fields.uint(class::CLASSLOADER_ID),
            kind: fields.get(class::KIND).map_or(0, |kind| kind.as_u32()),
        });
    }

    /// Adds a field, which is written as `TYPE CLASS.FIELD`.
    fn add_field(&mut self, message: &[u8], tables: &mut Tables) {
        let field = LastFields::<3>::new(message);
        let bytes = field.bytes(interned_string::STR);
        let (type_name, name) = match bytes.iter().position(|&byte| byte == b' ') {
            Some(space) => (Some(&bytes[..space]), &bytes[space + 1..]),
            None => (None, bytes),
        };
        let name = tables.strings.intern_bytes(name);
        let type_name = type_name.map_or(StringId::NULL, |it| tables.strings.intern_bytes(it));
        self.graph.add_field(field.uint(interned_string::IID), name, type_name);
    }

    fn add_roots(&mut self, message: &[u8], stats: &mut Stats) -> Result<(), Damaged> {
        if !self.belongs(stats) {
            return Ok(());
        }
        let kind = LastFields::<3>::new(message).get(root::ROOT_TYPE);
        let kind = kind.map_or(0, |kind| kind.as_u32());
        for list in Fields::new(message).filter(|field| field.number == root::OBJECT_IDS) {
            if for_each(&list, |id| self.graph.add_root(id, kind)).is_err() {
                self.count_malformed(stats);
                return Err(Damaged);
            }
        }
        Ok(())
    }
}

/// Calls a function with each value of a repeated integer field, packed or not.
fn for_each(field: &Field<'_>, mut each: impl FnMut(u64)) -> Result<(), Damaged> {
    let Value::Bytes(bytes) = field.value else {
        each(field.as_u64());
        return Ok(());
    };
    let mut at = 0;
    while at < bytes.len() {
        each(read_varint(bytes, &mut at).ok_or(Damaged)?);
    }
    Ok(())
}
