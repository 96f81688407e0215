//! Events of the scheduler in columns, as recorders write them to save space.

use crate::{Message, Task, field};
use field::CompactSched as columns;

/// Switches and wakings of one CPU, in time order. Timestamps are written as differences.
#[derive(Clone, Debug, Default)]
#[must_use]
pub struct CompactSched {
    names: Vec<String>,
    switches: Vec<Switch>,
    wakings: Vec<Waking>,
}

#[derive(Clone, Debug)]
struct Switch {
    at: u64,
    prev_state: i64,
    next_tid: i32,
    next_prio: i32,
    next_name: usize,
}

#[derive(Clone, Debug)]
struct Waking {
    at: u64,
    tid: i32,
    target_cpu: i32,
    prio: i32,
    name: usize,
    flags: i64,
}

impl CompactSched {
    /// Returns an empty set of events.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds an event: the CPU stops running its thread, which leaves in `prev_state`, and runs
    /// another.
    pub fn switch(mut self, at: u64, prev_state: i64, next: Task<'_>) -> Self {
        let next_name = self.name(next.comm);
        self.switches.push(Switch {
            at,
            prev_state,
            next_tid: next.tid,
            next_prio: next.prio,
            next_name,
        });
        self
    }

    /// Adds an event: the running thread is about to wake another. `flags` are those of
    /// [`FtraceEvent::common_flags`](crate::FtraceEvent::common_flags).
    pub fn waking(mut self, at: u64, woken: Task<'_>, target_cpu: i32, flags: i64) -> Self {
        let name = self.name(woken.comm);
        self.wakings.push(Waking { at, tid: woken.tid, target_cpu, prio: woken.prio, name, flags });
        self
    }

    fn name(&mut self, name: &str) -> usize {
        self.names.iter().position(|known| known == name).unwrap_or_else(|| {
            self.names.push(name.to_owned());
            self.names.len() - 1
        })
    }
}

impl From<CompactSched> for Message {
    fn from(sched: CompactSched) -> Self {
        let CompactSched { names, switches, wakings } = sched;
        let message =
            names.iter().fold(Self::new(), |m, name| m.bytes(columns::intern_table, name));
        let index = |i: usize| i64::try_from(i).unwrap_or(i64::MAX);
        message
            .packed(columns::switch_timestamp, differences(switches.iter().map(|s| s.at)))
            .packed(columns::switch_prev_state, switches.iter().map(|s| s.prev_state))
            .packed(columns::switch_next_pid, switches.iter().map(|s| s.next_tid.into()))
            .packed(columns::switch_next_prio, switches.iter().map(|s| s.next_prio.into()))
            .packed(columns::switch_next_comm_index, switches.iter().map(|s| index(s.next_name)))
            .packed(columns::waking_timestamp, differences(wakings.iter().map(|w| w.at)))
            .packed(columns::waking_pid, wakings.iter().map(|w| w.tid.into()))
            .packed(columns::waking_target_cpu, wakings.iter().map(|w| w.target_cpu.into()))
            .packed(columns::waking_prio, wakings.iter().map(|w| w.prio.into()))
            .packed(columns::waking_comm_index, wakings.iter().map(|w| index(w.name)))
            .packed(columns::waking_common_flags, wakings.iter().map(|w| w.flags))
    }
}

/// The differences of the times: the first is absolute.
fn differences(times: impl Iterator<Item = u64>) -> impl Iterator<Item = i64> {
    times.scan(0, |last, time| {
        let difference = time.wrapping_sub(*last);
        *last = time;
        Some(difference.cast_signed())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_differences_and_names_are_shared() {
        let task = Task::new("a", 7);
        let sched = CompactSched::new().switch(100, 0, task).switch(130, 1, task);
        let expected = Message::new()
            .bytes(columns::intern_table, "a")
            .packed(columns::switch_timestamp, [100, 30])
            .packed(columns::switch_prev_state, [0, 1])
            .packed(columns::switch_next_pid, [7, 7])
            .packed(columns::switch_next_prio, [120, 120])
            .packed(columns::switch_next_comm_index, [0, 0]);
        assert_eq!(Message::from(sched), expected);
    }
}
