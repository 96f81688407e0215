//! Time on CPUs that each user id of an Android system took, by cluster of CPUs.

use tpq_ingest::Route;
use tpq_proto::fields::{cpu_per_uid_data, trace_packet};
use tpq_proto::wire::{Fields, LastFields, repeated};
use tpq_tables::{Stats, Tables};

use crate::decode::{Packet, PacketDecoder};
use tpq_trackers::track::{Dimensions, TrackKind, Trackers, push_counter};

pub(crate) const PACKET: PacketDecoder =
    PacketDecoder { field: trace_packet::CPU_PER_UID_DATA, route: Route::Sorted, decode };

const OF_USER: TrackKind = TrackKind::counter("android_cpu_per_uid", Some("ms"));
const TOTAL: TrackKind = TrackKind::counter("android_cpu_per_uid_totals", Some("ms"));

fn decode(packet: &Packet<'_>, trackers: &mut Trackers, tables: &mut Tables, _: &mut Stats) {
    let Some(state) = packet.interned.generation(packet.generation) else { return };
    let sequence = state.interned;
    if let Some(clusters) = LastFields::<2>::new(packet.data).get(cpu_per_uid_data::CLUSTER_COUNT) {
        trackers.source.uid_times.set_clusters(sequence, clusters.as_u32());
    }
    let numbers = |wanted| {
        let fields = Fields::new(packet.data).filter(move |field| field.number == wanted);
        fields.flat_map(|field| repeated(&field).collect::<Vec<_>>())
    };
    let uids: Vec<u32> = numbers(cpu_per_uid_data::UID).map(|uid| uid as u32).collect();
    let times: Vec<u64> = numbers(cpu_per_uid_data::TOTAL_TIME_MS).collect();
    let readings = trackers.source.uid_times.add(sequence, &uids, &times);
    for ((uid, cluster), ms) in readings.users {
        let name = tables.strings.intern(&format!("CPU for UID {uid} CL{cluster}"));
        let dimensions = Dimensions::machine(packet.machine)
            .number("uid", i64::from(uid))
            .number("cluster", i64::from(cluster));
        let track =
            trackers.source.tracks.get(OF_USER, dimensions, name, &mut trackers.deferred, tables);
        trackers.source.uid_times.note_track((uid, cluster), track);
        let values = trackers.source.uid_times.offer_user(sequence, uid, track, (packet.ts(), ms));
        write(&values, track, trackers, tables);
    }
    for (of, cluster, ms) in readings.totals {
        let name = tables.strings.intern(&format!("CPU for {of} CL{cluster}"));
        let dimensions = Dimensions::machine(packet.machine)
            .text("type", tables.strings.intern(of))
            .number("cluster", i64::from(cluster));
        let track =
            trackers.source.tracks.get(TOTAL, dimensions, name, &mut trackers.deferred, tables);
        let values = trackers.source.uid_times.offer_total(track, (packet.ts(), ms));
        write(&values, track, trackers, tables);
    }
    trackers.source.uid_times.end_packet(sequence, packet.ts());
}

fn write(values: &[(i64, u64)], track: u32, trackers: &mut Trackers, tables: &mut Tables) {
    for &(ts, value) in values {
        push_counter(ts, track, value as f64, &mut trackers.bounds, tables);
    }
}
