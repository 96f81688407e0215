//! The classes and objects of a dump.

use std::borrow::Cow;

use rustc_hash::FxHashMap;
use tpq_trackers::track::ancestors_with_fields;

use super::records::{
    ClassDump, Header, ObjectDump, ObjectKind, Reader, Record, Type, object_at, walk,
};
use crate::text::text_of;

/// No class or object.
pub(super) const NONE: u32 = u32::MAX;

/// A class.
#[derive(Debug)]
pub(super) struct Class {
    /// Id of the name.
    pub(super) name: u64,
    /// Contents; `None` if the heap does not have it.
    pub(super) dump: Option<ClassDump>,
    /// The nearest superclass that has fields; [`NONE`] without one.
    next_with_fields: u32,
}

/// An object. Its contents are read again where they are needed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Object {
    /// Offset of its record in the file.
    at: u32,
    /// The class that it is; [`NONE`] for other objects.
    pub(super) class_object: u32,
    /// Heap that it is on, by the number of its name; [`NONE`] if unknown.
    pub(super) heap: u32,
}

/// Numbers of records.
#[derive(Clone, Debug, Default)]
pub(super) struct Counts {
    pub(super) texts: i64,
    pub(super) classes: i64,
    pub(super) sections: i64,
    pub(super) instances: i64,
    pub(super) object_arrays: i64,
    pub(super) primitive_arrays: i64,
    pub(super) roots: i64,
    pub(super) records: i64,
    /// Classes of the heap without a name.
    pub(super) unnamed_classes: i64,
    /// Records of other kinds.
    pub(super) others: FxHashMap<u8, i64>,
}

/// A dump.
#[derive(Debug)]
pub(super) struct Heap<'a> {
    file: &'a [u8],
    pub(super) id_size: usize,
    texts: FxHashMap<u64, &'a [u8]>,
    pub(super) classes: Vec<Class>,
    class_numbers: FxHashMap<u64, u32>,
    pub(super) objects: Vec<Object>,
    object_numbers: FxHashMap<u64, u32>,
    /// Kinds of roots by the ids of objects.
    roots: FxHashMap<u64, u8>,
    /// Ids of names of heaps.
    pub(super) heaps: Vec<u64>,
    pub(super) counts: Counts,
    /// Whether a part of the dump is damaged or missing.
    pub(super) is_damaged: bool,
}

impl<'a> Heap<'a> {
    pub(super) fn read(file: &'a [u8], header: Header) -> Self {
        let mut heap = Self {
            file,
            id_size: header.id_size,
            texts: FxHashMap::default(),
            classes: Vec::new(),
            class_numbers: FxHashMap::default(),
            objects: Vec::new(),
            object_numbers: FxHashMap::default(),
            roots: FxHashMap::default(),
            heaps: Vec::new(),
            counts: Counts::default(),
            is_damaged: false,
        };
        let problems = walk(file, header, |at, record| heap.add(at, record));
        heap.is_damaged = !problems.is_empty();
        heap.link_classes();
        heap
    }

    fn add(&mut self, at: usize, record: Record<'a>) {
        let counts = &mut self.counts;
        counts.records += 1;
        match record {
            Record::Text(id, text) => {
                counts.texts += 1;
                self.texts.insert(id, text);
            }
            Record::ClassName(id, name) => {
                counts.classes += 1;
                let classes = &mut self.classes;
                let number = *self.class_numbers.entry(id).or_insert_with(|| {
                    classes.push(Class { name, dump: None, next_with_fields: NONE });
                    classes.len() as u32 - 1
                });
                self.classes[number as usize].name = name;
            }
            Record::Section => counts.sections += 1,
            Record::HeapName(name) => self.heaps.push(name),
            Record::Root(object, kind) => {
                counts.roots += 1;
                self.roots.insert(object, kind);
            }
            Record::Class(dump) => self.add_class(at, dump),
            Record::Object(object) => {
                match object.kind {
                    ObjectKind::Instance => counts.instances += 1,
                    ObjectKind::ObjectArray => counts.object_arrays += 1,
                    ObjectKind::PrimitiveArray(_) => counts.primitive_arrays += 1,
                }
                self.add_object(object.id, at, NONE);
            }
            Record::Other(kind) => *counts.others.entry(kind).or_default() += 1,
        }
    }

    fn add_class(&mut self, at: usize, dump: ClassDump) {
        let Some(&number) = self.class_numbers.get(&dump.id) else {
            self.counts.unnamed_classes += 1;
            return;
        };
        self.add_object(dump.id, at, number);
        self.classes[number as usize].dump = Some(dump);
    }

