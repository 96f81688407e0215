//! Calls into the secure world, and messages to and from Trusty there.

use tpq_proto::fields::ftrace::{
    ftrace_event, scm_call_start, trusty_enqueue_nop, trusty_ipc_connect, trusty_ipc_connect_end,
    trusty_ipc_handle_event, trusty_ipc_poll, trusty_ipc_read, trusty_ipc_read_end,
    trusty_ipc_write, trusty_irq, trusty_reclaim_memory, trusty_reclaim_memory_done,
    trusty_share_memory, trusty_share_memory_done, trusty_smc, trusty_smc_done,
    trusty_std_call32_done,
};
use tpq_tables::{Stats, Tables};

use super::effects::Effects;
use super::event::{Events, FtraceEvent};
use tpq_trackers::track::Trackers;

pub(super) const EVENTS: Events = &[
    (ftrace_event::SCM_CALL_START, call_start),
    (ftrace_event::SCM_CALL_END, call_end),
    (ftrace_event::TRUSTY_SMC, smc),
    (ftrace_event::TRUSTY_SMC_DONE, smc_done),
    (ftrace_event::TRUSTY_STD_CALL32, std_call),
    (ftrace_event::TRUSTY_STD_CALL32_DONE, std_call_done),
    (ftrace_event::TRUSTY_SHARE_MEMORY, share_memory),
    (ftrace_event::TRUSTY_SHARE_MEMORY_DONE, share_memory_done),
    (ftrace_event::TRUSTY_RECLAIM_MEMORY, reclaim_memory),
    (ftrace_event::TRUSTY_RECLAIM_MEMORY_DONE, reclaim_memory_done),
    (ftrace_event::TRUSTY_IRQ, irq),
    (ftrace_event::TRUSTY_IPC_HANDLE_EVENT, handle_event),
    (ftrace_event::TRUSTY_IPC_CONNECT, connect),
    (ftrace_event::TRUSTY_IPC_CONNECT_END, connect_end),
    (ftrace_event::TRUSTY_IPC_WRITE, write),
    (ftrace_event::TRUSTY_IPC_POLL, poll),
    (ftrace_event::TRUSTY_IPC_READ, read),
    (ftrace_event::TRUSTY_IPC_READ_END, read_end),
    (ftrace_event::TRUSTY_IPC_RX, received),
    (ftrace_event::TRUSTY_ENQUEUE_NOP, enqueue_nop),
];

const TIPC: &str = "tipc";

fn begin(effects: &mut Effects<'_, '_>, name: &str) {
    let track = effects.thread_track();
    effects.begin(track, (TIPC, name), &[]);
}

fn end(effects: &mut Effects<'_, '_>) {
    let track = effects.thread_track();
    effects.end_category(track, TIPC);
}

fn instant(effects: &mut Effects<'_, '_>, name: &str) {
    let track = effects.thread_track();
    effects.instant(track, (TIPC, name), &[]);
}

/// Ends a slice and, where something went wrong, says so.
fn end_with_error(effects: &mut Effects<'_, '_>, error: Option<String>) {
    end(effects);
    if let Some(error) = error {
        instant(effects, &error);
    }
}

fn call_start(
    event: &FtraceEvent<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let mut effects = event.effects(trackers, tables, stats);
    let track = effects.thread_track();
    // As C prints it, which leaves 0 without a prefix.
    let id = match event.uint(scm_call_start::X0) {
        0 => "0".to_owned(),
        id => format!("{id:#x}"),
    };
    effects.begin(track, format!("scm id={id}").as_str(), &[]);
}

fn call_end(
    event: &FtraceEvent<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let mut effects = event.effects(trackers, tables, stats);
    let track = effects.thread_track();
    effects.end(track, &[]);
}

fn smc(event: &FtraceEvent<'_>, trackers: &mut Trackers, tables: &mut Tables, stats: &mut Stats) {
    begin(
        &mut event.effects(trackers, tables, stats),
        &format!("trusty_smc:r0= {}", event.uint(trusty_smc::R0)),
    );
}

fn smc_done(
    event: &FtraceEvent<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let done = format!("trusty_smc_done:r0= {}", event.uint(trusty_smc_done::RET));
    end_with_error(&mut event.effects(trackers, tables, stats), Some(done));
}

fn std_call(
    event: &FtraceEvent<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    begin(&mut event.effects(trackers, tables, stats), "trusty_std");
}

fn std_call_done(
    event: &FtraceEvent<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let code = event.int(trusty_std_call32_done::RET);
    let error = (code < 0).then(|| format!("trusty_err_std: err= {code}"));
    end_with_error(&mut event.effects(trackers, tables, stats), error);
}

