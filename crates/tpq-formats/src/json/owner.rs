//! Which thread of which process an event is of.

use rustc_hash::FxHashMap;
use tpq_ingest::Span;
use tpq_tables::StringId;

use super::context::Context;
use super::reader::JsonId;
use tpq_trackers::track::{NamePriority, Tid, Upid, Utid};

/// Names stand for ids from here on, above those that systems give and JSON can distinguish.
const FIRST_OF_NAMES: i64 = 1 << 53;

/// The ids that stand for names of processes and threads in a file.
#[derive(Default)]
struct NameIds(FxHashMap<StringId, i64>);

/// The thread of an event, and the process that the event says it is of.
#[derive(Clone, Copy, Debug)]
pub(super) struct EventOwner {
    pub(super) utid: Utid,
    pub(super) pid: Tid,
    pub(super) has_pid: bool,
    pub(super) has_tid: bool,
}

impl Context<'_> {
    /// The owner of an event. A thread that is not stated is the main thread; a process, process 0.
    pub(super) fn owner(&mut self) -> EventOwner {
        let machine = self.machine;
        let pid = match self.event.pid {
            JsonId::None => 0,
            JsonId::Number(pid) => pid,
            JsonId::Name(name) => self.named_process(name),
        };
        let tid = match self.event.tid {
            JsonId::None | JsonId::Number(0) => pid,
            JsonId::Number(tid) => tid,
            JsonId::Name(name) => self.named_thread(name),
        };
        let [tid, pid] = [tid, pid].map(|id| Tid { machine, id });
        let utid = self.trackers.processes.thread_of_process(tid, pid, self.tables);
        let has_pid = self.event.pid != JsonId::None;
        let has_tid = self.event.tid != JsonId::None;
        EventOwner { utid, pid, has_pid, has_tid }
    }

    /// The process of an event.
    pub(super) fn process(&mut self, owner: EventOwner) -> Upid {
        self.trackers.processes.process(owner.pid, self.tables)
    }

    fn named_process(&mut self, span: Span) -> i64 {
        let name = self.name(span);
        let id = self.id_of(name);
        let pid = Tid { machine: self.machine, id };
        let upid = self.trackers.processes.process(pid, self.tables);
        self.tables.process.name.set(upid, name);
        id
    }

    fn named_thread(&mut self, span: Span) -> i64 {
        let name = self.name(span);
        let id = self.id_of(name);
        let tid = Tid { machine: self.machine, id };
        let utid = self.trackers.processes.thread(tid, self.tables);
        self.trackers.processes.name_thread(utid, name, NamePriority::Other, self.tables);
        id
    }

    /// The id that stands for a name: a thread of the name of its process is its main thread.
    fn id_of(&mut self, name: StringId) -> i64 {
        let NameIds(ids) = self.trackers.file.states.get();
        let next = FIRST_OF_NAMES + ids.len() as i64;
        *ids.entry(name).or_insert(next)
    }
}
