//! Frequency and idle states of CPUs.

use tpq_tables::{Stats, Tables};

use super::event::{Events, FtraceEvent};
use crate::track::{Dimensions, TrackKind, Trackers};

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
    let dimensions = Dimensions::cpu(event.machine, cpu);
    let value = event.int(1) as u32;
    trackers.count((event.ts, f64::from(value)), kind, dimensions, name, tables);
}
