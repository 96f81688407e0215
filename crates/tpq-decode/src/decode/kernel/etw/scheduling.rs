//! Which threads the CPUs of Windows run, and what threads wait for.

use rustc_hash::FxHashMap;
use tpq_proto::fields::{c_switch_etw_event, ready_thread_etw_event};
use tpq_proto::wire::{LastFields, zigzag};
use tpq_tables::table::SchedSliceRow;
use tpq_tables::{Stat, Stats, StringId, Tables};
use tpq_trackers::deferred::StateEvent;
use tpq_trackers::track::{NamePriority, Trackers, Utid};

use super::EtwEvent;

/// Stands for threads with ids that the recorder left out. 0 is the idle thread.
const ANONYMOUS: u32 = u32::MAX;
const ANONYMOUS_NAME: &str = "Anonymized Process";

/// States of threads, by number.
const STATES: [&str; 8] = [
    "Initialized",
    "Ready",
    "Running",
    "Standby",
    "Terminated",
    "Waiting",
    "Transition",
    "DeferredReady",
];
const WAITING: i64 = 5;

/// What threads wait for, by number.
const WAIT_REASONS: [&str; 37] = [
    "Executive",
    "FreePage",
    "PageIn",
    "PoolAllocation",
    "DelayExecution",
    "Suspended",
    "UserRequest",
    "WrExecutive",
    "WrFreePage",
    "WrPageIn",
    "WrPoolAllocation",
    "WrDelayExecution",
    "WrSuspended",
    "WrUserRequest",
    "WrEventPair",
    "WrQueue",
    "WrLpcReceive",
    "WrLpcReply",
    "WrVirtualMemory",
    "WrPageOut",
    "WrRendezvous",
    "WrKeyedEvent",
    "WrTerminated",
    "WrProcessInSwap",
    "WrCpuRateControl",
    "WrCalloutStack",
    "WrKernel",
    "WrResource",
    "WrPushLock",
    "WrMutex",
    "WrQuantumEnd",
    "WrDispatchInt",
    "WrPreempted",
    "WrYieldExecution",
    "WrFastMutex",
    "WrGuardedMutex",
    "WrRundown",
];
const PAGE_IN: usize = 2;
/// Waits from here on can be interrupted, and are mostly for I/O.
const FIRST_ALERTABLE: usize = 7;

/// The thread that each CPU runs, with the row of `sched_slice` and when it began.
#[derive(Default)]
struct Running(FxHashMap<u32, (u32, u32, i64)>);

pub(super) fn decode_switch(
    event: EtwEvent,
    message: &[u8],
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let switch = LastFields::<14>::new(message);
    let tid = |number| switch.get(number).map_or(ANONYMOUS, |tid| tid.as_u32());
    let next_tid = tid(c_switch_etw_event::NEW_THREAD_ID);
    let previous_tid = tid(c_switch_etw_event::OLD_THREAD_ID);
    let number = state_of(&switch);
    let state = usize::try_from(number).ok().and_then(|number| STATES.get(number));
    let state = state.map_or(StringId::NULL, |state| tables.strings.intern(state));
    if state.is_null() {
        stats.increment(Stat::TaskStateInvalid);
    }
    let next = thread(event, next_tid, trackers, tables);
    let ucpu = trackers.cpus.get(event.machine, event.cpu, tables);
    let slice = tables.sched_slice.push(SchedSliceRow {
        ts: event.ts,
        dur: -1,
        utid: next,
        end_state: StringId::NULL,
        priority: zigzag(switch.uint(c_switch_etw_event::NEW_THREAD_PRIORITY)) as i32,
        ucpu,
    });
    let Running(running) = trackers.source.states.get();
    if let Some((tid, slice, start)) = running.insert(event.cpu, (next_tid, slice, event.ts)) {
        if tid == previous_tid {
            tables.sched_slice.dur.set(slice, event.ts - start);
            tables.sched_slice.end_state.set(slice, state);
        } else {
            stats.increment(Stat::MismatchedSchedSwitchTids);
        }
    }
    let previous = thread(event, previous_tid, trackers, tables);
    let ts = event.ts;
    trackers.deferred.push_state(StateEvent::Switch { ts, ucpu, previous, state, next });
    if number == WAITING {
        let (io_wait, function) = wait_reason(&switch, tables);
        let utid = previous;
        trackers.deferred.push_state(StateEvent::Blocked { utid, io_wait, function });
    }
}

/// The number of the state of the thread that was switched out.
fn state_of(switch: &LastFields<'_, 14>) -> i64 {
    match switch.get(c_switch_etw_event::OLD_THREAD_STATE) {
        Some(state) => i64::from(state.as_i32()),
        None => zigzag(switch.uint(c_switch_etw_event::OLD_THREAD_STATE_INT)),
    }
}

/// Whether the thread that was switched out waits for I/O, and what it waits for.
fn wait_reason(switch: &LastFields<'_, 14>, tables: &mut Tables) -> (Option<bool>, StringId) {
    let reason = switch
        .get(c_switch_etw_event::OLD_THREAD_WAIT_REASON)
        .or(switch.get(c_switch_etw_event::OLD_THREAD_WAIT_REASON_INT));
    let number = reason.map_or(Ok(0), |reason| usize::try_from(reason.as_i32()));
    let number = number.unwrap_or(usize::MAX);
    let is_io = number == PAGE_IN || (FIRST_ALERTABLE..WAIT_REASONS.len()).contains(&number);
    let name = WAIT_REASONS.get(number);
    (Some(is_io), name.map_or(StringId::NULL, |name| tables.strings.intern(name)))
}

/// A thread, with a name if its id was left out.
fn thread(event: EtwEvent, tid: u32, trackers: &mut Trackers, tables: &mut Tables) -> Utid {
    let utid = event.utid(tid, trackers, tables);
    if tid == ANONYMOUS {
        let name = tables.strings.intern(ANONYMOUS_NAME);
        trackers.processes.name_thread(utid, name, NamePriority::Ftrace, tables);
    }
    utid
}

pub(super) fn decode_ready(
    event: EtwEvent,
    message: &[u8],
    trackers: &mut Trackers,
    tables: &mut Tables,
    _: &mut Stats,
) {
    let ready = LastFields::<2>::new(message);
    let tid = ready.uint(ready_thread_etw_event::T_THREAD_ID) as u32;
    let utid = event.utid(tid, trackers, tables);
    let waker = event.utid(event.thread, trackers, tables);
    let wake = StateEvent::Wake { ts: event.ts, utid, waker, common_flags: None };
    trackers.deferred.push_state(wake);
}
