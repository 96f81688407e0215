//! Frequencies, idle states, load and hotplug of CPUs.

use tpq_proto::fields::ftrace::{
    cpu_frequency, cpu_frequency_limits, cpu_idle, cpuhp_exit, cpuhp_multi_enter, dcvsh_freq,
    ftrace_event, sched_cpu_util_cfs,
};
use tpq_tables::{Stats, Tables};

use super::effects::Arg;
use super::event::{Events, FtraceEvent};
use tpq_trackers::track::{TrackKind, Trackers};

pub(super) const EVENTS: Events = &[
    (ftrace_event::CPU_FREQUENCY, frequency),
    (ftrace_event::CPU_FREQUENCY_LIMITS, frequency_limits),
    (ftrace_event::CPU_IDLE, idle),
    (ftrace_event::CPUHP_EXIT, hotplug_exit),
    (ftrace_event::CPUHP_MULTI_ENTER, hotplug_enter),
    (ftrace_event::CPUHP_ENTER, hotplug_enter),
    (ftrace_event::SCHED_CPU_UTIL_CFS, utilization),
    (ftrace_event::DCVSH_FREQ, throttle),
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
    let mut effects = event.effects(trackers, tables, stats);
    let Some(cpu) = effects.cpu(event.int(cpu_frequency::CPU_ID)) else { return };
    effects.count(FREQUENCY, cpu, "cpufreq", event.int(cpu_frequency::STATE) as f64);
}

fn frequency_limits(
    event: &FtraceEvent<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let mut effects = event.effects(trackers, tables, stats);
    let number = event.int(cpu_frequency_limits::CPU_ID);
    let Some(cpu) = effects.cpu(number) else { return };
    let (max, min) = (
        event.int(cpu_frequency_limits::MAX_FREQ) as f64,
        event.int(cpu_frequency_limits::MIN_FREQ) as f64,
    );
    effects.count(MAX_FREQUENCY, cpu, &format!("Cpu {number} Max Freq Limit"), max);
    effects.count(MIN_FREQUENCY, cpu, &format!("Cpu {number} Min Freq Limit"), min);
}

/// The frequency to which hardware held a CPU down.
fn throttle(
    event: &FtraceEvent<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let mut effects = event.effects(trackers, tables, stats);
    let Some(cpu) = effects.cpu(event.int(dcvsh_freq::CPU)) else { return };
    effects.count(THROTTLE, cpu, "cpufreq_throttle", event.uint(dcvsh_freq::FREQ) as f64);
}

/// The state a CPU idles in; leaving it is the state of all ones.
fn idle(event: &FtraceEvent<'_>, trackers: &mut Trackers, tables: &mut Tables, stats: &mut Stats) {
    let mut effects = event.effects(trackers, tables, stats);
    let Some(cpu) = effects.cpu(event.int(cpu_idle::CPU_ID)) else { return };
    effects.count(IDLE, cpu, "cpuidle", f64::from(event.int(cpu_idle::STATE) as u32));
}

fn utilization(
    event: &FtraceEvent<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let mut effects = event.effects(trackers, tables, stats);
    let number = event.int(sched_cpu_util_cfs::CPU);
    let Some(cpu) = effects.cpu(number) else { return };
    effects.count(
        UTILIZATION,
        cpu,
        &format!("Cpu {number} Util"),
        event.uint(sched_cpu_util_cfs::CPU_UTIL) as f64,
    );
    effects.count(
        CAPACITY,
        cpu,
        &format!("Cpu {number} Cap"),
        event.uint(sched_cpu_util_cfs::CAPACITY) as f64,
    );
    effects.count(
        RUNNING,
        cpu,
        &format!("Cpu {number} Nr Running"),
        event.int(sched_cpu_util_cfs::NR_RUNNING) as f64,
    );
}

/// A step of bringing a CPU up or down begins, on whichever CPU does it.
fn hotplug_enter(
    event: &FtraceEvent<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let mut effects = event.effects(trackers, tables, stats);
    let number = event.int(cpuhp_multi_enter::CPU);
    let Some(cpu) = effects.cpu(number) else { return };
    let step = event.int(cpuhp_multi_enter::IDX);
    let track = effects.track(HOTPLUG, cpu, &format!("CPU Hotplug {number}"));
    let args = [("action_cpu", Arg::Uint(event.cpu.into())), ("cpuhp_idx", Arg::Int(step))];
    effects.begin(track, ("cpu", format!("cpuhp({step})").as_str()), &args);
}

fn hotplug_exit(
    event: &FtraceEvent<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let mut effects = event.effects(trackers, tables, stats);
    let number = event.int(cpuhp_exit::CPU);
    let Some(cpu) = effects.cpu(number) else { return };
    let track = effects.track(HOTPLUG, cpu, &format!("CPU Hotplug {number}"));
    effects.end(track, &[]);
}
