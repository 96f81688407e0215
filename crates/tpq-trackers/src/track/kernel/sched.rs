//! Which thread each CPU runs.

use rustc_hash::FxHashMap;
use tpq_tables::table::SchedSliceRow;
use tpq_tables::{Stat, Stats, StringId, StringPool, Tables};

use crate::deferred::{DeferredWrites, NextTask, StateEvent};
use crate::track::{Cpus, MAX_CPUS, NamePriority, Processes, Tid, Utid};

/// The bits of a task state and their letters, lowest first. Linux 4.14 renumbered them.
const SINCE_4_14: StateBits =
    StateBits { letters: &["S", "D", "T", "t", "X", "Z", "P", "I"], preempted: 0x100 };
const BEFORE_4_14: StateBits = StateBits {
    letters: &["S", "D", "T", "t", "X", "Z", "x", "K", "W", "P", "N"],
    preempted: 0x800,
};
/// Uninterruptible and not counted as load: how kernels before 4.14 marked idle.
const IDLE_BEFORE_4_14: i64 = 0x402;

struct StateBits {
    letters: &'static [&'static str],
    preempted: i64,
}

/// The task switched out, where the event names it; compact events leave it to be inferred.
#[derive(Clone, Copy, Debug)]
pub struct PreviousTask {
    /// The tid.
    pub pid: i32,
    /// Name of the thread.
    pub comm: StringId,
}

/// The thread that a CPU runs.
#[derive(Clone, Copy, Debug)]
struct Current {
    utid: Utid,
    pid: i32,
    prio: i32,
    /// Its row, and when it began.
    slice: Option<(u32, i64)>,
}

/// Writes `sched_slice`, and returns of switches what states of threads follow from.
pub struct Sched {
    /// By the CPU's number: a source is of one machine.
    current: Vec<Option<Current>>,
    states: FxHashMap<i64, StringId>,
    /// Kernel version as (major, minor), from `system_info`.
    kernel: Option<(u32, u32)>,
    preempted: StringId,
}

impl Sched {
    /// Interns the names of all states.
    pub fn new(strings: &mut StringPool) -> Self {
        Self {
            current: Vec::new(),
            states: FxHashMap::default(),
            kernel: None,
            preempted: strings.intern("R+"),
        }
    }

    /// The kernel's release decides what the bits of a task state mean.
    pub fn set_kernel_release(&mut self, release: &str) {
        let mut numbers = release.split(['.', '-']).map(|part| part.parse().ok());
        if let (Some(Some(major)), Some(Some(minor))) = (numbers.next(), numbers.next()) {
            self.kernel = Some((major, minor));
            self.states.clear();
        }
    }

    /// A CPU switched tasks.
    #[expect(clippy::too_many_arguments, reason = "a switch touches every scheduling table")]
    pub fn switch(
        &mut self,
        ts: i64,
        (machine, cpu): (u32, u32),
        previous: Option<PreviousTask>,
        state: i64,
        next: NextTask,
        processes: &mut Processes,
        cpus: &mut Cpus,
        deferred: &mut DeferredWrites,
        tables: &mut Tables,
        stats: &mut Stats,
    ) {
        let tid = |pid: i32| Tid { machine, id: i64::from(pid) };
        let next_utid = processes.thread(tid(next.pid), tables);
        processes.name_thread(next_utid, next.comm, NamePriority::Ftrace, tables);
        let ucpu = cpus.get(machine, cpu, tables);
        let before = self.current(cpu);
        if previous.is_none() && before.is_none() {
            // The first compact switch of a CPU does not say what ran until then.
            stats.increment(Stat::CompactSchedSwitchSkipped);
            let current = Current { utid: next_utid, pid: next.pid, prio: next.prio, slice: None };
            self.set_current(cpu, current);
            return;
        }
        let state = self.state(state, tables);
        if state.is_null() {
            stats.increment(Stat::TaskStateInvalid);
        }
        if let Some(Current { slice: Some((slice, start)), pid, .. }) = before {
            if previous.is_none_or(|previous| previous.pid == pid) {
                tables.sched_slice.dur.set(slice, ts - start);
                tables.sched_slice.end_state.set(slice, state);
            } else {
                stats.increment(Stat::MismatchedSchedSwitchTids);
            }
        }
        let previous_utid = match (previous, before) {
            (Some(previous), _) => {
                let utid = processes.thread(tid(previous.pid), tables);
                processes.name_thread(utid, previous.comm, NamePriority::Ftrace, tables);
                utid
            }
            (None, Some(before)) => before.utid,
            (None, None) => next_utid,
        };
        let slice = tables.sched_slice.push(SchedSliceRow {
            ts,
            dur: -1,
            utid: next_utid,
            end_state: StringId::NULL,
            priority: next.prio,
            ucpu,
        });
        let NextTask { pid, prio, .. } = next;
        self.set_current(cpu, Current { utid: next_utid, pid, prio, slice: Some((slice, ts)) });
        let (previous, next) = (previous_utid, next_utid);
        deferred.push_state(StateEvent::Switch { ts, ucpu, previous, state, next });
    }

