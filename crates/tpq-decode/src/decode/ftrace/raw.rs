//! Events as rows of their own, with their arguments: read by a table of what kinds there are, so
//! that none needs code.

use std::sync::Arc;

use tpq_proto::ftrace::{DescribedKind, EventKind, ValueKind, event_kind};
use tpq_proto::wire::{Field, Fields, Value};
use tpq_tables::{Stats, StringId, Tables};

use super::event::FtraceEvent;
use crate::decoder::RunEvent;
use crate::track::{
    ArgSet, ArgValue, Fingerprint, KernelEvent, KindNames, NextTask, Trackers, Utid,
};

/// The field of an event that names its tracepoint and fields itself.
const GENERIC: u32 = 327;
/// The fields in which the full forms of compact events lie.
const SCHED_SWITCH: u32 = 4;
const SCHED_WAKING: u32 = 20;
/// Fields that refer to a function of the kernel by the id it was interned under: the event's
/// number, and the field's in there.
const FUNCTIONS: &[(u32, u32)] =
    &[(18, 2), (56, 2), (57, 2), (58, 2), (59, 2), (437, 2), (438, 3), (443, 8), (553, 3)];

/// Fields of one event that are read, where nobody says how many it has: the kernel's have fewer
/// than a hundred.
const MOST_FIELDS: usize = 1000;

/// Adds an event in its full form; `number` is that of the field it lies in.
///
/// Where events are not wanted as such, all that is left is what they tell of beside their args:
/// that there is the CPU, and that the names of functions are missing.
pub(super) fn record(
    event: &FtraceEvent<'_>,
    number: u32,
    utid: Utid,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let Trackers { kernel_events, cpus, args, .. } = trackers;
    let ucpu = cpus.get(event.machine, event.cpu, tables);
    // What a function's id means changes with the state of the sequence.
    let functions = FUNCTIONS.iter().any(|&(event, _)| event == number);
    if !kernel_events.are_kept() {
        if functions {
            look_up_functions(event, number, tables, stats);
        }
        return;
    }
    let common_flags = event.common_flags.unwrap_or_default();
    let row = KernelEvent { ts: event.ts, utid, ucpu, common_flags };
    let Some(kind) = event_kind(number) else {
        let described = kernel_events.described.get(&number).map(Arc::clone);
        let name = match &described {
            Some(kind) => tables.strings.intern_bytes(&kind.name),
            None => tables.strings.intern(&format!("ftrace_event_{number}")),
        };
        kernel_events.push_named(name, row, args, tables, |set, tables| match &described {
            Some(kind) => read_described(event.data, kind, set, tables),
            None => read_unknown(event.data, set, tables),
        });
        return;
    };
    if number == GENERIC {
        let name = event.text(1, tables);
        kernel_events.push_named(name, row, args, tables, |set, tables| {
            read_generic(event, set, tables);
        });
        return;
    }
    let made_from = (!functions).then(|| {
        let mut print = Fingerprint::default();
        print.mix(u64::from(number));
        print.mix_bytes(event.data);
        print
    });
    kernel_events.push_kind(kind, row, made_from, args, tables, |set, names, tables| {
        read_known(event, kind, names, set, tables, stats);
    });
}

/// Counts the functions that no name is known of.
fn look_up_functions(event: &FtraceEvent<'_>, number: u32, tables: &mut Tables, stats: &mut Stats) {
    for field in event.fields().filter(|field| FUNCTIONS.contains(&(number, field.number))) {
        event.symbol(field.as_u64(), tables, stats);
    }
}

/// Reads fields as the table of kinds says.
fn read_known(
    event: &FtraceEvent<'_>,
    kind: &EventKind,
    names: &KindNames,
    set: &mut ArgSet,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    for field in event.fields() {
        let Some((index, known)) = kind.field(field.number) else { continue };
        let function = FUNCTIONS
            .contains(&(kind.number, field.number))
            .then(|| event.symbol(field.as_u64(), tables, stats))
            .flatten();
        let value = match function {
            Some(function) => ArgValue::String(function),
            None => value(&field, known.kind, tables),
        };
        set.put(names.fields[index], value);
    }
}

/// Reads fields as the trace itself describes them.
fn read_described(data: &[u8], kind: &DescribedKind, set: &mut ArgSet, tables: &mut Tables) {
    for field in Fields::new(data).take(MOST_FIELDS) {
        if let Some((name, kind)) = kind.field(field.number) {
            let value = value(&field, kind, tables);
            set.put(tables.strings.intern_bytes(name), value);
        }
    }
}

/// Reads fields of a kind that nobody describes: under their numbers.
fn read_unknown(data: &[u8], set: &mut ArgSet, tables: &mut Tables) {
    for field in Fields::new(data).take(MOST_FIELDS) {
        let kind = match field.value {
            Value::Bytes(_) => ValueKind::Text,
            _ => ValueKind::Int,
        };
        let value = value(&field, kind, tables);
        set.put(tables.strings.intern(&format!("field_{}", field.number)), value);
    }
}

