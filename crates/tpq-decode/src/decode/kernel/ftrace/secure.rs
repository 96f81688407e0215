//! Calls into the secure world, and what goes back and forth with Trusty there.

use tpq_tables::{Stats, Tables};

use super::effects::Effects;
use super::event::{Events, FtraceEvent};
use tpq_trackers::track::Trackers;

pub(super) const EVENTS: Events = &[
    (338, call_start),
    (339, call_end),
    (445, smc),
    (446, smc_done),
    (447, std_call),
    (448, std_call_done),
    (449, share_memory),
    (450, share_memory_done),
    (451, reclaim_memory),
    (452, reclaim_memory_done),
    (453, irq),
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

const TIPC: &str = "tipc";

fn begin(on: &mut Effects<'_, '_>, name: &str) {
    let track = on.thread_track();
    on.begin(track, (TIPC, name), &[]);
}

fn end(on: &mut Effects<'_, '_>) {
    let track = on.thread_track();
    on.end_category(track, TIPC);
}

fn instant(on: &mut Effects<'_, '_>, name: &str) {
    let track = on.thread_track();
    on.instant(track, (TIPC, name), &[]);
}

/// Ends a slice and, where something went wrong, says so.
fn end_with_error(on: &mut Effects<'_, '_>, error: Option<String>) {
    end(on);
    if let Some(error) = error {
        instant(on, &error);
    }
}

fn call_start(
    event: &FtraceEvent<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let mut on = event.on(trackers, tables, stats);
    let track = on.thread_track();
    // As C prints it, which leaves 0 without a prefix.
    let id = match event.uint(2) {
        0 => "0".to_owned(),
        id => format!("{id:#x}"),
    };
    on.begin(track, format!("scm id={id}").as_str(), &[]);
}

fn call_end(
    event: &FtraceEvent<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let mut on = event.on(trackers, tables, stats);
    let track = on.thread_track();
    on.end(track, &[]);
}

fn smc(event: &FtraceEvent<'_>, trackers: &mut Trackers, tables: &mut Tables, stats: &mut Stats) {
    begin(&mut event.on(trackers, tables, stats), &format!("trusty_smc:r0= {}", event.uint(1)));
}

fn smc_done(
    event: &FtraceEvent<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let done = format!("trusty_smc_done:r0= {}", event.uint(1));
    end_with_error(&mut event.on(trackers, tables, stats), Some(done));
}

fn std_call(
    event: &FtraceEvent<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    begin(&mut event.on(trackers, tables, stats), "trusty_std");
}

fn std_call_done(
    event: &FtraceEvent<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let code = event.int(1);
    let error = (code < 0).then(|| format!("trusty_err_std: err= {code}"));
    end_with_error(&mut event.on(trackers, tables, stats), error);
}

fn share_memory(
    event: &FtraceEvent<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let (len, lend, nents) = (event.uint(1), event.uint(2), event.uint(3));
    let name = format!("trusty_share_mem: len= {len} nents= {nents} lend= {lend}");
    begin(&mut event.on(trackers, tables, stats), &name);
}

fn share_memory_done(
    event: &FtraceEvent<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let (handle, code) = (event.uint(1), event.int(5) as i32);
    let done = format!("trusty_share_mem: handle= {handle} ret= {code}");
    end_with_error(&mut event.on(trackers, tables, stats), Some(done));
}

fn reclaim_memory(
    event: &FtraceEvent<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    begin(
        &mut event.on(trackers, tables, stats),
        &format!("trusty_reclaim_mem: id={}", event.uint(1)),
    );
}

fn reclaim_memory_done(
    event: &FtraceEvent<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let code = event.int(2) as i32;
    let error = (code < 0).then(|| format!("trusty_reclaim_mem_err: err= {code}"));
    end_with_error(&mut event.on(trackers, tables, stats), error);
}

fn irq(event: &FtraceEvent<'_>, trackers: &mut Trackers, tables: &mut Tables, stats: &mut Stats) {
    instant(
        &mut event.on(trackers, tables, stats),
        &format!("trusty_irq: irq= {}", event.int(1) as i32),
    );
}

fn handle_event(
    event: &FtraceEvent<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let (channel, number, service) = (event.uint(1), event.uint(2), event.string(3));
    let name = format!("trusty_ipc_handle_event: chan={channel} srv_name={service} event={number}");
    instant(&mut event.on(trackers, tables, stats), &name);
}

fn connect(
    event: &FtraceEvent<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    begin(&mut event.on(trackers, tables, stats), &format!("tipc_connect: {}", event.string(2)));
}

fn connect_end(
    event: &FtraceEvent<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let code = event.int(2) as i32;
    let error = (code != 0).then(|| format!("tipc_err_connect:err= {code}"));
    end_with_error(&mut event.on(trackers, tables, stats), error);
}

fn write(event: &FtraceEvent<'_>, trackers: &mut Trackers, tables: &mut Tables, stats: &mut Stats) {
    let mut on = event.on(trackers, tables, stats);
    let (service, shared, len) = (event.string(6), event.uint(5), event.int(4) as i32);
    let shared = if shared > 0 { format!(" shm_cnt:[{shared}]") } else { String::new() };
    instant(&mut on, &format!("tipc_write: {service}{shared}"));
    if len < 0 {
        instant(&mut on, &format!("tipc_err_write:len_or_err= {len}"));
    }
}

fn read(event: &FtraceEvent<'_>, trackers: &mut Trackers, tables: &mut Tables, stats: &mut Stats) {
    begin(&mut event.on(trackers, tables, stats), &format!("tipc_read: {}", event.string(2)));
}

fn read_end(
    event: &FtraceEvent<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let len = event.int(3) as i32;
    let error = (len <= 0).then(|| format!("tipc_err_read:len_or_err= {len}"));
    end_with_error(&mut event.on(trackers, tables, stats), error);
}

fn poll(event: &FtraceEvent<'_>, trackers: &mut Trackers, tables: &mut Tables, stats: &mut Stats) {
    instant(&mut event.on(trackers, tables, stats), &format!("tipc_poll: {}", event.string(3)));
}

fn received(
    event: &FtraceEvent<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    instant(&mut event.on(trackers, tables, stats), "tipc_rx");
}

fn enqueue_nop(
    event: &FtraceEvent<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let [one, two, three] = [1, 2, 3].map(|number| event.uint(number));
    let name = format!("trusty_enqueue_nop: arg1= {one} arg2= {two} arg3={three}");
    instant(&mut event.on(trackers, tables, stats), &name);
}
