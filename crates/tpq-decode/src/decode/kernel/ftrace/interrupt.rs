//! Interrupts and deferred work: softirqs, tasklets and work queues.

use tpq_proto::fields::ftrace::{
    ftrace_event, irq_handler_entry, irq_handler_exit, softirq_entry, softirq_exit,
};
use tpq_tables::{Stats, Tables};

use super::event::{Events, FtraceEvent};
use tpq_trackers::args::{ArgSet, ArgValue};
use tpq_trackers::track::{NewSlice, SliceEnd, TrackKind, Trackers};

pub(super) const EVENTS: Events = &[
    (ftrace_event::IRQ_HANDLER_ENTRY, irq_entry),
    (ftrace_event::IRQ_HANDLER_EXIT, irq_exit),
    (ftrace_event::SOFTIRQ_ENTRY, softirq_entry),
    (ftrace_event::SOFTIRQ_EXIT, softirq_exit),
    (ftrace_event::LOCAL_TIMER_ENTRY, local_timer_entry),
    (ftrace_event::LOCAL_TIMER_EXIT, local_timer_exit),
];

const IRQ: TrackKind = TrackKind::slices("cpu_irq");
const SOFTIRQ: TrackKind = TrackKind::slices("cpu_softirq");

/// The kernel's soft interrupts, by number.
const SOFTIRQS: [&str; 10] =
    ["HI", "TIMER", "NET_TX", "NET_RX", "BLOCK", "IRQ_POLL", "TASKLET", "SCHED", "HRTIMER", "RCU"];

fn irq_entry(
    event: &FtraceEvent<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let name = format!("IRQ ({})", event.part(irq_handler_entry::NAME));
    let track = event.cpu_track(IRQ, "Irq", trackers, tables);
    begin(event, track, &name, trackers, tables, stats);
}

fn irq_exit(
    event: &FtraceEvent<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let outcome = if event.int(irq_handler_exit::RET) == 1 { "handled" } else { "unhandled" };
    let value = ArgValue::String(tables.strings.intern(outcome));
    let track = event.cpu_track(IRQ, "Irq", trackers, tables);
    end(event, track, Some(("ret", value)), trackers, tables, stats);
}

fn softirq_entry(
    event: &FtraceEvent<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let Some(name) = SOFTIRQS.get(event.int(softirq_entry::VEC) as usize) else { return };
    let track = event.cpu_track(SOFTIRQ, "SoftIrq", trackers, tables);
    begin(event, track, name, trackers, tables, stats);
}

fn softirq_exit(
    event: &FtraceEvent<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let track = event.cpu_track(SOFTIRQ, "SoftIrq", trackers, tables);
    let vector = ArgValue::Int(event.int(softirq_exit::VEC));
    end(event, track, Some(("vec", vector)), trackers, tables, stats);
}

/// The timer of a CPU interrupts it without an interrupt line.
fn local_timer_entry(
    event: &FtraceEvent<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let track = event.cpu_track(IRQ, "Irq", trackers, tables);
    begin(event, track, "IRQ (LocalTimer)", trackers, tables, stats);
}

fn local_timer_exit(
    event: &FtraceEvent<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let track = event.cpu_track(IRQ, "Irq", trackers, tables);
    end(event, track, None, trackers, tables, stats);
}

fn begin(
    event: &FtraceEvent<'_>,
    track: u32,
    name: &str,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let name = tables.strings.intern(name);
    let category = tables.strings.intern("irq");
    let slice = NewSlice { ts: event.ts, track, name, category, arg_set_id: None };
    trackers.begin_slice(slice, ArgSet::default(), tables, stats);
}

fn end(
    event: &FtraceEvent<'_>,
    track: u32,
    arg: Option<(&str, ArgValue)>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let category = tables.strings.intern("irq");
    let end = SliceEnd { ts: event.ts, track, category, ..SliceEnd::default() };
    let args = ArgSet::of(arg, &mut tables.strings);
    trackers.end_slice(end, &args, tables, stats);
}
