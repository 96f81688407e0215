//! The CPUs of a machine.

use tpq_ingest::Route;
use tpq_proto::decode;
use tpq_proto::fields::trace_packet;
use tpq_proto::message::CpuInfo;
use tpq_proto::message::cpu_info::Cpu;
use tpq_proto::message::cpu_info::cpu::Identifier;
use tpq_tables::table::CpuFreqRow;
use tpq_tables::{Stat, Stats, Tables};

use crate::decode::{Packet, PacketDecoder};
use tpq_trackers::args::{ArgSet, ArgValue};
use tpq_trackers::track::{MAX_CPUS, Trackers};

pub(crate) const PACKET: PacketDecoder =
    PacketDecoder { field: trace_packet::CPU_INFO, route: Route::Immediate, decode: decode_info };

/// Features of processors that have a name, by their bit.
const FEATURES: [&str; 2] = ["mte", "mte3"];

fn decode_info(
    packet: &Packet<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let Ok(info) = decode::<CpuInfo>(packet.data) else {
        stats.increment(Stat::MalformedPackets);
        return;
    };
    if info.cpus.is_empty() {
        stats.increment(Stat::CpuInfoEmpty);
    }
    let mut cpus: Vec<(u32, &Cpu)> = (0..MAX_CPUS).zip(&info.cpus).collect();
    let clusters = clusters(&cpus);
    if cpus.iter().all(|(_, cpu)| cpu.capacity.is_some()) {
        cpus.sort_by_key(|(_, cpu)| cpu.capacity);
    }
    for (number, cpu) in cpus {
        let ucpu = trackers.cpus.get(packet.machine, number, tables);
        if !cpu.processor().is_empty() {
            let processor = tables.strings.intern(cpu.processor());
            tables.cpu.processor.set(ucpu, processor);
        }
        tables.cpu.cluster_id.set(ucpu, clusters.get(number as usize).copied());
        if cpu.capacity.is_some() {
            tables.cpu.capacity.set(ucpu, cpu.capacity);
        }
        for &freq in &cpu.frequencies {
            tables.cpu_freq.push(CpuFreqRow { ucpu, freq });
        }
        let args = args(cpu, tables, stats);
        if !args.is_empty() {
            let arg_set = trackers.deferred.intern(&args);
            tables.cpu.arg_set_id.set(ucpu, arg_set);
        }
    }
}

/// The cluster of each CPU. CPUs of the same power are one, and the weakest come first; how
/// strong one is is given by its capacity, or by its highest frequency where not all say theirs.
fn clusters(cpus: &[(u32, &Cpu)]) -> Vec<u32> {
    let capacities: Option<Vec<u32>> = cpus.iter().map(|(_, cpu)| cpu.capacity).collect();
    let frequencies = || cpus.iter().map(|(_, cpu)| cpu.frequencies.iter().copied().max());
    let Some(powers) = capacities.or_else(|| frequencies().collect()) else {
        return vec![0; cpus.len()];
    };
    let mut levels = powers.clone();
    levels.sort_unstable();
    levels.dedup();
    powers.iter().map(|power| levels.partition_point(|level| level < power) as u32).collect()
}

/// Other facts about a CPU.
fn args(cpu: &Cpu, tables: &mut Tables, stats: &mut Stats) -> ArgSet {
    let mut args = ArgSet::default();
    let mut add = |key: &str, value| args.add(tables.strings.intern(key), value);
    if let Some(Identifier::ArmIdentifier(id)) = &cpu.identifier {
        add("arm_cpu_implementer", ArgValue::Uint(id.implementer().into()));
        add("arm_cpu_architecture", ArgValue::Uint(id.architecture().into()));
        add("arm_cpu_variant", ArgValue::Uint(id.variant().into()));
        add("arm_cpu_part", ArgValue::Uint(id.part().into()));
        add("arm_cpu_revision", ArgValue::Uint(id.revision().into()));
    }
    for (bit, feature) in FEATURES.iter().enumerate() {
        if cpu.features() >> bit & 1 == 1 {
            add(&format!("cpu_features.{feature}"), ArgValue::Bool(true));
        }
    }
    if cpu.features() != 0 {
        add("cpu_features.raw_bitmap", ArgValue::Uint(cpu.features()));
    }
    // A newer recorder knows more features; they are in the bitmap without a name.
    if cpu.features() >> FEATURES.len() != 0 {
        stats.increment(Stat::CpuInfoUnknownCpuFeatures);
    }
    args
}
