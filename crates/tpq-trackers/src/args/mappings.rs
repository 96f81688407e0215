//! Parts of binaries that were mapped into memory, each once.

use rustc_hash::FxHashMap;
use tpq_tables::table::{StackProfileMappingRow, StackProfileMappingTable};

use crate::fingerprint::Fingerprint;

/// Writes `stack_profile_mapping`.
#[derive(Debug, Default)]
pub struct Mappings(FxHashMap<u128, u32>);

impl Mappings {
    /// The row of a mapping, made when there is none that is the same in all.
    pub fn get(
        &mut self,
        row: StackProfileMappingRow,
        table: &mut StackProfileMappingTable,
    ) -> u32 {
        let mut print = Fingerprint::default();
        print.mix(u64::from(row.build_id.0) << 32 | u64::from(row.name.0));
        for number in [row.exact_offset, row.start_offset, row.start, row.end, row.load_bias] {
            print.mix(number as u64);
        }
        *self.0.entry(print.finish()).or_insert_with(|| table.push(row))
    }
}
