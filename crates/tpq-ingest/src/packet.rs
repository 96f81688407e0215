//! The header of a packet: everything that says where it belongs, nothing of what it means.

use tpq_proto::wire::{Fields, Value};

/// Numbers of the fields of a packet that are read before any decoder sees it.
pub mod packet_field {
    /// Events of the kernel.
    pub const FTRACE_EVENTS: u32 = 1;
    /// Timestamp, in the clock of the packet.
    pub const TIMESTAMP: u32 = 8;
    /// Sequence of the packet.
    pub const SEQUENCE_ID: u32 = 10;
    /// Strings and messages that later packets of the sequence refer to.
    pub const INTERNED_DATA: u32 = 12;
    /// See [`super::SEQ_INCREMENTAL_STATE_CLEARED`], [`super::SEQ_NEEDS_INCREMENTAL_STATE`].
    pub const SEQUENCE_FLAGS: u32 = 13;
    /// Values of several clocks.
    pub const CLOCK_SNAPSHOT: u32 = 6;
    /// The older form of a flag.
    pub const INCREMENTAL_STATE_CLEARED: u32 = 41;
    /// Packets of the sequence before this one were lost.
    pub const PREVIOUS_PACKET_DROPPED: u32 = 42;
    /// Something that happened on a track.
    pub const TRACK_EVENT: u32 = 11;
    /// The thread that writes a sequence, in the older form.
    pub const THREAD_DESCRIPTOR: u32 = 44;
    /// The description of a track.
    pub const TRACK_DESCRIPTOR: u32 = 60;
    /// Packets compressed by zlib.
    pub const COMPRESSED_PACKETS: u32 = 50;
    /// The clock of the timestamp.
    pub const TIMESTAMP_CLOCK_ID: u32 = 58;
    /// Defaults for later packets of the sequence.
    pub const TRACE_PACKET_DEFAULTS: u32 = 59;
    /// Configuration of the recording.
    pub const TRACE_CONFIG: u32 = 33;
    /// Statistics of the recorder.
    pub const TRACE_STATS: u32 = 35;
    /// Bytes by which tools resynchronise in a damaged file.
    pub const SYNCHRONIZATION_MARKER: u32 = 36;
    /// The system it was recorded on.
    pub const SYSTEM_INFO: u32 = 45;
    /// The trigger that started or stopped the recording.
    pub const TRIGGER: u32 = 46;
    /// An event of the recorder.
    pub const SERVICE_EVENT: u32 = 69;
    /// Descriptions of message fields that are not part of the format.
    pub const EXTENSION_DESCRIPTOR: u32 = 72;
    /// The recording's own id.
    pub const TRACE_UUID: u32 = 89;
    /// Readings that two machines took of each other's clocks.
    pub const REMOTE_CLOCK_SYNC: u32 = 107;
    /// The trigger of a snapshot of a running recording.
    pub const CLONE_SNAPSHOT_TRIGGER: u32 = 113;
    /// Identity of the recorder.
    pub const TRACE_PROVENANCE: u32 = 124;
    /// The writer had not written before.
    pub const FIRST_PACKET_ON_SEQUENCE: u32 = 87;
    /// The machine it was written on.
    pub const MACHINE_ID: u32 = 98;
    /// Packets compressed by Zstandard.
    pub const ZSTD_COMPRESSED_PACKETS: u32 = 133;
    pub(super) const TRUSTED_UID: u32 = 3;
    pub(super) const TRUSTED_PID: u32 = 79;
}

/// The packet starts a new generation of its sequence's state.
pub const SEQ_INCREMENTAL_STATE_CLEARED: u32 = 1;
/// The packet means nothing without its sequence's state.
pub const SEQ_NEEDS_INCREMENTAL_STATE: u32 = 2;

/// The scope of a packet and the location of its parts.
#[derive(Clone, Copy, Debug, Default)]
pub struct PacketHeader {
    /// The timestamp as written, in ticks of its clock.
    pub timestamp: Option<u64>,
    /// The clock named for it.
    pub clock: Option<u32>,
    /// The writer sequence; 0 when none is named.
    pub sequence: u32,
    /// The machine; 0 is the host.
    pub machine: u32,
    /// The sequence flags.
    pub flags: u32,
    /// The sequence's state starts anew with this packet.
    pub state_cleared: bool,
    /// Packets of the sequence before this one were lost: a set of reasons, 0 for none.
    pub previous_dropped: u32,
    /// The process that wrote it, as the recorder vouches.
    pub pid: Option<i32>,
    /// The writer had not written before.
    pub first_on_sequence: bool,
    /// The number of the payload's field; 0 for none.
    pub kind: u32,
    /// Offset and length of the payload in the packet.
    pub payload: (u32, u32),
    /// Offset and length of the interned data.
    pub interned: Option<(u32, u32)>,
    /// Offset and length of the defaults.
    pub defaults: Option<(u32, u32)>,
    /// Whether the packet ends in the middle of a field.
    pub damaged: bool,
}

impl PacketHeader {
    /// Reads the header of a packet.
    pub fn parse(packet: &[u8]) -> Self {
        use packet_field::*;
        let mut header = Self::default();
        let mut fields = Fields::new(packet);
        while let Some(field) = fields.next() {
            let range = match field.value {
                Value::Bytes(bytes) => {
                    ((fields.position() - bytes.len()) as u32, bytes.len() as u32)
                }
                _ => (fields.position() as u32, 0),
            };
            match field.number {
                TIMESTAMP => header.timestamp = Some(field.as_u64()),
                TIMESTAMP_CLOCK_ID => header.clock = Some(field.as_u32()),
                SEQUENCE_ID => header.sequence = field.as_u32(),
                MACHINE_ID => header.machine = field.as_u32(),
                SEQUENCE_FLAGS => header.flags = field.as_u32(),
                INCREMENTAL_STATE_CLEARED => header.state_cleared |= field.as_bool(),
                PREVIOUS_PACKET_DROPPED => header.previous_dropped = field.as_u32(),
                FIRST_PACKET_ON_SEQUENCE => header.first_on_sequence = field.as_bool(),
                INTERNED_DATA => header.interned = Some(range),
                TRACE_PACKET_DEFAULTS => header.defaults = Some(range),
                TRUSTED_PID => header.pid = Some(field.as_i32()),
                TRUSTED_UID => {}
                number => {
                    header.kind = number;
                    header.payload = range;
                }
            }
        }
        header.state_cleared |= header.flags & SEQ_INCREMENTAL_STATE_CLEARED != 0;
        header.damaged = fields.is_damaged();
        header
    }
}
