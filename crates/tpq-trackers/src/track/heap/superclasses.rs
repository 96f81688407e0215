//! Superclasses of the classes in a dump, from the field `superClass` of class objects.

use rustc_hash::FxHashMap;
use tpq_tables::{StringId, StringPool};

use super::class_names::ClassName;
use super::graph::HeapGraph;

/// The field of a class object that refers to that of the superclass.
const SUPERCLASS: &str = "java.lang.Class.superClass";

/// A class by its name and the file that it was loaded from.
type Key = (StringId, StringId);

impl HeapGraph {
    /// The number of the superclass of each class. `locations` are the files of the classes.
    pub(super) fn superclasses(
        &self,
        locations: &[StringId],
        strings: &mut StringPool,
    ) -> Vec<Option<u32>> {
        let mut found = vec![None; self.classes.len()];
        let Some(field) = strings.find(SUPERCLASS) else { return found };
        let bases = self.bases(strings);
        let mut superclasses: FxHashMap<Key, Key> = FxHashMap::default();
        for object in &self.objects {
            let Some(base) = bases.get(object.class as usize) else { continue };
            if !base.is_class_object {
                continue;
            }
            let Some(superclass) = self.referred(object, field) else { continue };
            let superclass = self.objects[superclass as usize].class as usize;
            let Some(of_superclass) = bases.get(superclass) else { continue };
            superclasses.insert(
                (base.name, locations[object.class as usize]),
                (of_superclass.name, locations[superclass]),
            );
        }
        let classes = self.classes.iter().zip(locations).enumerate();
        let numbers: FxHashMap<Key, u32> = classes
            .map(|(number, (class, &location))| ((class.name, location), number as u32))
            .collect();
        for (number, base) in bases.iter().enumerate().filter(|(_, base)| base.is_plain) {
            let superclass = superclasses.get(&(base.name, locations[number]));
            found[number] = superclass.and_then(|key| numbers.get(key).copied());
        }
        found
    }

    fn bases(&self, strings: &mut StringPool) -> Vec<Base> {
        let base = |name: StringId| {
            let text = strings.get(name);
            let class = ClassName::of(text);
            let is_class_object = class.is_class_object && class.arrays == 0;
            if class.is_plain() {
                return Base { name, is_class_object, is_plain: true };
            }
            let base = class.base.to_owned();
            Base { name: strings.intern(&base), is_class_object, is_plain: false }
        };
        self.classes.iter().map(|class| class.name).map(base).collect()
    }
}

/// The class that a class is made of.
struct Base {
    name: StringId,
    /// Whether it is the class object of a class, not of an array.
    is_class_object: bool,
    is_plain: bool,
}
