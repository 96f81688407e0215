//! A dump of a Java heap while its packets arrive.
//!
//! Names and sizes come after the objects that need them, so rows are written when the dump is
//! complete.

use rustc_hash::FxHashMap;
use tpq_tables::StringId;

use crate::ids::Upid;

/// An object as the runtime reports it.
#[derive(Clone, Copy, Debug, Default)]
pub struct NewObject<'a> {
    /// Id of the object, unique in the dump.
    pub id: u64,
    /// Id of its class.
    pub class: u64,
    /// Size, bytes; 0 if it is that of its class.
    pub self_size: u64,
    /// Number of the heap that it is on; 0 if unknown.
    pub heap_type: u32,
    /// Ids of the fields of `references`; empty if the class has them.
    pub fields: &'a [u64],
    /// Ids of the objects that it refers to; 0 for a reference to nothing.
    pub references: &'a [u64],
    /// Ids of objects that the runtime keeps for it.
    pub runtime_internal: &'a [u64],
    /// Field `size` of a `NativeAllocationRegistry`.
    pub registry_size: Option<i64>,
    /// Primitive fields, by [`PRIMITIVE_FIELDS`].
    pub primitives: [Option<i64>; PRIMITIVE_FIELDS.len()],
}

/// Primitive fields that dumps have: name, type, and whether the type is `int` rather than `long`.
pub const PRIMITIVE_FIELDS: [(&str, PrimitiveType); 5] = [
    ("android.graphics.Bitmap.mId", PrimitiveType::Long),
    ("android.graphics.Bitmap.mSourceId", PrimitiveType::Long),
    ("android.graphics.Bitmap.mWidth", PrimitiveType::Int),
    ("android.graphics.Bitmap.mHeight", PrimitiveType::Int),
    ("android.content.pm.ApplicationInfo.longVersionCode", PrimitiveType::Long),
];

/// The type of a primitive field.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PrimitiveType {
    /// `int`.
    Int,
    /// `long`.
    Long,
}

/// A class as the runtime reports it.
#[derive(Clone, Copy, Debug, Default)]
pub struct NewClass<'a> {
    /// Id of the class, unique in the dump.
    pub id: u64,
    /// Name of the class.
    pub name: StringId,
    /// Id of the name of the file that it was loaded from.
    pub location: Option<u64>,
    /// Size of its objects, bytes; 0 if objects have sizes of their own.
    pub object_size: u64,
    /// Ids of the fields with references that its objects have, without those of superclasses.
    pub fields: &'a [u64],
    /// Id of the superclass; 0 for none.
    pub superclass: u64,
    /// Id of the object that loaded it; 0 if unknown.
    pub class_loader: u64,
    /// Number of its kind.
    pub kind: u32,
}

/// Names of kinds of roots, by number.
pub(super) const ROOT_TYPES: [&str; 15] = [
    "ROOT_UNKNOWN",
    "ROOT_JNI_GLOBAL",
    "ROOT_JNI_LOCAL",
    "ROOT_JAVA_FRAME",
    "ROOT_NATIVE_STACK",
    "ROOT_STICKY_CLASS",
    "ROOT_THREAD_BLOCK",
    "ROOT_MONITOR_USED",
    "ROOT_THREAD_OBJECT",
    "ROOT_INTERNED_STRING",
    "ROOT_FINALIZING",
    "ROOT_DEBUGGER",
    "ROOT_REFERENCE_CLEANUP",
    "ROOT_VM_INTERNAL",
    "ROOT_JNI_MONITOR",
];
/// The kind of root of objects that the runtime never collects.
const VM_INTERNAL: u8 = 13;
/// Kinds of roots that count before all others, the most important first.
const FIRST_ROOT_TYPES: [u8; 3] = [5, 1, 2];

/// Names of heaps, by number.
pub(super) const HEAP_TYPES: [&str; 4] =
    ["HEAP_TYPE_UNKNOWN", "HEAP_TYPE_APP", "HEAP_TYPE_ZYGOTE", "HEAP_TYPE_BOOT_IMAGE"];
/// Heaps with objects that are never collected.
const UNCOLLECTED: [u32; 2] = [2, 3];

/// Names of kinds of classes, by number.
pub(super) const CLASS_KINDS: [&str; 12] = [
    "KIND_UNKNOWN",
    "KIND_NORMAL",
    "KIND_NOREFERENCES",
    "KIND_STRING",
    "KIND_ARRAY",
    "KIND_CLASS",
    "KIND_CLASSLOADER",
    "KIND_DEXCACHE",
    "KIND_SOFT_REFERENCE",
    "KIND_WEAK_REFERENCE",
    "KIND_FINALIZER_REFERENCE",
    "KIND_PHANTOM_REFERENCE",
];
/// Kinds of classes with objects that have no fields with references.
const WITHOUT_FIELDS: [u8; 3] = [2, 3, 4];
/// Kinds of classes with objects that do not keep what they refer to alive.
const WEAK: [u8; 3] = [9, 10, 11];

