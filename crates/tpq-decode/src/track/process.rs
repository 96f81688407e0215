//! Which thread and process a tid or pid means at a moment.
//!
//! The kernel reuses ids, so a tid names a thread only until that thread ends. A thread may be
//! seen long before its process is known: two threads known to share a process are remembered
//! and resolved as soon as either's process is.

use rustc_hash::FxHashMap;
use tpq_tables::table::{ProcessRow, ThreadRow};
use tpq_tables::{Stat, Stats, StringId, Tables};

/// A row of `thread`.
pub(crate) type Utid = u32;
/// A row of `process`.
pub(crate) type Upid = u32;

/// A thread id as a machine gives it; process ids are thread ids of main threads.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Tid {
    pub(crate) machine: u32,
    pub(crate) id: i64,
}

/// How good a source of a thread's name is; a better one is not overridden.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub(crate) enum NamePriority {
    #[default]
    None,
    /// The kernel's `comm`, cut to 15 bytes.
    Ftrace,
    /// Read from /proc.
    ProcessTree,
    /// Given by the program itself.
    Descriptor,
}

/// A task as it is created.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NewTask {
    pub(crate) ts: i64,
    pub(crate) parent: Tid,
    pub(crate) child: Tid,
    pub(crate) clone_flags: u64,
    pub(crate) comm: StringId,
}

/// Clone flag of a thread of the same process, as opposed to a new process.
const CLONE_THREAD: u64 = 0x0001_0000;

/// Identifies threads and processes.
pub(crate) struct Processes {
    /// Live threads by tid, the latest last.
    threads: FxHashMap<Tid, Vec<Utid>>,
    processes: FxHashMap<Tid, Upid>,
    /// Pairs of threads known to share a process that neither is known to belong to.
    pending: Vec<(Utid, Utid)>,
    /// Threads whose process is not known, with the processes they created.
    pending_parents: Vec<(Utid, Upid)>,
    name_priority: Vec<NamePriority>,
    /// The last tid looked up and what it was: events come in bursts of one thread.
    last: Option<(Tid, Utid)>,
}

impl Processes {
    /// Knows of no machine yet.
    pub(crate) fn new() -> Self {
        Self {
            threads: FxHashMap::default(),
            processes: FxHashMap::default(),
            pending: Vec::new(),
            pending_parents: Vec::new(),
            name_priority: Vec::new(),
            last: None,
        }
    }

    /// Adds the idle task of a machine; that of the first machine is row 0 of both tables.
    pub(crate) fn add_machine(&mut self, machine: u32, tables: &mut Tables) {
        let idle = Tid { machine, id: 0 };
        let row = ProcessRow { pid: 0, machine_id: machine, ..ProcessRow::default() };
        let upid = tables.process.push(row);
        let name = tables.strings.intern("swapper");
        let utid = tables.thread.push(ThreadRow {
            name,
            upid: Some(upid),
            is_main_thread: Some(1),
            is_idle: 1,
            machine_id: machine,
            ..ThreadRow::default()
        });
        self.threads.insert(idle, vec![utid]);
        self.processes.insert(idle, upid);
        self.name_priority.push(NamePriority::Descriptor);
    }

    /// The live thread of a tid, made when there is none.
    pub(crate) fn thread(&mut self, tid: Tid, tables: &mut Tables) -> Utid {
        if let Some((last, utid)) = self.last
            && last == tid
        {
            return utid;
        }
        let utid = match self.find(tid, None, tables) {
            Some(utid) => utid,
            None => self.start_thread(None, tid, tables),
        };
        self.last = Some((tid, utid));
        utid
    }

    /// The live thread of a tid, if there is one.
    pub(crate) fn known_thread(&self, tid: Tid, tables: &Tables) -> Option<Utid> {
        self.find(tid, None, tables)
    }

    /// The latest live thread of `tid` that belongs to process `pid` or to none yet known.
    fn find(&self, tid: Tid, pid: Option<Tid>, tables: &Tables) -> Option<Utid> {
        self.threads.get(&tid)?.iter().rev().copied().find(|&utid| {
            if !self.is_alive(utid, tables) {
                return false;
            }
            match (pid, tables.thread.upid.get(utid)) {
                (None, _) | (_, None) => true,
                (Some(pid), Some(upid)) => tables.process.pid.get(upid) == pid.id,
            }
        })
    }

    /// Whether neither a thread nor its process has ended.
    pub(crate) fn is_alive(&self, utid: Utid, tables: &Tables) -> bool {
        if tables.thread.end_ts.get(utid).is_some() {
            return false;
        }
        let Some(upid) = tables.thread.upid.get(utid) else { return true };
        let machine = tables.process.machine_id.get(upid);
        let pid = Tid { machine, id: tables.process.pid.get(upid) };
        self.processes.get(&pid).is_none_or(|&current| current == upid)
            && tables.process.end_ts.get(upid).is_none()
    }

