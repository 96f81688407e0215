//! Ids inside PID namespaces, as containers have them.
//!
//! A program in a namespace knows itself by the ids in there. /proc of the machine lists the ids
//! of a process or thread in each namespace it is in, from the outermost to its own.

use rustc_hash::FxHashMap;

use super::Tid;

/// A process in a namespace.
struct NamespacedProcess {
    /// Its pids, from the machine's to the innermost.
    pids: Vec<i32>,
    /// Its threads, by the machine's tids.
    threads: Vec<Tid>,
}

/// Which ids processes and threads have inside their namespaces.
#[derive(Default)]
pub struct Namespaces {
    processes: FxHashMap<Tid, NamespacedProcess>,
    /// The tids of a thread, from the machine's to the innermost.
    threads: FxHashMap<Tid, Vec<i32>>,
}

impl Namespaces {
    /// Sets the pids of a process. The known ids of its threads are discarded.
    pub fn add_process(&mut self, pid: Tid, pids: &[i32]) {
        let process = NamespacedProcess { pids: pids.to_vec(), threads: Vec::new() };
        self.processes.insert(pid, process);
    }

    /// Notes the tids of a thread; says whether its process is known.
    pub fn add_thread(&mut self, pid: Tid, tid: Tid, tids: &[i32]) -> bool {
        let Some(process) = self.processes.get_mut(&pid) else { return false };
        process.threads.push(tid);
        self.threads.insert(tid, tids.to_vec());
        true
    }

    /// The machine's id of what a program of process `pid` calls `id`: itself or one of its
    /// threads. None where the program is in no namespace, as far as is known.
    pub fn resolve(&self, pid: Tid, id: i64) -> Option<i64> {
        let process = self.processes.get(&pid)?;
        let innermost = process.pids.len().checked_sub(1)?;
        if process.pids.last().is_some_and(|&own| i64::from(own) == id) {
            return Some(pid.id);
        }
        let is_it = |tid: &&Tid| {
            let tids = self.threads.get(tid);
            tids.and_then(|tids| tids.get(innermost)).is_some_and(|&own| i64::from(own) == id)
        };
        process.threads.iter().find(is_it).map(|tid| tid.id)
    }
}
