//! Which thread and process a tid or pid means at a moment.
//!
//! The kernel reuses ids, so a tid names a thread only until that thread ends, and a pid a process
//! until another is made with it. All ids are those of the machine, never those of a namespace;
//! machines share none.

mod names;
mod namespace;
mod pending;
mod recent;
#[cfg(test)]
mod tests;

pub use names::NamePriority;

use self::names::ThreadNames;
use self::namespace::Namespaces;
use self::pending::Pending;
use self::recent::RecentThreads;
use rustc_hash::FxHashMap;
use tpq_tables::table::{ProcessRow, ThreadRow};
use tpq_tables::{Stat, Stats, StringId, Tables};

use crate::ids::{Tid, Upid, Utid};

/// A task as it is created.
#[derive(Clone, Copy, Debug)]
pub struct NewTask {
    /// Timestamp of its creation, ns of trace time.
    pub ts: i64,
    /// The task that created it.
    pub parent: Tid,
    /// The new task.
    pub child: Tid,
    /// Flags of the system call `clone`.
    pub clone_flags: u64,
    /// Name of the new task.
    pub comm: StringId,
}

/// Clone flag of a thread of the same process, as opposed to a new process.
const CLONE_THREAD: u64 = 0x0001_0000;

/// Identifies threads and processes. The default knows no machine yet.
#[derive(Default)]
pub struct Processes {
    /// Live threads by tid, the latest last.
    threads: FxHashMap<Tid, Vec<Utid>>,
    processes: FxHashMap<Tid, Upid>,
    /// The latest thread by tid and the pid of its process.
    of_process: FxHashMap<(Tid, i64), Utid>,
    /// Threads by tid that had no process when they were last looked at, the latest last.
    alone: FxHashMap<Tid, Vec<Utid>>,
    /// By tid: threads before this one no longer have it.
    from: FxHashMap<Tid, Utid>,
    pending: Pending,
    /// By machine: the rows of its idle task, and whether tid 0 means it.
    idle: Vec<(Utid, Upid, bool)>,
    names: ThreadNames,
    /// Ids of tasks inside pid namespaces.
    pub namespaces: Namespaces,
    recent: RecentThreads,
}

impl Processes {
    /// Adds the rows of the idle task of a machine; those of the first machine are row 0 of both
    /// tables.
    pub fn add_machine(&mut self, machine: u32, tables: &mut Tables) {
        let row = ProcessRow { pid: 0, machine_id: machine, ..ProcessRow::default() };
        let upid = tables.process.push(row);
        let utid = tables.thread.push(ThreadRow {
            upid: Some(upid),
            is_main_thread: Some(1),
            is_idle: 1,
            machine_id: machine,
            ..ThreadRow::default()
        });
        self.idle.push((utid, upid, false));
    }

    /// Treats tid 0 of a machine as the idle task from now on. Not for formats in which programs
    /// choose the ids.
    pub fn idle_is_zero(&mut self, machine: u32, tables: &mut Tables) {
        let Some((utid, upid, known)) = self.idle.get_mut(machine as usize) else { return };
        if std::mem::replace(known, true) {
            return;
        }
        self.recent.forget();
        let idle = Tid { machine, id: 0 };
        self.threads.entry(idle).or_default().insert(0, *utid);
        self.of_process.entry((idle, 0)).or_insert(*utid);
        self.processes.entry(idle).or_insert(*upid);
        let name = tables.strings.intern("swapper");
        self.names.name(*utid, name, NamePriority::Fixed, tables);
    }

    /// The live thread of a tid, made when there is none.
    pub fn thread(&mut self, tid: Tid, tables: &mut Tables) -> Utid {
        if let Some(utid) = self.recent.get(tid) {
            return utid;
        }
        let utid = match self.known_thread(tid, tables) {
            Some(utid) => utid,
            None => self.start_thread(None, tid, tables),
        };
        self.recent.remember(tid, utid);
        utid
    }

    /// The live thread of a tid, if there is one.
    pub fn known_thread(&self, tid: Tid, tables: &Tables) -> Option<Utid> {
        let mut threads = self.threads.get(&tid)?.iter().rev().copied();
        threads.find(|&utid| self.is_alive(utid, tables))
    }