    /// A thread began, whatever had its tid before.
    pub(crate) fn start_thread(&mut self, ts: Option<i64>, tid: Tid, tables: &mut Tables) -> Utid {
        let utid = tables.thread.push(ThreadRow {
            tid: tid.id,
            start_ts: ts,
            machine_id: tid.machine,
            is_idle: u32::from(tid.id == 0),
            ..ThreadRow::default()
        });
        self.threads.entry(tid).or_default().push(utid);
        self.name_priority.push(NamePriority::None);
        self.last = None;
        utid
    }

    /// The process of a pid, made when there is none, together with its main thread.
    pub(crate) fn process(&mut self, pid: Tid, tables: &mut Tables) -> Upid {
        if let Some(&upid) = self.processes.get(&pid) {
            return upid;
        }
        let row = ProcessRow { pid: pid.id, machine_id: pid.machine, ..ProcessRow::default() };
        let upid = tables.process.push(row);
        self.processes.insert(pid, upid);
        self.thread_of_process(pid, pid, tables);
        upid
    }

    /// The process of a pid, made when there is none. Its main thread may have any tid.
    pub(crate) fn process_without_main(&mut self, pid: Tid, tables: &mut Tables) -> Upid {
        *self.processes.entry(pid).or_insert_with(|| {
            let row = ProcessRow { pid: pid.id, machine_id: pid.machine, ..ProcessRow::default() };
            tables.process.push(row)
        })
    }

    /// The thread `tid` of process `pid`.
    pub(crate) fn thread_of_process(&mut self, tid: Tid, pid: Tid, tables: &mut Tables) -> Utid {
        let utid = match self.find(tid, Some(pid), tables) {
            Some(utid) => utid,
            None => self.start_thread(None, tid, tables),
        };
        let upid = match tables.thread.upid.get(utid) {
            Some(upid) => upid,
            None => self.process(pid, tables),
        };
        if tables.thread.upid.get(utid).is_none() {
            self.associate(utid, upid, tables);
        }
        self.resolve_pending(utid, upid, tables);
        utid
    }

    fn associate(&mut self, utid: Utid, upid: Upid, tables: &mut Tables) {
        tables.thread.upid.set(utid, Some(upid));
        let main = tables.thread.tid.get(utid) == tables.process.pid.get(upid);
        tables.thread.is_main_thread.set(utid, Some(u32::from(main)));
        self.last = None;
    }

    /// Resolves the threads that were waiting for a thread's process, and those waiting for them.
    fn resolve_pending(&mut self, utid: Utid, upid: Upid, tables: &mut Tables) {
        let mut resolved = vec![utid];
        while let Some(utid) = resolved.pop() {
            self.pending_parents.retain(|&(parent, child)| {
                if parent == utid {
                    tables.process.parent_upid.set(child, Some(upid));
                }
                parent != utid
            });
            let mut index = 0;
            while index < self.pending.len() {
                let (one, two) = self.pending[index];
                let other = match (one == utid, two == utid) {
                    (true, _) => two,
                    (_, true) => one,
                    _ => {
                        index += 1;
                        continue;
                    }
                };
                self.pending.swap_remove(index);
                if tables.thread.upid.get(other).is_none() {
                    self.associate(other, upid, tables);
                    resolved.push(other);
                }
            }
        }
    }

    /// Notes that two threads share a process.
    fn share_process(&mut self, one: Utid, two: Utid, tables: &mut Tables, stats: &mut Stats) {
        match (tables.thread.upid.get(one), tables.thread.upid.get(two)) {
            (Some(upid), None) => {
                self.associate(two, upid, tables);
                self.resolve_pending(two, upid, tables);
            }
            (None, Some(upid)) => {
                self.associate(one, upid, tables);
                self.resolve_pending(one, upid, tables);
            }
            (Some(a), Some(b)) if a != b => stats.increment(Stat::ProcessTrackerErrors),
            (Some(_), Some(_)) => {}
            (None, None) => self.pending.push((one, two)),
        }
    }

    /// A task was created; gives the new thread.
    pub(crate) fn new_task(
        &mut self,
        task: NewTask,
        tables: &mut Tables,
        stats: &mut Stats,
    ) -> Utid {
        let NewTask { ts, parent, child, clone_flags, comm } = task;
        let parent_utid = self.thread(parent, tables);
        let utid = if clone_flags & CLONE_THREAD == 0 {
            let parent_upid = tables.thread.upid.get(parent_utid);
            let upid = self.start_process(Some(ts), parent_upid, child, tables);
            tables.process.name.set(upid, comm);
            if parent_upid.is_none() {
                self.pending_parents.push((parent_utid, upid));
            }
            self.thread(child, tables)
        } else {
            let utid = self.start_thread(Some(ts), child, tables);
            self.share_process(parent_utid, utid, tables, stats);
            utid
        };
        self.name_thread(utid, comm, NamePriority::Ftrace, tables);
        utid
    }

