//! Calls into the secure world: of the Trusty operating system, and of Qualcomm's monitor.

use tpq_tables::{Stats, StringId, Tables};

use super::event::{Events, FtraceEvent};
use crate::track::{ArgSet, NewSlice, SliceEnd, Trackers};

pub(super) const EVENTS: Events = &[
    (338, scm_call),
    (339, scm_return),
    (445, smc),
    (446, smc_done),
    (447, standard_call),
    (448, standard_call_done),
    (449, share_memory),
    (450, share_memory_done),
    (451, reclaim_memory),
    (452, reclaim_memory_done),
    (453, interrupt),
    (454, handle_event),
    (455, connect),
    (456, connect_end),
    (457, write),
    (458, poll),
    (460, read),
    (461, read_end),
    (462, received),
    (464, enqueue_nop),
];

/// The category of what is Trusty's.
const TRUSTY: &str = "tipc";

fn slice(
    event: &FtraceEvent<'_>,
    name: &str,
    trackers: &mut Trackers,
    tables: &mut Tables,
) -> NewSlice {
    let track = event.thread_track(trackers, tables);
    let name = tables.strings.intern(name);
    let category = tables.strings.intern(TRUSTY);
    NewSlice { ts: event.ts, track, name, category, arg_set_id: None }
}

fn begin(
    event: &FtraceEvent<'_>,
    name: &str,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let slice = slice(event, name, trackers, tables);
    trackers.begin_slice(slice, ArgSet::default(), tables, stats);
}

fn instant(
    event: &FtraceEvent<'_>,
    name: &str,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let slice = slice(event, name, trackers, tables);
    trackers.instant(slice, &ArgSet::default(), tables, stats);
}

/// Ends the thread's innermost slice of Trusty, and shows its outcome where there is one to show.
fn end(
    event: &FtraceEvent<'_>,
    outcome: Option<String>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let track = event.thread_track(trackers, tables);
    let category = tables.strings.intern(TRUSTY);
    let end = SliceEnd { ts: event.ts, track, category, ..SliceEnd::default() };
    trackers.end_slice(end, &ArgSet::default(), tables, stats);
    if let Some(outcome) = outcome {
        instant(event, &outcome, trackers, tables, stats);
    }
}

fn scm_call(
    event: &FtraceEvent<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let name = match event.uint(2) {
        0 => "scm id=0".to_owned(),
        id => format!("scm id={id:#x}"),
    };
    let slice = slice(event, &name, trackers, tables);
    let slice = NewSlice { category: StringId::NULL, ..slice };
    trackers.begin_slice(slice, ArgSet::default(), tables, stats);
}

fn scm_return(
    event: &FtraceEvent<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let track = event.thread_track(trackers, tables);
    let end = SliceEnd { ts: event.ts, track, ..SliceEnd::default() };
    trackers.end_slice(end, &ArgSet::default(), tables, stats);
}

fn smc(event: &FtraceEvent<'_>, trackers: &mut Trackers, tables: &mut Tables, stats: &mut Stats) {
    let name = format!("trusty_smc:r0= {}", event.uint(1));
    begin(event, &name, trackers, tables, stats);
}

fn smc_done(
    event: &FtraceEvent<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let outcome = format!("trusty_smc_done:r0= {}", event.uint(1));
    end(event, Some(outcome), trackers, tables, stats);
}

fn standard_call(
    event: &FtraceEvent<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    begin(event, "trusty_std", trackers, tables, stats);
}

fn standard_call_done(
    event: &FtraceEvent<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let result = event.int(1);
    let outcome = (result < 0).then(|| format!("trusty_err_std: err= {result}"));
    end(event, outcome, trackers, tables, stats);
}

fn share_memory(
    event: &FtraceEvent<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let (len, lend, nents) = (event.uint(1), event.uint(2), event.uint(3));
    let name = format!("trusty_share_mem: len= {len} nents= {nents} lend= {lend}");
    begin(event, &name, trackers, tables, stats);
}

fn share_memory_done(
    event: &FtraceEvent<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let (handle, result) = (event.uint(1), event.int(5) as i32);
    let outcome = format!("trusty_share_mem: handle= {handle} ret= {result}");
    end(event, Some(outcome), trackers, tables, stats);
}

fn reclaim_memory(
    event: &FtraceEvent<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let name = format!("trusty_reclaim_mem: id={}", event.uint(1));
    begin(event, &name, trackers, tables, stats);
}

fn reclaim_memory_done(
    event: &FtraceEvent<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let result = event.int(2) as i32;
    let outcome = (result < 0).then(|| format!("trusty_reclaim_mem_err: err= {result}"));
    end(event, outcome, trackers, tables, stats);
}

fn interrupt(
    event: &FtraceEvent<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let name = format!("trusty_irq: irq= {}", event.int(1) as i32);
    instant(event, &name, trackers, tables, stats);
}

fn handle_event(
    event: &FtraceEvent<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let (channel, id, service) = (event.uint(1), event.uint(2), event.part(3));
    let name = format!("trusty_ipc_handle_event: chan={channel} srv_name={service} event={id}");
    instant(event, &name, trackers, tables, stats);
}

fn connect(
    event: &FtraceEvent<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let name = format!("tipc_connect: {}", event.part(2));
    begin(event, &name, trackers, tables, stats);
}

fn connect_end(
    event: &FtraceEvent<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let error = event.int(2) as i32;
    let outcome = (error != 0).then(|| format!("tipc_err_connect:err= {error}"));
    end(event, outcome, trackers, tables, stats);
}

fn write(event: &FtraceEvent<'_>, trackers: &mut Trackers, tables: &mut Tables, stats: &mut Stats) {
    let (len, shared, service) = (event.int(4) as i32, event.uint(5), event.part(6));
    let name = match shared {
        0 => format!("tipc_write: {service}"),
        shared => format!("tipc_write: {service} shm_cnt:[{shared}]"),
    };
    instant(event, &name, trackers, tables, stats);
    if len < 0 {
        let name = format!("tipc_err_write:len_or_err= {len}");
        instant(event, &name, trackers, tables, stats);
    }
}

fn poll(event: &FtraceEvent<'_>, trackers: &mut Trackers, tables: &mut Tables, stats: &mut Stats) {
    let name = format!("tipc_poll: {}", event.part(3));
    instant(event, &name, trackers, tables, stats);
}

fn read(event: &FtraceEvent<'_>, trackers: &mut Trackers, tables: &mut Tables, stats: &mut Stats) {
    let name = format!("tipc_read: {}", event.part(2));
    begin(event, &name, trackers, tables, stats);
}

fn read_end(
    event: &FtraceEvent<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let len = event.int(3) as i32;
    let outcome = (len <= 0).then(|| format!("tipc_err_read:len_or_err= {len}"));
    end(event, outcome, trackers, tables, stats);
}

fn received(
    event: &FtraceEvent<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    instant(event, "tipc_rx", trackers, tables, stats);
}

fn enqueue_nop(
    event: &FtraceEvent<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let (first, second, third) = (event.uint(1), event.uint(2), event.uint(3));
    let name = format!("trusty_enqueue_nop: arg1= {first} arg2= {second} arg3={third}");
    instant(event, &name, trackers, tables, stats);
}
