//! Descriptors of processes: of those that write sequences, in the older form, and of those that
//! tracks are of.

use tpq_ingest::Route;
use tpq_proto::decode;
use tpq_proto::fields::trace_packet;
use tpq_proto::message::{ChromeProcessDescriptor, ProcessDescriptor};
use tpq_tables::{Stat, Stats, Tables};

use crate::decode::chrome::{active_processes, chrome_names};
use crate::decode::{Packet, PacketDecoder};
use tpq_trackers::args::ArgValue;
use tpq_trackers::track::{Tid, Trackers, Upid};

pub(crate) const PACKET: PacketDecoder = PacketDecoder {
    field: trace_packet::PROCESS_DESCRIPTOR,
    route: Route::Sorted,
    decode: decode_descriptor,
};

fn decode_descriptor(
    packet: &Packet<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    match decode::<ProcessDescriptor>(packet.data) {
        Ok(process) => {
            describe_process(packet, &process, trackers, tables);
        }
        Err(_) => stats.increment(Stat::TrackEventTokenizerErrors),
    }
}

/// Names a process, and says when it began, unless others did.
pub(in crate::decode) fn describe_process(
    packet: &Packet<'_>,
    process: &ProcessDescriptor,
    trackers: &mut Trackers,
    tables: &mut Tables,
) -> Upid {
    let pid = Tid { machine: packet.machine, id: i64::from(process.pid()) };
    let upid = trackers.processes.process(pid, tables);
    active_processes::note_described(packet.ts(), upid, trackers);
    let kind = process.chrome_process_type.and_then(chrome_names::process);
    let names = [Some(process.process_name()).filter(|name| !name.is_empty()), kind];
    for name in names.into_iter().flatten() {
        let name = tables.strings.intern(name);
        trackers.processes.name_unnamed_process(upid, name, tables);
    }
    if process.start_timestamp_ns() > 0 {
        let start = packet.at_default_clock(process.start_timestamp_ns());
        trackers.processes.start_of_process(upid, start, tables);
    }
    let flat_key = tables.strings.intern("chrome.process_label");
    for (index, label) in process.process_labels.iter().enumerate() {
        let key = tables.strings.intern(&format!("chrome.process_label[{index}]"));
        let label = ArgValue::String(tables.strings.intern(label));
        trackers.owner_args.put_element_of_process(upid, (flat_key, key), label);
    }
    if let Some(index) = process.legacy_sort_index {
        note_sort_index(upid, index, trackers, tables);
    }
    upid
}

/// Names a process of Chrome by its kind.
pub(in crate::decode) fn describe_chrome_process(
    upid: Upid,
    process: &ChromeProcessDescriptor,
    trackers: &mut Trackers,
    tables: &mut Tables,
) {
    let kind = chrome_names::process(process.process_type());
    let kind = kind.map(|kind| tables.strings.intern(kind)).unwrap_or_default();
    trackers.processes.name_unnamed_process(upid, kind, tables);
    let mut put = |key: &str, value: ArgValue| {
        let key = tables.strings.intern(key);
        trackers.owner_args.put_of_process(upid, key, value);
    };
    put("chrome.process_type", ArgValue::String(kind));
    if let Some(id) = process.crash_trace_id {
        put("chrome.crash_trace_id", ArgValue::Uint(id));
    }
    if let Some(name) = &process.host_app_package_name {
        let name = ArgValue::String(tables.strings.intern(name));
        let key = tables.strings.intern("chrome.host_app_package_name");
        trackers.owner_args.put_of_process(upid, key, name);
    }
    if let Some(index) = process.legacy_sort_index {
        note_sort_index(upid, index, trackers, tables);
    }
}

fn note_sort_index(upid: Upid, index: i32, trackers: &mut Trackers, tables: &mut Tables) {
    let key = tables.strings.intern("process_sort_index_hint");
    trackers.owner_args.put_of_process(upid, key, ArgValue::Int(i64::from(index)));
}
