//! States of threads, each an event with its duration. Steps of async slices, in the oldest form,
//! have the same phase, but an id and no duration.

use sonic_rs::to_object_iter;
use tpq_tables::table::SchedSliceRow;
use tpq_tables::{Stat, StringId};

use super::context::Context;
use super::cpu::{NoCpu, cpu};
use super::owner::EventOwner;
use super::text::unescaped;
use tpq_trackers::deferred::StateEvent;

/// The state of a thread that a CPU runs.
const RUNNING: &str = "Running";
/// The format has no priorities.
const NO_PRIORITY: i32 = 0;

/// What the args of a state tell.
#[derive(Default)]
struct Details {
    cpu: Option<u32>,
    /// Whether the number of the CPU is none.
    has_wrong_cpu: bool,
    io_wait: Option<bool>,
    blocked_function: StringId,
}

impl Context<'_> {
    /// Whether the event is a state of a thread.
    pub(super) fn is_thread_state(&self) -> bool {
        self.event.dur.is_some() && self.event.id.len == 0 && self.event.id2.len == 0
    }

    /// Writes a state of a thread. The name of the event is the state. A thread that runs on a
    /// known CPU is what the CPU runs for that time. A CPU that there cannot be is counted, and the
    /// state has none.
    pub(super) fn thread_state(&mut self, owner: EventOwner) {
        let dur = self.event.dur.filter(|&dur| dur >= 0 && owner.has_tid && !self.name.is_null());
        let (Some(dur), Some(details)) = (dur, self.state_details()) else {
            return self.fail(Stat::JsonParserFailure);
        };
        if details.has_wrong_cpu {
            self.fail(Stat::JsonParserFailure);
        }
        let (ts, utid, state, machine) = (self.ts, owner.utid, self.name, self.machine);
        self.trackers.bounds.include(ts);
        self.trackers.bounds.include(ts.saturating_add(dur));
        let tables = &mut *self.tables;
        let ucpu = details.cpu.map(|cpu| self.trackers.cpus.get(machine, cpu, tables));
        if let Some(ucpu) = ucpu.filter(|_| tables.strings.get(state) == RUNNING) {
            tables.sched_slice.push(SchedSliceRow {
                ts,
                dur,
                utid,
                end_state: StringId::NULL,
                priority: NO_PRIORITY,
                ucpu,
            });
        }
        let Details { io_wait, blocked_function, .. } = details;
        self.trackers.deferred.push_state(StateEvent::Whole {
            ts,
            dur,
            utid,
            state,
            ucpu,
            io_wait,
            function: blocked_function,
        });
    }

    /// Reads the args; `None` for JSON that is damaged.
    fn state_details(&mut self) -> Option<Details> {
        let mut details = Details::default();
        if self.event.args.len == 0 {
            return Some(details);
        }
        let bytes = self.bytes;
        for field in to_object_iter(bytes.get(self.event.args)) {
            let (key, value) = field.ok()?;
            let raw = value.as_raw_str();
            let text = raw.strip_prefix('"').and_then(|raw| raw.strip_suffix('"'));
            match (&*key, text) {
                ("cpu", _) => match cpu(text.unwrap_or(raw)) {
                    Ok(cpu) => details.cpu = cpu,
                    Err(NoCpu) => details.has_wrong_cpu = true,
                },
                ("io_wait", _) => details.io_wait = truth(text.unwrap_or(raw)),
                ("blocked_function", Some(function)) if !function.is_empty() => {
                    let function = unescaped(function.as_bytes());
                    details.blocked_function = self.tables.strings.intern(&function);
                }
                _ => {}
            }
        }
        Some(details)
    }
}

/// A truth value, which some programs write as a number.
fn truth(raw: &str) -> Option<bool> {
    match raw {
        "true" | "1" => Some(true),
        "false" | "0" => Some(false),
        _ => None,
    }
}