/// No object, class or field.
pub(super) const NONE: u32 = u32::MAX;
/// The field of references to objects that the runtime keeps.
pub(super) const RUNTIME_INTERNAL: u32 = u32::MAX - 1;

/// An object of the dump.
#[derive(Clone, Copy, Debug)]
pub(super) struct Object {
    pub(super) self_size: i64,
    pub(super) native_size: i64,
    /// [`NONE`] if the object itself was not sent.
    pub(super) class: u32,
    /// The first of its references, [`NONE`] without any.
    pub(super) first_reference: u32,
    pub(super) references: u32,
    /// Number of references with fields that its class lists.
    pub(super) fields_of_class: u32,
    pub(super) heap_type: u8,
    pub(super) root_type: Option<u8>,
    pub(super) root_distance: i32,
    /// Whether its size is that of its class.
    pub(super) sized_by_class: bool,
}

impl Object {
    /// An object that something refers to.
    const UNSENT: Self = Self {
        self_size: -1,
        native_size: 0,
        class: NONE,
        first_reference: NONE,
        references: 0,
        fields_of_class: 0,
        heap_type: 0,
        root_type: None,
        root_distance: -1,
        sized_by_class: false,
    };
}

/// A reference from an object to another.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reference {
    pub(super) owner: u32,
    /// [`NONE`] for a reference to nothing.
    pub(super) owned: u32,
    /// A number of a field, [`RUNTIME_INTERNAL`] or [`NONE`].
    pub(super) field: u32,
}

/// A class of the dump.
#[derive(Clone, Debug, Default)]
pub(super) struct Class {
    /// Whether the class itself was sent.
    pub(super) known: bool,
    pub(super) name: StringId,
    pub(super) location: Option<u64>,
    pub(super) object_size: u64,
    pub(super) fields: Vec<u32>,
    pub(super) superclass: u64,
    pub(super) class_loader: u32,
    pub(super) kind: u8,
}

impl Class {
    pub(super) fn has_fields(&self) -> bool {
        !WITHOUT_FIELDS.contains(&self.kind)
    }

    /// Whether its objects do not keep their referents alive.
    pub(super) fn is_weak(&self) -> bool {
        WEAK.contains(&self.kind)
    }
}

/// A field: its name with its class, and its type.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct FieldName {
    pub(super) name: StringId,
    pub(super) type_name: StringId,
}

/// A dump of a Java heap.
#[derive(Debug, Default)]
pub struct HeapGraph {
    /// Process and time; `None` before the first object or root.
    pub(super) of: Option<(Upid, i64)>,
    last_index: Option<u64>,
    pub(super) truncated: bool,
    pub(super) heap_size: Option<i64>,
    last_object: u64,
    last_heap_type: u32,
    pub(super) objects: Vec<Object>,
    object_numbers: FxHashMap<u64, u32>,
    pub(super) references: Vec<Reference>,
    pub(super) classes: Vec<Class>,
    class_numbers: FxHashMap<u64, u32>,
    /// Names of fields, by number; `None` for those that were not sent.
    pub(super) fields: Vec<Option<FieldName>>,
    field_numbers: FxHashMap<u64, u32>,
    pub(super) locations: FxHashMap<u64, StringId>,
    /// Ids of objects with their kinds of root.
    roots: Vec<(u64, u8)>,
    uncollected: Vec<u32>,
    /// Field `size` of objects of the class `NativeAllocationRegistry`.
    pub(super) registry_sizes: FxHashMap<u32, i64>,
    /// Primitive fields of objects.
    pub(super) primitives: Vec<(u32, [Option<i64>; PRIMITIVE_FIELDS.len()])>,
}

impl HeapGraph {
    /// Notes the position of a packet among those of its sequence. Returns whether packets before
    /// it are missing.
    pub fn set_index(&mut self, index: u64) -> bool {
        let expected = self.last_index.map_or(0, |last| last.wrapping_add(1));
        self.last_index = Some(index);
        let missing = index != expected;
        self.truncated |= missing;
        missing
    }

    /// Sets the memory that the runtime counts as allocated, bytes.
    pub fn set_heap_size(&mut self, bytes: i64) {
        self.heap_size = Some(bytes);
    }

    /// Returns whether the dump is of this process and time; the first call decides.
    pub fn belongs_to(&mut self, upid: Upid, ts: i64) -> bool {
        *self.of.get_or_insert((upid, ts)) == (upid, ts)
    }

    /// The number of objects that were sent or are referred to.
    pub fn object_count(&self) -> usize {
        self.objects.len()
    }

    /// The id of the last object.
    pub fn last_object(&self) -> u64 {
        self.last_object
    }

    /// Notes the id of an object. Ids are relative to the last one even if that was damaged.
    pub fn set_last_object(&mut self, id: u64) {
        self.last_object = id;
    }

    /// The heap of the last object.
    pub fn last_heap_type(&self) -> u32 {
        self.last_heap_type
    }

    /// Notes the heap of an object.
    pub fn set_last_heap_type(&mut self, heap_type: u32) {
        self.last_heap_type = heap_type;
    }

