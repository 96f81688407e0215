//! Threads and processes that begin and end while they are recorded.

use rustc_hash::FxHashMap;
use tpq_decode::RunEvent;
use tpq_tables::{Stats, Tables};
use tpq_trackers::track::{NewTask, Trackers, Upid, Utid};

use super::layout::{Numbers, Record};
use super::records::Context;
use super::session::Session;

/// The flag of `clone` for a thread of the same process.
const CLONE_THREAD: u64 = 0x0001_0000;

/// The latest thread of each tid with a recorded start.
#[derive(Debug, Default)]
pub(super) struct Tasks(FxHashMap<u32, Task>);

/// A thread with a recorded start.
#[derive(Clone, Copy, Debug)]
struct Task {
    pid: u32,
    utid: Utid,
    /// Its process, if it is the main thread.
    upid: Option<Upid>,
    /// Time of its end, ns in trace time.
    end: Option<i64>,
}

impl Task {
    /// Writes the end. The kernel may still take samples of a task that has reported its end, so
    /// the end is written when the tid is used again, or behind all records.
    fn write_end(&self, tables: &mut Tables) {
        if self.end.is_none() {
            return;
        }
        tables.thread.end_ts.set(self.utid, self.end);
        if let Some(upid) = self.upid {
            tables.process.end_ts.set(upid, self.end);
        }
    }
}

/// The process and thread of a record, and those that created them.
struct Ids {
    pid: u32,
    ppid: u32,
    tid: u32,
    ptid: u32,
}

impl Ids {
    fn read(record: &Record<'_>) -> Option<Self> {
        let mut numbers = Numbers(record.payload);
        let (pid, ppid) = (numbers.u32()?, numbers.u32()?);
        let (tid, ptid) = (numbers.u32()?, numbers.u32()?);
        numbers.u64()?;
        Some(Self { pid, ppid, tid, ptid })
    }

    /// Whether the ids of the task mean one. The kernel writes 0 for a task of another namespace.
    fn has_task(&self) -> bool {
        self.pid.cast_signed() > 0 && self.tid.cast_signed() > 0
    }

    /// The same of its parent.
    fn has_parent(&self) -> bool {
        self.ppid.cast_signed() > 0 && self.ptid.cast_signed() > 0
    }
}

/// A task was created, or was there when the recording began.
pub(super) fn fork(record: &Record<'_>, context: &mut Context<'_>) -> Option<()> {
    let ids = Ids::read(record).filter(|ids| ids.tid != ids.ptid)?;
    if !ids.has_task() {
        return Some(());
    }
    match context.has_time(record) && ids.has_parent() {
        true => start(&ids, context),
        false => describe(&ids, context),
    }
    Some(())
}

/// A task that was there before.
fn describe(ids: &Ids, context: &mut Context<'_>) {
    let (pid, tid, parent) = (context.tid(ids.pid), context.tid(ids.tid), context.tid(ids.ppid));
    let Context { trackers, tables, stats, .. } = context;
    trackers.processes.thread_of_process(tid, pid, tables);
    if ids.pid != ids.ppid && ids.has_parent() {
        let parent = trackers.processes.process(parent, tables);
        let upid = trackers.processes.process(pid, tables);
        trackers.processes.set_parent(upid, parent, tables, stats);
    }
}

/// A task that begins now. Some recorders report it once for each event.
fn start(ids: &Ids, context: &mut Context<'_>) {
    let (child, parent) = (context.tid(ids.tid), context.tid(ids.ptid));
    let parent_pid = context.tid(ids.ppid);
    let Context { ts, session, trackers, tables, stats, .. } = context;
    if let Some(before) = session.tasks.0.get(&ids.tid) {
        if before.pid == ids.pid && before.end.is_none() {
            return;
        }
        before.write_end(tables);
        trackers.processes.note_end();
    }
    let parent_utid = trackers.processes.thread_of_process(parent, parent_pid, tables);
    let task = NewTask {
        ts: *ts,
        parent,
        child,
        clone_flags: if ids.pid == ids.ppid { CLONE_THREAD } else { 0 },
        comm: tables.thread.name.get(parent_utid),
    };
    let utid = trackers.processes.new_task(task, tables, stats);
    let upid = tables.thread.upid.get(utid).filter(|_| ids.pid == ids.tid);
    session.tasks.0.insert(ids.tid, Task { pid: ids.pid, utid, upid, end: None });
    if let (Some(upid), Some(parent)) = (upid, tables.thread.upid.get(parent_utid)) {
        session.share_memory(parent, upid);
    }
}

/// A task ended. Where its start is not recorded, its row has neither.
pub(super) fn exit(record: &Record<'_>, context: &mut Context<'_>) -> Option<()> {
    let ids = Ids::read(record)?;
    if !context.has_time(record) {
        return Some(());
    }
    let task = context.session.tasks.0.get_mut(&ids.tid).filter(|task| task.pid == ids.pid);
    if let Some(task) = task {
        task.end = task.end.or(Some(context.ts));
    }
    Some(())
}

/// All records are decoded: writes the ends of tasks.
pub(super) fn decode_ends(
    _: &RunEvent<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    _: &mut Stats,
) {
    let session: &mut Session = trackers.file.states.get();
    session.tasks.0.values().for_each(|task| task.write_end(tables));
    trackers.processes.note_end();
}