fn share_memory(
    event: &FtraceEvent<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let (len, lend, nents) = (
        event.uint(trusty_share_memory::LEN),
        event.uint(trusty_share_memory::LEND),
        event.uint(trusty_share_memory::NENTS),
    );
    let name = format!("trusty_share_mem: len= {len} nents= {nents} lend= {lend}");
    begin(&mut event.effects(trackers, tables, stats), &name);
}

fn share_memory_done(
    event: &FtraceEvent<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let (handle, code) = (
        event.uint(trusty_share_memory_done::HANDLE),
        event.int(trusty_share_memory_done::RET) as i32,
    );
    let done = format!("trusty_share_mem: handle= {handle} ret= {code}");
    end_with_error(&mut event.effects(trackers, tables, stats), Some(done));
}

fn reclaim_memory(
    event: &FtraceEvent<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    begin(
        &mut event.effects(trackers, tables, stats),
        &format!("trusty_reclaim_mem: id={}", event.uint(trusty_reclaim_memory::ID)),
    );
}

fn reclaim_memory_done(
    event: &FtraceEvent<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let code = event.int(trusty_reclaim_memory_done::RET) as i32;
    let error = (code < 0).then(|| format!("trusty_reclaim_mem_err: err= {code}"));
    end_with_error(&mut event.effects(trackers, tables, stats), error);
}

fn irq(event: &FtraceEvent<'_>, trackers: &mut Trackers, tables: &mut Tables, stats: &mut Stats) {
    instant(
        &mut event.effects(trackers, tables, stats),
        &format!("trusty_irq: irq= {}", event.int(trusty_irq::IRQ) as i32),
    );
}

fn handle_event(
    event: &FtraceEvent<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let (channel, number, service) = (
        event.uint(trusty_ipc_handle_event::CHAN),
        event.uint(trusty_ipc_handle_event::EVENT_ID),
        event.string(trusty_ipc_handle_event::SRV_NAME),
    );
    let name = format!("trusty_ipc_handle_event: chan={channel} srv_name={service} event={number}");
    instant(&mut event.effects(trackers, tables, stats), &name);
}

fn connect(
    event: &FtraceEvent<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    begin(
        &mut event.effects(trackers, tables, stats),
        &format!("tipc_connect: {}", event.string(trusty_ipc_connect::PORT)),
    );
}

fn connect_end(
    event: &FtraceEvent<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let code = event.int(trusty_ipc_connect_end::ERR) as i32;
    let error = (code != 0).then(|| format!("tipc_err_connect:err= {code}"));
    end_with_error(&mut event.effects(trackers, tables, stats), error);
}

fn write(event: &FtraceEvent<'_>, trackers: &mut Trackers, tables: &mut Tables, stats: &mut Stats) {
    let mut effects = event.effects(trackers, tables, stats);
    let (service, shared, len) = (
        event.string(trusty_ipc_write::SRV_NAME),
        event.uint(trusty_ipc_write::SHM_CNT),
        event.int(trusty_ipc_write::LEN_OR_ERR) as i32,
    );
    let shared = if shared > 0 { format!(" shm_cnt:[{shared}]") } else { String::new() };
    instant(&mut effects, &format!("tipc_write: {service}{shared}"));
    if len < 0 {
        instant(&mut effects, &format!("tipc_err_write:len_or_err= {len}"));
    }
}

fn read(event: &FtraceEvent<'_>, trackers: &mut Trackers, tables: &mut Tables, stats: &mut Stats) {
    begin(
        &mut event.effects(trackers, tables, stats),
        &format!("tipc_read: {}", event.string(trusty_ipc_read::SRV_NAME)),
    );
}

fn read_end(
    event: &FtraceEvent<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let len = event.int(trusty_ipc_read_end::LEN_OR_ERR) as i32;
    let error = (len <= 0).then(|| format!("tipc_err_read:len_or_err= {len}"));
    end_with_error(&mut event.effects(trackers, tables, stats), error);
}

fn poll(event: &FtraceEvent<'_>, trackers: &mut Trackers, tables: &mut Tables, stats: &mut Stats) {
    instant(
        &mut event.effects(trackers, tables, stats),
        &format!("tipc_poll: {}", event.string(trusty_ipc_poll::SRV_NAME)),
    );
}

fn received(
    event: &FtraceEvent<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    instant(&mut event.effects(trackers, tables, stats), "tipc_rx");
}

fn enqueue_nop(
    event: &FtraceEvent<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let [one, two, three] =
        [trusty_enqueue_nop::ARG1, trusty_enqueue_nop::ARG2, trusty_enqueue_nop::ARG3]
            .map(|number| event.uint(number));
    let name = format!("trusty_enqueue_nop: arg1= {one} arg2= {two} arg3={three}");
    instant(&mut event.effects(trackers, tables, stats), &name);
}
