//! Rows of a complete dump.

use tpq_tables::table::{
    HeapGraphClassRow, HeapGraphObjectDataRow, HeapGraphObjectRow, HeapGraphPrimitiveRow,
    HeapGraphReferenceRow,
};
use tpq_tables::{Stat, Stats, StringId, Tables};

use super::ancestors::ancestors_with_fields;
use super::graph::{
    CLASS_KINDS, Class, HEAP_TYPES, HeapGraph, NONE, Object, PRIMITIVE_FIELDS, PrimitiveType,
    ROOT_TYPES, RUNTIME_INTERNAL, Reference,
};
use super::native_size::REFERENT;
use crate::ids::Upid;

/// The name of references to objects that the runtime keeps.
const RUNTIME_INTERNAL_NAME: &str = "runtimeInternalObjects";

/// The next rows of the tables when a dump is written.
#[derive(Clone, Copy)]
struct FirstRows {
    class: u32,
    object: u32,
    reference: u32,
}

/// A class of a dump that was written.
#[derive(Clone, Copy, Debug)]
pub(super) struct WrittenClass {
    pub(super) row: u32,
    pub(super) name: StringId,
    pub(super) location: StringId,
}

impl HeapGraph {
    /// Resolves sizes, names, roots and reachability, and writes all rows but that of
    /// `heap_graph`. Returns the classes.
    pub(super) fn write(
        &mut self,
        (upid, ts): (Upid, i64),
        tables: &mut Tables,
        stats: &mut Stats,
    ) -> Vec<WrittenClass> {
        let index = i64::from(upid);
        self.name_references(index, stats);
        self.set_sizes_by_class();
        self.count_missing(index, stats);
        self.mark_reachable(tables.strings.find(REFERENT));
        self.add_native_sizes(&tables.strings);
        let locations = self.class_locations(index, stats);
        let first = FirstRows {
            class: tables.heap_graph_class.len(),
            object: tables.heap_graph_object.len(),
            reference: tables.heap_graph_reference.len(),
        };
        let classes = self.write_classes(&locations, first, tables);
        let data = self.write_primitives(tables);
        self.write_objects((upid, ts), &data, first, tables);
        self.write_references(first, tables);
        classes
    }

    /// Gives references the fields that the classes of their objects list.
    fn name_references(&mut self, index: i64, stats: &mut Stats) {
        let ancestors = ancestors_with_fields(
            self.classes.len(),
            |class| self.superclass(&self.classes[class as usize]),
            |class| !self.classes[class as usize].fields.is_empty(),
        );
        let mut malformed = 0;
        for object in &self.objects {
            let Some(class) = self.classes.get(object.class as usize) else { continue };
            if !class.known || !class.has_fields() {
                continue;
            }
            let mut fields = class.fields.iter();
            let mut ancestor = ancestors[object.class as usize];
            let first = object.first_reference as usize;
            for reference in (0..object.fields_of_class as usize).map(|index| first + index) {
                let mut field = fields.next();
                if field.is_none() {
                    let Some(number) = ancestor else {
                        malformed += 1;
                        break;
                    };
                    fields = self.classes[number as usize].fields.iter();
                    ancestor = ancestors[number as usize];
                    field = fields.next();
                }
                let Some(&field) = field else { break };
                malformed += i64::from(self.fields[field as usize].is_none());
                self.references[reference].field = field;
            }
        }
        if malformed > 0 {
            stats.add_indexed(Stat::HeapGraphMalformedPacket, index, malformed);
        }
    }

    fn set_sizes_by_class(&mut self) {
        for object in self.objects.iter_mut().filter(|object| object.sized_by_class) {
            let class = self.classes.get(object.class as usize);
            if let Some(class) = class.filter(|class| class.known) {
                object.self_size = class.object_size as i64;
            }
        }
    }

    /// Counts objects and classes that others refer to and that were not sent.
    fn count_missing(&self, index: i64, stats: &mut Stats) {
        let needs_class = |object: &&Object| {
            object.class != NONE && (object.sized_by_class || object.fields_of_class > 0)
        };
        let mut objects = self.objects.iter().filter(needs_class);
        if objects.any(|object| !self.classes[object.class as usize].known) {
            stats.add_indexed(Stat::HeapGraphMalformedPacket, index, 1);
        }
        let unsent = self.objects.iter().filter(|object| object.class == NONE).count();
        if unsent > 0 {
            stats.add_indexed(Stat::HeapGraphMissingObject, index, unsent as i64);
        }
    }

    /// The file of each class.
    fn class_locations(&self, index: i64, stats: &mut Stats) -> Vec<StringId> {
        let mut location = |class: &Class| {
            let Some(id) = class.location else { return StringId::NULL };
            self.locations.get(&id).copied().unwrap_or_else(|| {
                stats.add_indexed(Stat::HeapGraphInvalidStringId, index, 1);
                StringId::NULL
            })
        };
        self.classes.iter().map(&mut location).collect()
    }

