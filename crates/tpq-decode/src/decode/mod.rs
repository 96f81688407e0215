//! One file for each source of data. A decoder turns bytes into calls of trackers; it remembers
//! nothing itself.

pub(crate) mod clock_drift;
pub(crate) mod clock_snapshot;
pub(crate) mod cpu_info;
pub(crate) mod frame_timeline;
pub(crate) mod ftrace;
pub(crate) mod ftrace_stats;
pub(crate) mod gpu_counter_event;
pub(crate) mod gpu_info;
pub(crate) mod gpu_mem_total_event;
mod perf_counter;
pub(crate) mod perf_sample;
mod process_memory;
pub(crate) mod process_stats;
pub(crate) mod process_tree;
pub(crate) mod service_event;
pub(crate) mod smaps;
pub(crate) mod sys_stats;
pub(crate) mod system_info;
pub(crate) mod trace_config;
pub(crate) mod trace_stats;
pub(crate) mod trace_uuid;
pub(crate) mod track_descriptor;
pub(crate) mod track_event;

use tpq_clock::Converter;
use tpq_ingest::{GenerationId, Route};
use tpq_tables::{Stats, Tables};

use crate::interned::Interned;
use crate::track::Trackers;

/// A packet on its way to its decoder.
pub(crate) struct Packet<'a> {
    /// When, in trace time; 0 where that is not known.
    pub(crate) ts: i64,
    /// Whether it is known when.
    pub(crate) dated: bool,
    /// Whether it was just read, and events before it in time may yet come.
    pub(crate) early: bool,
    /// The payload.
    pub(crate) data: &'a [u8],
    /// The row of the machine it was recorded on.
    pub(crate) machine: u32,
    /// Converts that machine's boot time to trace time, where something ties the two.
    pub(crate) boottime: Option<&'a Converter>,
    /// Converts the clock of packets that name none to trace time, likewise.
    pub(crate) default_clock: Option<&'a Converter>,
    /// The state of its sequence.
    pub(crate) generation: GenerationId,
    /// What sequences interned.
    pub(crate) interned: &'a Interned<'a>,
}

impl Packet<'_> {
    /// A moment that is given in boot time whatever the packet's own clock, in trace time.
    pub(crate) fn at_boottime(&self, ns: i64) -> Option<i64> {
        self.boottime.map(|boottime| boottime.convert_one(ns))
    }

    /// A moment that is given in the clock of packets that name none, in trace time.
    pub(crate) fn at_default_clock(&self, ns: i64) -> Option<i64> {
        self.default_clock.map(|clock| clock.convert_one(ns))
    }
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