/// Reads fields that say their names themselves.
fn read_generic(event: &FtraceEvent<'_>, set: &mut ArgSet, tables: &mut Tables) {
    for field in event.fields().filter(|field| field.number == 2).take(MOST_FIELDS) {
        let (mut key, mut read) = (StringId::NULL, None);
        for part in Fields::new(field.as_bytes()) {
            match part.number {
                1 => key = tables.strings.intern_bytes(part.as_bytes()),
                3 => read = Some(value(&part, ValueKind::Text, tables)),
                4 | 5 => read = Some(value(&part, ValueKind::Int, tables)),
                _ => {}
            }
        }
        if let Some(value) = read {
            set.put(key, value);
        }
    }
}

fn value(field: &Field<'_>, kind: ValueKind, tables: &mut Tables) -> ArgValue {
    match kind {
        ValueKind::Int => ArgValue::Int(field.as_i64()),
        ValueKind::Uint => ArgValue::Uint(field.as_u64()),
        ValueKind::Real => ArgValue::Real(field.as_f64()),
        ValueKind::Text => ArgValue::String(tables.strings.intern_bytes(field.as_bytes())),
    }
}

/// A switch that came in the compact form, with what the switch before said of the task that ran.
#[derive(Clone, Copy, Debug)]
pub(super) struct CompactSwitch {
    pub(super) previous: NextTask,
    pub(super) previous_utid: Utid,
    /// The bits of the state it was left in.
    pub(super) state: i64,
    pub(super) next: NextTask,
}

/// Adds a switch that came in the compact form.
pub(super) fn record_switch(
    event: &RunEvent<'_>,
    switch: CompactSwitch,
    trackers: &mut Trackers,
    tables: &mut Tables,
) {
    let CompactSwitch { previous, previous_utid, state, next } = switch;
    let mut print = Fingerprint::default();
    // No event in its full form lies in field 1 or 2: these are the two compact kinds.
    for word in [1, state as u64, words(previous.pid, previous.prio), words(next.pid, next.prio)] {
        print.mix(word);
    }
    print.mix(u64::from(previous.comm.0) << 32 | u64::from(next.comm.0));
    push_compact(event, SCHED_SWITCH, previous_utid, 0, print, trackers, tables, |add| {
        add("prev_comm", ArgValue::String(previous.comm));
        add("prev_pid", ArgValue::Int(i64::from(previous.pid)));
        add("prev_prio", ArgValue::Int(i64::from(previous.prio)));
        add("prev_state", ArgValue::Int(state));
        add("next_comm", ArgValue::String(next.comm));
        add("next_pid", ArgValue::Int(i64::from(next.pid)));
        add("next_prio", ArgValue::Int(i64::from(next.prio)));
    });
}

/// Adds a wakeup of `woken` by `waker` that came in the compact form.
pub(super) fn record_waking(
    event: &RunEvent<'_>,
    waker: Utid,
    woken: NextTask,
    target_cpu: i32,
    common_flags: u32,
    trackers: &mut Trackers,
    tables: &mut Tables,
) {
    let mut print = Fingerprint::default();
    for word in [2, words(woken.pid, woken.prio), words(woken.comm.0 as i32, target_cpu)] {
        print.mix(word);
    }
    push_compact(event, SCHED_WAKING, waker, common_flags, print, trackers, tables, |add| {
        add("comm", ArgValue::String(woken.comm));
        add("pid", ArgValue::Int(i64::from(woken.pid)));
        add("prio", ArgValue::Int(i64::from(woken.prio)));
        add("target_cpu", ArgValue::Int(i64::from(target_cpu)));
    });
}

fn words(high: i32, low: i32) -> u64 {
    u64::from(high.cast_unsigned()) << 32 | u64::from(low.cast_unsigned())
}

#[expect(clippy::too_many_arguments, reason = "an event and where it goes")]
fn push_compact(
    event: &RunEvent<'_>,
    kind: u32,
    utid: Utid,
    common_flags: u32,
    print: Fingerprint,
    trackers: &mut Trackers,
    tables: &mut Tables,
    fill: impl FnOnce(&mut dyn FnMut(&str, ArgValue)),
) {
    let Trackers { kernel_events, cpus, args, .. } = trackers;
    let ucpu = cpus.get(event.machine, event.cpu, tables);
    if !kernel_events.are_kept() {
        return;
    }
    let Some(kind) = event_kind(kind) else { return };
    let row = KernelEvent { ts: event.ts, utid, ucpu, common_flags };
    kernel_events.push_kind(kind, row, Some(print), args, tables, |set, _, tables| {
        fill(&mut |key, value| set.put(tables.strings.intern(key), value));
    });
}
