//! One file for each source of data. A decoder turns bytes into calls of trackers; it remembers
//! nothing itself.

pub(crate) mod clock_snapshot;
pub(crate) mod ftrace;
pub(crate) mod ftrace_stats;
pub(crate) mod process_stats;
pub(crate) mod process_tree;
pub(crate) mod service_event;
pub(crate) mod sys_stats;
pub(crate) mod system_info;
pub(crate) mod trace_config;
pub(crate) mod trace_stats;
pub(crate) mod trace_uuid;
pub(crate) mod track_descriptor;
pub(crate) mod track_event;

use tpq_ingest::{GenerationId, Route};
use tpq_tables::{Stats, Tables};

use crate::interned::Interned;
use crate::track::Trackers;

/// A packet on its way to its decoder.
pub(crate) struct Packet<'a> {
    /// When, in trace time.
    pub(crate) ts: i64,
    /// The payload.
    pub(crate) data: &'a [u8],
    /// The machine it was recorded on.
    pub(crate) machine: u32,
    /// The state of its sequence.
    pub(crate) generation: GenerationId,
    /// What sequences interned.
    pub(crate) interned: &'a Interned<'a>,
}

/// What a decoder does with a packet.
pub(crate) type Decode = fn(&Packet<'_>, &mut Trackers, &mut Tables, &mut Stats);

/// A decoder of packets.
pub(crate) struct PacketDecoder {
    /// The number of the payload's field.
    pub(crate) field: u32,
    /// When it wants them.
    pub(crate) route: Route,
    /// What it does with them.
    pub(crate) decode: Decode,
}
