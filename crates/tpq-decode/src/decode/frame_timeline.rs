//! Frames of Android's compositor: which processes draw them, and when. The frames themselves are
//! not read yet.

use tpq_ingest::Route;
use tpq_proto::wire::{Fields, Value};
use tpq_tables::{Stats, Tables};

use super::{Packet, PacketDecoder};
use crate::track::{Tid, Trackers};

pub(crate) const PACKET: PacketDecoder =
    PacketDecoder { field: 76, route: Route::Sorted, decode: decode_frame };

/// The kinds of event that begin a frame: the field each lies in, and the field in it that has
/// the process.
const STARTS: [(u32, u32); 4] = [(1, 3), (2, 3), (3, 4), (4, 4)];

fn decode_frame(packet: &Packet<'_>, trackers: &mut Trackers, tables: &mut Tables, _: &mut Stats) {
    trackers.bounds.include(packet.ts);
    for field in Fields::new(packet.data) {
        let (Some(&(_, pid_field)), Value::Bytes(start)) =
            (STARTS.iter().find(|(number, _)| *number == field.number), field.value)
        else {
            continue;
        };
        if let Some(pid) = Fields::new(start).find(|field| field.number == pid_field) {
            let pid = Tid { machine: packet.machine, id: i64::from(pid.as_i32()) };
            trackers.processes.process(pid, tables);
        }
    }
}