    /// The latest live thread of `tid` that belongs to process `pid` or to none yet known. A tid
    /// may be one of very many processes, where programs make up their ids.
    fn find_of_process(&mut self, tid: Tid, pid: Tid, tables: &Tables) -> Option<Utid> {
        let mut alone = std::mem::take(self.alone.entry(tid).or_default());
        alone.retain(|&utid| {
            if let Some(upid) = tables.thread.upid.get(utid) {
                let key = (tid, tables.process.pid.get(upid));
                let latest = self.of_process.entry(key).or_insert(utid);
                *latest = utid.max(*latest);
                return false;
            }
            self.is_alive(utid, tables)
        });
        let unknown = alone.last().copied();
        self.alone.insert(tid, alone);
        let known = self.of_process.get(&(tid, pid.id)).copied().filter(|&utid| {
            self.from.get(&tid).is_none_or(|&from| utid >= from) && self.is_alive(utid, tables)
        });
        unknown.max(known)
    }

    /// Whether neither a thread nor its process has ended.
    pub fn is_alive(&self, utid: Utid, tables: &Tables) -> bool {
        if tables.thread.end_ts.get(utid).is_some() {
            return false;
        }
        let Some(upid) = tables.thread.upid.get(utid) else { return true };
        let machine = tables.process.machine_id.get(upid);
        let pid = Tid { machine, id: tables.process.pid.get(upid) };
        self.processes.get(&pid).is_none_or(|&current| current == upid)
            && tables.process.end_ts.get(upid).is_none()
    }

    /// Starts a thread. A previous thread with the same tid has ended.
    pub fn start_thread(&mut self, ts: Option<i64>, tid: Tid, tables: &mut Tables) -> Utid {
        let utid = tables.thread.push(ThreadRow {
            tid: tid.id,
            start_ts: ts,
            machine_id: tid.machine,
            ..ThreadRow::default()
        });
        self.threads.entry(tid).or_default().push(utid);
        self.alone.entry(tid).or_default().push(utid);
        self.recent.forget();
        utid
    }

    /// The process of a pid, made when there is none, together with its main thread.
    pub fn process(&mut self, pid: Tid, tables: &mut Tables) -> Upid {
        if let Some(&upid) = self.processes.get(&pid) {
            return upid;
        }
        let row = ProcessRow { pid: pid.id, machine_id: pid.machine, ..ProcessRow::default() };
        let upid = tables.process.push(row);
        self.processes.insert(pid, upid);
        self.recent.forget();
        self.thread_of_process(pid, pid, tables);
        upid
    }

    /// The process of a pid, made when there is none. Its main thread may have any tid.
    pub fn process_without_main(&mut self, pid: Tid, tables: &mut Tables) -> Upid {
        let recent = &mut self.recent;
        *self.processes.entry(pid).or_insert_with(|| {
            recent.forget();
            let row = ProcessRow { pid: pid.id, machine_id: pid.machine, ..ProcessRow::default() };
            tables.process.push(row)
        })
    }

    /// The thread `tid` of process `pid`. The process comes first where neither was known.
    pub fn thread_of_process(&mut self, tid: Tid, pid: Tid, tables: &mut Tables) -> Utid {
        if let Some(utid) = self.recent.get_of_process(tid, pid) {
            return utid;
        }
        let process = self.process(pid, tables);
        let utid = match self.find_of_process(tid, pid, tables) {
            Some(utid) => utid,
            None => self.start_thread(None, tid, tables),
        };
        if tables.thread.upid.get(utid).is_none() {
            self.pending.associate(utid, process, tables);
            self.recent.forget();
        }
        self.recent.remember_of_process(tid, pid, utid);
        utid
    }

    /// A thread that took over the tid of another of its process, without a recorded end.
    pub fn replace_thread(&mut self, tid: Tid, pid: Tid, tables: &mut Tables) -> Utid {
        self.start_thread(None, tid, tables);
        self.thread_of_process(tid, pid, tables)
    }

    /// A process that took over the pid of another, without a recorded end.
    pub fn replace_process(&mut self, pid: Tid, tables: &mut Tables) -> Upid {
        self.start_process(None, pid, StringId::NULL, tables)
    }

