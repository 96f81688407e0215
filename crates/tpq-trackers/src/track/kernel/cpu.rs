//! CPUs, unique over machines.

use tpq_tables::Tables;
use tpq_tables::table::CpuRow;

/// CPU numbers past this are taken for damage: no machine has this many.
pub const MAX_CPUS: u32 = 4096;

/// Gives each CPU its row.
#[derive(Default)]
pub struct Cpus {
    /// The rows of each machine's CPUs, by number.
    ucpus: Vec<Vec<CpuOfMachine>>,
}

/// A CPU, or one that has a row only because others with higher numbers have one.
#[derive(Clone, Copy)]
struct CpuOfMachine {
    row: u32,
    is_seen: bool,
}

impl Cpus {
    /// The row of a machine's CPU. Rows of a machine are dense, so that a row's id is the CPU's
    /// number on a single machine; those of CPUs that are never seen have no number.
    pub fn get(&mut self, machine: u32, cpu: u32, tables: &mut Tables) -> u32 {
        let known = self.ucpus.get(machine as usize).and_then(|cpus| cpus.get(cpu as usize));
        match known {
            Some(&CpuOfMachine { row, is_seen: true }) => row,
            _ => self.add(machine, cpu.min(MAX_CPUS), tables),
        }
    }

    #[cold]
    fn add(&mut self, machine: u32, cpu: u32, tables: &mut Tables) -> u32 {
        let machines = self.ucpus.len().max(machine as usize + 1);
        self.ucpus.resize_with(machines, Vec::new);
        let cpus = &mut self.ucpus[machine as usize];
        for _ in cpus.len() as u32..=cpu {
            let row = tables.cpu.push(CpuRow {
                cpu: None,
                cluster_id: Some(0),
                machine_id: machine,
                ..CpuRow::default()
            });
            cpus.push(CpuOfMachine { row, is_seen: false });
        }
        let known = &mut cpus[cpu as usize];
        known.is_seen = true;
        tables.cpu.cpu.set(known.row, Some(cpu));
        known.row
    }
}
