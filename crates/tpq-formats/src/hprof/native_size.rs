//! Native memory of objects: a cleaner refers to the object, and by its thunk to a registry that
//! states the size.

use tpq_tables::Tables;

use super::graph::Graph;
use super::heap::{Heap, NONE};
use super::names::Names;

const CLEANER: &str = "sun.misc.Cleaner";
const NEXT: &str = "sun.misc.Cleaner.next";
const REFERENT: &str = "java.lang.ref.Reference.referent";
const THUNK: &str = "sun.misc.Cleaner.thunk";
const REGISTRY: &str = "libcore.util.NativeAllocationRegistry$CleanerThunk.this$0";
const SIZE: &str = "libcore.util.NativeAllocationRegistry.size";
/// The bit of a size that states the kind of memory.
const IS_MALLOCED: i64 = 1;

impl Graph {
    /// Adds the native memory that is registered for objects.
    pub(super) fn add_native_sizes(&mut self, heap: &Heap<'_>, names: &Names, tables: &Tables) {
        let Some(cleaner) = names.class(CLEANER, tables) else { return };
        for number in 0..self.nodes.len() {
            if self.nodes[number].class != cleaner
                || heap.objects[number].class_object != NONE
                || self.referred(number, NEXT, tables) == Some(number)
            {
                continue;
            }
            let owner = self.referred(number, REFERENT, tables);
            let thunk = self.referred(number, THUNK, tables);
            let registry = thunk.and_then(|thunk| self.referred(thunk, REGISTRY, tables));
            let size = registry.and_then(|it| self.registry_size(it, heap, names, tables));
            if let (Some(owner), Some(size)) = (owner, size.filter(|&size| size > 0)) {
                let owner = &mut self.nodes[owner].native_size;
                *owner = owner.saturating_add(size & !IS_MALLOCED);
            }
        }
    }

    /// The object that a field refers to.
    fn referred(&self, number: usize, field: &str, tables: &Tables) -> Option<usize> {
        let name = tables.strings.find(field)?;
        let reference = self.references_of(number).iter().find(|it| it.name == name)?;
        (reference.target != NONE).then_some(reference.target as usize)
    }

    fn registry_size(
        &self,
        number: usize,
        heap: &Heap<'_>,
        names: &Names,
        tables: &Tables,
    ) -> Option<i64> {
        let name = tables.strings.find(SIZE)?;
        let object = heap.objects.get(number).filter(|object| object.class_object == NONE)?;
        let contents = heap.contents(object)?;
        let mut size = None;
        heap.fields(self.nodes.get(number)?.class, contents.data, |class, place, _, value| {
            if names.field(class, place) == name {
                size = Some(value.cast_signed());
            }
        });
        size
    }
}
