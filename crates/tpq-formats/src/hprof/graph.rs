//! References between objects, their sizes, and what keeps them alive.

use tpq_tables::{StringId, Tables};

use super::heap::{Heap, NONE, Object};
use super::names::Names;
use super::records::{ObjectKind, Reader, Type};

/// A reference of an object.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reference {
    pub(super) name: StringId,
    /// Object that is referred to; [`NONE`] if the dump does not have it.
    pub(super) target: u32,
    /// Whether it does not keep the object alive.
    is_weak: bool,
}

/// An object with what follows from all others.
#[derive(Clone, Copy, Debug)]
pub(super) struct Node {
    /// Class of an object; [`NONE`] if it is unknown.
    pub(super) class: u32,
    pub(super) self_size: i64,
    pub(super) native_size: i64,
    pub(super) root: Option<u8>,
    /// Number of references from a root; -1 if none leads there.
    pub(super) root_distance: i32,
    first_reference: u32,
}

/// The objects of a dump with their references.
#[derive(Debug, Default)]
pub(super) struct Graph {
    pub(super) nodes: Vec<Node>,
    references: Vec<Reference>,
    /// References to objects that the dump does not have.
    pub(super) missing: i64,
    /// Objects that have fewer bytes than fields.
    pub(super) short: i64,
    /// Arrays of primitive values without a class.
    pub(super) arrays_without_class: i64,
    /// Other objects without a class.
    pub(super) objects_without_class: i64,
}

impl Graph {
    pub(super) fn of(heap: &Heap<'_>, names: &Names, tables: &mut Tables) -> Self {
        let mut graph = Self::default();
        let class_size = names.class("java.lang.Class", tables);
        let class_size = class_size.map_or(0, |class| instance_size(heap, class));
        let mut indices = Indices::default();
        for object in &heap.objects {
            let node = match object.class_object {
                NONE => graph.add_object(object, heap, names, &mut indices, tables),
                class => graph.add_class(class, class_size, heap, names),
            };
            graph.nodes.push(node);
        }
        graph.mark_reachable(heap);
        graph
    }

    /// The number of references.
    pub(super) fn reference_count(&self) -> usize {
        self.references.len()
    }

    /// The references of an object.
    pub(super) fn references_of(&self, number: usize) -> &[Reference] {
        let start =
            |number| self.nodes.get(number).map(|node: &Node| node.first_reference as usize);
        let Some(first) = start(number) else { return &[] };
        let end = start(number + 1).unwrap_or(self.references.len());
        self.references.get(first..end).unwrap_or_default()
    }

    /// A class as an object: it refers to what its static fields do.
    fn add_class(&mut self, class: u32, class_size: i64, heap: &Heap<'_>, names: &Names) -> Node {
        let mut node = self.node(class, class_size);
        let dump = heap.classes.get(class as usize).and_then(|class| class.dump.as_ref());
        for (place, &(_, field, value)) in dump.iter().flat_map(|dump| &dump.statics).enumerate() {
            node.self_size += field.size(heap.id_size) as i64;
            if field == Type::Object && value != 0 {
                match heap.object_number(value) {
                    Some(target) => {
                        let name = names.static_field(class, place);
                        self.references.push(Reference { name, target, is_weak: false });
                    }
                    None => self.missing += 1,
                }
            }
        }
        node
    }

    fn add_object(
        &mut self,
        object: &Object,
        heap: &Heap<'_>,
        names: &Names,
        indices: &mut Indices,
        tables: &mut Tables,
    ) -> Node {
        let Some(contents) = heap.contents(object) else { return self.node(NONE, 0) };
        let class = match contents.kind {
            ObjectKind::PrimitiveArray(element) => names.array_class(element),
            _ => heap.class_number(contents.class).unwrap_or(NONE),
        };
        if class == NONE {
            match contents.kind {
                ObjectKind::PrimitiveArray(_) => self.arrays_without_class += 1,
                _ => self.objects_without_class += 1,
            }
            return self.node(NONE, 0);
        }
        let mut node = self.node(class, instance_size(heap, class));
        let count = i64::from(contents.count);
        match contents.kind {
            ObjectKind::Instance => self.refer_by_fields(class, contents.data, heap, names),
            ObjectKind::ObjectArray => {
                node.self_size += count * heap.id_size as i64;
                self.refer_by_elements(contents.data, heap, indices, tables);
            }
            ObjectKind::PrimitiveArray(element) => {
                node.self_size += count * element.size(heap.id_size) as i64;
            }
        }
        node
    }

    fn node(&self, class: u32, self_size: i64) -> Node {
        Node {
            class,
            self_size,
            native_size: 0,
            root: None,
            root_distance: -1,
            first_reference: self.references.len() as u32,
        }
    }

    fn refer_by_fields<'a>(&mut self, class: u32, data: &'a [u8], heap: &Heap<'a>, names: &Names) {
        let Self { references, missing, .. } = self;
        let is_whole = heap.fields(class, data, |owner, place, field, value| {
            if field != Type::Object || value == 0 {
                return;
            }
            let name = names.field(owner, place);
            let target = heap.object_number(value);
            *missing += i64::from(target.is_none());
            let is_weak = names.is_weak(class, name);
            references.push(Reference { name, target: target.unwrap_or(NONE), is_weak });
        });
        self.short += i64::from(!is_whole);
    }

    fn refer_by_elements(
        &mut self,
        data: &[u8],
        heap: &Heap<'_>,
        indices: &mut Indices,
        tables: &mut Tables,
    ) {
        let mut reader = Reader::of_data(data, heap.id_size);
        let mut index = 0;
        while let Some(id) = reader.id() {
            match heap.object_number(id) {
                Some(target) if id != 0 => {
                    let name = indices.name(index, tables);
                    self.references.push(Reference { name, target, is_weak: false });
                }
                None if id != 0 => self.missing += 1,
                _ => {}
            }
            index += 1;
        }
    }

    /// Walks from the roots along references that keep objects alive, by distance.
    fn mark_reachable(&mut self, heap: &Heap<'_>) {
        let mut reached = Vec::new();
        for (object, kind) in heap.roots() {
            let Some(node) = self.nodes.get_mut(object as usize) else { continue };
            (node.root, node.root_distance) = (Some(kind), 0);
            reached.push(object);
        }
        let mut next = 0;
        while let Some(&object) = reached.get(next) {
            next += 1;
            let distance = self.nodes[object as usize].root_distance.saturating_add(1);
            let first = self.nodes[object as usize].first_reference as usize;
            for index in first..first + self.references_of(object as usize).len() {
                let Reference { target, is_weak, .. } = self.references[index];
                let Some(node) = self.nodes.get_mut(target as usize).filter(|_| !is_weak) else {
                    continue;
                };
                if node.root_distance < 0 {
                    node.root_distance = distance;
                    reached.push(target);
                }
            }
        }
    }
}

/// Bytes of an object of a class, or of an array without its elements.
fn instance_size(heap: &Heap<'_>, class: u32) -> i64 {
    let dump = heap.classes.get(class as usize).and_then(|class| class.dump.as_ref());
    dump.map_or(0, |dump| i64::from(dump.instance_size))
}

/// Names of elements of arrays: `[0]`, `[1]`…
#[derive(Default)]
struct Indices(Vec<StringId>);

impl Indices {
    fn name(&mut self, index: usize, tables: &mut Tables) -> StringId {
        while self.0.len() <= index {
            self.0.push(tables.strings.intern(&format!("[{}]", self.0.len())));
        }
        self.0[index]
    }
}
