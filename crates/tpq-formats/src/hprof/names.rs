//! Names of classes and fields, and what follows from them.

use rustc_hash::FxHashMap;
use tpq_tables::{StringId, Tables};

use super::heap::{Class, Heap, NONE};
use super::records::Type;

/// Bytes of the names of all fields with their classes. A few bytes can name many fields of a class
/// with a long name.
const MOST_NAME_BYTES: usize = 256 << 20;

/// Base classes of references, the kind of their classes, and whether they let their referent be
/// collected.
const REFERENCES: [(&str, &str, bool); 4] = [
    ("java.lang.ref.SoftReference", "KIND_SOFT_REFERENCE", false),
    ("java.lang.ref.WeakReference", "KIND_WEAK_REFERENCE", true),
    ("java.lang.ref.PhantomReference", "KIND_PHANTOM_REFERENCE", true),
    ("java.lang.ref.FinalizerReference", "KIND_FINALIZER_REFERENCE", true),
];
const REFERENT: &str = "java.lang.ref.Reference.referent";

/// Names of a dump.
pub(super) struct Names {
    /// Names of classes.
    pub(super) classes: Vec<StringId>,
    /// Names of the fields of each class, with the class.
    fields: Vec<Vec<StringId>>,
    /// Names of its static fields.
    statics: Vec<Vec<StringId>>,
    /// For each class, its base class in [`REFERENCES`].
    references: Vec<Option<u8>>,
    referent: StringId,
    /// The classes of arrays of primitive values.
    arrays: [u32; 9],
    /// Fields without a name, for which there was no room.
    pub(super) unnamed: i64,
}

impl Names {
    pub(super) fn of(heap: &Heap<'_>, tables: &mut Tables) -> Self {
        let mut names = Self {
            classes: Vec::with_capacity(heap.classes.len()),
            fields: Vec::new(),
            statics: Vec::new(),
            references: vec![None; heap.classes.len()],
            referent: tables.strings.intern(REFERENT),
            arrays: [NONE; 9],
            unnamed: 0,
        };
        let mut budget = MOST_NAME_BYTES;
        let mut bases = vec![None; heap.classes.len()];
        // Many classes can have one long name.
        let mut known: FxHashMap<u64, (StringId, String)> = FxHashMap::default();
        for (number, class) in heap.classes.iter().enumerate() {
            let (id, name) = known.entry(class.name).or_insert_with(|| {
                let name = heap.class_name(class);
                (tables.strings.intern(&name), name)
            });
            names.classes.push(*id);
            bases[number] = REFERENCES.iter().position(|&(base, ..)| base == name);
            names.note_array(name, number as u32);
            names.name_fields((heap, class), name, &mut budget, tables);
        }
        names.find_references(heap, &bases);
        names
    }

    fn note_array(&mut self, name: &str, number: u32) {
        let element = name.strip_suffix("[]");
        let place = TYPES.iter().position(|element_type| Some(element_type.name()) == element);
        if let Some(place) = place.and_then(|place| self.arrays.get_mut(place)) {
            *place = number;
        }
    }

    fn name_fields(
        &mut self,
        (heap, class): (&Heap<'_>, &Class),
        class_name: &str,
        budget: &mut usize,
        tables: &mut Tables,
    ) {
        let Some(dump) = &class.dump else {
            self.fields.push(Vec::new());
            self.statics.push(Vec::new());
            return;
        };
        let unnamed = &mut self.unnamed;
        let mut qualified = |id: u64| match budget.checked_sub(class_name.len() + heap.text_len(id))
        {
            Some(rest) => {
                *budget = rest;
                tables.strings.intern(&format!("{class_name}.{}", heap.text(id)))
            }
            None => {
                *unnamed += 1;
                StringId::NULL
            }
        };
        self.fields.push(dump.fields.iter().map(|&(name, _)| qualified(name)).collect());
        self.statics.push(dump.statics.iter().map(|&(name, ..)| qualified(name)).collect());
    }

    /// Finds the classes that inherit from a class of references.
    fn find_references(&mut self, heap: &Heap<'_>, bases: &[Option<usize>]) {
        let mut is_found = vec![false; bases.len()];
        let mut path = Vec::new();
        for number in 0..bases.len() as u32 {
            let mut at = Some(number);
            let mut base = None;
            while let Some(class) = at {
                let index = class as usize;
                // A class that was passed on this path inherits from itself.
                if std::mem::replace(&mut is_found[index], true) {
                    base = self.references[index];
                    break;
                }
                path.push(index);
                if let Some(found) = bases[index] {
                    base = Some(found as u8);
                    break;
                }
                at = heap.superclass(class);
            }
            for index in path.drain(..) {
                self.references[index] = base;
            }
        }
    }

    /// The name of a field.
    pub(super) fn field(&self, class: u32, place: usize) -> StringId {
        let fields = self.fields.get(class as usize);
        fields.and_then(|fields| fields.get(place)).copied().unwrap_or_default()
    }

    /// The name of a static field.
    pub(super) fn static_field(&self, class: u32, place: usize) -> StringId {
        let fields = self.statics.get(class as usize);
        fields.and_then(|fields| fields.get(place)).copied().unwrap_or_default()
    }

    /// The kind of a class, if it is one of references.
    pub(super) fn kind(&self, class: usize) -> Option<&'static str> {
        let base = self.references.get(class).copied().flatten()?;
        REFERENCES.get(usize::from(base)).map(|&(_, kind, _)| kind)
    }

    /// Whether a field of an object does not keep what it refers to alive.
    pub(super) fn is_weak(&self, object_class: u32, field: StringId) -> bool {
        let base = self.references.get(object_class as usize).copied().flatten();
        field == self.referent
            && base.and_then(|base| REFERENCES.get(usize::from(base))).is_some_and(|it| it.2)
    }

    /// The class of arrays of primitive values; [`NONE`] if the dump has none.
    pub(super) fn array_class(&self, element: Type) -> u32 {
        let place = TYPES.iter().position(|&found| found == element);
        place.and_then(|place| self.arrays.get(place)).copied().unwrap_or(NONE)
    }

    /// The class of a name.
    pub(super) fn class(&self, name: &str, tables: &Tables) -> Option<u32> {
        let name = tables.strings.find(name)?;
        self.classes.iter().position(|&found| found == name).map(|number| number as u32)
    }
}

const TYPES: [Type; 9] = [
    Type::Object,
    Type::Boolean,
    Type::Char,
    Type::Float,
    Type::Double,
    Type::Byte,
    Type::Short,
    Type::Int,
    Type::Long,
];
