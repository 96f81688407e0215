//! Frequencies, idle states, load and hotplug of CPUs.

use tpq_tables::{Stats, Tables};

use super::effects::Arg;
use super::event::{Events, FtraceEvent};
use tpq_trackers::track::{TrackKind, Trackers};

pub(super) const EVENTS: Events = &[
    (11, frequency),
    (12, frequency_limits),
    (13, idle),
    (343, hotplug_exit),
    (344, hotplug_enter),
    (345, hotplug_enter),
    (421, utilization),
    (508, throttle),
];

const FREQUENCY: TrackKind = TrackKind::counter("cpu_frequency", None);
const MAX_FREQUENCY: TrackKind = TrackKind::counter("cpu_max_frequency_limit", None);
const MIN_FREQUENCY: TrackKind = TrackKind::counter("cpu_min_frequency_limit", None);
const THROTTLE: TrackKind = TrackKind::counter("cpu_frequency_throttle", None);
const IDLE: TrackKind = TrackKind::counter("cpu_idle", None);
const UTILIZATION: TrackKind = TrackKind::counter("cpu_utilization", None);
const CAPACITY: TrackKind = TrackKind::counter("cpu_capacity", None);
const RUNNING: TrackKind = TrackKind::counter("cpu_nr_running", None);
const HOTPLUG: TrackKind = TrackKind::slices("cpu_hotplug");

fn frequency(
    event: &FtraceEvent<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let mut on = event.on(trackers, tables, stats);
    let Some(cpu) = on.cpu(event.int(2)) else { return };
    on.count(FREQUENCY, cpu, "cpufreq", event.int(1) as f64);
}

fn frequency_limits(
    event: &FtraceEvent<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let mut on = event.on(trackers, tables, stats);
    let number = event.int(3);
    let Some(cpu) = on.cpu(number) else { return };
    let (max, min) = (event.int(2) as f64, event.int(1) as f64);
    on.count(MAX_FREQUENCY, cpu, &format!("Cpu {number} Max Freq Limit"), max);
    on.count(MIN_FREQUENCY, cpu, &format!("Cpu {number} Min Freq Limit"), min);
}

/// The frequency to which hardware held a CPU down.
fn throttle(
    event: &FtraceEvent<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let mut on = event.on(trackers, tables, stats);
    let Some(cpu) = on.cpu(event.int(1)) else { return };
    on.count(THROTTLE, cpu, "cpufreq_throttle", event.uint(2) as f64);
}

/// The state a CPU idles in; leaving it is the state of all ones.
fn idle(event: &FtraceEvent<'_>, trackers: &mut Trackers, tables: &mut Tables, stats: &mut Stats) {
    let mut on = event.on(trackers, tables, stats);
    let Some(cpu) = on.cpu(event.int(2)) else { return };
    on.count(IDLE, cpu, "cpuidle", f64::from(event.int(1) as u32));
}

fn utilization(
    event: &FtraceEvent<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let mut on = event.on(trackers, tables, stats);
    let number = event.int(4);
    let Some(cpu) = on.cpu(number) else { return };
    on.count(UTILIZATION, cpu, &format!("Cpu {number} Util"), event.uint(6) as f64);
    on.count(CAPACITY, cpu, &format!("Cpu {number} Cap"), event.uint(2) as f64);
    on.count(RUNNING, cpu, &format!("Cpu {number} Nr Running"), event.int(11) as f64);
}

/// A step of bringing a CPU up or down begins, on whichever CPU does it.
fn hotplug_enter(
    event: &FtraceEvent<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let mut on = event.on(trackers, tables, stats);
    let number = event.int(1);
    let Some(cpu) = on.cpu(number) else { return };
    let step = event.int(3);
    let track = on.track(HOTPLUG, cpu, &format!("CPU Hotplug {number}"));
    let args = [("action_cpu", Arg::Uint(event.cpu.into())), ("cpuhp_idx", Arg::Int(step))];
    on.begin(track, ("cpu", format!("cpuhp({step})").as_str()), &args);
}

fn hotplug_exit(
    event: &FtraceEvent<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let mut on = event.on(trackers, tables, stats);
    let number = event.int(1);
    let Some(cpu) = on.cpu(number) else { return };
    let track = on.track(HOTPLUG, cpu, &format!("CPU Hotplug {number}"));
    on.end(track, &[]);
}