    /// Adds an object.
    pub fn add_object(&mut self, new: &NewObject<'_>) {
        let number = self.object_number(new.id);
        let class = self.class_number(new.class);
        let heap_type = u8::try_from(new.heap_type).unwrap_or_default();
        if UNCOLLECTED.contains(&new.heap_type) {
            self.uncollected.push(number);
        }
        let first_reference = self.references.len() as u32;
        for (index, &id) in new.references.iter().enumerate() {
            let owned = if id == 0 { NONE } else { self.object_number(id) };
            let field = new.fields.get(index).map_or(NONE, |&id| self.field_number(id));
            self.references.push(Reference { owner: number, owned, field });
        }
        for &id in new.runtime_internal {
            let owned = self.object_number(id);
            self.references.push(Reference { owner: number, owned, field: RUNTIME_INTERNAL });
        }
        let references = self.references.len() as u32 - first_reference;
        let object = &mut self.objects[number as usize];
        object.self_size = new.self_size as i64;
        object.sized_by_class = new.self_size == 0;
        object.class = class;
        if heap_type != 0 {
            object.heap_type = heap_type;
        }
        if references > 0 {
            object.first_reference = first_reference;
            object.references = references;
            object.fields_of_class = match new.fields.is_empty() {
                true => new.references.len() as u32,
                false => 0,
            };
        }
        if let Some(size) = new.registry_size {
            self.registry_sizes.insert(number, size);
        }
        if new.primitives.iter().any(Option::is_some) {
            self.primitives.push((number, new.primitives));
        }
    }

    /// Adds a root, by the id of its object.
    pub fn add_root(&mut self, object: u64, root_type: u32) {
        let known = (root_type as usize) < ROOT_TYPES.len();
        self.roots.push((object, if known { root_type as u8 } else { 0 }));
    }

    /// Adds a class; a later description of the same class replaces an earlier one.
    pub fn add_class(&mut self, new: &NewClass<'_>) {
        let number = self.class_number(new.id);
        let fields = new.fields.iter().map(|&id| self.field_number(id)).collect();
        let class_loader = match new.class_loader {
            0 => NONE,
            id => self.object_number(id),
        };
        let known = (new.kind as usize) < CLASS_KINDS.len();
        self.classes[number as usize] = Class {
            known: true,
            name: new.name,
            location: new.location,
            object_size: new.object_size,
            fields,
            superclass: new.superclass,
            class_loader,
            kind: if known { new.kind as u8 } else { 0 },
        };
    }

    /// Adds the name of a field. The first name of an id counts.
    pub fn add_field(&mut self, id: u64, name: StringId, type_name: StringId) {
        let number = self.field_number(id);
        self.fields[number as usize].get_or_insert(FieldName { name, type_name });
    }

    /// Adds the name of a file with classes. The first name of an id counts.
    pub fn add_location(&mut self, id: u64, name: StringId) {
        self.locations.entry(id).or_insert(name);
    }

    /// The name of a reference's field; `None` without one.
    pub(super) fn field(&self, reference: &Reference) -> Option<FieldName> {
        self.fields.get(reference.field as usize).copied().flatten()
    }

    /// The references of an object.
    pub(super) fn references_of(&self, object: &Object) -> &[Reference] {
        let first = object.first_reference as usize;
        let last = first.saturating_add(object.references as usize);
        self.references.get(first..last).unwrap_or_default()
    }

    /// The number of the superclass, if it was sent.
    pub(super) fn superclass(&self, class: &Class) -> Option<u32> {
        let number = self.class_numbers.get(&class.superclass).filter(|_| class.superclass != 0)?;
        self.classes[*number as usize].known.then_some(*number)
    }

    /// The numbers of the root objects with their kinds of root, those that the runtime never
    /// collects last. Objects that nothing describes are left out.
    pub(super) fn roots(&self) -> impl Iterator<Item = (u32, u8)> {
        let number = move |&(id, kind): &(u64, u8)| Some((*self.object_numbers.get(&id)?, kind));
        let uncollected = self.uncollected.iter().map(|&number| (number, VM_INTERNAL));
        self.roots.iter().filter_map(number).chain(uncollected)
    }

    fn object_number(&mut self, id: u64) -> u32 {
        let objects = &mut self.objects;
        *self.object_numbers.entry(id).or_insert_with(|| {
            objects.push(Object::UNSENT);
            objects.len() as u32 - 1
        })
    }

    fn class_number(&mut self, id: u64) -> u32 {
        let classes = &mut self.classes;
        *self.class_numbers.entry(id).or_insert_with(|| {
            classes.push(Class { class_loader: NONE, ..Class::default() });
            classes.len() as u32 - 1
        })
    }

    fn field_number(&mut self, id: u64) -> u32 {
        let fields = &mut self.fields;
        *self.field_numbers.entry(id).or_insert_with(|| {
            fields.push(None);
            fields.len() as u32 - 1
        })
    }
}

/// The place of a kind of root in the order of importance, from 0.
pub(super) fn root_rank(kind: u8) -> usize {
    FIRST_ROOT_TYPES.iter().position(|&first| first == kind).unwrap_or(FIRST_ROOT_TYPES.len())
}
