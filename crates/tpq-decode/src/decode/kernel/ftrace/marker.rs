//! Markers as `trace_marker` has them, but written by drivers.

use tpq_tables::{Stat, Stats, Tables};

use super::event::{Events, FtraceEvent};
use super::print::apply;
use super::systrace::Marker;
use tpq_trackers::track::Trackers;

pub(super) const EVENTS: Events = &[
    (80, mdss),
    (331, zero),
    (333, sde),
    (348, dpu),
    (349, g2d),
    (350, mali),
    (467, lwis),
    (484, samsung),
    (490, panel),
];

/// What drivers say in fields that each of them numbers in its own way.
struct Parts {
    /// The letter of the marker, as text has it; 0 where there is none.
    letter: u64,
    /// The process it is of.
    pid: i32,
    /// The field of the name.
    name: u32,
    value: i64,
}

fn mark(
    event: &FtraceEvent<'_>,
    parts: &Parts,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let name = event.string(parts.name);
    let (pid, name) = (parts.pid, name.as_ref());
    let marker = match u8::try_from(parts.letter) {
        Ok(b'B') => Marker::Begin { pid, name },
        Ok(b'E') => Marker::End { pid: Some(pid) },
        Ok(b'I') => Marker::Instant { pid, name },
        Ok(b'C') => Marker::Counter { pid, name, value: parts.value as f64 },
        _ => {
            stats.increment(Stat::SystraceParseFailure);
            return;
        }
    };
    apply(event, marker, trackers, tables, stats);
}

/// The letter of a driver that only says whether something begins.
fn begin_or_end(event: &FtraceEvent<'_>, number: u32) -> u64 {
    match event.field(number) {
        Some(begin) if begin.as_bool() => u64::from(b'B'),
        Some(_) => u64::from(b'E'),
        None => 0,
    }
}

fn mdss(event: &FtraceEvent<'_>, trackers: &mut Trackers, tables: &mut Tables, stats: &mut Stats) {
    let letter = begin_or_end(event, 3);
    let parts = Parts { letter, pid: event.int(1) as i32, name: 2, value: 0 };
    mark(event, &parts, trackers, tables, stats);
}

/// Newer drivers give the letter, older ones whether something begins.
fn sde(event: &FtraceEvent<'_>, trackers: &mut Trackers, tables: &mut Tables, stats: &mut Stats) {
    let letter = match (event.field(3), event.uint(3)) {
        (Some(_), 0) => u64::from(if event.int(5) != 0 { b'B' } else { b'E' }),
        (Some(_), letter) => letter,
        (None, _) => begin_or_end(event, 5),
    };
    let value = event.int(4);
    let parts = Parts { letter, pid: event.int(1) as i32, name: 2, value };
    mark(event, &parts, trackers, tables, stats);
}

fn samsung(
    event: &FtraceEvent<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let letter = match (event.field(4), event.uint(4)) {
        (Some(_), 0) => u64::from(b'E'),
        (_, letter) => letter,
    };
    let parts = Parts { letter, pid: event.int(1) as i32, name: 2, value: event.int(5) };
    mark(event, &parts, trackers, tables, stats);
}

/// Its driver names processes that the thread is not of, except for counters.
fn dpu(event: &FtraceEvent<'_>, trackers: &mut Trackers, tables: &mut Tables, stats: &mut Stats) {
    let letter = event.uint(5);
    let pid = if letter == u64::from(b'C') { event.int(1) as i32 } else { 0 };
    mark(event, &Parts { letter, pid, name: 4, value: event.int(6) }, trackers, tables, stats);
}

/// The layout of the 2D engine's and the panel's drivers.
fn g2d(event: &FtraceEvent<'_>, trackers: &mut Trackers, tables: &mut Tables, stats: &mut Stats) {
    let (letter, pid) = (event.uint(5), event.int(1) as i32);
    mark(event, &Parts { letter, pid, name: 4, value: event.int(6) }, trackers, tables, stats);
}

fn panel(event: &FtraceEvent<'_>, trackers: &mut Trackers, tables: &mut Tables, stats: &mut Stats) {
    g2d(event, trackers, tables, stats);
}

fn mali(event: &FtraceEvent<'_>, trackers: &mut Trackers, tables: &mut Tables, stats: &mut Stats) {
    let (letter, pid) = (event.uint(3), event.int(2) as i32);
    mark(event, &Parts { letter, pid, name: 1, value: event.int(4) }, trackers, tables, stats);
}

fn lwis(event: &FtraceEvent<'_>, trackers: &mut Trackers, tables: &mut Tables, stats: &mut Stats) {
    let (letter, pid) = (event.uint(2), event.int(3) as i32);
    mark(event, &Parts { letter, pid, name: 4, value: event.int(5) }, trackers, tables, stats);
}

/// An event that gives bits instead of letters.
fn zero(event: &FtraceEvent<'_>, trackers: &mut Trackers, tables: &mut Tables, stats: &mut Stats) {
    let flags = event.int(1);
    let letter = match () {
        () if flags & 1 != 0 => b'B',
        () if flags & 2 != 0 => b'E',
        () if flags & 4 != 0 => b'C',
        () => 0,
    };
    let (letter, pid) = (letter.into(), event.int(3) as i32);
    mark(event, &Parts { letter, pid, name: 2, value: event.int(4) }, trackers, tables, stats);
}
