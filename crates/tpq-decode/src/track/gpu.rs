//! GPUs, unique over machines.

use rustc_hash::FxHashMap;

/// Gives each GPU its number, in the order in which they are seen.
#[derive(Debug, Default)]
pub(crate) struct Gpus {
    ugpus: FxHashMap<(u32, u32), u32>,
}

impl Gpus {
    /// The number of a machine's GPU among those of all machines.
    pub(crate) fn get(&mut self, machine: u32, gpu: u32) -> u32 {
        let next = self.ugpus.len() as u32;
        *self.ugpus.entry((machine, gpu)).or_insert(next)
    }
}
