//! How fast devices, CPUs and the GPU run.

use tpq_proto::fields::sys_stats::devfreq_value;
use tpq_proto::wire::{Field, repeated};
use tpq_tables::{Stats, Tables};

use super::{Packet, numbers, text};
use tpq_trackers::track::{Dimensions, TrackKind, Trackers};

const DEVICE: TrackKind = TrackKind::counter("clock_frequency", None);
/// The tracks on which the kernel's own events lie as well.
const CPU: TrackKind = TrackKind::counter("cpu_frequency", Some("kHz"));
const GPU: TrackKind = TrackKind::counter("gpu_frequency", Some("MHz"));

pub(super) fn devices(
    packet: &Packet<'_>,
    fields: &[Field<'_>],
    trackers: &mut Trackers,
    tables: &mut Tables,
    _: &mut Stats,
) {
    for field in fields {
        let [_, value] = numbers(field.as_bytes());
        let device = text(field.as_bytes(), devfreq_value::KEY);
        let name = format!("{} Frequency", String::from_utf8_lossy(device));
        let name = tables.strings.intern(&name);
        let device = tables.strings.intern_bytes(device);
        let dimensions = Dimensions::machine(packet.machine).text("linux_device", device);
        trackers.count((packet.ts(), value as f64), DEVICE, dimensions, name, tables);
    }
}

/// One frequency for each CPU, in the order of their numbers.
pub(super) fn cpus(
    packet: &Packet<'_>,
    fields: &[Field<'_>],
    trackers: &mut Trackers,
    tables: &mut Tables,
    _: &mut Stats,
) {
    let name = tables.strings.intern("cpufreq");
    for (cpu, khz) in (0..).zip(fields.iter().flat_map(repeated)) {
        let dimensions = Dimensions::cpu(packet.machine, cpu);
        trackers.count((packet.ts(), khz as f64), CPU, dimensions, name, tables);
    }
}

/// The frequency of the one GPU that is polled.
pub(super) fn gpu(
    packet: &Packet<'_>,
    fields: &[Field<'_>],
    trackers: &mut Trackers,
    tables: &mut Tables,
    _: &mut Stats,
) {
    let name = tables.strings.intern("gpufreq");
    for mhz in fields.iter().flat_map(repeated) {
        let dimensions = trackers.gpus.dimensions(packet.machine, 0, tables);
        trackers.count((packet.ts(), mhz as f64), GPU, dimensions, name, tables);
    }
}
