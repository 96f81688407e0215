//! How clocks that were read together drift from each other.

use tpq_clock::{BOOTTIME, Clock, ClockScope, Edge, Grain, TSC, builtin_name, drift};
use tpq_ingest::Timeline;
use tpq_tables::table::{ClockDriftRow, ClockJumpRow};
use tpq_tables::{StringId, Tables};

/// Writes `clock_drift` and `clock_jump`: a row for each two clocks of one machine that any file
/// read together more than once.
pub(crate) fn write_rows(timeline: &mut Timeline, tables: &mut Tables) {
    let graph = timeline.graph().clone();
    let target = timeline.trace_clock().id;
    let mut edges: Vec<(Clock, Clock, &Edge)> =
        graph.edges().filter(|&(by, clock, _)| measures(by, clock, target)).collect();
    edges.sort_unstable_by_key(|&(by, clock, _)| (clock, by));
    for (by, clock, edge) in edges {
        write_edge(by, clock, edge, timeline, tables);
    }
}

/// Of the two ways between two clocks, whether this is the one to report: clocks are measured by
/// the timeline's, else by boot time, else by the one with the lower id.
fn measures(by: Clock, clock: Clock, target: u32) -> bool {
    let rank = |clock: Clock| (clock.id != target, clock.id != BOOTTIME, clock);
    rank(by) < rank(clock)
}

fn write_edge(by: Clock, clock: Clock, edge: &Edge, timeline: &mut Timeline, tables: &mut Tables) {
    let grain = match by.is_fine() && clock.is_fine() {
        true => Grain::Fine,
        false => Grain::Coarse,
    };
    let drift = drift(edge, grain);
    // A counter of ticks is measured in ticks, by a clock in ns unless that is a TSC itself.
    let ticks_to_the_ns = (edge.ticks() && by.id != TSC).then_some(drift.rate);
    let in_ns =
        |size: i64| ticks_to_the_ns.map_or(size, |rate| (size as f64 / rate).round() as i64);
    let mut name = |id| match builtin_name(id) {
        Some(name) => tables.strings.intern(name),
        None => StringId::NULL,
    };
    let (clock_name, by_clock_name) = (name(clock.id), name(by.id));
    let known = drift.snapshots > 1;
    let row = tables.clock_drift.push(ClockDriftRow {
        clock_id: i64::from(clock.id),
        clock_name,
        machine_id: clock.source.machine,
        trace_id: clock.source.file,
        sequence: match clock.scope {
            ClockScope::Source => None,
            ClockScope::Sequence(sequence) => Some(i64::from(sequence)),
        },
        by_clock_id: i64::from(by.id),
        by_clock_name,
        by_machine_id: by.source.machine,
        snapshots: drift.snapshots as i64,
        rate: known.then_some(drift.rate),
        ppm: (known && !edge.ticks()).then_some(drift.ppm),
        max_residual: in_ns(drift.max_residual_ns),
        jumps: drift.jumps.len() as i64,
    });
    for jump in &drift.jumps {
        let Some(ts) = timeline.to_trace_time(by, jump.from) else { continue };
        tables.clock_jump.push(ClockJumpRow { ts, size: in_ns(jump.size_ns), clock_drift_id: row });
    }
}
