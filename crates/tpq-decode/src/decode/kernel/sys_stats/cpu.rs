//! CPU time by purpose: /proc/stat and the kernel's idle states.

use tpq_proto::fields::sys_stats::{cpu_idle_state, cpu_idle_state_entry, cpu_times};
use tpq_proto::wire::{Field, Fields};
use tpq_tables::{Stat, Stats, Tables};

use super::{Packet, numbers, text};
use tpq_trackers::track::{Dimensions, TrackKind, Trackers};

const TIMES: TrackKind = TrackKind::counter("cpustat", None);
const IDLE_STATE: TrackKind = TrackKind::counter("cpu_idle_state", Some("us"));

/// Purposes of CPU time, in the order of their fields, which begin at 2.
const SPENT_ON: [&str; 8] = [
    "user_ns",
    "user_nice_ns",
    "system_mode_ns",
    "idle_ns",
    "io_wait_ns",
    "irq_ns",
    "softirq_ns",
    "steal_ns",
];

pub(super) fn times(
    packet: &Packet<'_>,
    fields: &[Field<'_>],
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    for field in fields {
        let message = field.as_bytes();
        if !Fields::new(message).any(|field| field.number == cpu_times::CPU_ID) {
            stats.increment(Stat::InvalidCpuTimes);
            continue;
        }
        let [cpu, times @ ..] = numbers::<9>(message);
        for (key, ns) in SPENT_ON.into_iter().zip(times) {
            let name = tables.strings.intern(&format!("cpu.times.{key}"));
            let key = tables.strings.intern(key);
            let cpu = Dimensions::cpu(packet.machine, cpu as u32);
            let dimensions = cpu.text("cpustat_key", key);
            trackers.count((packet.ts(), ns as f64), TIMES, dimensions, name, tables);
        }
    }
}

/// How long CPUs were in each of their idle states.
pub(super) fn idle_states(
    packet: &Packet<'_>,
    fields: &[Field<'_>],
    trackers: &mut Trackers,
    tables: &mut Tables,
    _: &mut Stats,
) {
    for field in fields {
        let message = field.as_bytes();
        let [cpu] = numbers(message);
        let cpu = cpu as u32;
        for entry in
            Fields::new(message).filter(|field| field.number == cpu_idle_state::CPUIDLE_STATE_ENTRY)
        {
            let [_, us] = numbers(entry.as_bytes());
            let state = text(entry.as_bytes(), cpu_idle_state_entry::STATE);
            let name = format!("cpuidle{cpu}.{}", String::from_utf8_lossy(state));
            let name = tables.strings.intern(&name);
            let state = tables.strings.intern_bytes(state);
            let dimensions = Dimensions::cpu(packet.machine, cpu).text("state", state);
            trackers.count((packet.ts(), us as f64), IDLE_STATE, dimensions, name, tables);
        }
    }
}
