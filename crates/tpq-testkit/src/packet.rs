//! Packets: header fields and a payload.

use crate::{
    ClockSnapshot, FtraceBundle, FtraceStats, InternedData, Message, ProcessStats, ProcessTree,
    RemoteClockSync, ServiceEvent, SystemInfo, TraceStats, TrackDescriptor, TrackEvent, field,
};
use field::TracePacket as packet;

/// Sequence flag: earlier interned data is no longer valid.
pub const STATE_CLEARED: u32 = 1;
/// Sequence flag: the packet cannot be read without the earlier state of the sequence.
pub const NEEDS_STATE: u32 = 2;

message_type! {
    /// A packet. Header fields can be set in any order; usually there is one payload.
    Packet
}

impl Packet {
    /// Returns a packet without fields.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the timestamp, in the clock of the packet.
    pub fn timestamp(self, timestamp: u64) -> Self {
        Self(self.0.uint(packet::timestamp, timestamp))
    }

    /// Sets the clock of the timestamp.
    pub fn clock(self, clock_id: u32) -> Self {
        Self(self.0.uint(packet::timestamp_clock_id, clock_id.into()))
    }

    /// Sets the writer sequence.
    pub fn sequence(self, id: u32) -> Self {
        Self(self.0.uint(packet::trusted_packet_sequence_id, id.into()))
    }

    /// Sets the process that wrote the packet.
    pub fn trusted_pid(self, pid: i32) -> Self {
        Self(self.0.int(packet::trusted_pid, pid.into()))
    }

    /// Sets the sequence flags: [`STATE_CLEARED`], [`NEEDS_STATE`] or both.
    pub fn flags(self, flags: u32) -> Self {
        Self(self.0.uint(packet::sequence_flags, flags.into()))
    }

    /// Marks that a packet before this one was lost.
    pub fn previous_packet_dropped(self) -> Self {
        Self(self.0.uint(packet::previous_packet_dropped, 1))
    }

    /// Marks the packet as the first of its sequence.
    pub fn first_on_sequence(self) -> Self {
        Self(self.0.bool(packet::first_packet_on_sequence, true))
    }

    /// Sets the machine that wrote the packet; without it, the host did.
    pub fn machine(self, id: u32) -> Self {
        Self(self.0.uint(packet::machine_id, id.into()))
    }

    /// Adds a payload without a builder of its own, by the number of its field.
    pub fn payload(self, field: u32, payload: Message) -> Self {
        Self(self.0.message(field, payload))
    }

    /// Sets values for fields that later packets of the sequence leave out.
    pub fn defaults(self, defaults: Defaults) -> Self {
        Self(self.0.message(packet::trace_packet_defaults, defaults))
    }

    /// Adds strings that later packets of the sequence refer to.
    pub fn interned(self, data: InternedData) -> Self {
        Self(self.0.message(packet::interned_data, data))
    }

    /// Payload: a clock snapshot.
    pub fn clock_snapshot(self, snapshot: ClockSnapshot) -> Self {
        Self(self.0.message(packet::clock_snapshot, snapshot))
    }

    /// Payload: a comparison of the clocks of this machine with those of its host.
    pub fn remote_clock_sync(self, sync: RemoteClockSync) -> Self {
        Self(self.0.message(packet::remote_clock_sync, sync))
    }

    /// Payload: a description of a track.
    pub fn track_descriptor(self, descriptor: TrackDescriptor) -> Self {
        Self(self.0.message(packet::track_descriptor, descriptor))
    }

    /// Payload: an event on a track.
    pub fn track_event(self, event: TrackEvent) -> Self {
        Self(self.0.message(packet::track_event, event))
    }

    /// Payload: kernel events of one CPU.
    pub fn ftrace(self, bundle: FtraceBundle) -> Self {
        Self(self.0.message(packet::ftrace_events, bundle))
    }

    /// Payload: statistics of the kernel's buffers.
    pub fn ftrace_stats(self, stats: FtraceStats) -> Self {
        Self(self.0.message(packet::ftrace_stats, stats))
    }

    /// Payload: processes and threads.
    pub fn process_tree(self, tree: ProcessTree) -> Self {
        Self(self.0.message(packet::process_tree, tree))
    }

    /// Payload: memory of processes.
    pub fn process_stats(self, stats: ProcessStats) -> Self {
        Self(self.0.message(packet::process_stats, stats))
    }

    /// Payload: statistics of the recorder's buffers.
    pub fn trace_stats(self, stats: TraceStats) -> Self {
        Self(self.0.message(packet::trace_stats, stats))
    }

    /// Payload: the configuration of the recording, encoded.
    pub fn trace_config(self, config: Message) -> Self {
        Self(self.0.message(packet::trace_config, config))
    }

    /// Payload: the UUID of the trace.
    pub fn trace_uuid(self, msb: i64, lsb: i64) -> Self {
        let uuid = Message::new().int(field::TraceUuid::msb, msb).int(field::TraceUuid::lsb, lsb);
        Self(self.0.message(packet::trace_uuid, uuid))
    }

    /// Payload: the machine it was recorded on.
    pub fn system_info(self, info: SystemInfo) -> Self {
        Self(self.0.message(packet::system_info, info))
    }

    /// Payload: an event of the recording service.
    pub fn service_event(self, event: ServiceEvent) -> Self {
        Self(self.0.message(packet::service_event, event.message()))
    }

    /// Payload: packets compressed with zlib.
    pub fn compressed_packets(self, bytes: &[u8]) -> Self {
        Self(self.0.bytes(packet::compressed_packets, bytes))
    }

    /// Payload: packets compressed with zstd.
    pub fn zstd_compressed_packets(self, bytes: &[u8]) -> Self {
        Self(self.0.bytes(packet::zstd_compressed_packets, bytes))
    }

    /// Payload: padding, which is ignored.
    pub fn padding(self, bytes: &[u8]) -> Self {
        Self(self.0.bytes(packet::for_testing, bytes))
    }
}

message_type! {
    /// Values for fields that packets of a sequence leave out.
    Defaults
}

impl Defaults {
    /// Returns an empty set of defaults.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the clock of timestamps.
    pub fn clock(self, clock_id: u32) -> Self {
        Self(self.0.uint(field::TracePacketDefaults::timestamp_clock_id, clock_id.into()))
    }

    /// Sets the track of track events.
    pub fn track(self, uuid: u64) -> Self {
        let defaults = Message::new().uint(field::TrackEventDefaults::track_uuid, uuid);
        Self(self.0.message(field::TracePacketDefaults::track_event_defaults, defaults))
    }
}
