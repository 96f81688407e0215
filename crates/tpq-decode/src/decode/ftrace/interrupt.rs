//! Interrupts and what they put off.

use tpq_tables::{Stats, StringId, Tables};

use super::event::{Events, FtraceEvent};
use crate::track::{ArgSet, ArgValue, NewSlice, TrackKind, Trackers};

pub(super) const EVENTS: Events =
    &[(36, irq_entry), (37, irq_exit), (24, softirq_entry), (25, softirq_exit)];

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
    let name = event.field(2).map(|field| field.as_bytes()).unwrap_or_default();
    let name = format!("IRQ ({})", String::from_utf8_lossy(name));
    let track = event.cpu_track(IRQ, "Irq", trackers, tables);
    let slice = NewSlice {
        ts: event.ts,
        track,
        name: tables.strings.intern(&name),
        category: tables.strings.intern("irq"),
        arg_set_id: None,
    };
    trackers.slices.begin(slice, tables, stats);
}

fn irq_exit(
    event: &FtraceEvent<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let outcome = if event.int(2) == 1 { "handled" } else { "unhandled" };
    let value = ArgValue::String(tables.strings.intern(outcome));
    let track = event.cpu_track(IRQ, "Irq", trackers, tables);
    end_with(event, track, "ret", value, trackers, tables, stats);
}

fn softirq_entry(
    event: &FtraceEvent<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let Some(name) = SOFTIRQS.get(event.int(1) as usize) else { return };
    let track = event.cpu_track(SOFTIRQ, "SoftIrq", trackers, tables);
    let slice = NewSlice {
        ts: event.ts,
        track,
        name: tables.strings.intern(name),
        category: tables.strings.intern("irq"),
        arg_set_id: None,
    };
    trackers.slices.begin(slice, tables, stats);
}

fn softirq_exit(
    event: &FtraceEvent<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let track = event.cpu_track(SOFTIRQ, "SoftIrq", trackers, tables);
    let value = ArgValue::Int(event.int(1));
    end_with(event, track, "vec", value, trackers, tables, stats);
}

/// Ends the innermost slice of a track and gives it one argument.
pub(super) fn end_with(
    event: &FtraceEvent<'_>,
    track: u32,
    key: &str,
    value: ArgValue,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let (any_category, any_name) = (StringId::NULL, StringId::NULL);
    let ended = trackers.slices.end(event.ts, track, any_category, any_name, tables, stats);
    if let Some(slice) = ended {
        let mut args = ArgSet::default();
        args.add(tables.strings.intern(key), value);
        let id = trackers.args.intern(&args, tables);
        tables.slice.arg_set_id.set(slice, id);
    }
}
