//! Frequency and idle states of CPUs.

use tpq_tables::{Stats, Tables};

use super::event::{Events, FtraceEvent};
use crate::track::{Dimension, TrackKind, Trackers, push_counter};

pub(super) const EVENTS: Events = &[(11, frequency), (13, idle)];

const FREQUENCY: TrackKind = TrackKind::counter("cpu_frequency", Some("kHz"));
const IDLE: TrackKind = TrackKind::counter("cpu_idle", None);

fn frequency(event: &FtraceEvent<'_>, trackers: &mut Trackers, tables: &mut Tables, _: &mut Stats) {
    push(event, FREQUENCY, "cpufreq", trackers, tables);
}

fn idle(event: &FtraceEvent<'_>, trackers: &mut Trackers, tables: &mut Tables, _: &mut Stats) {
    push(event, IDLE, "cpuidle", trackers, tables);
}

/// Both events give the state in field 1 and the CPU it is of in field 2.
fn push(
    event: &FtraceEvent<'_>,
    kind: TrackKind,
    name: &str,
    trackers: &mut Trackers,
    tables: &mut Tables,
) {
    let cpu = event.int(2) as u32;
    if cpu > crate::track::MAX_CPUS {
        return;
    }
    trackers.cpus.get(event.machine, cpu, tables);
    let name = tables.strings.intern(name);
    let dimension = Dimension::Cpu(event.machine, cpu);
    let track = trackers.tracks.get(kind, dimension, name, &mut trackers.args, tables);
    let value = event.int(1) as u32;
    push_counter(event.ts, track, f64::from(value), &mut trackers.bounds, tables);
}
