//! CPUs, unique over machines.

use tpq_tables::Tables;
use tpq_tables::table::CpuRow;

/// CPU numbers past this are taken for damage: no machine has so many.
pub(crate) const MAX_CPUS: u32 = 4096;

/// Something of each CPU, by machine and number.
#[derive(Clone, Debug)]
pub(crate) struct PerCpu<T>(Vec<Vec<Option<T>>>);

impl<T> Default for PerCpu<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T> PerCpu<T> {
    pub(crate) fn get(&self, machine: u32, cpu: u32) -> Option<&T> {
        self.0.get(machine as usize)?.get(cpu as usize)?.as_ref()
    }

    /// Puts something in the place of what there was, which it gives.
    pub(crate) fn insert(&mut self, machine: u32, cpu: u32, value: T) -> Option<T> {
        let (machine, cpu) = (machine as usize, cpu as usize);
        if machine >= self.0.len() {
            self.0.resize_with(machine + 1, Vec::new);
        }
        let cpus = &mut self.0[machine];
        if cpu >= cpus.len() {
            cpus.resize_with(cpu + 1, || None);
        }
        cpus[cpu].replace(value)
    }
}

/// Gives each CPU its row.
#[derive(Default)]
pub(crate) struct Cpus {
    ucpus: PerCpu<u32>,
}

impl Cpus {
    /// The row of a machine's CPU. Rows of a machine are dense: a CPU that was seen stands for
    /// all with lower numbers, so that a row's id is the CPU's number on a single machine.
    pub(crate) fn get(&mut self, machine: u32, cpu: u32, tables: &mut Tables) -> u32 {
        match self.ucpus.get(machine, cpu) {
            Some(&ucpu) => ucpu,
            None => self.add(machine, cpu.min(MAX_CPUS), tables),
        }
    }

    #[cold]
    fn add(&mut self, machine: u32, cpu: u32, tables: &mut Tables) -> u32 {
        let mut ucpu = 0;
        for number in 0..=cpu {
            ucpu = self.ucpus.get(machine, number).copied().unwrap_or_else(|| {
                tables.cpu.push(CpuRow {
                    cpu: Some(number),
                    cluster_id: Some(0),
                    machine_id: machine,
                    ..CpuRow::default()
                })
            });
            self.ucpus.insert(machine, number, ucpu);
        }
        ucpu
    }
}
