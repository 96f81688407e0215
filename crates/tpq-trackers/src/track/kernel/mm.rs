//! The process with the memory that a kernel event concerns: the kernel identifies it by a hash of
//! the address space.

use rustc_hash::FxHashMap;
use tpq_tables::Tables;

use crate::track::{Processes, Tid, Utid};

/// Remembers owners of address spaces.
#[derive(Debug, Default)]
pub struct MemoryOwners {
    owners: FxHashMap<(u32, u32), Utid>,
}

impl MemoryOwners {
    /// The thread an event of `tid` on address space `mm` concerns; `own` when it is its own.
    pub fn owner(
        &mut self,
        tid: Tid,
        mm: u32,
        own: bool,
        processes: &mut Processes,
        tables: &mut Tables,
    ) -> Option<Utid> {
        let key = (tid.machine, mm);
        let current = processes.thread(tid, tables);
        if own {
            self.owners.insert(key, current);
            return Some(current);
        }
        let owner = *self.owners.get(&key)?;
        // Once its owner ended, an address space may be used anew.
        if owner != current && !processes.is_alive(owner, tables) {
            self.owners.remove(&key);
            return None;
        }
        Some(owner)
    }
}
