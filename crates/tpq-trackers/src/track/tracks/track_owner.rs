//! The threads and processes that described tracks are of.
//!
//! A descriptor names them by ids as its program knows them. Inside a PID namespace those are not
//! the machine's; in a sandbox a tid means something in its process only.

use rustc_hash::FxHashMap;
use tpq_tables::Tables;

use crate::track::{Described, DescribedKind, Processes, Tid, Upid, Utid};

/// The root of a track's ancestors.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Owner {
    /// A thread.
    Thread(Utid),
    /// A process.
    Process(Upid),
    /// A machine, by its row.
    Machine(u32),
}

/// Threads and processes that own described tracks. A thread or a process has one track: a second
/// track belongs to a new thread or process that reused the id.
#[derive(Default)]
pub(in crate::track) struct Owners {
    owners: FxHashMap<u64, Owner>,
    threads: FxHashMap<Utid, u64>,
    processes: FxHashMap<Upid, u64>,
}

impl Owners {
    /// The owner of the track itself, once decided.
    pub(in crate::track) fn get(&self, uuid: u64) -> Option<Owner> {
        self.owners.get(&uuid).copied()
    }

    /// Takes note of the owner that the ancestors of a track give it.
    pub(in crate::track) fn remember(&mut self, uuid: u64, owner: Owner) {
        self.owners.entry(uuid).or_insert(owner);
    }

    /// Decides on the owner of a track, unless that is done or only its ancestors say.
    pub(in crate::track) fn decide(
        &mut self,
        uuid: u64,
        described: &Described,
        processes: &mut Processes,
        tables: &mut Tables,
    ) {
        if self.owners.contains_key(&uuid) {
            return;
        }
        let machine = described.machine;
        let of_machine = |id: i64, processes: &Processes| {
            let writer = described.writer.filter(|&pid| pid > 0)?;
            let writer = Tid { machine, id: i64::from(writer) };
            processes.namespaces.resolve(writer, id)
        };
        let owner = match described.kind {
            DescribedKind::Thread { pid, tid, sandboxed, .. } => {
                let pid = of_machine(pid, processes).unwrap_or(pid);
                let known = of_machine(tid, processes);
                let tid = known.unwrap_or_else(|| unique_tid(tid, pid, sandboxed));
                let [tid, pid] = [tid, pid].map(|id| Tid { machine, id });
                Owner::Thread(self.thread(uuid, tid, pid, processes, tables))
            }
            DescribedKind::Process { pid } => {
                let pid = Tid { machine, id: of_machine(pid, processes).unwrap_or(pid) };
                Owner::Process(self.process(uuid, pid, processes, tables))
            }
            _ => return,
        };
        self.owners.insert(uuid, owner);
    }

    fn thread(
        &mut self,
        uuid: u64,
        tid: Tid,
        pid: Tid,
        processes: &mut Processes,
        tables: &mut Tables,
    ) -> Utid {
        let utid = processes.thread_of_process(tid, pid, tables);
        match self.threads.insert(utid, uuid) {
            None => utid,
            Some(_) => processes.replace_thread(tid, pid, tables),
        }
    }

    fn process(
        &mut self,
        uuid: u64,
        pid: Tid,
        processes: &mut Processes,
        tables: &mut Tables,
    ) -> Upid {
        let upid = processes.process(pid, tables);
        match self.processes.insert(upid, uuid) {
            None => upid,
            Some(_) => processes.replace_process(pid, tables),
        }
    }
}

/// The tid of a thread among those of its machine: in a sandbox together with the pid.
pub fn unique_tid(tid: i64, pid: i64, sandboxed: bool) -> i64 {
    if sandboxed { pid << 32 | tid } else { tid }
}