    /// A task was created; gives the new thread.
    pub fn new_task(&mut self, task: NewTask, tables: &mut Tables, stats: &mut Stats) -> Utid {
        let NewTask { ts, parent, child, clone_flags, comm } = task;
        if clone_flags & CLONE_THREAD == 0 {
            let upid = self.start_process(Some(ts), child, comm, tables);
            let parent = self.thread(parent, tables);
            self.pending.child_of(parent, upid, tables);
            return self.thread(child, tables);
        }
        let parent = self.thread(parent, tables);
        let utid = self.start_thread(Some(ts), child, tables);
        self.names.name(utid, comm, NamePriority::Ftrace, tables);
        self.pending.share_process(parent, utid, tables, stats);
        self.recent.forget();
        utid
    }

    /// Starts a process. A previous process or thread with the same pid has ended.
    fn start_process(
        &mut self,
        ts: Option<i64>,
        pid: Tid,
        name: StringId,
        tables: &mut Tables,
    ) -> Upid {
        self.recent.forget();
        self.processes.remove(&pid);
        self.threads.remove(&pid);
        self.alone.remove(&pid);
        let utid = self.start_thread(ts, pid, tables);
        self.from.insert(pid, utid);
        self.names.name(utid, name, NamePriority::Ftrace, tables);
        let upid = self.process(pid, tables);
        tables.process.start_ts.set(upid, ts);
        tables.process.name.set(upid, name);
        upid
    }

    /// Notes the parent of a process. A later source that disagrees is counted and not believed:
    /// it was read after the parent died and the kernel gave the process to another.
    pub fn set_parent(&mut self, upid: Upid, parent: Upid, tables: &mut Tables, stats: &mut Stats) {
        match tables.process.parent_upid.get(upid) {
            None => tables.process.parent_upid.set(upid, Some(parent)),
            Some(before) if before != parent => {
                stats.increment(Stat::ProcessTrackerParentPidChanged);
            }
            Some(_) => {}
        }
    }

    /// Names a thread unless a better source already did.
    pub fn name_thread(
        &mut self,
        utid: Utid,
        name: StringId,
        priority: NamePriority,
        tables: &mut Tables,
    ) {
        self.names.name(utid, name, priority, tables);
    }

    /// Names a process that has no name yet: what the kernel and /proc say comes first.
    pub fn name_unnamed_process(&self, upid: Upid, name: StringId, tables: &mut Tables) {
        if tables.process.name.get(upid).is_null() {
            tables.process.name.set(upid, name);
        }
    }

    /// Names a main thread, and its process with it if that has no name or the thread's former one.
    pub fn name_main_thread(
        &mut self,
        utid: Utid,
        upid: Upid,
        name: StringId,
        priority: NamePriority,
        tables: &mut Tables,
    ) {
        let former = tables.thread.name.get(utid);
        self.name_thread(utid, name, priority, tables);
        let of_process = tables.process.name.get(upid);
        let is_named_alike = of_process == former && tables.thread.name.get(utid) == name;
        if of_process.is_null() || is_named_alike {
            tables.process.name.set(upid, name);
        }
    }

    /// Says when a process began, unless that is known.
    pub fn start_of_process(&self, upid: Upid, ts: Option<i64>, tables: &mut Tables) {
        if tables.process.start_ts.get(upid).is_none() {
            tables.process.start_ts.set(upid, ts);
        }
    }

    /// A thread renamed itself; its process goes by the name of its main thread.
    pub fn rename(&mut self, tid: Tid, name: StringId, tables: &mut Tables) {
        let utid = self.thread(tid, tables);
        self.name_thread(utid, name, NamePriority::Ftrace, tables);
        if let Some(upid) = tables.thread.upid.get(utid)
            && tables.process.pid.get(upid) == tid.id
        {
            tables.process.name.set(upid, name);
        }
    }

    /// Takes note that the end of a thread or of a process was written by the caller.
    pub fn note_end(&mut self) {
        self.recent.forget_members();
    }

    /// A thread ended, and with a main thread its process.
    pub fn end_thread(&mut self, ts: i64, tid: Tid, tables: &mut Tables) {
        let Some(utid) = self.known_thread(tid, tables) else { return };
        tables.thread.end_ts.set(utid, Some(ts));
        self.recent.forget();
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