    fn write_classes(
        &self,
        locations: &[StringId],
        first: FirstRows,
        tables: &mut Tables,
    ) -> Vec<WrittenClass> {
        let superclasses = self.superclasses(locations, &mut tables.strings);
        let kinds = CLASS_KINDS.map(|kind| tables.strings.intern(kind));
        let mut written = Vec::with_capacity(self.classes.len());
        for ((class, &location), superclass) in self.classes.iter().zip(locations).zip(superclasses)
        {
            let loader = Some(class.class_loader).filter(|&loader| loader != NONE);
            let row = tables.heap_graph_class.push(HeapGraphClassRow {
                name: class.name,
                deobfuscated_name: StringId::NULL,
                location,
                superclass_id: superclass.map(|number| first.class + number),
                classloader_id: loader.map(|number| first.object + number),
                kind: if class.known { kinds[class.kind as usize] } else { StringId::NULL },
            });
            written.push(WrittenClass { row, name: class.name, location });
        }
        written
    }

    /// Writes primitive fields. Returns the objects that have some, with their rows of
    /// `heap_graph_object_data`.
    fn write_primitives(&self, tables: &mut Tables) -> Vec<(u32, u32)> {
        let mut written = Vec::with_capacity(self.primitives.len());
        for (object, values) in &self.primitives {
            let field_set_id = tables.heap_graph_primitive.len();
            for ((name, field_type), value) in PRIMITIVE_FIELDS.into_iter().zip(*values) {
                let Some(value) = value else { continue };
                let is_int = field_type == PrimitiveType::Int;
                let row = HeapGraphPrimitiveRow {
                    field_set_id,
                    field_name: tables.strings.intern(name),
                    field_type: tables.strings.intern(if is_int { "int" } else { "long" }),
                    int_value: Some(value).filter(|_| is_int),
                    long_value: Some(value).filter(|_| !is_int),
                    ..HeapGraphPrimitiveRow::default()
                };
                tables.heap_graph_primitive.push(row);
            }
            let field_set_id = Some(field_set_id);
            let row = HeapGraphObjectDataRow { field_set_id, ..Default::default() };
            written.push((*object, tables.heap_graph_object_data.push(row)));
        }
        written.sort_by_key(|&(object, _)| object);
        written
    }

    fn write_objects(
        &self,
        (upid, graph_sample_ts): (Upid, i64),
        data: &[(u32, u32)],
        first: FirstRows,
        tables: &mut Tables,
    ) {
        let heap_types = HEAP_TYPES.map(|name| tables.strings.intern(name));
        let root_types = ROOT_TYPES.map(|name| tables.strings.intern(name));
        let mut data = data.iter().peekable();
        for (number, object) in (0..).zip(&self.objects) {
            let mut object_data_id = None;
            while let Some((_, row)) = data.next_if(|&&(of, _)| of == number) {
                object_data_id = Some(*row);
            }
            let heap_type = heap_types.get(object.heap_type as usize);
            tables.heap_graph_object.push(HeapGraphObjectRow {
                upid,
                graph_sample_ts,
                self_size: object.self_size,
                native_size: object.native_size,
                reference_set_id: (object.references > 0)
                    .then(|| first.reference + object.first_reference),
                reachable: u32::from(object.root_distance >= 0),
                heap_type: match object.heap_type {
                    0 => StringId::NULL,
                    _ => heap_type.copied().unwrap_or(StringId::NULL),
                },
                // The column is never NULL: an object that was not sent has the first class.
                type_id: if object.class == NONE { 0 } else { first.class + object.class },
                root_type: object.root_type.map_or(StringId::NULL, |it| root_types[it as usize]),
                root_distance: object.root_distance,
                object_data_id,
            });
        }
    }

    fn write_references(&self, first: FirstRows, tables: &mut Tables) {
        let internal = tables.strings.intern(RUNTIME_INTERNAL_NAME);
        let sets = self.objects.iter().map(|object| object.first_reference);
        let mut starts: Vec<u32> = sets.filter(|&start| start != NONE).collect();
        starts.sort_unstable();
        let mut starts = starts.into_iter().peekable();
        let mut set = 0;
        let mut owner = NONE;
        for (number, reference) in (0..).zip(&self.references) {
            // A set begins with each object, even if a later description replaced it.
            if starts.next_if_eq(&number).is_some() || reference.owner != owner {
                (set, owner) = (number, reference.owner);
            }
            let Reference { owner, owned, field } = *reference;
            let name = self.field(reference).unwrap_or_default();
            tables.heap_graph_reference.push(HeapGraphReferenceRow {
                reference_set_id: first.reference + set,
                owner_id: first.object + owner,
                owned_id: (owned != NONE).then(|| first.object + owned),
                field_name: if field == RUNTIME_INTERNAL { internal } else { name.name },
                field_type_name: name.type_name,
                deobfuscated_field_name: StringId::NULL,
            });
        }
    }
}
