//! Native memory that Java objects own.
//!
//! An object with native memory is the referent of a `Cleaner`. Its thunk leads to the
//! `NativeAllocationRegistry` that states the size:
//!
//! ```text
//! Cleaner ──referent──▶ object
//!    │ thunk
//!    ▼
//! CleanerThunk ──this$0──▶ NativeAllocationRegistry, with a size
//! ```

use tpq_tables::{StringId, StringPool};

use super::graph::{HeapGraph, NONE, Object};

/// The class of cleaners.
const CLEANER: &str = "sun.misc.Cleaner";
/// The field of the object that a reference is of.
pub(super) const REFERENT: &str = "java.lang.ref.Reference.referent";
const THUNK: &str = "sun.misc.Cleaner.thunk";
/// Cleaners are a list. One that ran refers to itself.
const NEXT: &str = "sun.misc.Cleaner.next";
const REGISTRY: &str = "libcore.util.NativeAllocationRegistry$CleanerThunk.this$0";
/// The bit of a size that states how the memory was allocated.
const IS_MALLOCED: i64 = 1;

impl HeapGraph {
    /// Adds the sizes of registered native memory to the objects that own it.
    pub(super) fn add_native_sizes(&mut self, strings: &StringPool) {
        let Some(cleaner) = strings.find(CLEANER) else { return };
        let [Some(referent), Some(thunk), Some(registry)] =
            [REFERENT, THUNK, REGISTRY].map(|name| strings.find(name))
        else {
            return;
        };
        let next = strings.find(NEXT);
        for number in 0..self.objects.len() {
            let object = self.objects[number];
            let class = self.classes.get(object.class as usize);
            if class.is_none_or(|class| class.name != cleaner) {
                continue;
            }
            let owner = self.referred(&object, referent);
            let thunk = self.referred(&object, thunk);
            let following = next.and_then(|next| self.referred(&object, next));
            let (Some(owner), Some(thunk)) = (owner, thunk) else { continue };
            if following == Some(number as u32) {
                continue;
            }
            let thunk = self.objects[thunk as usize];
            let registry = self.referred(&thunk, registry);
            let size = registry.and_then(|registry| self.registry_sizes.get(&registry).copied());
            if let Some(size) = size {
                let owner = &mut self.objects[owner as usize];
                owner.native_size = owner.native_size.saturating_add(size & !IS_MALLOCED);
            }
        }
    }

    /// The object that a field refers to.
    pub(super) fn referred(&self, object: &Object, field: StringId) -> Option<u32> {
        let references = self.references_of(object).iter();
        let mut named =
            references.filter(|reference| self.field(reference).is_some_and(|it| it.name == field));
        named.next().map(|reference| reference.owned).filter(|&owned| owned != NONE)
    }
}
