//! Parts of binaries that were mapped into memory, each once.

use rustc_hash::FxHashMap;
use tpq_tables::StringId;
use tpq_tables::table::{StackProfileMappingRow, StackProfileMappingTable};

/// Writes `stack_profile_mapping`.
#[derive(Debug, Default)]
pub struct Mappings(FxHashMap<Contents, u32>);

/// All columns of a row.
type Contents = ([StringId; 2], [i64; 5]);

impl Mappings {
    /// The row of a mapping, made when there is none that is the same in all.
    pub fn get(
        &mut self,
        row: StackProfileMappingRow,
        table: &mut StackProfileMappingTable,
    ) -> u32 {
        let StackProfileMappingRow { build_id, name, .. } = row;
        let numbers = [row.exact_offset, row.start_offset, row.start, row.end, row.load_bias];
        *self.0.entry(([build_id, name], numbers)).or_insert_with(|| table.push(row))
    }
}
