//! Machines: row 0 is the host.

use rustc_hash::FxHashMap;
use tpq_tables::Tables;
use tpq_tables::table::MachineRow;

/// Gives each machine its row.
pub(crate) struct Machines {
    rows: FxHashMap<u32, u32>,
}

impl Machines {
    pub(crate) fn new(tables: &mut Tables) -> Self {
        let host = tables.machine.push(MachineRow::default());
        Self { rows: FxHashMap::from_iter([(0, host)]) }
    }

    /// The row of the machine that packets call `raw_id`.
    pub(crate) fn get(&mut self, raw_id: u32, tables: &mut Tables) -> u32 {
        *self.rows.entry(raw_id).or_insert_with(|| {
            let raw_id = i64::from(raw_id);
            tables.machine.push(MachineRow { raw_id, ..MachineRow::default() })
        })
    }
}
