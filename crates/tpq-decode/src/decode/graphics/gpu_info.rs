//! The GPUs of a machine.

use std::fmt::Write;
use tpq_proto::fields::trace_packet;

use tpq_ingest::Route;
use tpq_proto::decode;
use tpq_proto::message::GpuInfo;
use tpq_proto::message::gpu_info::Gpu;
use tpq_tables::{Stat, Stats, Tables};

use crate::decode::{Packet, PacketDecoder};
use tpq_trackers::args::{ArgSet, ArgValue};
use tpq_trackers::track::Trackers;

pub(crate) const PACKET: PacketDecoder =
    PacketDecoder { field: trace_packet::GPU_INFO, route: Route::Immediate, decode: decode_info };

fn decode_info(
    packet: &Packet<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let Ok(info) = decode::<GpuInfo>(packet.data) else {
        stats.increment(Stat::MalformedPackets);
        return;
    };
    for (number, gpu) in (0..).zip(&info.gpus) {
        let ugpu = trackers.gpus.get(packet.machine, number, tables);
        describe(gpu, ugpu, tables);
        let mut args = ArgSet::default();
        for more in &gpu.extra_info {
            if let (Some(key), Some(value)) = (&more.key, &more.value) {
                let [key, value] = [key, value].map(|text| tables.strings.intern(text));
                args.add(key, ArgValue::String(value));
            }
        }
        if !args.is_empty() {
            let arg_set = trackers.deferred.intern(&args);
            tables.gpu.arg_set_id.set(ugpu, arg_set);
        }
    }
}

fn describe(gpu: &Gpu, ugpu: u32, tables: &mut Tables) {
    let uuid = gpu.uuid().iter().fold(String::new(), |mut text, byte| {
        // Writing to a string does not fail.
        let _ = write!(text, "{byte:02x}");
        text
    });
    let (row, strings) = (&mut tables.gpu, &mut tables.strings);
    for (column, text) in [
        (&mut row.name, gpu.name()),
        (&mut row.vendor, gpu.vendor()),
        (&mut row.model, gpu.model()),
        (&mut row.architecture, gpu.architecture()),
        (&mut row.uuid, &uuid),
        (&mut row.pci_bdf, gpu.pci_bdf()),
    ] {
        if !text.is_empty() {
            column.set(ugpu, strings.intern(text));
        }
    }
}