    /// A process took over a pid; whatever had it before is over.
    fn start_process(
        &mut self,
        ts: Option<i64>,
        parent: Option<Upid>,
        pid: Tid,
        tables: &mut Tables,
    ) -> Upid {
        self.processes.remove(&pid);
        self.start_thread(ts, pid, tables);
        let upid = self.process(pid, tables);
        tables.process.start_ts.set(upid, ts);
        tables.process.parent_upid.set(upid, parent);
        upid
    }

    /// Notes the parent of a process. A later source that disagrees is counted and not believed:
    /// it was read after the parent died and the kernel gave the process to another.
    pub(crate) fn set_parent(
        &mut self,
        upid: Upid,
        parent: Upid,
        tables: &mut Tables,
        stats: &mut Stats,
    ) {
        match tables.process.parent_upid.get(upid) {
            None => tables.process.parent_upid.set(upid, Some(parent)),
            Some(before) if before != parent => {
                stats.increment(Stat::ProcessTrackerParentPidChanged);
            }
            Some(_) => {}
        }
    }

    /// Names a thread unless a better source already did.
    pub(crate) fn name_thread(
        &mut self,
        utid: Utid,
        name: StringId,
        priority: NamePriority,
        tables: &mut Tables,
    ) {
        let current = &mut self.name_priority[utid as usize];
        if !name.is_null() && priority >= *current {
            *current = priority;
            tables.thread.name.set(utid, name);
        }
    }

    /// A thread renamed itself; its process goes by the name of its main thread.
    pub(crate) fn rename(&mut self, tid: Tid, name: StringId, tables: &mut Tables) {
        let utid = self.thread(tid, tables);
        self.name_thread(utid, name, NamePriority::Ftrace, tables);
        if let Some(upid) = tables.thread.upid.get(utid)
            && tables.process.pid.get(upid) == tid.id
        {
            tables.process.name.set(upid, name);
        }
    }

    /// A thread ended, and with a main thread its process.
    pub(crate) fn end_thread(&mut self, ts: i64, tid: Tid, tables: &mut Tables) {
        let Some(utid) = self.find(tid, None, tables) else { return };
        tables.thread.end_ts.set(utid, Some(ts));
        self.last = None;
        if let Some(threads) = self.threads.get_mut(&tid) {
            threads.retain(|&other| other != utid);
        }
        if let Some(upid) = tables.thread.upid.get(utid)
            && tables.process.pid.get(upid) == tid.id
        {
            tables.process.end_ts.set(upid, Some(ts));
            self.processes.remove(&tid);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tid(id: i64) -> Tid {
        Tid { machine: 0, id }
    }

    #[test]
    fn a_tid_used_again_is_another_thread() {
        let mut tables = Tables::default();
        let mut processes = Processes::new();
        processes.add_machine(0, &mut tables);
        let upid = processes.process(tid(10), &mut tables);
        let first = processes.thread(tid(10), &mut tables);
        processes.end_thread(500, tid(10), &mut tables);
        let second = processes.thread(tid(10), &mut tables);
        assert_ne!(first, second);
        assert_eq!(tables.process.end_ts.get(upid), Some(500));
        assert_ne!(processes.process(tid(10), &mut tables), upid);
    }

    #[test]
    fn the_same_pid_on_two_machines_is_two_processes() {
        let mut tables = Tables::default();
        let mut processes = Processes::new();
        processes.add_machine(0, &mut tables);
        let here = processes.process(tid(10), &mut tables);
        let there = processes.process(Tid { machine: 1, id: 10 }, &mut tables);
        assert_ne!(here, there);
    }

    #[test]
    fn threads_wait_for_the_process_of_the_one_that_made_them() {
        let mut tables = Tables::default();
        let mut stats = Stats::default();
        let mut processes = Processes::new();
        processes.add_machine(0, &mut tables);
        let comm = tables.strings.intern("worker");
        let mut thread = |ts, parent, child| {
            let [parent, child] = [parent, child].map(tid);
            let task = NewTask { ts, parent, child, clone_flags: CLONE_THREAD, comm };
            processes.new_task(task, &mut tables, &mut stats)
        };
        let child = thread(5, 20, 21);
        let grandchild = thread(6, 21, 22);
        assert_eq!(tables.thread.upid.get(child), None);
        let upid = processes.process(tid(20), &mut tables);
        assert_eq!(tables.thread.upid.get(child), Some(upid));
        assert_eq!(tables.thread.upid.get(grandchild), Some(upid));
        assert_eq!(tables.thread.is_main_thread.get(child), Some(0));
    }

    #[test]
    fn a_better_name_is_not_overridden() {
        let mut tables = Tables::default();
        let mut processes = Processes::new();
        processes.add_machine(0, &mut tables);
        let [comm, full] = ["short", "a much longer name"].map(|name| tables.strings.intern(name));
        let utid = processes.thread(tid(3), &mut tables);
        processes.name_thread(utid, full, NamePriority::ProcessTree, &mut tables);
        processes.name_thread(utid, comm, NamePriority::Ftrace, &mut tables);
        assert_eq!(tables.thread.name.get(utid), full);
    }
}
