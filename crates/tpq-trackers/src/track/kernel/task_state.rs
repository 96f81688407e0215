//! Which thread each CPU runs, for kernels that report one thread at a time.
//!
//! A switch is then two events in either order: one thread begins to run, and the other says what
//! it does instead. While the second is missing, what ended is closed without an end state.

use rustc_hash::FxHashMap;
use tpq_tables::table::SchedSliceRow;
use tpq_tables::{StringId, Tables};

use crate::ids::IDLE;
use crate::track::Utid;

/// The thread that a CPU runs.
#[derive(Clone, Copy, Debug)]
struct Running {
    utid: Utid,
    tid: i64,
    slice: u32,
}

/// The effect of a thread's new state on the CPUs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Change {
    /// It runs from now on, in place of a thread that has not yet reported its state.
    Displaced(Utid),
    /// It reported its state at this moment.
    Explained,
    /// Anything else: its state begins now.
    Begins,
}

/// Writes `sched_slice` from states of threads.
#[derive(Default)]
pub struct TaskStates {
    running: FxHashMap<u32, Running>,
    /// The slice in which each thread was displaced, until it says why.
    unexplained: FxHashMap<Utid, u32>,
    /// The latest state that each thread reported.
    latest: FxHashMap<Utid, StringId>,
}

impl TaskStates {
    /// The latest state of a thread.
    pub fn latest(&self, utid: Utid) -> Option<StringId> {
        self.latest.get(&utid).copied()
    }

    /// Notes the latest state of a thread. The idle task has none: it runs on several CPUs at a
    /// time.
    pub fn note(&mut self, utid: Utid, state: StringId) {
        if utid != IDLE {
            self.latest.insert(utid, state);
        }
    }

    /// A CPU runs a thread from now on.
    pub fn run(
        &mut self,
        ts: i64,
        (cpu, ucpu): (u32, u32),
        (utid, priority): (Utid, i32),
        tables: &mut Tables,
    ) -> Change {
        let slice = tables.sched_slice.push(SchedSliceRow {
            ts,
            dur: -1,
            utid,
            end_state: StringId::NULL,
            priority,
            ucpu,
        });
        let running = Running { utid, tid: tables.thread.tid.get(utid), slice };
        let Some(before) = self.running.insert(cpu, running) else { return Change::Begins };
        close(ts, before.slice, StringId::NULL, tables);
        self.unexplained.insert(before.utid, before.slice);
        Change::Displaced(before.utid)
    }

    /// A thread no longer runs, if it did. `cpu` is where that was seen.
    pub fn stop(
        &mut self,
        ts: i64,
        cpu: u32,
        utid: Utid,
        state: StringId,
        tables: &mut Tables,
    ) -> Change {
        let tid = tables.thread.tid.get(utid);
        if let Some(running) = self.running.get(&cpu).copied()
            && running.tid == tid
        {
            close(ts, running.slice, state, tables);
            self.running.remove(&cpu);
            return Change::Begins;
        }
        let Some(&slice) = self.unexplained.get(&utid) else { return Change::Begins };
        let end =
            tables.sched_slice.ts.get(slice).saturating_add(tables.sched_slice.dur.get(slice));
        if end != ts {
            return Change::Begins;
        }
        tables.sched_slice.end_state.set(slice, state);
        self.unexplained.remove(&utid);
        Change::Explained
    }
}

fn close(ts: i64, slice: u32, state: StringId, tables: &mut Tables) {
    let start = tables.sched_slice.ts.get(slice);
    tables.sched_slice.dur.set(slice, ts.saturating_sub(start));
    tables.sched_slice.end_state.set(slice, state);
}
