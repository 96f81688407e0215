//! Counters of events on each CPU.

use tpq_tables::{Stat, StringId, Tables};
use tpq_trackers::args::{ArgSet, ArgValue};
use tpq_trackers::track::{Dimensions, TrackKind, Trackers, push_counter};

use super::attribute::Attribute;
use super::records::Context;
use super::sample::Sample;

const OF_CPU: TrackKind = TrackKind::counter("perf_cpu_counter", Some(""));
/// Counters of samples that state no CPU.
const OF_ALL: TrackKind = TrackKind::counter("perf_global_counter", Some(""));

/// Writes the values of counters that a sample states; returns their rows. A sample states the
/// values of all counters that are read with it, or by how much that of its event has grown.
pub(super) fn count(
    sample: &Sample,
    number: usize,
    event: &Attribute,
    context: &mut Context<'_>,
) -> Vec<u32> {
    let cpu = sample.cpu;
    let mut rows = Vec::new();
    if sample.values.is_empty() {
        match sample.period.or(event.fixed_period()) {
            Some(period) => {
                rows.extend(push(number, cpu, Change::By(period as f64), context));
            }
            None => context.stats.increment(Stat::PerfSamplesSkipped),
        }
    }
    for &(id, value) in &sample.values {
        let number = match id {
            Some(id) => context.session.events.of_id(id),
            None => Some(number),
        };
        match number {
            Some(number) => rows.extend(push(number, cpu, Change::To(value as f64), context)),
            None => context.stats.increment(Stat::PerfSamplesSkipped),
        }
    }
    rows
}

/// A change of a counter.
#[derive(Clone, Copy)]
enum Change {
    By(f64),
    To(f64),
}

fn push(number: usize, cpu: Option<u32>, change: Change, context: &mut Context<'_>) -> Option<u32> {
    let event = *context.session.events.attributes.get(number)?;
    let Context { ts, machine, session, trackers, tables, .. } = context;
    let recorded = session.recorded.get_mut(number)?;
    let (id, name) = (recorded.session, recorded.name.as_str());
    let (track, value) = recorded.counters.entry(cpu).or_insert_with(|| {
        let name = tables.strings.intern(name);
        let (kind, of) = match cpu {
            Some(cpu) => (OF_CPU, Dimensions::cpu(*machine, cpu)),
            None => (OF_ALL, Dimensions::machine(*machine)),
        };
        let of = of.number("perf_session_id", i64::from(id)).text("name", name);
        (track((kind, of), name, event.is_timebase(), trackers, tables), 0.0)
    });
    match change {
        Change::By(delta) => *value += delta,
        Change::To(reading) => *value = reading,
    }
    Some(push_counter(*ts, *track, *value, &mut trackers.bounds, tables))
}

/// The track of a counter, which says whether samples are taken by it.
fn track(
    (kind, dimensions): (TrackKind, Dimensions),
    name: StringId,
    is_timebase: bool,
    trackers: &mut Trackers,
    tables: &mut Tables,
) -> u32 {
    let track = trackers.source.tracks.get(kind, dimensions, name, &mut trackers.deferred, tables);
    let mut args = ArgSet::default();
    args.add(tables.strings.intern("is_timebase"), ArgValue::Bool(is_timebase));
    let arg_set = trackers.deferred.intern(&args);
    tables.track.source_arg_set_id.set(track, arg_set);
    track
}
