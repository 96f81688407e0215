//! CPUs, unique over machines.

use rustc_hash::FxHashMap;
use tpq_tables::Tables;
use tpq_tables::table::CpuRow;

/// CPU numbers past this are taken for damage: no machine has so many.
pub(crate) const MAX_CPUS: u32 = 4096;

/// Gives each CPU its row.
#[derive(Default)]
pub(crate) struct Cpus {
    ucpus: FxHashMap<(u32, u32), u32>,
    last: Option<((u32, u32), u32)>,
}

impl Cpus {
    /// The row of a machine's CPU. Rows of a machine are dense: a CPU that was seen stands for
    /// all with lower numbers, so that a row's id is the CPU's number on a single machine.
    pub(crate) fn get(&mut self, machine: u32, cpu: u32, tables: &mut Tables) -> u32 {
        let key = (machine, cpu);
        if let Some((last, ucpu)) = self.last
            && last == key
        {
            return ucpu;
        }
        let ucpu = match self.ucpus.get(&key) {
            Some(&ucpu) => ucpu,
            None => self.add(machine, cpu, tables),
        };
        self.last = Some((key, ucpu));
        ucpu
    }

    fn add(&mut self, machine: u32, cpu: u32, tables: &mut Tables) -> u32 {
        for lower in 0..=cpu.min(MAX_CPUS) {
            self.ucpus.entry((machine, lower)).or_insert_with(|| {
                tables.cpu.push(CpuRow {
                    cpu: Some(lower),
                    cluster_id: Some(0),
                    machine_id: machine,
                    ..CpuRow::default()
                })
            });
        }
        self.ucpus[&(machine, cpu.min(MAX_CPUS))]
    }
}
