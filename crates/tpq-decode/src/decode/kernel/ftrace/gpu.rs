//! Frequencies, power, memory and work of GPUs.
//!
//! Batches of commands of Adreno GPUs are in `adreno.rs`.

use tpq_proto::fields::ftrace::{
    ftrace_event, gpu_frequency, gpu_mem_total, gpu_power_state, gpu_work_period,
    kgsl_gpu_frequency,
};
use tpq_tables::{Stat, Stats, Tables};

use super::effects::Effects;
use super::event::{Events, FtraceEvent};
use tpq_trackers::track::{Dimensions, TrackKind, Trackers};

pub(super) const EVENTS: Events = &[
    (ftrace_event::GPU_FREQUENCY, frequency),
    (ftrace_event::GPU_MEM_TOTAL, memory),
    (ftrace_event::GPU_WORK_PERIOD, work_period),
    (ftrace_event::KGSL_GPU_FREQUENCY, adreno_frequency),
    (ftrace_event::GPU_POWER_STATE, power_state),
];

const FREQUENCY: TrackKind = TrackKind::counter("gpu_frequency", Some("MHz"));
const MEMORY: TrackKind = TrackKind::counter("gpu_memory", Some("bytes"));
const PROCESS_MEMORY: TrackKind = TrackKind::counter("process_gpu_memory", Some("bytes"));
const WORK_PERIOD: TrackKind = TrackKind::slices("android_gpu_work_period");
const POWER_STATE: TrackKind = TrackKind::slices("powervr_gpu_power_state");

/// Adds the GPU that a track is of.
fn of_gpu(of: Dimensions, gpu: u32, effects: &mut Effects<'_, '_>) -> Dimensions {
    let ugpu = effects.trackers.gpus.get(effects.event.machine, gpu, effects.tables);
    of.number("ugpu", ugpu.into()).number("gpu", gpu.into())
}

fn frequency(
    event: &FtraceEvent<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let mut effects = event.effects(trackers, tables, stats);
    let of = of_gpu(effects.machine(), event.int(gpu_frequency::GPU_ID) as u32, &mut effects);
    effects.count(FREQUENCY, of, "gpufreq", event.int(gpu_frequency::STATE) as f64);
}

/// The event gives a thousandth of what others do.
fn adreno_frequency(
    event: &FtraceEvent<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let mut effects = event.effects(trackers, tables, stats);
    let of = of_gpu(effects.machine(), event.int(kgsl_gpu_frequency::GPU_ID) as u32, &mut effects);
    effects.count(
        FREQUENCY,
        of,
        "gpufreq",
        event.int(kgsl_gpu_frequency::GPU_FREQ) as f64 * 1000.0,
    );
}

/// Memory of a GPU that a process has, or all together where the event names none.
fn memory(
    event: &FtraceEvent<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let mut effects = event.effects(trackers, tables, stats);
    let (gpu, pid) =
        (event.int(gpu_mem_total::GPU_ID) as u32, event.int(gpu_mem_total::PID) as i32);
    let bytes = event.uint(gpu_mem_total::SIZE) as f64;
    if pid == 0 {
        let of = of_gpu(effects.machine(), gpu, &mut effects);
        effects.count(MEMORY, of, "GPU Memory", bytes);
        return;
    }
    // Memory may be freed after the process ended: nothing is to be made of that.
    let tid = event.tid(pid);
    if effects.trackers.processes.known_thread(tid, effects.tables).is_none() {
        return;
    }
    let utid = effects.trackers.processes.thread_of_process(tid, tid, effects.tables);
    let Some(upid) = effects.tables.thread.upid.get(utid) else { return };
    let of = of_gpu(Dimensions::process(upid), gpu, &mut effects);
    effects.count(PROCESS_MEMORY, of, "GPU Memory", bytes);
}

/// A GPU worked for an app in a period, but not all of the time.
fn work_period(
    event: &FtraceEvent<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let mut effects = event.effects(trackers, tables, stats);
    let uid = i64::from(event.int(gpu_work_period::UID) as i32);
    let of = of_gpu(effects.machine(), event.int(gpu_work_period::GPU_ID) as u32, &mut effects)
        .number("uid", uid);
    let track = effects.nameless_track(WORK_PERIOD, of);
    let dur = event
        .int(gpu_work_period::END_TIME_NS)
        .wrapping_sub(event.int(gpu_work_period::START_TIME_NS));
    if dur < 0 {
        effects.stats.increment(Stat::GpuWorkPeriodNegativeDuration);
        return;
    }
    let active = event.int(gpu_work_period::TOTAL_ACTIVE_DURATION_NS);
    let percent = 100.0 * (active as f64 / dur as f64);
    let name = match percent {
        percent if percent.is_nan() => "%-nan".to_owned(),
        percent if percent.is_infinite() => "%inf".to_owned(),
        percent => format!("%{percent:.2}"),
    };
    if let Some(id) = effects.complete(track, name.as_str(), dur, &[]) {
        effects.tables.slice.thread_ts.set(id, Some(event.ts));
        effects.tables.slice.thread_dur.set(id, Some(active));
    }
}

fn power_state(
    event: &FtraceEvent<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let mut effects = event.effects(trackers, tables, stats);
    let track = effects.track(POWER_STATE, effects.machine(), POWER_STATE.name);
    effects.end(track, &[]);
    let name = match event.int(gpu_power_state::NEW_STATE) {
        0 => "OFF",
        1 => "PG",
        2 => "ON",
        _ => "Unknown",
    };
    effects.begin(track, name, &[]);
}
