//! CPUs, unique over machines.

use tpq_tables::Tables;
use tpq_tables::table::CpuRow;

/// CPU numbers past this are taken for damage: no machine has this many.
pub const MAX_CPUS: u32 = 4096;

/// Gives each CPU its row.
#[derive(Default)]
pub struct Cpus {
    /// The rows of each machine's CPUs, by number.
    ucpus: Vec<Vec<u32>>,
}

impl Cpus {
    /// The row of a machine's CPU. Rows of a machine are dense: a CPU that was seen stands for
    /// all with lower numbers, so that a row's id is the CPU's number on a single machine.
    pub fn get(&mut self, machine: u32, cpu: u32, tables: &mut Tables) -> u32 {
        let known = self.ucpus.get(machine as usize).and_then(|cpus| cpus.get(cpu as usize));
        match known {
            Some(&ucpu) => ucpu,
            None => self.add(machine, cpu.min(MAX_CPUS), tables),
        }
    }

    #[cold]
    fn add(&mut self, machine: u32, cpu: u32, tables: &mut Tables) -> u32 {
        let machines = self.ucpus.len().max(machine as usize + 1);
        self.ucpus.resize_with(machines, Vec::new);
        let cpus = &mut self.ucpus[machine as usize];
        for number in cpus.len() as u32..=cpu {
            cpus.push(tables.cpu.push(CpuRow {
                cpu: Some(number),
                cluster_id: Some(0),
                machine_id: machine,
                ..CpuRow::default()
            }));
        }
        cpus[cpu as usize]
    }
}
