//! Messages that drivers of GPUs log.

use tpq_ingest::Route;
use tpq_proto::fields::{gpu_log, trace_packet};
use tpq_proto::wire::LastFields;
use tpq_tables::{Stats, Tables};

use crate::decode::{Packet, PacketDecoder};
use tpq_trackers::args::{ArgSet, ArgValue};
use tpq_trackers::track::{Dimensions, NewSlice, TrackKind, Trackers};

pub(crate) const PACKET: PacketDecoder =
    PacketDecoder { field: trace_packet::GPU_LOG, route: Route::Sorted, decode };

const LOG: TrackKind = TrackKind::slices("gpu_log");
const SEVERITIES: [&str; 6] = ["UNSPECIFIED", "VERBOSE", "DEBUG", "INFO", "WARNING", "ERROR"];

/// A message is an instant under its severity.
fn decode(packet: &Packet<'_>, trackers: &mut Trackers, tables: &mut Tables, stats: &mut Stats) {
    let log = LastFields::<4>::new(packet.data);
    let title = tables.strings.intern("GPU Log");
    let of = Dimensions::machine(packet.machine);
    let track = trackers.source.tracks.get(LOG, of, title, &mut trackers.deferred, tables);
    let severity = usize::try_from(log.int(gpu_log::SEVERITY)).ok();
    let severity = severity.and_then(|severity| SEVERITIES.get(severity));
    let name = tables.strings.intern(severity.unwrap_or(&"UNKNOWN_SEVERITY"));
    let mut args = ArgSet::default();
    for (key, number) in [("tag", gpu_log::TAG), ("message", gpu_log::LOG_MESSAGE)] {
        if let Some(text) = log.get(number) {
            let text = ArgValue::String(tables.strings.intern_bytes(text.as_bytes()));
            args.add(tables.strings.intern(key), text);
        }
    }
    let slice = NewSlice { ts: packet.ts(), track, name, ..NewSlice::default() };
    trackers.instant(slice, &args, tables, stats);
}