    /// Adds an object. A later one of the same id replaces it.
    fn add_object(&mut self, id: u64, at: usize, class_object: u32) {
        let heap = (self.heaps.len() as u32).checked_sub(1).unwrap_or(NONE);
        // Files of 4 GiB or more are not read.
        let object = Object { at: at as u32, class_object, heap };
        match self.object_numbers.get(&id) {
            Some(&number) => self.objects[number as usize] = object,
            None => {
                self.object_numbers.insert(id, self.objects.len() as u32);
                self.objects.push(object);
            }
        }
    }

    /// Finds the nearest superclass with fields of each class.
    fn link_classes(&mut self) {
        let ancestors = ancestors_with_fields(
            self.classes.len(),
            |class| self.superclass(class),
            |class| self.has_fields(class),
        );
        for (class, ancestor) in self.classes.iter_mut().zip(ancestors) {
            class.next_with_fields = ancestor.unwrap_or(NONE);
        }
    }

    /// The superclass of a class.
    pub(super) fn superclass(&self, class: u32) -> Option<u32> {
        let dump = self.classes.get(class as usize)?.dump.as_ref()?;
        self.class_numbers.get(&dump.superclass).copied()
    }

    fn has_fields(&self, class: u32) -> bool {
        let class = self.classes.get(class as usize).and_then(|class| class.dump.as_ref());
        class.is_some_and(|dump| !dump.fields.is_empty())
    }

    /// A text; its id in words if the dump lacks it.
    pub(super) fn text(&self, id: u64) -> Cow<'a, str> {
        match self.texts.get(&id) {
            Some(text) => text_of(text),
            None => Cow::Owned(format!("[unknown string ID: {id}]")),
        }
    }

    /// Bytes of a text.
    pub(super) fn text_len(&self, id: u64) -> usize {
        self.texts.get(&id).map_or(0, |text| text.len())
    }

    /// The name of a class as Java's source has it, such as `java.lang.String[]`.
    pub(super) fn class_name(&self, class: &Class) -> String {
        java_name(&self.text(class.name))
    }

    /// The number of the class of an id.
    pub(super) fn class_number(&self, id: u64) -> Option<u32> {
        self.class_numbers.get(&id).copied()
    }

    /// The number of the object of an id.
    pub(super) fn object_number(&self, id: u64) -> Option<u32> {
        self.object_numbers.get(&id).copied()
    }

    /// The objects that are roots, each with its kind of root.
    pub(super) fn roots(&self) -> impl Iterator<Item = (u32, u8)> {
        self.roots.iter().filter_map(|(id, &kind)| Some((self.object_number(*id)?, kind)))
    }

    /// The contents of an object that is no class.
    pub(super) fn contents(&self, object: &Object) -> Option<ObjectDump<'a>> {
        object_at(self.file, object.at as usize, self.id_size)
    }

    /// Calls a function with each field of an object: class and place of the field there, type and
    /// value. Returns whether the data has all fields.
    pub(super) fn fields(
        &self,
        class: u32,
        data: &[u8],
        mut each: impl FnMut(u32, usize, Type, u64),
    ) -> bool {
        let mut reader = Reader::of_data(data, self.id_size);
        let mut at = class;
        // Each class but the first has fields, so the data ends before a circle does harm.
        while let Some(class) = self.classes.get(at as usize) {
            let fields = class.dump.as_ref().map_or(&[][..], |dump| &dump.fields);
            for (place, &(_, field)) in fields.iter().enumerate() {
                let Some(value) = reader.value(field) else { return false };
                each(at, place, field, value);
            }
            at = class.next_with_fields;
        }
        true
    }
}

/// A name as Java's source has it: dumps of other virtual machines than Android's have `[I` and
/// `[Ljava/lang/String;`.
fn java_name(name: &str) -> String {
    let element = name.trim_start_matches('[');
    let dimensions = name.len() - element.len();
    let element = match (dimensions, element) {
        (0, name) => name,
        (_, "Z") => "boolean",
        (_, "B") => "byte",
        (_, "C") => "char",
        (_, "S") => "short",
        (_, "I") => "int",
        (_, "J") => "long",
        (_, "F") => "float",
        (_, "D") => "double",
        (_, name) => name.strip_prefix('L').unwrap_or(name).trim_end_matches(';'),
    };
    let mut name = element.replace('/', ".");
    (0..dimensions).for_each(|_| name.push_str("[]"));
    name
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_classes() {
        for (name, expected) in [
            ("java.lang.Class", "java.lang.Class"),
            ("java/lang/Class", "java.lang.Class"),
            ("byte[]", "byte[]"),
            ("[B", "byte[]"),
            ("[[J", "long[][]"),
            ("[Ljava/lang/String;", "java.lang.String[]"),
            ("[", "[]"),
        ] {
            assert_eq!(java_name(name), expected);
        }
    }
}
