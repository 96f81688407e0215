//! Markers as `trace_marker` has them, but written by drivers.

use tpq_proto::fields::ftrace::{
    dpu_tracing_mark_write, ftrace_event, g2d_tracing_mark_write, lwis_tracing_mark_write,
    mali_tracing_mark_write, samsung_tracing_mark_write, sde_tracing_mark_write,
    tracing_mark_write, zero,
};
use tpq_tables::{Stat, Stats, Tables};

use super::event::{Events, FtraceEvent};
use super::print::apply;
use super::systrace::Marker;
use tpq_trackers::track::Trackers;

pub(super) const EVENTS: Events = &[
    (ftrace_event::TRACING_MARK_WRITE, mdss),
    (ftrace_event::ZERO, zero),
    (ftrace_event::SDE_TRACING_MARK_WRITE, sde),
    (ftrace_event::DPU_TRACING_MARK_WRITE, dpu),
    (ftrace_event::G2D_TRACING_MARK_WRITE, g2d),
    (ftrace_event::MALI_TRACING_MARK_WRITE, mali),
    (ftrace_event::LWIS_TRACING_MARK_WRITE, lwis),
    (ftrace_event::SAMSUNG_TRACING_MARK_WRITE, samsung),
    (ftrace_event::PANEL_WRITE_GENERIC, panel),
];

/// Markers in fields that each driver numbers in its own way.
struct Parts {
    /// The letter of the marker, as text has it; 0 where there is none.
    letter: u64,
    /// The process it is of.
    pid: i32,
    /// The field of the name.
    name: u32,
    value: i64,
}

fn apply_parts(
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
    let letter = begin_or_end(event, tracing_mark_write::TRACE_BEGIN);
    let parts = Parts {
        letter,
        pid: event.int(tracing_mark_write::PID) as i32,
        name: tracing_mark_write::TRACE_NAME,
        value: 0,
    };
    apply_parts(event, &parts, trackers, tables, stats);
}

/// Newer drivers give the letter, older ones whether something begins.
fn sde(event: &FtraceEvent<'_>, trackers: &mut Trackers, tables: &mut Tables, stats: &mut Stats) {
    let letter = match (
        event.field(sde_tracing_mark_write::TRACE_TYPE),
        event.uint(sde_tracing_mark_write::TRACE_TYPE),
    ) {
        (Some(_), 0) => {
            u64::from(if event.int(sde_tracing_mark_write::TRACE_BEGIN) != 0 { b'B' } else { b'E' })
        }
        (Some(_), letter) => letter,
        (None, _) => begin_or_end(event, sde_tracing_mark_write::TRACE_BEGIN),
    };
    let value = event.int(sde_tracing_mark_write::VALUE);
    let parts = Parts {
        letter,
        pid: event.int(sde_tracing_mark_write::PID) as i32,
        name: sde_tracing_mark_write::TRACE_NAME,
        value,
    };
    apply_parts(event, &parts, trackers, tables, stats);
}

fn samsung(
    event: &FtraceEvent<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let letter = match (
        event.field(samsung_tracing_mark_write::TRACE_TYPE),
        event.uint(samsung_tracing_mark_write::TRACE_TYPE),
    ) {
        (Some(_), 0) => u64::from(b'E'),
        (_, letter) => letter,
    };
    let parts = Parts {
        letter,
        pid: event.int(samsung_tracing_mark_write::PID) as i32,
        name: samsung_tracing_mark_write::TRACE_NAME,
        value: event.int(samsung_tracing_mark_write::VALUE),
    };
    apply_parts(event, &parts, trackers, tables, stats);
}

/// Its driver names processes that the thread is not of, except for counters.
fn dpu(event: &FtraceEvent<'_>, trackers: &mut Trackers, tables: &mut Tables, stats: &mut Stats) {
    let letter = event.uint(dpu_tracing_mark_write::TYPE);
    let pid =
        if letter == u64::from(b'C') { event.int(dpu_tracing_mark_write::PID) as i32 } else { 0 };
    apply_parts(
        event,
        &Parts {
            letter,
            pid,
            name: dpu_tracing_mark_write::NAME,
            value: event.int(dpu_tracing_mark_write::VALUE),
        },
        trackers,
        tables,
        stats,
    );
}

/// The layout of the 2D engine's and the panel's drivers.
fn g2d(event: &FtraceEvent<'_>, trackers: &mut Trackers, tables: &mut Tables, stats: &mut Stats) {
    let (letter, pid) =
        (event.uint(g2d_tracing_mark_write::TYPE), event.int(g2d_tracing_mark_write::PID) as i32);
    apply_parts(
        event,
        &Parts {
            letter,
            pid,
            name: g2d_tracing_mark_write::NAME,
            value: event.int(g2d_tracing_mark_write::VALUE),
        },
        trackers,
        tables,
        stats,
    );
}

fn panel(event: &FtraceEvent<'_>, trackers: &mut Trackers, tables: &mut Tables, stats: &mut Stats) {
    g2d(event, trackers, tables, stats);
}

fn mali(event: &FtraceEvent<'_>, trackers: &mut Trackers, tables: &mut Tables, stats: &mut Stats) {
    let (letter, pid) =
        (event.uint(mali_tracing_mark_write::TYPE), event.int(mali_tracing_mark_write::PID) as i32);
    apply_parts(
        event,
        &Parts {
            letter,
            pid,
            name: mali_tracing_mark_write::NAME,
            value: event.int(mali_tracing_mark_write::VALUE),
        },
        trackers,
        tables,
        stats,
    );
}

fn lwis(event: &FtraceEvent<'_>, trackers: &mut Trackers, tables: &mut Tables, stats: &mut Stats) {
    let (letter, pid) =
        (event.uint(lwis_tracing_mark_write::TYPE), event.int(lwis_tracing_mark_write::PID) as i32);
    apply_parts(
        event,
        &Parts {
            letter,
            pid,
            name: lwis_tracing_mark_write::FUNC_NAME,
            value: event.int(lwis_tracing_mark_write::VALUE),
        },
        trackers,
        tables,
        stats,
    );
}

/// An event that gives bits instead of letters.
fn zero(event: &FtraceEvent<'_>, trackers: &mut Trackers, tables: &mut Tables, stats: &mut Stats) {
    let flags = event.int(zero::FLAG);
    let letter = match () {
        () if flags & 1 != 0 => b'B',
        () if flags & 2 != 0 => b'E',
        () if flags & 4 != 0 => b'C',
        () => 0,
    };
    let (letter, pid) = (letter.into(), event.int(zero::PID) as i32);
    apply_parts(
        event,
        &Parts { letter, pid, name: zero::NAME, value: event.int(zero::VALUE) },
        trackers,
        tables,
        stats,
    );
}