    /// A CPU switched tasks at an unknown time.
    pub fn follow(
        &mut self,
        (machine, cpu): (u32, u32),
        next: NextTask,
        processes: &mut Processes,
        tables: &mut Tables,
        stats: &mut Stats,
    ) {
        let NextTask { pid, prio, comm } = next;
        let utid = processes.thread(Tid { machine, id: i64::from(pid) }, tables);
        processes.name_thread(utid, comm, NamePriority::Ftrace, tables);
        let before = self.current(cpu);
        self.set_current(cpu, Current { utid, pid, prio, slice: None });
        if before.is_none() {
            stats.increment(Stat::CompactSchedSwitchSkipped);
        }
    }

    /// The task a CPU runs, by its latest name, once a switch was seen.
    pub fn task(&self, cpu: u32, tables: &Tables) -> Option<(Utid, NextTask)> {
        let Current { utid, pid, prio, .. } = self.current(cpu)?;
        Some((utid, NextTask { pid, prio, comm: tables.thread.name.get(utid) }))
    }

    /// The thread a CPU runs, once a switch was seen.
    pub fn running(&self, cpu: u32) -> Option<Utid> {
        self.current(cpu).map(|current| current.utid)
    }

    fn current(&self, cpu: u32) -> Option<Current> {
        self.current.get(cpu.min(MAX_CPUS) as usize).copied().flatten()
    }

    fn set_current(&mut self, cpu: u32, current: Current) {
        let cpu = cpu.min(MAX_CPUS) as usize;
        if cpu >= self.current.len() {
            self.current.resize(cpu + 1, None);
        }
        self.current[cpu] = Some(current);
    }

    /// The letters of a task state; NULL when it is none.
    fn state(&mut self, bits: i64, tables: &mut Tables) -> StringId {
        if let Some(&state) = self.states.get(&bits) {
            return state;
        }
        let since_4_14 = self.kernel.is_some_and(|version| version >= (4, 14));
        let state = letters(bits, if since_4_14 { &SINCE_4_14 } else { &BEFORE_4_14 });
        let state = match state.as_deref() {
            Some("R+") => self.preempted,
            Some(state) => tables.strings.intern(state),
            None => StringId::NULL,
        };
        self.states.insert(bits, state);
        state
    }
}

/// The letters of the bits that are set, or `R`; a `+` for a task that was preempted. Bits past
/// the known ones are of no state and left out.
fn letters(bits: i64, table: &StateBits) -> Option<String> {
    if bits < 0 {
        return None;
    }
    if table.preempted == BEFORE_4_14.preempted && bits & IDLE_BEFORE_4_14 == IDLE_BEFORE_4_14 {
        return Some("I".into());
    }
    let set = table.letters.iter().enumerate().filter(|(index, _)| bits >> index & 1 == 1);
    let mut text: String = set.map(|(_, letter)| *letter).collect();
    if text.is_empty() {
        text.push('R');
    }
    if bits & table.preempted != 0 {
        text.push('+');
    }
    Some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn task_states_by_their_letters() {
        let since = |bits| letters(bits, &SINCE_4_14);
        assert_eq!(since(0).as_deref(), Some("R"));
        assert_eq!(since(0x100).as_deref(), Some("R+"));
        assert_eq!(since(1).as_deref(), Some("S"));
        assert_eq!(since(0x80).as_deref(), Some("I"));
        assert_eq!(since(0x10).as_deref(), Some("X"));
        assert_eq!(since(-1), None);
        let before = |bits| letters(bits, &BEFORE_4_14);
        assert_eq!(before(0x402).as_deref(), Some("I"));
        assert_eq!(before(0x102).as_deref(), Some("DW"));
        assert_eq!(before(0x2001).as_deref(), Some("S"));
        assert_eq!(before(0x800).as_deref(), Some("R+"));
    }
}
