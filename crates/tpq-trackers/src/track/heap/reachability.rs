//! Objects of a dump that roots keep alive, and their distance from the roots.

use tpq_tables::StringId;

use super::graph::{HeapGraph, NONE, root_rank};

impl HeapGraph {
    /// Marks the roots, and everything that they keep alive with its shortest distance.
    /// `referent` is the name of the field through which weak references refer.
    pub(super) fn mark_reachable(&mut self, referent: Option<StringId>) {
        let mut reached = self.mark_roots();
        let mut next = 0;
        while let Some(&number) = reached.get(next) {
            next += 1;
            let object = self.objects[number as usize];
            let distance = object.root_distance.saturating_add(1);
            let is_weak =
                self.classes.get(object.class as usize).is_some_and(|class| class.is_weak());
            let first = object.first_reference as usize;
            for index in (0..object.references as usize).map(|index| first + index) {
                let Some(reference) = self.references.get(index).copied() else { break };
                let field = self.field(&reference).map(|field| field.name);
                if reference.owned == NONE || is_weak && field.is_some() && field == referent {
                    continue;
                }
                let owned = &mut self.objects[reference.owned as usize];
                if owned.root_distance < 0 {
                    owned.root_distance = distance;
                    reached.push(reference.owned);
                }
            }
        }
    }

    /// Marks the roots and returns them. Of several kinds of root the most important counts, and
    /// the first among equals.
    fn mark_roots(&mut self) -> Vec<u32> {
        let roots: Vec<(u32, u8)> = self.roots().collect();
        let mut marked = Vec::new();
        for (number, kind) in roots {
            let object = &mut self.objects[number as usize];
            match object.root_type {
                Some(known) if root_rank(known) <= root_rank(kind) => {}
                known => {
                    object.root_type = Some(kind);
                    if known.is_none() {
                        object.root_distance = 0;
                        marked.push(number);
                    }
                }
            }
        }
        marked
    }
}
