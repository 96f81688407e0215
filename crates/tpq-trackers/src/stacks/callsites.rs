//! Frames with their callers, each once.

use rustc_hash::FxHashMap;
use tpq_tables::Tables;
use tpq_tables::table::StackProfileCallsiteRow;

/// Writes `stack_profile_callsite`.
#[derive(Debug, Default)]
pub struct Callsites(FxHashMap<(Option<u32>, u32), u32>);

impl Callsites {
    /// The row of a frame that the callsite `parent` calls; the outermost frame has no parent.
    /// `depth` is the number of its callers.
    pub fn get(&mut self, parent: Option<u32>, frame: u32, depth: u32, tables: &mut Tables) -> u32 {
        *self.0.entry((parent, frame)).or_insert_with(|| {
            let row = StackProfileCallsiteRow { depth, parent_id: parent, frame_id: frame };
            tables.stack_profile_callsite.push(row)
        })
    }

    /// The number of callsites.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are no callsites.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}
